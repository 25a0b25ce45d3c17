//! A robot as URDF describes it, every value with its place.

use crate::diag::Span;

/// A number as written.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Num {
    pub(super) value: f64,
    /// The number in the file's own digits.
    pub(super) text: String,
    pub(super) span: Span,
}

/// A name as written.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Named {
    pub(super) text: String,
    pub(super) span: Span,
}

/// `<origin>`: a translation, then roll, pitch and yaw about the fixed axes x, y, z.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Pose {
    pub(super) xyz: [Num; 3],
    pub(super) rpy: [Num; 3],
    pub(super) span: Span,
}

#[derive(Debug, Clone, PartialEq)]
pub(super) struct Robot {
    pub(super) name: Named,
    pub(super) links: Vec<Link>,
    pub(super) joints: Vec<Joint>,
}

#[derive(Debug, Clone, PartialEq)]
pub(super) struct Link {
    pub(super) name: Named,
    pub(super) inertial: Option<Inertial>,
    pub(super) visuals: Vec<Visual>,
}

/// Mass and inertia about the centre of mass, in the axes of `pose`.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Inertial {
    pub(super) pose: Pose,
    pub(super) mass: Num,
    /// Entries xx, yy, zz, xy, xz, yz of the matrix.
    pub(super) inertia: [Num; 6],
    pub(super) span: Span,
}

#[derive(Debug, Clone, PartialEq)]
pub(super) struct Visual {
    pub(super) pose: Pose,
    pub(super) geometry: Geometry,
    pub(super) span: Span,
}

#[derive(Debug, Clone, PartialEq)]
pub(super) enum Geometry {
    Box([Num; 3]),
    /// Along z, the origin in its middle.
    Cylinder {
        radius: Num,
        length: Num,
    },
    Sphere {
        radius: Num,
    },
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    Revolute,
    Continuous,
    Prismatic,
    Fixed,
    Floating,
    Planar,
}

impl Kind {
    /// Whether it moves along or about its axis alone.
    pub(super) fn is_straight(self) -> bool {
        matches!(self, Self::Revolute | Self::Continuous | Self::Prismatic)
    }
}

#[derive(Debug, Clone, PartialEq)]
pub(super) struct Joint {
    pub(super) name: Named,
    pub(super) kind: Kind,
    pub(super) pose: Pose,
    pub(super) parent: Named,
    pub(super) child: Named,
    pub(super) axis: [Num; 3],
    pub(super) limit: Option<Limit>,
    pub(super) damping: Option<Num>,
    pub(super) friction: Option<Num>,
    pub(super) mimic: Option<Mimic>,
}

#[derive(Debug, Clone, PartialEq)]
pub(super) struct Limit {
    pub(super) lower: Option<Num>,
    pub(super) upper: Option<Num>,
    pub(super) velocity: Option<Num>,
    pub(super) effort: Option<Num>,
    pub(super) span: Span,
}

/// q = multiplier · q(joint) + offset.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Mimic {
    pub(super) joint: Named,
    pub(super) multiplier: Num,
    pub(super) offset: Num,
    pub(super) span: Span,
}

impl Num {
    pub(super) fn new(value: f64, text: &str, span: Span) -> Self {
        Self { value, text: text.to_owned(), span }
    }
}

impl Pose {
    /// No displacement, as if written at `span`.
    pub(super) fn none(span: Span) -> Self {
        let zeros = || std::array::from_fn(|_| Num::new(0.0, "0", span));
        Self { xyz: zeros(), rpy: zeros(), span }
    }
}
