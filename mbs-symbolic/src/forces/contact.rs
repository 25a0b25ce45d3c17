//! What pushes on a point above a road.

use super::{Damping, Site};
use crate::diag::Span;
use crate::dynamics::Decision;
use crate::expr::BinaryOp;
use crate::ids::{ExprId, FrameId, Id, LinkId};
use crate::lower::{OfLocals, Queries};
use crate::model::{Formula, Query};
use crate::spatial::{Axes, Vec3};

/// How deep a point is in the road, and what follows from it.
struct Depth {
    value: ExprId,
    rate: ExprId,
    /// The rate with the road at rest.
    own_rate: ExprId,
    /// Along which the force acts: −∂depth/∂r of the point's position r, on a plane the unit normal.
    normal: [ExprId; 3],
    /// Whether the force is the slope of ½ k d².
    has_potential: bool,
}

/// The laws of an element: radius, road, stiffness, damping.
type Laws<'f> = [&'f Formula; 4];

/// A ball or wheel on a road z = h(x, y, t), frictionless, with n the normal of the road at the
/// point below the centre:
///
/// ```text
/// cos α = n_z = 1/√(1 + (∂h/∂x)² + (∂h/∂y)²)
/// d = radius − (z − h) cos α
/// F = max(0, k d + c d') where d > 0, else 0
/// ```
///
/// The force on the centre is −F ∂d/∂r: F along n where the road is plane, and along the
/// normal of the surface on which the centre of a touching ball moves where it bends. So the
/// energy is ½ k d² however the road is curved.
pub(super) fn contact(site: &mut Site<'_, '_>, on: FrameId, laws: Laws<'_>, span: Span) {
    let [radius, road, ..] = laws;
    let radius = site.law(radius, &[]);
    let depth = depth(site, on, road, span, |site, of, road| {
        let graph = site.graph();
        let slopes = of.partials(graph, road);
        let one = graph.one();
        let squares: Vec<ExprId> = slopes[..2].iter().map(|&slope| graph.mul(slope, slope)).collect();
        let sum = graph.sum(squares);
        let square = graph.add(one, sum);
        let secant = graph.sqrt(square);
        let above = graph.sub(of.locals()[2], road);
        let distance = graph.div(above, secant);
        graph.sub(radius, distance)
    });
    push(site, on, laws, &depth);
}

/// The tyre that touches the road at the point straight below the centre of its wheel and
/// pushes straight up (Captain, Boghani and Wormley 1979, "point contact tire model"):
///
/// ```text
/// d = radius + h − z
/// F = max(0, k d + c d') where d > 0, else 0
/// ```
pub(super) fn point_contact_tyre(site: &mut Site<'_, '_>, on: FrameId, laws: Laws<'_>, span: Span) {
    let [radius, road, ..] = laws;
    let radius = site.law(radius, &[]);
    let mut depth = depth(site, on, road, span, |site, of, road| {
        let graph = site.graph();
        let above = graph.sub(of.locals()[2], radius);
        graph.sub(road, above)
    });
    let graph = site.graph();
    // What pushes along a sloping road is left out, and with it work.
    depth.has_potential = depth.normal[..2].iter().all(|&component| graph.is_zero(component));
    let zero = graph.zero();
    depth.normal[..2].fill(zero);
    push(site, on, laws, &depth);
}

/// The depth as `law` makes it of the road, all of them functions of x, y, z of the point.
fn depth(
    site: &mut Site<'_, '_>,
    on: FrameId,
    road: &Formula,
    span: Span,
    law: impl Fn(&mut Site<'_, '_>, &OfLocals, ExprId) -> ExprId,
) -> Depth {
    let (of, relative_to, axes) = (on, FrameId::new(0), FrameId::new(0));
    let mut point = Vec::new();
    let mut velocity = Vec::new();
    for component in 0..3 {
        let position = Query::Position { of, relative_to, axes, component };
        point.push(site.kinematics.query(site.context, position));
        let rate = Query::Velocity { of, relative_to, axes, component };
        velocity.push(site.kinematics.query(site.context, rate));
    }
    let of_point = OfLocals::new(site.context, 3, site.element);
    let decision = Decision::Road(road.span);
    let road = of_point.formula(site.context, road, site.kinematics);
    let value = law(site, &of_point, road);
    let slopes = of_point.partials(site.graph(), value);
    let by_time = site.context.total_derivative(value, site.kinematics, span);
    let all = [value, slopes[0], slopes[1], slopes[2], by_time];
    let [value, x, y, z, by_time] = of_point.put_in(site.context, &point, all, decision);
    let graph = site.graph();
    let products: Vec<ExprId> =
        [x, y, z].iter().zip(&velocity).map(|(&slope, &rate)| graph.mul(slope, rate)).collect();
    let own_rate = graph.sum(products);
    let rate = graph.add(own_rate, by_time);
    let normal = [x, y, z].map(|slope| graph.neg(slope));
    Depth { value, rate, own_rate, normal, has_potential: true }
}

/// Pushes with max(0, k d + c d') while the point is in the road.
fn push(site: &mut Site<'_, '_>, on: FrameId, [radius, _, stiffness, damping]: Laws<'_>, depth: &Depth) {
    let [radius, k, c] = [radius, stiffness, damping].map(|formula| site.law(formula, &[]));
    let graph = site.graph();
    let gap = graph.neg(depth.value);
    let (elastic, viscous) = (graph.mul(k, depth.value), graph.mul(c, depth.rate));
    let force = graph.add(elastic, viscous);
    let touches = site.context.negative(gap, false, Decision::Touch, Some(site.element));
    let graph = site.graph();
    let zero = graph.zero();
    // Without a damper the force is zero where the depth is.
    let force = if graph.is_zero(viscous) {
        force
    } else {
        let pulling = graph.neg(force);
        let pushes = site.context.negative(pulling, false, Decision::Push, Some(site.element));
        site.graph().select(pushes, force, zero)
    };
    let graph = site.graph();
    let force = graph.select(touches, force, zero);
    let energy = graph.mul(elastic, depth.value);
    let energy = graph.scale(0.5, energy);
    // Continuous, and no part of what is integrated: it needs no mode.
    let is_deep = graph.binary(BinaryOp::Less, gap, zero);
    let energy = graph.select(is_deep, energy, zero);
    let elastic = graph.select(touches, elastic, zero);
    if depth.has_potential {
        site.store(energy, &[radius, k]);
    } else {
        site.applied.without_potential.push(site.element);
    }
    // Of the damper, and of the spring where the ball leaves it behind.
    site.applied.damping.push(Damping { element: site.element, force, elastic, rate: depth.own_rate });
    let graph = site.graph();
    let force = Vec3::new(Axes::GROUND, depth.normal.map(|component| graph.mul(force, component)));
    site.push(LinkId::new(0), on, force);
}
