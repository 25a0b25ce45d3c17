//! Which model element adds what to an entry, before summation.
//!
//! The sum of the contributions to an entry equals the entry; it is not how the entry
//! is computed, which shares work between elements.

use super::constraints::Rows;
use super::equations::{Contribution, Element, Quantity};
use super::mass_matrix::mass_matrix;
use super::recursion::{self, Accelerations, Wrench, Wrenches};
use super::regroup::Inertias;
use crate::expr::Graph;
use crate::forces::Applied;
use crate::ids::{ExprId, IdVec, LinkId};
use crate::kinematics::{Chain, Column, Move};
use crate::spatial::{Inertia, Vec3};

/// Contributions to M, f, g, G and z.
pub(super) fn contributions(
    graph: &mut Graph,
    chain: &Chain,
    applied: &Applied,
    gravity: Vec3,
    rows: &Rows,
    n_v: usize,
) -> Vec<Contribution> {
    let mut list = Vec::new();
    to_mass(graph, chain, n_v, &mut list);
    to_forces(graph, chain, applied, gravity, n_v, &mut list);
    for (i, parts) in rows.list.iter().enumerate() {
        let element = parts.row.element;
        let i = i as u32;
        let mut push = |quantity, value| {
            if !graph.is_zero(value) {
                list.push(Contribution { quantity, element, value });
            }
        };
        if let Some(value) = parts.value {
            push(Quantity::Constraint(i), value);
        }
        for (&column, &value) in &parts.columns {
            if let Column::V(j) = column {
                push(Quantity::Jacobian(i, j), value);
            }
        }
        push(Quantity::AccelerationBias(i), parts.bias);
    }
    list
}

/// One body at a time.
fn to_mass(graph: &mut Graph, chain: &Chain, n_v: usize, list: &mut Vec<Contribution>) {
    for (id, link) in chain.links.iter_enumerated() {
        let Some(body) = link.body.filter(|_| link.parent.is_some()) else { continue };
        let inertias: IdVec<LinkId, Inertia> = chain
            .links
            .iter_enumerated()
            .map(|(other, link)| if other == id { link.inertia } else { Inertia::zero(graph, link.axes) })
            .collect();
        let matrix = mass_matrix(graph, chain, &Inertias::at_links(inertias), n_v);
        for (index, value) in matrix.into_iter().enumerate() {
            if !graph.is_zero(value) {
                let quantity = Quantity::Mass((index % n_v) as u32, (index / n_v) as u32);
                list.push(Contribution { quantity, element: Element::Body(body), value });
            }
        }
    }
}

fn to_forces(
    graph: &mut Graph,
    chain: &Chain,
    applied: &Applied,
    gravity: Vec3,
    n_v: usize,
    list: &mut Vec<Contribution>,
) {
    let mut push = |graph: &mut Graph, element: Element, values: Vec<ExprId>| {
        for (index, value) in values.into_iter().enumerate() {
            if !graph.is_zero(value) {
                list.push(Contribution { quantity: Quantity::Force(index as u32), element, value });
            }
        }
    };

    // Coriolis and gyroscopic terms of each body, without gravity.
    let still = Vec3::zero(graph, gravity.axes);
    let twists = recursion::twists(graph, chain, still, Accelerations::Bias);
    for (id, link) in chain.links.iter_enumerated() {
        let Some(body) = link.body.filter(|_| link.parent.is_some()) else { continue };
        let wrench = recursion::inertial_wrench(graph, &link.inertia, &twists[id]);
        let mut wrenches = Wrenches::none(chain);
        wrenches.at_links[id] = Some(Wrench { f: wrench.f.neg(graph), n: wrench.n.neg(graph) });
        let values = recursion::project(graph, chain, &wrenches, n_v, |_, _, _| {});
        push(graph, Element::Body(body), values);
    }

    let weights = in_link_axes(graph, chain, gravity);
    let mut wrenches = Wrenches::none(chain);
    for (id, link) in chain.links.iter_enumerated() {
        let f = weights[id].scale(graph, link.inertia.mass);
        let n = link.inertia.first_moment.cross(graph, weights[id]);
        wrenches.at_links[id] = Some(Wrench { f, n });
    }
    let values = recursion::project(graph, chain, &wrenches, n_v, |_, _, _| {});
    push(graph, Element::Gravity, values);

    for load in &applied.on_links {
        let mut wrenches = Wrenches::none(chain);
        wrenches.at_links[load.link] = Some(load.wrench(graph, None));
        let values = recursion::project(graph, chain, &wrenches, n_v, |_, _, _| {});
        push(graph, load.element, values);
    }
    for &(element, index, value) in &applied.along {
        list.push(Contribution { quantity: Quantity::Force(index), element, value });
    }
}

/// A vector of ground in the axes of every link.
fn in_link_axes(graph: &mut Graph, chain: &Chain, vector: Vec3) -> IdVec<LinkId, Vec3> {
    let mut list: IdVec<LinkId, Vec3> = IdVec::new();
    for link in &chain.links {
        let mut here = link.parent.map_or(vector, |parent| list[parent]);
        for step in &link.moves {
            if let Move::Turn { rot }
            | Move::Rotate { rot, .. }
            | Move::Quaternion { rot, .. }
            | Move::Reorient { rot, .. } = step
            {
                here = rot.transpose().apply(graph, here);
            }
        }
        list.push(here);
    }
    list
}
