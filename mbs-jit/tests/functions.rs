//! The runtime's list of functions and the compiler's agree.

use mbs_runtime::FUNCTIONS;
use mbs_symbolic::program::{FunctionKind, Quantity};

/// What a system says of itself or does before it is evaluated.
const OTHERS: [&str; 3] = ["layout", "frame_names", "prepare"];

/// That signatures agree is for the compiler of Rust to see: `Model` implements the runtime's trait
/// by the compiler's table. A method with a body, though, could be left out.
#[test]
fn the_two_lists_agree() {
    let kept = |kind: &FunctionKind| {
        let quantities = kind.quantities();
        quantities.contains(&Quantity::MassMatrix) || quantities.contains(&Quantity::ConstraintJacobian)
    };
    let functions = FunctionKind::ALL.iter().map(|kind| kind.name().to_owned());
    let updates =
        FunctionKind::ALL.iter().filter(|kind| kept(kind)).map(|kind| format!("update_{}", kind.name()));
    let mut expected: Vec<String> =
        OTHERS.map(str::to_owned).into_iter().chain(functions).chain(updates).collect();
    let mut found: Vec<String> = FUNCTIONS.iter().map(|&name| name.to_owned()).collect();
    expected.sort();
    found.sort();
    assert_eq!(found, expected);
}
