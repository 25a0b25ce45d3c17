//! Which model element adds what to an entry, before summation.
//!
//! The sum of the contributions to an entry equals the entry; it is not how the entry
//! is computed, which shares work between elements.

use super::assemble::height_energy;
use super::base_parameters::Inertias;
use super::constraints::Rows;
use super::equations::{Contribution, Element, Part, Quantity};
use super::loads;
use super::mass_matrix::mass_matrix;
use super::newton_euler::{self, Accelerations, SpatialMotion, Wrench, Wrenches};
use crate::expr::{Derivative, Graph, Symbol, gradient};
use crate::forces::Applied;
use crate::ids::{BodyId, ExprId, Id, IdVec, LinkId, OutputId, StateId};
use crate::kinematics::{Chain, Column, Kinematics};
use crate::lower::EquationContext;
use crate::spatial::{Inertia, Vec3};

/// What contributions are made of.
pub(super) struct Parts<'a> {
    pub(super) applied: &'a Applied,
    /// m/s², ground axes.
    pub(super) gravity: Vec3,
    pub(super) rows: &'a Rows,
    /// Motion of the links with v' = 0.
    pub(super) bias: &'a IdVec<LinkId, SpatialMotion>,
    /// T, n_p × n_v.
    pub(super) kinematic_matrix: &'a [ExprId],
}

/// Contributions to M, f, g, G, c, z, a, outputs and energies; a and outputs are
/// `formulas`.
pub(super) fn contributions(
    context: &mut EquationContext<'_>,
    kinematics: &mut Kinematics,
    parts: &Parts<'_>,
    formulas: [&[ExprId]; 2],
    n_v: usize,
) -> Vec<Contribution> {
    let mut list = List::default();
    to_mass(&mut context.graph, &kinematics.chain, n_v, &mut list);
    of_bodies_to_forces(context, kinematics, parts, n_v, &mut list);
    of_elements_to_forces(context, kinematics, parts.applied, n_v, &mut list);
    let graph = &mut context.graph;
    to_rows(graph, parts.rows, &mut list);
    let [auxiliary, outputs] = formulas;
    for (i, &value) in auxiliary.iter().enumerate() {
        let element = Element::State(StateId::new(i));
        list.push(graph, Quantity::Auxiliary(i as u32), element, Part::Formula, value);
    }
    for (i, &value) in outputs.iter().enumerate() {
        let element = Element::Output(OutputId::new(i));
        list.push(graph, Quantity::Output(i as u32), element, Part::Formula, value);
    }
    to_energies(context, kinematics, parts, &mut list);
    list.0
}

#[derive(Default)]
struct List(Vec<Contribution>);

impl List {
    /// Adds what is not zero.
    fn push(&mut self, graph: &Graph, quantity: Quantity, element: Element, part: Part, value: ExprId) {
        if !graph.is_zero(value) {
            self.0.push(Contribution { quantity, element, part, value });
        }
    }

    fn push_forces(&mut self, graph: &Graph, element: Element, part: Part, values: Vec<ExprId>) {
        for (index, value) in (0..).zip(values) {
            self.push(graph, Quantity::Force(index), element, part, value);
        }
    }
}

/// The power each force element takes out: of a damper its force beyond what the stored energy
/// accounts for times the rate it resists, as far as velocities make that rate. Elements without a
/// potential are left out.
pub(super) fn dissipation(
    context: &mut EquationContext<'_>,
    applied: &Applied,
    n_v: usize,
) -> Vec<(Element, ExprId)> {
    let graph = &mut context.graph;
    // Rates are affine in v: the derivative along v itself is what velocities make.
    let velocities = (0..n_v).map(|i| graph.symbol(Symbol::V(i as u32))).collect::<Vec<ExprId>>();
    let mut along = Derivative::new(velocities.iter().map(|&v| (v, v)));
    let elements = context.model.forces.ids().map(Element::Force);
    let elements = elements.filter(|element| !applied.without_potential.contains(element));
    let mut power_of = |element: Element| {
        let own = applied.damping.iter().filter(|damping| damping.element == element);
        let powers: Vec<ExprId> = own
            .map(|damping| {
                let rate = along.of(graph, damping.rate);
                let force = graph.sub(damping.force, damping.elastic);
                graph.mul(force, rate)
            })
            .collect();
        (element, graph.sum(powers))
    };
    elements.map(&mut power_of).collect()
}

/// The links that carry a body's inertia.
fn bodies(chain: &Chain) -> impl Iterator<Item = (LinkId, BodyId)> {
    let moving = chain.links.iter_enumerated().filter(|(_, link)| link.parent.is_some());
    moving.filter_map(|(id, link)| Some((id, link.body?)))
}

/// One body at a time.
fn to_mass(graph: &mut Graph, chain: &Chain, n_v: usize, list: &mut List) {
    for (id, body) in bodies(chain) {
        let inertias: IdVec<LinkId, Inertia> = chain
            .links
            .iter_enumerated()
            .map(|(other, link)| if other == id { link.inertia } else { Inertia::zero(graph, link.axes) })
            .collect();
        let matrix = mass_matrix(graph, chain, &Inertias::at_links(inertias), None, n_v);
        for (index, value) in matrix.into_iter().enumerate() {
            let quantity = Quantity::Mass((index % n_v) as u32, (index / n_v) as u32);
            list.push(graph, quantity, Element::Body(body), Part::Inertia, value);
        }
    }
}

fn of_bodies_to_forces(
    context: &mut EquationContext<'_>,
    kinematics: &mut Kinematics,
    parts: &Parts<'_>,
    n_v: usize,
    list: &mut List,
) {
    // Without gravity, which counts by itself.
    let graph = &mut context.graph;
    let still = Vec3::zero(graph, parts.gravity.axes);
    let spatial_motions = newton_euler::spatial_motions(graph, &kinematics.chain, still, Accelerations::Bias);
    let n_p = parts.kinematic_matrix.len() / n_v.max(1);
    let positions: Vec<ExprId> = (0..n_p).map(|i| graph.symbol(Symbol::P(i as u32))).collect();
    let bodies: Vec<(LinkId, BodyId)> = bodies(&kinematics.chain).collect();
    for (id, body) in bodies {
        let (chain, graph) = (&kinematics.chain, &mut context.graph);
        let wrench = newton_euler::inertial_wrench(graph, &chain.links[id].inertia, &spatial_motions[id]);
        let mut wrenches = Wrenches::none(chain);
        wrenches.at_links[id] =
            Some(Wrench { force: wrench.force.neg(graph), moment: wrench.moment.neg(graph) });
        let values = newton_euler::project(graph, chain, &wrenches, n_v, |_, _, _| {});
        list.push_forces(graph, Element::Body(body), Part::InertialForce, values);

        // A weight pulls down the slope of its height: −Tᵀ ∂V/∂p.
        let height = height_energy(context, kinematics, parts.gravity, id);
        let graph = &mut context.graph;
        let slopes = gradient(graph, height, &positions);
        let columns = parts.kinematic_matrix.chunks_exact(n_p.max(1));
        let mut along = |column: &[ExprId]| {
            let terms: Vec<ExprId> =
                column.iter().zip(&slopes).map(|(&t, &slope)| graph.mul(t, slope)).collect();
            let slope = graph.sum(terms);
            graph.neg(slope)
        };
        let values: Vec<ExprId> = columns.map(&mut along).collect();
        list.push_forces(graph, Element::Body(body), Part::Weight, values);
    }
}

/// All loads of an element together: what acts on one body and back on another is one.
fn of_elements_to_forces(
    context: &mut EquationContext<'_>,
    kinematics: &mut Kinematics,
    applied: &Applied,
    n_v: usize,
    list: &mut List,
) {
    let mut elements: Vec<Element> = Vec::new();
    for load in &applied.on_links {
        if !elements.contains(&load.element) {
            elements.push(load.element);
        }
    }
    for element in elements {
        // Along partial velocities a force reads as one writes it: force times what it moves.
        if let Some(along) = loads::along(context, kinematics, applied, element) {
            for (_, index, value) in along {
                list.push(&context.graph, Quantity::Force(index), element, Part::Applied, value);
            }
            continue;
        }
        let (chain, graph) = (&kinematics.chain, &mut context.graph);
        let mut wrenches = Wrenches::none(chain);
        for load in applied.on_links.iter().filter(|load| load.element == element) {
            let Wrench { force: f, moment: n } = load.wrench(graph, None);
            let total = &mut wrenches.at_links[load.link];
            *total = Some(match *total {
                Some(sum) => Wrench { force: sum.force.add(graph, f), moment: sum.moment.add(graph, n) },
                None => Wrench { force: f, moment: n },
            });
        }
        let values = newton_euler::project(graph, chain, &wrenches, n_v, |_, _, _| {});
        list.push_forces(graph, element, Part::Applied, values);
    }
    for &(element, index, value) in &applied.along {
        list.push(&context.graph, Quantity::Force(index), element, Part::Applied, value);
    }
}

fn to_rows(graph: &Graph, rows: &Rows, list: &mut List) {
    for (i, parts) in (0..).zip(&rows.list) {
        let element = parts.row.element;
        let mut push = |quantity, value| list.push(graph, quantity, element, Part::Constraint, value);
        if let Some(value) = parts.value {
            push(Quantity::Constraint(i), value);
        }
        for (&column, &value) in &parts.columns {
            match column {
                Column::V(j) => push(Quantity::Jacobian(i, j), value),
                Column::Time => push(Quantity::VelocityBias(i), value),
                Column::Virtual(..) => {}
            }
        }
        push(Quantity::AccelerationBias(i), parts.bias);
    }
}

fn to_energies(
    context: &mut EquationContext<'_>,
    kinematics: &mut Kinematics,
    parts: &Parts<'_>,
    list: &mut List,
) {
    let bodies: Vec<(LinkId, BodyId)> = bodies(&kinematics.chain).collect();
    for (id, body) in bodies {
        let element = Element::Body(body);
        let inertia = kinematics.chain.links[id].inertia;
        let kinetic = newton_euler::kinetic_energy(&mut context.graph, &inertia, &parts.bias[id]);
        list.push(&context.graph, Quantity::KineticEnergy, element, Part::Inertia, kinetic);
        let height = height_energy(context, kinematics, parts.gravity, id);
        list.push(&context.graph, Quantity::PotentialEnergy, element, Part::Weight, height);
    }
    for &(element, energy) in &parts.applied.potential {
        list.push(&context.graph, Quantity::PotentialEnergy, element, Part::Applied, energy);
    }
}
