//! Accelerations as generated code: how they grow, and when they are not trusted.

mod runs;

use mbs_runtime::linalg::Saddle;
use mbs_runtime::{Accelerated, Defaults, Fused, Plant, State, System};
use mbs_symbolic::model::NoFiles;
use mbs_symbolic::program::{FunctionKind, Program};
use mbs_tests::close::assert_close;
use std::fmt::Write;

/// A row of four-bars, as `models/n_four_bar_2.yaml` has two.
fn four_bars(n: usize) -> String {
    let mut text =
        String::from("model: row\nparameters: {m: 1, L: 1, J: m*L^2/12}\nbodies:\n  ground:\n    frames:\n");
    for k in 0..=n {
        let _ = writeln!(text, "      A{k}: {{position: [{k}*L, 0, 0]}}");
    }
    let mut rod = |name: String, axis: usize| {
        let along = |length: &str| {
            ["[", if axis == 0 { length } else { "0" }, ", 0, ", if axis == 2 { length } else { "0" }, "]"]
                .concat()
        };
        let (com, end) = (along("L/2"), along("L"));
        let other = if axis == 0 { "zz" } else { "xx" };
        let _ = writeln!(
            text,
            "  {name}: {{mass: m, com: {com}, inertia: {{{other}: J, yy: J}}, frames: {{B: {{position: {end}}}}}}}"
        );
    };
    (0..=n).for_each(|k| rod(format!("vertical{k}"), 2));
    (1..=n).for_each(|k| rod(format!("horizontal{k}"), 0));
    text.push_str("joints:\n");
    for k in 0..=n {
        let _ = writeln!(
            text,
            "  pivot{k}: {{type: revolute, from: ground.A{k}, to: vertical{k}, axis: y, coordinate: phi{k}}}"
        );
    }
    for k in 1..=n {
        let before = k - 1;
        let _ = writeln!(
            text,
            "  hinge{k}: {{type: revolute, from: vertical{before}.B, to: horizontal{k}, axis: y, coordinate: psi{k}}}"
        );
        let _ = writeln!(
            text,
            "  closure{k}: {{type: revolute, from: horizontal{k}.B, to: vertical{k}.B, axis: y, cut: true}}"
        );
    }
    text
}

fn program(text: &str) -> Program {
    let compiled = mbs_symbolic::compile("row", text, &NoFiles, mbs_symbolic::Options::default());
    compiled.unwrap_or_else(|rejected| panic!("{rejected}")).program
}

/// Another loop costs the same however many there are.
#[test]
fn loops_in_a_row_cost_the_same_each() {
    let flops = |n| program(&four_bars(n)).function(FunctionKind::Accelerations).counts().flops();
    let [ten, twenty, forty] = [10, 20, 40].map(flops);
    let (early, late) = ((twenty - ten) / 10, (forty - twenty) / 20);
    assert!(early.abs_diff(late) <= early / 20, "{early} and {late} per loop");
}

/// Whether the generated solution is trusted at a state, and what the plant makes of it.
fn solve(system: &dyn System, state: &mut State) -> bool {
    let layout = system.layout();
    let mut plant = Plant::new(system, &layout.parameter_defaults, Box::new(Defaults));
    let mut pivots = vec![0.0; layout.n_v() + layout.n_lambda()];
    let State { t, p, v, x, p_dot, v_dot, x_dot, lambda, .. } = state;
    let is_reliable = plant.at(*t, p, v, x, |system, at| {
        let mut out = Accelerated { p_dot, v_dot, lambda, auxiliary: x_dot, pivots: &mut pivots };
        system.accelerations(at, &mut out).expect("short enough");
        out.is_reliable()
    });
    let mut saddle = Saddle::new(layout.n_v(), layout.n_lambda());
    plant.eval_derivatives(state, &mut saddle).expect("accelerations exist");
    is_reliable
}

/// All rods in one line: rows depend on each other, which another solver has to settle.
#[test]
fn a_singular_pose_is_noticed() {
    let system = runs::compile("row", &four_bars(2));
    let mut state = State::new(system.layout());
    state.p[..3].fill(0.3);
    state.p[3..].fill(-0.3);
    assert!(solve(&*system, &mut state), "upright");
    state.p[..3].fill(std::f64::consts::FRAC_PI_2);
    state.p[3..].fill(-std::f64::consts::FRAC_PI_2);
    state.v[..3].fill(1.0);
    state.v[3..].fill(-1.0);
    assert!(!solve(&*system, &mut state), "flat");
    let mut expected = state.clone();
    let mut plant = Plant::new(&*system, &system.layout().parameter_defaults, Box::new(Defaults));
    let mut saddle = Saddle::new(system.layout().n_v(), system.layout().n_lambda());
    plant.eval_derivatives_and_factors(&mut expected, &mut saddle).expect("accelerations exist");
    assert!(expected.v_dot.iter().all(|rate| rate.is_finite()));
    assert_close("v'", &state.v_dot, &expected.v_dot, 0.0, 0.0);
}

/// Rods of a suspension are eliminated along directions of their own, which are shorter the closer a
/// rod comes to the first axis of its joint. Both are compared with the solver that pivots.
#[test]
fn rods_in_every_direction() {
    let system = runs::system("five_link");
    let layout = system.layout();
    let place = layout.positions.position("psi3").expect("a coordinate");
    let mut plant = Plant::new(&*system, &layout.parameter_defaults, Box::new(Defaults));
    let mut state = State::new(layout);
    plant.initial(&mut state);
    state.v.iter_mut().enumerate().for_each(|(k, v)| *v = 0.3 * (k as f64 + 1.0).sin());
    for (angle, tolerance) in [(0.2, 1e-11), (1.2, 1e-11), (1.5, 1e-10), (1.57, 1e-8)] {
        state.p[place] = angle;
        assert!(solve(&*system, &mut state), "{angle}");
        let mut expected = state.clone();
        let mut saddle = Saddle::new(layout.n_v(), layout.n_lambda());
        plant.eval_derivatives_and_factors(&mut expected, &mut saddle).expect("accelerations exist");
        assert_close("v'", &state.v_dot, &expected.v_dot, 1.0, tolerance);
        assert_close("lambda", &state.lambda, &expected.lambda, 1.0, tolerance);
    }
}

/// A body and a wheel on three rods, whose shapes and ends are anything.
fn held_by_rods(random: &mut impl FnMut() -> f64) -> String {
    let (mut rods, mut places, mut joints) = (String::new(), [String::new(), String::new()], String::new());
    let mut vector =
        |scale: f64| format!("[{}, {}, {}]", scale * random(), scale * random(), scale * random());
    for k in 0..3 {
        let (com, tip, end) = (vector(0.3), vector(1.0), vector(0.5));
        let _ = writeln!(
            rods,
            "  rod{k}: {{mass: 1.5, com: {com}, inertia: {{xx: 0.1, yy: 0.2, zz: 0.22, xy: 0.02, xz: -0.03, yz: 0.01}}, frames: {{tip: {{position: {tip}}}}}}}"
        );
        let _ = writeln!(places[0], "      b{k}: {{position: {}}}", vector(1.0));
        let _ = writeln!(places[1], "      p{k}: {{position: {end}}}");
        let _ = writeln!(
            joints,
            "  foot{k}: {{type: universal, from: ground.b{k}, to: rod{k}, axes: [z, y], coordinates: [phi{k}, psi{k}]}}"
        );
        let ends = if k == 1 {
            "from: body.p1, to: rod1.tip".to_owned()
        } else {
            format!("from: rod{k}.tip, to: body.p{k}")
        };
        let _ = writeln!(joints, "  ball{k}: {{type: spherical, {ends}, cut: true}}");
    }
    let com = vector(0.2);
    format!(
        "model: held\nbodies:\n  ground:\n    frames:\n{}{rods}  body:\n    mass: 8\n    com: {com}\n    inertia: {{xx: 0.5, yy: 0.6, zz: 0.7}}\n    frames:\n{}  wheel: {{mass: 3, inertia: {{xx: 0.2, yy: 0.3, zz: 0.2}}}}\njoints:\n  motion: {{type: free, from: ground, to: body, sequence: zxy, coordinates: [x, y, z, a, b, c]}}\n{joints}  hub: {{type: revolute, from: body, to: wheel, axis: y, coordinate: spin}}\n",
        places[0], places[1]
    )
}

/// Compares the solution of the model's own with that of the solver that pivots.
fn assert_same_solution(system: &dyn System, parameters: &[f64], state: &State, tolerance: f64) {
    let layout = system.layout();
    let mut plant = Plant::new(system, parameters, Box::new(Defaults));
    let mut saddle = Saddle::new(layout.n_v(), layout.n_lambda());
    let (mut own, mut expected) = (state.clone(), state.clone());
    plant.eval_derivatives(&mut own, &mut saddle).expect("accelerations exist");
    plant.eval_derivatives_and_factors(&mut expected, &mut saddle).expect("accelerations exist");
    assert_close("v'", &own.v_dot, &expected.v_dot, 1.0, tolerance);
    assert_close("lambda", &own.lambda, &expected.lambda, 1.0, tolerance);
}

/// Columns of rods that are not across each other, rods with couplings in M, both directions of the
/// joint at the end.
#[test]
fn rods_of_any_shape() {
    let mut seed = 7_u64;
    let mut random = || {
        seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (seed >> 33) as f64 / f64::from(1_u32 << 30) - 1.0
    };
    let mut trusted = 0;
    for _ in 0..12 {
        let system = runs::compile("held", &held_by_rods(&mut random));
        for _ in 0..4 {
            let mut state = State::new(system.layout());
            state.p.iter_mut().chain(&mut state.v).for_each(|value| *value = 0.8 * random());
            trusted += u32::from(solve(&*system, &mut state));
            assert_same_solution(&*system, &system.layout().parameter_defaults, &state, 1e-7);
        }
    }
    assert!(trusted >= 40, "{trusted} of 48 states");
}

/// A rod without mass leaves M singular, which another solver has to settle; light rods do not.
#[test]
fn light_rods() {
    let system = runs::system("five_link");
    let layout = system.layout();
    for mass in [0.0, 1e-3] {
        let mut parameters = layout.parameter_defaults.to_vec();
        for name in ["m2", "m3", "m4"] {
            parameters[layout.parameters.position(name).expect("a parameter")] = mass;
        }
        let plant = Plant::new(&*system, &parameters, Box::new(Defaults));
        let mut state = State::new(layout);
        plant.initial(&mut state);
        state.v.iter_mut().enumerate().for_each(|(k, v)| *v = 0.3 * (k as f64 + 1.0).sin());
        assert_same_solution(&*system, &parameters, &state, 1e-9);
    }
}

/// Along a run that passes singular poses, sparse factors give what dense ones give.
#[test]
fn sparse_factors_as_dense_ones() {
    let system = runs::system("n_four_bar_40");
    let layout = system.layout();
    let trajectory = runs::run(&*system, "mdop5", &runs::tight(1.0, 1e-8));
    let mut plant = Plant::new(&*system, &layout.parameter_defaults, Box::new(Defaults));
    let (mut sparse, mut dense) =
        (layout.saddle(layout.n_lambda()), Saddle::new(layout.n_v(), layout.n_lambda()));
    let mut compared = 0;
    for state in &trajectory.states {
        // Close to a singular pose both lose digits.
        if state.p[0].cos().abs() < 0.1 {
            continue;
        }
        let (mut by_sparse, mut by_dense) = (state.clone(), state.clone());
        plant.eval_derivatives_and_factors(&mut by_sparse, &mut sparse).expect("accelerations exist");
        plant.eval_derivatives_and_factors(&mut by_dense, &mut dense).expect("accelerations exist");
        assert!(sparse.is_sparse() && !dense.is_sparse());
        assert_close("v'", &by_sparse.v_dot, &by_dense.v_dot, 1.0, 1e-9);
        assert_close("lambda", &by_sparse.lambda, &by_dense.lambda, 1.0, 1e-9);
        compared += 1;
    }
    assert!(compared > 20, "{compared} states");
}

/// Written over their zeros, M and G are what they are when written as a whole.
#[test]
fn matrices_over_their_zeros() {
    for name in ["n_four_bar_40", "five_link", "andrews"] {
        let system = runs::system(name);
        let layout = system.layout();
        let (n_v, rows) = (layout.n_v(), layout.n_lambda());
        let mut plant = Plant::new(&*system, &layout.parameter_defaults, Box::new(Defaults));
        let mut state = State::new(layout);
        plant.initial(&mut state);
        // What has been there before must not show; what is always zero is.
        let stale = |pattern: &[(u32, u32)], rows: usize| {
            let mut matrix = vec![0.0; rows * n_v];
            pattern.iter().for_each(|&(i, j)| matrix[j as usize * rows + i as usize] = f64::NAN);
            matrix
        };
        let (mut m, mut g) = (stale(&layout.mass_pattern, n_v), stale(&layout.jacobian_pattern, rows));
        let (mut fused_m, mut fused_g) = (m.clone(), g.clone());
        let (mut whole_m, mut whole_g) = (vec![f64::NAN; n_v * n_v], vec![f64::NAN; rows * n_v]);
        let State { t, p, v, x, p_dot, x_dot, .. } = &mut state;
        plant.at(*t, p, v, x, |system, at| {
            system.mass_matrix(at, &mut whole_m);
            system.constraint_jacobian(at, &mut whole_g);
            system.update_mass_matrix(at, &mut m);
            system.update_constraint_jacobian(at, &mut g);
            let mut out = Fused {
                p_dot,
                mass_matrix: &mut fused_m,
                forces: &mut vec![f64::NAN; n_v],
                constraint_jacobian: &mut fused_g,
                acceleration_bias: &mut vec![f64::NAN; rows],
                auxiliary: x_dot,
            };
            system.update_fused(at, &mut out);
            assert!(
                out.forces.iter().chain(&*out.acceleration_bias).all(|value| value.is_finite()),
                "{name}"
            );
        });
        assert_eq!((&m, &g), (&whole_m, &whole_g), "{name}");
        assert_close("M", &fused_m, &whole_m, 0.0, 1e-12);
        assert_close("G", &fused_g, &whole_g, 1.0, 1e-12);
    }
}

/// A call stands for one of each.
#[test]
fn costs_are_counted_as_before() {
    let system = runs::system("four_bar");
    let layout = system.layout();
    let counts = |own: bool| {
        let mut plant = Plant::new(&*system, &layout.parameter_defaults, Box::new(Defaults));
        let mut state = State::new(layout);
        plant.initial(&mut state);
        let mut saddle = Saddle::new(layout.n_v(), layout.n_lambda());
        let outcome = match own {
            true => plant.eval_derivatives(&mut state, &mut saddle),
            false => plant.eval_derivatives_and_factors(&mut state, &mut saddle),
        };
        outcome.expect("accelerations exist");
        (plant.statistics, state)
    };
    let ((own, by_own), (other, by_other)) = (counts(true), counts(false));
    assert_eq!(own, other);
    assert_close("v'", &by_own.v_dot, &by_other.v_dot, 0.0, 1e-12);
    assert_close("lambda", &by_own.lambda, &by_other.lambda, 0.0, 1e-12);
}
