//! What a mechanism looks like and how it moves: everything a picture needs, and nothing
//! of how pictures are drawn.
//!
//! From a [`Model`] with the parameters of its run and recorded states come [`Body`]s with
//! solids in body axes, [`Link`]s between points of bodies, the [`Road`] where one can be
//! recognised, a [`View`] to begin with, and the [`Motion`] of all bodies. Lengths are in m,
//! ground axes are those of the model, colours are sRGB.

mod fixed;
mod instant;
mod joints;
mod json;
mod links;
pub(crate) mod mesh;
mod motion;
mod road;
mod solids;
#[cfg(test)]
mod tests;
pub(crate) mod vector;
mod view;

pub(crate) use instant::Instant;
pub(crate) use motion::{Motion, frame_count};

use fixed::Fixed;
use mbs_runtime::{State, System};
use mbs_symbolic::ids::{FrameId, Id};
use mbs_symbolic::model::{Defaults, Model};
use vector::{Quaternion, Vec3};

/// A mechanism in pictures.
#[derive(Debug, Clone)]
pub(crate) struct Scene {
    /// Bodies in the order of the model; ground is the first.
    pub(crate) bodies: Vec<Body>,
    /// Springs, dampers, massless rods.
    pub(crate) links: Vec<Link>,
    /// What wheels roll on.
    pub(crate) road: Option<Road>,
    /// From where to look at it.
    pub(crate) view: View,
    /// Where everything is, frame by frame.
    pub(crate) motion: Motion,
}

/// A body and what is drawn of it.
#[derive(Debug, Clone)]
pub(crate) struct Body {
    pub(crate) name: String,
    /// Of whatever has no colour of its own.
    pub(crate) colour: Colour,
    pub(crate) solids: Vec<Solid>,
    /// Its frames, the reference frame first.
    pub(crate) frames: Vec<Marker>,
}

/// A colour, sRGB.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Colour(pub(crate) [u8; 3]);

/// A frame of a body.
#[derive(Debug, Clone)]
pub(crate) struct Marker {
    pub(crate) name: String,
    /// In the body's reference frame, m.
    pub(crate) position: Vec3,
    /// Maps frame components to body components.
    pub(crate) rotation: Quaternion,
}

/// Something solid on a body.
#[derive(Debug, Clone)]
pub(crate) struct Solid {
    pub(crate) shape: Shape,
    pub(crate) colour: Colour,
    pub(crate) role: Role,
}

/// A primitive in body axes, m.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Shape {
    Cylinder {
        from: Vec3,
        to: Vec3,
        radius: f64,
    },
    Sphere {
        center: Vec3,
        radius: f64,
    },
    Box {
        center: Vec3,
        size: Vec3,
        /// Maps box components to body components.
        rotation: Quaternion,
    },
    /// A wheel about the line between the middles of its sides.
    Wheel {
        from: Vec3,
        to: Vec3,
        radius: f64,
    },
}

/// Why a solid is there.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Role {
    /// Given by the model, or standing in for what it does not give.
    Shape,
    /// Symbol of a joint.
    Joint,
    /// Where something is fastened to ground.
    Anchor,
    /// Centre of mass.
    Mass,
}

/// Something stretched between two points of bodies.
#[derive(Debug, Clone)]
pub(crate) struct Link {
    pub(crate) name: String,
    pub(crate) kind: LinkKind,
    /// Body and point in its axes, m.
    pub(crate) ends: [(usize, Vec3); 2],
    /// Half of its thickness, m.
    pub(crate) radius: f64,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum LinkKind {
    Spring,
    Damper,
    SpringDamper,
    /// Any other force along a line.
    Force,
    /// A massless rod.
    Rod,
}

/// A road whose height at a place d along it and at time t is that of the profile at
/// `speed` · t + d.
#[derive(Debug, Clone)]
pub(crate) struct Road {
    /// A point on the middle of the level road, in ground axes, where d = 0.
    pub(crate) origin: Vec3,
    /// Unit vector along the road, in ground axes.
    pub(crate) along: Vec3,
    /// How fast the profile comes to meet us, m/s.
    pub(crate) speed: f64,
    pub(crate) width: f64,
    /// Where the profile begins, m, and the distance of its points, m.
    pub(crate) start: f64,
    pub(crate) step: f64,
    /// Heights above the level road at the start, m; the first and last go on for ever.
    pub(crate) heights: Vec<f64>,
    /// The same in every frame of the motion, where they change with time; empty where they do not.
    pub(crate) heights_over_time: Vec<Vec<f64>>,
}

/// From where to look at a mechanism.
#[derive(Debug, Clone)]
pub(crate) struct View {
    /// Unit vector that points up in pictures, in ground axes.
    pub(crate) up: Vec3,
    /// Unit vector from the middle towards the eye.
    pub(crate) eye: Vec3,
    /// Middle of what is to be seen at the start, in ground axes, and its radius, m.
    pub(crate) center: Vec3,
    pub(crate) radius: f64,
    /// A plane behind or below everything: a point and its normal.
    pub(crate) floor: (Vec3, Vec3),
    /// The body that carries the others far away.
    pub(crate) follow: Option<usize>,
}

impl Scene {
    /// The scene of a run: of `model` with the parameters it was run with, and of states
    /// of `system` at even distances of time.
    pub(crate) fn new(model: &Model, system: &dyn System, states: &[State]) -> Self {
        let defaults = Defaults::new(model);
        let fixed = Fixed::new(model, &defaults);
        let motion = Motion::new(model, system, states);
        let size = view::size(&fixed, &motion);
        let mut bodies = solids::bodies(model, &fixed, size);
        let up = view::up(model, &fixed, &motion);
        // Before joints, which are as thick as what they join unless that is a wheel.
        let road = road::find(model, &fixed, up, &mut bodies, &motion);
        joints::add(model, &fixed, &motion, size, up, &mut bodies);
        let links = links::links(model, &fixed, size, &mut bodies);
        let view = view::view(model, &fixed, &bodies, road.as_ref(), &motion, up);
        Self { bodies, links, road, view, motion }
    }
}

/// The body of a frame and the frame's origin in it.
fn point(model: &Model, fixed: &Fixed, frame: FrameId) -> (usize, Vec3) {
    (model.frames[frame].body.index(), fixed.frames[frame.index()].position)
}
