//! Compiles models for all kinds of numbers.

use mbs_build::{Config, Scalar};

/// Trees and loops, quaternions, rolling, tables, modes, and every operator.
const MODELS: [&str; 10] = [
    "../../models/andrews.yaml",
    "../../models/chain7.yaml",
    "../../models/five_link.yaml",
    "../../models/five_link_bushings.yaml",
    "../../models/heavy_top.yaml",
    "../../models/panda.yaml",
    "../../models/planar_vehicle.yaml",
    "../../models/rolling_disc.yaml",
    "../../models/ur5.yaml",
    "../generated/models/every_operator.yaml",
];

fn main() {
    Config::new().scalars(&[Scalar::F32, Scalar::F64x4]).compile(&MODELS);
}
