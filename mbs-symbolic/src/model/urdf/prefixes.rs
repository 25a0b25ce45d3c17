//! Prefixes of XML names that no `xmlns` declares, such as `xacro:` left over by a tool.
//!
//! Readers that know no namespaces take `xacro:if` as a name like any other, which means nothing to them.

use super::xml::parse;
use crate::diag::{Diagnostic, Diagnostics, Problem, Severity};
use std::borrow::Cow;

/// How many prefixes are made parts of names; each costs a look at the whole file.
const PREFIXES: usize = 8;

/// `text` with `prefix_name` for each `prefix:name` whose prefix is not declared, every byte in its
/// place, and these prefixes with their `_`; tells each once, as bad as `severity`.
pub(super) fn join<'t>(
    text: &'t str,
    severity: Severity,
    problems: &mut Diagnostics,
) -> (Cow<'t, str>, Vec<String>) {
    let (mut joined, mut prefixes) = (Cow::Borrowed(text), Vec::new());
    for _ in 0..PREFIXES {
        let Err(report) = parse(&joined) else { break };
        let Problem::UrdfPrefix { prefix } = &report.problem else { break };
        let Some(next) = joined_by(&joined, prefix) else { break };
        prefixes.push(format!("{prefix}_"));
        problems.push(Diagnostic { severity, ..*report });
        joined = Cow::Owned(next);
    }
    (joined, prefixes)
}

/// `text` with `_` in place of the colon behind `prefix` in names of elements and attributes; `None`
/// if there is none.
fn joined_by(text: &str, prefix: &str) -> Option<String> {
    let mut joined = String::with_capacity(text.len());
    let mut rest = text;
    let mut found = false;
    while let Some(start) = rest.find('<') {
        joined.push_str(&rest[..start]);
        rest = &rest[start..];
        let opaque = [("<!--", "-->"), ("<![CDATA[", "]]>"), ("<?", "?>")];
        let end = match opaque.iter().find(|(open, _)| rest.starts_with(open)) {
            Some((open, close)) => {
                let end =
                    rest[open.len()..].find(close).map_or(rest.len(), |at| open.len() + at + close.len());
                joined.push_str(&rest[..end]);
                end
            }
            None => {
                let end = tag_length(rest);
                found |= join_tag(&rest[..end], prefix, &mut joined);
                end
            }
        };
        rest = &rest[end..];
    }
    joined.push_str(rest);
    found.then_some(joined)
}

/// The length of the tag `text` begins with; a `>` in quotes does not end it.
fn tag_length(text: &str) -> usize {
    let mut quote = None;
    for (at, letter) in text.char_indices() {
        match (quote, letter) {
            (None, '>') => return at + 1,
            (None, '"' | '\'') => quote = Some(letter),
            (Some(open), letter) if open == letter => quote = None,
            _ => {}
        }
    }
    text.len()
}

/// Copies a tag; whether a name in it was joined.
fn join_tag(tag: &str, prefix: &str, joined: &mut String) -> bool {
    let (mut quote, mut begins_name, mut found) = (None, false, false);
    let mut after_prefix = usize::MAX;
    for (at, letter) in tag.char_indices() {
        if begins_name && tag[at..].strip_prefix(prefix).is_some_and(|rest| rest.starts_with(':')) {
            after_prefix = at + prefix.len();
        }
        let colon = at == after_prefix;
        found |= colon;
        joined.push(if colon { '_' } else { letter });
        match quote {
            Some(open) if open == letter => quote = None,
            None if matches!(letter, '"' | '\'') => quote = Some(letter),
            _ => {}
        }
        begins_name = quote.is_none() && (letter.is_whitespace() || matches!(letter, '<' | '/'));
    }
    found
}

#[cfg(test)]
mod tests {
    use super::join;
    use crate::diag::{Diagnostics, Severity};

    fn check(text: &str, expected: &str, warnings: usize) {
        let mut problems = Diagnostics::new();
        let (joined, _) = join(text, Severity::Warning, &mut problems);
        assert_eq!(joined, expected);
        assert_eq!((joined.len(), problems.len()), (text.len(), warnings));
        assert!(!problems.has_errors());
    }

    #[test]
    fn undeclared_prefixes_become_parts_of_names() {
        check("<r><a:b c:d='a:b'/></r>", "<r><a_b c_d='a:b'/></r>", 2);
        check("<r><a:b></a:b><!-- <a:b> --></r>", "<r><a_b></a_b><!-- <a:b> --></r>", 1);
        check("<r><a:b k='>'>a:b</a:b></r>", "<r><a_b k='>'>a:b</a_b></r>", 1);
    }

    #[test]
    fn declared_prefixes_and_broken_files_stay() {
        for text in ["<r xmlns:a='u'><a:b/></r>", "<r><a:b></r>", "<r a:", "", "<r><![CDATA[<a:b>]]></r>"] {
            let mut problems = Diagnostics::new();
            let (joined, _) = join(text, Severity::Warning, &mut problems);
            assert_eq!(joined.len(), text.len(), "{text}");
        }
        check("<r xmlns:a='u'><a:b/></r>", "<r xmlns:a='u'><a:b/></r>", 0);
    }
}
