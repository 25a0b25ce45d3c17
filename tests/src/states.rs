//! Random numbers and random states, the same on every machine.

use mbs_symbolic::ids::{CoordinateId, Id};
use mbs_symbolic::model::{JointKind, Model, Orientation, ParameterValue};

use crate::formula::Values;
use crate::mechanism::{Kept, State, complete_parameters};
use crate::scalar::Jet;

/// SplitMix64 (Steele, Lea and Flood 2014).
#[derive(Debug, Clone)]
pub struct Random(u64);

impl Random {
    /// A sequence for this seed.
    pub fn new(seed: u64) -> Self {
        Self(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) ^ 0x5851_f42d_4c95_7f2d)
    }

    fn bits(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    /// Uniform between `low` and `high`.
    pub fn between(&mut self, low: f64, high: f64) -> f64 {
        low + (high - low) * (self.bits() >> 11) as f64 / (1_u64 << 53) as f64
    }

    /// Below `n`, which is not zero.
    pub fn below(&mut self, n: usize) -> usize {
        (self.bits() % n as u64) as usize
    }

    /// One of `items`, which are not empty.
    pub fn pick<'a, T>(&mut self, items: &'a [T]) -> &'a T {
        &items[self.below(items.len())]
    }

    /// True with this probability.
    pub fn chance(&mut self, probability: f64) -> bool {
        self.between(0.0, 1.0) < probability
    }
}

/// How far a Cardan middle angle stays from its singularity, rad.
const MARGIN: f64 = 0.3;

/// A random state: unit quaternions, Cardan angles away from singularities, every
/// given parameter moved by up to three percent so that none can be folded away.
pub fn random_state(model: &Model, kept: &Kept, random: &mut Random) -> State {
    let theta = model
        .parameters
        .iter()
        .map(|parameter| match parameter.value {
            ParameterValue::Given(value) => value * random.between(0.97, 1.03),
            ParameterValue::Derived(_) => f64::NAN,
        })
        .collect();
    random_state_at(model, kept, random, complete_parameters(model, theta))
}

/// A random state with these parameters.
pub fn random_state_at(model: &Model, kept: &Kept, random: &mut Random, theta: Vec<f64>) -> State {
    let t = random.between(0.1, 1.0);
    let mut positions: Vec<f64> = model.coordinates.iter().map(|_| random.between(-1.2, 1.2)).collect();
    for joint in &model.joints {
        if let JointKind::Spherical { orientation } | JointKind::Free { orientation, .. } = &joint.kind {
            orient(orientation, &mut positions, random);
        }
    }
    let inputs = model.inputs.iter().map(|input| {
        let mut values = Values::<f64>::of_parameters(model, &theta);
        values.t = Jet::moving(t, 1.0, 0.0);
        let default = values.get(&input.default);
        let value = default.now() + random.between(-0.5, 0.5);
        if input.derivatives == 0 {
            [value, 0.0, 0.0]
        } else {
            [value, random.between(-1.0, 1.0), random.between(-1.0, 1.0)]
        }
    });
    let u = inputs.collect();
    State {
        t,
        p: kept.positions.iter().map(|id| positions[id.index()]).collect(),
        v: kept.velocities.iter().map(|_| random.between(-2.0, 2.0)).collect(),
        x: model.states.iter().map(|_| random.between(-1.0, 1.0)).collect(),
        u,
        theta,
    }
}

fn orient(orientation: &Orientation, positions: &mut [f64], random: &mut Random) {
    let mut set = |id: &CoordinateId, value: f64| positions[id.index()] = value;
    match orientation {
        Orientation::Quaternion { coordinates, .. } => {
            let q: [f64; 4] = std::array::from_fn(|_| random.between(-1.0, 1.0));
            let norm = q.iter().map(|q| q * q).sum::<f64>().sqrt();
            for (id, q) in coordinates.iter().zip(q) {
                set(id, q / norm);
            }
        }
        Orientation::Angles { sequence, coordinates, .. } => {
            let right = std::f64::consts::FRAC_PI_2 - MARGIN;
            let middle = random.between(-right, right);
            let proper = sequence[0] == sequence[2];
            set(&coordinates[1], if proper { middle + std::f64::consts::FRAC_PI_2 } else { middle });
        }
    }
}
