//! Compiles models for all kinds of numbers.

use mbs_build::{Config, Scalar};
use std::path::PathBuf;
use std::{env, fs};

/// Trees and loops, quaternions, rolling, tables, modes, and every operator: those that are
/// compiled for eight lanes too, and the others.
const EIGHT: [&str; 5] = [
    "../../models/chain7.yaml",
    "../../models/five_link.yaml",
    "../../models/panda.yaml",
    "../../models/ur5.yaml",
    "../generated/models/every_operator.yaml",
];
const FOUR: [&str; 6] = [
    "../../models/andrews.yaml",
    "../../models/five_link_bushings.yaml",
    "../../models/heavy_top.yaml",
    "../../models/planar_vehicle.yaml",
    "../../models/rolling_disc.yaml",
    "../generated/models/kinks.yaml",
];

fn main() {
    Config::new().scalars(&[Scalar::F32, Scalar::F64x4]).compile(&FOUR);
    Config::new().scalars(&[Scalar::F32, Scalar::F64x4, Scalar::F64x8]).compile(&EIGHT);
    // A stiff one with what implicit methods need, which `five_link_bushings` has not, and with
    // the Jacobian of a frame.
    Config::new()
        .jacobian(true)
        .frame_jacobians(&["ball2"])
        .scalars(&[Scalar::F32, Scalar::F64x4])
        .compile(&["../../models/flyball_governor.yaml"]);
    let fused = PathBuf::from(env::var_os("OUT_DIR").expect("cargo sets it")).join("fused");
    fs::create_dir_all(&fused).expect("OUT_DIR can be written");
    let config = Config::new().out_dir(fused).fused_multiply_add(true).scalars(&[Scalar::F64x4]);
    config.compile(&["../../models/five_link.yaml", "../../models/panda.yaml"]);
}
