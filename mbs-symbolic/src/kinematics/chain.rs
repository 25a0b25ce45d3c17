//! The tree as links and elementary moves.
//!
//! Each link hangs on its parent by a list of moves: shifts and turns, constant or
//! moving. After the last move one stands in the link's own axes, at its origin.

use super::frames::{self, Transform};
use super::motion::Motion;
use crate::ids::{BodyId, ExprId, FrameId, Id, IdVec, JointId, LinkId};
use crate::joints::{self, Step};
use crate::lower::EquationContext;
use crate::model::{Axis, Joint, Model};
use crate::spatial::{Axes, Inertia, Rot3, Symmetric3, Vec3};
use crate::topology::{Topology, is_welded};

/// One elementary move. Rotations map components in the axes after the move to
/// components in the axes before it.
#[derive(Debug, Clone)]
pub(crate) enum Move {
    /// The origin moves by `r`; `motion` says how it moves along principal axis `.0`.
    Translate { r: Vec3, motion: Option<(usize, Motion)> },
    /// A constant turn by a matrix.
    FixedRotation { rot: Rot3 },
    /// A turn by `angle` about principal axis `axis`.
    Rotate { rot: Rot3, axis: usize, angle: ExprId, motion: Option<Motion> },
    /// A turn by a quaternion of squared norm `square`; ω by its symbols and indices in
    /// v, in the axes after the turn or, reversed, before it and of opposite sign.
    Spherical { rot: Rot3, w: [ExprId; 3], v: [u32; 3], square: ExprId, reversed: bool },
    /// From here on the axes do not turn with anything before; `rot_w` maps components
    /// in the axes after the move to ground components. `a_w` is the acceleration of the
    /// place less gravity where v' = 0, in ground components, if it is known.
    WorldAligned { rot: Rot3, rot_w: Rot3, a_w: Option<Vec3> },
}

/// A body or a massless end, and how it hangs on its parent.
#[derive(Debug, Clone)]
pub(crate) struct Link {
    pub(crate) parent: Option<LinkId>,
    pub(crate) body: Option<BodyId>,
    pub(crate) moves: Vec<Move>,
    pub(crate) axes: Axes,
    /// About the link's origin, in its axes.
    pub(crate) inertia: Inertia,
    /// Whether a move of this link reorients it.
    pub(crate) reorients: bool,
}

/// A frame of the user on a link.
#[derive(Debug, Clone, Copy)]
pub(crate) struct FrameOnLink {
    pub(crate) link: LinkId,
    /// Frame to link axes, and the frame's origin in link axes.
    pub(crate) in_link: Transform,
}

/// All links and where the user's frames lie on them.
#[derive(Debug, Clone)]
pub(crate) struct Chain {
    pub(crate) links: IdVec<LinkId, Link>,
    pub(crate) link_of_body: IdVec<BodyId, LinkId>,
    pub(crate) frames: IdVec<FrameId, FrameOnLink>,
    /// Massless ends of welded joints: the joint and where its moved frame is.
    pub(crate) welds: Vec<(JointId, FrameOnLink)>,
}

impl Chain {
    /// The frame `from` of a joint that closes a loop, as far as its own coordinates move it.
    pub(crate) fn closing_frame(&self, joint: JointId, from: FrameId) -> FrameOnLink {
        let moved = self.welds.iter().find(|(welded, _)| *welded == joint);
        moved.map_or(self.frames[from], |(_, place)| *place)
    }
}

/// Lays out the chain.
pub(crate) fn build(context: &mut EquationContext<'_>, topology: &Topology) -> Chain {
    let model = context.model;
    let mut builder = Builder::new(context, topology);
    for &body in &topology.base_to_tip[1..] {
        builder.add_body(body);
    }
    let welds: Vec<(JointId, FrameOnLink)> = topology
        .cut_joints
        .iter()
        .filter(|&&joint| is_welded(&model.joints[joint].kind))
        .map(|&joint| (joint, builder.add_weld(joint)))
        .collect();
    builder.finish(welds)
}

struct Builder<'l, 'm> {
    context: &'l mut EquationContext<'m>,
    model: &'m Model,
    topology: &'l Topology,
    links: IdVec<LinkId, Link>,
    link_of_body: IdVec<BodyId, LinkId>,
    body_in_link: IdVec<BodyId, Option<Transform>>,
    frame_in_body: IdVec<FrameId, Transform>,
    body_axes: IdVec<BodyId, Axes>,
    children: IdVec<BodyId, Vec<BodyId>>,
    /// The child a link's frame was aligned for, with the moves that lead to it.
    planned: IdVec<BodyId, Option<frames::CommonNormal>>,
    next_axes: u32,
}

impl<'l, 'm> Builder<'l, 'm> {
    fn new(context: &'l mut EquationContext<'m>, topology: &'l Topology) -> Self {
        let model = context.model;
        let mut next_axes = 1;
        let mut fresh = || {
            next_axes += 1;
            Axes(next_axes - 1)
        };
        let ground = BodyId::new(0);
        let body_axes: IdVec<BodyId, Axes> =
            model.bodies.ids().map(|body| if body == ground { Axes::GROUND } else { fresh() }).collect();
        let mut frame_in_body = IdVec::new();
        for frame in &model.frames {
            let axes = fresh();
            let to = body_axes[frame.body];
            let r = context.parameter_vector(to, &frame.position);
            let mut rot = Rot3::identity(&mut context.graph, to, to);
            for turn in &frame.rotation {
                let angle = context.parameter(&turn.angle);
                let step = frames::turn_about(context, to, &turn.axis, angle);
                rot = rot.compose(&mut context.graph, step);
            }
            rot.from = axes;
            frame_in_body.push(Transform { rot, r });
        }
        let mut children: IdVec<BodyId, Vec<BodyId>> = model.bodies.ids().map(|_| Vec::new()).collect();
        for &body in &topology.base_to_tip {
            if let Some(inboard) = topology.inboard[body] {
                children[inboard.parent].push(body);
            }
        }
        let mut links = IdVec::new();
        let root = links.push(Link {
            parent: None,
            body: Some(ground),
            moves: Vec::new(),
            axes: Axes::GROUND,
            inertia: Inertia::zero(&mut context.graph, Axes::GROUND),
            reorients: false,
        });
        let mut body_in_link: IdVec<BodyId, Option<Transform>> = model.bodies.ids().map(|_| None).collect();
        body_in_link[ground] = Some(Transform::identity(&mut context.graph, Axes::GROUND, Axes::GROUND));
        Self {
            model,
            topology,
            links,
            link_of_body: model.bodies.ids().map(|_| root).collect(),
            body_in_link,
            frame_in_body,
            body_axes,
            children,
            planned: model.bodies.ids().map(|_| None).collect(),
            next_axes,
            context,
        }
    }

    fn fresh(&mut self) -> Axes {
        self.next_axes += 1;
        Axes(self.next_axes - 1)
    }

    /// Where a frame lies on the link of its body.
    fn frame_in_link(&mut self, frame: FrameId) -> Transform {
        let body = self.model.frames[frame].body;
        let body_in_link = self.body_in_link[body].expect("parents are laid out first");
        body_in_link.then(&mut self.context.graph, self.frame_in_body[frame])
    }

    /// The joint that leads to a body: its frame on the parent, its frame on the body
    /// and its steps from the one to the other.
    fn way_to(&mut self, body: BodyId) -> (JointId, FrameId, FrameId, Vec<Step>, bool) {
        let inboard = self.topology.inboard[body].expect("every body but ground has a joint");
        let joint = &self.model.joints[inboard.joint];
        let steps = joints::steps(self.context, joint);
        if inboard.reversed {
            let steps = joints::reversed(self.context, steps);
            (inboard.joint, joint.to, joint.from, steps, true)
        } else {
            (inboard.joint, joint.from, joint.to, steps, false)
        }
    }

    fn add_body(&mut self, body: BodyId) {
        let (joint, inner, outer, steps, reversed) = self.way_to(body);
        let parent_body = self.model.frames[inner].body;
        let parent = self.link_of_body[parent_body];
        let joint = &self.model.joints[joint];
        let planned = self.planned[body].take();
        let mut walk = self.walk(parent, inner, joint, steps, reversed, planned);

        // Where the body is, seen from the end of the walk.
        let outer_in_body = self.frame_in_body[outer];
        let body_in_outer = outer_in_body.inverse(&mut self.context.graph);
        let mut body_in_link = walk.outer_in_link.then(&mut self.context.graph, body_in_outer);
        if walk.aligned
            && let Some((child, normal)) = self.normal_to_a_child(body, body_in_link)
        {
            // The link's frame moves along and about its own joint axis, onto the
            // common normal with the child's axis.
            let moved = frames::along_z(self.context, body_in_link.rot.to, normal.angle, normal.offset);
            body_in_link = moved.inverse(&mut self.context.graph).then(&mut self.context.graph, body_in_link);
            walk.angle = self.context.graph.add(walk.angle, normal.angle);
            walk.offset = self.context.graph.add(walk.offset, normal.offset);
            self.planned[child] = Some(normal);
        }
        let reorients = walk.moves.iter().any(|step| matches!(step, Move::WorldAligned { .. }));
        let (moves, axes) = self.end_of_walk(joint, walk);
        let body_in_link = body_in_link.relabelled(self.body_axes[body], axes);
        self.body_in_link[body] = Some(body_in_link);
        let inertia = self.inertia(body, body_in_link);
        self.link_of_body[body] =
            self.links.push(Link { parent: Some(parent), body: Some(body), moves, axes, inertia, reorients });
    }

    fn add_weld(&mut self, joint: JointId) -> FrameOnLink {
        let joint = &self.model.joints[joint];
        let steps = joints::steps(self.context, joint);
        let parent = self.link_of_body[self.model.frames[joint.from].body];
        let walk = self.walk(parent, joint.from, joint, steps, false, None);
        let outer_in_link = walk.outer_in_link;
        let (moves, axes) = self.end_of_walk(joint, walk);
        let in_link = outer_in_link.relabelled(self.fresh(), axes);
        let inertia = Inertia::zero(&mut self.context.graph, axes);
        let link = self.links.push(Link {
            parent: Some(parent),
            body: None,
            moves,
            axes,
            inertia,
            reorients: false,
        });
        FrameOnLink { link, in_link }
    }

    /// Walks from the parent's link through a joint.
    fn walk(
        &mut self,
        parent: LinkId,
        inner: FrameId,
        joint: &Joint,
        steps: Vec<Step>,
        reversed: bool,
        planned: Option<frames::CommonNormal>,
    ) -> Walk {
        let inner_in_link = self.frame_in_link(inner);
        let graph = &mut self.context.graph;
        let zero = graph.zero();
        let mut walk = Walk {
            moves: Vec::new(),
            axes: self.links[parent].axes,
            aligned: false,
            angle: zero,
            offset: zero,
            outer_in_link: Transform::identity(graph, Axes::GROUND, Axes::GROUND),
            turns: Vec::new(),
            shifts: Vec::new(),
        };
        if let Some(axis) = single_axis(&steps) {
            // The joint's axis becomes z.
            let sign = if matches!(axis, Axis::Principal { negative: true, .. }) { -1.0 } else { 1.0 };
            let onto_z = frames::z_onto(self.context, inner_in_link.rot.from, &axis);
            let joint_in_link = inner_in_link.then(&mut self.context.graph, onto_z);
            match planned {
                Some(normal) => {
                    walk.shift_along(self.context, 0, normal.length);
                    let after = self.fresh();
                    walk.turn_by(self.context, after, 0, normal.twist);
                    walk.offset = normal.child_offset;
                    walk.angle = normal.child_angle;
                }
                None => self.place(&mut walk, parent, joint_in_link),
            }
            for step in steps {
                match step {
                    Step::Rotate { value, .. } => {
                        let value = self.context.graph.scale(sign, value);
                        walk.turns.push(value);
                    }
                    Step::Translate { value, .. } => {
                        let value = self.context.graph.scale(sign, value);
                        walk.shifts.push(value);
                    }
                    Step::Quaternion { .. } | Step::Reorient { .. } => {
                        unreachable!("these have no single axis")
                    }
                }
            }
            walk.aligned = true;
            let back = onto_z.rot.transpose();
            let graph = &mut self.context.graph;
            walk.outer_in_link = Transform { rot: back, r: Vec3::zero(graph, back.to) };
            return walk;
        }
        walk.shift(self.context, inner_in_link.r);
        let after = self.fresh();
        walk.turn(self.context, inner_in_link.rot, after);
        for step in steps {
            self.general_step(&mut walk, parent, joint, step, reversed);
        }
        let axes = walk.axes;
        walk.outer_in_link = Transform::identity(&mut self.context.graph, axes, axes);
        walk
    }

    /// Goes to a joint frame given in the parent's link, without choosing frames.
    fn place(&mut self, walk: &mut Walk, parent: LinkId, joint_in_link: Transform) {
        walk.shift(self.context, joint_in_link.r);
        let factors = if self.links[parent].parent.is_some() {
            frames::factor(&self.context.graph, joint_in_link.rot)
        } else {
            None
        };
        match factors {
            Some(factors) => {
                let [first, twist, last] = factors.map(|angle| self.context.graph.constant(angle));
                let (a, b) = (self.fresh(), self.fresh());
                walk.turn_by(self.context, a, 2, first);
                walk.turn_by(self.context, b, 0, twist);
                walk.angle = last;
            }
            None => {
                let after = self.fresh();
                walk.turn(self.context, joint_in_link.rot, after);
            }
        }
    }

    fn general_step(&mut self, walk: &mut Walk, parent: LinkId, joint: &Joint, step: Step, reversed: bool) {
        match step {
            Step::Rotate { axis, value } => {
                let onto = frames::principal_onto(self.context, walk.axes, &axis);
                let after = self.fresh();
                walk.turn(self.context, onto.rot, after);
                let value = if onto.negative { self.context.graph.neg(value) } else { value };
                let motion = Motion::of(self.context, joint, value);
                let after = self.fresh();
                walk.rotate(self.context, after, onto.index, value, motion);
                let back = Rot3 { from: walk.axes, ..onto.rot.transpose() };
                let after = self.fresh();
                walk.turn(self.context, back, after);
            }
            Step::Translate { axis, value } => {
                let onto = frames::principal_onto(self.context, walk.axes, &axis);
                let after = self.fresh();
                walk.turn(self.context, onto.rot, after);
                let value = if onto.negative { self.context.graph.neg(value) } else { value };
                let motion = Motion::of(self.context, joint, value);
                walk.moving_shift(self.context, onto.index, value, motion);
                let back = Rot3 { from: walk.axes, ..onto.rot.transpose() };
                let after = self.fresh();
                walk.turn(self.context, back, after);
            }
            Step::Quaternion { q, w } => {
                let (before, after) = (walk.axes, self.fresh());
                let (rot, square) = frames::quaternion(&mut self.context.graph, after, before, q);
                let rot = if reversed { Rot3 { from: after, to: before, ..rot.transpose() } } else { rot };
                let v = [0, 1, 2].map(|k| match self.context.graph.node(w[k]) {
                    crate::expr::Node::Symbol(crate::expr::Symbol::V(index)) => index,
                    _ => unreachable!("ω is given by symbols"),
                });
                walk.moves.push(Move::Spherical { rot, w, v, square, reversed });
                walk.axes = after;
            }
            Step::Reorient { ground_frame } => {
                let rot_w_parent = self.rotation_to_ground(parent);
                let mut rot_w_here = rot_w_parent;
                for done in &walk.moves {
                    if let Move::FixedRotation { rot }
                    | Move::Rotate { rot, .. }
                    | Move::Spherical { rot, .. } = done
                    {
                        rot_w_here = rot_w_here.compose(&mut self.context.graph, *rot);
                    }
                }
                let after = self.fresh();
                let rot_w_frame = Rot3 { from: after, ..self.frame_in_body[ground_frame].rot };
                let rot = rot_w_here.transpose().compose(&mut self.context.graph, rot_w_frame);
                walk.moves.push(Move::WorldAligned { rot, rot_w: rot_w_frame, a_w: None });
                walk.axes = after;
            }
        }
    }

    /// Turns what the walk collected about its last axis into moves.
    fn end_of_walk(&mut self, joint: &Joint, mut walk: Walk) -> (Vec<Move>, Axes) {
        if walk.aligned {
            let mut angle = walk.angle;
            for &value in &walk.turns {
                angle = self.context.graph.add(angle, value);
            }
            let mut offset = walk.offset;
            for &value in &walk.shifts {
                offset = self.context.graph.add(offset, value);
            }
            let after = self.fresh();
            let motion = Motion::of(self.context, joint, angle);
            walk.rotate(self.context, after, 2, angle, motion);
            let motion = Motion::of(self.context, joint, offset);
            walk.moving_shift(self.context, 2, offset, motion);
        }
        (walk.moves, walk.axes)
    }

    /// The common normal of a body's joint axis (z of `body_in_link.rot.to`) and that of
    /// one of its children, the first that has one.
    fn normal_to_a_child(
        &mut self,
        body: BodyId,
        body_in_link: Transform,
    ) -> Option<(BodyId, frames::CommonNormal)> {
        for child in self.children[body].clone() {
            let (_, inner, _, steps, _) = self.way_to(child);
            let Some(axis) = single_axis(&steps) else { continue };
            let inner_in_link = body_in_link.then(&mut self.context.graph, self.frame_in_body[inner]);
            let onto_z = frames::z_onto(self.context, inner_in_link.rot.from, &axis);
            let joint_in_link = inner_in_link.then(&mut self.context.graph, onto_z);
            if let Some(normal) = frames::common_normal(&mut self.context.graph, joint_in_link) {
                return Some((child, normal));
            }
        }
        None
    }

    /// Maps components in a link's axes to ground components.
    fn rotation_to_ground(&mut self, link: LinkId) -> Rot3 {
        let mut path = vec![link];
        while let Some(parent) = self.links[path[path.len() - 1]].parent {
            path.push(parent);
        }
        let graph = &mut self.context.graph;
        let mut rot = Rot3::identity(graph, Axes::GROUND, Axes::GROUND);
        for &link in path.iter().rev() {
            for step in &self.links[link].moves {
                rot = match step {
                    Move::Translate { .. } => rot,
                    Move::FixedRotation { rot: turn }
                    | Move::Rotate { rot: turn, .. }
                    | Move::Spherical { rot: turn, .. } => rot.compose(graph, *turn),
                    Move::WorldAligned { rot_w, .. } => *rot_w,
                };
            }
        }
        rot
    }

    fn inertia(&mut self, body: BodyId, body_in_link: Transform) -> Inertia {
        let entry = &self.model.bodies[body];
        let mass = self.context.parameter(&entry.mass);
        let com_b = self.context.parameter_vector(self.body_axes[body], &entry.com);
        let com_l = body_in_link.point(&mut self.context.graph, com_b);
        let in_body = self.frame_in_body[entry.inertia_axes];
        let in_link = body_in_link.then(&mut self.context.graph, in_body);
        let [xx, yy, zz, xy, xz, yz] = [0, 1, 2, 3, 4, 5].map(|k| self.context.parameter(&entry.inertia[k]));
        let given = Symmetric3 { axes: in_link.rot.from, xx, yy, zz, xy, xz, yz };
        let about_com = given.rotated(&mut self.context.graph, in_link.rot);
        Inertia::about_com(&mut self.context.graph, mass, com_l, about_com)
    }

    fn finish(mut self, welds: Vec<(JointId, FrameOnLink)>) -> Chain {
        let frames = self.model.frames.ids().collect::<Vec<_>>();
        let frames = frames
            .into_iter()
            .map(|frame| FrameOnLink {
                link: self.link_of_body[self.model.frames[frame].body],
                in_link: self.frame_in_link(frame),
            })
            .collect();
        Chain { links: self.links, link_of_body: self.link_of_body, frames, welds }
    }
}

/// The one axis all steps of a joint move about or along.
fn single_axis(steps: &[Step]) -> Option<Axis> {
    let axis_of = |step: &Step| match step {
        Step::Rotate { axis, .. } | Step::Translate { axis, .. } => Some(axis.clone()),
        Step::Quaternion { .. } | Step::Reorient { .. } => None,
    };
    let first = axis_of(steps.first()?)?;
    steps.iter().all(|step| axis_of(step).as_ref() == Some(&first)).then_some(first)
}

/// Moves from a parent's link outwards, and where one stands.
struct Walk {
    moves: Vec<Move>,
    axes: Axes,
    /// All motion is about and along z; it is added at the end of the walk, together
    /// with the constant `angle` and `offset`.
    aligned: bool,
    angle: ExprId,
    offset: ExprId,
    turns: Vec<ExprId>,
    shifts: Vec<ExprId>,
    /// The joint's outer frame in the axes at the end.
    outer_in_link: Transform,
}

impl Walk {
    fn shift(&mut self, context: &mut EquationContext<'_>, r: Vec3) {
        if !r.is_zero(&context.graph) {
            self.moves.push(Move::Translate { r: r.relabelled(self.axes), motion: None });
        }
    }

    fn shift_along(&mut self, context: &mut EquationContext<'_>, axis: usize, distance: ExprId) {
        self.moving_shift(context, axis, distance, None);
    }

    fn moving_shift(
        &mut self,
        context: &mut EquationContext<'_>,
        axis: usize,
        distance: ExprId,
        motion: Option<Motion>,
    ) {
        if context.graph.is_zero(distance) {
            return;
        }
        let r = Vec3::unit(&mut context.graph, self.axes, axis).scale(&mut context.graph, distance);
        self.moves.push(Move::Translate { r, motion: motion.map(|motion| (axis, motion)) });
    }

    fn turn(&mut self, context: &mut EquationContext<'_>, rot: Rot3, after: Axes) {
        if rot.is_identity(&context.graph) {
            return;
        }
        self.moves.push(Move::FixedRotation { rot: Rot3 { from: after, to: self.axes, ..rot } });
        self.axes = after;
    }

    fn turn_by(&mut self, context: &mut EquationContext<'_>, after: Axes, axis: usize, angle: ExprId) {
        self.rotate(context, after, axis, angle, None);
    }

    fn rotate(
        &mut self,
        context: &mut EquationContext<'_>,
        after: Axes,
        axis: usize,
        angle: ExprId,
        motion: Option<Motion>,
    ) {
        if context.graph.is_zero(angle) {
            return;
        }
        let rot = Rot3::about(&mut context.graph, after, self.axes, axis, angle);
        self.moves.push(Move::Rotate { rot, axis, angle, motion });
        self.axes = after;
    }
}
