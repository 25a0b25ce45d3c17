//! Models read, compiled and ready to be compared.

use mbs_symbolic::diag::{Diagnostics, render};
use mbs_symbolic::dynamics::{self, Equations, Options};
use mbs_symbolic::ids::Id;
use mbs_symbolic::model::{Constraint, ConstraintKind, Input, JointKind, Loader, Model, Orientation, read};
use mbs_symbolic::topology;

use crate::accelerations;
use crate::compiled::{self, Difference};
use crate::formula::Values;
use crate::jacobian;
use crate::mechanism::{Kept, State, parameters};
use crate::numbers::Numbers;
use crate::oracle::Oracle;
use crate::scalar::Jet;
use crate::states::{Random, random_state};

/// A model with its equations and what the oracle needs.
#[derive(Debug)]
pub struct Loaded {
    /// The model.
    pub model: Model,
    /// What is cut and what exists.
    pub kept: Kept,
    /// The compiler's equations.
    pub equations: Equations,
}

/// Reads files that stand beside the models.
pub(crate) struct SiblingFiles;

impl Loader for SiblingFiles {
    fn load(&self, path: &str) -> Result<String, String> {
        let path = format!("{}/../models/{path}", env!("CARGO_MANIFEST_DIR"));
        std::fs::read_to_string(path).map_err(|error| error.to_string())
    }
}

/// Names of all models in `models/`, in alphabetical order.
pub fn model_names() -> Vec<String> {
    let directory = concat!(env!("CARGO_MANIFEST_DIR"), "/../models");
    let entries = std::fs::read_dir(directory).expect("models/ exists");
    let names = entries.filter_map(|entry| {
        let name = entry.expect("models/ is readable").file_name().into_string().ok()?;
        name.strip_suffix(".yaml").map(str::to_owned)
    });
    let mut names: Vec<String> = names.collect();
    names.sort();
    names
}

impl Loaded {
    /// A model of `models/`.
    pub fn model(name: &str) -> Self {
        let path = format!("{}/../models/{name}.yaml", env!("CARGO_MANIFEST_DIR"));
        let text = std::fs::read_to_string(&path).unwrap_or_else(|error| panic!("{path}: {error}"));
        Self::text(name, &text)
    }

    /// A model in text; panics with the compiler's messages if it is rejected.
    pub fn text(name: &str, text: &str) -> Self {
        let reading = read(name, text, &SiblingFiles);
        let report = |diagnostics| render(&diagnostics, &reading.sources);
        match reading.result.and_then(|(model, _)| Self::resolved(model)) {
            Ok(loaded) => loaded,
            Err(diagnostics) => panic!("{name} is rejected:\n{}\n{text}", report(diagnostics)),
        }
    }

    /// A resolved model.
    pub fn resolved(model: Model) -> Result<Self, Diagnostics> {
        let topology = topology::build(&model)?;
        let equations =
            dynamics::build(&model, &topology, Options { keep_dust: true, ..Options::default() })?;
        let kept =
            Kept { cut: topology.cut_joints, positions: topology.positions, velocities: topology.velocities };
        Ok(Self { model, kept, equations })
    }

    /// The same with what each element contributes.
    #[must_use]
    pub fn with_contributions(self) -> Self {
        let topology = topology::build(&self.model).expect("built before");
        let options = Options { provenance: true, keep_dust: true, ..Options::default() };
        let equations = dynamics::build(&self.model, &topology, options).expect("built before");
        Self { equations, ..self }
    }

    /// The same with the derivatives of all residuals.
    #[must_use]
    pub fn with_jacobian(self) -> Self {
        let topology = topology::build(&self.model).expect("built before");
        let options = Options { jacobian: true, keep_dust: true, ..Options::default() };
        let equations = dynamics::build(&self.model, &topology, options).expect("built before");
        Self { equations, ..self }
    }

    /// Entries of the Jacobian on which the compiler and the oracle disagree at a random
    /// state; the model must be [`with_jacobian`](Self::with_jacobian).
    pub fn compare_jacobian(&self, seed: u64) -> Vec<Difference> {
        let state = self.random_state(&mut Random::new(seed));
        jacobian::compare(&self.model, &self.kept, &self.equations, &state, seed)
    }

    /// Entries that are not the sum of their contributions.
    pub fn compare_contributions(&self, seed: u64) -> Vec<Difference> {
        let state = self.random_state(&mut Random::new(seed));
        compiled::compare_contributions(&self.model, &self.equations, &state)
    }

    /// Initial values and defaults of inputs on which the two disagree.
    pub fn compare_defaults(&self) -> Vec<Difference> {
        compiled::compare_defaults(&self.model, &self.equations, &self.default_state())
    }

    /// What the compiler and the oracle disagree on at a random state.
    pub fn compare_at_random_state(&self, seed: u64) -> Vec<Difference> {
        let state = self.random_state(&mut Random::new(seed));
        compiled::compare(&self.model, &self.kept, &self.equations, &state, seed)
    }

    /// A random state where every force law is defined.
    fn random_state(&self, random: &mut Random) -> State {
        let mut states = std::iter::repeat_with(|| random_state(&self.model, &self.kept, random)).take(100);
        let defined = |state: &State| {
            let forces = Oracle::new(&self.model, &self.kept, state).forces();
            forces.values.iter().all(|force| force.is_finite())
        };
        states.find(defined).unwrap_or_else(|| panic!("{}: no state with finite forces", self.model.name))
    }

    /// What the compiler's g, G, c and z disagree on among themselves where quaternions
    /// are not unit: the rows are then not those of a mechanism, but G v + c and z are
    /// still the rates of g along p' = T v.
    pub fn compare_off_the_unit_sphere(&self, seed: u64) -> Vec<Difference> {
        let mut random = Random::new(seed);
        let mut state = self.random_state(&mut random);
        for block in &self.equations.layout.quaternions {
            // Inside the sphere, where no cosine is larger than one.
            let factor = random.between(0.8, 0.95);
            for q in &mut state.p[block.p as usize..][..4] {
                *q *= factor;
            }
        }
        let mut differences = compiled::compare_rates(&self.model, &self.kept, &self.equations, &state);
        // What a query between two moving bodies means where R is not a rotation is a matter of
        // definition, so free equations are held to their own derivatives above only.
        let free = |constraint: &Constraint| {
            matches!(
                constraint.kind,
                ConstraintKind::Equation { .. } | ConstraintKind::VelocityEquation { .. }
            )
        };
        let equations: Vec<String> = self
            .model
            .constraints
            .iter()
            .filter(|constraint| free(constraint))
            .map(|constraint| format!("[{}]", constraint.name.text))
            .collect();
        let others = compiled::compare_constraints(&self.model, &self.kept, &self.equations, &state);
        differences.extend(
            others
                .into_iter()
                .filter(|difference| !equations.iter().any(|name| difference.what.ends_with(name))),
        );
        differences
    }

    /// The equations at a state, by the oracle and by the compiler.
    pub fn numbers(&self, state: &State) -> [(&'static str, Numbers); 2] {
        let oracle = Oracle::new(&self.model, &self.kept, state);
        let compiled = compiled::numbers(&self.model, &self.equations, state);
        [("oracle", Numbers::of_oracle(&oracle)), ("compiled", compiled)]
    }

    /// v' at a state by each of the compiler's solutions, with the name of its algorithm.
    pub fn accelerations(&self, state: &State) -> Vec<(&'static str, Vec<f64>)> {
        accelerations::v_dot(&compiled::Compiled::new(&self.model, &self.equations, state))
    }

    /// Outputs at a state with v' = 0 and λ = 0, by the oracle and by the compiler.
    pub fn outputs(&self, state: &State) -> [(&'static str, Vec<f64>); 2] {
        let oracle = Oracle::new(&self.model, &self.kept, state);
        let lambda = vec![0.0; oracle.constraints().names.len()];
        let expected = oracle.outputs(&vec![0.0; state.v.len()], &lambda);
        [("oracle", expected), ("compiled", compiled::outputs(&self.model, &self.equations, state))]
    }

    /// The model's own initial values at t = 0, inputs at their defaults.
    pub fn default_state(&self) -> State {
        let model = &self.model;
        let theta = parameters(model);
        let mut values = Values::<f64>::of_parameters(model, &theta);
        let mut positions = vec![0.0; model.coordinates.len()];
        let mut velocities = vec![0.0; model.velocities.len()];
        for joint in &model.joints {
            if let JointKind::Spherical { orientation } | JointKind::Free { orientation, .. } = &joint.kind
                && let Orientation::Quaternion { coordinates, .. } = orientation
            {
                positions[coordinates[0].index()] = 1.0;
            }
        }
        for (id, value) in &model.initial.positions {
            positions[id.index()] = values.get(value).now();
        }
        for (id, value) in &model.initial.velocities {
            velocities[id.index()] = values.get(value).now();
        }
        let x = model.states.iter().map(|state| values.get(&state.initial).now()).collect();
        values.t = Jet::moving(0.0, 1.0, 0.0);
        let input = |input: &Input| {
            let value = values.get(&input.default);
            [0, 1, 2].map(|order| value.rate(order))
        };
        let u = model.inputs.iter().map(input).collect();
        State {
            t: 0.0,
            p: self.kept.positions.iter().map(|id| positions[id.index()]).collect(),
            v: self.kept.velocities.iter().map(|id| velocities[id.index()]).collect(),
            x,
            u,
            theta,
        }
    }

    /// Names of p.
    pub fn position_names(&self) -> Vec<String> {
        self.kept.positions.iter().map(|id| self.model.coordinates[*id].name.text.clone()).collect()
    }
}
