//! Linkages of any number of loops.

use std::fmt::Write;

/// `n` four-bar linkages in a row, as `models/n_four_bar_40.yaml` has them, that start where no
/// pose is singular: a planar mechanism with n loops and one degree of freedom.
pub fn four_bars(n: usize) -> String {
    let (mut frames, mut bodies, mut joints) = (String::new(), String::new(), String::new());
    let (mut positions, mut velocities) = (String::new(), String::new());
    for k in 0..=n {
        let _ = write!(frames, "A{k}: {{position: [{k}*L, 0, 0]}}, ");
        let _ = writeln!(
            bodies,
            "  vertical{k}: {{mass: m, com: [0, 0, L/2], inertia: {{xx: J, yy: J}}, frames: {{B: {{position: [0, 0, L]}}}}}}"
        );
        let _ = writeln!(
            joints,
            "  pivot{k}: {{type: revolute, from: ground.A{k}, to: vertical{k}, axis: y, coordinate: phi{k}}}"
        );
        let _ = write!(positions, "phi{k}: 0.4, ");
        let _ = write!(velocities, "phi{k}: 1, ");
    }
    for (k, before) in (1..=n).zip(0..) {
        let _ = writeln!(
            bodies,
            "  horizontal{k}: {{mass: m, com: [L/2, 0, 0], inertia: {{yy: J, zz: J}}, frames: {{B: {{position: [L, 0, 0]}}}}}}"
        );
        let _ = writeln!(
            joints,
            "  hinge{k}: {{type: revolute, from: vertical{before}.B, to: horizontal{k}, axis: y, coordinate: psi{k}}}\n  \
             closure{k}: {{type: revolute, from: horizontal{k}.B, to: vertical{k}.B, axis: y, cut: true}}"
        );
        let _ = write!(positions, "psi{k}: -0.4, ");
        let _ = write!(velocities, "psi{k}: -1, ");
    }
    format!(
        "model: four_bars_{n}\nparameters: {{m: 1, L: 1, J: m*L^2/12}}\nbodies:\n  ground: {{frames: {{{frames}}}}}\n\
         {bodies}joints:\n{joints}initial: {{positions: {{{positions}}}, velocities: {{{velocities}}}}}\n"
    )
}
