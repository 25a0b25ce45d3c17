//! The nearest known name to a misspelt one.

/// The candidate closest to `name`, if any is close enough to be meant. Ties go to
/// the first candidate.
pub fn nearest<'a>(name: &str, candidates: impl IntoIterator<Item = &'a str>) -> Option<String> {
    // Long names are not typed by hand, and the distance is quadratic in length.
    const LONGEST: usize = 100;
    if name.len() > LONGEST {
        return None;
    }
    let allowed = match name.chars().count() {
        0..=2 => 1,
        3..=5 => 2,
        length => length / 3,
    };
    let mut best: Option<(usize, &str)> = None;
    for candidate in candidates {
        if candidate.len() > LONGEST || candidate == name {
            continue;
        }
        let distance = distance(name, candidate);
        // A name of two letters shares one with almost anything.
        let related = distance < name.chars().count().max(candidate.chars().count());
        if related && distance <= allowed && best.is_none_or(|(least, _)| distance < least) {
            best = Some((distance, candidate));
        }
    }
    best.map(|(_, candidate)| candidate.to_owned())
}

/// Insertions, deletions, replacements and swaps of neighbours that turn `a` into `b`,
/// letters compared without case.
fn distance(a: &str, b: &str) -> usize {
    let a: Vec<char> = a.chars().flat_map(char::to_lowercase).collect();
    let b: Vec<char> = b.chars().flat_map(char::to_lowercase).collect();
    let mut two_above = vec![0; b.len() + 1];
    let mut above: Vec<usize> = (0..=b.len()).collect();
    for i in 1..=a.len() {
        let mut row = vec![i; b.len() + 1];
        for j in 1..=b.len() {
            let replace = above[j - 1] + usize::from(a[i - 1] != b[j - 1]);
            row[j] = replace.min(above[j] + 1).min(row[j - 1] + 1);
            if i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1] {
                row[j] = row[j].min(two_above[j - 2] + 1);
            }
        }
        two_above = std::mem::replace(&mut above, row);
    }
    above[b.len()]
}

#[cfg(test)]
mod tests {
    use super::nearest;

    fn check(name: &str, candidates: &[&str], expected: Option<&str>) {
        assert_eq!(nearest(name, candidates.iter().copied()).as_deref(), expected);
    }

    #[test]
    fn close_names_are_found() {
        check("crnak", &["ground", "crank", "rocker"], Some("crank"));
        check("mas", &["com", "mass"], Some("mass"));
        check("Phi", &["psi", "phi"], Some("phi"));
        check("revolut", &["prismatic", "revolute"], Some("revolute"));
    }

    #[test]
    fn distant_names_are_not_suggested() {
        check("wheel", &["ground", "crank"], None);
        check("a", &["b"], None);
        check("", &["b"], None);
    }
}
