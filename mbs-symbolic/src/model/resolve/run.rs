//! Initial values, and defaults and scenarios of a run.

use super::assemblies::negative;
use super::dimensions::Quantity;
use super::fields::Fields;
use super::names::Entity;
use super::{Inputs, Parameters, Resolver};
use crate::diag::{Diagnostic, Problem};
use crate::ids::{CoordinateId, Id, InputId, ParamId, VelocityId};
use crate::model::evaluate::constant;
use crate::model::language::{INITIAL, SCENARIO, SIMULATION};
use crate::model::place::FormulaContext;
use crate::model::tree::{Key, Node};
use crate::model::{Formula, Initial, Input, Parameter, ParameterValue, Scenario, Simulation};

impl<'a> Resolver<'a> {
    pub(super) fn resolve_initial(&mut self, top: &Fields<'a>) -> Initial {
        let Some((key, node)) = top.entry("initial") else { return Initial::default() };
        let fields = self.fields(&INITIAL, key.span, node);
        let mut initial = Initial::default();
        for (key, node) in fields.entries("positions") {
            initial.positions.extend(self.initial_position(&key.text, key, node));
        }
        for (key, node) in fields.entries("velocities") {
            initial.velocities.extend(self.initial_velocity(&key.text, key, node));
        }
        initial
    }

    fn initial_position(&mut self, name: &str, key: &Key, node: &'a Node) -> Option<(CoordinateId, Formula)> {
        let coordinate = self.find_coordinate(name, key.span);
        if coordinate.is_some_and(|id| self.follows_another(id, name, key.span)) {
            return None;
        }
        let value = self.scalar_formula(&key.text, key.span, node, FormulaContext::Parameters);
        let found = coordinate.map(|id| (self.coordinate_quantity(id), self.coordinates[id].unit));
        self.check_initial(value.as_ref(), found, name);
        let turned = coordinate.is_some_and(|coordinate| self.coordinate_negates(coordinate, key.span));
        coordinate.zip(value.map(|value| if turned { negative(value) } else { value }))
    }

    fn initial_velocity(&mut self, name: &str, key: &Key, node: &'a Node) -> Option<(VelocityId, Formula)> {
        let velocity = self.find_velocity(name, key.span);
        let coordinate = velocity.and_then(|id| self.velocities[id].coordinate);
        if coordinate.is_some_and(|id| self.follows_another(id, name, key.span)) {
            return None;
        }
        let value = self.scalar_formula(&key.text, key.span, node, FormulaContext::Parameters);
        let found = velocity.map(|id| (self.velocity_quantity(id), self.velocities[id].unit));
        self.check_initial(value.as_ref(), found, name);
        let turned = velocity.is_some_and(|velocity| self.velocity_negates(velocity, key.span));
        velocity.zip(value.map(|value| if turned { negative(value) } else { value }))
    }

    fn check_initial(&mut self, value: Option<&Formula>, of: Option<(Quantity, &str)>, name: &str) {
        match (value, of) {
            (Some(value), Some((Quantity { dimension: Some(_), .. }, unit))) => {
                self.expect(value, FormulaContext::Parameters, unit, &format!("`{name}`"));
            }
            (Some(value), _) => {
                self.quantity(value, FormulaContext::Parameters);
            }
            _ => {}
        }
    }

    pub(super) fn resolve_simulation(
        &mut self,
        top: &Fields<'a>,
        symbols: (&Parameters, &Inputs),
    ) -> Simulation {
        let Some((key, node)) = top.entry("simulation") else { return Simulation::default() };
        let fields = self.fields(&SIMULATION, key.span, node);
        let mut simulation = Simulation {
            t_end: self.positive_field(&fields, "t_end"),
            method: self.text(&fields, "method"),
            rtol: self.positive_field(&fields, "rtol"),
            atol: self.positive_field(&fields, "atol"),
            step: self.positive_field(&fields, "step"),
            scenarios: Vec::new(),
        };
        let entries = self.own_entries(&fields, "scenarios");
        for (key, node) in entries {
            let scenario = self.scenario(key, node, symbols);
            simulation.scenarios.push(scenario);
        }
        simulation
    }

    fn scenario(&mut self, key: &'a Key, node: &'a Node, symbols: (&Parameters, &Inputs)) -> Scenario {
        let fields = self.fields(&SCENARIO, key.span, node);
        let mut scenario = Scenario {
            name: self.entry_name(key),
            parameters: Vec::new(),
            inputs: Vec::new(),
            positions: Vec::new(),
            velocities: Vec::new(),
            t_end: self.positive_field(&fields, "t_end"),
        };
        for (key, node) in fields.entries("set") {
            if let Some(name) = key.text.strip_prefix("positions.") {
                scenario.positions.extend(self.initial_position(name, key, node));
            } else if let Some(name) = key.text.strip_prefix("velocities.") {
                scenario.velocities.extend(self.initial_velocity(name, key, node));
            } else {
                self.setting(&mut scenario, key, node, symbols);
            }
        }
        scenario
    }

    /// A parameter's value in a scenario: a plain number is in the parameter's own unit.
    fn parameter_setting(&mut self, id: ParamId, parameter: &Parameter, node: &Node) -> Option<f64> {
        let (value, found) = self.constant_quantity(node)?;
        let known = self.parameter_quantities.get(id.index()).copied().unwrap_or_default();
        match (found.dimension, known.dimension, &parameter.written) {
            (None, _, Some(unit)) => Some(self.converted(unit, value, node.span)),
            (Some(_), Some(dimension), _) => {
                let formula = Formula::number(value, node.span);
                let what = format!("`{}`", parameter.name.text);
                self.expect_quantity(
                    &formula,
                    found,
                    &dimension.to_string(),
                    &what,
                    Some(parameter.name.span),
                );
                Some(value)
            }
            _ => Some(value),
        }
    }

    /// A signal in a scenario: a plain number is in the input's own unit, as in its declaration.
    fn input_setting(
        &mut self,
        input: &Input,
        id: InputId,
        value: Formula,
        place: FormulaContext,
    ) -> Formula {
        let name = &input.name;
        match (&input.written, constant(&value)) {
            (Some(unit), number) if self.quantity(&value, place).dimension.is_none() => match number {
                Some(number) if number.is_finite() => {
                    return Formula::number(self.converted(unit, number, value.span), value.span);
                }
                Some(_) => {}
                None => {
                    let (unit, si) = (unit.text.clone(), unit.si.clone());
                    let problem = Problem::UnitNotSi { unit, si, what: "a signal that is an expression" };
                    let report = Diagnostic::error(value.span, problem);
                    self.problems.push(report.with(name.span, "the unit is given here"));
                }
            },
            _ => {
                let known = self.input_quantities.get(id.index()).copied().unwrap_or_default();
                let unit = known.dimension.map(|dimension| dimension.to_string()).unwrap_or_default();
                self.check_initial(Some(&value), Some((known, unit.as_str())), &name.text);
            }
        }
        value
    }

    fn setting(
        &mut self,
        scenario: &mut Scenario,
        key: &'a Key,
        node: &'a Node,
        (parameters, inputs): (&Parameters, &Inputs),
    ) {
        match self.names.find(&key.text) {
            Some(Entity::Parameter(id)) => {
                let parameter = &parameters[id];
                if let ParameterValue::Derived(formula) = &parameter.value {
                    if formula.is_unknown() {
                        return;
                    }
                    self.error(key.span, Problem::NotSettable { name: key.text.clone() });
                    return;
                }
                if !node.is_scalar() {
                    self.wrong_shape(&key.text, "a number".to_owned(), key.span, node);
                    return;
                }
                if let Some(value) = self.parameter_setting(id, parameter, node) {
                    self.check_in_range(parameter, value, node.span);
                    scenario.parameters.push((id, value));
                }
            }
            Some(Entity::Input(id)) => {
                let smooth = self.input_names.get(id.index()).is_some_and(|(_, n)| *n > 0);
                let place =
                    if smooth { FormulaContext::SmoothInputDefault } else { FormulaContext::InputDefault };
                let value = self.scalar_formula(&key.text, key.span, node, place);
                let value = value.map(|value| self.input_setting(&inputs[id], id, value, place));
                scenario.inputs.extend(value.map(|value| (id, value)));
            }
            Some(Entity::Coordinate(_) | Entity::Velocity(_)) => {
                let nearest = Some(format!("positions.{}", key.text));
                self.error(key.span, Problem::UnknownSetting { name: key.text.clone(), nearest });
            }
            _ => {
                let nearest = self.nearest(&key.text, self.names.settable());
                self.error(key.span, Problem::UnknownSetting { name: key.text.clone(), nearest });
            }
        }
    }
}
