//! The tree of the file → a [`Model`]: names become ids, formulas are checked.
//!
//! First everything with a name is declared, then everything is resolved, so that the
//! order of sections and entries does not matter. What is wrong is reported and
//! replaced by something harmless; a model with errors is never handed on.

mod assemblies;
mod bodies;
pub(super) mod check;
mod constraints;
mod dimensions;
mod fields;
mod forces;
mod formulas;
mod joints;
mod mimics;
mod names;
mod order;
mod queries;
mod run;
mod scope;
mod symbols;
mod tables;
mod values;

pub(crate) use check::{INERTIA_NOT_POSITIVE, least_eigenvalue, negative_moment};

use super::expand::{Character, Expanded, Instance};
use super::language::TOP;
use super::tree::Node;
use super::{
    Coordinate, Fragment, Frame, Input, Loader, Model, Name, Output, Parameter, State, Table, Variable,
    Velocity, names as naming,
};
use crate::diag::{Diagnostic, Diagnostics, Problem, Sources, Span};
use crate::ids::{
    BodyId, CoordinateId, FrameId, Id, IdVec, InputId, JointId, OutputId, ParamId, StateId, TableId,
    VariableId, VelocityId,
};
use dimensions::Quantity;
use fields::Fields;
use formulas::Template;
use names::{Names, RustNames};
use scope::Dependence;
use std::collections::BTreeMap;

/// What is known while a model is resolved.
struct Resolver<'a> {
    sources: &'a mut Sources,
    loader: &'a dyn Loader,
    problems: Diagnostics,
    instances: &'a [Instance],
    /// The whole tree.
    root: &'a Node,

    names: Names,
    rust_names: RustNames,
    bodies: BTreeMap<String, BodyId>,
    frame_names: BTreeMap<(BodyId, String), FrameId>,
    joints: BTreeMap<String, JointId>,
    frames: IdVec<FrameId, Frame>,
    coordinates: IdVec<CoordinateId, Coordinate>,
    velocities: IdVec<VelocityId, Velocity>,
    functions: Vec<Template>,

    parameter_names: Vec<String>,
    /// Names of inputs with how many derivatives they come with.
    input_names: Vec<(String, u8)>,
    state_names: Vec<String>,
    variable_names: Vec<String>,
    variable_spans: Vec<Span>,
    variable_dependence: Vec<Dependence>,

    /// What symbols measure, as far as it is known yet.
    parameter_quantities: Vec<Quantity>,
    input_quantities: Vec<Quantity>,
    state_quantities: Vec<Quantity>,
    variable_quantities: Vec<Quantity>,
    coordinate_quantities: Vec<Quantity>,
    /// How coordinates change in a reflection.
    coordinate_characters: Vec<Character>,
    /// What the two columns of each table measure.
    table_quantities: Vec<(Quantity, Quantity)>,
    /// Whether a table holds its end values, which makes a kink of each end.
    held_tables: Vec<bool>,

    /// The joint whose own arguments are being resolved.
    current_joint: Option<(JointId, String)>,
    used_joints: Vec<bool>,
    joint_velocities: Vec<Vec<VelocityId>>,
    /// Joints that are wrong, with the bodies they were probably meant to connect.
    broken_joints: Vec<(JointId, Vec<BodyId>)>,
    /// Whether a joint is so wrong that it might have connected anything.
    torn: bool,
    /// Terms of all formulas so far.
    terms: usize,
    /// Whether there were too many of them.
    full: bool,
}

/// A model with warnings; or everything that is wrong, with what can still be judged.
pub(super) type Resolved = Result<(Model, Diagnostics), (Diagnostics, Option<Box<Fragment>>)>;

/// Resolves the tree of a model, in which `problems` were found already.
/// Files that tables name are read through `loader` and added to `sources`.
pub(super) fn resolve(
    expanded: &Expanded,
    problems: Diagnostics,
    sources: &mut Sources,
    loader: &dyn Loader,
) -> Resolved {
    // What was taken out of the tree may have been what holds the mechanism together.
    let complete = !problems.iter().any(|found| matches!(found.problem, Problem::DuplicateKey { .. }));
    let mut resolver = Resolver {
        sources,
        loader,
        problems,
        instances: &expanded.instances,
        root: &expanded.root,
        names: Names::default(),
        rust_names: RustNames::default(),
        bodies: BTreeMap::new(),
        frame_names: BTreeMap::new(),
        joints: BTreeMap::new(),
        frames: IdVec::new(),
        coordinates: IdVec::new(),
        velocities: IdVec::new(),
        functions: Vec::new(),
        parameter_names: Vec::new(),
        input_names: Vec::new(),
        state_names: Vec::new(),
        variable_names: Vec::new(),
        variable_spans: Vec::new(),
        variable_dependence: Vec::new(),
        parameter_quantities: Vec::new(),
        input_quantities: Vec::new(),
        state_quantities: Vec::new(),
        variable_quantities: Vec::new(),
        coordinate_quantities: Vec::new(),
        coordinate_characters: Vec::new(),
        table_quantities: Vec::new(),
        held_tables: Vec::new(),
        current_joint: None,
        used_joints: Vec::new(),
        joint_velocities: Vec::new(),
        broken_joints: Vec::new(),
        torn: false,
        terms: 0,
        full: false,
    };
    if expanded.root.entries().is_empty() {
        return Err((Diagnostic::error(Span::default(), Problem::NotAMap {}).into(), None));
    }
    let model = resolver.model(expanded);
    let Resolver { mut problems, broken_joints, torn, .. } = resolver;
    problems.append(check::check(&model));
    if !problems.has_errors() {
        problems.append(check::check_scenarios(&model));
    }
    if !problems.has_errors() {
        problems.append(crate::checks::of_model(&model));
        problems = crate::checks::without_allowed(&model, problems);
    }
    problems.sort();
    if !problems.has_errors() {
        return Ok((model, problems));
    }
    let fragment = (complete && !torn).then(|| Box::new(Fragment { model, broken_joints }));
    Err((problems, fragment))
}

impl<'a> Resolver<'a> {
    fn error(&mut self, span: Span, problem: Problem) {
        self.problems.push(Diagnostic::error(span, problem));
    }

    fn model(&mut self, expanded: &'a Expanded) -> Model {
        let top = self.fields(&TOP, Span::default(), &expanded.root);
        self.check_assemblies(&top);

        let pending_bodies = self.declare_bodies(&top, &expanded.added_frames);
        let pending_symbols = self.declare_symbols(&top);
        let pending_joints = self.declare_joints(&top);
        self.resolve_functions(&top);

        let (parameters, derived_order) = self.resolve_parameters(&pending_symbols);
        let tables = self.resolve_tables(&pending_symbols);
        let inputs = self.resolve_inputs(&pending_symbols);
        self.declare_state_units(&pending_symbols);
        let (variables, variable_order) = self.resolve_variables(&top);
        let states = self.resolve_states(&pending_symbols);
        let bodies = self.resolve_bodies(&pending_bodies);
        let mut joints = self.resolve_joints(&pending_joints);
        let constraints = self.resolve_constraints(&top);
        let forces = self.resolve_forces(&top);
        let outputs = self.resolve_outputs(&top);
        let initial = self.resolve_initial(&top);
        let simulation = self.resolve_simulation(&top, (&parameters, &inputs));
        for id in joints.ids() {
            joints[id].coordinates_used |= self.used_joints[id.index()];
        }
        Model {
            name: self.model_name(&top),
            description: self.text(&top, "description").unwrap_or_default(),
            allow: self.allowed(&top),
            gravity: self.vector(&top, "gravity", [0.0, 0.0, -9.81]),
            parameters,
            derived_order,
            inputs,
            states,
            tables,
            bodies,
            frames: std::mem::take(&mut self.frames),
            joints,
            coordinates: std::mem::take(&mut self.coordinates),
            velocities: std::mem::take(&mut self.velocities),
            constraints,
            variables,
            variable_order,
            forces,
            outputs,
            initial,
            simulation,
        }
    }

    /// Codes of warnings that are switched off.
    fn allowed(&mut self, top: &Fields<'a>) -> Vec<Name> {
        self.name_list(top, "allow").into_iter().map(|(text, span)| Name { text, span }).collect()
    }

    fn model_name(&mut self, top: &Fields<'a>) -> String {
        let Some(node) = top.get("model") else { return String::new() };
        let name = node.text().unwrap_or("").to_owned();
        if !naming::is_snake_case(&name) {
            let suggestion = naming::to_snake_case(&name);
            self.error(node.span, Problem::NotSnakeCase { name: name.clone(), suggestion });
        }
        name
    }
}

/// What the sections of symbols produce.
type Parameters = IdVec<ParamId, Parameter>;
type Inputs = IdVec<InputId, Input>;
type States = IdVec<StateId, State>;
type Tables = IdVec<TableId, Table>;
type Variables = IdVec<VariableId, Variable>;
type Outputs = IdVec<OutputId, Output>;
