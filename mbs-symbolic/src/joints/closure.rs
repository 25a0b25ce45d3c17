//! Joints that close loops, as rows.

use crate::model::{Axis, JointKind};

/// What a cut joint constrains.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Closure {
    pub(crate) position: PositionRows,
    pub(crate) orientation: OrientationRows,
}

/// Which relative displacements are blocked.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum PositionRows {
    /// None.
    Free,
    /// All three, in the axes of the reference link.
    All,
    /// The two directions across an axis of `from`.
    Across(Axis),
    /// One direction of `from`.
    Along(Axis),
}

/// Which relative turns are blocked.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum OrientationRows {
    /// None.
    Free,
    /// All three.
    All,
    /// The axis of `to` stays along that of `from`.
    Parallel(Axis),
    /// The second axis, fixed in `to`, keeps its angle to the first, fixed in `from`.
    Angle([Axis; 2]),
}

/// The rows of a joint that is cut. Joints that keep their coordinates are closed by a
/// weld of the frame they move.
pub(crate) fn closure(kind: &JointKind) -> Closure {
    use OrientationRows as O;
    use PositionRows as P;
    let (position, orientation) = match kind {
        JointKind::Fixed | JointKind::Screw { .. } | JointKind::Curve { .. } | JointKind::Compound { .. } => {
            (P::All, O::All)
        }
        JointKind::Revolute { axis, .. } => (P::All, O::Parallel(axis.clone())),
        JointKind::Prismatic { axis, .. } => (P::Across(axis.clone()), O::All),
        JointKind::Cylindrical { axis, .. } => (P::Across(axis.clone()), O::Parallel(axis.clone())),
        JointKind::Universal { axes, .. } => (P::All, O::Angle(axes.clone())),
        JointKind::Spherical { .. } => (P::All, O::Free),
        JointKind::Free { .. } => (P::Free, O::Free),
        JointKind::Planar { normal, .. } => (P::Along(normal.clone()), O::Parallel(normal.clone())),
    };
    Closure { position, orientation }
}
