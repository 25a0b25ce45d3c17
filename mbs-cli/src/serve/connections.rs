//! The connections at one time: limited in number, each with a limited time, and none able to keep
//! others out.

use std::io::{self, Read, Write};
use std::net::{Shutdown, TcpStream};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

/// Connections at the same time; one more ends the oldest that has nothing to do.
const MAX_CONNECTIONS: usize = 16;

/// All that are open, oldest first.
#[derive(Default)]
pub(super) struct Connections {
    open: Mutex<Vec<Entry>>,
}

struct Entry {
    id: u64,
    stream: TcpStream,
    /// Whether its request is being answered; before, it is still arriving.
    is_at_work: bool,
}

/// One that is open as long as this value is there.
pub(super) struct Connection {
    all: Arc<Connections>,
    id: u64,
}

impl Connections {
    /// Lets a connection in. Where there are too many, the oldest whose client is slow has to go, and
    /// if all are at work the oldest of these.
    pub(super) fn admit(self: &Arc<Self>, stream: &TcpStream) -> io::Result<Connection> {
        let stream = stream.try_clone()?;
        let mut open = self.open.lock().unwrap_or_else(PoisonError::into_inner);
        if open.len() >= MAX_CONNECTIONS {
            let oldest = open.iter().position(|entry| !entry.is_at_work).unwrap_or(0);
            // One that is closed already has made room.
            let _ = open.remove(oldest).stream.shutdown(Shutdown::Both);
        }
        let id = open.last().map_or(0, |last| last.id + 1);
        open.push(Entry { id, stream, is_at_work: false });
        drop(open);
        Ok(Connection { all: Arc::clone(self), id })
    }
}

impl Connection {
    /// Whether its request is being answered now.
    pub(super) fn set_at_work(&self, is_at_work: bool) {
        let mut open = self.all.open.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(entry) = open.iter_mut().find(|entry| entry.id == self.id) {
            entry.is_at_work = is_at_work;
        }
    }
}

impl Drop for Connection {
    fn drop(&mut self) {
        self.all.open.lock().unwrap_or_else(PoisonError::into_inner).retain(|entry| entry.id != self.id);
    }
}

/// A stream whose reading or writing takes no longer than so much in all, however the bytes drip.
pub(super) struct Timed<'s> {
    stream: &'s TcpStream,
    end: Instant,
}

impl<'s> Timed<'s> {
    pub(super) fn new(stream: &'s TcpStream, time: Duration) -> Self {
        Self { stream, end: Instant::now() + time }
    }

    fn left(&self) -> io::Result<Option<Duration>> {
        match self.end.saturating_duration_since(Instant::now()) {
            Duration::ZERO => Err(io::Error::from(io::ErrorKind::TimedOut)),
            left => Ok(Some(left)),
        }
    }
}

impl Read for Timed<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        self.stream.set_read_timeout(self.left()?)?;
        self.stream.read(buffer)
    }
}

impl Write for Timed<'_> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.stream.set_write_timeout(self.left()?)?;
        self.stream.write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.stream.flush()
    }
}
