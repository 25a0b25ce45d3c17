//! Jacobians of frames against exact derivatives of poses along p' = T v.

use mbs_jit::{Interpreted, Native};
use mbs_runtime::{At, System};
use mbs_symbolic::dynamics::{self, FrameAxes};
use mbs_symbolic::model::NoFiles;
use mbs_symbolic::program::{FunctionKind, Inputs, Interpreter, Program, Rates, lower};
use mbs_symbolic::{Options, compile, optimize, topology};
use mbs_tests::load::Loaded;
use mbs_tests::models::{compiled, compiled_with};
use mbs_tests::random_models::{Kind, random_model};

/// Numbers that look random and are the same in every run.
struct Random(u64);

impl Random {
    /// Between −1 and 1.
    fn number(&mut self) -> f64 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        2.0 * (self.0 >> 11) as f64 / (1_u64 << 53) as f64 - 1.0
    }

    fn numbers(&mut self, n: usize) -> Vec<f64> {
        (0..n).map(|_| self.number()).collect()
    }
}

/// A state at which quaternions have length one; loops need not be closed.
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
    fn random(program: &Program, seed: u64) -> Self {
        let layout = &program.layout;
        let mut random = Random(seed);
        let mut p = random.numbers(layout.positions.len());
        for block in &layout.quaternions {
            let q = &mut p[block.p as usize..][..4];
            let length = q.iter().map(|q| q * q).sum::<f64>().sqrt();
            q.iter_mut().for_each(|q| *q /= length);
        }
        let mut prepared = vec![0.0; program.n_prepared()];
        Interpreter::new(program).prepare(program, &layout.parameter_defaults, &mut prepared);
        Self {
            t: random.number(),
            p,
            v: random.numbers(layout.velocities.len()),
            x: random.numbers(layout.states.len()),
            u: random.numbers(layout.inputs.len()),
            modes: random.numbers(layout.modes.len()).into_iter().map(|r| r < 0.0).collect(),
            prepared,
        }
    }

    fn inputs(&self) -> Inputs<'_> {
        let Self { t, p, v, x, u, modes, prepared } = self;
        Inputs { t: *t, p, v, x, u, modes, prepared, v_dot: &[], lambda: &[] }
    }

    fn value(&self, program: &Program, kind: FunctionKind) -> Vec<f64> {
        let mut out = vec![f64::NAN; program.function(kind).entries().count()];
        Interpreter::new(program).run(program, kind, &self.inputs(), &mut [&mut out]);
        out
    }

    /// The exact derivative of a function as velocity `j` alone is one.
    fn along(&self, program: &Program, kind: FunctionKind, j: usize) -> Vec<f64> {
        let layout = &program.layout;
        let (n_p, n_v) = (layout.positions.len(), layout.velocities.len());
        let t_matrix = self.value(program, FunctionKind::KinematicMatrix);
        let still = |n: usize| vec![0.0; n];
        let (v, x, u) = (still(n_v), still(layout.states.len()), still(layout.inputs.len()));
        let rates = Rates { t: 0.0, p: &t_matrix[j * n_p..][..n_p], v: &v, x: &x, u: &u };
        program.derivative(kind, &self.inputs(), &rates)
    }
}

/// Velocity of the origin and angular velocity of a pose (origin, rotation row by row) that changes
/// at a rate, in ground axes: [ω]× = R' Rᵀ.
fn velocities(pose: &[f64], rate: &[f64]) -> [f64; 6] {
    let (rot, rot_dot) = (&pose[3..12], &rate[3..12]);
    let spin = |i: usize, j: usize| (0..3).map(|k| rot_dot[3 * i + k] * rot[3 * j + k]).sum::<f64>();
    [rate[0], rate[1], rate[2], spin(2, 1), spin(0, 2), spin(1, 0)]
}

/// Components of two vectors in the axes of a pose.
fn turned(pose: &[f64], vectors: [f64; 6]) -> [f64; 6] {
    let rot = &pose[3..12];
    std::array::from_fn(|i| (0..3).map(|k| rot[3 * k + i % 3] * vectors[i / 3 * 3 + k]).sum())
}

fn assert_close(found: &[f64], expected: &[f64], what: &str) {
    let scale = expected.iter().fold(1.0_f64, |scale, x| scale.max(x.abs()));
    for (k, (found, expected)) in found.iter().zip(expected).enumerate() {
        assert!((found - expected).abs() <= 1e-12 * scale, "{what}, row {k}: {found} for {expected}");
    }
}

/// A poses' function (twelve numbers for each frame) against the Jacobian of these frames.
fn check(program: &Program, poses: FunctionKind, axes: FrameAxes, name: &str) {
    let n_v = program.layout.velocities.len();
    for seed in 1..6 {
        let point = Point::random(program, seed);
        let pose = point.value(program, poses);
        let found = point.value(program, FunctionKind::FrameJacobian);
        assert_eq!(found.len(), pose.len() / 12 * 6 * n_v, "{name}");
        for j in 0..n_v {
            let rate = point.along(program, poses, j);
            for (k, frame) in program.layout.frames.iter().enumerate() {
                let pose = &pose[12 * k..][..12];
                let mut expected = velocities(pose, &rate[12 * k..][..12]);
                if axes == FrameAxes::Frame {
                    expected = turned(pose, expected);
                }
                let column = &found[6 * (k * n_v + j)..][..6];
                assert_close(column, &expected, &format!("{name}, {frame}, column {j}, state {seed}"));
            }
        }
    }
}

/// Trees and loops, revolute and prismatic joints, quaternions, rolling, driven joints.
const MODELS: [&str; 12] = [
    "pendulum",
    "ur5",
    "spatial_chain",
    "heavy_top",
    "euler_top",
    "rolling_disc",
    "four_bar",
    "four_bar_spatial",
    "rssr",
    "five_link",
    "planar_vehicle",
    "flyball_governor",
];

#[test]
fn bodies_of_all_kinds_of_models() {
    for name in MODELS {
        for axes in [FrameAxes::Ground, FrameAxes::Frame] {
            let bodies = compiled(name).program.layout.bodies;
            let options = Options { frame_jacobians: bodies.clone(), frame_axes: axes, ..Options::default() };
            let program = compiled_with(name, options).program;
            assert_eq!(program.layout.frames, bodies, "{name}");
            check(&program, FunctionKind::Poses, axes, name);
        }
    }
}

/// Random mechanisms with all kinds of joints, in the tree and as cuts.
#[test]
fn bodies_of_random_mechanisms() {
    for seed in 0..40 {
        let (bodies, loops) = (3 + seed as usize % 3, seed as usize % 3);
        let kind = Kind { bodies, loops, constraints: 0, forces: 0, long: false, mimics: seed % 4 < 2 };
        let name = format!("random_{seed}");
        let model = Loaded::text(&name, &random_model(kind, seed)).model;
        let frames: Vec<String> = model.bodies.iter().skip(1).map(|body| body.name.text.clone()).collect();
        let topology = topology::build(&model).expect("built before");
        let axes = if seed % 2 == 0 { FrameAxes::Ground } else { FrameAxes::Frame };
        let options = Options { frame_jacobians: frames, frame_axes: axes, ..Options::default() };
        let mut program = lower(&dynamics::build(&model, &topology, options).expect("built before"));
        optimize::run(&mut program);
        check(&program, FunctionKind::Poses, axes, &name);
    }
}

/// A frame turned and moved on a body that is free in space, carries another by a joint, and is
/// held by a rod: its pose as twelve outputs, which a Jacobian must be the derivative of.
fn free_body() -> String {
    let mut outputs = String::new();
    for axis in ["x", "y", "z"] {
        outputs += &format!("  r_{axis}: position(arm.tool).{axis}\n");
    }
    for row in ["x", "y", "z"] {
        for column in ["x", "y", "z"] {
            outputs += &format!("  rot_{row}{column}: rotation(arm.tool).{row}{column}\n");
        }
    }
    format!(
        "model: free_body
parameters: {{l: 0.4}}
bodies:
  ground: {{frames: {{eye: {{position: [1, 0.2, -0.3]}}}}}}
  base: {{mass: 2, inertia: {{xx: 0.1, yy: 0.2, zz: 0.15}}, frames: {{hip: {{position: [0.1, l, 0.2]}}}}}}
  arm:
    mass: 1
    com: [l/2, 0, 0]
    inertia: {{xx: 0.01, yy: 0.03, zz: 0.03}}
    frames: {{tool: {{position: [l, 0.05, -0.1], rotation: [{{axis: x, angle: 0.3}}, {{axis: z, angle: -1.1}}]}}}}
joints:
  float: {{type: free, from: ground, to: base}}
  hip: {{type: revolute, from: base.hip, to: arm, axis: [1, 2, 3]}}
constraints:
  rod: {{type: distance, from: ground.eye, to: arm.tool, length: 1}}
outputs:
{outputs}"
    )
}

#[test]
fn a_frame_turned_on_its_body() {
    for axes in [FrameAxes::Ground, FrameAxes::Frame] {
        let frame_jacobians = vec!["arm.tool".to_owned()];
        let options = Options { frame_jacobians, frame_axes: axes, ..Options::default() };
        let program = compile("free_body.yaml", &free_body(), &NoFiles, options)
            .unwrap_or_else(|rejected| panic!("{rejected}"))
            .program;
        assert_eq!(program.layout.quaternions.len(), 1);
        check(&program, FunctionKind::Outputs, axes, "free_body");
    }
}

/// Native code and interpreter, by the runtime's interface.
#[test]
fn backends_agree_to_the_bit() {
    let options =
        Options { frame_jacobians: vec!["carrier".to_owned(), "rod1.tip".to_owned()], ..Options::default() };
    let program = compiled_with("five_link", options).program;
    let (native, interpreted) = (Native::new(&program).expect("native code"), Interpreted::new(&program));
    let point = Point::random(&program, 7);
    let expected = point.value(&program, FunctionKind::FrameJacobian);
    let Point { t, p, v, x, u, modes, prepared } = &point;
    let at = At { t: *t, p, v, x, u, modes, prepared };
    for system in [&native as &dyn System, &interpreted] {
        assert!(system.frame_names().iter().eq(["carrier", "rod1.tip"]));
        let mut found = vec![f64::NAN; expected.len()];
        assert_eq!(system.frame_jacobian(&at, &mut found), Ok(()));
        let bits = |values: &[f64]| values.iter().map(|value| value.to_bits()).collect::<Vec<_>>();
        assert_eq!(bits(&found), bits(&expected));
    }
    assert!(expected.iter().any(|entry| *entry != 0.0));
}

#[test]
fn equations_stay_what_they_are() {
    let plain = compiled("five_link");
    let asked = compiled_with(
        "five_link",
        Options { frame_jacobians: vec!["carrier".to_owned()], ..Options::default() },
    );
    for kind in FunctionKind::ALL.into_iter().filter(|&kind| kind != FunctionKind::FrameJacobian) {
        let counts = |compiled: &mbs_symbolic::Compiled| compiled.program.function(kind).counts();
        assert_eq!(counts(&asked), counts(&plain), "{}", kind.name());
    }
}

#[test]
fn names_that_no_frame_has_are_refused() {
    for (name, code) in [("carier", "MBS-N001"), ("rod1.tp", "MBS-N008"), ("", "MBS-N001")] {
        let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../models/five_link.yaml");
        let text = std::fs::read_to_string(path).expect("the model");
        let options = Options { frame_jacobians: vec![name.to_owned()], ..Options::default() };
        let rejected = compile("five_link.yaml", &text, &NoFiles, options).expect_err("no such frame");
        let problem = &rejected.diagnostics.iter().next().expect("a problem").problem;
        assert_eq!(problem.code(), code);
        assert_eq!(problem.help().is_some(), !name.is_empty(), "{problem}");
    }
}
