//! All equations of a model.

use super::activity;
use super::base_parameters::Inertias;
use super::closures;
use super::constraints::{self, Rows};
use super::equations::{
    Element, Equations, Formulation, FrozenReading, InputSlot, Kinks, Layout, Mode, Pose, QuaternionBlock,
};
use super::formulation::{self, DynamicsProblem, Formulations};
use super::frame_jacobian::{self, FrameAxes};
use super::jacobian::jacobian;
use super::newton_euler::{self, Accelerations, SpatialMotion};
use super::outputs::{asked_reactions, outputs};
use super::provenance;
use super::solution::{self, Reduced};
use crate::diag::{Diagnostics, Problem};
use crate::expr::{Derivative, Symbol};
use crate::forces::{self, Applied};
use crate::ids::{ExprId, FrameId, Id, IdVec, JointId, LinkId, ModeId};
use crate::kinematics::{Column, Kinematics, chain};
use crate::lower::{EquationContext, FoundMode, NoQueries, Pieces};
use crate::model::urdf::UrdfOptions;
use crate::model::{Model, limits};
use crate::spatial::{Axes, Vec3};
use crate::topology::Topology;

/// What to form beside the equations themselves.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Options {
    /// Keep what each model element adds to every entry ([`Equations::contributions`]);
    /// costs time and memory cubic in the depth of the tree.
    pub provenance: bool,
    /// Leave angles within 1e-10 rad of a multiple of π/2 as they are, instead of taking them as
    /// exactly that; of URDF also lengths, see [`crate::model::urdf::UrdfOptions::keep_dust`].
    pub keep_dust: bool,
    /// Let the root link of a robot in URDF move freely ([`UrdfOptions::floating_base`]).
    pub floating_base: bool,
    /// Accept robots in URDF with certain mistakes ([`UrdfOptions::lenient`]).
    pub lenient: bool,
    /// Differentiate all residuals with respect to the state and the inputs
    /// ([`Equations::jacobian`]), for implicit integrators and linearisation.
    pub jacobian: bool,
    /// Count what each choice of formulation saves ([`Equations::savings`]).
    pub savings: bool,
    /// Frames whose Jacobians to form ([`Equations::frame_jacobian`]), as the model writes them:
    /// `rod.eye`, or `rod` for its reference frame.
    pub frame_jacobians: Vec<String>,
    /// The axes of frame Jacobians.
    pub frame_axes: FrameAxes,
}

impl Options {
    /// How a robot in URDF becomes a model.
    pub fn urdf(&self) -> UrdfOptions {
        let Self { keep_dust, floating_base, lenient, .. } = *self;
        UrdfOptions { keep_dust, floating_base, lenient }
    }
}

/// Builds the equations of `model` over the tree of `topology`.
pub fn build(model: &Model, topology: &Topology, options: Options) -> Result<Equations, Diagnostics> {
    let mut context = EquationContext::new(model, topology);
    let frames = frame_jacobian::asked(&mut context, &options.frame_jacobians);
    context.graph.keep_dust = options.keep_dust;
    let chain = chain::build(&mut context, topology);
    let mut kinematics = Kinematics::new(chain);
    kinematics.with_virtual_motions = !asked_reactions(model).is_empty();
    let rows = constraints::rows(&mut context, &mut kinematics, topology);
    let applied = forces::applied(&mut context, &mut kinematics);
    let auxiliary = model.states.ids().map(|id| context.state_rate(id, &mut kinematics)).collect::<Vec<_>>();
    let n_v = topology.velocities.len();
    let entries = n_v.saturating_mul(n_v + rows.list.len());
    if entries > limits::ENTRIES {
        let what = "entries of mass matrix and constraint Jacobian".to_owned();
        context
            .problems
            .error(crate::diag::Span::default(), Problem::TooLarge { what, limit: limits::ENTRIES });
    }
    stop_on_errors(&mut context)?;

    let gravity = context.parameter_vector(Axes::GROUND, &model.gravity);
    let graph = &mut context.graph;
    let inertias = Inertias::regrouped(graph, &kinematics.chain);
    let bias = newton_euler::spatial_motions(graph, &kinematics.chain, gravity, Accelerations::Bias);
    let with_savings = options.savings;
    let problem = DynamicsProblem { inertias: &inertias, gravity, applied: &applied, n_v, with_savings };
    let formulated =
        formulation::select_formulation(&mut context, &mut kinematics, &problem, &rows, &auxiliary);
    stop_on_errors(&mut context)?;
    let Formulations { readable, formulations, rebuild, rewritten, savings } = formulated;
    let reduced = Reduced::new(&mut context, &mut kinematics, &problem, &rows, (&formulations[0], &rebuild));
    let Formulation { mass_matrix, forces, inverse_dynamics } = readable;
    let kinetic_energy = {
        let graph = &mut context.graph;
        let parts: Vec<ExprId> = kinematics
            .chain
            .links
            .ids()
            .map(|id| newton_euler::kinetic_energy(graph, &kinematics.chain.links[id].inertia, &bias[id]))
            .collect();
        graph.sum(parts)
    };
    let potential_energy = potential_energy(&mut context, &mut kinematics, gravity, &applied);
    let poses = poses(&mut context, &mut kinematics);
    let names = names(&context, &kinematics, &bias);
    let outputs = outputs(&mut context, &mut kinematics, topology, &rows, &applied, gravity);
    let (p_dot, kinematic_matrix) = kinematic_equations(&mut context, topology);
    let input_defaults = input_defaults(&mut context);
    let initial = initial(&mut context, topology);
    stop_on_errors(&mut context)?;

    let mut layout = layout(&mut context, topology, &rows);
    let without = applied.without_potential.iter().map(|element| element.name(model).to_owned());
    layout.without_potential = without.collect();
    let switching: IdVec<ModeId, ExprId> = context.modes.list.iter().map(|mode| mode.function).collect();
    let roots = forces.iter().chain(&auxiliary).chain(&outputs).chain(&input_defaults);
    let roots = roots.chain([&potential_energy]).copied();
    let mut uses = activity::uses(&context.graph, &switching, roots);
    for mode in switching.ids() {
        layout.modes[mode].uses = std::mem::take(&mut uses[mode]);
    }
    let derived = derived(&context);
    let (constraints, constraint_jacobian, velocity_bias, acceleration_bias) =
        dense(&mut context, &rows, n_v);
    let (contributions, dissipation, places) = if options.provenance {
        let parts = provenance::Parts {
            applied: &applied,
            gravity,
            rows: &rows,
            bias: &bias,
            kinematic_matrix: &kinematic_matrix,
        };
        let formulas = [&auxiliary[..], &outputs[..]];
        let list = provenance::contributions(&mut context, &mut kinematics, &parts, formulas, n_v);
        let dissipation = provenance::dissipation(&mut context, &applied, n_v);
        (list, dissipation, std::mem::take(&mut context.places))
    } else {
        (Vec::new(), Vec::new(), Vec::new())
    };
    let mut equations = Equations {
        frozen_readings: frozen_readings(&context.pieces),
        tables: std::mem::take(&mut context.tables),
        p_dot,
        kinematic_matrix,
        mass_matrix,
        forces,
        constraints,
        constraint_jacobian,
        velocity_bias,
        acceleration_bias,
        auxiliary,
        switching: switching.iter().copied().collect(),
        outputs,
        inverse_dynamics,
        formulations,
        savings,
        poses,
        kinetic_energy,
        potential_energy,
        input_defaults,
        initial,
        derived,
        contributions,
        dissipation,
        places,
        names,
        // The rest is formed below, some of it only when it is asked for.
        ..Equations::empty(context.graph, layout)
    };
    if options.jacobian {
        let entries = jacobian(&mut equations, limits::NODES);
        equations.jacobian = Some(entries.ok_or_else(|| {
            let mut problems = Diagnostics::new();
            problems.error(crate::diag::Span::default(), too_large());
            problems
        })?);
    }
    equations.solutions = solution::solutions(&mut equations, &rewritten, gravity, &applied, &reduced);
    // Last, so that nothing else is written in another order for it.
    context.graph = std::mem::take(&mut equations.graph);
    context.tables = std::mem::take(&mut equations.tables);
    let cosines = closures::cosines(&mut context, &mut kinematics, topology);
    frame_jacobian::form(&mut context, &mut kinematics, &mut equations, &frames, options.frame_axes);
    stop_on_errors(&mut context)?;
    let name = |&(id, _): &(JointId, ExprId)| model.joints[id].name.text.clone();
    equations.layout.closures = cosines.iter().map(name).collect();
    equations.closure_cosines = cosines.into_iter().map(|(_, cosine)| cosine).collect();
    (equations.graph, equations.tables) = (context.graph, context.tables);
    Ok(equations)
}

fn stop_on_errors(context: &mut EquationContext<'_>) -> Result<(), Diagnostics> {
    if context.graph.len() > limits::NODES {
        context.problems.error(crate::diag::Span::default(), too_large());
    }
    if context.problems.has_errors() { Err(std::mem::take(&mut context.problems)) } else { Ok(()) }
}

fn too_large() -> Problem {
    Problem::TooLarge { what: "the equations have too many operations".to_owned(), limit: limits::NODES }
}

/// −Σ m g·r plus what force elements store.
fn potential_energy(
    context: &mut EquationContext<'_>,
    kinematics: &mut Kinematics,
    gravity: Vec3,
    applied: &Applied,
) -> ExprId {
    let mut total = context.graph.sum(applied.potential.iter().map(|(_, energy)| *energy));
    for id in kinematics.chain.links.ids().skip(1) {
        let energy = height_energy(context, kinematics, gravity, id);
        total = context.graph.add(total, energy);
    }
    total
}

/// −m g·r of one link.
pub(super) fn height_energy(
    context: &mut EquationContext<'_>,
    kinematics: &mut Kinematics,
    gravity: Vec3,
    link: LinkId,
) -> ExprId {
    let inertia = kinematics.chain.links[link].inertia;
    let relative = kinematics.link_motion(context, LinkId::new(0), link);
    let graph = &mut context.graph;
    let turned = relative.rot.apply(graph, inertia.first_moment);
    let moment = relative.r.scale(graph, inertia.mass).add(graph, turned);
    let work = gravity.dot(graph, moment);
    graph.neg(work)
}

fn poses(context: &mut EquationContext<'_>, kinematics: &mut Kinematics) -> Vec<Pose> {
    let model = context.model;
    model
        .bodies
        .ids()
        .skip(1)
        .map(|body| {
            let place = kinematics.chain.frames[FrameId::new(body.index())];
            let relative = kinematics.link_motion(context, LinkId::new(0), place.link);
            let graph = &mut context.graph;
            let turned = relative.rot.apply(graph, place.in_link.r);
            let r_wb_w = relative.r.add(graph, turned).xyz;
            let rot_wb = relative.rot.compose(graph, place.in_link.rot).rows;
            Pose { body, r_wb_w, rot_wb }
        })
        .collect()
}

/// Names of intermediate quantities, for readers.
fn names(
    context: &EquationContext<'_>,
    kinematics: &Kinematics,
    spatial_motions: &IdVec<LinkId, SpatialMotion>,
) -> Vec<(ExprId, String)> {
    let mut names = Vec::new();
    for (id, link) in kinematics.chain.links.iter_enumerated().skip(1) {
        let Some(body) = link.body else { continue };
        let body = &context.model.bodies[body].name.text;
        let spatial_motion = &spatial_motions[id];
        for (quantity, vector) in [
            ("omega", spatial_motion.omega),
            ("v", spatial_motion.v),
            ("alpha_bias", spatial_motion.alpha),
            ("a_bias", spatial_motion.a),
        ] {
            for (component, suffix) in vector.xyz.into_iter().zip(["x", "y", "z"]) {
                if context.graph.node(component).operands().next().is_some() {
                    names.push((component, format!("{quantity}_{body}_{suffix}")));
                }
            }
        }
    }
    names
}

/// p' = T v and T.
fn kinematic_equations(context: &mut EquationContext<'_>, topology: &Topology) -> (Vec<ExprId>, Vec<ExprId>) {
    let n_p = topology.positions.len();
    let n_v = topology.velocities.len();
    let graph = &mut context.graph;
    let p_dot: Vec<ExprId> = (0..n_p)
        .map(|index| {
            let p = graph.symbol(Symbol::P(index as u32));
            context.time.of(graph, p)
        })
        .collect();
    let mut matrix = Vec::with_capacity(n_p * n_v);
    let one = graph.one();
    for column in 0..n_v {
        let v = graph.symbol(Symbol::V(column as u32));
        let mut derivative = Derivative::new([(v, one)]);
        matrix.extend(p_dot.iter().map(|&rate| derivative.of(graph, rate)));
    }
    (p_dot, matrix)
}

fn input_defaults(context: &mut EquationContext<'_>) -> Vec<ExprId> {
    let model = context.model;
    let t = context.graph.symbol(Symbol::Time);
    let one = context.graph.one();
    let mut defaults = Vec::with_capacity(context.input_slots());
    for (id, input) in model.inputs.iter_enumerated() {
        let element = Some(Element::Input(id));
        let mut value = context.formula(&input.default, &[], &mut NoQueries, element);
        defaults.push(value);
        for _ in 0..input.derivatives {
            value = Derivative::new([(t, one)]).of(&mut context.graph, value);
            defaults.push(value);
        }
    }
    defaults
}

/// Default p, v, x: what is listed, zero elsewhere, quaternions at rest.
fn initial(context: &mut EquationContext<'_>, topology: &Topology) -> [Vec<ExprId>; 3] {
    let model = context.model;
    let (zero, one) = (context.graph.zero(), context.graph.one());
    let mut p = vec![zero; topology.positions.len()];
    let mut v = vec![zero; topology.velocities.len()];
    for block in quaternions(context) {
        p[block.p as usize] = one;
    }
    for (coordinate, formula) in &model.initial.positions {
        if let Some(index) = context.position_index(*coordinate) {
            p[index as usize] = context.parameter(formula);
        }
    }
    for (velocity, formula) in &model.initial.velocities {
        if let Some(index) = context.velocity_index(*velocity) {
            v[index as usize] = context.parameter(formula);
        }
    }
    let x = model.states.iter().map(|state| context.parameter(&state.initial)).collect();
    [p, v, x]
}

fn quaternions(context: &EquationContext<'_>) -> Vec<QuaternionBlock> {
    use crate::model::{JointKind, Orientation};
    let blocks = context.model.joints.iter().filter_map(|joint| {
        let (JointKind::Spherical { orientation } | JointKind::Free { orientation, .. }) = &joint.kind else {
            return None;
        };
        let Orientation::Quaternion { coordinates, velocities } = orientation else { return None };
        Some(QuaternionBlock {
            joint: joint.name.text.clone(),
            p: context.symbols.positions[coordinates[0]]?,
            v: context.symbols.velocities[velocities[0]]?,
        })
    });
    blocks.collect()
}

fn derived(context: &EquationContext<'_>) -> Vec<ExprId> {
    context.model.derived_order.iter().map(|&id| context.symbols.parameters[id]).collect()
}

fn layout(context: &mut EquationContext<'_>, topology: &Topology, rows: &Rows) -> Layout {
    let modes = modes(context);
    let kinks = kinks(context);
    let model = context.model;
    let context = &*context;
    let positions = topology.positions.iter().map(|&id| &model.coordinates[id]);
    let velocities = topology.velocities.iter().map(|&id| &model.velocities[id]);
    let parameters = || context.symbols.theta.iter().map(|&id| &model.parameters[id]);
    let inputs = model.inputs.iter_enumerated().flat_map(|(id, input)| {
        (0..=input.derivatives).map(move |derivative| InputSlot {
            name: input.name.text.clone(),
            input: id,
            derivative,
        })
    });
    Layout {
        model: model.name.clone(),
        description: model.description.clone(),
        positions: positions.clone().map(|entry| entry.name.text.clone()).collect(),
        position_units: positions.map(|entry| entry.unit.to_owned()).collect(),
        velocities: velocities.clone().map(|entry| entry.name.text.clone()).collect(),
        velocity_units: velocities.map(|entry| entry.unit.to_owned()).collect(),
        states: model.states.iter().map(|state| state.name.text.clone()).collect(),
        inputs: inputs.collect(),
        parameters: parameters().map(|entry| entry.name.text.clone()).collect(),
        parameter_defaults: context.default_parameters(),
        parameter_docs: parameters().map(|entry| (entry.unit.clone(), entry.doc.clone())).collect(),
        derived: model.derived_order.iter().map(|&id| model.parameters[id].name.text.clone()).collect(),
        without_potential: Vec::new(),
        rows: rows.list.iter().map(|parts| parts.row.clone()).collect(),
        redundant_rows: rows.redundant.clone(),
        closures: Vec::new(),
        frames: Vec::new(),
        n_g: rows.list.iter().filter(|parts| parts.value.is_some()).count(),
        quaternions: quaternions(context),
        modes,
        kinks,
        outputs: model.outputs.iter().map(|output| output.name.text.clone()).collect(),
        output_units: model.outputs.iter().map(|output| output.unit.clone()).collect(),
        bodies: model.bodies.iter().skip(1).map(|body| body.name.text.clone()).collect(),
        held_positions: model
            .initial
            .positions
            .iter()
            .filter_map(|(id, _)| context.symbols.positions[*id])
            .collect(),
        held_velocities: model
            .initial
            .velocities
            .iter()
            .filter_map(|(id, _)| context.symbols.velocities[*id])
            .collect(),
    }
}

/// Modes named after their elements, numbered where an element has several; those of a table
/// after both.
fn modes(context: &mut EquationContext<'_>) -> IdVec<ModeId, Mode> {
    let functions: Vec<ExprId> = context.modes.list.iter().map(|mode| mode.function).collect();
    let mut time_events: Vec<bool> =
        functions.iter().map(|&function| is_affine_in_time(context, function)).collect();
    let mut tables: IdVec<ModeId, Option<String>> = functions.iter().map(|_| None).collect();
    for kinks in kinks(context) {
        let first = kinks.first_mode.index();
        let highest = first + kinks.n_modes - 1;
        for mode in first..=highest {
            time_events[mode] = time_events[highest];
            tables[ModeId::new(mode)] = Some(format!("{}.bit{}", kinks.name, mode - first));
        }
    }
    let model = context.model;
    let list = &context.modes.list;
    let mut modes = IdVec::new();
    for (id, found) in list.iter_enumerated() {
        let element = found.element;
        let is_alike =
            |(other, found): &(ModeId, &FoundMode)| found.element == element && tables[*other].is_none();
        let before = list.iter_enumerated().take(id.index()).filter(is_alike).count();
        let name = element.name(model);
        let name = match &tables[id] {
            Some(name) => name.clone(),
            None if before == 0 => name.to_owned(),
            None => format!("{name}.{}", before + 1),
        };
        let is_time_event = time_events[id.index()];
        modes.push(Mode {
            name,
            element,
            kind: found.kind,
            decision: found.decision,
            is_time_event,
            uses: Vec::new(),
        });
    }
    modes
}

fn frozen_readings(pieces: &[Pieces]) -> Vec<FrozenReading> {
    let reading = |&Pieces { table, argument, start, .. }: &Pieces| FrozenReading { table, argument, start };
    pieces.iter().map(reading).collect()
}

/// Tables whose kinks are events, named after element and table.
fn kinks(context: &EquationContext<'_>) -> Vec<Kinks> {
    let model = context.model;
    let all = &context.pieces;
    let named = all.iter().enumerate().map(|(index, pieces)| {
        let is_alike = |other: &&Pieces| (other.table, other.element) == (pieces.table, pieces.element);
        let name = format!("{}.{}", pieces.element.name(model), model.tables[pieces.table].name.text);
        let name = match all[..index].iter().filter(is_alike).count() {
            0 => name,
            before => format!("{name}.{}", before + 1),
        };
        Kinks { name, first_mode: pieces.modes[0], n_modes: pieces.modes.len(), at: pieces.kinks.clone() }
    });
    named.collect()
}

/// Whether a function is a + b t with a and b of parameters alone, b not zero.
fn is_affine_in_time(context: &mut EquationContext<'_>, function: ExprId) -> bool {
    if context.depends_on(function, |symbol| !matches!(symbol, Symbol::Theta(_) | Symbol::Time)) {
        return false;
    }
    let (t, one) = (context.graph.symbol(Symbol::Time), context.graph.one());
    let slope = Derivative::new([(t, one)]).of(&mut context.graph, function);
    !context.graph.is_zero(slope) && context.is_fixed(slope)
}

type Dense = (Vec<ExprId>, Vec<ExprId>, Vec<ExprId>, Vec<ExprId>);

/// g, G (column-major), c and z.
fn dense(context: &mut EquationContext<'_>, rows: &Rows, n_v: usize) -> Dense {
    let zero = context.graph.zero();
    let n = rows.list.len();
    let mut jacobian = vec![zero; n * n_v];
    let mut drift = vec![zero; n];
    for (i, parts) in rows.list.iter().enumerate() {
        for (&column, &value) in &parts.columns {
            match column {
                Column::V(j) => jacobian[j as usize * n + i] = value,
                Column::Time => drift[i] = value,
                Column::Virtual(..) => {}
            }
        }
    }
    let values = rows.list.iter().filter_map(|parts| parts.value).collect();
    (values, jacobian, drift, rows.list.iter().map(|parts| parts.bias).collect())
}
