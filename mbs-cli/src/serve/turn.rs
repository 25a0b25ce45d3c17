//! Whose turn it is: the newest request runs, as long as its client waits and its time lasts. A page
//! that loads does not give way to newer ones: it is left when its client leaves.

use std::io;
use std::net::TcpStream;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

/// Time between two looks at whether the client is still there.
const LOOK: Duration = Duration::from_millis(20);

/// Counts the requests that run the model.
#[derive(Default)]
pub(super) struct Turns(AtomicU64);

/// Why a run was given up.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Halt {
    /// A newer request came.
    Newer,
    /// The client left.
    Gone,
    /// It took longer than it may.
    TooLong,
}

/// The turn of one request, until a newer one takes it.
pub(super) struct Turn<'t> {
    turns: &'t Turns,
    own: u64,
    gives_way: bool,
    client: &'t TcpStream,
    end: Option<Instant>,
    next_look: Instant,
    halt: Option<Halt>,
}

impl Turns {
    /// Takes the turn from whoever gives way.
    pub(super) fn take<'t>(&'t self, client: &'t TcpStream, gives_way: bool) -> Turn<'t> {
        let own = self.0.fetch_add(1, Ordering::Relaxed) + 1;
        Turn { turns: self, own, gives_way, client, end: None, next_look: Instant::now(), halt: None }
    }
}

impl Turn<'_> {
    /// From now on it lasts so long at most.
    pub(super) fn begin(&mut self, time_limit: Duration) {
        // A limit beyond the clock's own is none within a lifetime.
        self.end = Instant::now().checked_add(time_limit);
    }

    /// Whether to go on; false for good once it was.
    pub(super) fn goes_on(&mut self) -> bool {
        if self.halt.is_none() {
            self.halt = self.reason_to_halt();
        }
        self.halt.is_none()
    }

    /// Why not, if not.
    pub(super) fn halt(&self) -> Option<Halt> {
        self.halt
    }

    fn reason_to_halt(&mut self) -> Option<Halt> {
        if self.gives_way && self.turns.0.load(Ordering::Relaxed) != self.own {
            return Some(Halt::Newer);
        }
        let now = Instant::now();
        if self.end.is_some_and(|end| now >= end) {
            return Some(Halt::TooLong);
        }
        if now < self.next_look {
            return None;
        }
        self.next_look = now + LOOK;
        has_left(self.client).then_some(Halt::Gone)
    }
}

/// Whether a client has closed its end, which who waits for an answer does not.
fn has_left(client: &TcpStream) -> bool {
    let looked = client.set_nonblocking(true).and_then(|()| client.peek(&mut [0]));
    let is_there = match looked {
        Ok(bytes) => bytes > 0,
        Err(error) => error.kind() == io::ErrorKind::WouldBlock,
    };
    client.set_nonblocking(false).is_err() || !is_there
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::net::TcpListener;

    #[test]
    fn a_turn_ends_for_three_reasons() {
        let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
        let client = TcpStream::connect(listener.local_addr().expect("its address")).expect("a connection");
        let (stream, _) = listener.accept().expect("a connection");
        let turns = Turns::default();
        let (mut page, mut first) = (turns.take(&stream, false), turns.take(&stream, true));
        assert!(page.goes_on() && first.goes_on());
        let mut second = turns.take(&stream, true);
        assert!(!first.goes_on() && first.halt() == Some(Halt::Newer));
        assert!(page.goes_on());
        second.begin(Duration::MAX);
        assert!(second.goes_on());
        second.begin(Duration::ZERO);
        assert!(!second.goes_on() && second.halt() == Some(Halt::TooLong));
        drop(client);
        let mut third = turns.take(&stream, true);
        let begin = Instant::now();
        while third.goes_on() && begin.elapsed() < Duration::from_secs(10) {
            std::thread::sleep(LOOK);
        }
        assert_eq!(third.halt(), Some(Halt::Gone));
    }
}
