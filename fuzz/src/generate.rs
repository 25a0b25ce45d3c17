//! Random models that are right: every formula is defined everywhere, every name exists.

use crate::random::Random;
use std::fmt::Write;

/// A model in YAML: a random tree of bodies, forces of every kind, sometimes a closed loop.
pub fn model(random: &mut Random) -> String {
    let count = 1 + random.below(6);
    let mut out = String::from(
        "model: generated\nparameters: {k: 3, l: {value: 0.7, unit: m}, d: l/7}\ninputs: {u: {value: sin(t)}}\n",
    );
    out += "tables: {curve: {points: [[-2, 1], [0, 0], [1, 0.3], [3, 2]]}}\nbodies:\n  ground: {frames: {anchor: {position: [2, 0, 1]}}}\n";
    for body in 0..count {
        let _ = writeln!(
            out,
            "  b{body}: {{mass: {:.3}, com: [{}, 0, {:.3}], inertia: {{xx: 2, yy: 2.5, zz: 3, xy: {:.3}}}, \
             frames: {{tip: {{position: [l, {:.3}, 0], rotation: [{{axis: {}, angle: {:.3}}}]}}}}}}",
            1.0 + random.unit().abs(),
            random.pick(&["0", "l/2", "d"]),
            random.unit(),
            0.5 * random.unit(),
            random.unit(),
            random.pick(&["x", "y", "z", "[1, 2, 3]"]),
            random.unit()
        );
    }
    out += "joints:\n";
    let mut coordinates: Vec<String> = Vec::new();
    for body in 0..count {
        let parent = if body == 0 { "ground".to_owned() } else { format!("b{}.tip", random.below(body)) };
        let ends = format!("from: {parent}, to: b{body}");
        let axis = random.pick(&["x", "y", "-z", "[1, 1, 0]", "[0.3, -2, 1]"]);
        let name = format!("j{body}");
        let (line, own): (String, Vec<String>) = match random.below(9) {
            0 | 1 => (format!("{{type: revolute, {ends}, axis: {axis}}}"), vec![name.clone()]),
            2 => (format!("{{type: prismatic, {ends}, axis: {axis}}}"), vec![name.clone()]),
            3 => (format!("{{type: screw, {ends}, axis: {axis}, pitch: 0.1}}"), vec![name.clone()]),
            4 => (
                format!("{{type: cylindrical, {ends}, axis: {axis}}}"),
                vec![format!("{name}.distance"), format!("{name}.angle")],
            ),
            5 => (
                format!("{{type: universal, {ends}, axes: [x, y]}}"),
                vec![format!("{name}.angle1"), format!("{name}.angle2")],
            ),
            6 => (format!("{{type: spherical, {ends}}}"), Vec::new()),
            7 => (format!("{{type: free, {ends}}}"), vec![format!("{name}.x"), format!("{name}.z")]),
            _ => (
                format!(
                    "{{type: curve, {ends}, coordinate: s{body}, position: [s{body}, s{body}^2/4, sin(s{body})]}}"
                ),
                vec![format!("s{body}")],
            ),
        };
        let _ = writeln!(out, "  {name}: {line}");
        coordinates.extend(own);
    }
    if random.one_in(3) {
        out += "constraints:\n";
        let _ = writeln!(
            out,
            "  rod: {{type: distance, from: ground.anchor, to: b{}.tip, length: 1.5}}",
            count - 1
        );
    }
    let forces = random.below(4);
    if forces > 0 || !coordinates.is_empty() {
        out += "forces:\n";
    }
    for force in 0..forces {
        let law = formula(random, &coordinates, 3);
        let line = match random.below(4) {
            0 => format!("{{type: force, on: b{}.tip, force: [0, \"{law}\", 1]}}", random.below(count)),
            1 => format!("{{type: torque, on: b{}, torque: [u, 0, \"{law}\"]}}", random.below(count)),
            2 => format!(
                "{{type: spring_damper, from: ground.anchor, to: b{}.tip, stiffness: 10, damping: 1, length: \"{law}\"}}",
                random.below(count)
            ),
            _ => format!(
                "{{type: contact, on: b{}.tip, radius: 0.1, stiffness: 1000, damping: 3}}",
                random.below(count)
            ),
        };
        let _ = writeln!(out, "  f{force}: {line}");
    }
    if let Some(coordinate) = coordinates.get(random.below(coordinates.len())) {
        let _ = writeln!(
            out,
            "  drive: {{type: joint_spring, coordinate: {coordinate}, stiffness: k, damping: d}}"
        );
    }
    let _ =
        writeln!(out, "outputs: {{o: \"{}\", height: position(b0.tip).z}}", formula(random, &coordinates, 4));
    out
}

/// A formula with a value everywhere.
fn formula(random: &mut Random, coordinates: &[String], depth: usize) -> String {
    if depth == 0 || random.one_in(4) {
        return match random.below(6) {
            0 if !coordinates.is_empty() => coordinates[random.below(coordinates.len())].clone(),
            1 if !coordinates.is_empty() => format!("der({})", coordinates[random.below(coordinates.len())]),
            2 => "t".to_owned(),
            3 => "u".to_owned(),
            4 => "k".to_owned(),
            _ => format!("{:.2}", 3.0 * random.unit()),
        };
    }
    let a = formula(random, coordinates, depth - 1);
    let b = formula(random, coordinates, depth - 1);
    match random.below(13) {
        0 => format!("({a} + {b})"),
        1 => format!("({a} - {b})"),
        2 => format!("{a}*{b}"),
        3 => format!("({a})/(1 + ({b})^2)"),
        4 => format!("sin({a})"),
        5 => format!("sqrt(1 + ({a})^2)"),
        6 => format!("if({a} > {b}, {a}, 1)"),
        7 => format!("min({a}, {b})"),
        8 => format!("abs({a})"),
        9 => format!("tanh({a})"),
        10 => format!("spline(curve, {a})"),
        11 => format!("linear(curve, {b})"),
        _ => format!("exp(-({a})^2)"),
    }
}
