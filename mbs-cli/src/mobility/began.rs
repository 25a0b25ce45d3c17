//! How a run of the model would begin: the same start as that of `mbs simulate`.

use mbs_runtime::constraint::{Start, consistent, contradiction_over_time};
use mbs_runtime::{Defaults, Layout, Plant, SimulationError, State, System};
use mbs_symbolic::model::Model;
use mbs_symbolic::program::Program;

/// Parts of a run after which motions are compared.
const TIMES: [f64; 6] = [1e-3, 0.03, 0.21, 0.5, 0.83, 1.0];

/// Where a run begins, or why it does not.
pub(crate) struct Began {
    /// Names of what is listed and completed.
    pub(crate) layout: Layout,
    pub(crate) start: Result<Start, SimulationError>,
    /// Positions at the start; the best ones met where there is none.
    pub(super) p: Vec<f64>,
}

impl Began {
    pub(super) fn of(program: &Program, model: &Model) -> Self {
        let system = mbs_jit::Interpreted::new(program);
        let layout = system.layout().clone();
        let mut plant = Plant::new(&system, &layout.parameter_defaults, Box::new(Defaults));
        let mut state = State::new(&layout);
        plant.initial(&mut state);
        let listed = state.v.clone();
        let start = consistent(&mut plant, &mut state)
            .map_err(|inconsistent| SimulationError::of_start(&layout, state.t, &listed, inconsistent));
        let t_end = model.simulation.t_end.unwrap_or(1.0);
        let times = TIMES.map(|part| part * t_end);
        let start = start.and_then(|start| match contradiction_over_time(&mut plant, &state, &times) {
            None => Ok(start),
            Some((t, found)) => Err(SimulationError::of_contradiction(&layout, t, found)),
        });
        Self { layout, start, p: state.p }
    }

    /// Whether the constraints of position are met.
    pub(super) fn is_closed(&self) -> bool {
        !matches!(
            self.start,
            Err(SimulationError::InconsistentStart { velocity: false, .. }
                | SimulationError::TurnedOver { .. })
        )
    }

    /// Whether constraints ask for different things of the same motion.
    pub(crate) fn contradicts(&self) -> bool {
        matches!(self.start, Err(SimulationError::Contradiction { .. }))
    }
}
