//! Diagnostics as text, in the look of rustc.

use super::group::{self, groups};
use super::source::floor_boundary;
use super::{Diagnostic, Diagnostics, FileId, Quoting, Severity, Sources, Span};
use crate::printable;
use annotate_snippets::{Annotation, AnnotationKind, Group, Level, Renderer, Snippet};
use std::borrow::Cow;
use std::ops::Range;

/// How the text is to look.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Style {
    /// Letters only.
    #[default]
    Plain,
    /// With terminal colours.
    Coloured,
}

/// A file with more mistakes than this is better mended in steps.
const SHOWN: usize = 50;

/// All of `diagnostics` as plain text.
pub fn render(diagnostics: &Diagnostics, sources: &Sources) -> String {
    render_with(diagnostics, sources, Style::Plain)
}

/// All of `diagnostics` as text in the given style; the first fifty if there are more, and of
/// warnings that say the same of several elements the first.
pub fn render_with(diagnostics: &Diagnostics, sources: &Sources, style: Style) -> String {
    let renderer = match style {
        Style::Plain => Renderer::plain(),
        Style::Coloured => Renderer::styled(),
    };
    let groups = groups(diagnostics);
    let mut texts: Vec<String> =
        groups.iter().take(SHOWN).map(|group| renderer.render(&[report(group, sources)])).collect();
    if groups.len() > SHOWN {
        texts.push(format!("… and {} more", groups.len() - SHOWN));
    }
    texts.join("\n\n")
}

/// The chain of uses of assemblies that `diagnostic` is in, as places to show.
fn with_instances(diagnostic: &Diagnostic, sources: &Sources) -> Diagnostic {
    let mut diagnostic = diagnostic.clone();
    let mut place = diagnostic.span;
    while let Some(used) = sources.instance(place) {
        diagnostic.related.push((used, "instantiated here".to_owned()));
        place = used;
    }
    diagnostic
}

fn report<'a>(alike: &group::Group<'_>, sources: &'a Sources) -> Group<'a> {
    let diagnostic = &with_instances(alike.first, sources);
    let level = match diagnostic.severity {
        Severity::Error => Level::ERROR,
        Severity::Warning => Level::WARNING,
        Severity::Note => Level::NOTE,
    };
    let mut group = Group::with_title(
        level.primary_title(printed(&diagnostic.problem.to_string())).id(diagnostic.problem.code()),
    );
    // Places in the same file share a snippet, so that they read top to bottom.
    let mut files = vec![diagnostic.span.file];
    for (span, _) in &diagnostic.related {
        if !files.contains(&span.file) {
            files.push(span.file);
        }
    }
    for file in files {
        if let Some(snippet) = snippet(diagnostic, file, sources) {
            group = group.element(snippet);
        }
    }
    if let Some(help) = diagnostic.problem.help() {
        group = group.element(Level::HELP.message(printed(&help)));
    }
    if let Some(others) = alike.words(sources) {
        group = group.element(Level::NOTE.message(others));
    }
    group
}

fn snippet<'a>(
    diagnostic: &Diagnostic,
    file: FileId,
    sources: &'a Sources,
) -> Option<Snippet<'a, Annotation<'a>>> {
    let source = sources.get(file)?;
    let mut marks: Vec<(Range<usize>, AnnotationKind, Option<String>)> = Vec::new();
    if diagnostic.span.file == file {
        marks.push((range(&source.text, diagnostic.span), AnnotationKind::Primary, None));
    }
    for (span, words) in &diagnostic.related {
        if span.file == file {
            let words = (!words.is_empty()).then(|| printed(words));
            marks.push((range(&source.text, *span), AnnotationKind::Context, words));
        }
    }
    // Only the lines from the first mark to the last are handed over: the renderer
    // reads all it is given, and a model may be megabytes long.
    let first = marks.iter().map(|(range, ..)| range.start).min()?;
    let last = marks.iter().map(|(range, ..)| range.end).max()?;
    let start = source.text[..first].rfind('\n').map_or(0, |newline| newline + 1);
    let end = source.text[last..].find('\n').map_or(source.text.len(), |newline| last + newline);
    let line = source.text[..start].bytes().filter(|byte| *byte == b'\n').count() + 1;
    let shown = match source.quoting {
        Quoting::Lines => printable::masked(&source.text[start..end]),
        Quoting::Marks => {
            Cow::Owned(printable::masked(&masked(&source.text[start..end], start, &marks)).into_owned())
        }
    };
    let mut snippet = Snippet::source(shown).line_start(line).path(printed(&source.name));
    for (range, kind, words) in marks {
        snippet = snippet.annotation(kind.span(range.start - start..range.end - start).label(words));
    }
    Some(snippet)
}

/// Words of ours with names of others in them.
fn printed(text: &str) -> String {
    printable::printable(text).into_owned()
}

/// Text with all but the marked places blank; `start` is its place in the file.
fn masked(text: &str, start: usize, marks: &[(Range<usize>, AnnotationKind, Option<String>)]) -> String {
    let is_marked = |at: usize| marks.iter().any(|(range, ..)| range.contains(&(start + at)));
    let mask = |(at, letter): (usize, char)| {
        let kept = letter == '\n' || is_marked(at);
        // As many bytes as before, so that places stay where they are.
        if kept { letter.to_string() } else { " ".repeat(letter.len_utf8()) }
    };
    text.char_indices().map(mask).collect()
}

/// The bytes of `span` that exist, on character boundaries and on one line.
fn range(text: &str, span: Span) -> Range<usize> {
    let start = floor_boundary(text, span.start as usize);
    let end = floor_boundary(text, span.end as usize).max(start);
    let line_end = text[start..].find('\n').map_or(text.len(), |newline| start + newline);
    start..end.min(line_end)
}
