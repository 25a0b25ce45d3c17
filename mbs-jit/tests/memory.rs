//! Code memory goes with the model. Alone in its process: it looks at all its memory.
#![cfg(target_os = "linux")]

mod common;

use mbs_jit::Native;

/// Pages that may be executed and belong to no file.
fn code_pages() -> usize {
    let maps = std::fs::read_to_string("/proc/self/maps").expect("the process's memory");
    let is_code = |line: &&str| {
        let mut fields = line.split_whitespace();
        let executable = fields.nth(1).is_some_and(|access| access.contains('x'));
        executable && fields.nth(3).is_none()
    };
    maps.lines().filter(is_code).count()
}

#[test]
fn code_is_freed_with_the_model() {
    let program = common::model("four_bar");
    let before = code_pages();
    let native = Native::new(&program).expect("native code");
    assert!(code_pages() > before, "code is found");
    drop(native);
    assert_eq!(code_pages(), before);
    for _ in 0..20 {
        drop(Native::new(&program).expect("native code"));
    }
    assert_eq!(code_pages(), before);
}
