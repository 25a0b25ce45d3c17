//! Compiles every model of the workspace, and those of this crate.

use std::fmt::Write;
use std::path::{Path, PathBuf};
use std::{env, fs};

fn main() {
    let root = PathBuf::from(env::var_os("CARGO_MANIFEST_DIR").expect("cargo sets it"));
    let mut models = Vec::new();
    for directory in [root.join("../../models"), root.join("models")] {
        println!("cargo::rerun-if-changed={}", directory.display());
        models.extend(yaml_files(&directory));
    }
    models.sort();
    mbs_build::Config::new().compile(&models);

    let names: Vec<&str> = models.iter().filter_map(|path| path.file_stem()?.to_str()).collect();
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
    let _ = writeln!(text, "typed! {{ {} }}", names.join(", "));
    let out = PathBuf::from(env::var_os("OUT_DIR").expect("cargo sets it")).join("all_models.rs");
    fs::write(out, text).expect("OUT_DIR can be written");
}

fn yaml_files(directory: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(directory).expect("the directory of models is there");
    let paths = entries.filter_map(|entry| Some(entry.ok()?.path()));
    paths.filter(|path| path.extension().is_some_and(|extension| extension == "yaml")).collect()
}
