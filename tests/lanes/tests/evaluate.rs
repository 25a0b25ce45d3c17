//! Lanes have the bits of one state; single precision is close.

use mbs_lanes::{MODELS, random};
use mbs_runtime::batch::{Accelerated4, At4, Fused4, Lanes, f64x4};
use mbs_runtime::{Accelerated, At, Fused, System};

/// One state with everything a model reads.
struct Point {
    t: f64,
    p: Vec<f64>,
    v: Vec<f64>,
    x: Vec<f64>,
    u: Vec<f64>,
    modes: Vec<bool>,
    prepared: Vec<f64>,
}

impl Point {
    fn random(system: &dyn System, random: &mut impl FnMut() -> f64) -> Self {
        let layout = system.layout();
        let theta: Vec<f64> =
            layout.parameter_defaults.iter().map(|value| value * (1.0 + 0.1 * random())).collect();
        let mut prepared = vec![0.0; layout.n_prepared];
        system.prepare(&theta, &mut prepared);
        let mut some = |n: usize, size: f64| -> Vec<f64> { (0..n).map(|_| size * random()).collect() };
        Self {
            t: some(1, 2.0)[0],
            p: some(layout.n_p(), 3.0),
            v: some(layout.n_v(), 3.0),
            x: some(layout.n_x(), 1.0),
            u: some(layout.n_u(), 1.0),
            modes: some(layout.modes.len(), 1.0).into_iter().map(|value| value > 0.0).collect(),
            prepared,
        }
    }

    fn at(&self) -> At<'_> {
        let Self { t, p, v, x, u, modes, prepared } = self;
        At { t: *t, p, v, x, u, modes, prepared }
    }
}

fn gather(points: &[Point; 4], part: impl Fn(&Point) -> &[f64]) -> Vec<f64x4> {
    let n = part(&points[0]).len();
    (0..n).map(|i| f64x4::new(core::array::from_fn(|lane| part(&points[lane])[i]))).collect()
}

fn assert_bits(name: &str, function: &str, lane: usize, found: &[f64x4], expected: &[f64]) {
    for (index, (found, expected)) in found.iter().zip(expected).enumerate() {
        let found = found.to_array()[lane];
        let same = found.to_bits() == expected.to_bits() || (found.is_nan() && expected.is_nan());
        assert!(same, "{name}, {function}[{index}], lane {lane}: {found:e} for {expected:e}");
    }
}

type One = fn(&dyn System, &At<'_>, &mut [f64]);
type Four = fn(&dyn Lanes, &At4<'_>, &mut [f64x4]);
type OneFused = fn(&dyn System, &At<'_>, &mut Fused<'_>);
type FourFused = fn(&dyn Lanes, &At4<'_>, &mut Fused4<'_>);

#[test]
fn every_lane_has_the_bits_of_one_state() {
    let mut random = random(5);
    for &(name, model) in MODELS {
        let layout = model.layout();
        let (n_p, n_v, n_g, n_x) = (layout.n_p(), layout.n_v(), layout.n_g, layout.n_x());
        let n_lambda = layout.n_lambda();
        let functions: [(&str, usize, One, Four); 12] = [
            ("kinematics", n_p, |s, at, out| s.kinematics(at, out), |m, at, out| m.kinematics_x4(at, out)),
            (
                "kinematic_matrix",
                n_p * n_v,
                |s, at, out| s.kinematic_matrix(at, out),
                |m, at, out| m.kinematic_matrix_x4(at, out),
            ),
            (
                "mass_matrix",
                n_v * n_v,
                |s, at, out| s.mass_matrix(at, out),
                |m, at, out| m.mass_matrix_x4(at, out),
            ),
            ("forces", n_v, |s, at, out| s.forces(at, out), |m, at, out| m.forces_x4(at, out)),
            ("constraints", n_g, |s, at, out| s.constraints(at, out), |m, at, out| m.constraints_x4(at, out)),
            (
                "constraint_jacobian",
                n_lambda * n_v,
                |s, at, out| s.constraint_jacobian(at, out),
                |m, at, out| m.constraint_jacobian_x4(at, out),
            ),
            (
                "velocity_bias",
                n_lambda,
                |s, at, out| s.velocity_bias(at, out),
                |m, at, out| m.velocity_bias_x4(at, out),
            ),
            (
                "acceleration_bias",
                n_lambda,
                |s, at, out| s.acceleration_bias(at, out),
                |m, at, out| m.acceleration_bias_x4(at, out),
            ),
            ("auxiliary", n_x, |s, at, out| s.auxiliary(at, out), |m, at, out| m.auxiliary_x4(at, out)),
            (
                "switching_functions",
                layout.modes.len(),
                |s, at, out| s.switching_functions(at, out),
                |m, at, out| m.switching_functions_x4(at, out),
            ),
            (
                "update_mass_matrix",
                n_v * n_v,
                |s, at, out| s.update_mass_matrix(at, out),
                |m, at, out| m.update_mass_matrix_x4(at, out),
            ),
            (
                "update_constraint_jacobian",
                n_lambda * n_v,
                |s, at, out| s.update_constraint_jacobian(at, out),
                |m, at, out| m.update_constraint_jacobian_x4(at, out),
            ),
        ];
        for _ in 0..20 {
            let points: [Point; 4] = core::array::from_fn(|_| Point::random(model.as_system(), &mut random));
            let modes: Vec<f64x4> = (0..layout.modes.len())
                .map(|i| mbs_runtime::math::lanes::mask(core::array::from_fn(|lane| points[lane].modes[i])))
                .collect();
            let (p, v) = (gather(&points, |point| &point.p), gather(&points, |point| &point.v));
            let (x, u) = (gather(&points, |point| &point.x), gather(&points, |point| &point.u));
            let prepared = gather(&points, |point| &point.prepared);
            let t = f64x4::new(core::array::from_fn(|lane| points[lane].t));
            let at4 = At4 { t, p: &p, v: &v, x: &x, u: &u, modes: &modes, prepared: &prepared };
            for (function, length, one, four) in &functions {
                let mut found = vec![f64x4::splat(7.0); *length];
                four(model, &at4, &mut found);
                for (lane, point) in points.iter().enumerate() {
                    let mut expected = vec![7.0; *length];
                    one(model.as_system(), &point.at(), &mut expected);
                    assert_bits(name, function, lane, &found, &expected);
                }
            }
            let lengths = [n_p, n_v * n_v, n_v, n_lambda * n_v, n_lambda, n_x];
            let ways: [(&str, OneFused, FourFused); 2] = [
                ("fused", |s, at, out| s.fused(at, out), |m, at, out| m.fused_x4(at, out)),
                (
                    "update_fused",
                    |s, at, out| s.update_fused(at, out),
                    |m, at, out| m.update_fused_x4(at, out),
                ),
            ];
            for (function, one, four) in ways {
                let mut found = lengths.map(|n| vec![f64x4::splat(7.0); n]);
                let [p_dot, mass_matrix, forces, constraint_jacobian, acceleration_bias, auxiliary] =
                    &mut found;
                let mut out =
                    Fused4 { p_dot, mass_matrix, forces, constraint_jacobian, acceleration_bias, auxiliary };
                four(model, &at4, &mut out);
                for (lane, point) in points.iter().enumerate() {
                    let mut expected = lengths.map(|n| vec![7.0; n]);
                    let [p_dot, mass_matrix, forces, constraint_jacobian, acceleration_bias, auxiliary] =
                        &mut expected;
                    let mut out = Fused {
                        p_dot,
                        mass_matrix,
                        forces,
                        constraint_jacobian,
                        acceleration_bias,
                        auxiliary,
                    };
                    one(model.as_system(), &point.at(), &mut out);
                    for (found, expected) in found.iter().zip(&expected) {
                        assert_bits(name, function, lane, found, expected);
                    }
                }
            }
            let lengths = [n_p, n_v, n_lambda, n_x, n_v + n_lambda];
            let mut found = lengths.map(|n| vec![f64x4::splat(7.0); n]);
            let [p_dot, v_dot, lambda, auxiliary, pivots] = &mut found;
            let mut out = Accelerated4 { p_dot, v_dot, lambda, auxiliary, pivots };
            let outcome = model.accelerations_x4(&at4, &mut out);
            let sound = out.sound();
            for (lane, point) in points.iter().enumerate() {
                let mut expected = lengths.map(|n| vec![7.0; n]);
                let [p_dot, v_dot, lambda, auxiliary, pivots] = &mut expected;
                let mut out = Accelerated { p_dot, v_dot, lambda, auxiliary, pivots };
                assert_eq!(model.accelerations(&point.at(), &mut out), outcome, "{name}");
                assert_eq!(sound.to_array()[lane].to_bits() != 0, out.is_reliable(), "{name}, lane {lane}");
                for (found, expected) in found.iter().zip(&expected) {
                    assert_bits(name, "accelerations", lane, found, expected);
                }
            }
        }
    }
}

/// Everything `fused` gives at a state.
fn all_of(system: &dyn System, at: &At<'_>) -> [Vec<f64>; 6] {
    let layout = system.layout();
    let (n_v, n_lambda) = (layout.n_v(), layout.n_lambda());
    let mut found =
        [layout.n_p(), n_v * n_v, n_v, n_lambda * n_v, n_lambda, layout.n_x()].map(|n| vec![0.0; n]);
    let [p_dot, mass_matrix, forces, constraint_jacobian, acceleration_bias, auxiliary] = &mut found;
    let mut out = Fused { p_dot, mass_matrix, forces, constraint_jacobian, acceleration_bias, auxiliary };
    system.fused(at, &mut out);
    found
}

/// Where the processor has no fused multiply-add the code must not change a bit; where it has,
/// the bits must differ, or nothing was fused.
#[test]
fn fused_multiply_add_is_close() {
    for (plain, fused) in [("panda", "panda_fused"), ("five_link", "five_link_fused")] {
        let [plain, fused] = [plain, fused].map(mbs_lanes::model);
        let mut random = random(11);
        let mut differs = false;
        for _ in 0..50 {
            let point = Point::random(plain.as_system(), &mut random);
            let mut prepared = vec![0.0; point.prepared.len()];
            fused.prepare(&point.prepared[..plain.layout().parameter_defaults.len()], &mut prepared);
            let found = all_of(fused.as_system(), &At { prepared: &prepared, ..point.at() });
            for (found, exact) in found.iter().zip(all_of(plain.as_system(), &point.at())) {
                let size = exact.iter().fold(0.0_f64, |size, value| size.max(value.abs()));
                for (found, exact) in found.iter().zip(exact) {
                    assert!((found - exact).abs() <= 1e-12 * size, "{found:e} for {exact:e}");
                    differs |= found.to_bits() != exact.to_bits();
                }
            }
        }
        assert_eq!(differs, mbs_runtime::math::IS_FUSED, "{}", plain.layout().model());
    }
}

#[test]
fn jacobians_of_frames_are_there_in_lanes() {
    use mbs_lanes::flyball_governor::{self as model, x4};
    let mut random = random(3);
    let points: [Point; 4] = core::array::from_fn(|_| Point::random(&model::Model, &mut random));
    let (p, v) = (gather(&points, |point| &point.p), gather(&points, |point| &point.v));
    let (x, u) = (gather(&points, |point| &point.x), gather(&points, |point| &point.u));
    let modes: Vec<f64x4> = (0..model::N_MODES)
        .map(|i| mbs_runtime::math::lanes::mask(core::array::from_fn(|lane| points[lane].modes[i])))
        .collect();
    let prepared = gather(&points, |point| &point.prepared);
    let t = f64x4::new(core::array::from_fn(|lane| points[lane].t));
    let at = At4 { t, p: &p, v: &v, x: &x, u: &u, modes: &modes, prepared: &prepared };
    let at = x4::At::from_slices(&at).expect("lengths of the model");
    let mut found = [f64x4::splat(7.0); 6 * model::FRAME_JACOBIAN_COLUMNS];
    x4::frame_jacobian(&at, &mut found);
    for (lane, point) in points.iter().enumerate() {
        let mut expected = [7.0; 6 * model::FRAME_JACOBIAN_COLUMNS];
        assert_eq!(model::Model.frame_jacobian(&point.at(), &mut expected), Ok(()));
        assert!(expected.iter().any(|entry| *entry != 0.0));
        assert_bits("flyball_governor", "frame_jacobian", lane, &found, &expected);
    }
}

/// Compares `fused` of a model in single precision, entry by entry, with the largest of its
/// array.
macro_rules! single_is_close {
    ($($name:ident)*) => { $({
        use mbs_lanes::$name::{self as model, single};
        let mut random = random(9);
        for _ in 0..20 {
            let mut point = Point::random(&model::Model, &mut random);
            let theta = model::PARAMETER_DEFAULTS;
            model::Model.prepare(&theta, &mut point.prepared);
            let mut prepared = [0.0; model::N_PREPARED];
            single::prepare(&theta.map(|value| value as f32), &mut prepared);
            let short = |values: &[f64]| values.iter().map(|value| *value as f32).collect::<Vec<f32>>();
            let (p, v, x, u) = (short(&point.p), short(&point.v), short(&point.x), short(&point.u));
            let at = single::At {
                t: point.t as f32,
                p: p[..].try_into().unwrap(),
                v: v[..].try_into().unwrap(),
                x: x[..].try_into().unwrap(),
                u: u[..].try_into().unwrap(),
                modes: point.modes[..].try_into().unwrap(),
                prepared: &prepared,
            };
            let (mut m, mut f) = ([0.0; model::N_V * model::N_V], [0.0; model::N_V]);
            single::mass_matrix(&at, &mut m);
            single::forces(&at, &mut f);
            let (mut exact_m, mut exact_f) = ([0.0; model::N_V * model::N_V], [0.0; model::N_V]);
            // Of the rounded state, so that only the arithmetic differs.
            for (from, to) in [(&p, &mut point.p), (&v, &mut point.v), (&x, &mut point.x), (&u, &mut point.u)] {
                to.iter_mut().zip(from).for_each(|(to, from)| *to = f64::from(*from));
            }
            point.t = f64::from(point.t as f32);
            model::Model.mass_matrix(&point.at(), &mut exact_m);
            model::Model.forces(&point.at(), &mut exact_f);
            for (found, exact) in [(&m[..], &exact_m[..]), (&f[..], &exact_f[..])] {
                let size = exact.iter().fold(0.0_f64, |size, value| size.max(value.abs()));
                for (found, exact) in found.iter().zip(exact) {
                    let error = (f64::from(*found) - exact).abs();
                    assert!(error <= 1e-4 * size, "{}: {found} for {exact}", stringify!($name));
                }
            }
        }
    })* };
}

#[test]
fn single_precision_is_close() {
    single_is_close!(andrews chain7 five_link heavy_top panda rolling_disc ur5);
}
