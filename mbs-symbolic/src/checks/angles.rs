//! Angles that look like degrees, and angles at their singularity.

use super::short;
use crate::diag::{Diagnostics, Problem, Span};
use crate::ids::CoordinateId;
use crate::model::{Defaults, JointKind, Model, Orientation};
use std::f64::consts::PI;

/// Nearer than this (sine or cosine of the middle angle) three angles are badly conditioned:
/// six degrees.
const NEAR: f64 = 0.1;

pub(super) fn check(model: &Model, found: &mut Diagnostics) {
    let defaults = Defaults::new(model);
    let mut degrees = |span: Span, value: Option<f64>, what: &str| {
        if let Some(value) = value.filter(|value| value.abs() > 2.0 * PI * (1.0 + 1e-9)) {
            found.warning(span, Problem::LooksLikeDegrees { what: what.to_owned(), value: short(value) });
        }
    };
    for frame in &model.frames {
        for turn in &frame.rotation {
            degrees(turn.angle.span, defaults.evaluate(&turn.angle), "this rotation");
        }
    }
    for joint in &model.joints {
        if let JointKind::Curve { rotation, .. } = &joint.kind {
            for turn in rotation {
                degrees(turn.angle.span, defaults.evaluate(&turn.angle), "this rotation");
            }
        }
    }
    for coordinate in model.coordinates.iter().filter(|coordinate| coordinate.unit == "rad") {
        if let Some(mimic) = &coordinate.mimic {
            degrees(mimic.offset.span, defaults.evaluate(&mimic.offset), "this offset");
        }
    }
    for (coordinate, value) in &model.initial.positions {
        let coordinate = &model.coordinates[*coordinate];
        if coordinate.unit == "rad" {
            let what = format!("the initial angle `{}`", coordinate.name.text);
            degrees(value.span, defaults.evaluate(value), &what);
        }
    }
    for joint in &model.joints {
        let (JointKind::Spherical { orientation } | JointKind::Free { orientation, .. }) = &joint.kind else {
            continue;
        };
        let Orientation::Angles { sequence, coordinates, .. } = orientation else { continue };
        let (angle, span) = initial(model, &defaults, coordinates[1]).unwrap_or((0.0, joint.name.span));
        // Of three different axes the middle angle may not be a quarter turn; of equal outer
        // axes it may not be zero or half a turn.
        let is_proper = sequence[0] == sequence[2];
        let distance = if is_proper { mbs_math::sin(angle) } else { mbs_math::cos(angle) };
        if distance.abs() < NEAR {
            let letters: String = sequence.iter().map(|&axis| ['x', 'y', 'z'][usize::from(axis)]).collect();
            found.warning(
                span,
                Problem::AnglesNearSingular {
                    joint: joint.name.text.clone(),
                    sequence: letters,
                    coordinate: model.coordinates[coordinates[1]].name.text.clone(),
                    angle: short(angle),
                    away: if is_proper { "0 and pi" } else { "pi/2 and -pi/2" },
                },
            );
        }
    }
}

/// The initial value of a coordinate that is listed, and where.
fn initial(model: &Model, defaults: &Defaults<'_>, coordinate: CoordinateId) -> Option<(f64, Span)> {
    let (_, value) = model.initial.positions.iter().find(|(listed, _)| *listed == coordinate)?;
    Some((defaults.evaluate(value)?, value.span))
}
