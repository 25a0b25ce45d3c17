//! Springs under preload in a model without gravity: what do they carry?

use crate::diag::{Diagnostic, Diagnostics, Problem};
use crate::model::{Defaults, ForceKind, Model};

pub(super) fn check(model: &Model, found: &mut Diagnostics) {
    let defaults = Defaults::new(model);
    if model.gravity.iter().any(|component| defaults.evaluate(component) != Some(0.0)) {
        return;
    }
    for force in &model.forces {
        let (ForceKind::SpringDamper { preload, .. } | ForceKind::JointSpring { preload, .. }) = &force.kind
        else {
            continue;
        };
        if defaults.evaluate(preload).is_some_and(|preload| preload != 0.0) {
            let problem = Problem::PreloadWithoutGravity { element: force.name.text.clone() };
            let gravity = model.gravity[0].span.to(model.gravity[2].span);
            found.push(Diagnostic::note(preload.span, problem).with(gravity, "gravity is zero"));
        }
    }
}
