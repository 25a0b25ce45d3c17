//! Small hand-written equations for the tests of this stage and those after it.

use super::Layout;
use crate::diag::Span;
use crate::dynamics::{
    Decision, Element, Equations, InputSlot, Mode, ModeKind, Pose, QuaternionBlock, Row, RowKind,
};
use crate::expr::{BinaryOp, Graph, Symbol, UnaryOp};
use crate::ids::{BodyId, ConstraintId, ExprId, ForceId, Id, InputId, ModeId, TableId};
use crate::model::{Name, Outside, Table};
use mbs_math::TableKind;

fn strings<const N: usize>(names: [&str; N]) -> Vec<String> {
    names.map(String::from).to_vec()
}

fn pose(graph: &mut Graph, body: usize, r_wb_w: [ExprId; 3], sine: ExprId, cosine: ExprId) -> Pose {
    let (zero, one, minus) = (graph.zero(), graph.one(), graph.neg(sine));
    Pose {
        body: BodyId::new(body),
        r_wb_w,
        rot_wb: [[cosine, zero, sine], [zero, one, zero], [minus, zero, cosine]],
    }
}

/// A point mass on a rod: M = m l², f = τ − m g l sin φ.
pub(crate) fn pendulum() -> Equations {
    let mut g = Graph::new();
    let [mass, length, gravity] = [0, 1, 2].map(|i| g.symbol(Symbol::Theta(i)));
    let (phi, omega, torque) = (g.symbol(Symbol::P(0)), g.symbol(Symbol::V(0)), g.symbol(Symbol::U(0)));
    let (zero, one) = (g.zero(), g.one());
    let first_moment = g.mul(mass, length);
    let inertia = g.mul(first_moment, length);
    let (sine, cosine) = (g.sin(phi), g.cos(phi));
    let weight = g.mul(first_moment, gravity);
    let swing = g.mul(weight, sine);
    let force = g.sub(torque, swing);
    let v_dot = g.symbol(Symbol::VDot(0));
    let inertial = g.mul(inertia, v_dot);
    let inverse = g.sub(inertial, force);
    let half = g.scale(0.5, inertia);
    let square = g.mul(omega, omega);
    let kinetic = g.mul(half, square);
    let height = g.mul(weight, cosine);
    let tip = g.mul(length, cosine);
    let side = g.mul(length, sine);
    let (x, z) = (g.neg(side), g.neg(tip));
    let pose = pose(&mut g, 1, [x, zero, z], sine, cosine);
    let potential = g.neg(height);
    let start = g.constant(0.3);

    let layout = Layout {
        model: "pendulum".into(),
        description: "A point mass on a rod".into(),
        positions: strings(["phi"]),
        position_units: strings(["rad"]),
        velocities: strings(["phi"]),
        velocity_units: strings(["rad/s"]),
        inputs: vec![InputSlot { name: "torque".into(), input: InputId::new(0), derivative: 0 }],
        parameters: strings(["m", "l", "g"]),
        parameter_defaults: vec![1.0, 1.0, 9.81],
        parameter_docs: vec![
            (Some("kg".into()), Some("mass at the tip".into())),
            (Some("m".into()), None),
            (None, None),
        ],
        derived: strings(["J"]),
        outputs: strings(["height"]),
        output_units: vec![Some("m".into())],
        bodies: strings(["rod"]),
        held_positions: vec![0],
        ..Layout::default()
    };
    Equations {
        p_dot: vec![omega],
        kinematic_matrix: vec![one],
        mass_matrix: vec![inertia],
        forces: vec![force],
        outputs: vec![z],
        inverse_dynamics: vec![inverse],
        poses: vec![pose],
        kinetic_energy: kinetic,
        potential_energy: potential,
        input_defaults: vec![zero],
        initial: [vec![start], vec![zero], Vec::new()],
        derived: vec![inertia],
        names: vec![(inertia, "J".into())],
        ..Equations::empty(g, layout)
    }
}

/// Equations without meaning that use every operator, table and kind of symbol.
pub(crate) fn everything() -> Equations {
    let mut g = Graph::new();
    let theta = [0, 1, 2].map(|i| g.symbol(Symbol::Theta(i)));
    let p = [0, 1, 2, 3].map(|i| g.symbol(Symbol::P(i)));
    let v = [0, 1, 2].map(|i| g.symbol(Symbol::V(i)));
    let (x, u, t) = (g.symbol(Symbol::X(0)), g.symbol(Symbol::U(1)), g.symbol(Symbol::Time));
    let (lambda, v_dot) = (g.symbol(Symbol::Lambda(1)), g.symbol(Symbol::VDot(2)));
    let modes = [0, 1].map(|i| g.symbol(Symbol::Mode(ModeId::new(i))));
    let (zero, one) = (g.zero(), g.one());

    let mut outputs = Vec::new();
    let angle = g.mul(p[0], theta[0]);
    for op in [
        UnaryOp::Neg,
        UnaryOp::Sqrt,
        UnaryOp::Sin,
        UnaryOp::Cos,
        UnaryOp::Tan,
        UnaryOp::Asin,
        UnaryOp::Acos,
        UnaryOp::Atan,
        UnaryOp::Sinh,
        UnaryOp::Cosh,
        UnaryOp::Tanh,
        UnaryOp::Exp,
        UnaryOp::Log,
        UnaryOp::Floor,
    ] {
        outputs.push(g.unary(op, angle));
    }
    for op in [
        BinaryOp::Add,
        BinaryOp::Sub,
        BinaryOp::Mul,
        BinaryOp::Div,
        BinaryOp::Pow,
        BinaryOp::Atan2,
        BinaryOp::Mod,
    ] {
        outputs.push(g.binary(op, p[1], v[0]));
    }
    let less = g.binary(BinaryOp::Less, p[0], theta[1]);
    let at_most = g.binary(BinaryOp::LessEqual, u, x);
    let both = g.binary(BinaryOp::And, less, modes[0]);
    let opposite = g.unary(UnaryOp::Not, at_most);
    let either = g.binary(BinaryOp::Or, both, opposite);
    outputs.push(g.select(either, lambda, v_dot));
    outputs.push(g.select(modes[1], t, angle));
    for (kind, last) in [(TableKind::Spline, 3), (TableKind::Linear, 1)] {
        for derivative in 0..=last {
            outputs.push(g.table(TableId::new(0), kind, derivative, p[2]));
        }
    }
    let n_outputs = outputs.len();
    let fixed = g.div(theta[0], theta[2]);
    let spring = g.mul(theta[1], p[3]);
    let scaled = g.mul(spring, fixed);
    let mut diagonal = vec![zero; 9];
    diagonal[0] = one;
    diagonal[4] = fixed;
    diagonal[8] = theta[2];
    let mut matrix = vec![zero; 12];
    matrix[1] = p[0];
    let (sine, cosine) = (g.sin(p[0]), g.cos(p[0]));
    let pose = pose(&mut g, 1, [p[0], zero, p[1]], sine, cosine);

    let row = |name: &str, kind| Row {
        name: name.into(),
        element: Element::Constraint(ConstraintId::new(0)),
        kind,
    };
    let mode = |name: &str, kind| Mode {
        name: name.into(),
        element: Element::Force(ForceId::new(0)),
        kind,
        decision: Decision::Touch,
        is_time_event: false,
        uses: vec![Vec::new()],
    };
    let slot = |derivative| InputSlot { name: "in".into(), input: InputId::new(0), derivative };
    let layout = Layout {
        model: "everything".into(),
        description: "Every operator".into(),
        positions: strings(["j.qw", "j.qx", "j.qy", "j.qz"]),
        position_units: strings(["1"; 4]),
        velocities: strings(["j.wx", "j.wy", "j.wz"]),
        velocity_units: strings(["rad/s"; 3]),
        states: strings(["pressure"]),
        inputs: vec![slot(0), slot(1), slot(2)],
        parameters: strings(["type", "K1", "gen"]),
        parameter_defaults: vec![0.25, -1e-3, 1e21],
        parameter_docs: vec![(None, None); 3],
        rows: vec![row("rod.distance", RowKind::Distance), row("skate", RowKind::Nonholonomic)],
        n_g: 1,
        quaternions: vec![QuaternionBlock { joint: "j".into(), p: 0, v: 0 }],
        modes: [mode("tyre", ModeKind::Negative), mode("tyre.2", ModeKind::NotPositive)]
            .into_iter()
            .collect(),
        outputs: (0..n_outputs).map(|i| format!("o{i}")).collect(),
        output_units: vec![None; n_outputs],
        bodies: strings(["b"]),
        held_velocities: vec![1],
        ..Layout::default()
    };
    let name = Name { text: "road".into(), span: Span::default() };
    let (x, y) = (vec![-1.0, 0.0, 0.5, 2.0], vec![0.0, 1.0, -0.5, 3.0]);
    let table = Table { name, x, y, events: false, outside: Outside::default() };
    Equations {
        tables: [table].into_iter().collect(),
        frozen_readings: Vec::new(),
        p_dot: vec![v[0], v[1], v[2], scaled],
        kinematic_matrix: matrix.clone(),
        mass_matrix: diagonal,
        forces: vec![scaled, zero, u],
        constraints: vec![angle],
        constraint_jacobian: vec![zero, sine, cosine, zero, theta[0], fixed],
        velocity_bias: vec![zero, t],
        acceleration_bias: vec![angle, scaled],
        auxiliary: vec![spring],
        switching: vec![angle, t],
        outputs,
        inverse_dynamics: vec![v_dot, zero, one],
        poses: vec![pose],
        kinetic_energy: scaled,
        potential_energy: fixed,
        input_defaults: vec![t, one, zero],
        initial: [vec![one, zero, zero, zero], vec![zero, theta[0], zero], vec![fixed]],
        ..Equations::empty(g, layout)
    }
}
