//! The command line.

use crate::frames::FrameOptions;
use crate::picture::Theme;
use clap::{Args, Parser, Subcommand, ValueEnum};
use std::path::PathBuf;
use std::time::Duration;

/// Describe a mechanism in YAML; get its equations of motion.
#[derive(Debug, Parser)]
#[command(name = "mbs", version, propagate_version = true)]
pub(crate) struct Arguments {
    #[command(subcommand)]
    pub(crate) command: Command,
}

#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    /// Check a model: diagnostics, degrees of freedom, loops
    Check(JsonModel),
    /// Draw how bodies and joints hang together
    Graph(GraphOptions),
    /// Count operations, show what each pass and stage does
    Stats(StatsOptions),
    /// Write the equations of motion for people
    Equations(EquationsOptions),
    /// Say which model elements make an entry of the equations
    Explain(ExplainOptions),
    /// Check the equations against independent identities at random states
    Verify(VerifyOptions),
    /// Say which equations differ between two models
    Diff(DiffOptions),
    /// Write the equations of motion as source code
    Generate(GenerateOptions),
    /// Evaluate all quantities at one state
    Eval(EvalOptions),
    /// Simulate one run
    Simulate(SimulateOptions),
    /// Draw the mechanism at one instant of a run, as SVG or PNG
    Picture(PictureOptions),
    /// Show the mechanism on a local page with sliders that runs it as they move
    Serve(ServeOptions),
    /// Simulate many runs with other parameters or initial values
    Sweep(SweepOptions),
    /// Join the tables of a sweep that was run in shards
    Merge(MergeOptions),
    /// Find a pose at which all forces balance
    Equilibrium(EquilibriumOptions),
    /// Compare integrators and projections on one run
    Compare(CompareOptions),
    /// Write a commented model to start from
    New(NewOptions),
    /// Make the white space of model files even; nothing else changes
    Fmt(FormatOptions),
    /// Write a JSON Schema of the model language, for editors
    Schema(SchemaOptions),
    /// Write a model from a robot in URDF
    Import(ImportOptions),
    /// Explain the code of an error or warning, with a faulty example and its fix
    ExplainCode(ExplainCodeOptions),
}

impl Command {
    /// Whether standard output carries one JSON object.
    pub(crate) fn json(&self) -> bool {
        match self {
            Self::Check(options) => options.json,
            Self::Stats(options) => options.json,
            Self::Explain(options) => options.json,
            Self::Verify(options) => options.json,
            Self::Diff(options) => options.json,
            Self::Eval(options) => options.json,
            Self::Simulate(options) => options.json,
            Self::Sweep(options) => options.json,
            Self::Merge(options) => options.json,
            Self::Compare(options) => options.json,
            Self::Equilibrium(options) => options.json,
            Self::Graph(_)
            | Self::Picture(_)
            | Self::Serve(_)
            | Self::Equations(_)
            | Self::Generate(_)
            | Self::New(_) => false,
            Self::Fmt(_) | Self::Schema(_) | Self::Import(_) | Self::ExplainCode(_) => false,
        }
    }
}

/// How numbers of a model are taken.
#[derive(Debug, Clone, Copy, Default, Args)]
pub(crate) struct NumberOptions {
    /// Take angles as they are written: no right angles for angles within 1e-10 rad of one; of URDF
    /// also no zero for lengths below 1e-10 m
    #[arg(long)]
    pub(crate) keep_dust: bool,
    /// Robots in URDF: let the root link move freely instead of making it ground
    #[arg(long)]
    pub(crate) floating_base: bool,
    /// Robots in URDF: accept mistakes that other readers pass over, with a warning each: inertias that
    /// are not positive, elements given twice, left-over xacro, undeclared prefixes, `mimic` of a
    /// joint that is not there
    #[arg(long)]
    pub(crate) lenient: bool,
}

/// A model, and how to answer.
#[derive(Debug, Args)]
pub(crate) struct JsonModel {
    /// Model file (YAML)
    pub(crate) model: PathBuf,
    #[command(flatten)]
    pub(crate) numbers: NumberOptions,
    /// Print one JSON object instead of text
    #[arg(long)]
    pub(crate) json: bool,
}

#[derive(Debug, Args)]
pub(crate) struct ImportOptions {
    /// Robot (URDF)
    pub(crate) robot: PathBuf,
    /// Write to a file instead of standard output
    #[arg(short, long, value_name = "FILE")]
    pub(crate) out: Option<PathBuf>,
    #[command(flatten)]
    pub(crate) numbers: NumberOptions,
}

#[derive(Debug, Args)]
pub(crate) struct ExplainCodeOptions {
    /// The code, such as MBS-N001; without one all codes are listed
    pub(crate) code: Option<String>,
    /// Print the whole reference in Markdown (docs/errors.md)
    #[arg(long, conflicts_with = "code")]
    pub(crate) all: bool,
}

#[derive(Debug, Args)]
pub(crate) struct StatsOptions {
    /// Model file (YAML)
    pub(crate) model: PathBuf,
    #[command(flatten)]
    pub(crate) numbers: NumberOptions,
    /// Count the derivatives of all residuals too
    #[arg(long)]
    pub(crate) jacobian: bool,
    #[command(flatten)]
    pub(crate) frames: FrameOptions,
    /// Tell what each choice of formulation saves
    #[arg(long)]
    pub(crate) choices: bool,
    /// Print one JSON object instead of text
    #[arg(long)]
    pub(crate) json: bool,
}

#[derive(Debug, Args)]
pub(crate) struct GraphOptions {
    /// Model file (YAML)
    pub(crate) model: PathBuf,
    #[command(flatten)]
    pub(crate) numbers: NumberOptions,
    /// What to draw
    #[arg(long, value_enum, default_value_t = GraphFormat::Text)]
    pub(crate) format: GraphFormat,
    /// Write to a file instead of standard output
    #[arg(long, value_name = "FILE")]
    pub(crate) out: Option<PathBuf>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum GraphFormat {
    /// A tree of lines
    Text,
    /// Graphviz
    Dot,
    /// A picture
    Svg,
}

#[derive(Debug, Args)]
pub(crate) struct EquationsOptions {
    /// Model file (YAML)
    pub(crate) model: PathBuf,
    #[command(flatten)]
    pub(crate) numbers: NumberOptions,
    /// How to write them
    #[arg(long, value_enum, default_value_t = EquationsFormat::Text)]
    pub(crate) format: EquationsFormat,
    /// Write to a file instead of standard output
    #[arg(long, value_name = "FILE")]
    pub(crate) out: Option<PathBuf>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum EquationsFormat {
    /// Plain text in the model language
    Text,
    /// A LaTeX document
    Latex,
    /// A web page with MathML
    Html,
}

#[derive(Debug, Args)]
pub(crate) struct ExplainOptions {
    /// Model file (YAML)
    pub(crate) model: PathBuf,
    #[command(flatten)]
    pub(crate) numbers: NumberOptions,
    /// The entry, by numbers from 0 or by names: `f[3]`, `M[phi, psi]`, `g[closure.x]`, `G[0, 2]`,
    /// `c[0]`, `z[0]`, `a[STATE]`, `output[NAME]`
    pub(crate) entry: String,
    /// Print one JSON object instead of text
    #[arg(long)]
    pub(crate) json: bool,
}

/// Exit codes: 0 all identities hold, 1 one does not.
#[derive(Debug, Args)]
pub(crate) struct VerifyOptions {
    /// Model file (YAML)
    pub(crate) model: PathBuf,
    #[command(flatten)]
    pub(crate) numbers: NumberOptions,
    /// Number of random states
    #[arg(long, value_name = "N", default_value_t = 20)]
    pub(crate) samples: usize,
    /// Seed of the random states
    #[arg(long, value_name = "NUMBER", default_value_t = 1)]
    pub(crate) seed: u64,
    /// Print one JSON object instead of text
    #[arg(long)]
    pub(crate) json: bool,
}

/// Exit codes as those of diff(1): 0 no difference, 1 there are some, 2 a model is wrong.
#[derive(Debug, Args)]
pub(crate) struct DiffOptions {
    /// Model file (YAML)
    pub(crate) before: PathBuf,
    /// Another one
    pub(crate) after: PathBuf,
    #[command(flatten)]
    pub(crate) numbers: NumberOptions,
    /// Print one JSON object instead of text
    #[arg(long)]
    pub(crate) json: bool,
}

#[derive(Debug, Args)]
pub(crate) struct GenerateOptions {
    /// Model file (YAML)
    pub(crate) model: PathBuf,
    #[command(flatten)]
    pub(crate) numbers: NumberOptions,
    /// Generate the derivatives of all residuals too, for implicit integrators
    #[arg(long)]
    pub(crate) jacobian: bool,
    #[command(flatten)]
    pub(crate) frames: FrameOptions,
    /// Language of the source
    #[arg(long, value_enum, default_value_t = Language::Rust)]
    pub(crate) lang: Language,
    /// Write to a file instead of standard output
    #[arg(long, value_name = "FILE")]
    pub(crate) out: Option<PathBuf>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum Language {
    /// A Rust module that needs only mbs-runtime
    Rust,
    /// Not available yet
    C,
}

#[derive(Debug, Args)]
pub(crate) struct EvalOptions {
    /// Model file (YAML)
    pub(crate) model: PathBuf,
    #[command(flatten)]
    pub(crate) numbers: NumberOptions,
    /// State (JSON): {"t": 0, "positions": {…}, "velocities": {…}, "states": {…},
    /// "inputs": {…}, "parameters": {…}}; what is missing comes from the model
    #[arg(long, value_name = "FILE")]
    pub(crate) state: Option<PathBuf>,
    /// Leave the state as it is: close no loops and change no velocities
    #[arg(long)]
    pub(crate) raw: bool,
    #[command(flatten)]
    pub(crate) frames: FrameOptions,
    /// Print one JSON object instead of text
    #[arg(long)]
    pub(crate) json: bool,
}

/// A model and what is changed of it for a run.
#[derive(Debug, Clone, Args)]
pub(crate) struct VariantOptions {
    /// Model file (YAML)
    pub(crate) model: PathBuf,
    #[command(flatten)]
    pub(crate) numbers: NumberOptions,
    /// Variant of the run, as the model names it
    #[arg(long, value_name = "NAME")]
    pub(crate) scenario: Option<String>,
    /// Set a parameter, an input, `positions.NAME` or `velocities.NAME`; a plain number is in the unit
    /// the name was declared with, `c=3 kN*s/m` brings its own
    #[arg(long = "set", value_name = "NAME=VALUE")]
    pub(crate) settings: Vec<String>,
}

#[derive(Debug, Args)]
pub(crate) struct EquilibriumOptions {
    #[command(flatten)]
    pub(crate) variant: VariantOptions,
    /// Parameters to solve for, so that the initial pose itself is the equilibrium
    #[arg(long, value_name = "NAME", value_delimiter = ',')]
    pub(crate) solve: Vec<String>,
    /// Largest unbalanced part of the largest force
    #[arg(long, value_name = "TOLERANCE", default_value_t = 1e-10)]
    pub(crate) tolerance: f64,
    /// Print one JSON object instead of text
    #[arg(long)]
    pub(crate) json: bool,
}

#[derive(Debug, Args)]
pub(crate) struct CompareOptions {
    #[command(flatten)]
    pub(crate) variant: VariantOptions,
    /// Integrators, all that fit the model unless given
    #[arg(long, value_name = "NAME", value_delimiter = ',')]
    pub(crate) methods: Vec<String>,
    /// End time, s
    #[arg(long, value_name = "SECONDS")]
    pub(crate) t_end: Option<f64>,
    /// Relative tolerance
    #[arg(long, value_name = "TOLERANCE")]
    pub(crate) rtol: Option<f64>,
    /// Print one JSON object instead of text
    #[arg(long)]
    pub(crate) json: bool,
}

/// How a run is integrated.
#[derive(Debug, Clone, Args)]
pub(crate) struct RunOptions {
    /// End time, s
    #[arg(long, value_name = "SECONDS")]
    pub(crate) t_end: Option<f64>,
    /// Integrator: `auto` unless given, which is `mdop5`, and `radau5` from where the run turns stiff; `hem5`, `hedop5`,
    /// `phem56`, `dopri5`
    #[arg(long, value_name = "NAME")]
    pub(crate) method: Option<String>,
    /// Relative tolerance; that of the model or 1e-9 unless given
    #[arg(long, value_name = "TOLERANCE")]
    pub(crate) rtol: Option<f64>,
    /// Absolute tolerance; rtol/100 unless given
    #[arg(long, value_name = "TOLERANCE")]
    pub(crate) atol: Option<f64>,
    /// Distance of recorded points, s; every step is recorded unless given
    #[arg(long, value_name = "SECONDS")]
    pub(crate) step: Option<f64>,
    /// When to project onto the constraints
    #[arg(long, value_enum, default_value_t = ProjectionMode::Controlled)]
    pub(crate) projection: ProjectionMode,
}

#[derive(Debug, Args)]
pub(crate) struct SimulateOptions {
    #[command(flatten)]
    pub(crate) variant: VariantOptions,
    #[command(flatten)]
    pub(crate) run: RunOptions,
    /// Write the motion to a CSV file with units in its header, or to a Parquet file if the name
    /// ends in .parquet
    #[arg(long, value_name = "FILE")]
    pub(crate) csv: Option<PathBuf>,
    /// Further columns of the CSV file
    #[arg(long, value_enum, value_delimiter = ',')]
    pub(crate) columns: Vec<Columns>,
    /// Write a page with the motion in three dimensions, curves and equations: one HTML file
    /// that opens in any browser and loads nothing
    #[arg(long, value_name = "FILE.html")]
    pub(crate) report: Option<PathBuf>,
    /// Write the moving mechanism as glTF 2.0, for Blender and others
    #[arg(long, value_name = "FILE.glb")]
    pub(crate) gltf: Option<PathBuf>,
    /// Draw curves to an SVG or PNG file, as its ending tells
    #[arg(long, value_name = "FILE")]
    pub(crate) plot: Option<PathBuf>,
    /// What the curves are of, by name; the positions unless given
    #[arg(long, value_name = "NAME", value_delimiter = ',', requires = "plot")]
    pub(crate) curves: Vec<String>,
    /// Run again at a tenth of the tolerances and tell the digits that agree
    #[arg(long)]
    pub(crate) accuracy: bool,
    /// List all events, not only the first twenty
    #[arg(long)]
    pub(crate) events: bool,
    /// Print one JSON object instead of text
    #[arg(long)]
    pub(crate) json: bool,
}

#[derive(Debug, Args)]
pub(crate) struct PictureOptions {
    #[command(flatten)]
    pub(crate) variant: VariantOptions,
    #[command(flatten)]
    pub(crate) run: RunOptions,
    /// The instant, s; the start unless given
    #[arg(long, value_name = "SECONDS", allow_negative_numbers = true)]
    pub(crate) t: Option<f64>,
    /// Where to write: its ending, .svg or .png, tells what
    #[arg(long, short, value_name = "FILE")]
    pub(crate) out: PathBuf,
    /// Width and height, px
    #[arg(long, value_name = "WxH", default_value = "960x600", value_parser = size)]
    pub(crate) size: [usize; 2],
    /// Paper
    #[arg(long, value_enum, default_value_t = Theme::Light)]
    pub(crate) theme: Theme,
}

#[derive(Debug, Args)]
pub(crate) struct ServeOptions {
    #[command(flatten)]
    pub(crate) variant: VariantOptions,
    #[command(flatten)]
    pub(crate) run: RunOptions,
    /// Port on the loopback interface, or the next one that is free; 0 takes any
    #[arg(long, default_value_t = 8520)]
    pub(crate) port: u16,
    /// Another folder whose files the model may include and read as tables; its own is always one
    #[arg(long, value_name = "FOLDER")]
    pub(crate) allow_folder: Vec<PathBuf>,
    /// Wall-clock time after which a run is given up, s
    #[arg(long, value_name = "SECONDS", default_value = "60", value_parser = seconds)]
    pub(crate) time_limit: Duration,
}

/// A time that is positive.
fn seconds(text: &str) -> Result<Duration, String> {
    let seconds = text.parse().ok().filter(|&seconds: &f64| seconds > 0.0);
    let time = seconds.and_then(|seconds| Duration::try_from_secs_f64(seconds).ok());
    time.ok_or_else(|| "write a positive number of seconds".to_owned())
}

/// Reads `960x600`.
fn size(text: &str) -> Result<[usize; 2], String> {
    const LARGEST: usize = 8000;
    let parts =
        text.split_once('x').map(|(width, height)| [width, height].map(|part| part.parse().unwrap_or(0)));
    match parts {
        Some(size) if size.iter().all(|side| (16..=LARGEST).contains(side)) => Ok(size),
        _ => Err(format!("write width and height such as 960x600, each from 16 to {LARGEST}")),
    }
}

#[derive(Debug, Args)]
pub(crate) struct SweepOptions {
    #[command(flatten)]
    pub(crate) variant: VariantOptions,
    /// Vary a parameter, an input, `positions.NAME` or `velocities.NAME`: FROM:TO:COUNT on a
    /// grid, FROM:TO at random; several make a full factorial. A unit may follow: `c=1:8:8 kN*s/m`
    #[arg(long = "param", visible_alias = "initial", value_name = "NAME=FROM:TO[:COUNT] [UNIT]")]
    pub(crate) parameters: Vec<String>,
    /// Values from a file: one column per name, such as `c` or `c [kN*s/m]`, one line per sample
    #[arg(long, value_name = "FILE", conflicts_with_all = ["parameters", "random", "latin_hypercube"])]
    pub(crate) from_csv: Option<PathBuf>,
    /// Number of samples
    #[arg(long, value_name = "N")]
    pub(crate) samples: Option<u64>,
    /// Draw every sample by itself, uniformly
    #[arg(long, conflicts_with = "latin_hypercube")]
    pub(crate) random: bool,
    /// Draw samples of which each N-th of every range holds exactly one
    #[arg(long)]
    pub(crate) latin_hypercube: bool,
    /// Seed of what is drawn
    #[arg(long, value_name = "NUMBER", default_value_t = 1)]
    pub(crate) seed: u64,
    #[command(flatten)]
    pub(crate) run: RunOptions,
    /// Quantities of the table: `positions`, `velocities`, `states`, `outputs`, `lambda`,
    /// `accelerations`, `energy`, or single names as the table writes them
    #[arg(long, value_name = "NAME", value_delimiter = ',',
          default_values = ["positions", "velocities", "states", "outputs"])]
    pub(crate) columns: Vec<String>,
    /// What to tell of each quantity over the recorded points
    #[arg(long, value_enum, value_delimiter = ',', default_values_t = [Reduction::Final])]
    pub(crate) reduce: Vec<Reduction>,
    /// Where the table goes; MODEL_sweep.csv unless given
    #[arg(long, visible_alias = "out", value_name = "FILE")]
    pub(crate) output: Option<PathBuf>,
    /// Go on with a sweep that was interrupted
    #[arg(long)]
    pub(crate) resume: bool,
    /// Run every N-th sample from the I-th on, I = 1 to N; `mbs merge` joins the tables
    #[arg(long, value_name = "I/N")]
    pub(crate) shard: Option<String>,
    /// Threads; all cores unless given
    #[arg(long, value_name = "N")]
    pub(crate) threads: Option<usize>,
    /// Print one JSON object instead of text
    #[arg(long)]
    pub(crate) json: bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum Reduction {
    /// The value at the end of the run
    Final,
    /// The largest
    Max,
    /// The smallest
    Min,
    /// The root of the mean square over time
    Rms,
}

#[derive(Debug, Args)]
pub(crate) struct MergeOptions {
    /// The whole table
    pub(crate) output: PathBuf,
    /// Tables of `mbs sweep --shard`, each with its .json beside it
    #[arg(required = true, value_name = "SHARD")]
    pub(crate) shards: Vec<PathBuf>,
    /// Print one JSON object instead of text
    #[arg(long)]
    pub(crate) json: bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum ProjectionMode {
    /// Never
    None,
    /// Velocities in every step
    Velocity,
    /// Velocities in every step, positions when the drift calls for it
    Controlled,
    /// Both in every step
    EveryStep,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum Columns {
    /// Multipliers
    Lambda,
    /// Accelerations
    Accelerations,
    /// Kinetic and potential energy
    Energy,
    /// Force and torque of every joint on its `to` body, at the joint, in its axes
    Reactions,
}

#[derive(Debug, Args)]
pub(crate) struct FormatOptions {
    /// Model files (YAML), rewritten in place
    #[arg(required = true)]
    pub(crate) models: Vec<PathBuf>,
    /// Change nothing; exit with 1 if a file would change
    #[arg(long)]
    pub(crate) check: bool,
}

#[derive(Debug, Args)]
pub(crate) struct SchemaOptions {
    /// Write to a file instead of standard output
    #[arg(long, value_name = "FILE")]
    pub(crate) out: Option<PathBuf>,
}

#[derive(Debug, Args)]
pub(crate) struct NewOptions {
    /// Name of the model, snake_case; the file is NAME.yaml
    pub(crate) name: String,
    /// Directory to write to
    #[arg(long, value_name = "DIRECTORY", default_value = ".")]
    pub(crate) dir: PathBuf,
}
