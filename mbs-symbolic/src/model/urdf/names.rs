//! Names of a robot as names of the model language.

use crate::model::names::{is_reserved, rust_name};
use std::collections::BTreeSet;

/// Names that are taken, as they stand in generated code.
#[derive(Debug, Default)]
pub(super) struct Taken(BTreeSet<String>);

impl Taken {
    /// A free name like `wanted`.
    pub(super) fn take(&mut self, wanted: &str) -> String {
        let plain = identifier(wanted);
        let mut name = plain.clone();
        let mut count = 1;
        while !self.0.insert(rust_name(&name)) {
            count += 1;
            name = format!("{plain}_{count}");
        }
        name
    }
}

/// Longer names are cut off: a key of YAML may have no more than 1024 characters, and names
/// made of several must fit.
const LONGEST: usize = 200;

/// `text` with everything replaced that a name cannot contain.
fn identifier(text: &str) -> String {
    let letters = text.chars().take(LONGEST);
    let mut name: String =
        letters.map(|letter| if letter.is_ascii_alphanumeric() { letter } else { '_' }).collect();
    if !name.starts_with(|first: char| first.is_ascii_alphabetic()) {
        name.insert(0, 'n');
    }
    if is_reserved(&name) {
        name.push('_');
    }
    name
}

#[cfg(test)]
mod tests {
    use super::Taken;

    #[test]
    fn names_are_valid_and_differ() {
        let mut taken = Taken::default();
        let mut check = |wanted: &str, expected: &str| assert_eq!(taken.take(wanted), expected);
        check("arm/joint-1", "arm_joint_1");
        check("arm_joint_1", "arm_joint_1_2");
        check("1st", "n1st");
        check("ground", "ground_");
        check("type", "type");
        check("type_", "type__2");
        check("", "n");
        let long = "a".repeat(5000);
        check(&long, &long[..200]);
        check(&long, &format!("{}_2", &long[..200]));
    }
}
