//! Orders of convergence: least-squares slopes over halved steps.
#![cfg(feature = "std")]

mod support;

use mbs_runtime::integrate::{Method, Projection, Radau5, method};
use mbs_runtime::linalg::Saddle;
use mbs_runtime::{Layout, State, System};
use support::closed_forms::{Bead, KnifeEdge, Top};
use support::constrained::{SliderCrank, Sphere};
use support::{Mechanism, distance, fixed_steps, plant, slope, start, tight};

const CONSTRAINED: [&str; 5] = ["mdop5", "hem5", "hedop5", "phem56", "radau5"];

/// A method as it is, but Newton's method of the implicit formula may iterate to rounding
/// with steps far longer than the tolerances would allow.
fn patient(name: &str, layout: &Layout) -> Box<dyn Method> {
    if name == "radau5" {
        let mut method = Radau5::new(layout);
        method.most_iterations = 60;
        method.newton_tolerance = 1e-5;
        return Box::new(method);
    }
    method(name, layout).unwrap()
}

/// End values to compare with; empty where unknown.
struct End {
    t: f64,
    p: Vec<f64>,
    v: Vec<f64>,
    x: Vec<f64>,
    lambda: Vec<f64>,
}

/// Slopes of p, v, x, λ of the last stage and λ of the end point.
fn slopes(
    system: &dyn System,
    name: &str,
    end: &End,
    first: u32,
    projection: Projection,
) -> [Option<f64>; 5] {
    let mut errors: [Vec<f64>; 5] = Default::default();
    // Below the fourth, errors of RADAU5 are what Newton's method leaves.
    let most = if name == "radau5" { 3 } else { 4 };
    for halvings in 0..most {
        let mut plant = plant(system);
        let mut method = patient(name, system.layout());
        let mut state = fixed_steps(&mut plant, &mut *method, end.t, first << halvings, projection);
        let stage_lambda = state.lambda.clone();
        let mut saddle = Saddle::new(state.v.len(), state.lambda.len());
        plant.eval_derivatives(&mut state, &mut saddle).unwrap();
        let State { p, v, x, lambda, .. } = &state;
        let pairs =
            [(p, &end.p), (v, &end.v), (x, &end.x), (&stage_lambda, &end.lambda), (lambda, &end.lambda)];
        for (list, (value, known)) in errors.iter_mut().zip(pairs) {
            if !known.is_empty() {
                list.push(distance(value, known));
            }
        }
    }
    errors.map(|errors| (!errors.is_empty()).then(|| slope(&errors)))
}

fn assert_orders(what: &str, slopes: [Option<f64>; 5], orders: [f64; 5]) {
    for ((slope, order), quantity) in slopes.into_iter().zip(orders).zip(["p", "v", "x", "stage λ", "λ"]) {
        if let Some(slope) = slope {
            assert!(slope >= order - 0.2, "{what}: {quantity} has slope {slope:.2}, not {order}");
        }
    }
}

/// Orders of p, v, x, λ as the last stage has it, λ from the end point.
fn nominal(name: &str) -> [f64; 5] {
    match name {
        "hem5" => [5.0, 5.0, 5.0, 3.0, 5.0],
        "hedop5" | "phem56" => [5.0, 5.0, 5.0, 4.0, 5.0],
        _ => [5.0; 5],
    }
}

#[test]
fn a_point_on_a_bent_sphere() {
    let system = Sphere.model();
    let end = End {
        t: Sphere::T_END,
        p: Sphere::P_END.into(),
        v: Sphere::V_END.into(),
        x: vec![],
        lambda: Sphere::LAMBDA_END.into(),
    };
    for name in CONSTRAINED {
        // Without position projection MDOP5 reaches its order for λ at finer steps only.
        let modes = [Projection::EveryStep, Projection::Velocity];
        for projection in modes.into_iter().take(if name == "mdop5" { 1 } else { 2 }) {
            let slopes = slopes(&system, name, &end, 32, projection);
            assert_orders(&format!("{name} {projection:?}"), slopes, nominal(name));
        }
    }
}

#[test]
fn a_slider_crank() {
    let system = SliderCrank.model();
    let end = End {
        t: SliderCrank::T_END,
        p: SliderCrank::P_END.into(),
        v: SliderCrank::V_END.into(),
        x: vec![],
        lambda: SliderCrank::LAMBDA_END.into(),
    };
    for name in CONSTRAINED {
        let first = if name == "radau5" { 32 } else { 16 };
        let slopes = slopes(&system, name, &end, first, Projection::EveryStep);
        assert_orders(name, slopes, nominal(name));
    }
}

#[test]
fn a_bead_on_a_turning_rod() {
    let system = Bead.model();
    let (p, v, x, lambda) = Bead::at(2.5);
    let end = End { t: 2.5, p: p.into(), v: v.into(), x: x.into(), lambda: lambda.into() };
    for name in CONSTRAINED {
        for projection in [Projection::Velocity, Projection::EveryStep] {
            let slopes = slopes(&system, name, &end, 64, projection);
            assert_orders(&format!("{name} {projection:?}"), slopes, nominal(name));
        }
    }
}

#[test]
fn a_knife_edge() {
    let system = KnifeEdge.model();
    let (p, v) = KnifeEdge::at(4.0);
    let end = End { t: 4.0, p: p.into(), v: v.into(), x: vec![], lambda: vec![] };
    for name in CONSTRAINED {
        let slopes = slopes(&system, name, &end, 32, Projection::EveryStep);
        assert_orders(name, slopes, nominal(name));
    }
}

#[test]
fn a_top_with_a_quaternion() {
    let system = Top.model();
    let (p, v) = Top::at(2.0);
    let end = End { t: 2.0, p: p.into(), v: v.into(), x: vec![], lambda: vec![] };
    for name in CONSTRAINED.into_iter().chain(["dopri5"]) {
        let slopes = slopes(&system, name, &end, 16, Projection::EveryStep);
        assert_orders(name, slopes, nominal(name));
    }
}

/// Dense output at 0.4 of the step in the middle of the run.
fn dense_slopes(
    system: &dyn System,
    name: &str,
    t_end: f64,
    first: u32,
    exact: impl Fn(f64) -> [Vec<f64>; 3],
) -> [f64; 3] {
    let mut errors: [Vec<f64>; 3] = Default::default();
    for halvings in 0..4 {
        let n = first << halvings;
        let mut plant = plant(system);
        let mut method = patient(name, system.layout());
        let mut state = start(&mut plant);
        let (mut next, mut between) = (state.clone(), state.clone());
        let h = t_end / f64::from(n);
        let mut worst = [0.0_f64; 3];
        for _ in 0..n {
            method.attempt(&mut plant, &state, h, &tight(Projection::EveryStep), &mut next).unwrap();
            method.accepted(&mut plant);
            method.prepare_dense(&mut plant, &state, &next).unwrap();
            for (theta, end) in [(0.0, &state), (1.0, &next)] {
                method.interpolate(&state, &next, theta, &mut between);
                assert!(distance(&between.p, &end.p) < 1e-13 && distance(&between.v, &end.v) < 1e-12);
            }
            method.interpolate(&state, &next, 0.4, &mut between);
            let parts = [&between.p, &between.v, &between.x];
            for ((worst, part), exact) in worst.iter_mut().zip(parts).zip(exact(between.t)) {
                *worst = worst.max(distance(part, &exact));
            }
            std::mem::swap(&mut state, &mut next);
        }
        for (list, worst) in errors.iter_mut().zip(worst) {
            list.push(worst);
        }
    }
    errors.map(|errors| if errors.iter().all(|error| *error == 0.0) { f64::INFINITY } else { slope(&errors) })
}

#[test]
fn dense_output() {
    for name in CONSTRAINED {
        let order = match name {
            "mdop5" => 4.0,
            "radau5" => 3.0,
            _ => 5.0,
        };
        let bead = dense_slopes(&Bead.model(), name, 2.0, 32, |t| {
            let (p, v, x, _) = Bead::at(t);
            [p.into(), v.into(), x.into()]
        });
        let top = dense_slopes(&Top.model(), name, 4.0, 16, |t| {
            let (p, v) = Top::at(t);
            [p.into(), v.into(), vec![]]
        });
        for (what, [p, v, x]) in [("bead", bead), ("top", top)] {
            assert!(p >= order - 0.2, "{name}, {what}: p has slope {p:.2}");
            assert!(v >= order - 0.2, "{name}, {what}: v has slope {v:.2}");
            assert!(x >= order.min(4.0) - 0.2, "{name}, {what}: x has slope {x:.2}");
        }
    }
}

#[test]
fn the_error_estimate_goes_like_a_power() {
    let system = Sphere.model();
    for name in CONSTRAINED {
        let mut plant = plant(&system);
        let mut method = patient(name, system.layout());
        let from = start(&mut plant);
        let mut to = from.clone();
        let mut error =
            |h: f64| method.attempt(&mut plant, &from, h, &tight(Projection::None), &mut to).unwrap();
        let errors: Vec<f64> = (0..4).map(|halvings| error(0.08 / f64::from(1 << halvings))).collect();
        // The estimate of HEM5 combines orders and reaches its own only slowly.
        let (least, most) = match name {
            "hem5" => (4.2, 6.5),
            "radau5" => (3.7, 5.5),
            _ => (4.7, 6.5),
        };
        let slope = slope(&errors);
        assert!((least..most).contains(&slope), "{name}: {slope:.2} {errors:?}");
    }
}

/// What methods say of themselves is what is measured above; the control of step sizes relies on the
/// order of the error estimate.
#[test]
fn methods_state_their_orders() {
    let system = Sphere.model();
    for name in CONSTRAINED {
        let method = method(name, system.layout()).unwrap();
        let of_error = if name == "radau5" { 4 } else { 5 };
        assert_eq!((f64::from(method.order()), method.error_order()), (nominal(name)[0], of_error), "{name}");
    }
}
