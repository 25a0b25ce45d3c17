//! Names of a model as the symbols people write for them.

/// A name taken apart: `omega_crank_y` is ω with the indices "crank" and y, `phi_dot`
/// is φ with a dot, `wheel.x` is x with the index "wheel".
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Symbolic {
    /// The symbol itself.
    pub(crate) stem: Glyph,
    /// Dots above it: the order of the derivative.
    pub(crate) dots: usize,
    /// Indices, to be separated by commas.
    pub(crate) indices: Vec<Glyph>,
}

/// One part of a symbol.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Glyph {
    /// A single letter, or digits.
    Plain(String),
    /// A Greek letter by its LaTeX name and as a character.
    Greek(&'static str, char),
    /// A word, to be set upright.
    Word(String),
}

impl Symbolic {
    /// Takes `name` apart.
    pub(crate) fn of(name: &str) -> Self {
        // `joint.component`: the component is the quantity, the joint tells which.
        if let Some((owner, component)) = name.rsplit_once('.') {
            let mut symbol = Self::of(component);
            symbol.indices.push(Glyph::Word(owner.to_owned()));
            return symbol;
        }
        let mut parts = name.split('_').filter(|part| !part.is_empty());
        let first = parts.next().unwrap_or(name);
        let digits = first.len() - first.trim_end_matches(|c: char| c.is_ascii_digit()).len();
        let (stem, number) = first.split_at(first.len() - digits);
        let mut symbol = Self { stem: Glyph::of(stem), dots: 0, indices: Vec::new() };
        if !number.is_empty() {
            symbol.indices.push(Glyph::Plain(number.to_owned()));
        }
        for part in parts {
            match part {
                "dot" => symbol.dots = 1,
                "ddot" => symbol.dots = 2,
                _ => symbol.indices.push(Glyph::of(part)),
            }
        }
        symbol
    }

    /// The derivative of this order of what `name` is.
    pub(crate) fn derivative(name: &str, order: usize) -> Self {
        let symbol = Self::of(name);
        Self { dots: symbol.dots + order, ..symbol }
    }
}

impl Glyph {
    fn of(part: &str) -> Self {
        let numeric = part.chars().all(|c| c.is_ascii_digit());
        match GREEK.iter().find(|(name, ..)| *name == part) {
            Some(&(_, command, character)) => Self::Greek(command, character),
            None if numeric || part.chars().count() == 1 => Self::Plain(part.to_owned()),
            None => Self::Word(part.to_owned()),
        }
    }
}

/// Name in a model, LaTeX command, character.
const GREEK: [(&str, &str, char); 33] = [
    ("alpha", "alpha", 'α'),
    ("beta", "beta", 'β'),
    ("gamma", "gamma", 'γ'),
    ("delta", "delta", 'δ'),
    ("epsilon", "varepsilon", 'ε'),
    ("zeta", "zeta", 'ζ'),
    ("eta", "eta", 'η'),
    ("theta", "theta", 'θ'),
    ("iota", "iota", 'ι'),
    ("kappa", "kappa", 'κ'),
    ("lambda", "lambda", 'λ'),
    ("mu", "mu", 'μ'),
    ("nu", "nu", 'ν'),
    ("xi", "xi", 'ξ'),
    ("pi", "pi", 'π'),
    ("rho", "rho", 'ρ'),
    ("sigma", "sigma", 'σ'),
    ("tau", "tau", 'τ'),
    ("upsilon", "upsilon", 'υ'),
    ("phi", "varphi", 'φ'),
    ("chi", "chi", 'χ'),
    ("psi", "psi", 'ψ'),
    ("omega", "omega", 'ω'),
    ("Gamma", "Gamma", 'Γ'),
    ("Delta", "Delta", 'Δ'),
    ("Theta", "Theta", 'Θ'),
    ("Lambda", "Lambda", 'Λ'),
    ("Xi", "Xi", 'Ξ'),
    ("Pi", "Pi", 'Π'),
    ("Sigma", "Sigma", 'Σ'),
    ("Phi", "Phi", 'Φ'),
    ("Psi", "Psi", 'Ψ'),
    ("Omega", "Omega", 'Ω'),
];

#[cfg(test)]
mod tests {
    use super::*;

    fn check(name: &str, stem: Glyph, dots: usize, indices: &[Glyph]) {
        assert_eq!(Symbolic::of(name), Symbolic { stem, dots, indices: indices.to_vec() });
    }

    #[test]
    fn names_are_taken_apart() {
        let plain = |text: &str| Glyph::Plain(text.to_owned());
        let word = |text: &str| Glyph::Word(text.to_owned());
        check("phi1", Glyph::Greek("varphi", 'φ'), 0, &[plain("1")]);
        check("omega_crank_y", Glyph::Greek("omega", 'ω'), 0, &[word("crank"), plain("y")]);
        check("gap", word("gap"), 0, &[]);
        check("wheel.x", plain("x"), 0, &[word("wheel")]);
        check("phi_dot", Glyph::Greek("varphi", 'φ'), 1, &[]);
        assert_eq!(Symbolic::derivative("s", 2).dots, 2);
    }
}
