//! Constraints of the same motion that ask for different things end a run, by name; what drifts
//! does not.

mod runs;

use mbs_runtime::integrate::{Projection, SimulationError};
use mbs_runtime::{Settings, System};
use runs::{compile, system, try_run};

const METHODS: [&str; 5] = ["mdop5", "hem5", "hedop5", "phem56", "radau5"];
const PROJECTIONS: [Projection; 4] =
    [Projection::None, Projection::Velocity, Projection::Controlled, Projection::EveryStep];

fn hinge(constraints: &str) -> Box<dyn System> {
    let text = format!(
        "model: hinge
bodies: {{arm: {{mass: 1, com: [0.1, 0, 0], inertia: {{yy: 1}}}}}}
joints: {{hinge: {{type: revolute, from: ground, to: arm, axis: y, coordinate: phi}}}}
constraints:
{constraints}"
    );
    compile("hinge", &text)
}

fn two_motions(one: &str, other: &str) -> Box<dyn System> {
    let motion = |name: &str, value: &str| {
        format!("  {name}: {{type: motion, coordinate: phi, value: \"{value}\"}}\n")
    };
    hinge(&(motion("one", one) + &motion("other", other)))
}

/// When a run ends by a contradiction of two constraints.
fn contradicted(system: &dyn System, method: &str, projection: Projection) -> f64 {
    let settings = Settings { projection, rtol: 1e-6, ..Settings::default() };
    let error = try_run(system, method, &[], &settings).expect_err("they differ");
    let SimulationError::Contradiction { t, constraints, value, .. } = &error else {
        panic!("{method}: {error}")
    };
    assert_eq!(constraints, &["one", "other"], "{error}");
    assert!(*value > 0.0 && error.to_string().contains("`one` and `other` contradict"), "{error}");
    *t
}

#[test]
fn motions_that_differ_end_the_run() {
    for method in METHODS {
        for projection in PROJECTIONS {
            // Apart from the start: 2 m/s² against none.
            assert_eq!(contradicted(&*two_motions("t^2", "0"), method, projection), 0.0);
            assert_eq!(contradicted(&*two_motions("0.1*t", "0.2*t"), method, projection), 0.0);
            // Rates apart by t²/2: past 1e-5 at 4.5 ms; steps may be long.
            let t = contradicted(&*two_motions("sin(t)", "t"), method, projection);
            assert!(t > 0.004 && t < 0.5, "{method}, {projection:?}: {t}");
            // Much later: 9 t⁸ is past 1e-5 at 0.18 s.
            let t = contradicted(&*two_motions("t^9", "0"), method, projection);
            assert!(t > 0.18 && t <= 1.0, "{method}, {projection:?}: {t}");
        }
    }
}

#[test]
fn rates_that_differ_end_the_run() {
    let rates = "  one: {type: equation, level: velocity, value: der(phi) - t}
  other: {type: equation, level: velocity, value: der(phi) - t - t^3}\n";
    for method in METHODS {
        let t = contradicted(&*hinge(rates), method, Projection::Controlled);
        assert!(t > 0.01 && t < 0.5, "{method}: {t}");
    }
}

#[test]
fn motions_that_agree_do_not() {
    let same = [("t^2", "t*t"), ("sin(t)^2", "(1 - cos(2*t))/2"), ("1e-8*sin(t)^2", "0")];
    for (one, other) in same {
        for method in METHODS {
            for projection in PROJECTIONS {
                let settings = Settings { projection, t_end: 3.0, ..Settings::default() };
                let trajectory = try_run(&*two_motions(one, other), method, &[], &settings);
                let trajectory =
                    trajectory.unwrap_or_else(|error| panic!("{one}, {other}, {method}: {error}"));
                assert_eq!(trajectory.redundant, ["one", "other"]);
            }
        }
    }
}

/// Redundant loops drift off their constraints without projection, and are not accused of anything.
#[test]
fn drift_is_no_contradiction() {
    for name in ["four_bar_spatial", "bricard"] {
        for projection in [Projection::None, Projection::Velocity, Projection::Controlled] {
            for rtol in [1e-2, 1e-3, 1e-6] {
                let settings = Settings { projection, rtol, t_end: 2.0, ..Settings::default() };
                let trajectory = try_run(&*system(name), "mdop5", &[], &settings);
                let trajectory =
                    trajectory.unwrap_or_else(|error| panic!("{name}, {projection:?}, {rtol}: {error}"));
                assert!(!trajectory.redundant.is_empty(), "{name}");
            }
        }
    }
}
