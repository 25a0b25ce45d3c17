//! Values of formulas as series in time.

use mbs_symbolic::ids::{FrameId, Id};
use mbs_symbolic::model::{BinaryOperator, Comparison, Formula, Function, Model, Query, TermKind};

use crate::scalar::{Elementary, Jet, Scalar};
use crate::table;
use crate::transform::{self, Transform};

/// Everything a formula may refer to, each as a series in time and indexed by its id.
///
/// Lists that are not known yet are empty: joint arguments are evaluated before
/// frames and variables exist.
#[derive(Debug, Clone)]
#[expect(missing_docs, reason = "named after the kinds of terms")]
pub struct Values<'a, S> {
    pub model: &'a Model,
    pub theta: &'a [f64],
    pub t: Jet<S>,
    pub inputs: Vec<Jet<S>>,
    pub coordinates: Vec<Jet<S>>,
    pub velocities: Vec<Jet<S>>,
    pub states: Vec<Jet<S>>,
    pub variables: Vec<Jet<S>>,
    /// Of every frame, in ground.
    pub frames: Vec<Transform<Jet<S>>>,
    /// Of every joint: force and torque on `to`, in its axes.
    pub reactions: Vec<[f64; 6]>,
}

impl<'a, S: Scalar> Values<'a, S> {
    /// Values with parameters alone.
    pub fn of_parameters(model: &'a Model, theta: &'a [f64]) -> Self {
        Self {
            model,
            theta,
            t: Jet::zero(),
            inputs: Vec::new(),
            coordinates: Vec::new(),
            velocities: Vec::new(),
            states: Vec::new(),
            variables: Vec::new(),
            frames: Vec::new(),
            reactions: Vec::new(),
        }
    }

    /// The value of a formula without locals.
    pub fn get(&self, formula: &Formula) -> Jet<S> {
        self.with_locals(formula, &[])
    }

    /// The values of three formulas.
    pub fn get3(&self, formulas: &[Formula; 3]) -> [Jet<S>; 3] {
        [self.get(&formulas[0]), self.get(&formulas[1]), self.get(&formulas[2])]
    }

    /// The value of a formula, given the locals of its element.
    pub fn with_locals(&self, formula: &Formula, locals: &[Jet<S>]) -> Jet<S> {
        let mut values: Vec<Jet<S>> = Vec::with_capacity(formula.terms.len());
        for term in &formula.terms {
            let at = |id: u32| values[id as usize];
            let holds = |id: u32| at(id).real() != 0.0;
            let truth = |value: bool| Jet::constant(f64::from(u8::from(value)));
            let value = match term.kind {
                TermKind::Number(value) => Jet::constant(value),
                TermKind::Parameter(id) => Jet::constant(self.theta[id.index()]),
                TermKind::Input(id) => self.inputs[id.index()],
                TermKind::Time => self.t,
                TermKind::Coordinate(id) => self.coordinates[id.index()],
                TermKind::Velocity(id) => self.velocities[id.index()],
                TermKind::State(id) => self.states[id.index()],
                TermKind::Variable(id) => self.variables[id.index()],
                TermKind::Local(index) => locals[usize::from(index)],
                TermKind::Neg(a) => -at(a),
                TermKind::Binary(operator, a, b) => binary(operator, at(a), at(b)),
                TermKind::Call(function, a, b) => call(function, at(a), at(b)),
                TermKind::Compare(comparison, a, b) => {
                    let (a, b) = (at(a).real(), at(b).real());
                    truth(match comparison {
                        Comparison::Less => a < b,
                        Comparison::LessEqual => a <= b,
                        Comparison::Greater => a > b,
                        Comparison::GreaterEqual => a >= b,
                    })
                }
                TermKind::And(a, b) => truth(holds(a) && holds(b)),
                TermKind::Or(a, b) => truth(holds(a) || holds(b)),
                TermKind::Not(a) => truth(!holds(a)),
                TermKind::If(condition, a, b) => at(if holds(condition) { a } else { b }),
                TermKind::Table(id, kind, a) => {
                    let table = &self.model.tables[id];
                    let read = |derivative: u8, x: f64| table::read(table, kind, derivative, x);
                    at(a).apply(Elementary::Given(&read, 0))
                }
                TermKind::Der(a) => at(a).der(),
                TermKind::Query(query) => self.answer(query),
            };
            values.push(value);
        }
        *values.last().expect("a formula has at least one term")
    }

    fn answer(&self, query: Query) -> Jet<S> {
        let frame = |id: FrameId| &self.frames[id.index()];
        match query {
            Query::Position { of, relative_to, axes, component } => {
                let r = transform::sub(&frame(of).r, &frame(relative_to).r);
                transform::apply_transpose(&frame(axes).rot, &r)[usize::from(component)]
            }
            Query::Velocity { of, relative_to, axes, component } => {
                let seen = frame(relative_to).inverse().then(frame(of)).r.map(Jet::der);
                self.turn(seen, relative_to, axes)[usize::from(component)]
            }
            Query::Acceleration { of, relative_to, axes, component } => {
                let seen = frame(relative_to).inverse().then(frame(of)).r.map(|r| r.der().der());
                self.turn(seen, relative_to, axes)[usize::from(component)]
            }
            Query::AngularVelocity { of, relative_to, axes, component } => {
                let rot = frame(relative_to).inverse().then(frame(of)).rot;
                self.turn(angular_velocity(&rot), relative_to, axes)[usize::from(component)]
            }
            Query::Rotation { of, relative_to, row, column } => {
                let rot = transform::transpose(&frame(relative_to).rot);
                transform::multiply(&rot, &frame(of).rot)[usize::from(row)][usize::from(column)]
            }
            Query::Distance { from, to } => transform::norm(&transform::sub(&frame(to).r, &frame(from).r)),
            Query::Reaction { joint, component } => {
                Jet::constant(self.reactions[joint.index()][usize::from(component)])
            }
        }
    }

    /// Components of a vector in other axes.
    fn turn(&self, v: transform::Vec3<Jet<S>>, from: FrameId, to: FrameId) -> transform::Vec3<Jet<S>> {
        let v_w = transform::apply(&self.frames[from.index()].rot, &v);
        transform::apply_transpose(&self.frames[to.index()].rot, &v_w)
    }
}

/// ω of a moving rotation matrix, in the axes it maps to: `[ω] = R' Rᵀ`.
pub fn angular_velocity<S: Scalar>(rot: &transform::Mat3<Jet<S>>) -> transform::Vec3<Jet<S>> {
    let rate = rot.map(|row| row.map(Jet::der));
    transform::vee(&transform::multiply(&rate, &transform::inverse(rot)))
}

fn binary<S: Scalar>(operator: BinaryOperator, a: S, b: S) -> S {
    match operator {
        BinaryOperator::Add => a + b,
        BinaryOperator::Sub => a - b,
        BinaryOperator::Mul => a * b,
        BinaryOperator::Div => a / b,
        BinaryOperator::Pow => a.pow(b),
    }
}

fn call<S: Scalar>(function: Function, a: S, b: S) -> S {
    match function {
        Function::Sin => a.sin(),
        Function::Cos => a.cos(),
        Function::Tan => a.apply(Elementary::Tan),
        Function::Asin => a.apply(Elementary::Asin),
        Function::Acos => a.apply(Elementary::Acos),
        Function::Atan => a.apply(Elementary::Atan),
        Function::Atan2 => a.atan2(b),
        Function::Sinh => a.apply(Elementary::Sinh),
        Function::Cosh => a.apply(Elementary::Cosh),
        Function::Tanh => a.apply(Elementary::Tanh),
        Function::Exp => a.apply(Elementary::Exp),
        Function::Log => a.apply(Elementary::Log),
        Function::Sqrt => a.sqrt(),
        Function::Abs => {
            if a.real() < 0.0 {
                -a
            } else {
                a
            }
        }
        Function::Sign => {
            let real = a.real();
            S::constant(if real > 0.0 {
                1.0
            } else if real < 0.0 {
                -1.0
            } else {
                0.0
            })
        }
        Function::Min => {
            if b.real() < a.real() {
                b
            } else {
                a
            }
        }
        Function::Max => {
            if b.real() > a.real() {
                b
            } else {
                a
            }
        }
        Function::Floor => S::constant(a.real().floor()),
        Function::Mod => a - b * S::constant((a.real() / b.real()).floor()),
    }
}
