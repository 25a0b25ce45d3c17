//! A page with sliders, served to this machine alone.
//!
//! The model is compiled once; a slider that moves only runs it again. Nothing but the page
//! and its numbers can be asked for: no file is ever served, and requests that do not come
//! from the page itself are refused, so that no other page in the browser can use it.
//! One run goes on at a time, that of the newest request, for whom its client waits.

mod adjusted;
mod connections;
mod http;
mod live;
mod turn;

use crate::report::Failure;
use connections::{Connection, Connections, Timed};
use http::{Bad, Request, answer};
pub(crate) use live::Live;
use live::{Answer, Watched};
use std::io::{self, ErrorKind};
use std::net::{Ipv4Addr, SocketAddr, TcpListener, TcpStream};
use std::sync::{Arc, Mutex, PoisonError, TryLockError};
use std::time::Duration;
use turn::{Halt, Turn, Turns};

/// How long a request may take to arrive.
const ARRIVAL: Duration = Duration::from_secs(5);
/// How long an answer may take to be read.
const DEPARTURE: Duration = Duration::from_secs(30);
/// Time between two tries to get at the model, which another run has for a moment still.
const TRY: Duration = Duration::from_millis(2);
/// So many ports behind the one asked for are tried.
const MAX_PORTS: u16 = 100;

/// Listens on the loopback interface: on this port, or the next that is free; port 0 takes any.
pub(crate) fn listen(port: u16) -> Result<TcpListener, Failure> {
    let last = if port == 0 { 0 } else { port.saturating_add(MAX_PORTS) };
    let mut busy = None;
    for port in port..=last {
        match TcpListener::bind(SocketAddr::from((Ipv4Addr::LOCALHOST, port))) {
            Ok(listener) => return Ok(listener),
            Err(error) if error.kind() == ErrorKind::AddrInUse => busy = Some(error),
            Err(error) => return Err(cannot_listen(port, &error)),
        }
    }
    let error = busy.unwrap_or_else(|| io::Error::from(ErrorKind::AddrInUse));
    Err(cannot_listen(port, &error))
}

fn cannot_listen(port: u16, error: &io::Error) -> Failure {
    Failure::new("MBS-C063", format!("cannot listen on port {port}: {error}"))
        .help("choose another --port, or 0 for any that is free")
}

/// What all connections share.
struct Server {
    port: u16,
    live: Mutex<Live>,
    /// To be looked at while `live` runs.
    watched: Arc<Mutex<Watched>>,
    turns: Turns,
    time_limit: Duration,
}

/// Answers requests until the process ends; gives up runs that take longer than `time_limit`.
pub(crate) fn serve(listener: &TcpListener, live: Live, time_limit: Duration) {
    let port = listener.local_addr().map_or(0, |address| address.port());
    let watched = live.watched();
    let server = Server { port, live: Mutex::new(live), watched, turns: Turns::default(), time_limit };
    let server = Arc::new(server);
    let connections = Arc::new(Connections::default());
    for stream in listener.incoming().flatten() {
        // A connection that is gone already, or one more than the system has room for.
        let Ok(connection) = connections.admit(&stream) else { continue };
        let server = Arc::clone(&server);
        std::thread::spawn(move || {
            // A browser that goes away is no reason to stop.
            let _ = server.converse(&stream, &connection);
        });
    }
}

const HTML: &str = "text/html; charset=utf-8";
const JSON: &str = "application/json";
const TEXT: &str = "text/plain; charset=utf-8";

impl Server {
    fn converse(&self, stream: &TcpStream, connection: &Connection) -> io::Result<()> {
        let request = Request::read(Timed::new(stream, ARRIVAL));
        connection.set_at_work(true);
        let outcome = request.and_then(|request| self.respond(&request, stream));
        connection.set_at_work(false);
        let out = Timed::new(stream, DEPARTURE);
        match outcome {
            Ok(Answer { status, kind, body }) => answer(out, status, kind, body.as_bytes()),
            Err(Bad(status, reason)) => answer(out, status, TEXT, format!("{reason}\n").as_bytes()),
        }
    }

    fn respond(&self, request: &Request, client: &TcpStream) -> Result<Answer, Bad> {
        admit(request, self.port)?;
        let (path, _) = request.path.split_once('?').unwrap_or((&request.path, ""));
        match (request.method.as_str(), path) {
            ("GET", "/") => Ok(self.in_turn(self.turns.take(client, false), Live::page)),
            ("GET", "/version") => {
                let watched = self.watched.lock().unwrap_or_else(PoisonError::into_inner).clone();
                Ok(Answer { status: 200, kind: JSON, body: live::version(&watched) })
            }
            ("POST", "/run") => {
                let turn = self.turns.take(client, true);
                Ok(self.in_turn(turn, |live, turn| live.run(&request.body, turn)))
            }
            (_, "/" | "/version" | "/run") => Err(Bad(405, "this place does not take this method")),
            _ => Err(Bad(404, "there is nothing here but the page itself")),
        }
    }

    /// Works with the model, once what worked with it before has seen that it is no longer wanted.
    fn in_turn(&self, mut turn: Turn<'_>, work: impl FnOnce(&mut Live, &mut Turn<'_>) -> Answer) -> Answer {
        let mut live = loop {
            match self.live.try_lock() {
                Ok(live) => break live,
                // A run that panicked has left nothing half done: every run begins anew.
                Err(TryLockError::Poisoned(live)) => break live.into_inner(),
                Err(TryLockError::WouldBlock) if turn.goes_on() => std::thread::sleep(TRY),
                Err(TryLockError::WouldBlock) => return live::out_of_turn(),
            }
        };
        turn.begin(self.time_limit);
        let answer = work(&mut live, &mut turn);
        match turn.halt() {
            None | Some(Halt::TooLong) => answer,
            Some(Halt::Newer | Halt::Gone) => live::out_of_turn(),
        }
    }
}

/// Only our own page may ask: its host name is that of this machine, which keeps out names
/// that an attacker points here, and what another page makes a browser send says so in its
/// origin or its site. Another port of this machine is another page, too.
fn admit(request: &Request, port: u16) -> Result<(), Bad> {
    let own = |name: &str| ["localhost", "127.0.0.1"].iter().any(|host| name == format!("{host}:{port}"));
    match &request.host {
        Some(host) if own(host) => {}
        _ => return Err(Bad(403, "requests must be addressed to localhost")),
    }
    match &request.origin {
        Some(origin) if !origin.strip_prefix("http://").is_some_and(own) => {
            return Err(Bad(403, "requests of other pages are refused"));
        }
        _ => {}
    }
    match request.site.as_deref() {
        None | Some("same-origin" | "none") => Ok(()),
        Some(_) => Err(Bad(403, "requests of other pages are refused")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_our_own_page_is_admitted() {
        let ask_from = |host: Option<&str>, origin: Option<&str>, site: Option<&str>| {
            let [host, origin, site] = [host, origin, site].map(|text| text.map(str::to_owned));
            admit(&Request { host, origin, site, ..Request::default() }, 8000).is_ok()
        };
        let ask = |host, origin| ask_from(host, origin, None);
        assert!(ask(Some("localhost:8000"), None));
        assert!(ask(Some("127.0.0.1:8000"), Some("http://127.0.0.1:8000")));
        assert!(!ask(None, None));
        assert!(!ask(Some("evil.example:8000"), None));
        assert!(!ask(Some("localhost:8001"), None));
        assert!(!ask(Some("localhost"), None));
        assert!(!ask(Some("localhost:8000"), Some("http://evil.example")));
        assert!(!ask(Some("localhost:8000"), Some("null")));
        assert!(!ask(Some("localhost:8000"), Some("https://localhost:8000")));
        let from = |site| ask_from(Some("localhost:8000"), None, Some(site));
        assert!(from("same-origin") && from("none"));
        assert!(!from("cross-site") && !from("same-site") && !from(""));
    }
}
