//! Parameters, functions, inputs, states, variables, outputs.

use super::dimensions::Quantity;
use super::fields::Fields;
use super::formulas::Template;
use super::names::Entity;
use super::order::order;
use super::{Inputs, Outputs, Parameters, Resolver, States, Variables};
use crate::diag::{Diagnostic, Problem, Span};
use crate::ids::{Id, InputId, ParamId, StateId, TableId, VariableId};
use crate::model::builtin;
use crate::model::evaluate::constant;
use crate::model::language::{FUNCTION, INPUT, OUTPUT, PARAMETER, STATE, Section, TABLE};
use crate::model::lexer::unit_of_literal;
use crate::model::parser::{Syntax, SyntaxKind};
use crate::model::place::FormulaContext;
use crate::model::tree::{Key, Node, Value};
use crate::model::{
    Dimension, Formula, Input, Output, Parameter, ParameterValue, State, TermKind, Variable, limits, units,
};
use std::rc::Rc;

/// The sections of symbols, read but not resolved.
pub(super) struct Symbols<'a> {
    parameters: Vec<(&'a Key, Short<'a>)>,
    inputs: Vec<(&'a Key, Short<'a>)>,
    states: Vec<(&'a Key, Fields<'a>)>,
    pub(super) tables: Vec<(&'a Key, Fields<'a>)>,
}

/// An entry written as a map, or as a bare expression.
enum Short<'a> {
    Bare(&'a Node),
    Full(Fields<'a>),
}

impl<'a> Short<'a> {
    fn value(&self) -> Option<&'a Node> {
        match self {
            Self::Bare(node) => Some(node),
            Self::Full(fields) => fields.get("value"),
        }
    }

    fn fields(&self) -> Option<&Fields<'a>> {
        match self {
            Self::Bare(_) => None,
            Self::Full(fields) => Some(fields),
        }
    }
}

impl<'a> Resolver<'a> {
    fn short(&mut self, section: &'static Section, key: &'a Key, node: &'a Node) -> Option<Short<'a>> {
        match &node.value {
            Value::Plain(_) | Value::Text { .. } => Some(Short::Bare(node)),
            Value::Map(_) => Some(Short::Full(self.fields(section, key.span, node))),
            Value::Null | Value::Seq(_) => {
                self.wrong_shape(&key.text, "an expression or a map with `value`".to_owned(), key.span, node);
                None
            }
        }
    }

    /// Declares parameters, inputs, states, tables, functions and variables.
    pub(super) fn declare_symbols(&mut self, top: &Fields<'a>) -> Symbols<'a> {
        let mut symbols =
            Symbols { parameters: Vec::new(), inputs: Vec::new(), states: Vec::new(), tables: Vec::new() };
        for (key, node) in self.check_count("parameters", top.entries("parameters"), limits::ELEMENTS) {
            if let Some(short) = self.short(&PARAMETER, key, node) {
                self.declare_key(key, Entity::Parameter(ParamId::new(symbols.parameters.len())));
                self.parameter_names.push(key.text.clone());
                symbols.parameters.push((key, short));
            }
        }
        for (key, node) in self.check_count("inputs", top.entries("inputs"), limits::ELEMENTS) {
            if let Some(short) = self.short(&INPUT, key, node) {
                self.declare_key(key, Entity::Input(InputId::new(symbols.inputs.len())));
                let derivatives = short.fields().map_or(0, |fields| self.derivatives(fields));
                self.input_names.push((key.text.clone(), derivatives));
                symbols.inputs.push((key, short));
            }
        }
        for (key, node) in self.check_count("states", top.entries("states"), limits::ELEMENTS) {
            let fields = self.fields(&STATE, key.span, node);
            self.declare_key(key, Entity::State(StateId::new(symbols.states.len())));
            self.state_names.push(key.text.clone());
            symbols.states.push((key, fields));
        }
        for (key, node) in self.check_count("tables", top.entries("tables"), limits::ELEMENTS) {
            let fields = self.fields(&TABLE, key.span, node);
            self.declare_key(key, Entity::Table(TableId::new(symbols.tables.len())));
            symbols.tables.push((key, fields));
        }
        for (index, (key, _)) in top.entries("functions").iter().take(limits::ELEMENTS).enumerate() {
            self.declare_key(key, Entity::Function(index));
            if builtin::find(key.local()).is_some() {
                self.error(key.span, Problem::FunctionNameTaken { name: key.text.clone() });
            }
        }
        for (index, (key, _)) in top.entries("variables").iter().take(limits::ELEMENTS).enumerate() {
            self.declare_key(key, Entity::Variable(VariableId::new(index)));
            self.variable_names.push(key.text.clone());
            self.variable_spans.push(key.span);
        }
        symbols
    }

    fn derivatives(&mut self, fields: &Fields<'a>) -> u8 {
        let Some(node) = fields.get("derivatives") else { return 0 };
        match self.constant(node) {
            Some(0.0) => 0,
            Some(2.0) => 2,
            Some(_) => {
                let problem = Problem::NotAnInteger { key: "derivatives".to_owned(), allowed: "0 or 2" };
                self.error(node.span, problem);
                2
            }
            // Reported; with derivatives it draws no further complaints.
            None => 2,
        }
    }

    /// Resolves the bodies of functions, callees first.
    pub(super) fn resolve_functions(&mut self, top: &Fields<'a>) {
        let entries = self.check_count("functions", top.entries("functions"), limits::ELEMENTS);
        let mut bodies: Vec<Option<Syntax>> = Vec::with_capacity(entries.len());
        for (key, node) in entries {
            let fields = self.fields(&FUNCTION, key.span, node);
            let mut arguments = self.name_list(&fields, "arguments");
            if let Some((_, span)) = arguments.get(limits::ARGUMENTS) {
                let what = "arguments of a function".to_owned();
                self.error(*span, Problem::TooLarge { what, limit: limits::ARGUMENTS });
                arguments.truncate(limits::ARGUMENTS);
            }
            for (index, (name, span)) in arguments.iter().enumerate() {
                self.check_name(name, *span);
                if let Some((_, first)) = arguments[..index].iter().find(|(earlier, _)| earlier == name) {
                    let problem = Problem::DuplicateName {
                        name: name.clone(),
                        kind: "argument",
                        earlier: "another argument",
                    };
                    self.problems.push(Diagnostic::error(*span, problem).with(*first, "also used here"));
                }
            }
            let arguments = arguments.into_iter().map(|(name, _)| name).collect();
            self.functions.push(Template { arguments, body: None });
            bodies.push(fields.get("value").and_then(|node| self.syntax(node)));
        }
        let calls = |syntax: &Syntax| -> Vec<usize> {
            let called = syntax.nodes.iter().filter_map(|node| match &node.kind {
                SyntaxKind::Call(call) => match self.lookup(&call.name, call.name_span) {
                    Some(Entity::Function(index)) => Some(index),
                    _ => None,
                },
                _ => None,
            });
            called.collect()
        };
        let uses: Vec<Vec<usize>> =
            bodies.iter().map(|body| body.as_ref().map_or_else(Vec::new, calls)).collect();
        let (order, circles) = order(&uses);
        let keys: Vec<&Key> = entries.iter().map(|(key, _)| key).collect();
        let circular = self.report_circles("functions", &keys, &circles);
        for index in order {
            let Some(syntax) = bodies[index].take().filter(|_| !circular.contains(&index)) else { continue };
            let locals = self.functions[index].arguments.clone();
            let body = self
                .resolve_syntax(&syntax, FormulaContext::Function, &locals)
                .filter(|formula| self.check_place(formula, FormulaContext::Function));
            self.functions[index].body = body.map(Rc::new);
        }
    }

    /// Reports every circle and returns all that take part.
    fn report_circles(&mut self, what: &'static str, keys: &[&Key], circles: &[Vec<usize>]) -> Vec<usize> {
        for circle in circles {
            let mut chain: Vec<&str> = circle.iter().map(|index| keys[*index].text.as_str()).collect();
            chain.extend(circle.first().map(|index| keys[*index].text.as_str()));
            let span = circle.first().map_or(Span::default(), |index| keys[*index].span);
            let mut report = Diagnostic::error(span, Problem::Cycle { what, chain: chain.join(" → ") });
            for index in circle.iter().skip(1).take(8) {
                report = report.with(keys[*index].span, "also in the circle");
            }
            self.problems.push(report);
        }
        circles.iter().flatten().copied().collect()
    }

    pub(super) fn resolve_parameters(&mut self, symbols: &Symbols<'a>) -> (Parameters, Vec<ParamId>) {
        let mut parameters = Parameters::new();
        let mut values = Vec::new();
        for (key, short) in &symbols.parameters {
            let formula = match short.value() {
                Some(node) => self.formula(node, FormulaContext::Parameters),
                None => Formula::unknown(key.span),
            };
            let unit = short.fields().and_then(|fields| self.unit(fields, "unit"));
            let value = match constant(&formula) {
                Some(value) if value.is_finite() => {
                    let plain = self.quantity(&formula, FormulaContext::Parameters).dimension.is_none();
                    let scaled = unit.as_ref().filter(|_| plain);
                    let scaled = scaled.map(|given| self.converted(&given.unit, value, formula.span));
                    ParameterValue::Given(scaled.unwrap_or(value))
                }
                Some(value) => {
                    let what = format!("parameter `{}`", key.text);
                    self.error(formula.span, Problem::NotANumber { what, value });
                    ParameterValue::Derived(Formula::unknown(formula.span))
                }
                None => {
                    if let Some(given) = &unit {
                        self.must_be_si(given, "a value derived from parameters");
                    }
                    ParameterValue::Derived(formula.clone())
                }
            };
            let literal = short.value().and_then(|node| node.text()).and_then(unit_of_literal);
            let parameter = Parameter {
                name: self.entry_name(key),
                value,
                unit: match &unit {
                    Some(given) => Some(given.unit.si.clone()),
                    None => literal.and_then(|text| units::parse(text).ok()).map(|unit| unit.si),
                },
                written: unit.as_ref().map(|given| given.unit.clone()).filter(|unit| !unit.is_si()),
                dimension: None,
                doc: short.fields().and_then(|fields| self.text(fields, "doc")),
                min: None,
                max: None,
            };
            self.parameter_quantities.push(match &unit {
                Some(given) => Quantity::declared(given.unit.dimension),
                None => Quantity::default(),
            });
            parameters.push(parameter);
            values.push((formula, unit));
        }
        let uses: Vec<Vec<usize>> = parameters
            .iter()
            .map(|parameter| match &parameter.value {
                ParameterValue::Given(_) => Vec::new(),
                ParameterValue::Derived(formula) => used(formula, |kind| match kind {
                    TermKind::Parameter(id) => Some(id.index()),
                    _ => None,
                }),
            })
            .collect();
        let (order, circles) = order(&uses);
        let keys: Vec<&Key> = symbols.parameters.iter().map(|(key, _)| *key).collect();
        self.report_circles("parameters", &keys, &circles);
        for &index in &order {
            let (formula, unit) = &values[index];
            let found = self.quantity(formula, FormulaContext::Parameters);
            match unit {
                Some(given) => {
                    let (what, si) = (format!("`{}`", keys[index].text), given.unit.si.clone());
                    self.expect_quantity(formula, found, &si, &what, Some(given.span));
                }
                None => self.parameter_quantities[index] = found,
            }
        }
        for (index, (key, short)) in symbols.parameters.iter().enumerate() {
            if let Some(fields) = short.fields() {
                let parameter = &mut parameters[ParamId::new(index)];
                // Bounds in an assembly are for the uses that set a number.
                if key.span.instance > 0 && matches!(parameter.value, ParameterValue::Derived(_)) {
                    continue;
                }
                parameter.min = self.bound(fields, "min", parameter);
                parameter.max = self.bound(fields, "max", parameter);
                self.check_range(parameter, fields);
            }
        }
        for id in parameters.ids() {
            parameters[id].dimension = self.parameter_quantities[id.index()].dimension;
        }
        let derived = |id: &ParamId| matches!(parameters[*id].value, ParameterValue::Derived(_));
        let order = order.into_iter().map(ParamId::new).filter(derived).collect();
        (parameters, order)
    }

    /// A bound of a parameter; a plain number is in the parameter's unit.
    fn bound(&mut self, fields: &Fields<'a>, key: &str, parameter: &Parameter) -> Option<f64> {
        let node = fields.get(key)?;
        let (value, found) = self.constant_quantity(node)?;
        if found.dimension.is_none() {
            let unit = parameter.written.as_ref();
            return Some(unit.map_or(value, |unit| self.converted(unit, value, node.span)));
        }
        if let Some(unit) = &parameter.unit {
            let formula = Formula::number(value, node.span);
            self.expect_quantity(&formula, found, unit, &format!("`{key}`"), Some(parameter.name.span));
        }
        Some(value)
    }

    fn check_range(&mut self, parameter: &Parameter, fields: &Fields<'a>) {
        let span = |key: &str| fields.get(key).map_or(fields.owner, |node| node.span);
        if let (Some(min), Some(max)) = (parameter.min, parameter.max)
            && min > max
        {
            self.error(span("min"), Problem::MinAboveMax { min, max });
            return;
        }
        match parameter.value {
            ParameterValue::Given(value) => self.check_in_range(parameter, value, span("value")),
            ParameterValue::Derived(ref formula) if formula.is_unknown() => {}
            ParameterValue::Derived(_) => {
                if parameter.min.is_some() || parameter.max.is_some() {
                    let key = if parameter.min.is_some() { "min" } else { "max" };
                    self.error(span(key), Problem::RangeOnDerived { name: parameter.name.text.clone() });
                }
            }
        }
    }

    /// Complains if `value` is not what `parameter` allows.
    pub(super) fn check_in_range(&mut self, parameter: &Parameter, value: f64, span: Span) {
        if let Some((bound, limit)) = parameter.outside(value) {
            let name = parameter.name.text.clone();
            self.error(span, Problem::OutsideRange { name, value, bound, limit });
        }
    }

    pub(super) fn resolve_inputs(&mut self, symbols: &Symbols<'a>) -> Inputs {
        let mut inputs = Inputs::new();
        for (index, (key, short)) in symbols.inputs.iter().enumerate() {
            let derivatives = self.input_names[index].1;
            let place = if derivatives > 0 {
                FormulaContext::SmoothInputDefault
            } else {
                FormulaContext::InputDefault
            };
            let mut default = match short.value() {
                Some(node) => self.formula(node, place),
                None => Formula::unknown(key.span),
            };
            let given = short.fields().and_then(|fields| self.unit(fields, "unit"));
            let doc = short.fields().and_then(|fields| self.text(fields, "doc"));
            let found = self.quantity(&default, place);
            let mut quantity = found;
            if let Some(given) = &given {
                quantity = Quantity::declared(given.unit.dimension);
                match constant(&default).filter(|_| found.dimension.is_none()) {
                    Some(value) if value.is_finite() => {
                        let si = self.converted(&given.unit, value, default.span);
                        default = Formula::number(si, default.span);
                    }
                    Some(_) => {}
                    None if found.dimension.is_none() => {
                        self.must_be_si(given, "a signal that is an expression")
                    }
                    None => {
                        let (what, si) = (format!("`{}`", key.text), given.unit.si.clone());
                        self.expect_quantity(&default, found, &si, &what, Some(given.span));
                    }
                }
            }
            self.input_quantities.push(quantity);
            let written = given.as_ref().map(|given| given.unit.clone()).filter(|unit| !unit.is_si());
            let unit = given.map(|given| given.unit.si);
            let (name, dimension) = (self.entry_name(key), quantity.dimension);
            inputs.push(Input { name, default, derivatives, unit, written, dimension, doc });
        }
        inputs
    }

    /// Notes what states measure, so that formulas can be judged.
    pub(super) fn declare_state_units(&mut self, symbols: &Symbols<'a>) {
        for (_, fields) in &symbols.states {
            let given = self.si_unit(fields, "a state");
            let quantity =
                given.map_or(Quantity::default(), |given| Quantity::declared(given.unit.dimension));
            self.state_quantities.push(quantity);
        }
    }

    pub(super) fn resolve_states(&mut self, symbols: &Symbols<'a>) -> States {
        let mut states = States::new();
        for (index, (key, fields)) in symbols.states.iter().enumerate() {
            let derivative = self.field(fields, "derivative", 0.0);
            let initial = self.field(fields, "initial", 0.0);
            if let Some(Quantity { dimension: Some(dimension), .. }) =
                self.state_quantities.get(index).copied()
            {
                self.expect(&initial, FormulaContext::Parameters, &dimension.to_string(), "`initial`");
                let rate = dimension.over(Dimension::TIME).map(|rate| rate.to_string());
                self.expect(
                    &derivative,
                    FormulaContext::StateRate,
                    &rate.unwrap_or_default(),
                    "`derivative`",
                );
            }
            states.push(State { name: self.entry_name(key), derivative, initial });
        }
        states
    }

    pub(super) fn resolve_variables(&mut self, top: &Fields<'a>) -> (Variables, Vec<VariableId>) {
        let entries = self.check_count("variables", top.entries("variables"), limits::ELEMENTS);
        let mut variables = Variables::new();
        for (key, node) in entries {
            let value = match self.scalar(key, node) {
                Some(syntax) => self.resolve_syntax(&syntax, FormulaContext::Law, &[]),
                None => None,
            };
            let value = value.unwrap_or_else(|| Formula::unknown(key.span));
            variables.push(Variable { name: self.entry_name(key), value });
        }
        let uses: Vec<Vec<usize>> = variables
            .iter()
            .map(|variable| {
                used(&variable.value, |kind| match kind {
                    TermKind::Variable(id) => Some(id.index()),
                    _ => None,
                })
            })
            .collect();
        let (order, circles) = order(&uses);
        let keys: Vec<&Key> = entries.iter().map(|(key, _)| key).collect();
        self.report_circles("variables", &keys, &circles);
        self.variable_dependence = vec![Default::default(); variables.len()];
        self.variable_quantities = vec![Default::default(); variables.len()];
        for &index in &order {
            let value = &variables[VariableId::new(index)].value;
            self.variable_dependence[index] = self.analyse(value, FormulaContext::Law).unwrap_or_default();
            self.variable_quantities[index] = self.quantity(value, FormulaContext::Law);
        }
        (variables, order.into_iter().map(VariableId::new).collect())
    }

    /// An expression that must be a scalar.
    fn scalar(&mut self, key: &'a Key, node: &'a Node) -> Option<Syntax> {
        if !node.is_scalar() {
            self.wrong_shape(&key.text, "an expression".to_owned(), key.span, node);
            return None;
        }
        self.syntax(node)
    }

    pub(super) fn resolve_outputs(&mut self, top: &Fields<'a>) -> Outputs {
        let mut outputs = Outputs::new();
        for (key, node) in self.own_entries(top, "outputs") {
            let Some(short) = self.short(&OUTPUT, key, node) else { continue };
            let value = match short.value() {
                Some(node) => self.formula(node, FormulaContext::Output),
                None => Formula::unknown(key.span),
            };
            let given = short.fields().and_then(|fields| self.si_unit(fields, "an output"));
            let found = self.quantity(&value, FormulaContext::Output);
            if let Some(given) = &given {
                let (what, si) = (format!("`{}`", key.text), given.unit.si.clone());
                self.expect_quantity(&value, found, &si, &what, Some(given.span));
            }
            let unit = given.map(|given| given.unit.si);
            outputs.push(Output { name: self.entry_name(key), value, unit });
        }
        outputs
    }
}

/// What a formula refers to, in the order of first use.
fn used(formula: &Formula, pick: impl Fn(TermKind) -> Option<usize>) -> Vec<usize> {
    let mut found: Vec<usize> = Vec::new();
    for term in &formula.terms {
        if let Some(index) = pick(term.kind)
            && found.last() != Some(&index)
        {
            found.push(index);
        }
    }
    found
}
