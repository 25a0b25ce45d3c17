//! The spanning tree.

use super::Inboard;
use crate::diag::{Diagnostic, Diagnostics, Problem};
use crate::ids::{BodyId, Id, IdVec, JointId};
use crate::model::{Cut, Joint, JointKind, Model, Orientation};
use std::cmp::Reverse;
use std::collections::BinaryHeap;

pub(super) struct Tree {
    pub(super) inboard: IdVec<BodyId, Option<Inboard>>,
    pub(super) base_to_tip: Vec<BodyId>,
    pub(super) cut_joints: Vec<JointId>,
}

/// Grows the tree from ground, nearest bodies first, so that chains stay short.
///
/// Joints that must stay in the tree bind their bodies into groups beforehand; a
/// joint that may be cut is used only to reach a new group. Among those a joint with
/// few freedoms is preferred: cutting a joint with f freedoms saves f coordinates and
/// costs 6 − f rows.
pub(super) fn grow(model: &Model) -> Result<Tree, Diagnostics> {
    let mut problems = Diagnostics::default();
    let mut groups = Groups::new(model.bodies.len());
    for (id, joint) in model.joints.iter_enumerated() {
        if joint.cut == Cut::Always && joint.coordinates.iter().any(|&id| !model.is_independent(id)) {
            let why = "its coordinate follows another (`mimic`)".to_owned();
            let joint_name = joint.name.text.clone();
            problems.error(joint.name.span, Problem::CutImpossible { joint: joint_name, why });
        }
        if !must_stay(joint) || joint.cut == Cut::Always {
            continue;
        }
        let (from, to) = ends(model, id);
        if !groups.join(from, to) {
            problems.error(joint.name.span, Problem::NoJointToCut { joint: joint.name.text.clone() });
        }
    }
    if problems.has_errors() {
        return Err(problems);
    }

    let ground = BodyId::new(0);
    let mut inboard: IdVec<BodyId, Option<Inboard>> = model.bodies.ids().map(|_| None).collect();
    let mut reached: IdVec<BodyId, bool> = model.bodies.ids().map(|body| body == ground).collect();
    let mut used = vec![false; model.joints.len()];
    let mut base_to_tip = vec![ground];
    let at_body = joints_of_bodies(model);
    // Candidates: depth of the parent, freedoms, joint, reversed.
    let mut queue = BinaryHeap::new();
    let offer = |queue: &mut BinaryHeap<_>, body: BodyId, depth: u32| {
        for &(joint, reversed) in &at_body[body] {
            queue.push(Reverse((depth, freedoms(&model.joints[joint]), joint, reversed)));
        }
    };
    offer(&mut queue, ground, 0);
    while let Some(Reverse((depth, _, id, reversed))) = queue.pop() {
        let joint = &model.joints[id];
        let (from, to) = ends(model, id);
        let (parent, child) = if reversed { (to, from) } else { (from, to) };
        if joint.cut == Cut::Always || reached[child] || (reversed && is_one_way(joint)) {
            continue;
        }
        if !must_stay(joint) && !groups.join(parent, child) {
            continue;
        }
        reached[child] = true;
        used[id.index()] = true;
        inboard[child] = Some(Inboard { joint: id, parent, reversed });
        base_to_tip.push(child);
        offer(&mut queue, child, depth + 1);
    }

    for (id, joint) in model.joints.iter_enumerated() {
        let (from, to) = ends(model, id);
        if is_one_way(joint) && must_stay(joint) && reached[to] && !reached[from] {
            let joint = joint.name.text.clone();
            let why = "its coordinates are used, but the tree reaches its `to` side first".to_owned();
            problems.error(model.joints[id].name.span, Problem::CutImpossible { joint, why });
        }
    }
    // Bodies behind such a joint are connected, if only the wrong way round.
    if !problems.has_errors() {
        problems.append(unreached(model, &reached));
    }
    if problems.has_errors() {
        return Err(problems);
    }
    let cut_joints = model.joints.ids().filter(|joint| !used[joint.index()]).collect();
    Ok(Tree { inboard, base_to_tip, cut_joints })
}

/// Reports bodies the tree does not reach, those that hang together behind cut joints as one.
fn unreached(model: &Model, reached: &IdVec<BodyId, bool>) -> Diagnostics {
    let mut groups = Groups::new(model.bodies.len());
    for id in model.joints.ids().filter(|&joint| model.joints[joint].cut != Cut::Always) {
        let (from, to) = ends(model, id);
        groups.join(from, to);
    }
    let mut problems = Diagnostics::default();
    let mut told: Vec<usize> = Vec::new();
    for (body, entry) in model.bodies.iter_enumerated().filter(|(body, _)| !reached[*body]) {
        let group = groups.find(body);
        if told.contains(&group) {
            continue;
        }
        let members: Vec<BodyId> = model.bodies.ids().filter(|&other| groups.find(other) == group).collect();
        let leaves = |&joint: &JointId| {
            let (from, to) = ends(model, joint);
            members.contains(&from) != members.contains(&to)
        };
        let cut: Vec<&Joint> = model.joints.ids().filter(leaves).map(|joint| &model.joints[joint]).collect();
        if cut.is_empty() {
            problems.error(entry.name.span, Problem::Disconnected { body: entry.name.text.clone() });
            continue;
        }
        told.push(group);
        let names = members.iter().map(|&body| model.bodies[body].name.text.as_str());
        let problem = Problem::EveryJointCut {
            bodies: listing(names, "and"),
            joints: listing(cut.iter().map(|joint| joint.name.text.as_str()), "or"),
            one: cut.len() == 1,
        };
        let report = Diagnostic::error(entry.name.span, problem);
        let shown = cut.iter().take(MAX_NAMES);
        problems.push(shown.fold(report, |report, joint| report.with(joint.name.span, "cut")));
    }
    problems
}

/// More names than this are not listed in a message.
const MAX_NAMES: usize = 5;

/// Names as messages list them.
fn listing<'n>(names: impl ExactSizeIterator<Item = &'n str>, before_last: &str) -> String {
    let count = names.len();
    let mut quoted: Vec<String> = names.take(MAX_NAMES).map(|name| format!("`{name}`")).collect();
    if count > MAX_NAMES {
        return format!("{} and {} more", quoted.join(", "), count - MAX_NAMES);
    }
    let last = quoted.pop().unwrap_or_default();
    if quoted.is_empty() { last } else { format!("{} {before_last} {last}", quoted.join(", ")) }
}

/// Reports bodies no joint connects to ground. Of `broken` joints only the bodies count that
/// they were meant to connect.
pub(super) fn disconnected(model: &Model, broken: &[(JointId, Vec<BodyId>)]) -> Diagnostics {
    let mut groups = Groups::new(model.bodies.len());
    for id in model.joints.ids() {
        match broken.iter().find(|(joint, _)| *joint == id) {
            Some((_, bodies)) => bodies.windows(2).for_each(|pair| {
                groups.join(pair[0], pair[1]);
            }),
            None => {
                let (from, to) = ends(model, id);
                groups.join(from, to);
            }
        }
    }
    let ground = groups.find(BodyId::new(0));
    let mut problems = Diagnostics::default();
    for (body, entry) in model.bodies.iter_enumerated() {
        if groups.find(body) != ground {
            problems.error(entry.name.span, Problem::Disconnected { body: entry.name.text.clone() });
        }
    }
    problems
}

/// Whether a joint may not be cut: the author said so or uses its coordinates.
fn must_stay(joint: &Joint) -> bool {
    joint.cut == Cut::Never || joint.coordinates_used
}

/// Whether a joint can be walked from `from` to `to` only.
fn is_one_way(joint: &Joint) -> bool {
    match &joint.kind {
        JointKind::Spherical { orientation } | JointKind::Free { orientation, .. } => {
            matches!(orientation, Orientation::Angles { relative_to: Some(_), .. })
        }
        JointKind::Fixed | JointKind::Revolute { .. } | JointKind::Prismatic { .. } => false,
        JointKind::Cylindrical { .. } | JointKind::Screw { .. } | JointKind::Universal { .. } => false,
        JointKind::Planar { .. } | JointKind::Curve { .. } | JointKind::Compound { .. } => false,
    }
}

fn freedoms(joint: &Joint) -> usize {
    joint.velocities.len()
}

fn ends(model: &Model, joint: JointId) -> (BodyId, BodyId) {
    let joint = &model.joints[joint];
    (model.frames[joint.from].body, model.frames[joint.to].body)
}

/// The joints at each body, with whether the body is their `to` side.
fn joints_of_bodies(model: &Model) -> IdVec<BodyId, Vec<(JointId, bool)>> {
    let mut lists: IdVec<BodyId, Vec<(JointId, bool)>> = model.bodies.ids().map(|_| Vec::new()).collect();
    for id in model.joints.ids() {
        let (from, to) = ends(model, id);
        lists[from].push((id, false));
        lists[to].push((id, true));
    }
    lists
}

/// Disjoint groups of bodies.
struct Groups {
    leader: Vec<usize>,
}

impl Groups {
    fn new(bodies: usize) -> Self {
        Self { leader: (0..bodies).collect() }
    }

    fn find(&mut self, body: BodyId) -> usize {
        let mut at = body.index();
        while self.leader[at] != at {
            self.leader[at] = self.leader[self.leader[at]];
            at = self.leader[at];
        }
        at
    }

    /// Unites two groups; false if they were one already.
    fn join(&mut self, a: BodyId, b: BodyId) -> bool {
        let (a, b) = (self.find(a), self.find(b));
        self.leader[a] = b;
        a != b
    }
}
