//! The topology of a model as a picture: bodies, the tree of joints, cut joints.

pub(crate) mod dot;
pub(crate) mod svg;
pub(crate) mod text;

use mbs_symbolic::ids::{BodyId, CoordinateId, Id, JointId};
use mbs_symbolic::model::{ConstraintKind, JointKind, Model};
use mbs_symbolic::topology::Topology;

/// What there is to draw.
pub(crate) struct Picture {
    /// Name of the model.
    pub(crate) title: String,
    /// Bodies by id; ground first.
    pub(crate) bodies: Vec<Body>,
    /// Joints and constraint elements that close loops.
    pub(crate) closures: Vec<Closure>,
}

/// A body and how it hangs on its parent.
pub(crate) struct Body {
    pub(crate) name: String,
    pub(crate) parent: Option<usize>,
    /// In the order of the file.
    pub(crate) children: Vec<usize>,
    /// What the joint to the parent is called: `revolute pivot`.
    pub(crate) joint: String,
    /// Names of its coordinates, with what they follow.
    pub(crate) coordinates: Vec<String>,
}

/// Something that ties two bodies beside the tree.
pub(crate) struct Closure {
    pub(crate) label: String,
    pub(crate) from: usize,
    pub(crate) to: usize,
    /// A joint, not a constraint element.
    pub(crate) is_joint: bool,
}

/// A coordinate's name, and what it follows.
fn coordinate(model: &Model, id: CoordinateId) -> String {
    let coordinate = &model.coordinates[id];
    match &coordinate.mimic {
        Some(mimic) => {
            format!("{} follows {}", coordinate.name.text, model.coordinates[mimic.master].name.text)
        }
        None => coordinate.name.text.clone(),
    }
}

impl Picture {
    pub(crate) fn new(model: &Model, topology: &Topology) -> Self {
        let label = |joint: JointId| {
            let joint = &model.joints[joint];
            format!("{} {}", kind(&joint.kind), joint.name.text)
        };
        let mut bodies: Vec<Body> = model
            .bodies
            .iter_enumerated()
            .map(|(id, body)| {
                let inboard = topology.inboard[id];
                let coordinates = inboard.map_or_else(Vec::new, |inboard| {
                    let ids = model.joints[inboard.joint].coordinates.iter();
                    ids.map(|&id| coordinate(model, id)).collect()
                });
                Body {
                    name: body.name.text.clone(),
                    parent: inboard.map(|inboard| inboard.parent.index()),
                    children: Vec::new(),
                    joint: inboard.map_or_else(String::new, |inboard| label(inboard.joint)),
                    coordinates,
                }
            })
            .collect();
        for child in 0..bodies.len() {
            if let Some(parent) = bodies[child].parent {
                bodies[parent].children.push(child);
            }
        }
        let body_of = |frame| model.frames[frame].body.index();
        let joints = topology.cut_joints.iter().map(|&id| Closure {
            label: label(id),
            from: body_of(model.joints[id].from),
            to: body_of(model.joints[id].to),
            is_joint: true,
        });
        let constraints = model.constraints.iter().filter_map(|constraint| {
            let (word, a, b) = match &constraint.kind {
                ConstraintKind::Distance { from, to, .. } => ("distance", body_of(*from), body_of(*to)),
                ConstraintKind::PointOnLine { point, line, .. } => ("line", body_of(*line), body_of(*point)),
                ConstraintKind::PointOnPlane { point, plane, .. } => {
                    ("plane", body_of(*plane), body_of(*point))
                }
                ConstraintKind::Rolling { wheel, plane, .. } => ("rolling", body_of(*plane), body_of(*wheel)),
                ConstraintKind::KnifeEdge { frame, .. } => {
                    ("knife edge", BodyId::new(0).index(), body_of(*frame))
                }
                // These tie coordinates, not bodies.
                ConstraintKind::Coupling { .. }
                | ConstraintKind::Motion { .. }
                | ConstraintKind::Equation { .. }
                | ConstraintKind::VelocityEquation { .. } => return None,
            };
            let label = format!("{word} {}", constraint.name.text);
            Some(Closure { label, from: a, to: b, is_joint: false })
        });
        let closures = joints.chain(constraints).collect();
        Self { title: model.name.clone(), bodies, closures }
    }

    /// Bodies from ground outwards, each parent just before its children's subtrees.
    pub(crate) fn depth_first(&self) -> Vec<usize> {
        let mut order = Vec::with_capacity(self.bodies.len());
        let mut stack = vec![0];
        while let Some(body) = stack.pop() {
            order.push(body);
            stack.extend(self.bodies[body].children.iter().rev());
        }
        order
    }
}

/// The word for a joint type, as the model language has it.
fn kind(kind: &JointKind) -> &'static str {
    match kind {
        JointKind::Fixed => "fixed",
        JointKind::Revolute { .. } => "revolute",
        JointKind::Prismatic { .. } => "prismatic",
        JointKind::Cylindrical { .. } => "cylindrical",
        JointKind::Screw { .. } => "screw",
        JointKind::Universal { .. } => "universal",
        JointKind::Spherical { .. } => "spherical",
        JointKind::Free { .. } => "free",
        JointKind::Planar { .. } => "planar",
        JointKind::Curve { .. } => "curve",
        JointKind::Compound { .. } => "compound",
    }
}
