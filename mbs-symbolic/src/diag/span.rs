//! Places in source text.

/// One of the files a model was read from; the model file itself is 0.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub struct FileId(pub u16);

/// A range of bytes in a source file.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub struct Span {
    /// The file.
    pub file: FileId,
    /// Offset of the first byte.
    pub start: u32,
    /// Offset past the last byte.
    pub end: u32,
    /// Which use of an assembly it stands for: [`Sources::instance`](super::Sources::instance);
    /// 0 outside assemblies.
    pub instance: u16,
}

impl Span {
    /// The `length` bytes that begin `offset` bytes after this span's start.
    pub fn part(self, offset: usize, length: usize) -> Self {
        let clamp = |at: usize| u32::try_from(at).unwrap_or(u32::MAX);
        let start = self.start.saturating_add(clamp(offset));
        Self { start, end: start.saturating_add(clamp(length)), ..self }
    }

    /// The same place in the text, whichever use of an assembly is meant.
    #[must_use]
    pub fn in_text(self) -> Self {
        Self { instance: 0, ..self }
    }

    /// From the start of this span to the end of `other`.
    pub fn to(self, other: Self) -> Self {
        Self { start: self.start.min(other.start), end: self.end.max(other.end), ..self }
    }
}
