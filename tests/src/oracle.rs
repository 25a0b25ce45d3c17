//! Every quantity of the equations of motion, derived a second time.
//!
//! Nothing here recurses over the tree or knows a joint's axes of motion. Poses are
//! composed from the definitions of the joints, over numbers that carry derivatives;
//! all velocities, partial velocities and accelerations follow by differentiation.
//!
//! ```text
//! M_ij = ∂²/∂v_i∂v_j Σ ½ m |v_com|² + ½ ω·I ω
//! f_j  = Σ ∂v_com/∂v_j · (F − m a_com) + ∂ω/∂v_j · (τ − L')      with v' = 0   (Jourdain)
//! G_ij = ∂g_i'/∂v_j,   c = g' with v = 0,   z = g'' with v' = 0
//! ```

use mbs_symbolic::ids::{BodyId, CoordinateId, Id, JointId, VelocityId};
use mbs_symbolic::model::{Body, Model, Query, TermKind};

use crate::formula::angular_velocity;
use crate::loads::{self, Loads};
use crate::mechanism::{Kept, Moving, State, Twist};
use crate::rows::{Row, rows};
use crate::scalar::{Dual, Jet, Scalar};
use crate::transform::{self, Mat3, Vec3};

/// One model at one state, which may itself carry derivatives. Matrices are
/// column-major.
#[derive(Debug, Clone)]
pub struct Oracle<'a, B = f64> {
    model: &'a Model,
    kept: &'a Kept,
    state: &'a State<B>,
    /// Derivatives in the direction of every velocity.
    partials: Vec<Partial<B>>,
}

/// The constraints at one state.
#[derive(Debug, Clone, Default)]
pub struct Constraints {
    /// Names of the rows.
    pub names: Vec<String>,
    /// Which rows lie along directions the compiler may choose.
    pub free_directions: Vec<bool>,
    /// How many rows are holonomic.
    pub n_g: usize,
    /// g.
    pub g: Vec<f64>,
    /// G, n_λ × n_v.
    pub jac_g: Vec<f64>,
    /// c.
    pub c: Vec<f64>,
    /// z.
    pub z: Vec<f64>,
    /// The largest acceleration z is a difference of.
    pub largest_acceleration: f64,
    /// The largest distance g is a difference of.
    pub largest_distance: f64,
}

/// A sum with the largest term in it.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Sum {
    /// The entries.
    pub values: Vec<f64>,
    /// The largest term of any entry.
    pub largest_term: f64,
}

/// Pose of a body in ground: origin and rotation matrix by rows.
pub type Pose = ([f64; 3], [[f64; 3]; 3]);

/// What moves when one velocity changes: partial velocities and momenta of all
/// bodies, and the column of G.
#[derive(Debug, Clone)]
struct Partial<B> {
    bodies: Vec<PartialMotion<B>>,
    rows: Vec<B>,
    /// Of every velocity of the model, those that follow others among them.
    velocities: Vec<B>,
}

#[derive(Debug, Clone)]
struct PartialMotion<B> {
    v_com: Vec3<B>,
    omega: Vec3<B>,
    momentum: Vec3<B>,
    angular_momentum: Vec3<B>,
}

/// A direction of virtual velocity.
#[derive(Clone, Copy)]
enum Direction {
    Velocity(usize),
    /// A freedom the joint does not have: component of the twist of `to`.
    Twist(JointId, usize),
}

/// What a body does: velocity of its centre of mass, angular velocity, momenta.
struct BodyMotion<S> {
    v_com: Vec3<Jet<S>>,
    omega: Vec3<Jet<S>>,
    momentum: Vec3<Jet<S>>,
    angular_momentum: Vec3<Jet<S>>,
    com: Vec3<Jet<S>>,
}

impl<'a, B: Scalar> Oracle<'a, B> {
    /// The oracle for `model` at `state`.
    pub fn new(model: &'a Model, kept: &'a Kept, state: &'a State<B>) -> Self {
        let mut oracle = Self { model, kept, state, partials: Vec::new() };
        oracle.partials = (0..state.v.len()).map(|j| oracle.partial(Direction::Velocity(j))).collect();
        oracle
    }

    fn moving<S: Scalar>(
        &self,
        lift: impl Fn(B) -> S,
        v: &[S],
        v_dot: &[S],
        twist: Option<Twist<S>>,
    ) -> Moving<'a, S> {
        Moving::new(self.model, self.kept, self.state, lift, [v, v_dot], twist)
    }

    /// The motion through the state with v' = 0.
    pub fn uniform(&self) -> Moving<'a, B> {
        self.moving(|b| b, &self.state.v, &vec![B::zero(); self.state.v.len()], None)
    }

    /// Derivatives in one direction of virtual velocity.
    fn partial(&self, direction: Direction) -> Partial<B> {
        let still = |value: B| Dual { value, slope: B::zero() };
        let unit = |seeded: bool| Dual { value: B::zero(), slope: B::constant(f64::from(u8::from(seeded))) };
        let mut v: Vec<Dual<B>> = self.state.v.iter().map(|v| still(*v)).collect();
        let mut twist = None;
        match direction {
            Direction::Velocity(j) => v[j].slope = B::one(),
            Direction::Twist(joint, k) => {
                twist = Some(Twist { joint, components: std::array::from_fn(|i| unit(i == k)) });
            }
        }
        let moving = self.moving(still, &v, &vec![Dual::zero(); v.len()], twist);
        let slope = |v: Vec3<Jet<Dual<B>>>| v.map(|a| a.now().slope);
        let bodies = self.body_motions(&moving);
        Partial {
            bodies: bodies
                .iter()
                .map(|body| PartialMotion {
                    v_com: slope(body.v_com),
                    omega: slope(body.omega),
                    momentum: slope(body.momentum),
                    angular_momentum: slope(body.angular_momentum),
                })
                .collect(),
            rows: rows(&moving, self.kept)
                .iter()
                .map(|row| row.value.rate(usize::from(row.holonomic)).slope)
                .collect(),
            velocities: moving.values.velocities.iter().map(|v| v.now().slope).collect(),
        }
    }

    fn body_motions<S: Scalar>(&self, moving: &Moving<'_, S>) -> Vec<BodyMotion<S>> {
        let values = &moving.values;
        let motion = |(id, body): (BodyId, &Body)| {
            let pose = &moving.bodies[id.index()];
            let com = pose.point(&values.get3(&body.com));
            let v_com = com.map(Jet::der);
            let omega = angular_velocity(&pose.rot);
            let axes = transform::multiply(&pose.rot, &moving.in_body(body.inertia_axes).rot);
            let [xx, yy, zz, xy, xz, yz] = std::array::from_fn(|k| values.get(&body.inertia[k]));
            let inertia: Mat3<Jet<S>> = [[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]];
            let in_axes = transform::apply(&inertia, &transform::apply_transpose(&axes, &omega));
            BodyMotion {
                momentum: transform::scale(values.get(&body.mass), &v_com),
                angular_momentum: transform::apply(&axes, &in_axes),
                v_com,
                omega,
                com,
            }
        };
        self.model.bodies.iter_enumerated().map(motion).collect()
    }

    /// M: the Hessian of the kinetic energy in v. The energy is a quadratic form in
    /// partial velocities, so its Hessian needs first derivatives only.
    pub fn mass_matrix(&self) -> Vec<B> {
        let entry = |row: &Partial<B>, column: &Partial<B>| {
            let pairs = row.bodies.iter().zip(&column.bodies);
            pairs.fold(B::zero(), |sum, (a, b)| {
                sum + transform::dot(&a.v_com, &b.momentum) + transform::dot(&a.omega, &b.angular_momentum)
            })
        };
        let columns = self.partials.iter();
        columns.flat_map(|column| self.partials.iter().map(move |row| entry(row, column))).collect()
    }

    /// The terms of f, velocity by velocity.
    pub fn force_terms(&self) -> Vec<Vec<B>> {
        let uniform = self.uniform();
        let loads = loads::loads(&uniform);
        let bodies = self.body_motions(&uniform);
        let entry = |partial: &Partial<B>| {
            let mut terms = jourdain(&uniform, &loads, &bodies, partial);
            let along = |(velocity, force): &(VelocityId, B)| *force * partial.velocities[velocity.index()];
            terms.extend(loads.velocities.iter().map(along));
            terms
        };
        self.partials.iter().map(entry).collect()
    }

    /// G, n_λ × n_v, of all rows, those the compiler drops among them.
    pub fn constraint_jacobian(&self) -> Vec<B> {
        self.partials.iter().flat_map(|partial| partial.rows.clone()).collect()
    }

    /// All rows along the motion with v' = 0.
    pub fn rows(&self) -> Vec<Row<B>> {
        rows(&self.uniform(), self.kept)
    }

    /// a.
    pub fn auxiliary(&self) -> Vec<B> {
        let uniform = self.uniform();
        self.model.states.iter().map(|state| uniform.values.get(&state.derivative).now()).collect()
    }
}

impl Oracle<'_> {
    /// p' = T v.
    pub fn p_dot(&self) -> Vec<f64> {
        self.p_dot_of(&self.state.v)
    }

    fn p_dot_of(&self, v: &[f64]) -> Vec<f64> {
        let moving = self.moving(|p| p, v, &vec![0.0; v.len()], None);
        let rate = |id: &CoordinateId| moving.values.coordinates[id.index()].rate(1);
        self.kept.positions.iter().map(rate).collect()
    }

    /// T, n_p × n_v.
    pub fn kinematic_matrix(&self) -> Vec<f64> {
        let n = self.state.v.len();
        let unit = |j: usize| (0..n).map(|i| f64::from(u8::from(i == j))).collect::<Vec<_>>();
        (0..n).flat_map(|j| self.p_dot_of(&unit(j))).collect()
    }

    /// Poses of all bodies but ground.
    pub fn poses(&self) -> Vec<Pose> {
        let moving = self.uniform();
        let now = |v: [Jet<f64>; 3]| v.map(Jet::now);
        moving.bodies[1..].iter().map(|pose| (now(pose.r), pose.rot.map(now))).collect()
    }

    /// g, G, c, z.
    pub fn constraints(&self) -> Constraints {
        let uniform = self.uniform();
        let zeros = vec![0.0; self.state.v.len()];
        let rows_at_rest = rows(&self.moving(|p| p, &zeros, &zeros, None), self.kept);
        let rows = self.rows();
        let level = |row: &Row<f64>| usize::from(row.holonomic);
        let positions = || uniform.values.frames.iter().flat_map(|frame| frame.r);
        let largest = |order: usize| positions().map(|r| r.rate(order).abs()).fold(0.0, f64::max);
        Constraints {
            names: rows.iter().map(|row| row.name.clone()).collect(),
            free_directions: rows.iter().map(|row| row.free_direction).collect(),
            n_g: rows.iter().filter(|row| row.holonomic).count(),
            g: rows.iter().filter(|row| row.holonomic).map(|row| row.value.now()).collect(),
            jac_g: self.constraint_jacobian(),
            c: rows_at_rest.iter().map(|row| row.value.rate(level(row))).collect(),
            z: rows.iter().map(|row| row.value.rate(level(row) + 1)).collect(),
            largest_acceleration: largest(2),
            largest_distance: largest(0),
        }
    }

    /// Kinetic energy over any scalar, as a function of the velocities.
    pub fn kinetic_energy_of<S: Scalar>(&self, v: &[S]) -> S {
        let moving = self.moving(S::constant, v, &vec![S::zero(); v.len()], None);
        let energy = self.body_motions(&moving).iter().fold(Jet::zero(), |sum, body| {
            sum + transform::dot(&body.v_com, &body.momentum)
                + transform::dot(&body.omega, &body.angular_momentum)
        });
        energy.now().scale(0.5)
    }

    /// Kinetic energy.
    pub fn kinetic_energy(&self) -> f64 {
        self.kinetic_energy_of(&self.state.v)
    }

    /// Potential energy of gravity and of what springs, bushings and contacts store.
    pub fn potential_energy(&self) -> f64 {
        loads::potential_energy(&self.uniform())
    }

    /// f.
    pub fn forces(&self) -> Sum {
        let mut sum = Sum::default();
        self.force_terms().iter().for_each(|terms| sum.push(terms));
        sum
    }

    /// M v' − f.
    pub fn inverse_dynamics(&self, v_dot: &[f64]) -> Sum {
        let (mass_matrix, forces) = (self.mass_matrix(), self.forces());
        let n = v_dot.len();
        let mut sum = Sum { largest_term: forces.largest_term, ..Sum::default() };
        for i in 0..n {
            let mut terms: Vec<f64> = (0..n).map(|j| mass_matrix[i + n * j] * v_dot[j]).collect();
            terms.push(-forces.values[i]);
            sum.push(&terms);
        }
        sum
    }

    /// Outputs, given v' and the multipliers of the rows of [`Constraints`].
    pub fn outputs(&self, v_dot: &[f64], lambda: &[f64]) -> Vec<f64> {
        let mut moving = self.moving(|p| p, &self.state.v, v_dot, None);
        let mut reactions = vec![[f64::NAN; 6]; self.model.joints.len()];
        for term in self.model.outputs.iter().flat_map(|output| &output.value.terms) {
            if let TermKind::Query(Query::Reaction { joint, .. }) = term.kind {
                reactions[joint.index()] = self.reaction(joint, v_dot, lambda);
            }
        }
        moving.values.reactions = reactions;
        self.model.outputs.iter().map(|output| moving.values.get(&output.value).now()).collect()
    }

    /// Force and torque of a joint on its `to` body, at the `to` frame, in its axes:
    /// what is missing in the balance of a freedom the joint does not have.
    pub fn reaction(&self, joint: JointId, v_dot: &[f64], lambda: &[f64]) -> [f64; 6] {
        let moving = self.moving(|p| p, &self.state.v, v_dot, None);
        let loads = loads::loads(&self.uniform());
        let bodies = self.body_motions(&moving);
        let sign = if self.kept.cut.contains(&joint) { -1.0 } else { 1.0 };
        std::array::from_fn(|k| {
            let partial = self.partial(Direction::Twist(joint, k));
            let applied: f64 = jourdain(&moving, &loads, &bodies, &partial).iter().sum();
            let constraint: f64 = partial.rows.iter().zip(lambda).map(|(row, lambda)| row * lambda).sum();
            // A twist at a cut joint moves no body; the joint is then the rows themselves.
            sign * constraint - applied
        })
    }
}

/// The terms ∂v/∂v_j · (F − ma) + ∂ω/∂v_j · (τ − L') of all bodies.
fn jourdain<S: Scalar>(
    moving: &Moving<'_, S>,
    loads: &Loads<S>,
    bodies: &[BodyMotion<S>],
    partial: &Partial<S>,
) -> Vec<S> {
    let mut terms = Vec::new();
    for (index, body) in bodies.iter().enumerate() {
        let [force, torque] = loads.bodies[index];
        let arm = transform::sub(&moving.bodies[index].r.map(Jet::now), &body.com.map(Jet::now));
        let torque = transform::add(&torque, &transform::cross(&arm, &force));
        let PartialMotion { v_com: v, omega, .. } = &partial.bodies[index];
        terms.push(transform::dot(v, &force));
        terms.push(-transform::dot(v, &body.momentum.map(|l| l.rate(1))));
        terms.push(transform::dot(omega, &torque));
        terms.push(-transform::dot(omega, &body.angular_momentum.map(|l| l.rate(1))));
    }
    terms
}

impl Sum {
    fn push(&mut self, terms: &[f64]) {
        self.values.push(terms.iter().sum());
        self.largest_term = terms.iter().map(|term| term.abs()).fold(self.largest_term, f64::max);
    }
}
