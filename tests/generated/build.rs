//! Compiles every model of the workspace, and those of this crate.

use mbs_build::{Config, FrameAxes};
use std::fmt::Write;
use std::path::{Path, PathBuf};
use std::{env, fs};

/// Models that are compiled with their Jacobian: a tree and loops, quaternions, rolling,
/// states and inputs, tables and modes.
const WITH_JACOBIAN: [&str; 8] = [
    "every_operator",
    "five_link",
    "five_link_bushings",
    "heavy_top",
    "kinks",
    "planar_vehicle",
    "rolling_disc",
    "rssr",
];

/// Models that are compiled with Jacobians of frames, in ground axes or in their own: a tree with
/// a quaternion, rolling, and loops. All of them are among those with their Jacobian.
const WITH_FRAMES: [(&str, &[&str], FrameAxes); 5] = [
    ("five_link", &["carrier", "rod1.tip"], FrameAxes::Ground),
    ("heavy_top", &["top.centre"], FrameAxes::Ground),
    ("planar_vehicle", &["arm.hub", "carbody"], FrameAxes::Frame),
    ("rolling_disc", &["disc"], FrameAxes::Frame),
    ("rssr", &["coupler.tip", "rocker"], FrameAxes::Ground),
];

fn main() {
    let root = PathBuf::from(env::var_os("CARGO_MANIFEST_DIR").expect("cargo sets it"));
    let mut models = Vec::new();
    for directory in [root.join("../../models"), root.join("models")] {
        println!("cargo::rerun-if-changed={}", directory.display());
        models.extend(yaml_files(&directory));
    }
    models.sort();
    let (with, without): (Vec<&PathBuf>, Vec<&PathBuf>) =
        models.iter().partition(|path| WITH_JACOBIAN.contains(&name(path)));
    Config::new().compile(&without);
    for model in with {
        let mut config = Config::new().jacobian(true);
        if let Some((_, frames, axes)) = WITH_FRAMES.iter().find(|(other, ..)| *other == name(model)) {
            config = config.frame_jacobians(frames).frame_axes(*axes);
        }
        config.compile(&[model]);
    }

    let names: Vec<&str> = models.iter().map(|path| name(path)).collect();
    let mut text = String::new();
    for name in &names {
        let _ = writeln!(text, "mbs_runtime::include_model!(\"{name}\");");
    }
    text.push_str(
        "/// All models with the files they come from.\npub static MODELS: &[(&str, &dyn System)] = &[\n",
    );
    for (name, path) in names.iter().zip(&models) {
        let _ = writeln!(text, "    ({path:?}, &{name}::Model),");
    }
    text.push_str("];\n");
    let _ = writeln!(text, "/// Names of the models with a Jacobian.");
    let _ = writeln!(text, "pub static WITH_JACOBIAN: &[&str] = &{WITH_JACOBIAN:?};");
    let _ = writeln!(
        text,
        "/// Names of the models with Jacobians of frames: which ones, and whether in their own axes."
    );
    let _ = writeln!(text, "pub static WITH_FRAMES: &[(&str, &[&str], bool)] = &[");
    for (name, frames, axes) in WITH_FRAMES {
        let _ = writeln!(text, "    ({name:?}, &{frames:?}, {}),", axes == FrameAxes::Frame);
    }
    text.push_str("];\n");
    let typed = names.iter().map(|name| {
        let jacobian = WITH_JACOBIAN.contains(name).then_some(" jacobian");
        let frames = WITH_FRAMES.iter().any(|(other, ..)| other == name).then_some(" frame_jacobian");
        format!("{name}{}{}", jacobian.unwrap_or_default(), frames.unwrap_or_default())
    });
    let _ = writeln!(text, "typed! {{ {} }}", typed.collect::<Vec<_>>().join(", "));
    let out = PathBuf::from(env::var_os("OUT_DIR").expect("cargo sets it")).join("all_models.rs");
    fs::write(out, text).expect("OUT_DIR can be written");
}

fn name(path: &Path) -> &str {
    path.file_stem().and_then(|name| name.to_str()).expect("models have names")
}

fn yaml_files(directory: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(directory).expect("the directory of models is there");
    let paths = entries.filter_map(|entry| Some(entry.ok()?.path()));
    paths.filter(|path| path.extension().is_some_and(|extension| extension == "yaml")).collect()
}
