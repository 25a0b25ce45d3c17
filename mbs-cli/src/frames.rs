//! Frames whose Jacobians are wanted: how they are asked for.

use crate::report::Failure;
use clap::{Args, ValueEnum};
use mbs_symbolic::Options;
use mbs_symbolic::dynamics::FrameAxes;
use mbs_symbolic::model::Model;

/// Frames whose Jacobians are wanted.
#[derive(Debug, Args)]
pub(crate) struct FrameOptions {
    /// Frames (`body.frame`, or `body`) whose velocities to differentiate with respect to v: six rows
    /// each, velocity of the origin and angular velocity
    #[arg(long, alias = "frame-jacobian", value_name = "FRAME,…", value_delimiter = ',')]
    pub(crate) frame_jacobians: Vec<String>,
    /// Axes of these velocities
    #[arg(long, value_enum, default_value_t = JacobianAxes::Ground, requires = "frame_jacobians")]
    pub(crate) frame_axes: JacobianAxes,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum JacobianAxes {
    /// Axes of ground
    Ground,
    /// Axes of the frame itself
    Frame,
}

impl FrameOptions {
    /// The same with the Jacobians of the frames that are wanted.
    pub(crate) fn with_frames(&self, options: Options) -> Options {
        let frame_axes = match self.frame_axes {
            JacobianAxes::Ground => FrameAxes::Ground,
            JacobianAxes::Frame => FrameAxes::Frame,
        };
        Options { frame_jacobians: self.frame_jacobians.clone(), frame_axes, ..options }
    }
}

/// Refuses names that no frame of the model has: they stand on the command line, not in the file.
pub(crate) fn check(model: &Model, options: &Options) -> Result<(), Failure> {
    for name in &options.frame_jacobians {
        model.find_frame(name).map_err(|problem| {
            let failure = Failure::new(problem.code(), problem.to_string());
            match problem.help() {
                Some(help) => failure.help(help),
                None => failure,
            }
        })?;
    }
    Ok(())
}
