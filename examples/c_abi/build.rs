//! Compiles the model that `MBS_MODEL` names, relative to the root of the workspace.

use std::path::{Path, PathBuf};
use std::{env, fs};

fn main() {
    println!("cargo::rerun-if-env-changed=MBS_MODEL");
    let model = env::var_os("MBS_MODEL").map_or_else(|| "models/ur5.yaml".into(), PathBuf::from);
    let written = match mbs_build::Config::new().try_compile(&[Path::new("../..").join(model)]) {
        Ok(written) => written,
        Err(error) => {
            eprintln!("{error}");
            std::process::exit(1);
        }
    };
    // The module is named after the model; the library knows it by one name.
    let module = written[0].file_stem().and_then(|name| name.to_str()).expect("modules have names");
    let text = format!(
        "mbs_runtime::include_model!(\"{module}\");\nuse self::{module} as model;\nconst MODULE: &str = \"{module}\";\n"
    );
    let out = PathBuf::from(env::var_os("OUT_DIR").expect("cargo sets it"));
    fs::write(out.join("model.rs"), text).expect("OUT_DIR can be written");
}
