//! Fixed-step methods on the caller's memory.
#![cfg(feature = "std")]

mod support;

use mbs_runtime::integrate::{FixedStep, Formula, Held, Motion, Stabilisation};
use mbs_runtime::{At, System};
use support::closed_forms::{Bead, KnifeEdge, Top};
use support::constrained::{Pendulum, Sphere};
use support::{Mechanism, distance, slope};

const PROJECTION: Stabilisation = Stabilisation::Projection { iterations: 1 };
const BAUMGARTE: Stabilisation = Stabilisation::Baumgarte { alpha: 5.0, beta: 5.0 };

/// p, v and x after `n` steps from the start to `t_end`.
fn run(
    system: &dyn System,
    formula: Formula,
    stabilisation: Stabilisation,
    t_end: f64,
    n: u32,
) -> (Vec<f64>, Vec<f64>, Vec<f64>) {
    let layout = system.layout();
    let (mut p, mut v, mut x) = (vec![0.0; layout.n_p()], vec![0.0; layout.n_v()], vec![0.0; layout.n_x()]);
    system.initial(&[], &mut p, &mut v, &mut x);
    let mut workspace = vec![f64::NAN; FixedStep::workspace_len(layout)];
    let mut method = FixedStep::new(formula, stabilisation, layout, &mut workspace).unwrap();
    let mut motion = Motion { t: 0.0, p: &mut p, v: &mut v, x: &mut x };
    for _ in 0..n {
        method.step(system, &mut motion, &Held::default(), t_end / f64::from(n)).unwrap();
    }
    assert!((motion.t - t_end).abs() < 1e-9);
    (p, v, x)
}

fn assert_orders(
    system: &dyn System,
    stabilisation: Stabilisation,
    t_end: f64,
    first: [u32; 2],
    exact: [&[f64]; 3],
) {
    for (formula, order, first) in [(Formula::Euler, 1.0, first[0]), (Formula::Rk4, 4.0, first[1])] {
        let mut errors: [Vec<f64>; 3] = Default::default();
        for halvings in 0..4 {
            let (p, v, x) = run(system, formula, stabilisation, t_end, first << halvings);
            for (list, (value, exact)) in errors.iter_mut().zip([p, v, x].iter().zip(exact)) {
                list.push(distance(value, exact));
            }
        }
        for (errors, quantity) in errors.iter().zip(["p", "v", "x"]) {
            if errors.iter().any(|error| *error > 0.0) {
                let slope = slope(errors);
                let what = format!("{formula:?} {stabilisation:?}: {quantity} has slope {slope:.2}");
                assert!(slope >= order - 0.2, "{what} {errors:?}");
            }
        }
    }
}

#[test]
fn orders_on_a_bent_sphere() {
    for stabilisation in [PROJECTION, BAUMGARTE, Stabilisation::None] {
        let exact: [&[f64]; 3] = [&Sphere::P_END, &Sphere::V_END, &[]];
        assert_orders(&Sphere.model(), stabilisation, Sphere::T_END, [2048, 128], exact);
    }
}

#[test]
fn orders_on_a_turning_rod() {
    let (p, v, x, _) = Bead::at(1.0);
    for stabilisation in [PROJECTION, BAUMGARTE] {
        assert_orders(&Bead.model(), stabilisation, 1.0, [256, 32], [&p, &v, &x]);
    }
}

#[test]
fn orders_of_a_knife_edge_and_a_top() {
    let (p, v) = KnifeEdge::at(2.0);
    assert_orders(&KnifeEdge.model(), PROJECTION, 2.0, [512, 64], [&p, &v, &[]]);
    let (p, v) = Top::at(2.0);
    assert_orders(&Top.model(), PROJECTION, 2.0, [256, 32], [&p, &v, &[]]);
}

/// |g| and |G v| of a pendulum after 20 s at 1 kHz.
fn drift(formula: Formula, stabilisation: Stabilisation) -> (f64, f64) {
    let system = Pendulum.model();
    let (p, v, _) = run(&system, formula, stabilisation, 20.0, 20_000);
    let mut g = [0.0];
    system.constraints(&At { t: 20.0, p: &p, v: &v, x: &[], u: &[], modes: &[], prepared: &[] }, &mut g);
    (g[0].abs(), (p[0] * v[0] + p[1] * v[1]).abs())
}

#[test]
fn stabilisation_keeps_to_the_constraints() {
    for formula in [Formula::Euler, Formula::Rk4] {
        let (none, _) = drift(formula, Stabilisation::None);
        let (one, one_dot) = drift(formula, PROJECTION);
        let (two, two_dot) = drift(formula, Stabilisation::Projection { iterations: 2 });
        let (baumgarte, _) = drift(formula, Stabilisation::Baumgarte { alpha: 20.0, beta: 20.0 });
        assert!(one < 1e-6 && two < 1e-9 && two <= one, "{formula:?}: {one:.1e} {two:.1e}");
        assert!(one_dot < 1e-6 && two_dot < 1e-9, "{formula:?}: {one_dot:.1e} {two_dot:.1e}");
        assert!(baumgarte < 0.1 * none, "{formula:?}: {baumgarte:.1e} {none:.1e}");
    }
}

#[test]
fn multipliers_are_those_at_the_start_of_the_step() {
    let system = Bead.model();
    let layout = system.layout();
    let mut workspace = vec![0.0; FixedStep::workspace_len(layout)];
    let mut method = FixedStep::new(Formula::Rk4, PROJECTION, layout, &mut workspace).unwrap();
    let (mut p, mut v, mut x, lambda) = Bead::at(0.7);
    let mut motion = Motion { t: 0.7, p: &mut p, v: &mut v, x: &mut x };
    method.step(&system, &mut motion, &Held::default(), 0.01).unwrap();
    assert!(distance(method.lambda(), &lambda) < 1e-12);
}

#[test]
fn a_short_workspace_is_refused() {
    let system = Pendulum.model();
    let needed = FixedStep::workspace_len(system.layout());
    let mut workspace = vec![0.0; needed - 1];
    let error = FixedStep::new(Formula::Euler, PROJECTION, system.layout(), &mut workspace).unwrap_err();
    assert_eq!((error.needed, error.given), (needed, needed - 1));
}
