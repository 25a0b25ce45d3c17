#[mbs_derive::multibody]
pub struct Nothing;

#[mbs_derive::multibody("a.yaml", "b.yaml")]
pub struct Two;

#[mbs_derive::multibody(json = "{}")]
pub struct Json;

fn main() {}
