//! From expressions to instructions.

use super::{
    Algorithm, Alternative, Block, Function, FunctionKind, Instruction, Op, Operand, Program, ProgramTable,
    Quantity,
};
use crate::dynamics::{Equations, Formulation, Solution};
use crate::expr::{Graph, Node};
use crate::ids::{ExprId, Id, TableId};
use crate::model;
use mbs_math::TableKind;

/// Writes the equations as a program, one function at a time; equal expressions
/// are one node of the graph and so one instruction of a function.
pub fn lower(equations: &Equations) -> Program {
    let labels = Labels::new(equations);
    let mut tables = Tables { equations, used: Vec::new() };
    let mut functions = Vec::with_capacity(FunctionKind::ALL.len());
    let mut alternatives = Vec::new();
    let mut algorithm = None;
    for kind in FunctionKind::ALL {
        let mut ways = ways(equations, kind);
        // The same expressions make the same function.
        let roots = |way: &mut Way<'_>| -> Vec<Vec<ExprId>> {
            kind.quantities().iter().map(|&quantity| way.expressions(equations, quantity)).collect()
        };
        ways.dedup_by_key(roots);
        let mut ways: Vec<Alternative> = ways
            .into_iter()
            .map(|way| Alternative {
                kind,
                algorithm: way.algorithm(),
                function: function(equations, kind, way, &labels.of_expr, &mut tables),
            })
            .collect();
        // The shortest comes last.
        ways.sort_by_key(|way| std::cmp::Reverse(way.function.body.len()));
        let shortest = ways.pop();
        algorithm = algorithm.or(shortest.as_ref().and_then(|way| way.algorithm));
        functions.push(shortest.map_or_else(Function::default, |way| way.function));
        alternatives.append(&mut ways);
    }
    let program = Program {
        layout: equations.layout.clone(),
        tables: tables.finish(),
        prepare: Function {
            body: Vec::new(),
            results: vec![Block { quantity: Quantity::Prepared, entries: Vec::new() }],
        },
        functions,
        algorithm,
        alternatives,
        labels: labels.texts,
    };
    debug_assert_eq!(super::verify(&program), Ok(()));
    program
}

/// Where a function takes its expressions from.
#[derive(Debug, Clone, Copy)]
enum Way<'a> {
    /// As people read them.
    Read,
    Formulated(&'a Formulation),
    Solved(&'a Solution),
}

impl Way<'_> {
    fn algorithm(self) -> Option<Algorithm> {
        match self {
            Self::Solved(solution) => Some(solution.algorithm),
            Self::Read | Self::Formulated(_) => None,
        }
    }

    fn expressions(self, equations: &Equations, quantity: Quantity) -> Vec<ExprId> {
        let own = match (self, quantity) {
            (Self::Solved(solution), _) => solved(solution, quantity),
            (Self::Formulated(way), Quantity::MassMatrix) => Some(way.mass_matrix.clone()),
            (Self::Formulated(way), Quantity::Forces) => Some(way.forces.clone()),
            (Self::Formulated(way), Quantity::InverseDynamics) => Some(way.inverse_dynamics.clone()),
            _ => None,
        };
        own.unwrap_or_else(|| expressions(equations, quantity))
    }
}

/// The ways to compute a function that are worth comparing; none for one that was not asked for.
fn ways(equations: &Equations, kind: FunctionKind) -> Vec<Way<'_>> {
    let formulations = equations.formulations.iter().map(Way::Formulated);
    let list: Vec<Way<'_>> = match kind {
        FunctionKind::Accelerations => return equations.solutions.iter().map(Way::Solved).collect(),
        _ if kind.quantities().iter().any(|&quantity| formed(equations, quantity).is_none()) => {
            return Vec::new();
        }
        FunctionKind::MassMatrix | FunctionKind::Forces | FunctionKind::InverseDynamics => {
            formulations.collect()
        }
        FunctionKind::Fused => formulations.take(1).collect(),
        _ => Vec::new(),
    };
    if list.is_empty() { vec![Way::Read] } else { list }
}

fn function(
    equations: &Equations,
    kind: FunctionKind,
    way: Way<'_>,
    labels: &[Option<u32>],
    tables: &mut Tables<'_>,
) -> Function {
    let blocks: Vec<(Quantity, Vec<ExprId>)> =
        kind.quantities().iter().map(|&quantity| (quantity, way.expressions(equations, quantity))).collect();
    let needed = needed(&equations.graph, blocks.iter().flat_map(|(_, roots)| roots.iter().copied()));
    let mut body = Vec::new();
    let mut operand_of: Vec<Option<Operand>> = vec![None; needed.len()];
    for index in (0..needed.len()).filter(|&index| needed[index]) {
        let of = |id: ExprId| operand_of[id.index()].expect("operands have smaller ids");
        let instruction = match equations.graph.node(ExprId::new(index)) {
            Node::Constant(bits) => Err(Operand::Constant(bits)),
            Node::Symbol(symbol) => Err(Operand::Symbol(symbol)),
            Node::Unary(op, a) => Ok(Instruction::new(Op::Unary(op), &[of(a)])),
            Node::Binary(op, a, b) => Ok(Instruction::new(Op::Binary(op), &[of(a), of(b)])),
            Node::Select(condition, a, b) => Ok(Instruction::new(Op::Select, &[of(condition), of(a), of(b)])),
            Node::Table { table, kind, derivative, at } => {
                let table = tables.index(table, kind);
                Ok(Instruction::new(Op::Table { table, derivative }, &[of(at)]))
            }
        };
        operand_of[index] = Some(match instruction {
            Err(leaf) => leaf,
            Ok(instruction) => {
                body.push(instruction.labelled(labels[index]));
                Operand::Value((body.len() - 1) as u32)
            }
        });
    }
    let results = blocks
        .into_iter()
        .map(|(quantity, roots)| {
            let of = |root: ExprId| operand_of[root.index()].expect("results are needed");
            Block { quantity, entries: roots.into_iter().map(of).collect() }
        })
        .collect();
    Function { body, results }
}

/// The expressions of a quantity by one solution; `None` for quantities that are not solved for.
pub fn solved(solution: &Solution, quantity: Quantity) -> Option<Vec<ExprId>> {
    match quantity {
        Quantity::Accelerations => Some(solution.v_dot.clone()),
        Quantity::Multipliers => Some(solution.lambda.clone()),
        Quantity::Pivots => Some(solution.pivots.clone()),
        _ => None,
    }
}

/// The expressions of a quantity, in the order of its entries; prepared values have
/// none, nor has what was not asked for. Of several solutions for v' and λ the first is taken.
pub fn expressions(equations: &Equations, quantity: Quantity) -> Vec<ExprId> {
    formed(equations, quantity).unwrap_or_default()
}

/// The expressions of a quantity; `None` if it was not asked for or is not needed.
fn formed(equations: &Equations, quantity: Quantity) -> Option<Vec<ExprId>> {
    let [initial_p, initial_v, initial_x] = &equations.initial;
    Some(match quantity {
        Quantity::PDot => equations.p_dot.clone(),
        Quantity::KinematicMatrix => equations.kinematic_matrix.clone(),
        Quantity::MassMatrix => equations.mass_matrix.clone(),
        Quantity::Forces => equations.forces.clone(),
        Quantity::Constraints => equations.constraints.clone(),
        Quantity::ConstraintJacobian => equations.constraint_jacobian.clone(),
        Quantity::VelocityBias => equations.velocity_bias.clone(),
        Quantity::AccelerationBias => equations.acceleration_bias.clone(),
        Quantity::Auxiliary => equations.auxiliary.clone(),
        Quantity::InverseDynamics => equations.inverse_dynamics.clone(),
        Quantity::Switching => equations.switching.clone(),
        Quantity::Outputs => equations.outputs.clone(),
        Quantity::Poses => {
            let pose = |pose: &crate::dynamics::Pose| pose.r_wb_w.into_iter().chain(pose.rot_wb.concat());
            equations.poses.iter().flat_map(|p| pose(p).collect::<Vec<_>>()).collect()
        }
        Quantity::Energy => vec![equations.kinetic_energy, equations.potential_energy],
        Quantity::InputDefaults => equations.input_defaults.clone(),
        Quantity::InitialP => initial_p.clone(),
        Quantity::InitialV => initial_v.clone(),
        Quantity::InitialX => initial_x.clone(),
        Quantity::Derived => equations.derived.clone(),
        Quantity::Jacobian => equations.jacobian.clone()?,
        Quantity::Accelerations | Quantity::Multipliers | Quantity::Pivots => {
            solved(equations.solutions.first()?, quantity)?
        }
        Quantity::ClosureCosines if equations.closure_cosines.is_empty() => return None,
        Quantity::ClosureCosines => equations.closure_cosines.clone(),
        Quantity::FrameJacobian => equations.frame_jacobian.clone()?,
        Quantity::Prepared => return None,
    })
}

/// Which nodes the roots need, up to the last of them.
fn needed(graph: &Graph, roots: impl Iterator<Item = ExprId> + Clone) -> Vec<bool> {
    let length = roots.clone().map(|root| root.index() + 1).max().unwrap_or(0);
    let mut needed = vec![false; length];
    for root in roots {
        needed[root.index()] = true;
    }
    for index in (0..length).rev() {
        if needed[index] {
            for operand in graph.node(ExprId::new(index)).operands() {
                needed[operand.index()] = true;
            }
        }
    }
    needed
}

/// The names of intermediate quantities, the first one given to an expression.
struct Labels {
    texts: Vec<String>,
    of_expr: Vec<Option<u32>>,
}

impl Labels {
    fn new(equations: &Equations) -> Self {
        let mut labels = Self { texts: Vec::new(), of_expr: vec![None; equations.graph.len()] };
        for (expr, name) in &equations.names {
            if labels.of_expr[expr.index()].is_none() {
                labels.of_expr[expr.index()] = Some(labels.texts.len() as u32);
                labels.texts.push(name.clone());
            }
        }
        labels
    }
}

/// The tables in the order they are first read; one entry per way of reading.
struct Tables<'a> {
    equations: &'a Equations,
    used: Vec<(TableId, TableKind)>,
}

impl Tables<'_> {
    fn index(&mut self, table: TableId, kind: TableKind) -> u32 {
        let found = self.used.iter().position(|&used| used == (table, kind));
        found.unwrap_or_else(|| {
            self.used.push((table, kind));
            self.used.len() - 1
        }) as u32
    }

    fn finish(self) -> Vec<ProgramTable> {
        let make = |(id, kind): (TableId, TableKind)| {
            let source = &self.equations.tables[id];
            let (x, coefficients) = model::pieces(source, kind);
            ProgramTable { name: source.name.text.clone(), kind, x, coefficients }
        };
        self.used.into_iter().map(make).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::super::fixture;
    use super::*;

    #[test]
    fn each_function_holds_only_what_it_needs() {
        let program = lower(&fixture::pendulum());
        let length = |kind| program.function(kind).body.len();
        // M = m*l*l, f = -m*g*l*sin(phi): no sine in M, none of M's own products in g.
        assert_eq!(length(FunctionKind::MassMatrix), 2);
        assert_eq!(length(FunctionKind::Constraints), 0);
        assert!(length(FunctionKind::Fused) >= length(FunctionKind::Forces));
        let separate: usize = [FunctionKind::MassMatrix, FunctionKind::Forces].map(length).iter().sum();
        assert!(length(FunctionKind::Fused) < separate, "m*l is shared");
    }
}
