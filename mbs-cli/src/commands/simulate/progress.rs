//! A line on the terminal that says how far a run has come.

use std::io::{self, IsTerminal, Write};
use std::time::{Duration, Instant};

/// A run shorter than this shows nothing: a line that flashes up helps nobody.
const PATIENCE: Duration = Duration::from_millis(300);

/// Time between two drawings.
const PAUSE: Duration = Duration::from_millis(100);

/// Characters of the bar.
const WIDTH: usize = 30;

/// Draws on standard error if that is a terminal; goes away with the value.
pub(crate) struct Progress {
    start: f64,
    end: f64,
    /// What is counted, and how it is written.
    describe: fn(f64, f64) -> String,
    begin: Instant,
    next: Option<Instant>,
    drawn: bool,
}

impl Progress {
    /// For a run from `start` to `end`, s; shows nothing unless `wanted`.
    pub(super) fn new(start: f64, end: f64, wanted: bool) -> Self {
        Self::with(start, end, |t, end| format!("t = {t:.4} of {end} s"), wanted)
    }

    /// For `total` samples, of which `done` are there already.
    pub(crate) fn of_samples(done: usize, total: usize, wanted: bool) -> Self {
        Self::with(done as f64, total as f64, |done, total| format!("{done} of {total} samples"), wanted)
    }

    fn with(start: f64, end: f64, describe: fn(f64, f64) -> String, wanted: bool) -> Self {
        let begin = Instant::now();
        let next = (wanted && io::stderr().is_terminal()).then(|| begin + PATIENCE);
        Self { start, end, describe, begin, next, drawn: false }
    }

    /// It has come to `t`.
    pub(crate) fn at(&mut self, t: f64) {
        let Some(next) = self.next else { return };
        let now = Instant::now();
        if now < next {
            return;
        }
        self.next = Some(now + PAUSE);
        self.drawn = true;
        // What cannot be drawn is no reason to stop the run.
        let line = line(self.start, self.end, t, &(self.describe)(t, self.end), now - self.begin);
        let _ = write!(io::stderr().lock(), "\r\x1b[K{line}").and_then(|()| io::stderr().flush());
    }
}

impl Drop for Progress {
    fn drop(&mut self) {
        if self.drawn {
            let _ = write!(io::stderr().lock(), "\r\x1b[K").and_then(|()| io::stderr().flush());
        }
    }
}

fn line(start: f64, end: f64, t: f64, text: &str, elapsed: Duration) -> String {
    let part = ((t - start) / (end - start)).clamp(0.0, 1.0);
    let full = (part * WIDTH as f64) as usize;
    let left = if part > 0.01 {
        format!(", {:.0} s left", (elapsed.as_secs_f64() * (1.0 - part) / part).ceil())
    } else {
        String::new()
    };
    let bar = "=".repeat(full) + &" ".repeat(WIDTH - full);
    format!("[{bar}] {:3.0} %  {text}{left}", 100.0 * part)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_line_says_how_far() {
        let text = line(0.0, 2.0, 1.0, "t = 1.0000 of 2 s", Duration::from_secs(3));
        assert_eq!(text, "[===============               ]  50 %  t = 1.0000 of 2 s, 3 s left");
        // Beyond the end by rounding, and before anything happened.
        assert!(line(0.0, 1.0, 1.1, "", Duration::ZERO).contains("100 %"));
        assert!(!line(0.0, 1.0, 0.0, "", Duration::from_secs(1)).contains("left"));
    }
}
