//! Compiles the model.

fn main() {
    mbs_build::Config::new().compile(&["../../models/five_link.yaml"]);
}
