//! Mass matrix, bias force and accelerations of nine trees against another program.

use mbs_tests::close::assert_close;
use mbs_tests::load::Loaded;
use mbs_tests::numbers::Numbers;
use mbs_tests::peers::{self, Peer, Sample};

/// Digits of the reference values.
const TOLERANCE: f64 = 1e-11;

fn peer(name: &str) -> Peer {
    let path = format!("{}/data/peers/{name}.json", env!("CARGO_MANIFEST_DIR"));
    peers::read(&std::fs::read_to_string(path).expect("peer data"))
}

/// The tree as the other program has it, with numbers in place of parameters.
fn check(name: &str) {
    let peer = peer(name);
    check_model(name, &peer, &Loaded::resolved(peer.model.clone()).expect("a tree"));
}

fn check_model(name: &str, peer: &Peer, loaded: &Loaded) {
    for sample in &peer.samples {
        let mut state = loaded.default_state();
        state.p.clone_from(&sample.q);
        state.v.clone_from(&sample.v);
        for (who, numbers) in loaded.numbers(&state) {
            check_numbers(&format!("{name}, {who}"), numbers, sample);
        }
    }
}

fn check_numbers(name: &str, mut numbers: Numbers, sample: &Sample) {
    assert_close(&format!("{name}: M"), &numbers.mass_matrix, &sample.mass_matrix, 0.0, TOLERANCE);
    let h: Vec<f64> = numbers.f.iter().map(|f| -f).collect();
    assert_close(&format!("{name}: h"), &h, &sample.h, 0.0, TOLERANCE);
    for (f, tau) in numbers.f.iter_mut().zip(&sample.tau) {
        *f += tau;
    }
    let (v_dot, _) = numbers.accelerations();
    assert_close(&format!("{name}: v'"), &v_dot, &sample.v_dot, 0.0, TOLERANCE);
}

/// The models of `models/` that carry the same numbers as named parameters.
#[test]
fn models_in_yaml() {
    for (model, data) in [
        ("ur5", "ur5"),
        ("panda", "panda7"),
        ("chain7", "chain7"),
        ("chain12", "chain12"),
        ("chain30", "chain30"),
        ("planar12", "planar12"),
    ] {
        check_model(model, &peer(data), &Loaded::model(model));
    }
}

/// The same models solved for v', under the torques that are their inputs.
#[test]
fn accelerations_in_yaml() {
    for (model, data) in [
        ("ur5", "ur5"),
        ("panda", "panda7"),
        ("chain7", "chain7"),
        ("chain12", "chain12"),
        ("chain30", "chain30"),
        ("planar12", "planar12"),
    ] {
        let loaded = Loaded::model(model);
        for sample in &peer(data).samples {
            let mut state = loaded.default_state();
            state.p.clone_from(&sample.q);
            state.v.clone_from(&sample.v);
            assert_eq!(state.u.len(), sample.tau.len(), "{model}: a torque per joint");
            for (u, tau) in state.u.iter_mut().zip(&sample.tau) {
                u[0] = *tau;
            }
            let solutions = loaded.accelerations(&state);
            assert!(!solutions.is_empty(), "{model}");
            for (who, v_dot) in solutions {
                assert_close(&format!("{model}, {who}: v'"), &v_dot, &sample.v_dot, 0.0, TOLERANCE);
            }
        }
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
