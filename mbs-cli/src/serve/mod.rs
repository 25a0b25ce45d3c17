//! A page with sliders, served to this machine alone.
//!
//! The model is compiled once; a slider that moves only runs it again. Nothing but the page
//! and its numbers can be asked for: no file is ever served, and requests that do not come
//! from the page itself are refused, so that no other page in the browser can use it.

mod adjusted;
mod http;
mod live;

use crate::report::Failure;
use http::{Bad, Request, answer};
pub(crate) use live::Live;
use std::net::{Ipv4Addr, SocketAddr, TcpListener, TcpStream};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

/// Connections at the same time; more wait in the system's own queue or are closed.
const MOST_CONNECTIONS: usize = 16;
/// How long a request may take to arrive.
const PATIENCE: Duration = Duration::from_secs(5);

/// Listens on the loopback interface; port 0 takes any that is free.
pub(crate) fn listen(port: u16) -> Result<TcpListener, Failure> {
    let address = SocketAddr::from((Ipv4Addr::LOCALHOST, port));
    TcpListener::bind(address).map_err(|error| {
        Failure::new("MBS-C063", format!("cannot listen on port {port}: {error}"))
            .help("choose another --port, or 0 for any that is free")
    })
}

/// Answers requests until the process ends.
pub(crate) fn serve(listener: &TcpListener, live: Live) {
    let port = listener.local_addr().map_or(0, |address| address.port());
    let live = Arc::new(Mutex::new(live));
    let open = Arc::new(AtomicUsize::new(0));
    for stream in listener.incoming().flatten() {
        if open.load(Ordering::Relaxed) >= MOST_CONNECTIONS {
            continue;
        }
        open.fetch_add(1, Ordering::Relaxed);
        let (live, count) = (Arc::clone(&live), Arc::clone(&open));
        std::thread::spawn(move || {
            let _closed = Closing(count);
            // A browser that goes away is no reason to stop.
            let _ = converse(stream, port, &live);
        });
    }
}

/// Counts a connection out, whatever ended it.
struct Closing(Arc<AtomicUsize>);

impl Drop for Closing {
    fn drop(&mut self) {
        self.0.fetch_sub(1, Ordering::Relaxed);
    }
}

fn converse(mut stream: TcpStream, port: u16, live: &Mutex<Live>) -> std::io::Result<()> {
    stream.set_read_timeout(Some(PATIENCE))?;
    stream.set_write_timeout(Some(PATIENCE))?;
    let outcome = Request::read(&stream).and_then(|request| respond(&request, port, live));
    match outcome {
        Ok(Answer { status, kind, body }) => answer(&mut stream, status, kind, body.as_bytes()),
        Err(Bad(status, reason)) => {
            answer(&mut stream, status, "text/plain; charset=utf-8", format!("{reason}\n").as_bytes())
        }
    }
}

struct Answer {
    status: u16,
    kind: &'static str,
    body: String,
}

const HTML: &str = "text/html; charset=utf-8";
const JSON: &str = "application/json";

fn respond(request: &Request, port: u16, live: &Mutex<Live>) -> Result<Answer, Bad> {
    admit(request, port)?;
    // A run that panicked has left nothing half done: every run begins anew.
    let mut live = live.lock().unwrap_or_else(PoisonError::into_inner);
    let (path, _) = request.path.split_once('?').unwrap_or((&request.path, ""));
    match (request.method.as_str(), path) {
        ("GET", "/") => Ok(Answer { status: 200, kind: HTML, body: live.page() }),
        ("GET", "/version") => Ok(Answer { status: 200, kind: JSON, body: live.version() }),
        ("POST", "/run") => {
            let (status, body) = live.run(&request.body);
            Ok(Answer { status, kind: JSON, body })
        }
        (_, "/" | "/version" | "/run") => Err(Bad(405, "this place does not take this method")),
        _ => Err(Bad(404, "there is nothing here but the page itself")),
    }
}

/// Only our own page may ask: its host name is that of this machine, which keeps out names
/// that an attacker points here, and what another page sends says so in its origin.
fn admit(request: &Request, port: u16) -> Result<(), Bad> {
    let own = |name: &str| ["localhost", "127.0.0.1"].iter().any(|host| name == format!("{host}:{port}"));
    match &request.host {
        Some(host) if own(host) => {}
        _ => return Err(Bad(403, "requests must be addressed to localhost")),
    }
    match &request.origin {
        Some(origin) if !origin.strip_prefix("http://").is_some_and(own) => {
            Err(Bad(403, "requests of other pages are refused"))
        }
        _ => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_our_own_page_is_admitted() {
        let ask = |host: Option<&str>, origin: Option<&str>| {
            let request = Request {
                host: host.map(str::to_owned),
                origin: origin.map(str::to_owned),
                ..Request::default()
            };
            admit(&request, 8000).is_ok()
        };
        assert!(ask(Some("localhost:8000"), None));
        assert!(ask(Some("127.0.0.1:8000"), Some("http://127.0.0.1:8000")));
        assert!(!ask(None, None));
        assert!(!ask(Some("evil.example:8000"), None));
        assert!(!ask(Some("localhost:8001"), None));
        assert!(!ask(Some("localhost"), None));
        assert!(!ask(Some("localhost:8000"), Some("http://evil.example")));
        assert!(!ask(Some("localhost:8000"), Some("null")));
        assert!(!ask(Some("localhost:8000"), Some("https://localhost:8000")));
    }
}
