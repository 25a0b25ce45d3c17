//! The functions of a model at one state, by interpretation.

use mbs_symbolic::program::{FunctionKind, Inputs, Interpreter, ModeKind, Program};

/// At most this often modes are decided anew when they depend on each other.
const MODE_ROUNDS: usize = 20;

/// Values of everything the equations depend on.
#[derive(Debug, Clone)]
pub(crate) struct State {
    pub(crate) t: f64,
    pub(crate) p: Vec<f64>,
    pub(crate) v: Vec<f64>,
    pub(crate) x: Vec<f64>,
    pub(crate) u: Vec<f64>,
    pub(crate) modes: Vec<bool>,
    pub(crate) v_dot: Vec<f64>,
    pub(crate) lambda: Vec<f64>,
}

/// A program with parameters set.
pub(crate) struct Evaluator<'a> {
    pub(crate) program: &'a Program,
    interpreter: Interpreter,
    prepared: Vec<f64>,
}

impl<'a> Evaluator<'a> {
    /// Sets the parameters.
    pub(crate) fn new(program: &'a Program, theta: &[f64]) -> Self {
        let mut interpreter = Interpreter::new(program);
        let mut prepared = vec![0.0; program.n_prepared()];
        interpreter.prepare(program, theta, &mut prepared);
        Self { program, interpreter, prepared }
    }

    /// The model's own initial values at time `t`, with its inputs' defaults.
    pub(crate) fn initial(&mut self, t: f64) -> State {
        let layout = &self.program.layout;
        let mut state = State {
            t,
            p: vec![0.0; layout.positions.len()],
            v: vec![0.0; layout.velocities.len()],
            x: vec![0.0; layout.states.len()],
            u: vec![0.0; layout.inputs.len()],
            modes: vec![false; layout.modes.len()],
            v_dot: vec![0.0; layout.velocities.len()],
            lambda: vec![0.0; layout.rows.len()],
        };
        if let [p, v, x] = self.run(FunctionKind::Initial, &state).as_slice() {
            (state.p, state.v, state.x) = (p.clone(), v.clone(), x.clone());
        }
        // Conditions in the inputs' defaults ask for the time alone; modes that do not come to
        // rest are reported where they are decided for the whole state.
        let _ = self.decide_modes(&mut state);
        state.u = self.one(FunctionKind::InputDefaults, &state);
        state
    }

    /// All arrays a function fills.
    pub(crate) fn run(&mut self, kind: FunctionKind, state: &State) -> Vec<Vec<f64>> {
        let function = self.program.function(kind);
        let mut results: Vec<Vec<f64>> =
            function.results.iter().map(|block| vec![0.0; block.entries.len()]).collect();
        let inputs = Inputs {
            t: state.t,
            p: &state.p,
            v: &state.v,
            x: &state.x,
            u: &state.u,
            modes: &state.modes,
            prepared: &self.prepared,
            v_dot: &state.v_dot,
            lambda: &state.lambda,
        };
        let mut slices: Vec<&mut [f64]> = results.iter_mut().map(Vec::as_mut_slice).collect();
        self.interpreter.run(self.program, kind, &inputs, &mut slices);
        results
    }

    /// The array of a function that fills one.
    pub(crate) fn one(&mut self, kind: FunctionKind, state: &State) -> Vec<f64> {
        self.run(kind, state).into_iter().next().unwrap_or_default()
    }

    /// Sets every mode as its switching function says. Switching functions may depend
    /// on other modes, so this goes on until nothing changes; names the modes that do
    /// not come to rest.
    pub(crate) fn decide_modes(&mut self, state: &mut State) -> Result<(), Vec<String>> {
        let mut changed = Vec::new();
        for _ in 0..MODE_ROUNDS {
            let functions = self.one(FunctionKind::SwitchingFunctions, state);
            changed.clear();
            for ((mode, value), held) in self.program.layout.modes.iter().zip(functions).zip(&mut state.modes)
            {
                let holds = match mode.kind {
                    ModeKind::Negative => value < 0.0,
                    ModeKind::NotPositive => value <= 0.0,
                };
                if *held != holds {
                    *held = holds;
                    changed.push(mode.name.clone());
                }
            }
            if changed.is_empty() {
                return Ok(());
            }
        }
        Err(changed)
    }
}
