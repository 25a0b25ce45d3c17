//! What evaluating the equations costs, against CasADi.
//!
//! The bars are operations of CasADi 3.8 graphs traced through Pinocchio 4.1, after its
//! common-subexpression elimination, on the same mechanisms: additions, multiplications
//! and divisions, sines and cosines apart. Our f also holds the joint torques, which
//! the bars do not.

use mbs_symbolic::program::{Counts, FunctionKind};
use mbs_tests::models::compiled;

/// A model, one of its functions, and what CasADi needs for it.
const BARS: [(&str, FunctionKind, u32); 11] = [
    ("ur5", FunctionKind::MassMatrix, 293),
    ("ur5", FunctionKind::Forces, 531),
    ("panda", FunctionKind::MassMatrix, 1073),
    ("panda", FunctionKind::Forces, 1183),
    ("chain7", FunctionKind::MassMatrix, 1483),
    ("chain7", FunctionKind::Forces, 1585),
    ("chain12", FunctionKind::MassMatrix, 3946),
    ("chain12", FunctionKind::Forces, 2980),
    // In ground axes, which is its best for long chains.
    ("chain30", FunctionKind::MassMatrix, 12192),
    // M, f, G and z together; p' costs nothing in these models.
    ("four_bar", FunctionKind::Fused, 175),
    ("andrews", FunctionKind::Fused, 593),
];

#[test]
fn below_casadi() {
    let mut failures = Vec::new();
    eprintln!(
        "{:<10} {:<12} {:>6} {:>6} {:>6} {:>7}",
        "model", "function", "flops", "trig", "sqrt", "CasADi"
    );
    for (model, kind, bar) in BARS {
        let program = compiled(model).program;
        let counts = program.function(kind).counts();
        let Counts { trig, sqrt, .. } = counts;
        let name = kind.name();
        eprintln!("{model:<10} {name:<12} {:>6} {trig:>6} {sqrt:>6} {bar:>7}", counts.flops());
        if counts.flops() >= bar {
            failures.push(format!("{model} {name}: {} flops, CasADi {bar}", counts.flops()));
        }
        // One pair per angle at most: body angles of a tree are those of its joints.
        let angles = program.layout.positions.len() as u32;
        if kind != FunctionKind::Fused && trig > angles {
            failures.push(format!("{model} {name}: {trig} sines and cosines of {angles} angles"));
        }
    }
    assert!(failures.is_empty(), "{}", failures.join("\n"));
}

/// What has been reached: not to be exceeded. Of 290 operations of planar12's f twelve add the
/// torques at its joints.
#[test]
fn as_low_as_reached() {
    let reached = [
        ("ur5", FunctionKind::MassMatrix, 84),
        ("ur5", FunctionKind::Forces, 186),
        ("ur5", FunctionKind::Fused, 256),
        ("ur5", FunctionKind::Accelerations, 348),
        ("panda", FunctionKind::MassMatrix, 314),
        ("panda", FunctionKind::Forces, 541),
        ("panda", FunctionKind::Fused, 840),
        ("panda", FunctionKind::Accelerations, 1068),
        ("chain7", FunctionKind::MassMatrix, 793),
        ("chain7", FunctionKind::Forces, 834),
        ("chain7", FunctionKind::Fused, 1622),
        ("chain7", FunctionKind::Accelerations, 1850),
        ("chain12", FunctionKind::MassMatrix, 2024),
        ("chain12", FunctionKind::Fused, 3618),
        ("chain30", FunctionKind::MassMatrix, 8550),
        ("chain30", FunctionKind::Fused, 12880),
        ("planar12", FunctionKind::MassMatrix, 382),
        ("planar12", FunctionKind::Forces, 290),
        ("planar12", FunctionKind::InverseDynamics, 391),
        ("planar12", FunctionKind::Accelerations, 658),
        ("five_link", FunctionKind::Fused, 631),
        ("five_link", FunctionKind::Accelerations, 1734),
        ("five_link_bushings", FunctionKind::Accelerations, 1190),
        ("andrews", FunctionKind::Fused, 125),
        ("andrews", FunctionKind::Accelerations, 401),
        ("four_bar", FunctionKind::Fused, 44),
        ("full_car", FunctionKind::Fused, 763),
    ];
    for (model, kind, most) in reached {
        let flops = compiled(model).program.function(kind).counts().flops();
        assert!(flops <= most, "{model} {}: {flops} flops, {most} were enough", kind.name());
    }
}

/// Accelerations of trees: what the best of other programs need, to stay below.
const TREES: [(&str, u32); 6] = [
    ("ur5", 557),
    ("panda", 1176),
    ("chain7", 2039),
    ("chain12", 5374),
    ("chain30", 19489),
    ("planar12", 1129),
];

#[test]
fn accelerations_of_trees() {
    let mut failures = Vec::new();
    eprintln!("{:<10} {:<20} {:>6} {:>6} {:>6}", "model", "algorithm", "flops", "div", "bar");
    for (model, bar) in TREES {
        let compiled = compiled(model);
        for (algorithm, counts) in &compiled.report.algorithms {
            let (flops, div) = (counts.flops(), counts.div);
            eprintln!("{model:<10} {:<20} {flops:>6} {div:>6} {bar:>6}", algorithm.name());
        }
        let flops = compiled.program.function(FunctionKind::Accelerations).counts().flops();
        if flops >= bar {
            failures.push(format!("{model}: {flops} flops, others {bar}"));
        }
        let best = compiled.report.algorithms.iter().map(|(_, counts)| counts.flops()).min();
        assert_eq!(best, Some(flops), "{model}: the cheaper one");
    }
    assert!(failures.is_empty(), "{}", failures.join("\n"));
}

/// CasADi's loops take 6 and 14 sines and cosines, each counted by itself.
#[test]
fn loops_need_few_sines() {
    for (model, bar) in [("four_bar", 6), ("andrews", 14)] {
        let trig = compiled(model).program.function(FunctionKind::Fused).counts().trig;
        assert!(trig < bar, "{model}: {trig} pairs");
    }
}

/// What is shared between M, f, G and z is computed once.
#[test]
fn fused_costs_less_than_its_parts() {
    for model in ["four_bar", "andrews", "five_link", "ur5", "planar_vehicle"] {
        let program = compiled(model).program;
        let flops = |kind| program.function(kind).counts().flops();
        let parts = [
            FunctionKind::Kinematics,
            FunctionKind::MassMatrix,
            FunctionKind::Forces,
            FunctionKind::ConstraintJacobian,
            FunctionKind::AccelerationBias,
            FunctionKind::Auxiliary,
        ];
        let apart: u32 = parts.map(flops).iter().sum();
        assert!(flops(FunctionKind::Fused) <= apart, "{model}");
    }
}
