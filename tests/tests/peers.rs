//! Mass matrix, bias force and accelerations of nine trees against another program.

use mbs_tests::close::assert_close;
use mbs_tests::oracle::Oracle;
use mbs_tests::peers::{self, Peer};
use mbs_tests::solve;

const TOLERANCE: f64 = 1e-11;

fn check(name: &str) {
    let path = format!("{}/data/peers/{name}.json", env!("CARGO_MANIFEST_DIR"));
    let peer = peers::read(&std::fs::read_to_string(path).expect("peer data"));
    oracle(name, &peer);
}

fn oracle(name: &str, peer: &Peer) {
    let kept = peers::kept(&peer.model);
    for sample in &peer.samples {
        let state = sample.state();
        let oracle = Oracle::new(&peer.model, &kept, &state);
        let mass_matrix = oracle.mass_matrix();
        assert_close(&format!("{name}: M"), &mass_matrix, &sample.mass_matrix, 0.0, TOLERANCE);
        let forces = oracle.forces();
        let h: Vec<f64> = forces.values.iter().map(|f| -f).collect();
        assert_close(&format!("{name}: h"), &h, &sample.h, forces.largest_term, TOLERANCE);
        let n = h.len();
        let rows = (0..n).map(|i| (0..n).map(|j| mass_matrix[i + n * j]).collect()).collect();
        let right = (0..n).map(|i| sample.tau[i] - h[i]).collect();
        assert_close(&format!("{name}: v'"), &solve::linear(rows, right), &sample.v_dot, 0.0, TOLERANCE);
    }
}

macro_rules! peers {
    ($($name:ident)*) => {$(
        #[test]
        fn $name() {
            check(stringify!($name));
        }
    )*};
}

peers! { ur5 panda7 chain6 chain7 chain12 chain30 chain_al7 planar6 planar12 }
