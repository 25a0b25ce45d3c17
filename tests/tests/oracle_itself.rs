//! The oracle against closed forms written by hand.

use mbs_symbolic::ids::{BodyId, FrameId, Id, JointId};
use mbs_symbolic::model::{BinaryOperator, Constraint, ConstraintKind, JointKind, Model, TermKind};
use mbs_tests::build;
use mbs_tests::close::assert_close;
use mbs_tests::mechanism::{Kept, State};
use mbs_tests::oracle::Oracle;
use mbs_tests::scalar::{Dual, Scalar};

fn state(p: &[f64], v: &[f64]) -> State {
    State { t: 0.2, p: p.to_vec(), v: v.to_vec(), x: Vec::new(), u: Vec::new(), theta: Vec::new() }
}

fn all(model: &Model) -> Kept {
    Kept::without(model, Vec::new())
}

fn revolute(model: &mut Model, ends: [FrameId; 2], axis: u8) -> JointId {
    build::joint(model, ends, 1, |q| JointKind::Revolute { axis: build::axis(axis), angle: q[0] })
}

/// A bar hanging from ground, turning about y: (J + m s²) φ'' = −m g s sin φ.
#[test]
fn pendulum() {
    let (m, s, j, g) = (1.3, 0.4, 0.05, 9.81);
    let mut model = build::model(g);
    let bar = build::body(&mut model, "bar", m, [0.0, 0.0, -s], [0.7, j, 0.2]);
    revolute(&mut model, [FrameId::new(0), bar], 1);
    let kept = all(&model);
    let (phi, omega) = (0.6_f64, 1.7);
    let state = state(&[phi], &[omega]);
    let oracle = Oracle::new(&model, &kept, &state);
    let inertia = j + m * s * s;
    assert_close("M", &oracle.mass_matrix(), &[inertia], 0.0, 1e-14);
    assert_close("f", &oracle.forces().values, &[-m * g * s * phi.sin()], 0.0, 1e-14);
    assert_close("T", &[oracle.kinetic_energy()], &[0.5 * inertia * omega * omega], 0.0, 1e-14);
    let potential = oracle.potential_energy();
    assert_close("V", &[potential], &[-m * g * s * phi.cos()], 0.0, 1e-14);
    // The joint carries the weight and the centripetal force along the bar.
    let accelerations = [oracle.forces().values[0] / inertia];
    let reaction = oracle.reaction(JointId::new(0), &accelerations, &[]);
    let along = m * g * phi.cos() + m * s * omega * omega;
    let across = m * g * phi.sin() + m * s * accelerations[0];
    assert_close("reaction", &reaction, &[-across, 0.0, along, 0.0, 0.0, 0.0], 0.0, 1e-13);
}

/// The textbook equations of two point masses on massless rods, absolute and relative
/// angle: φ₁ from the vertical, φ₂ of the second rod relative to the first.
#[test]
fn double_pendulum() {
    let (m1, m2, l1, l2, g) = (1.1, 0.7, 0.5, 0.3, 9.81);
    let mut model = build::model(g);
    let ground = FrameId::new(0);
    let first = build::body(&mut model, "first", m1, [0.0, 0.0, -l1], [0.0; 3]);
    let second = build::body(&mut model, "second", m2, [0.0, 0.0, -l2], [0.0; 3]);
    let tip = build::frame(&mut model, BodyId::new(1), [0.0, 0.0, -l1]);
    revolute(&mut model, [ground, first], 1);
    // Written against the direction of the tree; the coordinate then counts the other way.
    revolute(&mut model, [second, tip], 1);
    let kept = all(&model);
    let (a, b, va, vb) = (0.4_f64, -0.9_f64, 1.2, 0.8);
    let state = state(&[a, -b], &[va, -vb]);
    let oracle = Oracle::new(&model, &kept, &state);
    let (sin_b, cos_b) = b.sin_cos();
    let m11 = m1 * l1 * l1 + m2 * (l1 * l1 + l2 * l2 + 2.0 * l1 * l2 * cos_b);
    let m12 = m2 * (l2 * l2 + l1 * l2 * cos_b);
    let m22 = m2 * l2 * l2;
    assert_close("M", &oracle.mass_matrix(), &[m11, -m12, -m12, m22], 0.0, 1e-14);
    let h = m2 * l1 * l2 * sin_b;
    let f1 = h * (2.0 * va * vb + vb * vb) - (m1 + m2) * g * l1 * a.sin() - m2 * g * l2 * (a + b).sin();
    let f2 = -h * va * va - m2 * g * l2 * (a + b).sin();
    let forces = oracle.forces();
    assert_close("f", &forces.values, &[f1, -f2], forces.largest_term, 1e-14);
}

/// Euler's equations I ω' = −ω × I ω about a fixed point.
#[test]
fn free_rotation_with_a_quaternion() {
    let inertia = [0.3, 0.5, 0.7];
    let mut model = build::model(0.0);
    let top = build::body(&mut model, "top", 2.0, [0.0; 3], inertia);
    build::quaternion_joint(&mut model, [FrameId::new(0), top]);
    let kept = all(&model);
    let w = [0.4, -1.1, 0.8];
    let state = state(&[0.5, 0.5, -0.5, 0.5], &w);
    let oracle = Oracle::new(&model, &kept, &state);
    let diagonal = [0.3, 0.0, 0.0, 0.0, 0.5, 0.0, 0.0, 0.0, 0.7];
    assert_close("M", &oracle.mass_matrix(), &diagonal, 0.0, 1e-14);
    let euler = [
        (inertia[1] - inertia[2]) * w[1] * w[2],
        (inertia[2] - inertia[0]) * w[2] * w[0],
        (inertia[0] - inertia[1]) * w[0] * w[1],
    ];
    assert_close("f", &oracle.forces().values, &euler, 0.0, 1e-14);
    let p_dot = oracle.p_dot();
    // q·q' = 0 and T v = q'.
    let radial: f64 = p_dot.iter().zip(&state.p).map(|(a, b)| a * b).sum();
    assert_close("q·q'", &[radial], &[0.0], 1.0, 1e-15);
    let t = oracle.kinematic_matrix();
    let product: Vec<f64> = (0..4).map(|i| (0..3).map(|j| t[i + 4 * j] * w[j]).sum()).collect();
    assert_close("T v", &product, &p_dot, 0.0, 1e-15);
}

/// G and z against differences of g along the quaternion's own flow, off the unit sphere.
#[test]
fn constraints_with_a_quaternion_that_is_not_unit() {
    let mut model = build::model(9.81);
    let ground = FrameId::new(0);
    let body = build::body(&mut model, "body", 1.0, [0.1, 0.2, 0.3], [0.3, 0.5, 0.7]);
    let point = build::frame(&mut model, BodyId::new(1), [0.3, -0.4, 0.6]);
    let anchor = build::frame(&mut model, BodyId::new(0), [1.0, 0.2, -0.3]);
    build::quaternion_joint(&mut model, [ground, body]);
    let closure = revolute(&mut model, [point, anchor], 0);
    model.constraints.push(Constraint {
        name: build::name("rod"),
        kind: ConstraintKind::Distance {
            from: anchor,
            to: point,
            // 0.9 + 0.1 t
            length: build::formula(&[
                TermKind::Number(0.9),
                TermKind::Number(0.1),
                TermKind::Time,
                TermKind::Binary(BinaryOperator::Mul, 1, 2),
                TermKind::Binary(BinaryOperator::Add, 0, 3),
            ]),
        },
    });
    let kept = Kept::without(&model, vec![closure]);
    let now = state(&[0.7, -0.6, 0.4, 0.5], &[0.4, -1.1, 0.8]);
    let oracle = Oracle::new(&model, &kept, &now);
    let constraints = oracle.constraints();
    assert_eq!(
        constraints.names,
        ["j1.x", "j1.y", "j1.z", "j1.rx", "j1.ry", "rod.distance"],
        "position rows, orientation rows, elements"
    );
    // With constant ω the quaternion turns as exp: q(τ) = q ⊗ (cos |ω|τ/2, …).
    let at = |tau: f64| {
        let speed = now.v.iter().map(|w| w * w).sum::<f64>().sqrt();
        let (s, c) = (0.5 * speed * tau).sin_cos();
        let [x, y, z] = [0, 1, 2].map(|k| now.v[k] / speed * s);
        let [a, b, d, e] = [now.p[0], now.p[1], now.p[2], now.p[3]];
        let q = [
            a * c - b * x - d * y - e * z,
            a * x + b * c + d * z - e * y,
            a * y - b * z + d * c + e * x,
            a * z + b * y - d * x + e * c,
        ];
        let mut moved = state(&q, &now.v);
        moved.t += tau;
        Oracle::new(&model, &kept, &moved).constraints().g
    };
    let h = 1e-3;
    let [before, here, after] = [at(-h), at(0.0), at(h)];
    let [further_before, further_after] = [at(-2.0 * h), at(2.0 * h)];
    let n = constraints.names.len();
    let rate: Vec<f64> = (0..n)
        .map(|i| (8.0 * (after[i] - before[i]) - (further_after[i] - further_before[i])) / (12.0 * h))
        .collect();
    let second: Vec<f64> = (0..n)
        .map(|i| {
            let near = 16.0 * (after[i] + before[i]) - 30.0 * here[i];
            (near - further_after[i] - further_before[i]) / (12.0 * h * h)
        })
        .collect();
    let velocity: Vec<f64> = (0..n)
        .map(|i| constraints.c[i] + (0..3).map(|j| constraints.jac_g[i + n * j] * now.v[j]).sum::<f64>())
        .collect();
    assert_close("G v + c", &velocity, &rate, 0.0, 1e-9);
    assert_close("z", &constraints.z, &second, 0.0, 1e-7);
}

/// M from partial velocities is the Hessian of the kinetic energy.
#[test]
fn mass_matrix_is_the_hessian_of_the_energy() {
    let mut model = build::model(9.81);
    let ground = FrameId::new(0);
    let first = build::body(&mut model, "first", 1.0, [0.1, 0.2, 0.3], [0.3, 0.5, 0.7]);
    let second = build::body(&mut model, "second", 2.0, [-0.1, 0.2, 0.5], [0.4, 0.5, 0.6]);
    build::quaternion_joint(&mut model, [ground, first]);
    build::joint(&mut model, [second, first], 2, |q| JointKind::Cylindrical {
        axis: build::axis(2),
        distance: q[0],
        angle: q[1],
    });
    let kept = all(&model);
    let state = state(&[0.5, 0.5, -0.5, 0.5, 0.3, 0.8], &[0.4, -1.1, 0.8, 0.3, -0.7]);
    let oracle = Oracle::new(&model, &kept, &state);
    let seed = |here: bool| f64::from(u8::from(here));
    let hessian: Vec<f64> = (0..25)
        .map(|entry| {
            let (i, j) = (entry % 5, entry / 5);
            let velocity = |(k, v): (usize, &f64)| Dual {
                value: Dual { value: *v, slope: seed(k == i) },
                slope: Dual::constant(seed(k == j)),
            };
            let v: Vec<_> = state.v.iter().enumerate().map(velocity).collect();
            oracle.kinetic_energy_of(&v).slope.slope
        })
        .collect();
    assert_close("M", &oracle.mass_matrix(), &hessian, 0.0, 1e-14);
}
