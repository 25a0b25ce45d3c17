//! Total time derivatives.

use super::{EquationContext, Queries, StateRate};
use crate::diag::{Problem, Span};
use crate::dynamics::Element;
use crate::expr::Symbol;
use crate::ids::{ExprId, Id, IdVec, VelocityId};
use crate::model::{JointKind, Orientation};

/// How many states may need each other's rates in a row.
const DEEPEST_RATES: usize = 64;

impl EquationContext<'_> {
    /// Teaches `time` the rates of all symbols but states.
    pub(super) fn seed_time(&mut self) {
        let (t, one) = (self.graph.symbol(Symbol::Time), self.graph.one());
        self.time.seed(t, one);
        for id in self.model.coordinates.ids() {
            let (Some(index), Some(rate)) = (self.symbols.positions[id], self.model.coordinates[id].rate)
            else {
                continue;
            };
            let (position, rate) = (self.graph.symbol(Symbol::P(index)), self.velocity(rate));
            self.time.seed(position, rate);
        }
        for joint in &self.model.joints {
            if let Some((q, w)) = self.quaternion(&joint.kind) {
                let rates = quaternion_rates(self, q, w);
                for (position, rate) in q.into_iter().zip(rates) {
                    self.time.seed(position, rate);
                }
            }
        }
        let velocities: IdVec<VelocityId, Option<u32>> = self.symbols.velocities.clone();
        for index in velocities.iter().flatten() {
            let (v, v_dot) = (self.graph.symbol(Symbol::V(*index)), self.graph.symbol(Symbol::VDot(*index)));
            self.time.seed(v, v_dot);
        }
        for (id, input) in self.model.inputs.iter_enumerated() {
            for derivative in 0..u32::from(input.derivatives) {
                let (u, u_dot) = (self.input(id, derivative), self.input(id, derivative + 1));
                self.time.seed(u, u_dot);
            }
        }
    }

    /// The symbols of a quaternion joint that was not cut: q and ω.
    pub(crate) fn quaternion(&mut self, kind: &JointKind) -> Option<([ExprId; 4], [ExprId; 3])> {
        let (JointKind::Spherical { orientation } | JointKind::Free { orientation, .. }) = kind else {
            return None;
        };
        let Orientation::Quaternion { coordinates, velocities } = orientation else { return None };
        self.symbols.positions[coordinates[0]]?;
        let q = coordinates.map(|coordinate| self.coordinate(coordinate));
        let w = velocities.map(|velocity| self.velocity(velocity));
        Some((q, w))
    }

    /// d/dt of `expr`, with v' as a symbol where it depends on velocities.
    ///
    /// `span` is where an input without derivatives, or states that need each other's
    /// rates, are reported.
    pub(crate) fn total_derivative(&mut self, expr: ExprId, queries: &mut dyn Queries, span: Span) -> ExprId {
        for (id, input) in self.model.inputs.iter_enumerated() {
            let last = self.symbols.inputs[id] + u32::from(input.derivatives);
            if self.depends_on(expr, |symbol| symbol == Symbol::U(last)) {
                let name = input.name.text.clone();
                self.problems.error(span, Problem::InputNeedsDerivatives { input: name });
                return self.graph.zero();
            }
        }
        let in_progress = self.state_rates.iter().filter(|&&rate| rate == StateRate::InProgress).count();
        for id in self.model.states.ids() {
            let symbol = Symbol::X(id.index() as u32);
            if !self.depends_on(expr, |found| found == symbol) {
                continue;
            }
            match self.state_rates[id] {
                StateRate::Known => {}
                StateRate::Unknown if in_progress < DEEPEST_RATES => {
                    self.state_rate(id, queries);
                }
                StateRate::Unknown | StateRate::InProgress => {
                    let what =
                        format!("state `{}`, whose own rate uses it,", self.model.states[id].name.text);
                    self.problems.error(span, Problem::RateTooHigh { what });
                    return self.graph.zero();
                }
            }
        }
        self.time.of(&mut self.graph, expr)
    }

    /// a: the rate of a state.
    pub(crate) fn state_rate(&mut self, id: crate::ids::StateId, queries: &mut dyn Queries) -> ExprId {
        let state = self.state(id);
        if self.state_rates[id] != StateRate::Known {
            self.state_rates[id] = StateRate::InProgress;
            let model = self.model;
            let formula = &model.states[id].derivative;
            let rate = self.law(formula, &[], queries, Element::State(id));
            self.time.seed(state, rate);
            self.state_rates[id] = StateRate::Known;
        }
        self.time.of(&mut self.graph, state)
    }
}

/// q' = ½ q ⊗ (0, ω) with ω in the axes of the turned frame.
fn quaternion_rates(context: &mut EquationContext<'_>, q: [ExprId; 4], w: [ExprId; 3]) -> [ExprId; 4] {
    let graph = &mut context.graph;
    let [q0, q1, q2, q3] = q;
    let [x, y, z] = w;
    // Each row: coefficient of ω_x, ω_y, ω_z, by component and sign.
    let rows = [
        [(q1, -1.0), (q2, -1.0), (q3, -1.0)],
        [(q0, 1.0), (q3, -1.0), (q2, 1.0)],
        [(q3, 1.0), (q0, 1.0), (q1, -1.0)],
        [(q2, -1.0), (q1, 1.0), (q0, 1.0)],
    ];
    rows.map(|row| {
        let terms: Vec<ExprId> = row
            .iter()
            .zip([x, y, z])
            .map(|(&(component, sign), w)| {
                let product = graph.mul(component, w);
                graph.scale(sign, product)
            })
            .collect();
        let sum = graph.sum(terms);
        graph.scale(0.5, sum)
    })
}
