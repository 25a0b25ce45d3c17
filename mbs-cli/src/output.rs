//! Writing files: never over what a command reads, and never half a file.

mod growing;

use crate::report::{self, Failure};
pub(crate) use growing::Growing;
use std::fs::{self, File, Metadata, OpenOptions};
use std::io::{self, Seek, Write};
use std::path::{Path, PathBuf};

/// Refuses outputs that cannot be written, that are one and the same file, or that would replace
/// a file the command reads. Called before the work begins.
pub(crate) fn check<'p>(
    outputs: impl IntoIterator<Item = &'p Path>,
    inputs: &[PathBuf],
) -> Result<(), Failure> {
    let mut earlier: Vec<&Path> = Vec::new();
    for output in outputs {
        if let Some(input) = inputs.iter().find(|input| is_same_file(output, input)) {
            let failure =
                Failure::new("MBS-C013", format!("this would replace {}, which is read", input.display()));
            return Err(failure.about(output).help("choose another name for the output"));
        }
        if let Some(other) = earlier.iter().find(|other| is_same_file(output, other)) {
            let message = format!("{} and this are one file", other.display());
            return Err(Failure::new("MBS-C013", message)
                .about(output)
                .help("choose another name for one of them"));
        }
        try_writing(output).map_err(|error| unwritable(&error, output))?;
        earlier.push(output);
    }
    Ok(())
}

/// Writes text to `path`, or to standard output.
pub(crate) fn deliver(text: &str, path: Option<&Path>) -> Result<(), Failure> {
    match path {
        Some(path) => write(text.as_bytes(), path),
        None => report::print_bytes(text.as_bytes()),
    }
}

/// Writes a file, which is complete or as it was: the bytes go to a neighbour first, which then
/// takes its name and keeps its mode. A link stays, and what it leads to is written. Devices and
/// pipes are written to, and so is a file with further names, which would lose them.
pub(crate) fn write(bytes: &[u8], path: &Path) -> Result<(), Failure> {
    if is_standard_output(path) {
        return report::print_bytes(bytes);
    }
    write_content(Content::Bytes(bytes), path)
}

fn write_content(content: Content<'_>, path: &Path) -> Result<(), Failure> {
    let written = match target(path) {
        Target::New(path) => replace(content, &path, None),
        Target::File(path, metadata) if has_one_name(&metadata) => replace(content, &path, Some(&metadata)),
        Target::File(path, _) => rewrite(content, &path),
        Target::Stream => File::create(path).and_then(|mut file| content.copy_to(&mut file)),
    };
    written.map_err(|error| unwritable(&error, path))
}

/// What goes into a file.
#[derive(Clone, Copy)]
enum Content<'c> {
    Bytes(&'c [u8]),
    /// What another file holds.
    File(&'c File),
}

impl Content<'_> {
    fn copy_to(self, file: &mut File) -> io::Result<()> {
        match self {
            Self::Bytes(bytes) => file.write_all(bytes),
            Self::File(mut from) => {
                from.rewind()?;
                io::copy(&mut from, file).map(drop)
            }
        }
    }
}

/// A file cannot be written.
pub(crate) fn unwritable(error: &io::Error, path: &Path) -> Failure {
    Failure::new("MBS-C002", format!("cannot write the file: {error}")).about(path)
}

/// `out.csv` → `out.csv.partial`
pub(crate) fn beside(path: &Path, ending: &str) -> PathBuf {
    let mut name = path.as_os_str().to_owned();
    name.push(ending);
    PathBuf::from(name)
}

/// What stands where a file is to be written, links followed.
enum Target {
    New(PathBuf),
    File(PathBuf, Metadata),
    Stream,
}

fn target(path: &Path) -> Target {
    match fs::metadata(path) {
        Ok(metadata) if metadata.is_file() => {
            Target::File(fs::canonicalize(path).unwrap_or_else(|_| path.to_owned()), metadata)
        }
        Ok(_) => Target::Stream,
        Err(_) => match followed(path) {
            // A link that leads nowhere makes the file it names; one in a circle cannot be opened.
            path if path.is_symlink() => Target::Stream,
            path => Target::New(path),
        },
    }
}

/// So many links in a row are a circle, as systems take it.
const MAX_LINKS: usize = 40;

/// Where the links of a name lead, whether there is something or not.
fn followed(path: &Path) -> PathBuf {
    let mut path = path.to_owned();
    for _ in 0..MAX_LINKS {
        let Ok(next) = fs::read_link(&path) else { break };
        path = path.parent().unwrap_or(Path::new("")).join(next);
    }
    path
}

/// Names of this process's own standard output, which a run also prints to.
fn is_standard_output(path: &Path) -> bool {
    ["/dev/stdout", "/dev/fd/1", "/proc/self/fd/1"].iter().any(|name| path == Path::new(name))
}

fn neighbour(path: &Path) -> PathBuf {
    beside(path, &format!(".{}.tmp", std::process::id()))
}

fn replace(content: Content<'_>, path: &Path, before: Option<&Metadata>) -> io::Result<()> {
    let neighbour = neighbour(path);
    let written = write_whole(content, &neighbour)
        .and_then(|()| before.map_or(Ok(()), |before| fs::set_permissions(&neighbour, before.permissions())))
        .and_then(|()| fs::rename(&neighbour, path));
    if written.is_err() {
        // The first error is the one to report; a leftover is all there is to lose.
        let _ = fs::remove_file(&neighbour);
    }
    written
}

/// Writes over a file in place. Should that be cut off, a whole copy stands beside it.
fn rewrite(content: Content<'_>, path: &Path) -> io::Result<()> {
    let neighbour = neighbour(path);
    if let Err(error) = write_whole(content, &neighbour) {
        let _ = fs::remove_file(&neighbour);
        return Err(error);
    }
    write_whole(content, path).map_err(|error| {
        io::Error::new(error.kind(), format!("{error}; the whole text is in {}", neighbour.display()))
    })?;
    fs::remove_file(&neighbour)
}

fn write_whole(content: Content<'_>, path: &Path) -> io::Result<()> {
    let mut file = File::create(path)?;
    content.copy_to(&mut file)?;
    file.sync_all()
}

/// Whether writing would be allowed, found out by doing what it begins with.
fn try_writing(path: &Path) -> io::Result<()> {
    if is_standard_output(path) {
        return Ok(());
    }
    match target(path) {
        Target::File(path, _) => {
            OpenOptions::new().write(true).open(&path)?;
            try_neighbour(&path)
        }
        Target::New(path) => try_neighbour(&path),
        Target::Stream if path.is_dir() => Err(io::Error::from(io::ErrorKind::IsADirectory)),
        // Opening a pipe would wait for its reader.
        Target::Stream => Ok(()),
    }
}

fn try_neighbour(path: &Path) -> io::Result<()> {
    let neighbour = neighbour(path);
    File::create(&neighbour)?;
    fs::remove_file(neighbour)
}

/// Whether two names are of one file; of files not yet there, whether they would be.
fn is_same_file(a: &Path, b: &Path) -> bool {
    match (fs::metadata(a), fs::metadata(b)) {
        (Ok(x), Ok(y)) if x.is_file() && y.is_file() => is_same(&x, &y, a, b),
        (Err(_), Err(_)) => {
            let (a, b) = (followed(a), followed(b));
            place(&a).is_some_and(|place_of_a| Some(place_of_a) == place(&b))
        }
        _ => false,
    }
}

/// Directory and name of a file that may not be there.
fn place(path: &Path) -> Option<(PathBuf, &std::ffi::OsStr)> {
    let directory = path.parent().filter(|directory| *directory != Path::new(""));
    let directory = fs::canonicalize(directory.unwrap_or(Path::new("."))).ok()?;
    Some((directory, path.file_name()?))
}

#[cfg(unix)]
fn is_same(x: &Metadata, y: &Metadata, _: &Path, _: &Path) -> bool {
    use std::os::unix::fs::MetadataExt;
    (x.dev(), x.ino()) == (y.dev(), y.ino())
}

#[cfg(not(unix))]
fn is_same(_: &Metadata, _: &Metadata, a: &Path, b: &Path) -> bool {
    fs::canonicalize(a).is_ok_and(|a| fs::canonicalize(b).is_ok_and(|b| a == b))
}

#[cfg(unix)]
fn has_one_name(metadata: &Metadata) -> bool {
    std::os::unix::fs::MetadataExt::nlink(metadata) <= 1
}

#[cfg(not(unix))]
fn has_one_name(_: &Metadata) -> bool {
    true
}
