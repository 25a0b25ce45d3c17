#[mbs_derive::multibody(yaml = "model: a")]
pub struct WithField {
    field: f64,
}

#[mbs_derive::multibody(yaml = "model: a")]
pub fn function() {}

fn main() {}
