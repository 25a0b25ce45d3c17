//! A tree of the model language as YAML.

use crate::model::tree::{Node, Value};
use crate::printable::{acts, in_line};
use std::fmt::Write;

/// Lines longer than this are broken, where they can be.
const WIDTH: usize = 110;

/// The whole file, with a head that says where it comes from and what was left out.
pub(super) fn yaml(root: &Node, file: &str, left_out: &[String]) -> String {
    let mut out = format!("# Imported from {} by `mbs import`.\n", in_line(file));
    if !left_out.is_empty() {
        out.push_str("# Not imported, or imported otherwise:\n");
        for line in left_out {
            let _ = writeln!(out, "#   {}", in_line(line));
        }
    }
    for (index, (key, value)) in root.entries().iter().enumerate() {
        if index > 0 && !value.is_scalar() {
            out.push('\n');
        }
        entry(&mut out, 0, &key.text, value);
    }
    out
}

/// One entry of a map on lines of its own.
fn entry(out: &mut String, depth: usize, key: &str, value: &Node) {
    let margin = "  ".repeat(depth);
    let line = flow(value);
    let one_line = depth > 0 || !matches!(value.value, Value::Map(_));
    if one_line && (margin.len() + key.len() + line.len() + 2 <= WIDTH || value.is_scalar()) {
        let _ = writeln!(out, "{margin}{key}: {line}");
        return;
    }
    let _ = writeln!(out, "{margin}{key}:");
    match &value.value {
        Value::Map(entries) => {
            entries.iter().for_each(|(key, value)| entry(out, depth + 1, &key.text, value))
        }
        Value::Seq(items) => {
            for item in items {
                let _ = writeln!(out, "{margin}  - {}", flow(item));
            }
        }
        Value::Null | Value::Plain(_) | Value::Text { .. } => {}
    }
}

/// A value on one line.
fn flow(node: &Node) -> String {
    match &node.value {
        Value::Null => "~".to_owned(),
        Value::Plain(text) | Value::Text { text, .. } => scalar(text),
        Value::Seq(items) => format!("[{}]", items.iter().map(flow).collect::<Vec<_>>().join(", ")),
        Value::Map(entries) => {
            let entries: Vec<String> =
                entries.iter().map(|(key, value)| format!("{}: {}", key.text, flow(value))).collect();
            format!("{{{}}}", entries.join(", "))
        }
    }
}

/// Numbers, names and formulas as they are; everything else in quotes.
fn scalar(text: &str) -> String {
    let harmless = |letter: char| {
        letter.is_ascii_alphanumeric() || matches!(letter, '.' | '_' | '+' | '-' | '*' | '/' | '^')
    };
    let starts = text.starts_with(|first: char| first.is_ascii_alphanumeric() || matches!(first, '-' | '.'));
    let dash = text == "-" || text.starts_with("---") || text.starts_with("...");
    if starts && !dash && text.chars().all(harmless) {
        return text.to_owned();
    }
    let mut quoted = String::from("\"");
    for letter in text.chars() {
        match letter {
            '"' | '\\' => {
                quoted.push('\\');
                quoted.push(letter);
            }
            letter if letter == '\u{feff}' || acts(letter) || letter.is_control() => {
                let _ = write!(quoted, "\\U{:08X}", u32::from(letter));
            }
            letter => quoted.push(letter),
        }
    }
    quoted.push('"');
    quoted
}

#[cfg(test)]
mod tests {
    use super::scalar;

    #[test]
    fn scalars_are_quoted_where_yaml_would_misread_them() {
        for plain in ["0.1", "-pi/2", "1e-5", "m_arm", "ground.tip", "x", "2*pi"] {
            assert_eq!(scalar(plain), plain);
        }
        assert_eq!(scalar("a robot: the \"first\""), "\"a robot: the \\\"first\\\"\"");
        assert_eq!(scalar(""), "\"\"");
        assert_eq!(scalar("a\nb"), "\"a\\U0000000Ab\"");
    }
}
