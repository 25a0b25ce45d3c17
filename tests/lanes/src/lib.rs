//! Models compiled for four and eight states at once and for single precision, for tests and
//! benches.

use mbs_runtime::batch::Lanes;

mbs_runtime::include_model!("andrews");
mbs_runtime::include_model!("chain7");
mbs_runtime::include_model!("every_operator");
mbs_runtime::include_model!("five_link");
mbs_runtime::include_model!("five_link_bushings");
mbs_runtime::include_model!("flyball_governor");
mbs_runtime::include_model!("heavy_top");
mbs_runtime::include_model!("kinks");
mbs_runtime::include_model!("panda");
mbs_runtime::include_model!("planar_vehicle");
mbs_runtime::include_model!("rolling_disc");
mbs_runtime::include_model!("ur5");

/// Models whose products are rounded together with the sums they go into, where the processor
/// can.
pub mod fused {
    include!(concat!(env!("OUT_DIR"), "/fused/five_link.rs"));
    include!(concat!(env!("OUT_DIR"), "/fused/panda.rs"));
}

/// All models by name.
pub static MODELS: &[(&str, &dyn Lanes)] = &[
    ("andrews", &andrews::Model),
    ("chain7", &chain7::Model),
    ("every_operator", &every_operator::Model),
    ("five_link", &five_link::Model),
    ("five_link_fused", &fused::five_link::Model),
    ("five_link_bushings", &five_link_bushings::Model),
    ("flyball_governor", &flyball_governor::Model),
    ("heavy_top", &heavy_top::Model),
    ("kinks", &kinks::Model),
    ("panda", &panda::Model),
    ("panda_fused", &fused::panda::Model),
    ("planar_vehicle", &planar_vehicle::Model),
    ("rolling_disc", &rolling_disc::Model),
    ("ur5", &ur5::Model),
];

/// The model of a name.
pub fn model(name: &str) -> &'static dyn Lanes {
    let found = MODELS.iter().find(|(own, _)| *own == name);
    found.map(|(_, model)| *model).expect("one of the models above")
}

/// Pseudo-random numbers between −1 and 1, the same in every run.
pub fn random(seed: u64) -> impl FnMut() -> f64 {
    let mut state = seed;
    move || {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        2.0 * ((state >> 11) as f64 / (1u64 << 53) as f64) - 1.0
    }
}
