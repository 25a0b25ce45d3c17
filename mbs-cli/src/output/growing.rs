//! A file that is written while a command works.

use super::{Content, Target, is_standard_output, neighbour, target, unwritable, write, write_content};
use crate::report::{self, Failure};
use std::fs::{self, File, OpenOptions};
use std::io::{self, Write};
use std::mem;
use std::path::{Path, PathBuf};

/// So many bytes wait before they are written.
const BUFFER_BYTES: usize = 1 << 16;

/// A file that grows without a name and gets it when it is complete, so that a command that fails
/// or is ended leaves nothing behind. What goes to a device or a pipe goes there at once.
pub(crate) struct Growing {
    path: PathBuf,
    buffer: Vec<u8>,
    sink: Sink,
}

/// Where the bytes go that are not in the buffer.
enum Sink {
    /// There are none yet.
    Unopened,
    /// A file without a name on the disk of its place.
    Nameless(File),
    Stream(File),
    StandardOutput,
}

impl Growing {
    /// Nothing is opened before there is something to write: a pipe waits for its reader.
    pub(crate) fn new(path: &Path) -> Self {
        Self { path: path.to_owned(), buffer: Vec::new(), sink: Sink::Unopened }
    }

    /// Appends bytes.
    pub(crate) fn append(&mut self, bytes: &[u8]) -> Result<(), Failure> {
        self.buffer.extend_from_slice(bytes);
        if self.buffer.len() < BUFFER_BYTES { Ok(()) } else { self.flush() }
    }

    /// Gives the file its name.
    pub(crate) fn finish(mut self) -> Result<(), Failure> {
        if matches!(self.sink, Sink::Unopened) {
            return write(&self.buffer, &self.path);
        }
        self.flush()?;
        match self.sink {
            Sink::Nameless(file) => write_content(Content::File(&file), &self.path),
            Sink::Unopened | Sink::Stream(_) | Sink::StandardOutput => Ok(()),
        }
    }

    fn flush(&mut self) -> Result<(), Failure> {
        let bytes = mem::take(&mut self.buffer);
        if matches!(self.sink, Sink::Unopened) {
            self.sink = self.open().map_err(|error| unwritable(&error, &self.path))?;
        }
        match &mut self.sink {
            Sink::Nameless(file) | Sink::Stream(file) => {
                file.write_all(&bytes).map_err(|error| unwritable(&error, &self.path))
            }
            Sink::StandardOutput | Sink::Unopened => report::print_bytes(&bytes),
        }
    }

    fn open(&self) -> io::Result<Sink> {
        if is_standard_output(&self.path) {
            return Ok(Sink::StandardOutput);
        }
        match target(&self.path) {
            Target::New(path) | Target::File(path, _) => nameless(&path).map(Sink::Nameless),
            Target::Stream => File::create(&self.path).map(Sink::Stream),
        }
    }
}

/// A file beside `path` that goes away when it is closed.
fn nameless(path: &Path) -> io::Result<File> {
    let neighbour = neighbour(path);
    let file = OpenOptions::new().read(true).write(true).create(true).truncate(true).open(&neighbour)?;
    fs::remove_file(&neighbour)?;
    Ok(file)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_has_its_name_when_it_is_complete() {
        let folder = std::env::temp_dir().join(format!("mbs-growing-{}", std::process::id()));
        fs::create_dir_all(&folder).expect("a folder");
        let path = folder.join("table.csv");
        let line = [b'x'; 1000];
        for lines in [1, 200] {
            fs::write(&path, "old").expect("a file");
            let mut growing = Growing::new(&path);
            for _ in 0..lines {
                growing.append(&line).expect("room");
            }
            let files = fs::read_dir(&folder).expect("the folder").count();
            assert_eq!((files, fs::read(&path).expect("the file")), (1, b"old".to_vec()));
            growing.finish().expect("room");
            assert_eq!(fs::read(&path).expect("the file"), line.repeat(lines));
            assert_eq!(fs::read_dir(&folder).expect("the folder").count(), 1);
        }
        fs::remove_dir_all(folder).expect("the folder is there");
    }
}
