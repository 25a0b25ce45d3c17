//! Chains of any length.

use std::fmt::Write;

/// A number between −1 and 1 that has nothing to do with its neighbours.
fn generic(index: usize) -> f64 {
    // Multiples of the golden ratio's inverse are spread evenly over the unit interval.
    let part = (index as f64 * 0.618_033_988_749_894_9).fract();
    2.0 * part - 1.0
}

/// A serial chain of `n` links on revolute joints about z, y, x, z, … with generic placements,
/// centres of mass and inertias, as a model. Nothing is zero and no two axes are parallel; the
/// numbers are those of links some tens of centimetres long.
pub fn chain(n: usize) -> String {
    let mut bodies = String::new();
    let mut joints = String::new();
    let mut index = 0;
    let mut next = |scale: f64| {
        index += 1;
        scale * generic(index)
    };
    for link in 0..n {
        let parent = if link == 0 { "ground".to_owned() } else { format!("link{link}") };
        let position = [next(0.3), next(0.3), next(0.3)];
        let turns = [next(1.5), next(1.5), next(1.5)];
        let [x, y, z] = turns;
        let frame = format!(
            "frames: {{tip: {{position: {position:?}, rotation: [{{axis: x, angle: {x:?}}}, {{axis: y, angle: {y:?}}}, \
             {{axis: z, angle: {z:?}}}]}}}}"
        );
        if link == 0 {
            let _ = writeln!(bodies, "  ground: {{{frame}}}");
        } else {
            let mass = 2.0 + next(1.5);
            let com = [next(0.15), next(0.15), next(0.15)];
            let [xx, yy, zz] = [0.03, 0.035, 0.04].map(|x| x + next(0.008));
            let [xy, xz, yz] = [next(0.004), next(0.004), next(0.004)];
            let _ = writeln!(
                bodies,
                "  {parent}: {{mass: {mass:?}, com: {com:?}, inertia: {{xx: {xx:?}, yy: {yy:?}, zz: {zz:?}, xy: {xy:?}, \
                 xz: {xz:?}, yz: {yz:?}}}, {frame}}}"
            );
        }
        let axis = ["z", "y", "x"][link % 3];
        let child = link + 1;
        let _ = writeln!(
            joints,
            "  q{child}: {{type: revolute, from: {parent}.tip, to: link{child}, axis: {axis}}}"
        );
    }
    let _ = writeln!(
        bodies,
        "  link{n}: {{mass: 1.3, com: [0.02, -0.05, 0.11], inertia: {{xx: 0.011, yy: 0.013, zz: 0.008, xy: 0.001, xz: \
         -0.002, yz: 0.0015}}}}"
    );
    format!("model: chain{n}\nbodies:\n{bodies}joints:\n{joints}")
}
