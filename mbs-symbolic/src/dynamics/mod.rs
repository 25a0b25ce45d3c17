//! Stage 4: kinematics and forces → [`Equations`].
//!
//! M by the composite rigid body algorithm (CRBA), f by the recursive Newton-Euler algorithm (RNEA), constraints by the
//! geometric Jacobian and bias accelerations, v' and λ by the articulated body algorithm (ABA) or by LDLᵀ. Nothing here
//! differentiates M or expands a product of sums.

mod activity;
mod aligned;
mod assemble;
mod axes;
mod base_parameters;
mod closures;
mod composite_far;
mod constraints;
mod decision;
mod equations;
mod first_moments;
mod formulation;
mod frame_choice;
mod frame_jacobian;
mod inverse_dynamics;
mod jacobian;
mod loads;
mod mass_matrix;
mod newton_euler;
mod outputs;
mod provenance;
mod savings;
mod solution;

pub(crate) use activity::readings;
pub use assemble::{Options, build};
pub use decision::Decision;
pub use equations::{
    Contribution, Element, Equations, Formulation, FrozenReading, InputSlot, Kinks, Layout, Mode,
    ModeCondition, ModeKind, Part, Pose, Quantity, QuaternionBlock, Row, RowKind, Saving, SourceNote,
};
pub use frame_jacobian::FrameAxes;
pub(crate) use newton_euler::Wrench;
pub use solution::{Algorithm, Solution};
