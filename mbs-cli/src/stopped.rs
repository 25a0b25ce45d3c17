//! Where in the model a run that was refused or stopped has its reason.

use mbs_runtime::SimulationError;
use mbs_symbolic::diag::{Diagnostic, Problem, Span};
use mbs_symbolic::model::Model;

/// The error at the place of what it names: listed values, joints and constraint elements. `None` if it
/// names nothing of the model.
pub(crate) fn placed(error: &SimulationError, model: &Model) -> Option<Diagnostic> {
    use SimulationError as Error;
    let mut places: Vec<(Span, String)> = Vec::new();
    match error {
        Error::InconsistentStart { constraint, others, held, .. } => {
            places.extend(held.iter().filter_map(|name| listed_position(model, name)));
            let open = std::iter::once(constraint).chain(others);
            places.extend(open.filter_map(|name| element(model, name)));
        }
        Error::SingularMass { velocity, .. } => places.extend(moving_joint(model, velocity)),
        Error::Contradiction { constraints, .. } => {
            places.extend(constraints.iter().filter_map(|name| element(model, name)));
        }
        Error::ListedVelocity { velocity, constraints, .. } => {
            places.extend(listed_velocity(model, velocity));
            places.extend(constraints.iter().filter_map(|name| element(model, name)));
        }
        Error::TurnedOver { joint, held, .. } => {
            places.extend(element(model, joint));
            places.extend(held.iter().filter_map(|name| listed_position(model, name)));
        }
        _ => return None,
    }
    let mut places = places.into_iter();
    let (first, _) = places.next()?;
    let help = error.remedy().map(str::to_owned);
    let problem = Problem::Run { code: error.code(), message: error.message(), help };
    Some(
        places
            .take(MAX_PLACES)
            .fold(Diagnostic::error(first, problem), |found, (span, words)| found.with(span, words)),
    )
}

/// More places than this say nothing more.
const MAX_PLACES: usize = 4;

fn listed_position(model: &Model, name: &str) -> Option<(Span, String)> {
    let id = model.coordinates.ids().find(|&id| model.coordinates[id].name.text == name)?;
    let listed = model.initial.positions.iter().find(|(listed, _)| *listed == id);
    let span = listed.map_or(model.coordinates[id].name.span, |(_, formula)| formula.span);
    Some((span, "held as listed".to_owned()))
}

fn listed_velocity(model: &Model, name: &str) -> Option<(Span, String)> {
    let id = model.velocities.ids().find(|&id| model.velocities[id].name.text == name)?;
    let listed = model.initial.velocities.iter().find(|(listed, _)| *listed == id);
    let span = listed.map_or(model.velocities[id].name.span, |(_, formula)| formula.span);
    Some((span, "listed".to_owned()))
}

/// The joint whose motion a velocity is.
fn moving_joint(model: &Model, velocity: &str) -> Option<(Span, String)> {
    let velocity = model.velocities.iter().find(|known| known.name.text == velocity)?;
    Some((model.joints[velocity.joint].name.span, "this joint".to_owned()))
}

/// The joint or constraint element of this name, or of one of its rows such as `rod.distance`.
fn element(model: &Model, name: &str) -> Option<(Span, String)> {
    let joints = model.joints.iter().map(|joint| &joint.name);
    let constraints = model.constraints.iter().map(|constraint| &constraint.name);
    let is_row =
        |of: &str| name.strip_prefix(of).is_some_and(|rest| rest.is_empty() || rest.starts_with('.'));
    let known = joints.chain(constraints).filter(|known| is_row(&known.text));
    known.max_by_key(|known| known.text.len()).map(|known| (known.span, "has to be met".to_owned()))
}
