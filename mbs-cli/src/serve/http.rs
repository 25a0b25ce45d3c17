//! As much of HTTP/1.1 as a page on the same machine needs (RFC 9112).

use std::io::{self, BufRead, BufReader, Read, Write};

/// Longest request line and headers together, bytes.
const MAX_HEAD: u64 = 16 * 1024;
/// Longest body, bytes.
const MAX_BODY: usize = 64 * 1024;

/// A request with what is looked at of it.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(super) struct Request {
    pub(super) method: String,
    pub(super) path: String,
    pub(super) host: Option<String>,
    pub(super) origin: Option<String>,
    /// `Sec-Fetch-Site`: whose page makes a browser ask.
    pub(super) site: Option<String>,
    pub(super) body: Vec<u8>,
}

/// What is wrong with a request: a status and a sentence.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Bad(pub(super) u16, pub(super) &'static str);

impl From<io::Error> for Bad {
    fn from(_: io::Error) -> Self {
        Self(408, "the request did not arrive in time or was cut off")
    }
}

impl Request {
    /// Reads one request.
    pub(super) fn read(stream: impl Read) -> Result<Self, Bad> {
        let mut reader = BufReader::new(stream.take(MAX_HEAD + MAX_BODY as u64));
        let mut read = 0;
        let mut line = |reader: &mut BufReader<_>| -> Result<String, Bad> {
            let mut bytes = Vec::new();
            reader.read_until(b'\n', &mut bytes)?;
            read += bytes.len() as u64;
            if read > MAX_HEAD {
                return Err(Bad(431, "the head of the request is too long"));
            }
            if bytes.pop() != Some(b'\n') {
                return Err(Bad(400, "the request ends within a line"));
            }
            if bytes.last() == Some(&b'\r') {
                bytes.pop();
            }
            String::from_utf8(bytes).map_err(|_| Bad(400, "the head of the request is not UTF-8"))
        };
        let first = line(&mut reader)?;
        let mut words = first.split(' ');
        let (Some(method), Some(path), Some(version), None) =
            (words.next(), words.next(), words.next(), words.next())
        else {
            return Err(Bad(400, "the first line is not METHOD PATH VERSION"));
        };
        if !version.starts_with("HTTP/1.") || !path.starts_with('/') {
            return Err(Bad(400, "this is not a request of HTTP/1"));
        }
        let mut request = Self { method: method.to_owned(), path: path.to_owned(), ..Self::default() };
        let mut length = 0;
        loop {
            let header = line(&mut reader)?;
            if header.is_empty() {
                break;
            }
            let Some((name, value)) = header.split_once(':') else {
                return Err(Bad(400, "a header has no colon"));
            };
            let value = value.trim();
            // A second one of what decides over access is an attempt to get around it.
            let once = |slot: &mut Option<String>| match slot.replace(value.to_owned()) {
                None => Ok(()),
                Some(_) => Err(Bad(400, "a header is given twice")),
            };
            match name.to_ascii_lowercase().as_str() {
                "host" => once(&mut request.host)?,
                "origin" => once(&mut request.origin)?,
                "sec-fetch-site" => once(&mut request.site)?,
                "content-length" => {
                    length = value.parse().map_err(|_| Bad(400, "the length is not a number"))?;
                }
                "transfer-encoding" => return Err(Bad(501, "bodies in pieces are not understood")),
                _ => {}
            }
        }
        if length > MAX_BODY {
            return Err(Bad(413, "the body of the request is too long"));
        }
        request.body = vec![0; length];
        reader.read_exact(&mut request.body)?;
        Ok(request)
    }
}

/// Writes an answer and says that it is the last on this connection.
pub(super) fn answer(mut stream: impl Write, status: u16, kind: &str, body: &[u8]) -> io::Result<()> {
    let reason = match status {
        200 => "OK",
        403 => "Forbidden",
        404 => "Not Found",
        405 => "Method Not Allowed",
        408 => "Request Timeout",
        409 => "Conflict",
        413 => "Content Too Large",
        422 => "Unprocessable Content",
        431 => "Request Header Fields Too Large",
        501 => "Not Implemented",
        _ => "Bad Request",
    };
    write!(
        stream,
        "HTTP/1.1 {status} {reason}\r\nContent-Type: {kind}\r\nContent-Length: {}\r\nConnection: close\r\n\
         Cache-Control: no-store\r\nX-Content-Type-Options: nosniff\r\nCross-Origin-Resource-Policy: same-origin\r\n\
         Content-Security-Policy: frame-ancestors 'none'\r\n\r\n",
        body.len()
    )?;
    stream.write_all(body)?;
    stream.flush()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> Result<Request, Bad> {
        Request::read(text.as_bytes())
    }

    #[test]
    fn requests_are_taken_apart() {
        let text = "POST /run HTTP/1.1\r\nHost: localhost:1\r\nSec-Fetch-Site: same-origin\r\nContent-Length: 2\r\n\r\n{}";
        let request = read(text).unwrap();
        assert_eq!(request.site.as_deref(), Some("same-origin"));
        assert_eq!((request.method.as_str(), request.path.as_str()), ("POST", "/run"));
        assert_eq!(
            (request.host.as_deref(), request.body.as_slice()),
            (Some("localhost:1"), b"{}".as_slice())
        );
    }

    #[test]
    fn what_is_malformed_is_refused() {
        let status = |text: &str| read(text).expect_err("refused").0;
        assert_eq!(status(""), 400);
        assert_eq!(status("GET /"), 400);
        assert_eq!(status("GET / HTTP/1.1\r\nnonsense\r\n\r\n"), 400);
        assert_eq!(status("GET / SMTP\r\n\r\n"), 400);
        assert_eq!(status("GET / HTTP/1.1\r\nHost: a\r\nHost: b\r\n\r\n"), 400);
        assert_eq!(status("POST / HTTP/1.1\r\nContent-Length: -1\r\n\r\n"), 400);
        assert_eq!(status("POST / HTTP/1.1\r\nContent-Length: 99999999\r\n\r\n"), 413);
        assert_eq!(status("POST / HTTP/1.1\r\nContent-Length: 9\r\n\r\nshort"), 408);
        assert_eq!(status("POST / HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n"), 501);
        assert_eq!(status(&format!("GET / HTTP/1.1\r\nX: {}\r\n\r\n", "x".repeat(20_000))), 431);
    }
}
