//! Sine and cosine of angles of rotation.

use crate::expr::{BinaryOp, Graph, Node};
use crate::ids::ExprId;
use mbs_math as math;
use std::f64::consts::FRAC_PI_2;

/// Angles this close to a multiple of π/2 are meant to be exactly that, rad: a right angle that
/// went through degrees, roll-pitch-yaw angles or a file with twelve digits. Sine and cosine are
/// taken of one angle, exact or not, so that rotations stay orthonormal to rounding.
pub(crate) const NEAR_EXACT_TOLERANCE: f64 = 1e-10;

/// Sine and cosine of an angle, with right angles exact: those that are numbers, and those
/// added to something else.
pub(crate) fn sin_cos(graph: &mut Graph, angle: ExprId) -> (ExprId, ExprId) {
    if let Some(value) = graph.as_constant(angle) {
        let (sine, cosine) = match right_angle(graph, value) {
            Some(quarters) => [(0.0, 1.0), (1.0, 0.0), (0.0, -1.0), (-1.0, 0.0)][usize::from(quarters)],
            None => math::sin_cos(value),
        };
        return (graph.constant(sine), graph.constant(cosine));
    }
    let Some((rest, quarters)) = quarter_turns(graph, angle) else {
        return (graph.sin(angle), graph.cos(angle));
    };
    let (sine, cosine) = (graph.sin(rest), graph.cos(rest));
    let (minus_sine, minus_cosine) = (graph.neg(sine), graph.neg(cosine));
    match quarters {
        0 => (sine, cosine),
        1 => (cosine, minus_sine),
        2 => (minus_sine, minus_cosine),
        _ => (minus_cosine, sine),
    }
}

/// The rest of a sum with a number of quarter turns, and how many, 0 to 3.
fn quarter_turns(graph: &mut Graph, angle: ExprId) -> Option<(ExprId, u8)> {
    let Node::Binary(op @ (BinaryOp::Add | BinaryOp::Sub), a, b) = graph.node(angle) else { return None };
    let (rest, constant) = match (graph.as_constant(a), graph.as_constant(b)) {
        (Some(constant), None) if op == BinaryOp::Add => (b, constant),
        (None, Some(constant)) if op == BinaryOp::Add => (a, constant),
        (None, Some(constant)) => (a, -constant),
        _ => return None,
    };
    Some((rest, right_angle(graph, constant)?))
}

/// How many quarter turns, 0 to 3, an angle is meant to be, if any.
fn right_angle(graph: &mut Graph, angle: f64) -> Option<u8> {
    let quarters = math::floor(angle / FRAC_PI_2 + 0.5);
    let distance = (angle - quarters * FRAC_PI_2).abs();
    // Far away, the remainder of a turn says nothing any more.
    if graph.keep_dust && angle != 0.0 || quarters.abs() > 1e3 || distance > NEAR_EXACT_TOLERANCE {
        return None;
    }
    graph.snapped_angles += usize::from(distance > 0.0);
    Some(quarters.rem_euclid(4.0) as u8)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::expr::Symbol;

    #[test]
    fn right_angles_are_exact() {
        let mut graph = Graph::new();
        for quarters in -5_i8..=5 {
            let angle = graph.constant(f64::from(quarters) * FRAC_PI_2 + 1e-12);
            let (sine, cosine) = sin_cos(&mut graph, angle);
            let exact = [(0.0, 1.0), (1.0, 0.0), (0.0, -1.0), (-1.0, 0.0)][quarters.rem_euclid(4) as usize];
            assert_eq!((graph.as_constant(sine), graph.as_constant(cosine)), (Some(exact.0), Some(exact.1)));
        }
        assert!(graph.snapped_angles > 0);
        let angle = graph.constant(1e-9);
        let (sine, _) = sin_cos(&mut graph, angle);
        assert_eq!(graph.as_constant(sine), Some(math::sin_cos(1e-9).0));
    }

    #[test]
    #[expect(clippy::approx_constant, reason = "angles as people write them")]
    fn angles_near_right_ones_are_of_length_one() {
        // 1.5708 is 3.7e-6 from a right angle: its cosine is not small enough to be nothing, and
        // its sine is as far from one as the cosine demands.
        for value in [1.5708, -1.5708, 3.14159, 6.28318, 1e-5, 1.0 + 1e-7] {
            let mut graph = Graph::new();
            let angle = graph.constant(value);
            let (sine, cosine) = sin_cos(&mut graph, angle);
            let [sine, cosine] = [sine, cosine].map(|entry| graph.as_constant(entry).expect("a number"));
            let square = sine * sine + cosine * cosine;
            assert!((square - 1.0).abs() <= f64::EPSILON, "{value}: {square}");
            assert_eq!(graph.snapped_angles, 0);
        }
    }

    #[test]
    fn kept_dust_is_kept() {
        let mut graph = Graph::new();
        graph.keep_dust = true;
        let angle = graph.constant(FRAC_PI_2);
        let (_, cosine) = sin_cos(&mut graph, angle);
        assert_eq!(graph.as_constant(cosine), Some(math::sin_cos(FRAC_PI_2).1));
        let q = graph.symbol(Symbol::P(0));
        let sum = graph.add(q, angle);
        assert_eq!(sin_cos(&mut graph, sum), (graph.sin(sum), graph.cos(sum)));
    }

    #[test]
    fn quarter_turns_leave_a_sum() {
        let mut graph = Graph::new();
        let q = graph.symbol(Symbol::P(0));
        let (sine, cosine) = (graph.sin(q), graph.cos(q));
        let (minus_sine, minus_cosine) = (graph.neg(sine), graph.neg(cosine));
        for (quarters, expected) in [
            (1.0, (cosine, minus_sine)),
            (2.0, (minus_sine, minus_cosine)),
            (-1.0, (minus_cosine, sine)),
            (5.0, (cosine, minus_sine)),
        ] {
            let offset = graph.constant(quarters * FRAC_PI_2);
            let angle = graph.add(q, offset);
            assert_eq!(sin_cos(&mut graph, angle), expected);
        }
        let offset = graph.constant(0.3);
        let angle = graph.add(q, offset);
        assert_eq!(sin_cos(&mut graph, angle), (graph.sin(angle), graph.cos(angle)));
    }
}
