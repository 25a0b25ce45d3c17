#[mbs_derive::multibody("models/none.yaml")]
pub struct Pendulum;

fn main() {}
