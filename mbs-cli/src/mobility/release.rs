//! What to change so that no constraint is redundant.

use super::words::{Direction, Motion, own_axis};
use mbs_symbolic::dynamics::Element;
use mbs_symbolic::ids::{BodyId, Id, JointId};
use mbs_symbolic::model::{Defaults, JointKind, Model};
use mbs_symbolic::topology::Topology;

/// Redundant directions, joint by joint.
#[derive(Default)]
pub(super) struct Releases {
    joints: Vec<(Element, Vec<Direction>)>,
}

impl Releases {
    pub(super) fn add(&mut self, element: Element, direction: &Direction) {
        match self.joints.iter_mut().find(|(known, _)| *known == element) {
            Some((_, directions)) => directions.push(direction.clone()),
            None => self.joints.push((element, vec![direction.clone()])),
        }
    }

    /// Advice for each element, with its name.
    pub(super) fn finish(self, model: &Model, topology: &Topology) -> Vec<(String, String)> {
        let advice = self.joints.into_iter().map(|(element, directions)| {
            let advice = match element {
                Element::Joint(id) => of_joint(model, topology, id, &directions),
                _ => "leave this constraint out: others say the same".to_owned(),
            };
            (element.name(model).to_owned(), advice)
        });
        advice.collect()
    }
}

/// Which joint leaves the redundant directions free.
fn of_joint(model: &Model, topology: &Topology, id: JointId, directions: &[Direction]) -> String {
    let kind = &model.joints[id].kind;
    let own = own_axis(kind, &Defaults::new(model));
    let of = |motion: Motion| directions.iter().filter(move |direction| direction.motion == motion);
    let (translations, rotations) = (of(Motion::Translation).count(), of(Motion::Rotation).count());
    let along_own = |direction: &Direction| match (direction.axis, own) {
        (Some(a), Some(b)) => a.iter().zip(b).map(|(a, b)| a * b).sum::<f64>().abs() > 0.999,
        _ => false,
    };
    let first_rotation =
        || of(Motion::Rotation).next().and_then(|direction| direction.text.split(' ').nth(2));
    match (kind, translations, rotations) {
        (JointKind::Revolute { .. }, 0, 2)
        | (JointKind::Universal { .. }, 0, 1)
        | (JointKind::Fixed, 0, 3) => "make it `spherical`".to_owned(),
        (JointKind::Revolute { .. }, 0, 1) => match first_rotation() {
            Some(axis @ ("x" | "y" | "z")) => format!("make it `universal` with {axis} as its second axis"),
            _ => "make it `universal`".to_owned(),
        },
        (JointKind::Revolute { .. }, 1, 0) if of(Motion::Translation).all(along_own) => {
            "make it `cylindrical`".to_owned()
        }
        (JointKind::Revolute { .. }, 1, 2) if of(Motion::Translation).all(along_own) => {
            let others = others_of_loop(model, topology, id);
            if others.is_empty() {
                "put a `point_on_line` constraint along its axis in its place".to_owned()
            } else {
                format!("make it `spherical`, and one of {} `cylindrical`", others.join(", "))
            }
        }
        (JointKind::Prismatic { .. }, 0, 1) if of(Motion::Rotation).all(along_own) => {
            "make it `cylindrical`".to_owned()
        }
        (JointKind::Cylindrical { .. }, 0, 2) => {
            "put a `point_on_line` constraint along its axis in its place".to_owned()
        }
        (JointKind::Fixed, 0, 1) => match first_rotation() {
            Some(axis @ ("x" | "y" | "z")) => format!("make it `revolute` about {axis}"),
            _ => "make it `revolute`".to_owned(),
        },
        _ => {
            let list: Vec<&str> = directions.iter().map(|direction| direction.text.as_str()).collect();
            format!("leave free: {}; with another type of joint, or with a `bushing` force", list.join(", "))
        }
    }
}

/// The other revolute joints of the loop a cut joint closes.
fn others_of_loop(model: &Model, topology: &Topology, id: JointId) -> Vec<String> {
    let joint = &model.joints[id];
    let line = |mut body: BodyId| {
        let mut line = Vec::new();
        while let Some(inboard) = topology.inboard[body] {
            line.push(inboard.joint);
            body = inboard.parent;
        }
        line
    };
    let (a, b) = (line(model.frames[joint.from].body), line(model.frames[joint.to].body));
    let mut joints: Vec<JointId> = a
        .iter()
        .filter(|joint| !b.contains(joint))
        .chain(b.iter().filter(|joint| !a.contains(joint)))
        .copied()
        .collect();
    joints.sort_by_key(|joint| joint.index());
    joints
        .into_iter()
        .filter(|&joint| matches!(model.joints[joint].kind, JointKind::Revolute { .. }))
        .map(|joint| model.joints[joint].name.text.clone())
        .collect()
}
