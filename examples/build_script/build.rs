//! Compiles the model.

fn main() {
    mbs_build::Config::new().self_check(true).compile(&["models/four_bar.yaml"]);
}
