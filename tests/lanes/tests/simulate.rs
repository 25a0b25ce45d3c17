//! A sample's run does not depend on what the other lanes and threads do.

use mbs_lanes::{model, random};
use mbs_runtime::batch::{self, Outcome, Sample};
use mbs_runtime::integrate::{Projection, Remedy};
use mbs_runtime::{Settings, simulate};

/// Samples that differ in all parameters by a few percent.
fn samples(name: &str, count: usize) -> Vec<Sample> {
    let defaults = &model(name).layout().parameter_defaults;
    let mut random = random(3);
    let vary = |_| Sample {
        parameters: defaults.iter().map(|value| value * (1.0 + 0.01 * random())).collect(),
        start: None,
    };
    (0..count).map(vary).collect()
}

/// Everything of an outcome, each number to the last bit.
fn text(outcome: &Outcome) -> String {
    format!("{outcome:?}")
}

/// With the model's own solution for accelerations, and without.
fn compare(name: &str, settings: &Settings, count: usize) {
    for use_generated_solver in [true, false] {
        compare_one(name, &Settings { use_generated_solver, ..settings.clone() }, count);
    }
}

fn compare_one(name: &str, settings: &Settings, count: usize) {
    let samples = samples(name, count);
    let model = model(name);
    let alone: Vec<String> = samples
        .iter()
        .map(|sample| {
            let settings = Settings { parameters: sample.parameters.clone(), ..settings.clone() };
            text(&simulate(model.as_system(), &settings))
        })
        .collect();
    for threads in [1, 2, 3] {
        for outcomes in [
            batch::each(model.as_system(), &samples, settings, threads),
            batch::lanes(model, &samples, settings, threads),
        ] {
            assert_eq!(outcomes.len(), alone.len());
            for (index, (outcome, alone)) in outcomes.iter().zip(&alone).enumerate() {
                assert!(text(outcome) == *alone, "{name}: sample {index} on {threads} threads");
            }
        }
    }
    let mut turned = samples;
    turned.reverse();
    let outcomes = batch::lanes(model, &turned, settings, 1);
    for (outcome, alone) in outcomes.iter().zip(alone.iter().rev()) {
        assert!(text(outcome) == *alone, "{name}: the neighbours have an influence");
    }
}

#[test]
fn trees() {
    for name in ["chain7", "ur5"] {
        compare(name, &Settings { t_end: 0.5, ..Settings::default() }, 9);
        let coarse = Settings { t_end: 0.5, rtol: 1e-3, output_step: Some(0.01), ..Settings::default() };
        compare(name, &coarse, 6);
    }
}

#[test]
fn quaternions() {
    compare("heavy_top", &Settings { t_end: 0.5, ..Settings::default() }, 7);
}

#[test]
fn loops_with_every_projection() {
    for projection in [Projection::None, Projection::Velocity, Projection::Controlled, Projection::EveryStep]
    {
        let settings = Settings { t_end: 0.01, projection, ..Settings::default() };
        compare("andrews", &settings, 6);
        compare("five_link", &Settings { t_end: 0.3, ..settings }, 6);
    }
}

#[test]
fn rolling() {
    compare("rolling_disc", &Settings { t_end: 0.5, ..Settings::default() }, 6);
}

#[test]
fn events_and_tables() {
    compare("planar_vehicle", &Settings { t_end: 1.0, rtol: 1e-4, ..Settings::default() }, 6);
    compare("five_link_bushings", &Settings { t_end: 0.05, rtol: 1e-4, ..Settings::default() }, 5);
}

/// Samples that turn stiff go on implicitly where there is a Jacobian, and as they were where
/// there is none.
#[test]
fn stiffness() {
    let stiff = |name: &str, t_end: f64| -> Vec<Option<Remedy>> {
        let settings = Settings { t_end, rtol: 1e-5, ..Settings::default() };
        compare(name, &settings, 6);
        let outcomes = batch::lanes(model(name), &samples(name, 6), &settings, 1);
        let remedy = |outcome: &Outcome| outcome.as_ref().expect("a run").stiffness.map(|found| found.remedy);
        outcomes.iter().map(remedy).collect()
    };
    assert_eq!(stiff("flyball_governor", 0.5), [Some(Remedy::Switched { to: "radau5" }); 6]);
    assert_eq!(stiff("five_link_bushings", 0.1), [Some(Remedy::NoJacobian); 6]);
}

#[test]
fn kinks_of_tables_and_conditions_in_inputs() {
    let settings = Settings { t_end: 1.5, rtol: 1e-7, ..Settings::default() };
    compare("kinks", &settings, 6);
    let samples = vec![Sample::default(); 4];
    for outcome in batch::lanes(model("kinks"), &samples, &settings, 1) {
        let events = outcome.expect("a run").events;
        // The ramp is read at 2 t − 0.1 and, in the input, at t; its kinks are 0.25, 0.5, 0.75, 1.
        for (name, t) in [("winch.ramp at 0.5", 0.3), ("winch.ramp at 1", 0.55), ("push.ramp at 0.25", 0.25)]
        {
            let found: Vec<f64> =
                events.iter().filter(|event| event.name == name).map(|event| event.t).collect();
            assert!(matches!(found[..], [at] if (at - t).abs() < 1e-15), "{name}: {found:?}");
        }
        assert_eq!(events.iter().filter(|event| event.name == "push" && event.t == 0.3).count(), 1);
        assert!(events.iter().any(|event| event.name == "buffer.spring at 0" && event.rising));
    }
}

#[test]
fn starts_and_failures_stay_in_their_lane() {
    let model = model("chain7");
    let settings = Settings { t_end: 0.2, ..Settings::default() };
    let mut samples = vec![Sample::default(); 6];
    // A start that is not a number fails alone.
    let mut start = mbs_runtime::State::new(model.layout());
    start.v.fill(f64::NAN);
    samples[1].start = Some(start.clone());
    start.v.fill(0.5);
    samples[2].start = Some(start);
    // So does a model without mass.
    samples[4].parameters = vec![0.0; model.layout().parameter_defaults.len()];
    let outcomes = batch::lanes(model, &samples, &settings, 1);
    let alone = simulate(model.as_system(), &settings);
    for (index, outcome) in outcomes.iter().enumerate() {
        match index {
            1 => assert!(outcome.is_err()),
            2 => assert!(outcome.is_ok() && *outcome != alone),
            4 => assert!(text(outcome) != text(&alone)),
            _ => assert_eq!(text(outcome), text(&alone)),
        }
    }
}
