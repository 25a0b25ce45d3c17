//! The texts a model was read from.

use super::{FileId, Span};

/// One file: the model, or a table beside it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SourceFile {
    /// As the user wrote it; shown in messages.
    pub name: String,
    /// The whole text.
    pub text: String,
    /// What messages may show of it.
    pub quoting: Quoting,
    /// Known positions, from the first byte on.
    marks: Vec<Mark>,
}

/// A byte whose position is known.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Mark {
    byte: usize,
    at: Position,
}

/// So far apart are marks in a line, in bytes.
const MARK_DISTANCE: usize = 4096;

/// The start of every line, and places within long ones.
fn marks(text: &str) -> Vec<Mark> {
    let mut marks = vec![Mark { byte: 0, at: Position { line: 1, column: 1 } }];
    let (mut line, mut column, mut last) = (1, 1, 0);
    for (byte, letter) in text.char_indices() {
        if byte >= last + MARK_DISTANCE {
            marks.push(Mark { byte, at: Position { line, column } });
            last = byte;
        }
        column += 1;
        if letter == '\n' {
            (line, column, last) = (line + 1, 1, byte + 1);
            marks.push(Mark { byte: last, at: Position { line, column } });
        }
    }
    marks
}

/// What messages show of a file. A table can be any file a model names, also one whose other lines
/// are nobody's business.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Quoting {
    /// The lines around a mistake.
    #[default]
    Lines,
    /// The place of the mistake alone, such as one cell.
    Marks,
}

/// All files a model was read from; the model itself is file 0.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Sources {
    files: Vec<SourceFile>,
    /// Where assemblies are used.
    instances: Vec<Span>,
}

/// A line and column as editors count them, from one; columns count characters.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
#[expect(missing_docs, reason = "said above")]
pub struct Position {
    pub line: usize,
    pub column: usize,
}

impl Sources {
    /// No file yet.
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds a file and returns its id. Past 65 536 files the last id is shared, which
    /// can only misplace a message.
    pub fn add(&mut self, name: impl Into<String>, text: impl Into<String>) -> FileId {
        self.add_quoted(name, text, Quoting::Lines)
    }

    /// Adds a file of which messages show no more than `quoting` allows.
    pub fn add_quoted(
        &mut self,
        name: impl Into<String>,
        text: impl Into<String>,
        quoting: Quoting,
    ) -> FileId {
        let text = text.into();
        self.files.push(SourceFile { name: name.into(), marks: marks(&text), text, quoting });
        FileId(u16::try_from(self.files.len() - 1).unwrap_or(u16::MAX))
    }

    /// Notes a use of an assembly and returns its number for [`Span::instance`].
    pub fn add_instance(&mut self, span: Span) -> u16 {
        self.instances.push(span);
        u16::try_from(self.instances.len()).unwrap_or(u16::MAX)
    }

    /// Where the assembly that `span` is a part of is used; `None` outside assemblies.
    pub fn instance(&self, span: Span) -> Option<Span> {
        self.instances.get(usize::from(span.instance).checked_sub(1)?).copied()
    }

    /// The file, if it was added.
    pub fn get(&self, file: FileId) -> Option<&SourceFile> {
        self.files.get(usize::from(file.0))
    }

    /// All files in the order they were read.
    pub fn files(&self) -> &[SourceFile] {
        &self.files
    }

    /// The name of a file, for messages.
    pub fn name(&self, file: FileId) -> &str {
        self.get(file).map_or("", |file| &file.name)
    }

    /// The text of `span`; empty if it lies outside its file.
    pub fn slice(&self, span: Span) -> &str {
        self.get(span.file)
            .and_then(|file| file.text.get(span.start as usize..span.end as usize))
            .unwrap_or("")
    }

    /// Line and column of the first byte of `span`.
    pub fn position(&self, span: Span) -> Position {
        let Some(file) = self.get(span.file) else { return Position { line: 1, column: 1 } };
        let start = floor_boundary(&file.text, span.start as usize);
        let after = file.marks.partition_point(|mark| mark.byte <= start);
        let Mark { byte, at } = file.marks[after - 1];
        Position { column: at.column + file.text[byte..start].chars().count(), ..at }
    }
}

/// The largest character boundary of `text` not past `at`.
pub(super) fn floor_boundary(text: &str, at: usize) -> usize {
    let mut at = at.min(text.len());
    while !text.is_char_boundary(at) {
        at -= 1;
    }
    at
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_count_characters() {
        let mut sources = Sources::new();
        let file = sources.add("a.yaml", "one\nµµ two\n");
        let at = sources.position(Span { file, start: 9, end: 12, instance: 0 });
        assert_eq!(at, Position { line: 2, column: 4 });
        assert_eq!(sources.slice(Span { file, start: 9, end: 12, instance: 0 }), "two");
    }

    #[test]
    fn positions_are_found_in_long_lines_too() {
        let text = format!("µ\n{}\r\n\nlast", "aµb ".repeat(5000));
        let mut sources = Sources::new();
        let file = sources.add("a.yaml", text.as_str());
        let (mut line, mut column) = (1, 1);
        for (byte, letter) in text.char_indices() {
            let at = sources.position(Span { file, start: byte as u32, end: byte as u32, instance: 0 });
            assert_eq!(at, Position { line, column }, "byte {byte}");
            (line, column) = if letter == '\n' { (line + 1, 1) } else { (line, column + 1) };
        }
    }

    #[test]
    fn places_outside_the_file_do_no_harm() {
        let mut sources = Sources::new();
        let file = sources.add("a.yaml", "µ");
        assert_eq!(sources.position(Span { file, start: 1, end: 99, instance: 0 }).column, 1);
        assert_eq!(sources.slice(Span { file: FileId(7), start: 0, end: 1, instance: 0 }), "");
    }
}
