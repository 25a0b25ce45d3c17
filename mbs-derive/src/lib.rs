//! Attribute that compiles a model to a Rust module.
//!
//! ```ignore
//! #[mbs_derive::multibody("models/four_bar.yaml")]
//! pub struct FourBar;
//! ```
//!
//! makes `FourBar` an `mbs_runtime::System` and adds `pub mod four_bar` with the
//! model's functions on fixed-size types.

mod arguments;
mod expand;

use proc_macro::TokenStream;

/// Compiles a model and implements `mbs_runtime::System` for a unit struct.
///
/// - `#[multibody("models/x.yaml")]`: the model's file, relative to the manifest, or to
///   the source file if it starts with `./`;
/// - `#[multibody(yaml = "…")]`: the model itself;
/// - `jacobian`: generate `System::jacobian` too, which implicit integrators need;
/// - `frame_jacobians = "rod.eye, hub"`: generate `System::frame_jacobian` for these frames, in ground
///   axes or, with `frame_axes = "frame"`, in their own;
/// - `keep_dust`: take angles as they are written, also those within 1e-10 rad of a right angle;
/// - `floating_base`: let the root link of a robot in URDF move freely instead of making it ground;
/// - `lenient`: accept a robot in URDF with certain mistakes (docs/urdf.md);
/// - `crate = "…"`: the path of the crate `mbs-runtime`, if not `::mbs_runtime`.
///
/// Cargo builds the compiler without optimisation unless `Cargo.toml` says otherwise: with
/// `[profile.release.build-override] opt-level = 3` (and the same for `dev`) large models compile in
/// 0.2 to 0.9 s in place of 2 to 7.5 s.
///
/// The struct `X` gets a module `pub mod x` beside it. The model and its tables are
/// watched: a change of them compiles the crate again.
#[proc_macro_attribute]
pub fn multibody(arguments: TokenStream, item: TokenStream) -> TokenStream {
    expand::multibody(arguments.into(), item.into()).into()
}
