//! One report, and the list of them.

use super::{Problem, Span};

/// How bad it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Severity {
    /// There will be no equations.
    Error,
    /// There will be equations, perhaps not the intended ones.
    Warning,
    /// Worth knowing, and probably meant.
    Note,
}

/// A problem at a place.
#[derive(Debug, Clone, PartialEq)]
pub struct Diagnostic {
    /// What is wrong.
    pub problem: Problem,
    /// How bad it is.
    pub severity: Severity,
    /// Where.
    pub span: Span,
    /// Other places that matter, each with a few words.
    pub related: Vec<(Span, String)>,
}

impl Diagnostic {
    /// An error at `span`.
    pub fn error(span: Span, problem: Problem) -> Self {
        Self { problem, severity: Severity::Error, span, related: Vec::new() }
    }

    /// A warning at `span`.
    pub fn warning(span: Span, problem: Problem) -> Self {
        Self { severity: Severity::Warning, ..Self::error(span, problem) }
    }

    /// A note at `span`.
    pub fn note(span: Span, problem: Problem) -> Self {
        Self { severity: Severity::Note, ..Self::error(span, problem) }
    }

    /// Whether it says the same of the same text.
    fn repeats(&self, other: &Self) -> bool {
        self.span.in_text() == other.span.in_text()
            && self.severity == other.severity
            && self.problem == other.problem
            && self.related.len() == other.related.len()
            && (self.related.iter().zip(&other.related))
                .all(|(a, b)| a.0.in_text() == b.0.in_text() && a.1 == b.1)
    }

    /// The same with another place that matters.
    #[must_use]
    pub fn with(mut self, span: Span, words: impl Into<String>) -> Self {
        self.related.push((span, words.into()));
        self
    }
}

/// Everything a stage found, in the order of the source.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Diagnostics {
    list: Vec<Diagnostic>,
}

impl Diagnostics {
    /// Nothing found yet.
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds a report.
    pub fn push(&mut self, diagnostic: Diagnostic) {
        self.list.push(diagnostic);
    }

    /// Adds an error at `span`.
    pub fn error(&mut self, span: Span, problem: Problem) {
        self.push(Diagnostic::error(span, problem));
    }

    /// Adds a warning at `span`.
    pub fn warning(&mut self, span: Span, problem: Problem) {
        self.push(Diagnostic::warning(span, problem));
    }

    /// Adds all of `other`.
    pub fn append(&mut self, mut other: Diagnostics) {
        self.list.append(&mut other.list);
    }

    /// Whether there is an error among them.
    pub fn has_errors(&self) -> bool {
        self.list.iter().any(|diagnostic| diagnostic.severity == Severity::Error)
    }

    /// What is at least as bad as `severity`.
    #[must_use]
    pub fn from_severity(&self, severity: Severity) -> Self {
        Self { list: self.list.iter().filter(|found| found.severity <= severity).cloned().collect() }
    }

    /// Whether nothing was found.
    pub fn is_empty(&self) -> bool {
        self.list.is_empty()
    }

    /// How many were found.
    pub fn len(&self) -> usize {
        self.list.len()
    }

    /// All of them; sorted by place after [`Diagnostics::sort`].
    pub fn iter(&self) -> std::slice::Iter<'_, Diagnostic> {
        self.list.iter()
    }

    /// Orders them by place and drops repetitions: a mistake in an assembly is one mistake,
    /// however often the assembly is used.
    pub fn sort(&mut self) {
        self.list.sort_by_key(|diagnostic| (diagnostic.span, diagnostic.severity));
        self.list.dedup_by(|later, first| later.repeats(first));
    }
}

impl<'a> IntoIterator for &'a Diagnostics {
    type Item = &'a Diagnostic;
    type IntoIter = std::slice::Iter<'a, Diagnostic>;
    fn into_iter(self) -> Self::IntoIter {
        self.list.iter()
    }
}

impl From<Diagnostic> for Diagnostics {
    fn from(diagnostic: Diagnostic) -> Self {
        Self { list: vec![diagnostic] }
    }
}
