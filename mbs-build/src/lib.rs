//! Compiles models to Rust modules in build scripts.
//!
//! ```no_run
//! // build.rs
//! mbs_build::Config::new().compile(&["models/four_bar.yaml"]);
//! ```
//!
//! and in the crate `mbs_runtime::include_model!("four_bar");`, which gives
//! `pub mod four_bar`. The crate itself needs only `mbs-runtime`.
//!
//! # Time
//!
//! Cargo builds build scripts and macros without optimisation, also for release builds. A large model
//! then takes 2 to 7.5 s to compile; with these lines in the `Cargo.toml` of your workspace, or of your
//! crate if it is alone, it takes 0.2 to 0.9 s:
//!
//! ```toml
//! [profile.release.build-override]
//! opt-level = 3
//!
//! [profile.dev.build-override]     # the same for debug builds
//! opt-level = 3
//! ```
//!
//! The compiler itself is built once, and for longer.

mod file;

pub use file::{CompiledFile, Failure, compile_file, compile_text};
/// What to form beside the equations.
pub use mbs_symbolic::Options;
/// The axes of frame Jacobians.
pub use mbs_symbolic::dynamics::FrameAxes;
/// Kinds of numbers generated functions compute with.
pub use mbs_symbolic::emit::rust::Scalar;

use mbs_symbolic::Rejected;
use mbs_symbolic::diag::{Diagnostics, Severity, Sources};
use mbs_symbolic::emit::rust::{RustOptions, SelfCheck, emit};
use mbs_symbolic::explain::is_conservative;
use std::path::{Path, PathBuf};
use std::{env, fmt, fs, io};

/// What to compile, and how.
#[derive(Debug, Clone)]
pub struct Config {
    out_dir: Option<PathBuf>,
    runtime_path: String,
    jacobian: bool,
    frame_jacobians: Vec<String>,
    frame_axes: FrameAxes,
    keep_dust: bool,
    floating_base: bool,
    lenient: bool,
    scalars: Vec<Scalar>,
    self_check: bool,
    fused_multiply_add: bool,
}

/// Why a model was not compiled.
#[derive(Debug)]
#[non_exhaustive]
pub enum Error {
    /// A file cannot be read or written.
    File {
        /// The file.
        path: PathBuf,
        /// Why.
        error: io::Error,
    },
    /// A model is wrong; the text of the error names file, line and column.
    Model(Box<Rejected>),
    /// Two models have the same name, which names their modules.
    SameName {
        /// The name.
        name: String,
        /// The second file.
        path: PathBuf,
    },
    /// Neither [`Config::out_dir`] nor the environment says where to write.
    NoOutDir,
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::File { path, error } => write!(f, "{}: {error}", path.display()),
            Self::Model(rejected) => rejected.fmt(f),
            Self::SameName { name, path } => {
                write!(f, "{}: another model is named `{name}` already", path.display())
            }
            Self::NoOutDir => {
                f.write_str("OUT_DIR is not set: call this from a build script, or set out_dir")
            }
        }
    }
}

impl std::error::Error for Error {}

impl Default for Config {
    fn default() -> Self {
        Self {
            out_dir: None,
            runtime_path: RustOptions::default().runtime_path,
            jacobian: false,
            frame_jacobians: Vec::new(),
            frame_axes: FrameAxes::default(),
            keep_dust: false,
            floating_base: false,
            lenient: false,
            scalars: Vec::new(),
            self_check: false,
            fused_multiply_add: false,
        }
    }
}

impl Config {
    /// Writes into `OUT_DIR`, for the crate `::mbs_runtime`.
    pub fn new() -> Self {
        Self::default()
    }

    /// Writes into this directory in place of `OUT_DIR`.
    pub fn out_dir(mut self, directory: impl Into<PathBuf>) -> Self {
        self.out_dir = Some(directory.into());
        self
    }

    /// The path under which generated code finds the crate `mbs-runtime`.
    pub fn runtime_path(mut self, path: impl Into<String>) -> Self {
        self.runtime_path = path.into();
        self
    }

    /// Whether to generate `System::jacobian`, the derivatives of all residuals, which implicit
    /// integrators need. Off by default: it is several times as long as all else.
    pub fn jacobian(mut self, wanted: bool) -> Self {
        self.jacobian = wanted;
        self
    }

    /// The frames whose velocities `System::frame_jacobian` differentiates with respect to v, as the
    /// model writes them: `body.frame`, or `body` for its reference frame. None by default.
    ///
    /// ```no_run
    /// mbs_build::Config::new().frame_jacobians(&["rod.eye"]).compile(&["models/crank_slider.yaml"]);
    /// ```
    pub fn frame_jacobians(mut self, frames: &[impl AsRef<str>]) -> Self {
        self.frame_jacobians = frames.iter().map(|frame| frame.as_ref().to_owned()).collect();
        self
    }

    /// The axes in which frame Jacobians give velocities: those of ground by default.
    pub fn frame_axes(mut self, axes: FrameAxes) -> Self {
        self.frame_axes = axes;
        self
    }

    /// Whether angles stay as they are written: off by default, where angles within 1e-10 rad of a
    /// multiple of a right angle are taken as exactly that.
    pub fn keep_dust(mut self, wanted: bool) -> Self {
        self.keep_dust = wanted;
        self
    }

    /// Whether the root link of a robot in URDF moves freely, by the coordinates docs/velocities.md
    /// describes: off by default, where it is ground.
    pub fn floating_base(mut self, wanted: bool) -> Self {
        self.floating_base = wanted;
        self
    }

    /// Whether robots in URDF are accepted with mistakes that other readers pass over, with a warning
    /// each; docs/urdf.md lists them. Off by default.
    pub fn lenient(mut self, wanted: bool) -> Self {
        self.lenient = wanted;
        self
    }

    /// Kinds of numbers to generate the functions for, beside `f64`, which is always there:
    ///
    /// - [`Scalar::F32`] gives a module `single` within that of the model, for processors with
    ///   single precision only;
    /// - [`Scalar::F64x4`] gives a module `x4` and makes the model a `mbs_runtime::batch::Lanes`:
    ///   four states at once, each with the bits `f64` gives. Needs the feature `batch` of
    ///   `mbs-runtime`;
    /// - [`Scalar::F64x8`] gives a module `x8` with the functions for eight states at once, for
    ///   processors with AVX-512. Runs in lanes take four. Needs the feature `batch` too.
    ///
    /// ```no_run
    /// use mbs_build::{Config, Scalar};
    /// Config::new().scalars(&[Scalar::F64x4]).compile(&["models/four_bar.yaml"]);
    /// ```
    pub fn scalars(mut self, scalars: &[Scalar]) -> Self {
        self.scalars = scalars.to_vec();
        self
    }

    /// Whether to generate a function `self_check(samples)` for the tests of your crate: it checks
    /// the equations against independent identities at random states (see
    /// `mbs_runtime::verify`). Needs `mbs-runtime` with the feature `verify` among the
    /// dev-dependencies.
    ///
    /// ```no_run
    /// mbs_build::Config::new().self_check(true).compile(&["models/four_bar.yaml"]);
    /// ```
    ///
    /// and then `four_bar::self_check(20).unwrap()` in a test.
    pub fn self_check(mut self, wanted: bool) -> Self {
        self.self_check = wanted;
        self
    }

    /// Whether products are rounded together with the sums they go into, where the crate is
    /// compiled for a processor that can (on x86-64 with `RUSTFLAGS=-Ctarget-cpu=native` or
    /// `-Ctarget-feature=+fma`; elsewhere nothing changes). Off by default: results differ in their
    /// last bits from those of other processors, of `mbs simulate` and of `mbs eval`.
    pub fn fused_multiply_add(mut self, wanted: bool) -> Self {
        self.fused_multiply_add = wanted;
        self
    }

    /// Compiles each model to a file named after it, for `include_model!`; tells cargo
    /// what to watch. Paths are relative to the manifest.
    ///
    /// If a model is wrong, says where and ends the build script with exit code 1.
    pub fn compile(&self, models: &[impl AsRef<Path>]) {
        if let Err(error) = self.try_compile(models) {
            eprintln!("{error}");
            std::process::exit(1);
        }
    }

    /// As [`compile`](Self::compile), but returns the files written, or the first error.
    pub fn try_compile(&self, models: &[impl AsRef<Path>]) -> Result<Vec<PathBuf>, Error> {
        let out_dir = self.out_dir.clone().or_else(|| env::var_os("OUT_DIR").map(PathBuf::from));
        let out_dir = out_dir.ok_or(Error::NoOutDir)?;
        let root = env::var_os("CARGO_MANIFEST_DIR").map(PathBuf::from).unwrap_or_default();
        let mut written = Vec::new();
        for model in models {
            let path = model.as_ref();
            let options = Options {
                jacobian: self.jacobian,
                frame_jacobians: self.frame_jacobians.clone(),
                frame_axes: self.frame_axes,
                provenance: self.self_check,
                keep_dust: self.keep_dust,
                floating_base: self.floating_base,
                lenient: self.lenient,
                ..Options::default()
            };
            let name = path.display().to_string();
            let CompiledFile { result, files } = compile_file(&root.join(path), &name, options);
            for file in files {
                tell_cargo(&format!("rerun-if-changed={}", file.display()));
            }
            let mut compiled = result.map_err(|error| match error {
                Failure::Unreadable { path, error } => Error::File { path, error },
                Failure::Rejected(rejected) => Error::Model(rejected),
            })?;
            warn(&compiled.warnings, &compiled.sources);
            let name = compiled.program.layout.model.clone();
            let target = out_dir.join(format!("{name}.rs"));
            if written.contains(&target) {
                return Err(Error::SameName { name, path: path.into() });
            }
            let self_check =
                self.self_check.then(|| SelfCheck { conservative: is_conservative(&mut compiled.equations) });
            let options = RustOptions {
                self_check,
                runtime_path: self.runtime_path.clone(),
                module: Some(name),
                scalars: self.scalars.clone(),
                fused_multiply_add: self.fused_multiply_add,
                ..RustOptions::default()
            };
            write_if_changed(&target, &emit(&compiled.program, &options))
                .map_err(|error| Error::File { path: target.clone(), error })?;
            written.push(target);
        }
        Ok(written)
    }
}

/// Warnings as cargo shows them, one line each.
fn warn(warnings: &Diagnostics, sources: &Sources) {
    for warning in warnings.from_severity(Severity::Warning).iter() {
        let position = sources.position(warning.span);
        let file = sources.name(warning.span.file);
        tell_cargo(&format!("warning={file}:{}:{}: {}", position.line, position.column, warning.problem));
    }
}

#[expect(clippy::print_stdout, reason = "this is how a build script talks to cargo")]
fn tell_cargo(line: &str) {
    println!("cargo::{line}");
}

/// A file that is rewritten unchanged would be compiled again.
fn write_if_changed(path: &Path, text: &str) -> io::Result<()> {
    if fs::read_to_string(path).is_ok_and(|present| present == text) {
        return Ok(());
    }
    fs::write(path, text)
}

#[cfg(test)]
mod tests;
