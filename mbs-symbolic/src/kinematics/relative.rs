//! Relative motion: motion of a link relative to an ancestor A, in the axes of A.
//!
//! This is what loops and relative queries need; for A = ground it is the absolute motion.

use super::chain::{Chain, Move};
use super::inward::{self, Carries};
use super::motion::Column;
use super::spins::Spins;
use crate::expr::Graph;
use crate::ids::{ExprId, Id, LinkId};
use crate::spatial::{Rot3, Vec3, angular_acceleration_operator};
use rustc_hash::FxHashMap;

/// Motion of a link relative to an ancestor A, in the axes of A.
#[derive(Debug, Clone)]
pub(crate) struct RelativeMotion {
    /// Link to A axes. Homogeneous in quaternions: |R v| = scale·|v|.
    pub(crate) rot: Rot3,
    /// Origin from A's origin, m.
    pub(crate) r: Vec3,
    /// Angular velocity, rad/s.
    pub(crate) omega: Vec3,
    /// Velocity of the origin, m/s.
    pub(crate) v: Vec3,
    /// Angular acceleration with v' = 0, rad/s².
    pub(crate) alpha_bias: Vec3,
    /// Acceleration of the origin with v' = 0, m/s².
    pub(crate) a_bias: Vec3,
    /// [α] + [ω]² where it takes less than `omega` and `alpha_bias` say.
    spin: Option<[[ExprId; 3]; 3]>,
    /// Product of |q|² of the quaternions on the way; 1 on the unit sphere.
    scale: Option<ExprId>,
    /// The moving steps of this link, from the parent outwards.
    pub(crate) steps: Vec<SeenStep>,
    /// How many steps lie before a reorientation among this link's moves, and where it took
    /// place: position and acceleration with v' = 0.
    pub(crate) reoriented_at: Option<(usize, [Vec3; 2])>,
}

/// A step that moves, seen from A.
#[derive(Debug, Clone)]
pub(crate) struct SeenStep {
    /// ∂rate/∂column for every column the step depends on.
    pub(crate) partials: Vec<(Column, ExprId)>,
    /// Unit vector about or along which it moves.
    pub(crate) axis: Vec3,
    /// A point of the axis of a rotation; `None` for translations.
    pub(crate) center: Option<Vec3>,
}

/// A column of a link's motion: turning about `axis` through `center` for points beyond
/// (or at `stop`, for points past a reorientation, which then only shift), or shifting.
#[derive(Debug, Clone)]
pub(crate) struct JointAxis {
    pub(crate) partials: Vec<(Column, ExprId)>,
    pub(crate) axis: Vec3,
    pub(crate) center: Option<Vec3>,
    pub(crate) stop: Option<Vec3>,
}

impl JointAxis {
    /// Rate of a point at `tip` per unit rate of the step.
    pub(crate) fn partial_velocity(&self, graph: &mut Graph, tip: Vec3) -> Vec3 {
        match self.center {
            Some(center) => {
                let lever = self.stop.unwrap_or(tip).sub(graph, center);
                self.axis.cross(graph, lever)
            }
            None => self.axis,
        }
    }

    /// Angular rate of the link per unit rate of the step.
    pub(crate) fn on_orientation(&self) -> Option<Vec3> {
        (self.center.is_some() && self.stop.is_none()).then_some(self.axis)
    }
}

/// The relative motions evaluated so far, by reference link and link.
#[derive(Debug, Default)]
pub(crate) struct RelativeMotions {
    known: FxHashMap<(LinkId, LinkId), RelativeMotion>,
}

impl RelativeMotions {
    /// Motion of `link` relative to its ancestor `reference_link`, or to itself.
    pub(crate) fn of(
        &mut self,
        graph: &mut Graph,
        chain: &Chain,
        reference_link: LinkId,
        link: LinkId,
    ) -> &RelativeMotion {
        let mut path = Vec::new();
        let mut at = link;
        while !self.known.contains_key(&(reference_link, at)) {
            path.push(at);
            if at == reference_link {
                break;
            }
            at = chain.links[at].parent.expect("the reference link is an ancestor");
        }
        for &next in path.iter().rev() {
            let relative = if next == reference_link {
                RelativeMotion::itself(graph, chain, reference_link)
            } else {
                let parent = chain.links[next].parent.expect("not the root");
                let relative = self.known[&(reference_link, parent)].clone();
                let moves = &chain.links[next].moves;
                match moves.first() {
                    Some(Move::Translate { r, motion: None }) => {
                        let relative = shifted(graph, chain, reference_link, parent, relative, *r);
                        follow(graph, relative, &moves[1..])
                    }
                    _ => follow(graph, relative, moves),
                }
            };
            self.known.insert((reference_link, next), relative);
        }
        &self.known[&(reference_link, link)]
    }

    /// Every step between `reference_link` and `link` that moves it, nearest to the reference link
    /// first. Both must have been seen.
    pub(crate) fn joint_axes(&self, chain: &Chain, reference_link: LinkId, link: LinkId) -> Vec<JointAxis> {
        let mut list = Vec::new();
        let mut stop = None;
        let mut at = link;
        while at != reference_link {
            let relative = &self.known[&(reference_link, at)];
            // A step moves a point only as far as the first reorientation outside of it.
            let (inside, place) = match relative.reoriented_at {
                Some((count, [place, _])) => (count, Some(place)),
                None => (0, stop),
            };
            for (index, step) in relative.steps.iter().enumerate().rev() {
                list.push(JointAxis {
                    partials: step.partials.clone(),
                    axis: step.axis,
                    center: step.center,
                    stop: if index < inside { place } else { stop },
                });
            }
            stop = place;
            at = chain.links[at].parent.expect("the reference link is an ancestor");
        }
        list.reverse();
        list
    }
}

impl RelativeMotion {
    fn itself(graph: &mut Graph, chain: &Chain, link: LinkId) -> Self {
        let axes = chain.links[link].axes;
        let zero = Vec3::zero(graph, axes);
        Self {
            rot: Rot3::identity(graph, axes, axes),
            r: zero,
            omega: zero,
            v: zero,
            alpha_bias: zero,
            a_bias: zero,
            spin: None,
            scale: None,
            steps: Vec::new(),
            reoriented_at: None,
        }
    }

    /// Moves the reference point by `d`, fixed in the link.
    fn shift(&mut self, graph: &mut Graph, d: Vec3) {
        self.r = self.r.add(graph, d);
        let carried = self.omega.cross(graph, d);
        self.v = self.v.add(graph, carried);
        let change = self.acceleration_at(graph, d);
        self.a_bias = self.a_bias.add(graph, change);
    }

    fn angular_acceleration_operator(&self, graph: &mut Graph) -> [[ExprId; 3]; 3] {
        self.spin.unwrap_or_else(|| angular_acceleration_operator(graph, self.omega, self.alpha_bias))
    }

    /// α×d + ω×(ω×d)
    fn acceleration_at(&self, graph: &mut Graph, d: Vec3) -> Vec3 {
        let rows = self.angular_acceleration_operator(graph);
        Vec3::new(d.axes, rows.map(|row| Vec3::new(d.axes, row).dot(graph, d)))
    }

    /// Unit vector `index` of the link's axes, in A axes.
    fn unit(&self, graph: &mut Graph, index: usize) -> Vec3 {
        let column = self.rot.column(index);
        match self.scale {
            Some(scale) => {
                let one = graph.one();
                let reciprocal = graph.div(one, scale);
                column.scale(graph, reciprocal)
            }
            None => column,
        }
    }

    /// Position, velocity and acceleration (v' = 0) of a point fixed in the link.
    pub(crate) fn point(&self, graph: &mut Graph, r_l: Vec3) -> [Vec3; 3] {
        let d = self.rot.apply(graph, r_l);
        self.carried(graph, d)
    }

    /// The same for a point given from the link's origin in A axes.
    pub(crate) fn carried(&self, graph: &mut Graph, d: Vec3) -> [Vec3; 3] {
        let mut at = self.clone();
        at.shift(graph, d);
        [at.r, at.v, at.a_bias]
    }

    /// A direction fixed in the link, given in A axes: components, rate, second rate (v' = 0).
    pub(crate) fn turning(&self, graph: &mut Graph, e: Vec3) -> [Vec3; 3] {
        let rate = self.omega.cross(graph, e);
        [e, rate, self.acceleration_at(graph, e)]
    }
}

/// Links further from their reference link than this are not followed from inside out, which would
/// take time quadratic in the length of a chain.
const MAX_FOLLOWED: usize = 3;

/// A link with its reference point moved by `r`, in link axes: with the link or from inside out,
/// whichever is cheaper.
fn shifted(
    graph: &mut Graph,
    chain: &Chain,
    reference_link: LinkId,
    link: LinkId,
    relative: RelativeMotion,
    r: Vec3,
) -> RelativeMotion {
    let d = relative.rot.apply(graph, r);
    let mut choices = vec![relative.carried(graph, d)];
    let way = std::iter::successors(Some(link), |&at| chain.links[at].parent);
    if way.take_while(|&at| at != reference_link).count() <= MAX_FOLLOWED {
        let followed = inward::follow(graph, chain, reference_link, link, r, Carries::Point);
        if let Some(followed) = followed.filter(|followed| followed.about_origin) {
            choices.push(relative.carried(graph, followed.r));
        }
        choices.extend(inward::point(graph, chain, reference_link, link, r));
    }
    let cost = |[r, _, a]: &[Vec3; 3]| {
        let roots: Vec<ExprId> = r.xyz.into_iter().chain(a.xyz).collect();
        graph.operations(&roots)
    };
    let [r, v, a_bias] = match choices.as_slice() {
        [only] => *only,
        _ => choices.into_iter().min_by_key(cost).expect("at least one way"),
    };
    RelativeMotion { r, v, a_bias, ..relative }
}

/// The next link outwards.
fn follow(graph: &mut Graph, parent: RelativeMotion, moves: &[Move]) -> RelativeMotion {
    let before = parent.angular_acceleration_operator(graph);
    let mut relative = RelativeMotion { steps: Vec::new(), reoriented_at: None, ..parent };
    let mut spins = Spins::after(relative.omega, relative.alpha_bias, before);
    for step in moves {
        match step {
            Move::Translate { r, motion: None } => {
                let d = relative.rot.apply(graph, *r);
                relative.shift(graph, d);
            }
            Move::Translate { r, motion: Some((axis, motion)) } => {
                let d = relative.rot.apply(graph, *r);
                relative.shift(graph, d);
                // Along an axis that may be scaled off the unit sphere: d' = R e s'.
                let e = relative.rot.column(*axis);
                let sliding = e.scale(graph, motion.rate);
                relative.v = relative.v.add(graph, sliding);
                let turn = relative.omega.cross(graph, sliding);
                let two = graph.constant(2.0);
                let coriolis = turn.scale(graph, two);
                let along = e.scale(graph, motion.bias);
                let change = coriolis.add(graph, along);
                relative.a_bias = relative.a_bias.add(graph, change);
                relative.steps.push(SeenStep { partials: motion.partials.clone(), axis: e, center: None });
            }
            Move::FixedRotation { rot } => relative.rot = relative.rot.compose(graph, *rot),
            Move::Rotate { rot, axis, motion, .. } => {
                if let Some(motion) = motion {
                    let e = relative.unit(graph, *axis);
                    let spin = e.scale(graph, motion.rate);
                    let carried = relative.omega.cross(graph, spin);
                    let along = e.scale(graph, motion.bias);
                    let change = carried.add(graph, along);
                    relative.alpha_bias = relative.alpha_bias.add(graph, change);
                    relative.omega = relative.omega.add(graph, spin);
                    relative.spin = None;
                    relative.steps.push(SeenStep {
                        partials: motion.partials.clone(),
                        axis: e,
                        center: Some(relative.r),
                    });
                    spins.push(graph, spin, along);
                }
                relative.rot = relative.rot.compose(graph, *rot);
            }
            Move::Spherical { rot, w, v, square, reversed } => {
                let before = relative.clone();
                spins.give_up();
                relative.rot = relative.rot.compose(graph, *rot);
                let scale = match relative.scale {
                    Some(scale) => graph.mul(scale, *square),
                    None => *square,
                };
                relative.scale = Some(scale);
                let one = graph.one();
                let one = if *reversed { graph.neg(one) } else { one };
                let mut spin = Vec3::zero(graph, relative.omega.axes);
                for k in 0..3 {
                    let unit = if *reversed { before.unit(graph, k) } else { relative.unit(graph, k) };
                    let signed = unit.scale(graph, one);
                    let part = signed.scale(graph, w[k]);
                    spin = spin.add(graph, part);
                    relative.steps.push(SeenStep {
                        partials: vec![(Column::V(v[k]), graph.one())],
                        axis: signed,
                        center: Some(relative.r),
                    });
                }
                // ω of `to` relative to `from` is constant in `to` axes when v' = 0: the
                // axes after the turn, or before it if walked backwards.
                let carried = before.omega.cross(graph, spin);
                relative.alpha_bias = relative.alpha_bias.add(graph, carried);
                relative.omega = relative.omega.add(graph, spin);
                relative.spin = None;
            }
            Move::WorldAligned { rot_w, .. } => {
                // Only ground sees past a reorientation.
                relative.rot = *rot_w;
                relative.scale = None;
                relative.omega = Vec3::zero(graph, relative.omega.axes);
                relative.alpha_bias = Vec3::zero(graph, relative.alpha_bias.axes);
                relative.reoriented_at = Some((relative.steps.len(), [relative.r, relative.a_bias]));
                relative.spin = None;
                let still = relative.angular_acceleration_operator(graph);
                spins = Spins::after(relative.omega, relative.alpha_bias, still);
            }
        }
    }
    if let Some(alpha_bias) = spins.alpha_bias(graph) {
        let cost = |alpha: Vec3| {
            let roots: Vec<ExprId> = alpha.xyz.into_iter().chain(relative.omega.xyz).collect();
            graph.operations(&roots)
        };
        if cost(alpha_bias) < cost(relative.alpha_bias) {
            relative.alpha_bias = alpha_bias;
        }
        relative.spin = spins.matrix(graph, relative.alpha_bias);
    }
    relative
}

/// The nearest link that can observe both: the lowest common ancestor, or ground if the
/// way to either passes a reorientation below it.
pub(crate) fn common_ancestor(chain: &Chain, a: LinkId, b: LinkId) -> LinkId {
    let ancestors = |link: LinkId| {
        let mut list = vec![link];
        while let Some(parent) = chain.links[list[list.len() - 1]].parent {
            list.push(parent);
        }
        list.reverse();
        list
    };
    let (up_a, up_b) = (ancestors(a), ancestors(b));
    let common = up_a.iter().zip(&up_b).take_while(|(x, y)| x == y).count();
    let reoriented = |path: &[LinkId]| path[common..].iter().any(|&link| chain.links[link].reorients);
    if reoriented(&up_a) || reoriented(&up_b) { LinkId::new(0) } else { up_a[common - 1] }
}
