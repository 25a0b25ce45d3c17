//! Names of the model as Rust identifiers.

pub(super) use crate::model::rust_name as identifier;

/// Names as identifiers, all different; the reader has refused models in which two
/// of them meet, but a program may come from elsewhere.
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
