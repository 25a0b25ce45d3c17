//! The topology as lines of text.

use super::Picture;
use std::fmt::Write;

pub(crate) fn draw(picture: &Picture) -> String {
    // The stem left of each body: bars of ancestors that have more children.
    let mut stems = vec![String::new(); picture.bodies.len()];
    let mut branches = vec![""; picture.bodies.len()];
    let mut rows = Vec::new();
    for body in picture.depth_first() {
        let node = &picture.bodies[body];
        if let Some(parent) = node.parent {
            let last = picture.bodies[parent].children.last() == Some(&body);
            branches[body] = if last { "└── " } else { "├── " };
            let bar = match branches[parent] {
                "" => "",
                "├── " => "│   ",
                _ => "    ",
            };
            stems[body] = stems[parent].clone() + bar;
        }
        rows.push((format!("{}{}{}", stems[body], branches[body], node.name), body));
    }
    let width = rows.iter().map(|(row, _)| row.chars().count()).max().unwrap_or(0);
    let mut out = String::new();
    for (row, body) in rows {
        let node = &picture.bodies[body];
        let coordinates = if node.coordinates.is_empty() {
            String::new()
        } else {
            format!(" ({})", node.coordinates.join(", "))
        };
        let line = format!("{row:<width$}   {}{coordinates}", node.joint);
        let _ = writeln!(out, "{}", line.trim_end());
    }
    if !picture.closures.is_empty() {
        out.push('\n');
    }
    for closure in &picture.closures {
        let word = if closure.is_joint { "cut" } else { "tie" };
        let (from, to) = (&picture.bodies[closure.from].name, &picture.bodies[closure.to].name);
        let _ = writeln!(out, "{word}: {} between {from} and {to}", closure.label);
    }
    out
}
