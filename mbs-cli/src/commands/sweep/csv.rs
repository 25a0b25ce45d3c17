//! The little of CSV that tables of numbers need.

/// A field and the column, from one, at which it begins.
pub(crate) struct Field {
    pub(crate) text: String,
    pub(crate) column: usize,
}

/// The fields of a line; quotes hold commas, doubled quotes are one. What follows a closing
/// quote belongs to the field as it stands.
pub(crate) fn fields(line: &str) -> Vec<Field> {
    let mut all = Vec::new();
    let mut field = Field { text: String::new(), column: 1 };
    let mut quoted = false;
    let mut characters = line.chars().enumerate().peekable();
    while let Some((index, character)) = characters.next() {
        match character {
            '"' if quoted && characters.peek().is_some_and(|&(_, next)| next == '"') => {
                characters.next();
                field.text.push('"');
            }
            '"' if quoted => quoted = false,
            '"' if field.text.trim().is_empty() => {
                field.text.clear();
                quoted = true;
            }
            ',' if !quoted => {
                let next = Field { text: String::new(), column: index + 2 };
                all.push(std::mem::replace(&mut field, next));
            }
            other => field.text.push(other),
        }
    }
    all.push(field);
    for field in &mut all {
        let blanks = field.text.chars().take_while(|character| character.is_whitespace()).count();
        field.column += blanks;
        field.text = field.text.trim().to_owned();
    }
    all
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quotes_and_places() {
        let found = fields(r#"1.5, "a, ""b""",,c"#);
        let texts: Vec<&str> = found.iter().map(|field| field.text.as_str()).collect();
        assert_eq!(texts, ["1.5", "a, \"b\"", "", "c"]);
        let columns: Vec<usize> = found.iter().map(|field| field.column).collect();
        assert_eq!((columns[0], columns[2], columns[3]), (1, 17, 18));
        assert_eq!(fields("").len(), 1);
    }
}
