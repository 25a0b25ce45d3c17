//! Stage 4: kinematics and forces → [`Equations`].

mod equations;

pub use equations::{
    Contribution, Element, Equations, InputSlot, Layout, Mode, ModeKind, Pose, Quantity, QuaternionBlock,
    Row, RowKind,
};
