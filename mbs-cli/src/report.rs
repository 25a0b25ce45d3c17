//! What reaches the terminal: results on standard output, problems on standard error.

use mbs_symbolic::diag::{self, Diagnostics, Severity, Sources, Style};
use mbs_symbolic::printable;
use serde_json::{Map, Value, json};
use std::borrow::Cow;
use std::io::{self, ErrorKind, IsTerminal, Write};
use std::ops::Range;
use std::path::Path;

/// Version of every JSON object this command prints.
pub(crate) const SCHEMA_VERSION: u32 = 1;

/// The code of a standard output that cannot be written.
const OUTPUT: &str = "MBS-C003";

/// Why a command did not succeed.
#[derive(Debug)]
pub(crate) enum Failure {
    /// The model is wrong.
    Model {
        /// What is wrong with it.
        diagnostics: Diagnostics,
        /// The texts it was read from.
        sources: Sources,
    },
    /// Something outside the model is wrong.
    Problem(Problem),
    /// Nobody reads our output any more.
    Closed,
    /// The answer itself says what failed; only the exit code is left.
    Reported {
        /// The exit code.
        exit_code: u8,
    },
}

/// A problem that has no place in the model: files, states, requests.
#[derive(Debug)]
pub(crate) struct Problem {
    /// Stable, as those of the compiler; C is the command's own family.
    pub(crate) code: &'static str,
    /// What is wrong.
    pub(crate) message: String,
    /// The file it is about.
    pub(crate) file: Option<String>,
    /// Line and column in it.
    pub(crate) place: Option<(usize, usize)>,
    /// The argument of the command line it is about.
    pub(crate) argument: Option<Box<Argument>>,
    /// What to do; `None` if that would be guessing.
    pub(crate) help: Option<String>,
}

/// An argument of the command line as it was given.
#[derive(Debug)]
pub(crate) struct Argument {
    text: String,
    /// The bytes that are wrong.
    wrong: Range<usize>,
}

impl Failure {
    /// A problem outside the model.
    pub(crate) fn new(code: &'static str, message: impl Into<String>) -> Self {
        Self::Problem(Problem {
            code,
            message: message.into(),
            file: None,
            place: None,
            argument: None,
            help: None,
        })
    }

    /// The same, about a file.
    pub(crate) fn about(mut self, path: &Path) -> Self {
        if let Self::Problem(problem) = &mut self {
            problem.file = Some(path.display().to_string());
        }
        self
    }

    /// The same, at a line and column of its file.
    pub(crate) fn at(mut self, place: Option<(usize, usize)>) -> Self {
        if let Self::Problem(problem) = &mut self {
            problem.place = place;
        }
        self
    }

    /// The same, about an argument of the command line: the value of an option, if it has a name.
    pub(crate) fn argument(mut self, option: &str, value: &str, wrong: Range<usize>) -> Self {
        if let Self::Problem(problem) = &mut self {
            let before = if option.is_empty() { String::new() } else { format!("{option} ") };
            let wrong = before.len() + wrong.start..before.len() + wrong.end;
            problem.argument = Some(Box::new(Argument { text: before + value, wrong }));
        }
        self
    }

    /// The same, with help.
    pub(crate) fn help(mut self, text: impl Into<String>) -> Self {
        if let Self::Problem(problem) = &mut self {
            problem.help = Some(text.into());
        }
        self
    }
}

impl Failure {
    /// Whether it is that standard output cannot be written.
    fn is_of_output(&self) -> bool {
        matches!(self, Self::Problem(problem) if problem.code == OUTPUT)
    }

    /// The failure in words, without colours.
    pub(crate) fn text(&self) -> String {
        match self {
            Self::Closed | Self::Reported { .. } => String::new(),
            Self::Model { diagnostics, sources } => diag::render_with(diagnostics, sources, Style::Plain),
            Self::Problem(problem) => problem.render(),
        }
    }
}

/// Writes text for people to standard output; names and descriptions in it may be anything.
pub(crate) fn print(text: &str) -> Result<(), Failure> {
    print_bytes(printable(text).as_bytes())
}

/// Writes what programs read to standard output.
pub(crate) fn print_bytes(bytes: &[u8]) -> Result<(), Failure> {
    let mut out = io::stdout().lock();
    match out.write_all(bytes).and_then(|()| out.flush()) {
        Ok(()) => Ok(()),
        Err(error) if error.kind() == ErrorKind::BrokenPipe => Err(Failure::Closed),
        Err(error) => Err(Failure::new(OUTPUT, format!("cannot write to standard output: {error}"))),
    }
}

/// Prints one JSON object, `schema_version` first.
pub(crate) fn print_json(object: Map<String, Value>) -> Result<(), Failure> {
    let mut whole = Map::new();
    whole.insert("schema_version".to_owned(), json!(SCHEMA_VERSION));
    whole.extend(object);
    let text = format!("{:#}\n", Value::Object(whole));
    print_bytes(in_json(&text).as_bytes())
}

/// JSON without letters that a terminal acts on; those below U+0020 it has escaped already.
fn in_json(text: &str) -> Cow<'_, str> {
    match printable(text) {
        Cow::Borrowed(text) => Cow::Borrowed(text),
        Cow::Owned(_) => {
            let escaped = |letter: char| match printable(letter.encode_utf8(&mut [0; 4])) {
                Cow::Borrowed(_) => letter.to_string(),
                Cow::Owned(_) => format!("\\u{:04x}", u32::from(letter)),
            };
            Cow::Owned(text.chars().map(escaped).collect())
        }
    }
}

/// Prints warnings, but not notes, which `mbs check` and `mbs import` are for.
pub(crate) fn print_warnings(diagnostics: &Diagnostics, sources: &Sources) {
    print_diagnostics(&diagnostics.from_severity(Severity::Warning), sources);
}

/// Prints warnings and notes, or errors beside which the command still goes on.
pub(crate) fn print_diagnostics(diagnostics: &Diagnostics, sources: &Sources) {
    if !diagnostics.is_empty() {
        print_error(&diag::render_with(diagnostics, sources, style()));
    }
}

/// Says why a command failed: for people on standard error, with `--json` as one
/// object on standard output.
pub(crate) fn print_failure(failure: &Failure, json: bool) {
    if json {
        let mut object = Map::new();
        object.insert("ok".to_owned(), json!(false));
        object.insert("diagnostics".to_owned(), failure_json(failure));
        match print_json(object) {
            Ok(()) | Err(Failure::Closed) => return,
            // What cannot be said there is said here.
            Err(unprintable) if !failure.is_of_output() => print_failure(&unprintable, false),
            Err(_) => {}
        }
    }
    match failure {
        Failure::Closed | Failure::Reported { .. } => {}
        Failure::Model { diagnostics, sources } => print_diagnostics(diagnostics, sources),
        Failure::Problem(problem) => print_error(&problem.render()),
    }
}

/// Prints a warning that has no place in the model.
pub(crate) fn print_warning(text: &str) {
    print_error(&format!("warning: {}", printable(text)));
}

fn print_error(text: &str) {
    // Standard error may be closed too; then there is nobody to tell.
    let _ = writeln!(io::stderr().lock(), "{text}");
}

fn style() -> Style {
    let wanted =
        io::stderr().is_terminal() && std::env::var_os("NO_COLOR").is_none_or(|value| value.is_empty());
    if wanted { Style::Coloured } else { Style::Plain }
}

fn failure_json(failure: &Failure) -> Value {
    match failure {
        Failure::Closed | Failure::Reported { .. } => json!([]),
        Failure::Model { diagnostics, sources } => diagnostics_json(diagnostics, sources),
        Failure::Problem(problem) => json!([{
            "code": problem.code,
            "severity": "error",
            "file": problem.file,
            "line": problem.place.map(|(line, _)| line),
            "column": problem.place.map(|(_, column)| column),
            "argument": problem.argument.as_ref().map(|argument| &argument.text),
            "message": problem.message,
            "help": problem.help,
        }]),
    }
}

/// The list `diagnostics` of the JSON answers.
pub(crate) fn diagnostics_json(diagnostics: &Diagnostics, sources: &Sources) -> Value {
    let list = diagnostics.iter().map(|diagnostic| {
        let position = sources.position(diagnostic.span);
        json!({
            "code": diagnostic.problem.code(),
            "severity": match diagnostic.severity {
                Severity::Error => "error",
                Severity::Warning => "warning",
                Severity::Note => "note",
            },
            "file": sources.name(diagnostic.span.file),
            "line": position.line,
            "column": position.column,
            "message": diagnostic.problem.to_string(),
            "help": diagnostic.problem.help(),
            "related": diagnostic.related.iter().map(|(span, words)| {
                let position = sources.position(*span);
                json!({
                    "file": sources.name(span.file),
                    "line": position.line,
                    "column": position.column,
                    "message": words,
                })
            }).collect::<Value>(),
        })
    });
    list.collect()
}

impl Problem {
    fn render(&self) -> String {
        let mut text = format!("error[{}]: {}", self.code, self.message);
        if let Some(file) = &self.file {
            text += &format!("\n  --> {file}");
            if let Some((line, column)) = self.place {
                text += &format!(":{line}:{column}");
            }
        }
        if let Some(argument) = &self.argument {
            let Argument { text: argument, wrong } = &**argument;
            let width = |range: Range<usize>| argument.get(range).map_or(0, |part| part.chars().count());
            let (before, marks) =
                (" ".repeat(width(0..wrong.start)), "^".repeat(width(wrong.clone()).max(1)));
            text += &format!("\n  --> command line\n  |\n  | {argument}\n  | {before}{marks}");
        }
        if let Some(help) = &self.help {
            text += &format!("\n  = help: {help}");
        }
        printable(&text).into_owned()
    }
}
