//! M by composite inertias, from tip to root.
//!
//! What hangs on a step is one rigid body; the momentum a unit rate of the step gives
//! it is carried back towards the root, and its component along every step on the way
//! is an entry of M (Featherstone's composite-rigid-body method, per elementary step).

use super::regroup::Inertias;
use crate::expr::Graph;
use crate::ids::{ExprId, IdVec, LinkId};
use crate::kinematics::{Chain, Column, Move};
use crate::model::limits;
use crate::spatial::{Inertia, Rot3, Vec3};

/// The momentum one step's unit rate gives to all that hangs on it.
#[derive(Debug, Clone)]
struct Carried {
    partials: Vec<(Column, ExprId)>,
    linear: Vec3,
    angular: Vec3,
}

/// M, n_v × n_v, column-major.
pub(crate) fn mass_matrix(graph: &mut Graph, chain: &Chain, inertias: &Inertias, n_v: usize) -> Vec<ExprId> {
    let zero = graph.zero();
    let mut matrix = Matrix { entries: vec![zero; n_v * n_v], n_v };
    let mut composite: IdVec<LinkId, Inertia> = inertias.at_links.iter().copied().collect();
    let mut carried: IdVec<LinkId, Vec<Carried>> = chain.links.ids().map(|_| Vec::new()).collect();
    for id in chain.links.ids().rev() {
        // It grows with the square of a chain's length; whoever asked refuses what is too large.
        if graph.len() > limits::NODES {
            break;
        }
        let link = &chain.links[id];
        let Some(parent) = link.parent else { continue };
        let mut inertia = composite[id];
        let mut columns = std::mem::take(&mut carried[id]);
        for (index, step) in link.moves.iter().enumerate().rev() {
            if let Some((_, met)) = inertias.between[id].iter().find(|(place, _)| *place == index) {
                inertia = inertia.add(graph, *met);
            }
            back(graph, step, &mut inertia, &mut columns, &mut matrix);
        }
        composite[parent] = composite[parent].add(graph, inertia);
        carried[parent].append(&mut columns);
    }
    matrix.entries
}

fn back(
    graph: &mut Graph,
    step: &Move,
    inertia: &mut Inertia,
    columns: &mut Vec<Carried>,
    matrix: &mut Matrix,
) {
    match step {
        Move::Shift { r, motion } => {
            if let Some((axis, motion)) = motion {
                let e = Vec3::unit(graph, r.axes, *axis);
                let linear = e.scale(graph, inertia.mass);
                let angular = inertia.first_moment.cross(graph, e);
                let column = Carried { partials: motion.partials.clone(), linear, angular };
                matrix.meet(graph, &column, columns, |carried| carried.linear.xyz[*axis]);
                columns.push(column);
            }
            *inertia = inertia.shifted(graph, *r);
            for column in columns {
                let lever = r.cross(graph, column.linear);
                column.angular = column.angular.add(graph, lever);
            }
        }
        Move::Turn { rot } => turn(graph, *rot, inertia, columns),
        Move::Rotate { rot, axis, angle, motion } => {
            if let Some(motion) = motion {
                let column = about(graph, inertia, *axis, motion.partials.clone());
                matrix.meet(graph, &column, columns, |carried| carried.angular.xyz[*axis]);
                columns.push(column);
            }
            inertia.about_origin = inertia.about_origin.turned(graph, rot.to, *axis, *angle);
            inertia.first_moment = rot.apply(graph, inertia.first_moment);
            turn_columns(graph, *rot, columns);
        }
        Move::Quaternion { rot, v, reversed, .. } => {
            if *reversed {
                turn(graph, *rot, inertia, columns);
            }
            let one = graph.one();
            let sign = if *reversed { graph.neg(one) } else { one };
            for (k, &v) in v.iter().enumerate() {
                let column = about(graph, inertia, k, vec![(Column::V(v), sign)]);
                matrix.meet(graph, &column, columns, |carried| carried.angular.xyz[k]);
                columns.push(column);
            }
            if !*reversed {
                turn(graph, *rot, inertia, columns);
            }
        }
        // What hangs here follows earlier steps without turning: for them it is a point.
        Move::Reorient { rot, .. } => {
            let mass = inertia.mass;
            *inertia = Inertia { mass, ..Inertia::zero(graph, rot.to) };
            for column in columns {
                column.linear = rot.apply(graph, column.linear);
                column.angular = Vec3::zero(graph, rot.to);
            }
        }
    }
}

/// The momentum of a unit turn about axis `k`: linear e×h, angular I e.
fn about(graph: &mut Graph, inertia: &Inertia, k: usize, partials: Vec<(Column, ExprId)>) -> Carried {
    let h = inertia.first_moment;
    let e = Vec3::unit(graph, h.axes, k);
    Carried { partials, linear: e.cross(graph, h), angular: inertia.about_origin.column(k) }
}

fn turn(graph: &mut Graph, rot: Rot3, inertia: &mut Inertia, columns: &mut [Carried]) {
    inertia.about_origin = inertia.about_origin.rotated(graph, rot);
    inertia.first_moment = rot.apply(graph, inertia.first_moment);
    turn_columns(graph, rot, columns);
}

fn turn_columns(graph: &mut Graph, rot: Rot3, columns: &mut [Carried]) {
    for column in columns {
        column.linear = rot.apply(graph, column.linear);
        column.angular = rot.apply(graph, column.angular);
    }
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
        step: &Carried,
        carried: &[Carried],
        component: impl Fn(&Carried) -> ExprId,
    ) {
        let own = component(step);
        for &(i, left) in &step.partials {
            for &(j, right) in &step.partials {
                self.add(graph, (i, left), (j, right), own);
            }
        }
        for other in carried {
            let mutual = component(other);
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
