use super::*;
use crate::optimize;
use crate::program::{fixture, lower};

#[test]
fn the_pendulum_as_rust() {
    let mut program = lower(&fixture::pendulum());
    optimize::run(&mut program);
    insta::assert_snapshot!(emit(&program, &RustOptions::default()));
}

#[test]
fn chunks_share_what_crosses_them() {
    let mut program = lower(&fixture::everything());
    optimize::run(&mut program);
    let options = RustOptions { chunk: 7, module: Some("everything".into()), ..RustOptions::default() };
    let text = emit(&program, &options);
    assert!(text.contains("fn eval_outputs_3("));
    assert!(text.lines().all(|line| line.len() < 120), "no overlong lines");
    assert_eq!(text, emit(&program, &options), "the same every time");
}

#[test]
fn names_and_paths_are_the_users_own() {
    let program = lower(&fixture::everything());
    let options = RustOptions { runtime_path: "crate::deps::rt".into(), ..RustOptions::default() };
    let text = emit(&program, &options);
    assert!(text.contains("use crate::deps::rt as runtime;"));
    assert!(text.contains("pub type_: f64,") && text.contains("pub gen_: f64,"));
}

#[test]
fn other_numbers_have_modules_of_their_own() {
    let mut program = lower(&fixture::everything());
    optimize::run(&mut program);
    let with = |scalars: &[Scalar]| {
        emit(&program, &RustOptions { chunk: 7, scalars: scalars.to_vec(), ..RustOptions::default() })
    };
    let alone = with(&[]);
    assert_eq!(alone, with(&[Scalar::F64]), "double precision is always there");
    let all = with(&[Scalar::F64x8, Scalar::F64x4, Scalar::F32, Scalar::F32]);
    assert!(all.starts_with(&alone), "and does not depend on the others");
    let [single, four, eight] =
        ["pub mod single {", "pub mod x4 {", "pub mod x8 {"].map(|start| all.find(start));
    assert!(single.is_some() && single < four && four < eight);
    assert!(!all[eight.unwrap_or(0)..].contains("x4"), "eight lanes need nothing of four");
    assert!(all.contains("impl Lanes for super::Model {") && all.contains("math::select("));
    assert!(all.contains("pub fn prepare(theta: &[f32; N_THETA], prepared: &mut Prepared) {"));
    assert!(all.lines().all(|line| line.len() < 130), "no overlong lines");
}

/// A product that only a sum reads is written within it; all others stay.
#[test]
fn products_are_fused_on_request_only() {
    let source = include_str!("../../../../models/double_pendulum.yaml");
    let compiled =
        crate::compile("double_pendulum.yaml", source, &crate::model::NoFiles, crate::Options::default());
    let program = compiled.expect("the model compiles").program;
    let with = |fused_multiply_add: bool| {
        let scalars = vec![Scalar::F64x4, Scalar::F32];
        emit(&program, &RustOptions { fused_multiply_add, scalars, ..RustOptions::default() })
    };
    let (plain, fused) = (with(false), with(true));
    assert!(!plain.contains("madd(") && !plain.contains("msub("));
    let count = |text: &str, what: &str| text.matches(what).count();
    let calls: usize =
        ["math::madd(", "math::nmadd(", "math::msub("].map(|name| count(&fused, name)).iter().sum();
    assert!(calls > 0);
    assert_eq!(count(&fused, " * ") + calls, count(&plain, " * "), "each call stands for one product");
    assert_eq!(count(&fused, "let w") + calls, count(&plain, "let w"), "and is one statement less");
}
