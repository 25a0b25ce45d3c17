//! Bushings and contacts, derived otherwise than the compiler does: the rotation vector from a
//! quaternion and its differential as a power series; the slopes and curvatures of a road from
//! series in time along made-up paths over it.

use mbs_symbolic::model::Formula;

use crate::formula::Values;
use crate::scalar::{Elementary, Jet, Scalar};
use crate::transform::{self, Mat3, Vec3};

/// Terms of the power series of the differential: π²⁵/26! is 1e-14.
const TERMS: i32 = 40;

/// φ of R = exp(φ×), by the quaternion of R.
pub fn rotation_vector<S: Scalar>(rot: &Mat3<S>) -> Vec3<S> {
    let trace = rot[0][0] + rot[1][1] + rot[2][2];
    let scalar = (S::one() + trace).sqrt().scale(0.5);
    let vector = transform::vee(rot).map(|component| (component / scalar).scale(0.5));
    let tangent_square = transform::dot(&vector, &vector) / scalar.square();
    // φ = 2 atan(t)/t q/q₀ with t = |q|/q₀.
    let ratio = if tangent_square.real() < 1e-6 {
        let terms = [1.0, -1.0 / 3.0, 0.2, -1.0 / 7.0, 1.0 / 9.0];
        terms.iter().rev().fold(S::zero(), |sum, &term| sum * tangent_square + S::constant(term))
    } else {
        let tangent = tangent_square.sqrt();
        tangent.apply(Elementary::Atan) / tangent
    };
    vector.map(|component| (ratio * component / scalar).scale(2.0))
}

/// The τ with Jᵀ τ = m, where ω = J φ' and J = Σ (φ×)ⁿ/(n + 1)!.
pub fn torque_of<S: Scalar>(phi: &Vec3<S>, moment: &Vec3<S>) -> Vec3<S> {
    let mut columns: Mat3<S> = transform::identity();
    for (k, column) in columns.iter_mut().enumerate() {
        let mut term: Vec3<S> = transform::zero();
        term[k] = S::one();
        for n in 1..TERMS {
            term = transform::cross(phi, &term).map(|component| component.scale(1.0 / f64::from(n + 1)));
            *column = transform::add(column, &term);
        }
    }
    let [a, b, c] = columns;
    let volume = transform::dot(&a, &transform::cross(&b, &c));
    let parts = [(moment[0], b, c), (moment[1], c, a), (moment[2], a, b)];
    let sum = parts.iter().fold(transform::zero(), |sum, (m, left, right)| {
        transform::add(&sum, &transform::scale(*m, &transform::cross(left, right)))
    });
    sum.map(|component| component / volume)
}

/// Height of a road at a point, its derivatives by x, y and time, and second derivatives.
struct Surface<S> {
    height: S,
    slope: [S; 2],
    by_time: S,
    bend: [[S; 2]; 2],
    slope_by_time: [S; 2],
}

impl<S: Scalar> Surface<S> {
    /// Time derivatives along paths that pass the point with rates 0 and ±1.
    fn new(values: &Values<'_, S>, road: &Formula, [x, y]: [S; 2]) -> Self {
        let along = |a: f64, b: f64| {
            let path = [(x, a), (y, b)].map(|(from, rate)| Jet::moving(from, S::constant(rate), S::zero()));
            values.with_locals(road, &path)
        };
        let still = along(0.0, 0.0);
        let [forth, back] = [1.0, -1.0].map(|a| [along(a, 0.0), along(0.0, a)]);
        let by_time = still.rate(1);
        let second = |jet: Jet<S>| jet.rate(2);
        let slope = [0, 1].map(|k| forth[k].rate(1) - by_time);
        let own = [0, 1].map(|k| (second(forth[k]) + second(back[k])).scale(0.5) - second(still));
        let slope_by_time = [0, 1].map(|k| (second(forth[k]) - second(back[k])).scale(0.25));
        let both = second(along(1.0, 1.0)) - second(forth[0]) - second(forth[1]) + second(still);
        let mixed = both.scale(0.5);
        Self { height: still.now(), slope, by_time, bend: [[own[0], mixed], [mixed, own[1]]], slope_by_time }
    }
}

/// The force on a point in the road: what the law makes of the depth, along its gradient.
pub fn contact<S: Scalar>(
    values: &Values<'_, S>,
    r: &Vec3<Jet<S>>,
    [radius, road, stiffness, damping]: [&Formula; 4],
) -> Vec3<S> {
    let surface = Surface::new(values, road, [r[0].now(), r[1].now()]);
    let above = r[2].now() - surface.height;
    let square = S::one() + surface.slope[0].square() + surface.slope[1].square();
    let cosine = S::one() / square.sqrt();
    // cos' = −cos³ Σ h_k h_k'
    let change = |rates: [S; 2]| {
        let sum = surface.slope[0] * rates[0] + surface.slope[1] * rates[1];
        -(cosine * cosine * cosine * sum)
    };
    let radius = values.get(radius);
    let depth = radius.now() - above * cosine;
    let sideways = [0, 1].map(|k| surface.slope[k] * cosine - above * change(surface.bend[k]));
    let gradient = [sideways[0], sideways[1], -cosine];
    let by_time = surface.by_time * cosine - above * change(surface.slope_by_time) + radius.rate(1);
    let rate = transform::dot(&gradient, &r.map(|component| component.rate(1))) + by_time;
    let force = pushing(values, depth, rate, [stiffness, damping]);
    gradient.map(|component| -(force * component))
}

/// The same where the road pushes straight up.
pub fn point_contact_tyre<S: Scalar>(
    values: &Values<'_, S>,
    r: &Vec3<Jet<S>>,
    [radius, road, stiffness, damping]: [&Formula; 4],
) -> Vec3<S> {
    let depth = values.get(radius) + values.with_locals(road, &r[..2]) - r[2];
    [S::zero(), S::zero(), pushing(values, depth.now(), depth.rate(1), [stiffness, damping])]
}

fn pushing<S: Scalar>(values: &Values<'_, S>, depth: S, rate: S, [k, c]: [&Formula; 2]) -> S {
    let force = values.get(k).now() * depth + values.get(c).now() * rate;
    if depth.real() > 0.0 && force.real() > 0.0 { force } else { S::zero() }
}

/// What a contact has stored.
pub fn contact_energy(values: &Values<'_, f64>, r: &Vec3<Jet<f64>>, laws: [&Formula; 4]) -> f64 {
    let [radius, road, stiffness, _] = laws;
    let surface = Surface::new(values, road, [r[0].now(), r[1].now()]);
    let [a, b] = surface.slope;
    let depth = values.get(radius).now() - (r[2].now() - surface.height) / a.hypot(b).hypot(1.0);
    0.5 * values.get(stiffness).now() * depth.max(0.0).powi(2)
}
