//! Units of outputs, where they can be told from their formulas: curves of one unit share
//! their axis.

use mbs_runtime::RowKind;
use mbs_symbolic::ids::Id;
use mbs_symbolic::model::{BinaryOperator, Formula, Function, Model, Query, TermKind};

/// How deep variables may nest here; deeper ones have no unit.
const DEPTH: usize = 16;

/// The unit of a formula as far as it can be told; none is no statement.
pub(super) fn of(model: &Model, formula: &Formula) -> Option<String> {
    within(model, formula, DEPTH)
}

fn within(model: &Model, formula: &Formula, depth: usize) -> Option<String> {
    let depth = depth.checked_sub(1)?;
    let mut units: Vec<Option<String>> = Vec::with_capacity(formula.terms.len());
    for term in &formula.terms {
        let u = |id: u32| units[id as usize].clone();
        let is_number = |id: u32| matches!(formula.terms[id as usize].kind, TermKind::Number(_));
        let unit = match term.kind {
            TermKind::Parameter(id) => model.parameters[id].unit.clone(),
            TermKind::Input(id) => model.inputs[id].unit.clone(),
            TermKind::Time => Some("s".to_owned()),
            TermKind::Coordinate(id) => Some(model.coordinates[id].unit.to_owned()),
            TermKind::Velocity(id) => Some(model.velocities[id].unit.to_owned()),
            TermKind::Variable(id) => within(model, &model.variables[id].value, depth),
            TermKind::Neg(a) => u(a),
            TermKind::Binary(BinaryOperator::Add | BinaryOperator::Sub, a, b) => u(a).or(u(b)),
            TermKind::Binary(BinaryOperator::Mul, a, b) if is_number(a) => u(b),
            TermKind::Binary(BinaryOperator::Mul | BinaryOperator::Div, a, b) if is_number(b) => u(a),
            TermKind::Call(Function::Abs | Function::Min | Function::Max, a, b) => u(a).or(u(b)),
            TermKind::Call(Function::Atan | Function::Atan2 | Function::Asin | Function::Acos, ..) => {
                Some("rad".to_owned())
            }
            TermKind::If(_, a, b) => u(a).or(u(b)),
            TermKind::Der(a) => u(a).map(|unit| rate(&unit)),
            TermKind::Query(query) => Some(query_unit(query).to_owned()),
            _ => None,
        };
        units.push(unit);
    }
    units.pop().flatten()
}

fn query_unit(query: Query) -> &'static str {
    match query {
        Query::Position { .. } | Query::Distance { .. } => "m",
        Query::Velocity { .. } => "m/s",
        Query::Acceleration { .. } => "m/s^2",
        Query::AngularVelocity { .. } => "rad/s",
        Query::Rotation { .. } => "1",
        Query::Reaction { component: 0..3, .. } => "N",
        Query::Reaction { .. } => "N*m",
    }
}

/// The unit of the multiplier of a row.
pub(crate) fn multiplier(kind: RowKind) -> &'static str {
    match kind {
        RowKind::Position | RowKind::Distance => "N",
        RowKind::Orientation => "N*m",
        RowKind::Coordinate | RowKind::Equation | RowKind::Nonholonomic => "",
    }
}

/// The unit of a rate.
pub(crate) fn rate(unit: &str) -> String {
    match unit.strip_suffix("/s") {
        Some(base) => format!("{base}/s^2"),
        None if unit.is_empty() => String::new(),
        None => format!("{unit}/s"),
    }
}

/// The unit of every output of a model: as written, or as its formula says.
pub(crate) fn outputs(model: &Model) -> Vec<String> {
    let unit = |id| {
        let output: &mbs_symbolic::model::Output = &model.outputs[id];
        output.unit.clone().or_else(|| of(model, &output.value)).unwrap_or_default()
    };
    (0..model.outputs.len()).map(Id::new).map(unit).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use mbs_symbolic::model::{NoFiles, read};

    #[test]
    fn units_follow_from_formulas() {
        let source = "
model: m
parameters: {k: {value: 1, unit: N/m}, F: {value: 1, unit: N}}
bodies: {b: {mass: 1}}
joints: {j: {type: prismatic, from: ground, to: b, axis: z, coordinate: s}}
variables: {half: s/2}
outputs:
  a: half
  b: der(half) - 1
  c: der(der(s))
  d: max(0, F - k*s)
  e: k*s
  f: {value: k*s, unit: N}
  g: atan2(s, 1)
  h: 'if(s > 0, 2*distance(b, ground), 0)'
";
        let (model, _) = read("m.yaml", source, &NoFiles).result.expect("a model");
        assert_eq!(outputs(&model), ["m", "m/s", "m/s^2", "N", "", "N", "rad", "m"]);
    }
}
