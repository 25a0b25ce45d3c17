//! Where all bodies are, frame by frame.

use super::vector::{IDENTITY, Quaternion, Vec3, add, from_matrix, rotate};
use mbs_runtime::{Defaults, Plant, State, System};
use mbs_symbolic::model::Model;

/// Frames a second of the run is shown with, if nothing speaks against it.
const PER_SECOND: f64 = 120.0;
const FEWEST: f64 = 600.0;
const MOST: f64 = 2400.0;
/// Poses of all bodies in all frames together.
const MAX_POSES: f64 = 100_000.0;

/// How many frames show a run of so many seconds.
pub(crate) fn frame_count(duration: f64, bodies: usize) -> usize {
    let wanted = (PER_SECOND * duration).clamp(FEWEST, MOST);
    wanted.min(MAX_POSES / bodies.max(1) as f64).max(60.0).round() as usize
}

/// Poses of all bodies over time.
#[derive(Debug, Clone)]
pub(crate) struct Motion {
    /// Increasing, s.
    pub(crate) times: Vec<f64>,
    /// Bodies including ground.
    pub(crate) bodies: usize,
    /// Origins of the reference frames in ground axes, m; frame by frame, body by body.
    pub(crate) positions: Vec<Vec3>,
    /// Orientations beside them; signs do not jump from frame to frame.
    pub(crate) rotations: Vec<Quaternion>,
}

impl Motion {
    pub(super) fn new(model: &Model, system: &dyn System, states: &[State]) -> Self {
        let layout = system.layout();
        // Poses come in the order of the program, pictures in that of the model.
        let place: Vec<Option<usize>> =
            model.bodies.iter().map(|body| layout.bodies.position(&body.name.text)).collect();
        let plant = Plant::new(system, &layout.parameter_defaults, Box::new(Defaults));
        let mut poses = vec![0.0; 12 * layout.bodies.len()];
        let bodies = place.len();
        let mut motion = Self {
            times: states.iter().map(|state| state.t).collect(),
            bodies,
            positions: Vec::with_capacity(bodies * states.len()),
            rotations: Vec::with_capacity(bodies * states.len()),
        };
        for state in states {
            plant.at_recorded(state, |system, at| system.poses(at, &mut poses));
            for place in &place {
                let (position, rotation) = match place {
                    Some(index) => {
                        let pose = &poses[12 * index..12 * index + 12];
                        ([pose[0], pose[1], pose[2]], from_matrix(&pose[3..]))
                    }
                    None => ([0.0; 3], IDENTITY),
                };
                let before = motion.rotations.len().checked_sub(bodies).map(|at| motion.rotations[at]);
                motion.positions.push(position);
                motion.rotations.push(nearest(rotation, before));
            }
        }
        motion
    }

    pub(crate) fn frames(&self) -> usize {
        self.times.len()
    }

    /// A point of a body in ground axes.
    pub(crate) fn point(&self, frame: usize, body: usize, point_b: Vec3) -> Vec3 {
        let at = frame * self.bodies + body;
        add(self.positions[at], rotate(self.rotations[at], point_b))
    }

    /// A direction of a body in ground axes.
    pub(crate) fn direction(&self, frame: usize, body: usize, direction_b: Vec3) -> Vec3 {
        rotate(self.rotations[frame * self.bodies + body], direction_b)
    }

    /// Some frames spread over the whole run, the first and the last among them.
    pub(crate) fn some_frames(&self) -> impl Iterator<Item = usize> + use<> {
        let last = self.frames().saturating_sub(1);
        let stride = last.div_ceil(60).max(1);
        (0..last).step_by(stride).chain((!self.times.is_empty()).then_some(last))
    }
}

/// The one of ±q that is nearer to the one before.
fn nearest(q: Quaternion, before: Option<Quaternion>) -> Quaternion {
    let same = before.is_none_or(|before| q.iter().zip(before).map(|(a, b)| a * b).sum::<f64>() >= 0.0);
    if same { q } else { q.map(|x| -x) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn short_runs_get_enough_frames_and_long_ones_not_too_many() {
        let counts = [0.03, 1.0, 10.0, 1000.0].map(|duration| frame_count(duration, 7));
        assert_eq!(counts, [600, 600, 1200, 2400]);
        assert_eq!(frame_count(10.0, 100), 1000);
        assert_eq!(frame_count(10.0, 2000), 60);
    }

    #[test]
    fn signs_of_quaternions_do_not_jump() {
        assert_eq!(nearest([-1.0, 0.0, 0.0, 0.1], Some(IDENTITY)), [1.0, 0.0, 0.0, -0.1]);
        assert_eq!(nearest([-1.0, 0.0, 0.0, 0.1], None), [-1.0, 0.0, 0.0, 0.1]);
    }
}
