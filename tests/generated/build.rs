//! Compiles every model of `models/` and lists what came of it.

use std::error::Error;
use std::path::{Path, PathBuf};
use std::{env, fs};

const MODELS: &str = "../../models";

fn main() -> Result<(), Box<dyn Error>> {
    // A model added or removed changes the directory, not a file that is watched.
    tell_cargo(&format!("rerun-if-changed={MODELS}"));
    let entries = fs::read_dir(MODELS)?.map(|entry| Ok(entry?.path()));
    let mut paths = entries.collect::<Result<Vec<PathBuf>, std::io::Error>>()?;
    paths.retain(|path| path.extension().is_some_and(|extension| extension == "yaml"));
    paths.sort();

    let written = mbs_build::Config::new().try_compile(&paths)?;
    let mut list = String::from("models! {\n");
    for path in &written {
        let name = path.file_stem().and_then(|name| name.to_str()).ok_or("a model without a name")?;
        list += &format!("    {name} = \"{name}\",\n");
    }
    list += "}\n";
    let target = Path::new(&env::var("OUT_DIR")?).join("list_of_models.rs");
    if fs::read_to_string(&target).is_ok_and(|present| present == list) {
        return Ok(());
    }
    Ok(fs::write(target, list)?)
}

#[expect(clippy::print_stdout, reason = "this is how a build script talks to cargo")]
fn tell_cargo(line: &str) {
    println!("cargo::{line}");
}
