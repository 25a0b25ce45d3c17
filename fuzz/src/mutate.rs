//! Small damages to a text.

use crate::random::Random;

/// A damaged copy of `text`: one to five changes of lines, words, numbers or letters.
pub fn mutate(random: &mut Random, text: &str, words: &[&str], others: &[String]) -> String {
    let mut mutant = text.to_owned();
    for _ in 0..=random.below(5) {
        mutant = match random.below(10) {
            0 | 1 => lines(random, &mutant, others),
            2..=4 => word(random, &mutant, words),
            5 => number(random, &mutant),
            6 => insert(random, &mutant, words),
            7 => remove(random, &mutant),
            8 => splice(random, &mutant, others),
            _ => repeat(random, &mutant),
        };
    }
    mutant
}

/// A character boundary of `text`.
fn boundary(random: &mut Random, text: &str) -> usize {
    let mut at = random.below(text.len() + 1);
    while !text.is_char_boundary(at) {
        at -= 1;
    }
    at
}

/// Deletes, doubles, exchanges, indents or borrows a line.
fn lines(random: &mut Random, text: &str, others: &[String]) -> String {
    let mut lines: Vec<String> = text.lines().map(str::to_owned).collect();
    if lines.is_empty() {
        return text.to_owned();
    }
    let at = random.below(lines.len());
    match random.below(5) {
        0 => {
            lines.remove(at);
        }
        1 => lines.insert(at, lines[at].clone()),
        2 => {
            let other = random.below(lines.len());
            lines.swap(at, other);
        }
        3 => lines[at].insert_str(0, if random.one_in(2) { "  " } else { "\t" }),
        _ => {
            if let Some(other) = others.get(random.below(others.len())) {
                let count = other.lines().count();
                if let Some(line) = other.lines().nth(random.below(count)) {
                    lines.insert(at, line.to_owned());
                }
            }
        }
    }
    lines.join("\n") + "\n"
}

/// Replaces a word by another.
fn word(random: &mut Random, text: &str, words: &[&str]) -> String {
    let is_word = |letter: char| letter.is_alphanumeric() || letter == '_';
    let start = boundary(random, text);
    let from = text[..start]
        .rfind(|letter| !is_word(letter))
        .map_or(0, |at| at + text[at..].chars().next().map_or(1, char::len_utf8));
    let to = text[start..].find(|letter| !is_word(letter)).map_or(text.len(), |length| start + length);
    format!("{}{}{}", &text[..from], random.pick(words), &text[to..])
}

/// Changes a number.
fn number(random: &mut Random, text: &str) -> String {
    let start = boundary(random, text);
    let Some(from) = text[start..].find(|letter: char| letter.is_ascii_digit()).map(|at| start + at) else {
        return text.to_owned();
    };
    let is_number = |letter: char| letter.is_ascii_digit() || letter == '.' || letter == 'e';
    let to = text[from..].find(|letter| !is_number(letter)).map_or(text.len(), |length| from + length);
    let values = [
        "0",
        "1",
        "-1",
        "1e-300",
        "1e300",
        "2147483648",
        "0.5",
        "1e-11",
        "999999999999",
        "-0.0",
        "pi",
        "1/3",
    ];
    format!("{}{}{}", &text[..from], random.pick(&values), &text[to..])
}

fn insert(random: &mut Random, text: &str, words: &[&str]) -> String {
    let at = boundary(random, text);
    format!("{}{}{}", &text[..at], random.pick(words), &text[at..])
}

fn remove(random: &mut Random, text: &str) -> String {
    let from = boundary(random, text);
    let mut to = (from + random.below(40)).min(text.len());
    while !text.is_char_boundary(to) {
        to -= 1;
    }
    format!("{}{}", &text[..from], &text[to.max(from)..])
}

/// The beginning of one text and the end of another.
fn splice(random: &mut Random, text: &str, others: &[String]) -> String {
    let Some(other) = others.get(random.below(others.len())) else { return text.to_owned() };
    let (head, tail) = (boundary(random, text), boundary(random, other));
    format!("{}{}", &text[..head], &other[tail..])
}

/// Repeats a piece, sometimes many times.
fn repeat(random: &mut Random, text: &str) -> String {
    let from = boundary(random, text);
    let mut to = (from + random.below(12)).min(text.len());
    while !text.is_char_boundary(to) {
        to -= 1;
    }
    let to = to.max(from);
    let times = if random.one_in(20) { 2000 } else { 1 + random.below(5) };
    format!("{}{}{}", &text[..to], text[from..to].repeat(times), &text[to..])
}
