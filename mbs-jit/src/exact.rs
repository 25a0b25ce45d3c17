//! Exact derivatives of a program, for the identities a model is checked with.

use mbs_runtime::At;
use mbs_runtime::verify::{Derivatives, Direction, Function};
use mbs_symbolic::program::{FunctionKind, Inputs, Program, Rates};

/// Derivatives of a program's functions over dual numbers.
#[derive(Debug, Clone, Copy)]
pub struct Exact<'p> {
    program: &'p Program,
}

impl<'p> Exact<'p> {
    /// Of the functions of a program.
    pub fn new(program: &'p Program) -> Self {
        Self { program }
    }
}

impl Derivatives for Exact<'_> {
    fn along(&self, of: Function, at: &At<'_>, direction: &Direction, out: &mut [f64]) {
        let kind = match of {
            Function::Kinematics => FunctionKind::Kinematics,
            Function::KinematicMatrix => FunctionKind::KinematicMatrix,
            Function::MassMatrix => FunctionKind::MassMatrix,
            Function::Forces => FunctionKind::Forces,
            Function::Constraints => FunctionKind::Constraints,
            Function::ConstraintJacobian => FunctionKind::ConstraintJacobian,
            Function::VelocityBias => FunctionKind::VelocityBias,
            Function::Auxiliary => FunctionKind::Auxiliary,
            Function::Energy => FunctionKind::Energy,
        };
        let At { t, p, v, x, u, modes, prepared } = *at;
        let inputs = Inputs { t, p, v, x, u, modes, prepared, v_dot: &[], lambda: &[] };
        let Direction { t, p, v, x, u } = direction;
        let rates = Rates { t: *t, p, v, x, u };
        out.copy_from_slice(&self.program.derivative(kind, &inputs, &rates));
    }

    fn tolerance(&self) -> f64 {
        1e-9
    }
}
