//! Named outputs, which may depend on accelerations and multipliers.

use super::Element;
use super::base_parameters::Inertias;
use super::constraints::Rows;
use super::inverse_dynamics::apply;
use super::newton_euler::{self, Accelerations, Wrench, Wrenches};
use crate::diag::Problem;
use crate::expr::Symbol;
use crate::forces::Applied;
use crate::ids::{ExprId, Id, IdVec, JointId, LinkId};
use crate::kinematics::{Column, FrameOnLink, Kinematics};
use crate::lower::{EquationContext, Queries};
use crate::model::{ConstraintKind, Model, Query, TermKind};
use crate::spatial::Vec3;
use crate::topology::Topology;
use std::collections::BTreeMap;

/// Joints whose reactions some output asks for.
pub(super) fn asked_reactions(model: &Model) -> Vec<JointId> {
    let terms = model.outputs.iter().flat_map(|output| &output.value.terms);
    let mut joints: Vec<JointId> = terms
        .filter_map(|term| match term.kind {
            TermKind::Query(Query::Reaction { joint, .. }) => Some(joint),
            _ => None,
        })
        .collect();
    joints.sort_unstable();
    joints.dedup();
    joints
}

/// Expressions of all outputs.
pub(super) fn outputs(
    context: &mut EquationContext<'_>,
    kinematics: &mut Kinematics,
    topology: &Topology,
    rows: &Rows,
    applied: &Applied,
    gravity: Vec3,
) -> Vec<ExprId> {
    let model = context.model;
    let asked = asked_reactions(model);
    let reactions = if asked.is_empty() {
        BTreeMap::new()
    } else {
        reactions(context, kinematics, topology, rows, applied, gravity, &asked)
    };
    let mut queries = OutputQueries { kinematics, reactions };
    model
        .outputs
        .iter_enumerated()
        .map(|(id, output)| context.formula(&output.value, &[], &mut queries, Some(Element::Output(id))))
        .collect()
}

struct OutputQueries<'k> {
    kinematics: &'k mut Kinematics,
    reactions: BTreeMap<JointId, [ExprId; 6]>,
}

impl Queries for OutputQueries<'_> {
    fn query(&mut self, context: &mut EquationContext<'_>, query: Query) -> ExprId {
        match query {
            Query::Reaction { joint, component } => self.reactions[&joint][usize::from(component)],
            other => self.kinematics.query(context, other),
        }
    }
}

/// Force and torque each joint puts on its `to` body, at the `to` frame, in its axes.
///
/// A joint of the tree passes on what its subtree needs beyond applied and constraint
/// forces, motors and springs of the joint itself included; a cut joint passes on what
/// its multipliers say.
fn reactions(
    context: &mut EquationContext<'_>,
    kinematics: &mut Kinematics,
    topology: &Topology,
    rows: &Rows,
    applied: &Applied,
    gravity: Vec3,
    asked: &[JointId],
) -> BTreeMap<JointId, [ExprId; 6]> {
    let model = context.model;
    for constraint in &model.constraints {
        let (ConstraintKind::Equation { value } | ConstraintKind::VelocityEquation { value }) =
            &constraint.kind
        else {
            continue;
        };
        if value.terms.iter().any(|term| matches!(term.kind, TermKind::Query(_))) {
            let what = format!("`reaction` in a model with the free equation `{}`", constraint.name.text);
            context.problems.error(constraint.name.span, Problem::Unsupported { what });
            return asked.iter().map(|&joint| (joint, [context.graph.zero(); 6])).collect();
        }
    }

    // Constraint forces on links, row by row.
    let mut from_rows: Vec<(Element, LinkId, Wrench)> = Vec::new();
    for (index, parts) in rows.list.iter().enumerate() {
        let lambda = context.graph.symbol(Symbol::Lambda(index as u32));
        let touched: std::collections::BTreeSet<u32> = parts
            .columns
            .keys()
            .filter_map(|column| if let Column::Virtual(link, _) = column { Some(*link) } else { None })
            .collect();
        for link in touched {
            let id = LinkId::new(link as usize);
            let relative = kinematics.link_motion(context, parts.reference_link, id);
            let graph = &mut context.graph;
            let zero = graph.zero();
            let mut along = |k: u8| {
                let column = parts.columns.get(&Column::Virtual(link, k)).copied().unwrap_or(zero);
                let product = graph.mul(lambda, column);
                graph.neg(product)
            };
            let axes = relative.r.axes;
            let f_a = Vec3::new(axes, [along(0), along(1), along(2)]);
            let n_a = Vec3::new(axes, [along(3), along(4), along(5)]);
            let lever = relative.r.cross(graph, f_a);
            let n_a = n_a.sub(graph, lever);
            let back = relative.rot.transpose();
            let wrench = Wrench { force: back.apply(graph, f_a), moment: back.apply(graph, n_a) };
            from_rows.push((parts.row.element, id, wrench));
        }
    }

    let graph = &mut context.graph;
    let spatial_motions =
        newton_euler::spatial_motions(graph, &kinematics.chain, gravity, Accelerations::Full);
    // Of the bodies as they are: what regrouping moves past a joint passes through it all the same.
    let inertias = Inertias::given(&kinematics.chain);
    let mut wrenches =
        Wrenches::of_inertia(graph, &kinematics.chain, &inertias, &spatial_motions, Accelerations::Full);
    apply(graph, &mut wrenches, applied, |_| None);
    for &(_, link, wrench) in &from_rows {
        let net = &mut wrenches.at_links[link];
        *net = net.map(|net| less(graph, net, wrench));
    }
    let mut passed: IdVec<LinkId, Option<(Wrench, Wrench)>> =
        kinematics.chain.links.ids().map(|_| None).collect();
    newton_euler::project(
        graph,
        &kinematics.chain,
        &wrenches,
        topology.velocities.len(),
        |link, at_link, at_parent| {
            passed[link] = Some((at_link, at_parent));
        },
    );

    let mut answers = BTreeMap::new();
    for &joint in asked {
        let entry = &model.joints[joint];
        let place = kinematics.chain.frames[entry.to];
        let graph = &mut context.graph;
        let tree = topology.inboard.iter_enumerated().find_map(|(body, inboard)| {
            inboard.filter(|inboard| inboard.joint == joint).map(|inboard| (body, inboard.reversed))
        });
        let wrench = match tree {
            Some((body, reversed)) => {
                let (at_link, at_parent) =
                    passed[kinematics.chain.link_of_body[body]].expect("every body passes a wrench");
                if reversed {
                    Wrench { force: at_parent.force.neg(graph), moment: at_parent.moment.neg(graph) }
                } else {
                    at_link
                }
            }
            None => {
                let axes = kinematics.chain.links[place.link].axes;
                let zero = Wrench { force: Vec3::zero(graph, axes), moment: Vec3::zero(graph, axes) };
                from_rows
                    .iter()
                    .filter(|(element, link, _)| *element == Element::Joint(joint) && *link == place.link)
                    .fold(zero, |sum, (_, _, wrench)| Wrench {
                        force: sum.force.add(graph, wrench.force),
                        moment: sum.moment.add(graph, wrench.moment),
                    })
            }
        };
        answers.insert(joint, at_frame(graph, place, wrench));
    }
    answers
}

fn less(graph: &mut crate::expr::Graph, a: Wrench, b: Wrench) -> Wrench {
    Wrench { force: a.force.sub(graph, b.force), moment: a.moment.sub(graph, b.moment) }
}

/// A wrench about the link's origin as one about a frame's origin, in the frame's axes.
fn at_frame(graph: &mut crate::expr::Graph, place: FrameOnLink, wrench: Wrench) -> [ExprId; 6] {
    let lever = place.in_link.r.cross(graph, wrench.force);
    let n = wrench.moment.sub(graph, lever);
    let back = place.in_link.rot.transpose();
    let (f, n) = (back.apply(graph, wrench.force), back.apply(graph, n));
    [f.xyz[0], f.xyz[1], f.xyz[2], n.xyz[0], n.xyz[1], n.xyz[2]]
}
