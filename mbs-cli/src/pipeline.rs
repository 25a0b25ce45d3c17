//! From a model file to a program, stage by stage, with the time each takes.
//!
//! The compiler itself has no clock and opens no files, so both happen here.

use crate::arguments::NumberOptions;
use crate::frames;
use crate::input::{Files, place_in_file};
use crate::report::Failure;
use mbs_symbolic::Options;
use mbs_symbolic::checks;
use mbs_symbolic::diag::{Diagnostics, Sources};
use mbs_symbolic::dynamics::{self, Equations, Saving};
use mbs_symbolic::explain::Readings;
use mbs_symbolic::model::urdf::UrdfOptions;
use mbs_symbolic::model::{self, Loader, Model, Reading, limits};
use mbs_symbolic::optimize::{self, Report};
use mbs_symbolic::program::{self, Program};
use mbs_symbolic::topology::{self, Topology};
use std::path::{Path, PathBuf};
use std::time::Instant;

/// A model that is read and has its tree.
#[derive(Clone)]
pub(crate) struct Planned {
    pub(crate) model: Model,
    pub(crate) topology: Topology,
    pub(crate) warnings: Diagnostics,
    pub(crate) sources: Sources,
    /// The model file and every file it names.
    pub(crate) files: Vec<PathBuf>,
    /// Milliseconds by stage.
    pub(crate) times: Vec<(&'static str, f64)>,
}

/// A model whose equations are derived.
pub(crate) struct Derived {
    pub(crate) planned: Planned,
    pub(crate) equations: Equations,
}

/// A model compiled to an optimised program.
pub(crate) struct Compiled {
    pub(crate) planned: Planned,
    pub(crate) program: Program,
    pub(crate) passes: Report,
    /// Angles taken as exact multiples of a right angle.
    pub(crate) dust: usize,
    /// What choices of formulation save, if asked for.
    pub(crate) savings: Vec<Saving>,
    /// Where tables are read.
    pub(crate) readings: Option<Readings>,
}

/// Reads a model and grows its tree; `robot` says how one in URDF becomes a model.
pub(crate) fn plan(path: &Path, robot: UrdfOptions) -> Result<Planned, Failure> {
    plan_of(path, robot, &Files::default())
}

/// The same of a model that may read these files, which then know what was asked for.
pub(crate) fn plan_of(path: &Path, robot: UrdfOptions, files: &Files) -> Result<Planned, Failure> {
    let mut times = Vec::new();
    let source = files.model(path, limits::FILE_BYTES).map_err(|error| {
        let failure = Failure::new("MBS-C001", format!("cannot read the model: {error}"));
        failure.about(path).at(place_in_file(&error))
    })?;
    let directory = path.parent().unwrap_or(Path::new(""));
    let loader = SiblingFiles { directory, files };
    let name = path.display().to_string();
    let Reading { sources, result, fragment } =
        timed(&mut times, "read", || model::read_with(&name, &source, &loader, robot));
    let (model, warnings) = match result {
        Ok(read) => read,
        Err(found) => {
            let diagnostics = mbs_symbolic::all_problems(found, fragment.as_deref());
            return Err(Failure::Model { diagnostics, sources });
        }
    };
    match timed(&mut times, "topology", || topology::build(&model)) {
        Ok(topology) => Ok(Planned { model, topology, warnings, sources, files: files.paths(), times }),
        Err(diagnostics) => Err(with_warnings(warnings, diagnostics, sources)),
    }
}

/// Reads a model and derives its equations.
pub(crate) fn derive(path: &Path, options: Options) -> Result<Derived, Failure> {
    derive_planned(plan(path, options.urdf())?, options)
}

/// Derives the equations of a model that was read.
pub(crate) fn derive_planned(mut planned: Planned, options: Options) -> Result<Derived, Failure> {
    frames::check(&planned.model, &options)?;
    match timed(&mut planned.times, "equations", || {
        dynamics::build(&planned.model, &planned.topology, options)
    }) {
        Ok(equations) => Ok(Derived { planned, equations }),
        Err(diagnostics) => Err(with_warnings(planned.warnings, diagnostics, planned.sources)),
    }
}

fn with_warnings(mut warnings: Diagnostics, errors: Diagnostics, sources: Sources) -> Failure {
    warnings.append(errors);
    warnings.sort();
    Failure::Model { diagnostics: warnings, sources }
}

/// Reads a model and compiles it to an optimised program.
pub(crate) fn compile(path: &Path, options: Options) -> Result<Compiled, Failure> {
    compile_derived(derive(path, options)?)
}

/// Reads a model and forms a program to look at its motions. Where there is no constraint to solve it
/// is left as it stands: optimising costs several times what forming it does. Where there is one it is
/// that of a run, so that both close loops at the same numbers.
pub(crate) fn for_mobility(path: &Path, options: Options) -> Result<(Planned, Program), Failure> {
    let derived = derive(path, options)?;
    if !derived.equations.layout.rows.is_empty() {
        let Compiled { planned, program, .. } = compile_derived(derived)?;
        return Ok((planned, program));
    }
    let Derived { mut planned, equations } = derived;
    let program = timed(&mut planned.times, "lower", || program::lower(&equations));
    warn_of_program(&mut planned, &program);
    Ok((planned, program))
}

/// Adds the warnings that need the equations.
fn warn_of_program(planned: &mut Planned, program: &Program) {
    planned.warnings.append(checks::of_program(&planned.model, &planned.topology, program));
    planned.warnings.sort();
}

impl NumberOptions {
    /// What to form: the equations alone, of numbers taken like this.
    pub(crate) fn equations(self) -> Options {
        let Self { keep_dust, floating_base, lenient } = self;
        Options { keep_dust, floating_base, lenient, ..Options::default() }
    }
}

/// Compiles derived equations to an optimised program.
pub(crate) fn compile_derived(derived: Derived) -> Result<Compiled, Failure> {
    let Derived { mut planned, equations } = derived;
    let mut program = timed(&mut planned.times, "lower", || program::lower(&equations));
    let passes = timed(&mut planned.times, "optimize", || optimize::run(&mut program));
    warn_of_program(&mut planned, &program);
    let readings = Readings::of(&equations);
    let (dust, savings) = (equations.graph.snapped_angles, equations.savings);
    Ok(Compiled { planned, program, passes, dust, savings, readings })
}

/// Compiles the Jacobian of a model when it is first asked for; the model has been compiled with
/// these options before.
pub(crate) fn derivatives(
    planned: &Planned,
    options: Options,
) -> impl Fn() -> Option<Program> + Send + Sync + 'static {
    let (model, topology) = (planned.model.clone(), planned.topology.clone());
    move || {
        let options = Options { jacobian: true, ..options.clone() };
        let equations = dynamics::build(&model, &topology, options).ok()?;
        let mut program = program::lower(&equations);
        optimize::run(&mut program);
        Some(program)
    }
}

fn timed<T>(times: &mut Vec<(&'static str, f64)>, stage: &'static str, work: impl FnOnce() -> T) -> T {
    let begin = Instant::now();
    let result = work();
    times.push((stage, begin.elapsed().as_secs_f64() * 1e3));
    result
}

/// Files beside the model.
struct SiblingFiles<'a> {
    directory: &'a Path,
    files: &'a Files,
}

impl Loader for SiblingFiles<'_> {
    fn load(&self, path: &str) -> Result<String, String> {
        self.files.named(&self.directory.join(path), limits::TABLE_BYTES).map_err(|error| error.to_string())
    }
}
