//! Compiles the models that are measured as generated Rust.

use std::fmt::Write;
use std::path::PathBuf;
use std::{env, fs};

const MODELS: [&str; 8] =
    ["ur5", "panda", "chain7", "chain12", "chain30", "four_bar", "andrews", "five_link"];

fn main() {
    mbs_build::Config::new().compile(&MODELS.map(|name| format!("../models/{name}.yaml")));
    let mut text = String::new();
    for name in MODELS {
        let _ = writeln!(text, "mbs_runtime::include_model!(\"{name}\");");
    }
    let _ = writeln!(text, "/// The measured models, as generated Rust.");
    let _ = writeln!(text, "pub static GENERATED: [(&str, &dyn System); {}] = [", MODELS.len());
    for name in MODELS {
        let _ = writeln!(text, "    (\"{name}\", &{name}::Model),");
    }
    text.push_str("];\n");
    let out = PathBuf::from(env::var_os("OUT_DIR").expect("cargo sets it"));
    fs::write(out.join("models.rs"), text).expect("OUT_DIR can be written");
}
