//! Trees computed by another program: data of `tests/data/peers`.

use serde_json::Value;

use mbs_symbolic::ids::{BodyId, FrameId, Id};
use mbs_symbolic::model::{Axis, AxisAngle, JointKind, Model};

use crate::build;

/// One tree with its reference values.
#[derive(Debug, Clone)]
pub struct Peer {
    /// The tree as a model.
    pub model: Model,
    /// States with what the other program computed.
    pub samples: Vec<Sample>,
}

/// Reference values at one state.
#[derive(Debug, Clone)]
pub struct Sample {
    /// Positions.
    pub q: Vec<f64>,
    /// Velocities.
    pub v: Vec<f64>,
    /// Generalised forces applied in addition.
    pub tau: Vec<f64>,
    /// M, both triangles.
    pub mass_matrix: Vec<f64>,
    /// h = −f without `tau`.
    pub h: Vec<f64>,
    /// v' under `tau`.
    pub v_dot: Vec<f64>,
}

/// Reads one tree; panics if the data is not what it should be.
pub fn read(text: &str) -> Peer {
    let data: Value = serde_json::from_str(text).expect("peer data is JSON");
    let list = |value: &Value| value.as_array().expect("a list").clone();
    let numbers =
        |value: &Value| -> Vec<f64> { list(value).iter().map(|x| x.as_f64().expect("a number")).collect() };
    let three = |value: &Value| -> [f64; 3] { numbers(value).try_into().expect("three numbers") };
    let matrix = |value: &Value| -> [[f64; 3]; 3] {
        let rows: Vec<_> = list(value).iter().map(three).collect();
        rows.try_into().expect("three rows")
    };

    let mut model = build::model(9.81);
    model.name = data["name"].as_str().expect("a name").to_owned();
    model.gravity = build::numbers(three(&data["gravity"]));
    let bodies = list(&data["bodies"]);
    for body in &bodies {
        let name = body["name"].as_str().expect("a name");
        let inertia = matrix(&body["I_com"]);
        let mass = body["mass"].as_f64().expect("a number");
        let reference = build::body(&mut model, name, mass, three(&body["com"]), [0.0; 3]);
        let [x, y, z] = inertia;
        model.bodies[BodyId::new(reference.index())].inertia =
            [x[0], y[1], z[2], x[1], x[2], y[2]].map(build::number);
    }
    for (index, body) in bodies.iter().enumerate() {
        let parent = body["parent"].as_i64().expect("a number") + 1;
        let parent = BodyId::new(usize::try_from(parent).expect("a body"));
        let from = build::frame(&mut model, parent, three(&body["p"]));
        model.frames[from].rotation = rotation(&matrix(&body["R"]));
        let axis = axis(three(&body["joint"]["axis"]));
        let ends = [from, FrameId::new(index + 1)];
        match body["joint"]["type"].as_str() {
            Some("revolute") => {
                build::joint(&mut model, ends, 1, |q| JointKind::Revolute { axis: axis.clone(), angle: q[0] })
            }
            Some("prismatic") => build::joint(&mut model, ends, 1, |q| JointKind::Prismatic {
                axis: axis.clone(),
                distance: q[0],
            }),
            other => panic!("joint type {other:?}"),
        };
    }
    let samples = list(&data["states"]).into_iter().map(|state| {
        let lower: Vec<Vec<f64>> = list(&state["M_lower"]).iter().map(numbers).collect();
        let n = lower.len();
        let entry = |k: usize| {
            let (i, j) = (k % n, k / n);
            lower[i.max(j)][i.min(j)]
        };
        Sample {
            q: numbers(&state["q"]),
            v: numbers(&state["v"]),
            tau: numbers(&state["tau"]),
            mass_matrix: (0..n * n).map(entry).collect(),
            h: numbers(&state["h"]),
            v_dot: numbers(&state["qdd"]),
        }
    });
    let samples = samples.collect();
    Peer { model, samples }
}

fn axis(direction: [f64; 3]) -> Axis {
    match (0..3).find(|&k| direction[k].abs() == 1.0) {
        Some(k) => Axis::Principal { index: [0, 1, 2][k], negative: direction[k] < 0.0 },
        None => Axis::Vector(build::numbers(direction)),
    }
}

/// A rotation matrix as one rotation about an axis.
fn rotation(r: &[[f64; 3]; 3]) -> Vec<AxisAngle> {
    let w = [r[2][1] - r[1][2], r[0][2] - r[2][0], r[1][0] - r[0][1]];
    let sine = 0.5 * (w[0] * w[0] + w[1] * w[1] + w[2] * w[2]).sqrt();
    let cosine = 0.5 * (r[0][0] + r[1][1] + r[2][2] - 1.0);
    let turn = |axis: Axis, angle: f64| vec![AxisAngle { axis, angle: build::number(angle) }];
    if sine > 1e-6 {
        turn(Axis::Vector(build::numbers(w)), sine.atan2(cosine))
    } else if cosine > 0.0 {
        Vec::new()
    } else {
        // Half a turn: R = 2 a aᵀ − 1; the column with the largest diagonal entry gives a.
        let k = (0..3).max_by(|&i, &j| r[i][i].total_cmp(&r[j][j])).unwrap_or(0);
        let column: [f64; 3] = std::array::from_fn(|i| r[i][k] + f64::from(u8::from(i == k)));
        turn(Axis::Vector(build::numbers(column)), std::f64::consts::PI)
    }
}
