//! Composite rigid body algorithm (CRBA): M from tip to root (Featherstone 2008, ch. 6), per elementary step.
//!
//! The subtree outboard of a step acts as one rigid body. Its momentum for unit rate of the step is transported
//! towards the root, and the component along each step on the way is an entry of M. In long chains most entries
//! are formed in the axes of a common base link near the root ([`composite_far`](super::composite_far)).

use super::base_parameters::Inertias;
use super::composite_far::{Bases, Momentum, Partial};
use crate::expr::Graph;
use crate::ids::{ExprId, IdVec, LinkId};
use crate::kinematics::{Chain, Column, Move};
use crate::model::limits;
use crate::spatial::{Inertia, Rot3, Vec3};
use std::collections::{BTreeMap, BTreeSet};

/// The momentum of the subtree outboard of a joint axis, one rigid body, for unit joint rate.
#[derive(Debug, Clone)]
struct CompositeMomentum {
    partials: Vec<(Column, ExprId)>,
    /// In the axes and about the origin it has been carried to.
    linear: Vec3,
    angular: Vec3,
    /// The same in base-frame coordinates.
    at_base: Option<Momentum>,
    /// Through how many links it is still carried before it is met as the base sees it, and through how
    /// many more until one turns: before that it is cheap to carry, and slides at right angles have nothing
    /// in common.
    links_left: usize,
    has_turned: bool,
}

impl CompositeMomentum {
    fn new(partials: Vec<(Column, ExprId)>, linear: Vec3, angular: Vec3) -> Self {
        Self { partials, linear, angular, at_base: None, links_left: 0, has_turned: false }
    }

    /// Switches to base-frame coordinates after `links` links.
    fn rebase_after(&mut self, at_base: Option<Momentum>, links: usize) {
        (self.at_base, self.links_left, self.has_turned) = (at_base, links, false);
    }

    /// Counts a link it has been carried through.
    fn advance_link(&mut self, turns: bool) {
        self.links_left = self.links_left.saturating_sub(1);
        self.has_turned |= turns;
    }

    /// The velocity it is the momentum of, if it is that of one alone and can still be added to others.
    fn velocity(&self) -> Option<u32> {
        match self.partials[..] {
            [(Column::V(velocity), _)] if self.in_base().is_none() => Some(velocity),
            _ => None,
        }
    }

    /// Adds the momentum that the same velocity gives to what else hangs at the same place.
    fn add(&mut self, graph: &mut Graph, mut other: Self) {
        if self.partials != other.partials {
            self.per_unit(graph);
            other.per_unit(graph);
        }
        self.linear = self.linear.add(graph, other.linear);
        self.angular = self.angular.add(graph, other.angular);
        self.at_base = self.at_base.zip(other.at_base).map(|(own, other)| Momentum {
            linear: own.linear.add(graph, other.linear),
            angular: own.angular.add(graph, other.angular),
        });
        self.links_left = self.links_left.max(other.links_left);
        self.has_turned |= other.has_turned;
    }

    /// Makes it the momentum per unit of its velocity, not of its step's rate.
    fn per_unit(&mut self, graph: &mut Graph) {
        let one = graph.one();
        for (_, partial) in &mut self.partials {
            let rate = std::mem::replace(partial, one);
            self.linear = self.linear.scale(graph, rate);
            self.angular = self.angular.scale(graph, rate);
            self.at_base = self.at_base.map(|Momentum { linear, angular }| Momentum {
                linear: linear.scale(graph, rate),
                angular: angular.scale(graph, rate),
            });
        }
    }

    /// At the base itself it is where it would have been carried to.
    fn rebase(&mut self) {
        if let Some(Momentum { linear, angular }) = self.in_base() {
            (self.linear, self.angular) = (linear, angular);
        }
        self.at_base = None;
    }

    /// The momentum, if it is not carried any more.
    fn in_base(&self) -> Option<Momentum> {
        self.at_base.filter(|_| self.links_left == 0 && self.has_turned)
    }
}

/// M, n_v × n_v, column-major. `transported_links` is through how many links momenta are carried before they
/// are expressed in a base; if `None`, through all.
pub(crate) fn mass_matrix(
    graph: &mut Graph,
    chain: &Chain,
    inertias: &Inertias,
    transported_links: Option<usize>,
    n_v: usize,
) -> Vec<ExprId> {
    let zero = graph.zero();
    let bases = match transported_links {
        Some(transported_links) => Bases::new(graph, chain, transported_links),
        None => Bases::none(chain),
    };
    let mut matrix = Matrix { entries: vec![zero; n_v * n_v], n_v };
    let shared = shared(chain);
    let mut composite: IdVec<LinkId, Inertia> = inertias.at_links.iter().copied().collect();
    let mut momenta: IdVec<LinkId, Vec<CompositeMomentum>> = chain.links.ids().map(|_| Vec::new()).collect();
    for id in chain.links.ids().rev() {
        // It grows with the square of a chain's length; whoever asked refuses what is too large.
        if graph.len() > limits::NODES {
            break;
        }
        let link = &chain.links[id];
        let Some(parent) = link.parent else { continue };
        let mut inertia = composite[id];
        let mut columns = std::mem::take(&mut momenta[id]);
        if !bases.sees(id) {
            columns.iter_mut().for_each(CompositeMomentum::rebase);
        }
        for (index, step) in link.moves.iter().enumerate().rev() {
            if let Some((_, met)) = inertias.between[id].iter().find(|(place, _)| *place == index) {
                inertia = inertia.add(graph, *met);
            }
            let mut back = Back { columns: &mut columns, matrix: &mut matrix, bases: &bases, link: id };
            back.step(graph, (step, index), &mut inertia);
        }
        for column in &mut columns {
            if bases.sees(id) {
                column.advance_link(bases.turns[id]);
            } else {
                // Here it leaves a base; there may be another before.
                let CompositeMomentum { linear, angular, .. } = *column;
                column.rebase_after(bases.arrived(graph, parent, linear, angular), bases.transported_links);
            }
        }
        composite[parent] = composite[parent].add(graph, inertia);
        momenta[parent].append(&mut columns);
        add_up(graph, &mut momenta[parent], &shared);
    }
    matrix.entries
}

/// The velocities that move several links, as those of joints that follow each other do.
fn shared(chain: &Chain) -> BTreeSet<u32> {
    let (mut known, mut shared) = (BTreeSet::new(), BTreeSet::new());
    for link in &chain.links {
        let motions = link.moves.iter().filter_map(|step| match step {
            Move::Translate { motion: Some((_, motion)), .. } | Move::Rotate { motion: Some(motion), .. } => {
                Some(motion)
            }
            _ => None,
        });
        let velocity = |&(column, _): &(Column, ExprId)| match column {
            Column::V(velocity) => Some(velocity),
            _ => None,
        };
        let own: BTreeSet<u32> =
            motions.flat_map(|motion| motion.partials.iter().filter_map(velocity)).collect();
        shared.extend(own.intersection(&known));
        known.extend(own);
    }
    shared
}

/// Adds up the momenta of each shared velocity that stand at one place: from there on they are carried as one.
fn add_up(graph: &mut Graph, columns: &mut Vec<CompositeMomentum>, shared: &BTreeSet<u32>) {
    let mut first: BTreeMap<(u32, bool), usize> = BTreeMap::new();
    let mut index = 0;
    while index < columns.len() {
        let velocity = columns[index].velocity().filter(|velocity| shared.contains(velocity));
        let key = velocity.map(|velocity| (velocity, columns[index].at_base.is_some()));
        match key.and_then(|key| first.get(&key).copied()) {
            Some(same) => {
                let other = columns.remove(index);
                columns[same].add(graph, other);
            }
            None => {
                first.extend(key.map(|key| (key, index)));
                index += 1;
            }
        }
    }
}

/// The way back through the moves of a link.
struct Back<'a> {
    columns: &'a mut Vec<CompositeMomentum>,
    matrix: &'a mut Matrix,
    bases: &'a Bases,
    link: LinkId,
}

impl Back<'_> {
    fn step(&mut self, graph: &mut Graph, (step, index): (&Move, usize), inertia: &mut Inertia) {
        let before = (self.link, index);
        match step {
            Move::Translate { r, motion } => {
                let met = self.columns.len();
                if let Some((axis, motion)) = motion {
                    let e = Vec3::unit(graph, r.axes, *axis);
                    let linear = e.scale(graph, inertia.mass);
                    let angular = inertia.first_moment.cross(graph, e);
                    let column = CompositeMomentum::new(motion.partials.clone(), linear, angular);
                    let partial = self.bases.slide(before, *axis);
                    self.meet(graph, column, partial, |composite| composite.linear.xyz[*axis]);
                }
                *inertia = inertia.shifted(graph, *r);
                for column in self.in_link_axes() {
                    let lever = r.cross(graph, column.linear);
                    column.angular = column.angular.add(graph, lever);
                }
                self.express_in_base(graph, met, before);
            }
            Move::FixedRotation { rot } => self.turn(graph, *rot, inertia),
            Move::Rotate { rot, axis, angle, motion } => {
                let met = self.columns.len();
                if let Some(motion) = motion {
                    let column = about(graph, inertia, *axis, motion.partials.clone());
                    let partial = self.bases.turn(graph, before, *axis);
                    self.meet(graph, column, partial, |composite| composite.angular.xyz[*axis]);
                }
                inertia.about_origin = inertia.about_origin.turned(graph, rot.to, *axis, *angle);
                inertia.first_moment = rot.apply(graph, inertia.first_moment);
                self.turn_columns(graph, *rot);
                self.express_in_base(graph, met, before);
            }
            Move::Spherical { rot, v, reversed, .. } => {
                if *reversed {
                    self.turn(graph, *rot, inertia);
                }
                let place = if *reversed { before } else { (self.link, index + 1) };
                let met = self.columns.len();
                let one = graph.one();
                let sign = if *reversed { graph.neg(one) } else { one };
                for (k, &v) in v.iter().enumerate() {
                    let column = about(graph, inertia, k, vec![(Column::V(v), sign)]);
                    let partial = self.bases.turn(graph, place, k);
                    self.meet(graph, column, partial, |composite| composite.angular.xyz[k]);
                }
                self.express_in_base(graph, met, place);
                if !*reversed {
                    self.turn(graph, *rot, inertia);
                }
            }
            // What hangs here follows earlier steps without turning: for them it is a point.
            Move::WorldAligned { rot, .. } => {
                let mass = inertia.mass;
                *inertia = Inertia { mass, ..Inertia::zero(graph, rot.to) };
                for column in self.in_link_axes() {
                    column.linear = rot.apply(graph, column.linear);
                    column.angular = Vec3::zero(graph, rot.to);
                }
            }
        }
    }

    /// What is carried still.
    fn in_link_axes(&mut self) -> impl Iterator<Item = &mut CompositeMomentum> {
        self.columns.iter_mut().filter(|column| column.in_base().is_none())
    }

    /// Makes the columns from `first` on, which stand at a place, seen from the base.
    fn express_in_base(&mut self, graph: &mut Graph, first: usize, place: (LinkId, usize)) {
        if !self.bases.sees(self.link) {
            return;
        }
        for column in &mut self.columns[first..] {
            let at_base = self.bases.momentum(graph, place, column.linear, column.angular);
            column.rebase_after(at_base, self.bases.transported_links + 1);
        }
    }

    fn meet(
        &mut self,
        graph: &mut Graph,
        column: CompositeMomentum,
        partial: Option<Partial>,
        component: impl Fn(&CompositeMomentum) -> ExprId,
    ) {
        let component =
            |graph: &mut Graph, composite: &CompositeMomentum| match (partial, composite.in_base()) {
                (Some(partial), Some(momentum)) => partial.along(graph, momentum),
                _ => component(composite),
            };
        self.matrix.meet(graph, &column, self.columns, component);
        self.columns.push(column);
    }

    fn turn(&mut self, graph: &mut Graph, rot: Rot3, inertia: &mut Inertia) {
        inertia.about_origin = inertia.about_origin.rotated(graph, rot);
        inertia.first_moment = rot.apply(graph, inertia.first_moment);
        self.turn_columns(graph, rot);
    }

    fn turn_columns(&mut self, graph: &mut Graph, rot: Rot3) {
        for column in self.in_link_axes() {
            column.linear = rot.apply(graph, column.linear);
            column.angular = rot.apply(graph, column.angular);
        }
    }
}

/// The momentum of a unit turn about axis `k`: linear e×h, angular I e.
fn about(
    graph: &mut Graph,
    inertia: &Inertia,
    k: usize,
    partials: Vec<(Column, ExprId)>,
) -> CompositeMomentum {
    let h = inertia.first_moment;
    let e = Vec3::unit(graph, h.axes, k);
    let linear = e.cross(graph, h);
    CompositeMomentum::new(partials, linear, inertia.about_origin.column(k))
}

struct Matrix {
    entries: Vec<ExprId>,
    n_v: usize,
}

impl Matrix {
    /// Adds the entries of a new step with itself and with all steps carried so far,
    /// whose component along it `component` gives.
    fn meet(
        &mut self,
        graph: &mut Graph,
        step: &CompositeMomentum,
        momenta: &[CompositeMomentum],
        component: impl Fn(&mut Graph, &CompositeMomentum) -> ExprId,
    ) {
        let own = component(graph, step);
        for &(i, left) in &step.partials {
            for &(j, right) in &step.partials {
                self.add(graph, (i, left), (j, right), own);
            }
        }
        for other in momenta {
            let mutual = component(graph, other);
            for &(i, left) in &step.partials {
                for &(j, right) in &other.partials {
                    self.add(graph, (i, left), (j, right), mutual);
                    self.add(graph, (j, right), (i, left), mutual);
                }
            }
        }
    }

    fn add(&mut self, graph: &mut Graph, left: (Column, ExprId), right: (Column, ExprId), value: ExprId) {
        if let (Column::V(i), Column::V(j)) = (left.0, right.0) {
            let factor = graph.mul(left.1, right.1);
            let term = graph.mul(factor, value);
            let entry = &mut self.entries[j as usize * self.n_v + i as usize];
            *entry = graph.add(*entry, term);
        }
    }
}
