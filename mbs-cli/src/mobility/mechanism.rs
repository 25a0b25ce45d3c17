//! The constraints of a program as functions of position, and how to fulfil them.

use super::rank::Rows;
use super::real::{Real, dot, norm};
use super::structure::Structure;
use mbs_symbolic::program::{FunctionKind, Inputs, Interpreter, Program, RowKind};

/// Lengths are measured by `length`, the size of the mechanism in m, so that metres and
/// radians can be compared: all rows and columns below are free of dimension.
pub(super) struct Mechanism<'a, S> {
    program: &'a Program,
    interpreter: Interpreter<S>,
    prepared: Vec<S>,
    /// Inputs at their defaults at t = 0.
    u: Vec<S>,
    modes: Vec<bool>,
    row_scales: Vec<S>,
    column_scales: Vec<S>,
    structure: &'a Structure,
}

/// Where closing a mechanism ended.
#[derive(Debug, Clone)]
pub(super) struct Closing<S> {
    pub(super) p: Vec<S>,
    /// Length of g, free of dimension.
    pub(super) gap: f64,
}

impl<'a, S: Real> Mechanism<'a, S> {
    pub(super) fn new(program: &'a Program, structure: &'a Structure, length: f64) -> Self {
        let layout = &program.layout;
        let mut interpreter = Interpreter::new(program);
        let theta: Vec<S> = layout.parameter_defaults.iter().map(|&value| S::from(value)).collect();
        let mut prepared = vec![S::from(0.0); program.n_prepared()];
        interpreter.prepare(program, &theta, &mut prepared);
        let scale = |is_length: bool| S::from(if is_length { length } else { 1.0 });
        let row_scale = |kind: RowKind| {
            scale(matches!(kind, RowKind::Position | RowKind::Distance | RowKind::Nonholonomic))
        };
        let mut mechanism = Self {
            program,
            interpreter,
            prepared,
            u: vec![S::from(0.0); layout.inputs.len()],
            modes: vec![false; layout.modes.len()],
            row_scales: layout.rows.iter().map(|row| row_scale(row.kind)).collect(),
            column_scales: layout.velocity_units.iter().map(|unit| scale(unit.starts_with('m'))).collect(),
            structure,
        };
        mechanism.u = mechanism.run(FunctionKind::InputDefaults, &[]).remove(0);
        mechanism
    }

    /// The model's own initial positions.
    pub(super) fn initial(&mut self) -> Vec<S> {
        self.run(FunctionKind::Initial, &[]).remove(0)
    }

    fn run(&mut self, kind: FunctionKind, p: &[S]) -> Rows<S> {
        let function = self.program.function(kind);
        let mut results: Rows<S> =
            function.results.iter().map(|block| vec![S::from(0.0); block.entries.len()]).collect();
        let inputs =
            Inputs { p, u: &self.u, modes: &self.modes, prepared: &self.prepared, ..Inputs::default() };
        let mut slices: Vec<&mut [S]> = results.iter_mut().map(Vec::as_mut_slice).collect();
        self.interpreter.run(self.program, kind, &inputs, &mut slices);
        results
    }

    /// Twelve numbers per body but ground: origin, then rotation matrix row by row.
    pub(super) fn poses(&mut self, p: &[S]) -> Vec<S> {
        self.run(FunctionKind::Poses, p).remove(0)
    }

    /// g, in the units of its rows.
    pub(super) fn constraints_si(&mut self, p: &[S]) -> Vec<S> {
        self.run(FunctionKind::Constraints, p).remove(0)
    }

    /// g, free of dimension.
    fn constraints(&mut self, p: &[S]) -> Vec<S> {
        let g = self.constraints_si(p);
        g.into_iter().zip(&self.row_scales).map(|(g, &scale)| g / scale).collect()
    }

    /// Length of g, free of dimension.
    pub(super) fn gap(&mut self, p: &[S]) -> f64 {
        norm(&self.constraints(p)).to_f64()
    }

    /// Whether a joint that closes a loop is turned over, which its rows do not tell.
    pub(super) fn is_turned_over(&mut self, p: &[S]) -> bool {
        self.program.has(FunctionKind::ClosureCosines)
            && self.run(FunctionKind::ClosureCosines, p).remove(0).iter().any(|cosine| cosine.to_f64() < 0.0)
    }

    /// G by rows, free of dimension, non-holonomic rows last.
    pub(super) fn jacobian(&mut self, p: &[S]) -> Rows<S> {
        let rows = self.row_scales.len();
        let entries = self.run(FunctionKind::ConstraintJacobian, p).remove(0);
        let row = |r: usize| {
            let mut row = vec![S::from(0.0); self.column_scales.len()];
            for &c in &self.structure.columns[r] {
                row[c] = entries[r + rows * c] * self.column_scales[c] / self.row_scales[r];
            }
            row
        };
        (0..rows).map(row).collect()
    }

    /// p moved by `step`, given free of dimension in velocity space: p ⊕ T δ.
    pub(super) fn moved(&mut self, p: &[S], step: &[S]) -> Vec<S> {
        let matrix = self.run(FunctionKind::KinematicMatrix, p).remove(0);
        let n_p = p.len();
        let mut next = p.to_vec();
        for (k, (&step, &scale)) in step.iter().zip(&self.column_scales).enumerate() {
            for (i, p) in next.iter_mut().enumerate() {
                *p = *p + matrix[i + n_p * k] * step * scale;
            }
        }
        for block in &self.program.layout.quaternions {
            let first = block.p as usize;
            let part = &mut next[first..first + 4];
            let length = norm(part);
            if length > S::from(0.0) {
                part.iter_mut().for_each(|q| *q = *q / length);
            }
        }
        next
    }

    /// Fulfils g = 0 from `p`, moving only velocities that are `free`, until g falls no more.
    ///
    /// Levenberg and Marquardt with the damping |g| (Fan & Yuan, *Computing* 74, 2005): it
    /// converges as fast as Newton's method where the rows are independent, and does not
    /// break down where they are not.
    pub(super) fn close(&mut self, p: &[S], free: &[bool], enough: f64) -> Closing<S> {
        const STEPS: usize = 100;
        const LONGEST: f64 = 0.5;
        let mut p = p.to_vec();
        let mut g = self.constraints(&p);
        let mut gap = norm(&g).to_f64();
        let mut damping = 1.0;
        let mut stalled = 0;
        for _ in 0..STEPS {
            if gap <= enough || !gap.is_finite() || stalled > 6 {
                break;
            }
            let mut jacobian = self.jacobian(&p);
            jacobian.truncate(g.len());
            for row in &mut jacobian {
                for (entry, _) in row.iter_mut().zip(free).filter(|(_, free)| !**free) {
                    *entry = S::from(0.0);
                }
            }
            let Some(mut step) = damped(&jacobian, self.structure, &g, damping * gap) else { break };
            // A turn of more than half a radian leaves what the slopes know about.
            let longest = step.iter().fold(0.0_f64, |m, x| m.max(x.to_f64().abs()));
            if longest > LONGEST {
                let factor = S::from(LONGEST / longest);
                step.iter_mut().for_each(|x| *x = *x * factor);
            }
            let trial = self.moved(&p, &step);
            let trial_g = self.constraints(&trial);
            let trial_gap = norm(&trial_g).to_f64();
            if trial_gap < gap {
                stalled = if trial_gap > 0.5 * gap { stalled + usize::from(damping >= 1.0) } else { 0 };
                damping = f64::max(damping * 0.2, 1e-3);
                (p, g, gap) = (trial, trial_g, trial_gap);
            } else {
                stalled += 1;
                damping *= 8.0;
            }
        }
        Closing { p, gap }
    }
}

/// −Jᵀ (J Jᵀ + μ)⁻¹ g by Cholesky within the envelope of J Jᵀ; `None` if rounding leaves nothing
/// of it.
fn damped<S: Real>(jacobian: &[Vec<S>], structure: &Structure, g: &[S], damping: f64) -> Option<Vec<S>> {
    let m = g.len();
    let Structure { columns, first } = structure;
    let entry = |i: usize, j: usize| {
        columns[i].iter().fold(S::from(0.0), |sum, &c| sum + jacobian[i][c] * jacobian[j][c])
    };
    // Row i holds columns first[i] to i.
    let mut lower: Rows<S> = (0..m).map(|i| (first[i]..=i).map(|j| entry(i, j)).collect()).collect();
    for i in 0..m {
        let begin = first[i];
        let last = i - begin;
        lower[i][last] = lower[i][last] + S::from(damping);
        for j in begin..=i {
            let common = begin.max(first[j]);
            let (head, tail) = lower.split_at_mut(i);
            let own = &mut tail[0];
            let row_j = if j == i { &own[..] } else { &head[j][..] };
            let product = dot(&own[common - begin..j - begin], &row_j[common - first[j]..j - first[j]]);
            let left = own[j - begin] - product;
            if j < i {
                own[j - begin] = left / head[j][j - first[j]];
            } else if left > S::from(0.0) {
                own[last] = left.root();
            } else {
                return None;
            }
        }
    }
    let mut y: Vec<S> = g.to_vec();
    for i in 0..m {
        let row = &lower[i];
        let last = i - first[i];
        y[i] = (y[i] - dot(&row[..last], &y[first[i]..i])) / row[last];
    }
    for i in (0..m).rev() {
        let row = &lower[i];
        y[i] = y[i] / row[i - first[i]];
        for k in first[i]..i {
            y[k] = y[k] - row[k - first[i]] * y[i];
        }
    }
    let n = jacobian.first().map_or(0, Vec::len);
    let mut step = vec![S::from(0.0); n];
    for ((row, columns), &y) in jacobian.iter().zip(columns).zip(&y) {
        for &c in columns {
            step[c] = step[c] - row[c] * y;
        }
    }
    Some(step)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// (J Jᵀ + μ) y = g with step = −Jᵀ y, where rows reach back to others than their neighbours.
    #[test]
    fn steps_within_the_envelope() {
        let columns = vec![vec![0, 1], vec![2], vec![1, 3], vec![2, 4], vec![0, 4]];
        let jacobian: Rows<f64> = (0..5)
            .map(|i| {
                let mut row = vec![0.0; 5];
                columns[i].iter().for_each(|&c| row[c] = 1.0 + (i * 5 + c) as f64 * 0.1);
                row
            })
            .collect();
        let structure = Structure::new(columns, 5);
        let g = [1.0, -2.0, 0.5, 3.0, 0.25];
        let step = damped(&jacobian, &structure, &g, 0.3).expect("a step");
        // J step = −J Jᵀ y = μ y − g, and step = −Jᵀ y.
        let y: Vec<f64> = jacobian.iter().zip(&g).map(|(row, g)| (dot(row, &step) + g) / 0.3).collect();
        for c in 0..5 {
            let expected: f64 = -(0..5).map(|i| jacobian[i][c] * y[i]).sum::<f64>();
            assert!((step[c] - expected).abs() < 1e-12, "{c}: {} {expected}", step[c]);
        }
    }
}
