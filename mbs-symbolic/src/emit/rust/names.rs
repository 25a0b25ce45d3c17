//! Names of the model as Rust identifiers.

/// Words that are no identifiers in some edition.
const KEYWORDS: &[&str] = &[
    "Self", "abstract", "as", "async", "await", "become", "box", "break", "const", "continue", "crate", "do",
    "dyn", "else", "enum", "extern", "false", "final", "fn", "for", "gen", "if", "impl", "in", "let", "loop",
    "macro", "match", "mod", "move", "mut", "override", "priv", "pub", "ref", "return", "self", "static",
    "struct", "super", "trait", "true", "try", "type", "typeof", "union", "unsafe", "unsized", "use",
    "virtual", "where", "while", "yield",
];

/// A name as an identifier: `a.b` becomes `a_b`, keywords get a trailing underscore.
pub(super) fn identifier(name: &str) -> String {
    let mut text: String = name.chars().map(|c| if c.is_ascii_alphanumeric() { c } else { '_' }).collect();
    if !text.starts_with(|c: char| c.is_ascii_alphabetic()) {
        text.insert_str(0, "m_");
    }
    if KEYWORDS.contains(&text.as_str()) {
        text.push('_');
    }
    text
}

/// Names as identifiers, all different.
pub(super) fn identifiers(names: &[String]) -> Vec<String> {
    let mut taken: Vec<String> = Vec::new();
    for name in names {
        let mut own = identifier(name);
        while taken.contains(&own) {
            own.push('_');
        }
        taken.push(own);
    }
    taken
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keywords_dots_and_collisions() {
        let names = ["type", "a.b", "a_b", "gen", "J1"].map(String::from);
        assert_eq!(identifiers(&names), ["type_", "a_b", "a_b_", "gen_", "J1"]);
    }
}
