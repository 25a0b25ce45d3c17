#[mbs_derive::multibody(yaml = "
model: pendulum
parameters: {mass: 1}
bodies: {rod: {mass: masss}}
joints: {pivot: {type: revolut, from: ground, to: rod}}
")]
pub struct Pendulum;

fn main() {
    let _ = Pendulum;
}
