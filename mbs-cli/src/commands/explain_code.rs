//! `mbs explain-code`: what a code means, at length.

use crate::arguments::ExplainCodeOptions;
use crate::report::{self, Failure};
use mbs_symbolic::diag::{explanations, sections};
use mbs_symbolic::model::nearest;
use std::fmt::Write;

/// Codes of this command and of runs, in the form of those of the compiler.
const OWN: &str = include_str!("../explanations.md");

/// Families of codes, in the order of the reference.
const FAMILIES: [(char, &str); 12] = [
    ('Y', "Reading YAML"),
    ('X', "Reading URDF"),
    ('S', "Schema: keys and shapes"),
    ('N', "Names"),
    ('F', "Formulas"),
    ('U', "Units"),
    ('P', "Physics, tables, scenarios"),
    ('L', "Limits"),
    ('T', "Topology"),
    ('E', "Equations"),
    ('R', "Runs"),
    ('C', "The command"),
];

struct Entry {
    code: String,
    message: String,
    text: String,
    wrong: String,
    right: String,
}

fn entries() -> Vec<Entry> {
    let compiler = explanations().into_iter().map(|explanation| Entry {
        code: explanation.code.to_owned(),
        message: explanation.message,
        text: explanation.text.to_owned(),
        wrong: explanation.wrong.to_owned(),
        right: explanation.right.to_owned(),
    });
    let own = sections(OWN).map(|(title, text)| {
        let (code, message) = title.split_once(' ').unwrap_or((title, ""));
        Entry {
            code: code.to_owned(),
            message: message.to_owned(),
            text: text.to_owned(),
            wrong: String::new(),
            right: String::new(),
        }
    });
    compiler.chain(own).collect()
}

pub(crate) fn run(options: &ExplainCodeOptions) -> Result<(), Failure> {
    let entries = entries();
    if options.all {
        return report::print(&reference(&entries));
    }
    let Some(asked) = &options.code else { return report::print(&list(&entries)) };
    // `n1`, `N001` and `MBS-N001` mean the same.
    let short = asked.to_uppercase();
    let short = short.strip_prefix("MBS-").unwrap_or(&short);
    let digits =
        short.get(1..).filter(|digits| !digits.is_empty() && digits.bytes().all(|b| b.is_ascii_digit()));
    let code = match digits {
        Some(digits) => format!("MBS-{}{digits:0>3}", &short[..1]),
        None => format!("MBS-{short}"),
    };
    match entries.iter().find(|entry| entry.code == code) {
        Some(entry) => report::print(&page(entry)),
        None => {
            let failure = Failure::new("MBS-C050", format!("there is no code `{asked}`"));
            let known = entries.iter().map(|entry| entry.code.as_str());
            Err(match nearest(&code, known) {
                Some(near) => failure.help(format!("did you mean `{near}`?")),
                None => failure.help("`mbs explain-code` lists all codes"),
            })
        }
    }
}

/// One code on a terminal.
fn page(entry: &Entry) -> String {
    let mut out = format!("{}: {}\n\n", entry.code, entry.message);
    for line in entry.text.lines() {
        let _ = writeln!(out, "{}", format!("  {line}").trim_end());
    }
    for (title, example) in [("Wrong:", &entry.wrong), ("Right:", &entry.right)] {
        if !example.is_empty() {
            let _ = writeln!(out, "\n  {title}\n");
            for line in example.lines() {
                let _ = writeln!(out, "      {line}");
            }
        }
    }
    out
}

/// All codes, one line each.
fn list(entries: &[Entry]) -> String {
    let mut out = String::new();
    for (family, title) in FAMILIES {
        let _ = writeln!(out, "{}{title}", if out.is_empty() { "" } else { "\n" });
        for entry in of_family(entries, family) {
            let _ = writeln!(out, "  {}  {}", entry.code, entry.message);
        }
    }
    out
}

/// All codes as the page docs/errors.md.
fn reference(entries: &[Entry]) -> String {
    let mut out = String::from(
        "# Codes of errors and warnings\n\n\
         What `mbs` says about a model, a run or its own command carries a stable code. `mbs explain-code MBS-N001` prints\n\
         the section of one. Examples show only the sections of a model that matter; the rest is\n\n\
         ```yaml\n\
         model: example\n\
         bodies: {arm: {mass: 1, inertia: {xx: 1, yy: 1, zz: 1}}}\n\
         joints: {hinge: {type: revolute, from: ground, to: arm, axis: y}}\n\
         ```\n\n\
         A test compiles each of them: the wrong one gives its code and no other, the right one none.\n\
         This page is written by `mbs explain-code --all > docs/errors.md`.\n",
    );
    for (family, title) in FAMILIES {
        let _ = writeln!(out, "\n## {title}");
        for entry in of_family(entries, family) {
            let _ = writeln!(out, "\n### {}\n\n*{}*\n\n{}", entry.code, entry.message, entry.text);
            for (title, example) in [("wrong", &entry.wrong), ("right", &entry.right)] {
                if !example.is_empty() {
                    let _ = match example.starts_with('<') {
                        true => writeln!(out, "\n```xml\n<!-- {title} -->\n{example}```"),
                        false => writeln!(out, "\n```yaml\n# {title}\n{example}```"),
                    };
                }
            }
        }
    }
    out
}

fn of_family(entries: &[Entry], family: char) -> impl Iterator<Item = &Entry> {
    entries.iter().filter(move |entry| entry.code.starts_with(&format!("MBS-{family}")))
}
