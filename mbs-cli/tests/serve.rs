//! `mbs serve`: a server for this machine and its own page alone.

mod common;

use common::server::{Server, taken_apart, whole};
use common::{Scratch, fail};
use serde_json::{Value, json};
use std::fs;
use std::io::Write;
use std::net::{TcpListener, TcpStream};
use std::thread::sleep;
use std::time::{Duration, Instant};

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
    sleep(Duration::from_millis(20));
    fs::write(&model, SPRING.replace("k*s", "nonsense*s")).expect("the model is saved");
    assert_ne!(server.get("/version"), before);
    let (status, page) = server.get("/");
    assert!(status == 200 && page.contains("does not run yet") && page.contains("nonsense"), "{page}");
    sleep(Duration::from_millis(20));
    fs::write(&model, SPRING).expect("the model is saved");
    assert!(server.get("/").1.contains("mbs-live"), "mended");
}

/// A run of the cart that takes a quarter of a minute at least; without its spring it takes no time.
fn long() -> String {
    SPRING.replace("t_end: 1,", "t_end: 1e7,")
}

const SHORT: &str = "{\"set\": {\"k\": 0}}";
/// Less than the long run takes, more than anything else.
const SOON: Duration = Duration::from_secs(8);

#[test]
fn a_run_ends_when_its_client_leaves() {
    let folder = Scratch::new("serve-leave");
    let server = Server::start(&folder.file("cart.yaml", &long()));
    for request in [server.get_request("/"), server.run_request("{\"set\": {}}")] {
        let client = server.ask(&request);
        sleep(Duration::from_millis(300));
        drop(client);
        let begin = Instant::now();
        // This waits for a page that is loaded, but not for one nobody waits for.
        let (status, answer) = server.run(SHORT);
        assert!(status == 200 && begin.elapsed() < SOON, "{:?}: {}", begin.elapsed(), answer["message"]);
    }
}

#[test]
fn a_newer_request_ends_a_run() {
    let folder = Scratch::new("serve-newer");
    let server = Server::start(&folder.file("cart.yaml", &long()));
    let begin = Instant::now();
    let older = server.ask(&server.run_request("{\"set\": {}}"));
    sleep(Duration::from_millis(300));
    let (status, version) = server.get("/version");
    assert!(status == 200 && version.contains("version"), "it answers while the run goes on");
    assert_eq!(server.run(SHORT).0, 200);
    let (status, answer) = taken_apart(&whole(older));
    assert!(status == 409 && answer.contains("a newer request"), "{answer}");
    assert!(begin.elapsed() < SOON, "{:?}", begin.elapsed());
}

#[test]
fn a_run_has_a_time_limit() {
    let folder = Scratch::new("serve-limit");
    let model = folder.file("cart.yaml", &long());
    let server = Server::start_with(&model, &["--port", "0", "--time-limit", "0.3"]);
    let begin = Instant::now();
    let (status, page) = server.get("/");
    assert!(
        status == 200 && page.contains("given up after 0.3 s") && page.contains("--time-limit"),
        "{page}"
    );
    let (status, answer) = server.run("{\"set\": {}}");
    let message = answer["message"].as_str().expect("a message");
    assert!(status == 422 && message.contains("given up after 0.3 s"), "{message}");
    assert!(begin.elapsed() < SOON, "{:?}", begin.elapsed());
    assert_eq!(server.run(SHORT).0, 200);
    for wrong in ["0", "-1", "nan", "soon"] {
        let said = common::mbs(&["serve", &model, "--time-limit", wrong]);
        assert_eq!(said.status.code(), Some(2), "{wrong}");
    }
}

/// Neither clients that say nothing nor those that drip lock others out, and both have an end.
#[test]
fn slow_clients_do_no_harm() {
    let folder = Scratch::new("serve-slow");
    let server = Server::start(&folder.file("cart.yaml", SPRING));
    let idle: Vec<TcpStream> = (0..100).map(|_| server.ask("")).collect();
    let begin = Instant::now();
    assert_eq!(server.get("/version").0, 200);
    assert_eq!(server.run("{\"set\": {}}").0, 200);
    assert!(begin.elapsed() < Duration::from_secs(3), "{:?}", begin.elapsed());
    drop(idle);
    let mut dripping = server.ask("GET / HTTP/1.1\r\nX: ");
    let begin = Instant::now();
    // The first byte after the end is taken, the next is not.
    while dripping.write_all(b"x").is_ok() {
        assert!(begin.elapsed() < Duration::from_secs(20), "it may go on for ever");
        sleep(Duration::from_millis(200));
    }
}

#[test]
fn no_other_page_shows_or_asks() {
    let folder = Scratch::new("serve-frame");
    let server = Server::start(&folder.file("cart.yaml", SPRING));
    for path in ["/", "/version", "/nothing"] {
        let answer = whole(server.ask(&server.get_request(path)));
        assert!(answer.contains("\r\nContent-Security-Policy: frame-ancestors 'none'\r\n"), "{path}");
    }
    let from = |site: &str| {
        let request = server.get_request("/version").replace("\r\n\r\n", "\r\nSec-Fetch-Site: ");
        taken_apart(&whole(server.ask(&format!("{request}{site}\r\n\r\n")))).0
    };
    assert_eq!(["none", "same-origin", "same-site", "cross-site", "x"].map(from), [200, 200, 403, 403, 403]);
}

#[test]
fn files_of_the_model_are_watched() {
    let folder = Scratch::new("serve-include");
    let joints = "joints: {rail: {type: prismatic, from: ground, to: cart, axis: x, coordinate: s}}\n";
    let text = SPRING.replace(joints, "").replace("-k*s", "\"-k*linear(road, s)\"");
    let model = folder.file(
        "cart.yaml",
        &format!("{text}tables: {{road: {{file: road.csv, x: s, y: h}}}}\ninclude: rail.yaml\n"),
    );
    folder.file("road.csv", "s,h\n-9,-9\n9,9\n");
    let server = Server::start(&model);
    let (_, page) = server.get("/");
    assert!(page.contains("does not run yet") && page.contains("rail.yaml"), "{page}");
    let mut before = server.get("/version");
    for (name, text, runs) in [
        ("rail.yaml", joints, true),
        ("rail.yaml", &joints.replace("prismatic", "prismatik"), false),
        ("rail.yaml", joints, true),
        ("road.csv", "s,h\n-9,nine\n9,9\n", false),
        ("road.csv", "s,h\n-9,-18\n9,18\n", true),
    ] {
        sleep(Duration::from_millis(20));
        folder.file(name, text);
        let after = server.get("/version");
        assert_ne!(before, after, "{name}");
        let (_, page) = server.get("/");
        assert_eq!(page.contains("mbs-live"), runs, "{name}: {page}");
        before = server.get("/version");
        let version = before.1.replace(['{', '}', '"'], "").replace("version:", "");
        assert!(page.contains(&version), "nothing has changed since");
    }
    let (_, answer) = server.run("{\"set\": {}}");
    let place = (2.0_f64 * 2.0_f64.sqrt()).cos();
    assert!((last_place(&answer) - place).abs() < 1e-6, "the spring is twice as stiff");
}

#[test]
fn a_model_that_is_not_there_is_an_error() {
    let folder = Scratch::new("serve-missing");
    let missing = folder.0.join("missing.yaml").display().to_string();
    for model in [&missing, &folder.0.display().to_string()] {
        let said = fail(&["serve", model, "--port", "0"]);
        assert!(said.contains("MBS-C001") && said.contains(model.as_str()), "{said}");
    }
    let model = folder.file("cart.yaml", SPRING);
    let said = fail(&["serve", &model, "--port", "0", "--allow-folder", &missing]);
    assert!(said.contains("there is no such folder"), "{said}");
}

#[test]
fn the_next_free_port_is_taken() {
    let folder = Scratch::new("serve-port");
    let model = folder.file("cart.yaml", SPRING);
    let busy = TcpListener::bind("127.0.0.1:0").expect("a port");
    let port = busy.local_addr().expect("its address").port();
    let server = Server::start_with(&model, &["--port", &port.to_string()]);
    assert!(server.port > port && server.port <= port.saturating_add(100), "{} after {port}", server.port);
    assert_eq!(server.get("/version").0, 200);
}

/// What lies outside the folder of the model is not read, whatever way leads there.
#[test]
fn only_the_folder_of_the_model_is_read() {
    let folder = Scratch::new("serve-folder");
    fs::create_dir_all(folder.0.join("model")).expect("a folder");
    fs::create_dir_all(folder.0.join("other")).expect("a folder");
    folder.file("other/part.yaml", "parameters: {swordfish: 1}\n");
    folder.file("model/part.yaml", "parameters: {own: 1}\n");
    let absolute = folder.0.join("other/part.yaml").display().to_string();
    let mut ways = vec!["../other/part.yaml", "../model/../other/part.yaml", &absolute];
    #[cfg(unix)]
    {
        std::os::unix::fs::symlink("../other/part.yaml", folder.0.join("model/link.yaml")).expect("a link");
        ways.push("link.yaml");
    }
    let other = folder.0.join("other").display().to_string();
    for way in ways {
        let model = folder.file("model/cart.yaml", &format!("{SPRING}include: {way}\n"));
        let server = Server::start(&model);
        let (_, page) = server.get("/");
        assert!(
            page.contains("outside the folder of the model") && page.contains("--allow-folder"),
            "{page}"
        );
        assert!(!page.contains("swordfish"), "{page}");
        drop(server);
        let server = Server::start_with(&model, &["--port", "0", "--allow-folder", &other]);
        assert!(server.get("/").1.contains("swordfish"), "{way}");
    }
    let model = folder.file("model/cart.yaml", &format!("{SPRING}include: ../model/part.yaml\n"));
    assert!(Server::start(&model).get("/").1.contains("mbs-live"));
}
