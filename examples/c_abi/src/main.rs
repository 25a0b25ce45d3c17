//! Prints how the model would start to move if it were let go at its initial values.
#![expect(unsafe_code, reason = "calls functions made for C")]

use example_c_abi::{mbs_forward_dynamics, mbs_initial, mbs_n_q, mbs_n_v};

#[expect(clippy::print_stdout, reason = "the program's output")]
fn main() {
    let (mut q, mut v) = (vec![0.0; mbs_n_q()], vec![0.0; mbs_n_v()]);
    let (tau, mut v_dot) = (vec![0.0; mbs_n_v()], vec![0.0; mbs_n_v()]);
    // SAFETY: all lengths are those the library says, and the arrays are ours.
    let status = unsafe {
        mbs_initial(q.as_mut_ptr(), v.as_mut_ptr());
        mbs_forward_dynamics(q.as_ptr(), v.as_ptr(), tau.as_ptr(), v_dot.as_mut_ptr())
    };
    match status {
        0 => println!("accelerations {v_dot:?}"),
        _ => println!("nothing resists some motion"),
    }
}
