//! What a name may be, and what it becomes in generated code.

/// Whether `text` matches `[A-Za-z][A-Za-z0-9_]*`.
pub(super) fn is_identifier(text: &str) -> bool {
    let mut bytes = text.bytes();
    bytes.next().is_some_and(|first| first.is_ascii_alphabetic())
        && bytes.all(|byte| byte.is_ascii_alphanumeric() || byte == b'_')
}

/// Names with a meaning of their own in formulas.
pub(super) fn is_reserved(name: &str) -> bool {
    matches!(name, "t" | "pi" | "ground" | "and" | "or" | "not")
}

/// Whether `name` is in snake_case.
pub(super) fn is_snake_case(name: &str) -> bool {
    is_identifier(name) && !name.bytes().any(|byte| byte.is_ascii_uppercase())
}

/// `name` turned into a snake_case identifier, for suggestions.
pub(super) fn to_snake_case(name: &str) -> String {
    let mut snake = String::new();
    let mut after_lower = false;
    for character in name.chars() {
        if !character.is_ascii_alphanumeric() {
            if !snake.is_empty() && !snake.ends_with('_') {
                snake.push('_');
            }
            after_lower = false;
            continue;
        }
        if character.is_ascii_uppercase() && after_lower {
            snake.push('_');
        }
        after_lower = !character.is_ascii_uppercase();
        if snake.is_empty() && character.is_ascii_digit() {
            snake.push('m');
        }
        snake.push(character.to_ascii_lowercase());
    }
    let trimmed = snake.trim_end_matches('_');
    if trimmed.is_empty() { "my_model".to_owned() } else { trimmed.to_owned() }
}

/// The identifier a model's name becomes in generated Rust code: dots become
/// underscores and keywords get one behind them.
pub fn rust_name(name: &str) -> String {
    let mut rust = name.replace('.', "_");
    if KEYWORDS.binary_search(&rust.as_str()).is_ok() {
        rust.push('_');
    }
    rust
}

/// All strict and reserved words of edition 2024, sorted.
const KEYWORDS: [&str; 52] = [
    "Self", "abstract", "as", "async", "await", "become", "box", "break", "const", "continue", "crate", "do",
    "dyn", "else", "enum", "extern", "false", "final", "fn", "for", "gen", "if", "impl", "in", "let", "loop",
    "macro", "match", "mod", "move", "mut", "override", "priv", "pub", "ref", "return", "self", "static",
    "struct", "super", "trait", "true", "try", "type", "typeof", "unsafe", "unsized", "use", "virtual",
    "where", "while", "yield",
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keywords_are_sorted_and_get_an_underscore() {
        assert!(KEYWORDS.is_sorted());
        assert_eq!(rust_name("type"), "type_");
        assert_eq!(rust_name("hand.qw"), "hand_qw");
    }

    #[test]
    fn suggestions_are_names() {
        for name in ["FourBar", "four bar", "4bar", "", "Ünï"] {
            assert!(is_snake_case(&to_snake_case(name)), "{name}");
        }
        assert_eq!(to_snake_case("FourBar"), "four_bar");
    }
}
