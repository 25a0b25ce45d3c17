//! The identities at one state.

use super::{Derivatives, Direction, Function, Options, Report, zeros};
use crate::linalg::{cholesky, solve_lower, solve_lower_transposed};
use crate::{Accelerated, At, Fused, Layout, System};
use std::format;
use std::string::String;
use std::string::ToString;
use std::vec::Vec;

/// A state with what is known of it.
pub(super) struct Point<'a> {
    system: &'a dyn System,
    derivatives: &'a dyn Derivatives,
    at: At<'a>,
    layout: &'a Layout,
    /// T, n_p × n_v.
    kinematic: Vec<f64>,
    p_dot: Vec<f64>,
    mass: Vec<f64>,
    forces: Vec<f64>,
    jacobian: Vec<f64>,
    bias: Vec<f64>,
}

impl<'a> Point<'a> {
    pub(super) fn new(system: &'a dyn System, derivatives: &'a dyn Derivatives, at: At<'a>) -> Self {
        let layout = system.layout();
        let value = |function: Function| {
            let mut out = zeros(function.len(layout));
            function.evaluate(system, &at, &mut out);
            out
        };
        let mut bias = zeros(layout.n_lambda());
        system.acceleration_bias(&at, &mut bias);
        Self {
            kinematic: value(Function::KinematicMatrix),
            p_dot: value(Function::Kinematics),
            mass: value(Function::MassMatrix),
            forces: value(Function::Forces),
            jacobian: value(Function::ConstraintJacobian),
            bias,
            system,
            derivatives,
            at,
            layout,
        }
    }

    pub(super) fn check(&self, options: &Options<'_>, report: &mut Report) {
        self.kinematics(report);
        self.constraints(report);
        self.mass(report);
        self.inverse_dynamics(report);
        self.fused(report);
        self.accelerations(report);
        self.poses(report);
        self.residuals(report);
        if let Some(powers) = options.force_powers {
            powers.check(&self.at, report);
        }
        if let Some(other_forces) = options.other_forces {
            let mut others = zeros(self.layout.n_v());
            other_forces(&self.at, &mut others);
            self.lagrange(&others, report);
            self.energy(&others, report);
        }
    }

    fn along(&self, of: Function, direction: &Direction) -> Vec<f64> {
        self.along_at(of, &self.at, direction)
    }

    fn along_at(&self, of: Function, at: &At<'_>, direction: &Direction) -> Vec<f64> {
        let mut out = zeros(of.len(self.layout));
        self.derivatives.along(of, at, direction, &mut out);
        out
    }

    /// Nothing changes but p, by T eᵢ.
    fn along_velocity(&self, i: usize) -> Direction {
        let n_p = self.layout.n_p();
        Direction { p: self.kinematic[i * n_p..][..n_p].to_vec(), ..Direction::still(self.layout) }
    }

    /// Time passes while all positions stand still: inputs change as their own rates say.
    fn time_passes(&self) -> Direction {
        let mut direction = Direction { t: 1.0, ..Direction::still(self.layout) };
        for slot in 0..self.layout.n_u().saturating_sub(1) {
            // u' follows u, u'' follows u'.
            if self.layout.input_derivatives[slot + 1] == self.layout.input_derivatives[slot] + 1 {
                direction.u[slot] = self.at.u[slot + 1];
            }
        }
        direction
    }

    /// p' = T v and v' = 0.
    fn coasting(&self) -> Direction {
        Direction { p: self.p_dot.clone(), ..self.time_passes() }
    }

    fn velocity_name(&self, i: usize) -> &str {
        self.layout.velocities.get(i).unwrap_or_default()
    }

    fn row_name(&self, i: usize) -> &str {
        self.layout.rows.get(i).unwrap_or_default()
    }

    fn of_velocity(&self, letter: &str, i: usize) -> String {
        format!("{letter}[{}]", self.velocity_name(i))
    }

    fn of_row(&self, letter: &str, i: usize) -> String {
        format!("{letter}[{}]", self.row_name(i))
    }

    fn of_mass(&self, k: usize) -> String {
        let n = self.layout.n_v();
        format!("M[{}, {}]", self.velocity_name(k % n), self.velocity_name(k / n))
    }

    fn kinematics(&self, report: &mut Report) {
        let n_p = self.layout.n_p();
        let expected = times(&self.kinematic, n_p, self.at.v);
        let scale = largest(self.at.v);
        report.compare("p_dot", &self.p_dot, &expected, scale, |i| {
            format!("p'[{}]", self.layout.positions.get(i).unwrap_or_default())
        });
        for block in self.layout.quaternions.iter() {
            let part = block.p as usize..block.p as usize + 4;
            let change = dot(&self.at.p[part.clone()], &self.p_dot[part]);
            let name = || format!("|{}|", self.layout.positions.get(block.p as usize).unwrap_or_default());
            report.note("p_dot", change.abs() / scale.max(f64::MIN_POSITIVE), name);
        }
    }

    /// G, c and z from g, and of the rows that have no g from G v + c.
    fn constraints(&self, report: &mut Report) {
        let layout = self.layout;
        let (n_v, n_g, rows) = (layout.n_v(), layout.n_g, layout.n_lambda());
        if rows == 0 {
            return;
        }
        let largest_g = largest(&self.jacobian);
        let speed = largest(self.at.v);
        for j in 0..n_v {
            let expected = self.along(Function::Constraints, &self.along_velocity(j));
            let found = &self.jacobian[j * rows..][..n_g];
            let entry = |i: usize| format!("G[{}, {}]", self.row_name(i), self.velocity_name(j));
            report.compare("G", found, &expected, largest_g, entry);
        }
        let mut c = zeros(rows);
        self.system.velocity_bias(&self.at, &mut c);
        let expected = self.along(Function::Constraints, &self.time_passes());
        report.compare("c", &c[..n_g], &expected, largest_g * speed, |i| self.of_row("c", i));

        let coasting = self.coasting();
        let rate = self.along(Function::ConstraintJacobian, &coasting);
        let c_rate = self.along(Function::VelocityBias, &coasting);
        let mut scale = largest_g * speed * speed;
        let expected: Vec<f64> = (0..rows)
            .map(|i| {
                let terms = (0..n_v).map(|j| rate[i + rows * j] * self.at.v[j]);
                terms.chain([c_rate[i]]).fold(0.0, |sum, term| {
                    scale = scale.max(term.abs());
                    sum + term
                })
            })
            .collect();
        report.compare("z", &self.bias, &expected, scale, |i| self.of_row("z", i));
    }

    fn mass(&self, report: &mut Report) {
        let n = self.layout.n_v();
        let transposed: Vec<f64> = (0..n * n).map(|k| self.mass[(k % n) * n + k / n]).collect();
        report.compare("M symmetric", &self.mass, &transposed, 0.0, |k| self.of_mass(k));
        let (pivot, row) = least_pivot(n, &self.mass);
        let largest_mass = largest(&self.mass).max(f64::MIN_POSITIVE);
        report.note("M positive", (-pivot / largest_mass).max(0.0), || self.of_mass(row * (n + 1)));

        // The kinetic energy is quadratic in v, so its Hessian is a difference without error.
        let kinetic = |changes: &[usize]| {
            let mut v = self.at.v.to_vec();
            for &i in changes {
                v[i] += 1.0;
            }
            self.system.energy(&At { v: &v, ..self.at }).kinetic
        };
        let base = kinetic(&[]);
        let single: Vec<f64> = (0..n).map(|i| kinetic(&[i])).collect();
        let mut scale = single.iter().fold(base, |largest, energy| largest.max(*energy));
        let mut hessian = zeros(n * n);
        for i in 0..n {
            for j in 0..=i {
                let both = kinetic(&[i, j]);
                scale = scale.max(both);
                hessian[i + n * j] = both - single[i] - single[j] + base;
                hessian[j + n * i] = hessian[i + n * j];
            }
        }
        report.compare("M", &self.mass, &hessian, scale, |k| self.of_mass(k));
    }

    /// Made-up accelerations that are neither small nor alike.
    fn some_accelerations(&self) -> Vec<f64> {
        (0..self.layout.n_v()).map(|i| 1.0 - 0.37 * (i % 5) as f64).collect()
    }

    /// Made-up multipliers.
    fn some_multipliers(&self) -> Vec<f64> {
        (0..self.layout.n_lambda()).map(|i| 0.8 - 0.29 * (i % 7) as f64).collect()
    }

    fn inverse_dynamics(&self, report: &mut Report) {
        let v_dot = self.some_accelerations();
        let mut found = zeros(v_dot.len());
        self.system.inverse_dynamics(&self.at, &v_dot, &mut found);
        let needed = times(&self.mass, v_dot.len(), &v_dot);
        let expected: Vec<f64> = needed.iter().zip(&self.forces).map(|(a, b)| a - b).collect();
        let scale = largest(&self.mass).max(largest(&self.forces));
        report.compare("inverse dynamics", &found, &expected, scale, |i| self.of_velocity("(M v' - f)", i));
    }

    fn fused(&self, report: &mut Report) {
        let layout = self.layout;
        let (n_p, n_v, rows) = (layout.n_p(), layout.n_v(), layout.n_lambda());
        let [mut p_dot, mut mass, mut forces] = [n_p, n_v * n_v, n_v].map(zeros);
        let [mut jacobian, mut bias, mut auxiliary] = [rows * n_v, rows, layout.n_x()].map(zeros);
        let mut out = Fused {
            p_dot: &mut p_dot,
            mass_matrix: &mut mass,
            forces: &mut forces,
            constraint_jacobian: &mut jacobian,
            acceleration_bias: &mut bias,
            auxiliary: &mut auxiliary,
        };
        self.system.fused(&self.at, &mut out);
        let mut own_auxiliary = zeros(layout.n_x());
        self.system.auxiliary(&self.at, &mut own_auxiliary);
        report.compare("fused", &p_dot, &self.p_dot, 0.0, |i| format!("p'[{i}]"));
        report.compare("fused", &mass, &self.mass, 0.0, |k| self.of_mass(k));
        // Terms of f may cancel; inertial ones are of this size.
        let scale = largest(&self.mass) * largest(self.at.v);
        report.compare("fused", &forces, &self.forces, scale, |i| self.of_velocity("f", i));
        report.compare("fused", &jacobian, &self.jacobian, 0.0, |k| {
            format!("G[{}, {}]", self.row_name(k % rows), self.velocity_name(k / rows))
        });
        let scale = largest(&self.jacobian) * largest(self.at.v);
        report.compare("fused", &bias, &self.bias, scale, |i| self.of_row("z", i));
        report.compare("fused", &auxiliary, &own_auxiliary, 0.0, |i| {
            format!("a[{}]", layout.states.get(i).unwrap_or_default())
        });
    }

    /// The model's own v' and λ, where they can be trusted.
    fn solve(&self) -> Option<(Vec<f64>, Vec<f64>)> {
        let layout = self.layout;
        let (n_v, rows) = (layout.n_v(), layout.n_lambda());
        let [mut p_dot, mut v_dot, mut lambda] = [layout.n_p(), n_v, rows].map(zeros);
        let [mut auxiliary, mut pivots] = [layout.n_x(), n_v + rows].map(zeros);
        let mut out = Accelerated {
            p_dot: &mut p_dot,
            v_dot: &mut v_dot,
            lambda: &mut lambda,
            auxiliary: &mut auxiliary,
            pivots: &mut pivots,
        };
        (self.system.accelerations(&self.at, &mut out).is_ok() && out.is_reliable())
            .then_some((v_dot, lambda))
    }

    fn accelerations(&self, report: &mut Report) {
        let layout = self.layout;
        let (n_v, rows) = (layout.n_v(), layout.n_lambda());
        let Some((v_dot, lambda)) = self.solve() else {
            report
                .skip_state("accelerations", "the model has no solution of its own it trusts at some states");
            return;
        };
        let mut scale = largest(&self.forces);
        let residual: Vec<f64> = (0..n_v)
            .map(|i| {
                let inertia = (0..n_v).map(|j| self.mass[i + n_v * j] * v_dot[j]);
                let constraint = (0..rows).map(|k| self.jacobian[k + rows * i] * lambda[k]);
                inertia.chain(constraint).fold(-self.forces[i], |sum, term| {
                    scale = scale.max(term.abs());
                    sum + term
                })
            })
            .collect();
        report.compare("accelerations", &residual, &zeros(n_v), scale, |i| {
            self.of_velocity("(M v' - f + G^T lambda)", i)
        });
        let mut scale = largest(&self.bias);
        let residual: Vec<f64> = (0..rows)
            .map(|k| {
                (0..n_v).map(|j| self.jacobian[k + rows * j] * v_dot[j]).fold(self.bias[k], |sum, term| {
                    scale = scale.max(term.abs());
                    sum + term
                })
            })
            .collect();
        report.compare("accelerations", &residual, &zeros(rows), scale, |k| self.of_row("(G v' + z)", k));
    }

    fn poses(&self, report: &mut Report) {
        let bodies = self.layout.bodies.len();
        let mut poses = zeros(12 * bodies);
        self.system.poses(&self.at, &mut poses);
        for body in 0..bodies {
            let r = &poses[12 * body + 3..12 * body + 12];
            let name = |_| format!("rotation of {}", self.layout.bodies.get(body).unwrap_or_default());
            let column = |k: usize| [r[k], r[3 + k], r[6 + k]];
            let (x, y, z) = (column(0), column(1), column(2));
            let cross = [x[1] * y[2] - x[2] * y[1], x[2] * y[0] - x[0] * y[2], x[0] * y[1] - x[1] * y[0]];
            report.compare("poses", &cross, &z, 1.0, name);
            report.compare("poses", &[dot(&x, &x), dot(&y, &y), dot(&x, &y)], &[1.0, 1.0, 0.0], 1.0, name);
        }
    }

    /// f by Poincaré's equations with L = T_kin − V, momenta π = ∂T_kin/∂v and the vector
    /// fields Xᵢ = T eᵢ of the quasi-velocities:
    ///
    /// ```text
    /// dπᵢ/dt = π·T⁺ Σⱼ vⱼ [Xⱼ, Xᵢ] + Xᵢ L + Qᵢ
    /// ```
    fn lagrange(&self, others: &[f64], report: &mut Report) {
        let (n_p, n_v) = (self.layout.n_p(), self.layout.n_v());
        let coasting = self.coasting();
        let momentum = self.momenta();
        // Where T is the identity the fields commute.
        let quasi = !self.layout.quaternions.is_empty() || n_p != n_v;
        let covector = if quasi { self.covector(&momentum) } else { Vec::new() };
        let turning = if quasi { self.along(Function::KinematicMatrix, &coasting) } else { Vec::new() };
        let mut scale = 0.0_f64;
        let expected: Vec<f64> = (0..n_v)
            .map(|i| {
                let field = self.along_velocity(i);
                let rate = {
                    let kinetic = |step: f64| {
                        let mut v = self.at.v.to_vec();
                        v[i] += step;
                        self.along_at(Function::Energy, &At { v: &v, ..self.at }, &coasting)[0]
                    };
                    // Momenta are differences of a quadratic function, without error.
                    0.5 * (kinetic(1.0) - kinetic(-1.0))
                };
                let energy = self.along(Function::Energy, &field);
                let bracket = if quasi {
                    let flow = self.along(Function::Kinematics, &field);
                    let bracket: Vec<f64> =
                        turning[i * n_p..][..n_p].iter().zip(&flow).map(|(a, b)| a - b).collect();
                    dot(&covector, &bracket)
                } else {
                    0.0
                };
                let terms = [-rate, bracket, energy[0], -energy[1], others[i]];
                scale = terms.iter().fold(scale, |scale, term| scale.max(term.abs()));
                terms.iter().sum()
            })
            .collect();
        report.compare("f", &self.forces, &expected, scale, |i| self.of_velocity("f", i));
    }

    /// π = ∂T_kin/∂v.
    fn momenta(&self) -> Vec<f64> {
        let kinetic = |i: usize, step: f64| {
            let mut v = self.at.v.to_vec();
            v[i] += step;
            self.system.energy(&At { v: &v, ..self.at }).kinetic
        };
        (0..self.layout.n_v()).map(|i| 0.5 * (kinetic(i, 1.0) - kinetic(i, -1.0))).collect()
    }

    /// T (TᵀT)⁻¹ π: what gives π when Tᵀ is applied.
    fn covector(&self, momentum: &[f64]) -> Vec<f64> {
        let (n_p, n_v) = (self.layout.n_p(), self.layout.n_v());
        let column = |i: usize| &self.kinematic[i * n_p..][..n_p];
        let mut square = zeros(n_v * n_v);
        for i in 0..n_v {
            for j in 0..n_v {
                square[i + n_v * j] = dot(column(i), column(j));
            }
        }
        let mut right = momentum.to_vec();
        if cholesky(n_v, &mut square).is_err() {
            // Velocities that move nothing; the comparison shows it.
            return std::vec![f64::NAN; n_p];
        }
        solve_lower(n_v, &square, &mut right);
        solve_lower_transposed(n_v, &square, &mut right);
        times(&self.kinematic, n_p, &right)
    }

    /// h = v·π − L changes by the power of what has no potential, and where L depends on time.
    fn energy(&self, others: &[f64], report: &mut Report) {
        let Some((v_dot, lambda)) = self.solve() else {
            report.skip_state("energy", "the model has no solution of its own it trusts at some states");
            return;
        };
        let layout = self.layout;
        let (n_v, rows) = (layout.n_v(), layout.n_lambda());
        let moving = Direction { v: v_dot.clone(), ..self.coasting() };
        let mut scale = 0.0_f64;
        let mut sum = 0.0;
        let mut add = |term: f64| {
            scale = scale.max(term.abs());
            sum += term;
        };
        // dh/dt = v'·π + v·π' − dT/dt + dV/dt
        let momentum = self.momenta();
        for i in 0..n_v {
            let kinetic = |step: f64| {
                let mut v = self.at.v.to_vec();
                v[i] += step;
                self.along_at(Function::Energy, &At { v: &v, ..self.at }, &moving)[0]
            };
            let rate = 0.5 * (kinetic(1.0) - kinetic(-1.0));
            add(v_dot[i] * momentum[i]);
            add(self.at.v[i] * rate);
        }
        let change = self.along(Function::Energy, &moving);
        add(-change[0]);
        add(change[1]);
        // … + ∂L/∂t − v·(Q − Gᵀλ) = 0
        let explicit = self.along(Function::Energy, &self.time_passes());
        add(explicit[0]);
        add(-explicit[1]);
        for (i, (v, other)) in self.at.v.iter().zip(others).enumerate() {
            add(-v * other);
            for (g, lambda) in self.jacobian[rows * i..].iter().zip(&lambda) {
                add(v * g * lambda);
            }
        }
        report.note("energy", sum.abs() / scale.max(f64::MIN_POSITIVE), || "energy".to_string());
    }

    /// The generated Jacobian against derivatives of M, f, G, g, c and a.
    fn residuals(&self, report: &mut Report) {
        let layout = self.layout;
        let (n_p, n_v, n_x, n_u) = (layout.n_p(), layout.n_v(), layout.n_x(), layout.n_u());
        let (n_g, rows) = (layout.n_g, layout.n_lambda());
        let (height, width) = (layout.jacobian_rows(), layout.jacobian_columns());
        let (v_dot, lambda) = (self.some_accelerations(), self.some_multipliers());
        let mut found = zeros(height * width);
        if self.system.jacobian(&self.at, &v_dot, &lambda, &mut found).is_err() {
            report.skip("jacobian", "the model was compiled without it");
            return;
        }
        let scale = largest(&found);
        for column in 0..width {
            let mut direction = Direction::still(layout);
            match column {
                k if k < n_p => direction.p[k] = 1.0,
                k if k < n_p + n_v => direction.v[k - n_p] = 1.0,
                k if k < n_p + n_v + n_x => direction.x[k - n_p - n_v] = 1.0,
                k => direction.u[k - n_p - n_v - n_x] = 1.0,
            }
            let mass = self.along(Function::MassMatrix, &direction);
            let jacobian = self.along(Function::ConstraintJacobian, &direction);
            let mut expected = self.along(Function::Forces, &direction);
            for (i, entry) in expected.iter_mut().enumerate() {
                *entry -= (0..n_v).map(|j| mass[i + n_v * j] * v_dot[j]).sum::<f64>();
                *entry -= (0..rows).map(|k| jacobian[k + rows * i] * lambda[k]).sum::<f64>();
            }
            expected.extend(self.along(Function::Constraints, &direction));
            let mut rates = self.along(Function::VelocityBias, &direction);
            for (k, rate) in rates.iter_mut().enumerate() {
                *rate += (0..n_v)
                    .map(|j| {
                        let own = self.jacobian[k + rows * j] * direction.v[j];
                        jacobian[k + rows * j] * self.at.v[j] + own
                    })
                    .sum::<f64>();
            }
            expected.extend(rates);
            expected.extend(self.along(Function::Auxiliary, &direction));
            let found = &found[column * height..][..height];
            let entry = |row: usize| format!("jacobian[{row}, {column}]");
            report.compare("jacobian", found, &expected, scale, entry);
        }
        debug_assert_eq!(n_p + n_v + n_x + n_u, width);
        debug_assert_eq!(n_v + n_g + rows + n_x, height);
    }
}

/// The smallest pivot of a symmetric matrix, and its row; zero rows have none.
fn least_pivot(n: usize, matrix: &[f64]) -> (f64, usize) {
    let mut m = matrix.to_vec();
    let threshold = 1e-12 * largest(matrix);
    let mut least = (f64::INFINITY, 0);
    for k in 0..n {
        let pivot = m[k + n * k];
        if pivot < least.0 || pivot.is_nan() {
            least = (pivot, k);
        }
        // A motion without inertia couples with nothing.
        if pivot.abs() <= threshold {
            continue;
        }
        for j in k + 1..n {
            let factor = m[j + n * k] / pivot;
            for i in k + 1..n {
                m[i + n * j] -= factor * m[i + n * k];
            }
        }
    }
    least
}

/// Matrix times vector.
fn times(matrix: &[f64], rows: usize, vector: &[f64]) -> Vec<f64> {
    let mut out = zeros(rows);
    for (column, value) in matrix.chunks_exact(rows.max(1)).zip(vector) {
        for (out, entry) in out.iter_mut().zip(column) {
            *out += entry * value;
        }
    }
    out
}

fn dot(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(x, y)| x * y).sum()
}

fn largest(values: &[f64]) -> f64 {
    values.iter().fold(0.0, |largest, value| largest.max(value.abs()))
}
