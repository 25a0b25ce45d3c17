//! `mbs serve`: a server for this machine and its own page alone.

mod common;

use common::Scratch;
use common::server::Server;
use serde_json::{Value, json};
use std::time::Duration;

const SPRING: &str = "\
model: cart
parameters: {m: {value: 2, unit: kg, min: 0.1}, k: {value: 8, unit: N/m}}
bodies: {cart: {mass: m}}
joints: {rail: {type: prismatic, from: ground, to: cart, axis: x, coordinate: s}}
forces: {spring: {type: joint_force, joint: rail, force: -k*s}}
outputs: {place: s}
initial: {positions: {s: 1}}
simulation: {t_end: 1, rtol: 1e-9}
";

/// Where the cart is at the end, from the poses of the answer.
fn last_place(answer: &Value) -> f64 {
    let motion = &answer["scene"]["motion"];
    let bodies = motion["bodies"].as_u64().expect("bodies") as usize;
    let text = motion["positions"].as_str().expect("positions");
    let numbers: Vec<f64> =
        decode(text).chunks_exact(8).map(|bytes| f64::from_le_bytes(bytes.try_into().unwrap())).collect();
    // The last body of the last frame, x.
    numbers[numbers.len() - 3 * bodies + 3 * (bodies - 1)]
}

fn decode(text: &str) -> Vec<u8> {
    let value = |c: u8| match c {
        b'A'..=b'Z' => c - b'A',
        b'a'..=b'z' => c - b'a' + 26,
        b'0'..=b'9' => c - b'0' + 52,
        b'+' => 62,
        _ => 63,
    };
    let letters: Vec<u8> = text.bytes().filter(|&c| c != b'=').collect();
    let mut out = Vec::new();
    for four in letters.chunks(4) {
        let bits =
            four.iter().fold(0_u32, |bits, &c| bits << 6 | u32::from(value(c))) << (6 * (4 - four.len()));
        out.extend(&bits.to_be_bytes()[1..four.len()]);
    }
    out
}

/// The cart on its spring is where cos(√(k/m) t) says, whatever the sliders say.
#[test]
fn sliders_change_the_run() {
    let folder = Scratch::new("serve-run");
    let server = Server::start(&folder.file("cart.yaml", SPRING));
    let (status, page) = server.get("/");
    assert!(status == 200 && page.contains("mbs-live") && page.contains("connect-src 'self'"));
    for (set, place) in [
        (json!({}), 2.0_f64.cos()),
        (json!({"k": 18.0}), 3.0_f64.cos()),
        (json!({"k": 18.0, "m": 0.5}), 6.0_f64.cos()),
        (json!({"positions.s": 0.5}), 0.5 * 2.0_f64.cos()),
        (json!({"velocities.s": 2.0}), 2.0_f64.cos() + 2.0_f64.sin()),
    ] {
        let (status, answer) = server.run(&json!({"set": set}).to_string());
        assert_eq!((status, &answer["ok"]), (200, &json!(true)), "{set}");
        let found = last_place(&answer);
        assert!((found - place).abs() < 1e-6, "{set}: {found}, not {place}");
    }
}

#[test]
fn strangers_and_nonsense_are_refused_and_do_no_harm() {
    let folder = Scratch::new("serve-refuse");
    let server = Server::start(&folder.file("cart.yaml", SPRING));
    let port = server.port;
    let status = |request: String| server.send(&request).0;
    assert_eq!(status(format!("GET / HTTP/1.1\r\nHost: evil.example:{port}\r\n\r\n")), 403);
    assert_eq!(status("GET / HTTP/1.1\r\n\r\n".to_owned()), 403);
    let foreign = format!("GET / HTTP/1.1\r\nHost: localhost:{port}\r\nOrigin: http://evil.example\r\n\r\n");
    assert_eq!(status(foreign), 403);
    assert_eq!(status("\r\n\r\n".to_owned()), 400);
    assert_eq!(status("\u{0}\u{1}\u{2}".to_owned()), 400);
    assert_eq!(status(format!("DELETE / HTTP/1.1\r\nHost: localhost:{port}\r\n\r\n")), 405);
    for path in ["/../cart.yaml", "/cart.yaml", "//etc/passwd", "/%2e%2e/cart.yaml"] {
        assert_eq!(server.get(path).0, 404, "{path}");
    }
    for body in [
        "",
        "[]",
        "{",
        "{\"set\": 1}",
        "{\"set\": {\"k\": \"x\"}}",
        "{\"set\": {\"nothing\": 1}}",
        "{\"set\": {\"m\": 0}}",
    ] {
        let (status, answer) = server.run(body);
        assert_eq!((status, &answer["ok"]), (422, &json!(false)), "{body}");
        assert!(answer["message"].as_str().is_some_and(|message| !message.is_empty()), "{body}");
    }
    assert_eq!(server.run("{\"set\": {}}").0, 200, "it still answers");
}

#[test]
fn a_saved_model_is_read_again() {
    let folder = Scratch::new("serve-save");
    let model = folder.file("cart.yaml", SPRING);
    let server = Server::start(&model);
    let before = server.get("/version");
    std::thread::sleep(Duration::from_millis(20));
    std::fs::write(&model, SPRING.replace("k*s", "nonsense*s")).expect("the model is saved");
    assert_ne!(server.get("/version"), before);
    let (status, page) = server.get("/");
    assert!(status == 200 && page.contains("does not run yet") && page.contains("nonsense"), "{page}");
    std::thread::sleep(Duration::from_millis(20));
    std::fs::write(&model, SPRING).expect("the model is saved");
    assert!(server.get("/").1.contains("mbs-live"), "mended");
}
