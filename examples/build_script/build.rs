//! Compiles the model.

fn main() {
    mbs_build::Config::new().compile(&["models/four_bar.yaml"]);
}
