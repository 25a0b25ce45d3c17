//! What must hold of a program, checked after each pass in debug builds.

use super::{Function, FunctionKind, Op, Operand, Program, Quantity};
use crate::expr::Symbol;
use crate::ids::Id;

/// Checks that operands are defined before their use and exist, that every block
/// has the size of its quantity, and that functions see only what they are given.
pub fn verify(program: &Program) -> Result<(), String> {
    if program.functions.len() != FunctionKind::ALL.len() {
        return Err(format!("{} functions", program.functions.len()));
    }
    function(
        program,
        &program.prepare,
        &[Quantity::Prepared],
        Allowed { parameters_only: true, ..Allowed::default() },
    )
    .map_err(|problem| format!("prepare: {problem}"))?;
    for (kind, body) in program.functions() {
        let allowed = Allowed {
            parameters_only: kind.is_per_parameter_set(),
            state: kind.takes_state(),
            modes: !kind.is_per_parameter_set(),
            accelerations: kind.takes_accelerations(),
            multipliers: kind.takes_multipliers(),
        };
        let left_out = kind.is_optional() && !program.has(kind);
        let quantities = if left_out { &[] } else { kind.quantities() };
        function(program, body, quantities, allowed)
            .map_err(|problem| format!("{}: {problem}", kind.name()))?;
    }
    Ok(())
}

#[derive(Clone, Copy, Default)]
struct Allowed {
    /// Nothing but θ.
    parameters_only: bool,
    /// p, v, x and u.
    state: bool,
    /// Modes.
    modes: bool,
    /// v'.
    accelerations: bool,
    /// λ.
    multipliers: bool,
}

fn function(
    program: &Program,
    function: &Function,
    quantities: &[Quantity],
    allowed: Allowed,
) -> Result<(), String> {
    for (index, instruction) in function.body.iter().enumerate() {
        for &operand in instruction.operands() {
            check_operand(program, operand, index, allowed)
                .map_err(|problem| format!("w{index}: {problem}"))?;
        }
        let next = function.body.get(index + 1);
        let previous = index.checked_sub(1).map(|i| &function.body[i]);
        match instruction.op {
            Op::Table { table, .. } if table as usize >= program.tables.len() => {
                return Err(format!("w{index}: no table {table}"));
            }
            Op::SinCos if next.is_none_or(|next| next.op != Op::PairedCos) => {
                return Err(format!("w{index}: pair without its cosine"));
            }
            Op::PairedCos
                if previous.is_none_or(|previous| previous.op != Op::SinCos)
                    || instruction.operands()[0].value() != Some(index - 1) =>
            {
                return Err(format!("w{index}: cosine without its pair"));
            }
            _ => {}
        }
    }
    let found: Vec<Quantity> = function.results.iter().map(|block| block.quantity).collect();
    if found != quantities {
        return Err(format!("fills {found:?} in place of {quantities:?}"));
    }
    for block in &function.results {
        let (rows, columns) = program.shape(block.quantity);
        if block.entries.len() != rows * columns {
            return Err(format!("{} has {} entries", block.quantity.name(), block.entries.len()));
        }
        for &entry in &block.entries {
            check_operand(program, entry, function.body.len(), allowed)?;
        }
    }
    Ok(())
}

/// An operand of the instruction at `index` must exist before it.
fn check_operand(program: &Program, operand: Operand, index: usize, allowed: Allowed) -> Result<(), String> {
    let layout = &program.layout;
    let exists = match operand {
        Operand::Constant(bits) => bits.get().is_finite(),
        Operand::Value(value) => (value as usize) < index,
        Operand::Prepared(slot) => !allowed.parameters_only && (slot as usize) < program.n_slots(),
        Operand::Symbol(Symbol::Theta(i)) => (i as usize) < layout.parameters.len(),
        Operand::Symbol(_) if allowed.parameters_only => false,
        Operand::Symbol(symbol) => match symbol {
            Symbol::Theta(_) | Symbol::Time => true,
            Symbol::P(_) | Symbol::V(_) | Symbol::X(_) | Symbol::U(_) if !allowed.state => false,
            Symbol::Mode(_) if !allowed.modes => false,
            Symbol::P(i) => (i as usize) < layout.positions.len(),
            Symbol::V(i) => (i as usize) < layout.velocities.len(),
            Symbol::X(i) => (i as usize) < layout.states.len(),
            Symbol::U(i) => (i as usize) < layout.inputs.len(),
            Symbol::Mode(id) => id.index() < layout.modes.len(),
            Symbol::VDot(i) => allowed.accelerations && (i as usize) < layout.velocities.len(),
            Symbol::Lambda(i) => allowed.multipliers && (i as usize) < layout.rows.len(),
        },
    };
    if exists { Ok(()) } else { Err(format!("{operand:?} does not exist here")) }
}

#[cfg(test)]
mod tests {
    use super::super::{Instruction, fixture, lower};
    use super::*;
    use crate::expr::UnaryOp;

    #[test]
    fn a_use_before_the_definition_is_found() {
        let mut program = lower(&fixture::pendulum());
        assert_eq!(verify(&program), Ok(()));
        let body = &mut program.functions[FunctionKind::Forces as usize].body;
        body[0] = Instruction::new(Op::Unary(UnaryOp::Neg), &[Operand::Value(3)]);
        assert_eq!(verify(&program), Err("forces: w0: Value(3) does not exist here".into()));
    }
}
