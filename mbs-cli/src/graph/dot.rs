//! The topology for Graphviz.

use super::Picture;
use std::fmt::Write;

pub(crate) fn draw(picture: &Picture) -> String {
    let mut out = format!("graph {} {{\n", picture.title);
    out += "  node [shape=box, style=rounded, fontname=\"sans-serif\"];\n";
    out += "  edge [fontname=\"sans-serif\", fontsize=10];\n";
    for body in picture.depth_first() {
        let style = if body == 0 { " [style=filled, fillcolor=lightgrey]" } else { "" };
        let _ = writeln!(out, "  {}{style};", quoted(&picture.bodies[body].name));
    }
    for body in picture.depth_first() {
        let node = &picture.bodies[body];
        if let Some(parent) = node.parent {
            let label = format!("{}\\n{}", node.joint, node.coordinates.join(", "));
            let parent = quoted(&picture.bodies[parent].name);
            let _ = writeln!(out, "  {parent} -- {} [label=\"{label}\"];", quoted(&node.name));
        }
    }
    for closure in &picture.closures {
        let style = if closure.is_joint { "dashed" } else { "dotted" };
        let ends = [closure.from, closure.to].map(|body| quoted(&picture.bodies[body].name));
        let _ = writeln!(
            out,
            "  {} -- {} [label=\"{}\", style={style}, constraint=false];",
            ends[0], ends[1], closure.label
        );
    }
    out += "}\n";
    out
}

/// Names have letters, digits and underscores only, but may be words of the language.
fn quoted(name: &str) -> String {
    format!("\"{name}\"")
}
