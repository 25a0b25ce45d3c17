//! `mbs serve` at work, and requests to it.
#![allow(dead_code, reason = "each test file uses a part")]

use serde_json::Value;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::process::{Child, Command, Stdio};
use std::time::Duration;

/// A server that ends with its test.
pub(crate) struct Server {
    process: Child,
    pub(crate) port: u16,
}

impl Server {
    pub(crate) fn start(model: &str) -> Self {
        Self::start_with(model, &["--port", "0"])
    }

    pub(crate) fn start_with(model: &str, options: &[&str]) -> Self {
        let mut process = Command::new(env!("CARGO_BIN_EXE_mbs"))
            .args(["serve", model])
            .args(options)
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .expect("mbs starts");
        let mut line = String::new();
        let out = process.stdout.take().expect("standard output");
        BufReader::new(out).read_line(&mut line).expect("the address");
        let port = line.trim().trim_end_matches('/').rsplit(':').next().and_then(|port| port.parse().ok());
        Self { process, port: port.unwrap_or_else(|| panic!("no port in {line:?}")) }
    }

    /// Sends bytes as they are and nothing more; gives the status and the body.
    pub(crate) fn send(&self, request: &str) -> (u16, String) {
        let stream = self.ask(request);
        stream.shutdown(std::net::Shutdown::Write).expect("the request has an end");
        taken_apart(&whole(stream))
    }

    /// A connection on which bytes were sent.
    pub(crate) fn ask(&self, request: &str) -> TcpStream {
        let mut stream = TcpStream::connect(("127.0.0.1", self.port)).expect("the server listens");
        stream.set_read_timeout(Some(Duration::from_secs(60))).expect("a time-out");
        stream.write_all(request.as_bytes()).expect("the request is sent");
        stream
    }

    pub(crate) fn get(&self, path: &str) -> (u16, String) {
        taken_apart(&whole(self.ask(&self.get_request(path))))
    }

    pub(crate) fn get_request(&self, path: &str) -> String {
        format!("GET {path} HTTP/1.1\r\nHost: 127.0.0.1:{}\r\n\r\n", self.port)
    }

    pub(crate) fn run(&self, body: &str) -> (u16, Value) {
        let (status, body) = taken_apart(&whole(self.ask(&self.run_request(body))));
        (status, serde_json::from_str(&body).expect("JSON"))
    }

    pub(crate) fn run_request(&self, body: &str) -> String {
        let (port, length) = (self.port, body.len());
        format!("POST /run HTTP/1.1\r\nHost: localhost:{port}\r\nContent-Length: {length}\r\n\r\n{body}")
    }
}

/// All that comes until the connection ends.
pub(crate) fn whole(mut stream: TcpStream) -> String {
    let mut answer = String::new();
    stream.read_to_string(&mut answer).expect("an answer");
    answer
}

/// Status and body of an answer.
pub(crate) fn taken_apart(answer: &str) -> (u16, String) {
    let status = answer.split(' ').nth(1).and_then(|status| status.parse().ok()).expect("a status");
    let body = answer.split_once("\r\n\r\n").map_or("", |(_, body)| body);
    (status, body.to_owned())
}

impl Drop for Server {
    fn drop(&mut self) {
        // It may be gone already.
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}
