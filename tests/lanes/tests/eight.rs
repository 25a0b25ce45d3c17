//! Eight lanes have the bits of one state.

use mbs_lanes::random;
use mbs_runtime::math::lanes::x8::{f64x8, mask};
use mbs_runtime::{Accelerated, At, System};

/// One state with everything a model reads: t, p, v, x, u, prepared, and modes.
struct Point {
    numbers: [Vec<f64>; 6],
    modes: Vec<bool>,
}

impl Point {
    fn random(system: &dyn System, random: &mut impl FnMut() -> f64) -> Self {
        let layout = system.layout();
        let theta: Vec<f64> =
            layout.parameter_defaults.iter().map(|value| value * (1.0 + 0.1 * random())).collect();
        let mut prepared = vec![0.0; layout.n_prepared];
        system.prepare(&theta, &mut prepared);
        let mut some = |n: usize| -> Vec<f64> { (0..n).map(|_| 3.0 * random()).collect() };
        let modes = some(layout.modes.len()).into_iter().map(|value| value > 0.0).collect();
        let [t, p, v, x, u] = [1, layout.n_p(), layout.n_v(), layout.n_x(), layout.n_u()].map(&mut some);
        Self { numbers: [t, p, v, x, u, prepared], modes }
    }

    fn at(&self) -> At<'_> {
        let [t, p, v, x, u, prepared] = &self.numbers;
        At { t: t[0], p, v, x, u, modes: &self.modes, prepared }
    }
}

fn assert_bits(function: &str, lane: usize, found: &[f64x8], expected: &[f64]) {
    assert_eq!(found.len(), expected.len(), "{function}");
    for (index, (found, expected)) in found.iter().zip(expected).enumerate() {
        let found = found.to_array()[lane];
        let same = found.to_bits() == expected.to_bits() || (found.is_nan() && expected.is_nan());
        assert!(same, "{function}[{index}], lane {lane}: {found:e} for {expected:e}");
    }
}

/// Compares functions of a model that fill one array, and its accelerations.
macro_rules! have_the_bits {
    ($name:ident: $($function:ident [$length:expr],)*) => {{
        use mbs_lanes::$name::{Model, N_G, N_LAMBDA, N_MODES, N_P, N_V, N_X, x8};
        let mut random = random(5);
        for _ in 0..20 {
            let points: [Point; 8] = core::array::from_fn(|_| Point::random(&Model, &mut random));
            let gather = |part: usize| -> Vec<f64x8> {
                let n = points[0].numbers[part].len();
                (0..n).map(|i| f64x8::new(core::array::from_fn(|lane| points[lane].numbers[part][i]))).collect()
            };
            let [t, p, v, x, u, prepared] = core::array::from_fn(gather);
            let modes: [f64x8; N_MODES] =
                core::array::from_fn(|i| mask(core::array::from_fn(|lane| points[lane].modes[i])));
            let at = x8::At {
                t: t[0],
                p: p[..].try_into().unwrap(),
                v: v[..].try_into().unwrap(),
                x: x[..].try_into().unwrap(),
                u: u[..].try_into().unwrap(),
                modes: &modes,
                prepared: prepared[..].try_into().unwrap(),
            };
            $({
                let mut found = [f64x8::splat(7.0); $length];
                x8::$function(&at, &mut found);
                for (lane, point) in points.iter().enumerate() {
                    let mut expected = [7.0; $length];
                    Model.$function(&point.at(), &mut expected);
                    assert_bits(concat!(stringify!($name), ", ", stringify!($function)), lane, &found, &expected);
                }
            })*
            let (mut p_dot, mut v_dot) = ([f64x8::splat(7.0); N_P], [f64x8::splat(7.0); N_V]);
            let (mut lambda, mut auxiliary) = ([f64x8::splat(7.0); N_LAMBDA], [f64x8::splat(7.0); N_X]);
            let mut pivots = [f64x8::splat(7.0); N_V + N_LAMBDA];
            x8::accelerations(&at, &mut p_dot, &mut v_dot, &mut lambda, &mut auxiliary, &mut pivots);
            for (lane, point) in points.iter().enumerate() {
                let mut one = [N_P, N_V, N_LAMBDA, N_X, N_V + N_LAMBDA].map(|n| vec![7.0; n]);
                let [p_dot_1, v_dot_1, lambda_1, auxiliary_1, pivots_1] = &mut one;
                let mut out = Accelerated {
                    p_dot: p_dot_1,
                    v_dot: v_dot_1,
                    lambda: lambda_1,
                    auxiliary: auxiliary_1,
                    pivots: pivots_1,
                };
                Model.accelerations(&point.at(), &mut out).expect("the model has them");
                for (found, expected) in
                    [&p_dot[..], &v_dot, &lambda, &auxiliary, &pivots].into_iter().zip(&one)
                {
                    assert_bits(concat!(stringify!($name), ", accelerations"), lane, found, expected);
                }
            }
        }
    }};
    ($($name:ident)*) => {
        $(have_the_bits! { $name:
            kinematics [N_P],
            kinematic_matrix [N_P * N_V],
            mass_matrix [N_V * N_V],
            forces [N_V],
            constraints [N_G],
            constraint_jacobian [N_LAMBDA * N_V],
            velocity_bias [N_LAMBDA],
            acceleration_bias [N_LAMBDA],
            auxiliary [N_X],
            switching_functions [N_MODES],
        })*
    };
}

#[test]
fn every_lane_has_the_bits_of_one_state() {
    have_the_bits!(chain7 every_operator five_link panda ur5);
}
