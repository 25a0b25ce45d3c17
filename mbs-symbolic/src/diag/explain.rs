//! What a code means, at length.
//!
//! The texts are in `explanations.md`, one section for each code: prose, and where a few
//! lines can show it a wrong example and the same mended. Examples show only the sections
//! that matter; [`Explanation::complete`] adds the rest of a small model.

use super::problem::ALL;

/// What a code means and how to mend what it complains about.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Explanation {
    /// The code, such as `MBS-N001`.
    pub code: &'static str,
    /// The message, with … where it names something of the model.
    pub message: String,
    /// What it means: paragraphs in Markdown.
    pub text: &'static str,
    /// The least that is wrong in this way; empty if nothing short is.
    pub wrong: &'static str,
    /// The same mended.
    pub right: &'static str,
}

const TEXTS: &str = include_str!("explanations.md");

/// A mechanism that is right, for examples that show only a part of one.
const REST: [(&str, &str); 3] = [
    ("model", "model: example\n"),
    ("bodies", "bodies: {arm: {mass: 1, inertia: {xx: 1, yy: 1, zz: 1}}}\n"),
    ("joints", "joints: {hinge: {type: revolute, from: ground, to: arm, axis: y}}\n"),
];

/// Explanations of all codes of the compiler, in the order of the codes.
pub fn explanations() -> Vec<Explanation> {
    let mut all: Vec<Explanation> = sections(TEXTS)
        .filter_map(|(code, body)| {
            let (code, message) = ALL.iter().find(|(known, _)| *known == code)?;
            let [wrong, right] = ["wrong", "right"].map(|kind| example(body, kind));
            Some(Explanation { code, message: without_fields(message), text: prose(body), wrong, right })
        })
        .collect();
    all.sort_by_key(|explanation| ALL.iter().position(|(code, _)| *code == explanation.code));
    all
}

/// All codes of the compiler.
pub fn codes() -> impl Iterator<Item = &'static str> {
    ALL.iter().map(|(code, _)| *code)
}

impl Explanation {
    /// An example as a whole model: with a small mechanism around it if it names none.
    pub fn complete(example: &str) -> String {
        if example.starts_with(['-', '<']) {
            return example.to_owned();
        }
        let given = |key: &str| example.lines().any(|line| line.starts_with(&format!("{key}:")));
        let rest = REST.iter().filter(|(key, _)| !given(key)).map(|(_, text)| *text);
        rest.chain([example]).collect()
    }
}

/// The sections of a text: what stands behind `## `, and the lines up to the next one.
/// For texts of the same form elsewhere.
pub fn sections(text: &str) -> impl Iterator<Item = (&str, &str)> {
    text.split("\n## ").enumerate().filter_map(|(index, section)| {
        let section = if index == 0 { section.strip_prefix("## ")? } else { section };
        let (title, body) = section.split_once('\n')?;
        Some((title.trim(), body.trim()))
    })
}

/// The text before the first example.
fn prose(body: &str) -> &str {
    body.split_once("```").map_or(body, |(before, _)| before).trim()
}

/// The lines of the example that begins with a comment saying what it is.
fn example<'a>(body: &'a str, kind: &str) -> &'a str {
    let marks = [format!("```yaml\n# {kind}\n"), format!("```xml\n<!-- {kind} -->\n")];
    let Some((_, rest)) = marks.iter().find_map(|mark| body.split_once(mark.as_str())) else { return "" };
    rest.split_once("```").map_or(rest, |(lines, _)| lines)
}

/// The message of a problem in general.
fn without_fields(message: &str) -> String {
    let mut text = String::new();
    let mut depth = 0;
    for letter in message.chars() {
        match letter {
            '{' => depth += 1,
            '}' => {
                depth -= 1;
                text.push('…');
            }
            other if depth == 0 => text.push(other),
            _ => {}
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_code_is_explained_once_and_nothing_else_is() {
        let explained: Vec<&str> = sections(TEXTS).map(|(code, _)| code).collect();
        let missing: Vec<&str> = codes().filter(|code| !explained.contains(code)).collect();
        assert!(missing.is_empty(), "add to explanations.md: {missing:?}");
        let unknown: Vec<&&str> =
            explained.iter().filter(|code| !codes().any(|known| known == **code)).collect();
        assert!(unknown.is_empty(), "explained, but no problem has this code: {unknown:?}");
        assert_eq!(explained.len(), codes().count(), "a code is explained twice");
    }

    #[test]
    fn texts_are_taken_apart() {
        let all = explanations();
        let name = all.iter().find(|explanation| explanation.code == "MBS-N001").expect("explained");
        assert_eq!(name.message, "there is no … `…`");
        assert!(name.text.starts_with("A name is used that nothing declares."));
        assert!(name.wrong.starts_with("bodies:") && name.right.ends_with("{m_arm: 1}\n"));
        assert_eq!(without_fields("cosine is {cosine:.3}, not {value}"), "cosine is …, not …");
    }
}
