//! The command line.

use clap::{Args, Parser, Subcommand, ValueEnum};
use std::path::PathBuf;

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
    Stats(JsonModel),
    /// Write the equations of motion for people
    Equations(EquationsOptions),
    /// Write the equations of motion as source code
    Generate(GenerateOptions),
    /// Evaluate all quantities at one state
    Eval(EvalOptions),
    /// Write a commented model to start from
    New(NewOptions),
}

impl Command {
    /// Whether standard output carries one JSON object.
    pub(crate) fn json(&self) -> bool {
        match self {
            Self::Check(options) | Self::Stats(options) => options.json,
            Self::Eval(options) => options.json,
            Self::Graph(_) | Self::Equations(_) | Self::Generate(_) | Self::New(_) => false,
        }
    }
}

/// A model, and how to answer.
#[derive(Debug, Args)]
pub(crate) struct JsonModel {
    /// Model file (YAML)
    pub(crate) model: PathBuf,
    /// Print one JSON object instead of text
    #[arg(long)]
    pub(crate) json: bool,
}

#[derive(Debug, Args)]
pub(crate) struct GraphOptions {
    /// Model file (YAML)
    pub(crate) model: PathBuf,
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
}

#[derive(Debug, Args)]
pub(crate) struct GenerateOptions {
    /// Model file (YAML)
    pub(crate) model: PathBuf,
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
    /// State (JSON): {"t": 0, "positions": {…}, "velocities": {…}, "states": {…},
    /// "inputs": {…}, "parameters": {…}}; what is missing comes from the model
    #[arg(long, value_name = "FILE")]
    pub(crate) state: Option<PathBuf>,
    /// Print one JSON object instead of text
    #[arg(long)]
    pub(crate) json: bool,
}

#[derive(Debug, Args)]
pub(crate) struct NewOptions {
    /// Name of the model, snake_case; the file is NAME.yaml
    pub(crate) name: String,
    /// Directory to write to
    #[arg(long, value_name = "DIRECTORY", default_value = ".")]
    pub(crate) dir: PathBuf,
}
