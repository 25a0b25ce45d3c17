//! Entries by name or number: `f[phi]`, `M[0, 2]`, `g[closure.x]`.

use crate::dynamics::{Layout, Quantity};
use crate::model::nearest;
use std::fmt;

/// Names listed in a message; more are cut short.
const MAX_LISTED: usize = 40;

/// Why an entry cannot be explained.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum UnknownEntry {
    /// Not of the form `letter[index]`.
    Form {
        /// As it was written.
        text: String,
    },
    /// No vector or matrix of this name.
    Letter {
        /// As it was written.
        letter: String,
    },
    /// A vector has one index, a matrix two.
    Count {
        /// The vector or matrix.
        letter: &'static str,
        /// How many it has.
        expected: usize,
        /// How many were written.
        found: usize,
    },
    /// No entry of this name or number.
    Index {
        /// The vector or matrix.
        letter: &'static str,
        /// What the index counts: velocities, constraint rows.
        what: &'static str,
        /// As it was written.
        index: String,
        /// The name probably meant.
        nearest: Option<String>,
        /// All names, in order.
        names: Vec<String>,
    },
}

impl fmt::Display for UnknownEntry {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Form { text } => write!(f, "`{text}` does not name an entry"),
            Self::Letter { letter } => write!(f, "there is no vector or matrix `{letter}`"),
            Self::Count { letter, expected, found } => {
                let indices = if *expected == 1 { "one index" } else { "two indices" };
                write!(f, "`{letter}` takes {indices}, not {found}")
            }
            Self::Index { letter, what, index, .. } => {
                write!(f, "`{letter}` has no entry `{index}` among its {what}")
            }
        }
    }
}

impl UnknownEntry {
    /// What to write instead.
    pub fn help(&self) -> String {
        match self {
            Self::Form { .. } => "write for example f[0], M[phi, psi] or g[closure.x]".to_owned(),
            Self::Letter { .. } => format!("there are {}", letters().join(", ")),
            Self::Count { letter, expected: 1, .. } => format!("write {letter}[i]"),
            Self::Count { letter, .. } => format!("write {letter}[i, j]"),
            Self::Index { names, .. } if names.is_empty() => "there are none".to_owned(),
            Self::Index { nearest, names, .. } => {
                let mut list = names.iter().take(MAX_LISTED).cloned().collect::<Vec<_>>().join(", ");
                if names.len() > MAX_LISTED {
                    list += &format!(", … ({} in all)", names.len());
                }
                let list = format!("there are 0 to {}: {list}", names.len() - 1);
                match nearest {
                    Some(name) => format!("did you mean `{name}`? {list}"),
                    None => list,
                }
            }
        }
    }
}

impl std::error::Error for UnknownEntry {}

/// A vector or matrix whose entries can be explained.
struct Family {
    letter: &'static str,
    doc: &'static str,
    axes: &'static [Axis],
    make: fn(&[u32]) -> Quantity,
}

/// What an index counts.
#[derive(Clone, Copy)]
enum Axis {
    Velocities,
    Rows,
    HolonomicRows,
    States,
    Outputs,
}

const FAMILIES: [Family; 8] = [
    Family {
        letter: "M",
        doc: "mass matrix",
        axes: &[Axis::Velocities, Axis::Velocities],
        make: |at| Quantity::Mass(at[0], at[1]),
    },
    Family { letter: "f", doc: "force", axes: &[Axis::Velocities], make: |at| Quantity::Force(at[0]) },
    Family {
        letter: "g",
        doc: "constraint",
        axes: &[Axis::HolonomicRows],
        make: |at| Quantity::Constraint(at[0]),
    },
    Family {
        letter: "G",
        doc: "constraint Jacobian",
        axes: &[Axis::Rows, Axis::Velocities],
        make: |at| Quantity::Jacobian(at[0], at[1]),
    },
    Family {
        letter: "c",
        doc: "velocity bias",
        axes: &[Axis::Rows],
        make: |at| Quantity::VelocityBias(at[0]),
    },
    Family {
        letter: "z",
        doc: "acceleration bias",
        axes: &[Axis::Rows],
        make: |at| Quantity::AccelerationBias(at[0]),
    },
    Family {
        letter: "a",
        doc: "rate of a state",
        axes: &[Axis::States],
        make: |at| Quantity::Auxiliary(at[0]),
    },
    Family { letter: "output", doc: "output", axes: &[Axis::Outputs], make: |at| Quantity::Output(at[0]) },
];

fn letters() -> Vec<&'static str> {
    FAMILIES.iter().map(|family| family.letter).collect()
}

impl Axis {
    fn what(self) -> &'static str {
        match self {
            Self::Velocities => "velocities",
            Self::Rows => "constraint rows",
            Self::HolonomicRows => "holonomic constraint rows",
            Self::States => "states",
            Self::Outputs => "outputs",
        }
    }

    fn names(self, layout: &Layout) -> Vec<String> {
        let rows = || layout.rows.iter().map(|row| row.name.clone());
        match self {
            Self::Velocities => layout.velocities.clone(),
            Self::Rows => rows().collect(),
            Self::HolonomicRows => rows().take(layout.n_g).collect(),
            Self::States => layout.states.clone(),
            Self::Outputs => layout.outputs.clone(),
        }
    }
}

/// The entry `text` names, by names or numbers from zero.
pub fn parse(text: &str, layout: &Layout) -> Result<Quantity, UnknownEntry> {
    let form = || UnknownEntry::Form { text: text.to_owned() };
    let (letter, rest) = text.trim().split_once('[').ok_or_else(form)?;
    let inside = rest.trim_end().strip_suffix(']').ok_or_else(form)?;
    let letter = letter.trim();
    let Some(family) = FAMILIES.iter().find(|family| family.letter == letter) else {
        return Err(UnknownEntry::Letter { letter: letter.to_owned() });
    };
    let written: Vec<&str> = inside.split(',').map(str::trim).collect();
    let (expected, found) = (family.axes.len(), written.len());
    if expected != found {
        return Err(UnknownEntry::Count { letter: family.letter, expected, found });
    }
    let indices = family.axes.iter().zip(written).map(|(&axis, index)| {
        let names = axis.names(layout);
        let number = index.parse::<usize>().ok().filter(|&number| number < names.len());
        let position = number.or_else(|| names.iter().position(|name| name == index));
        position.map(|position| position as u32).ok_or_else(|| UnknownEntry::Index {
            letter: family.letter,
            what: axis.what(),
            index: index.to_owned(),
            nearest: nearest(index, names.iter().map(String::as_str)),
            names,
        })
    });
    let indices = indices.collect::<Result<Vec<u32>, _>>()?;
    Ok((family.make)(&indices))
}

/// The entry as people write it: `M[phi, psi]`.
pub fn name(quantity: Quantity, layout: &Layout) -> String {
    let v = |i: u32| layout.velocities[i as usize].as_str();
    let row = |i: u32| layout.rows[i as usize].name.as_str();
    match quantity {
        Quantity::Mass(i, j) => format!("M[{}, {}]", v(i), v(j)),
        Quantity::Force(i) => format!("f[{}]", v(i)),
        Quantity::Constraint(i) => format!("g[{}]", row(i)),
        Quantity::Jacobian(i, j) => format!("G[{}, {}]", row(i), v(j)),
        Quantity::VelocityBias(i) => format!("c[{}]", row(i)),
        Quantity::AccelerationBias(i) => format!("z[{}]", row(i)),
        Quantity::Auxiliary(i) => format!("a[{}]", layout.states[i as usize]),
        Quantity::Output(i) => format!("output[{}]", layout.outputs[i as usize]),
        Quantity::KineticEnergy => "kinetic energy".to_owned(),
        Quantity::PotentialEnergy => "potential energy".to_owned(),
    }
}

/// What kind of entry it is, in words.
pub fn words(quantity: Quantity) -> &'static str {
    let letter = match quantity {
        Quantity::Mass(..) => "M",
        Quantity::Force(_) => "f",
        Quantity::Constraint(_) => "g",
        Quantity::Jacobian(..) => "G",
        Quantity::VelocityBias(_) => "c",
        Quantity::AccelerationBias(_) => "z",
        Quantity::Auxiliary(_) => "a",
        Quantity::Output(_) => "output",
        Quantity::KineticEnergy | Quantity::PotentialEnergy => return "energy",
    };
    FAMILIES.iter().find(|family| family.letter == letter).map_or("", |family| family.doc)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::dynamics::{Element, Row, RowKind};
    use crate::ids::{Id, JointId};

    fn layout() -> Layout {
        let row = |name: &str| Row {
            name: name.to_owned(),
            element: Element::Joint(JointId::new(0)),
            kind: RowKind::Position,
        };
        Layout {
            velocities: ["phi", "psi", "s"].map(str::to_owned).to_vec(),
            rows: vec![row("closure.x"), row("closure.z"), row("edge")],
            n_g: 2,
            ..Layout::default()
        }
    }

    #[test]
    fn names_and_numbers() {
        let layout = layout();
        for (text, expected) in [
            ("f[1]", Quantity::Force(1)),
            ("f[psi]", Quantity::Force(1)),
            (" M[ phi ,s ] ", Quantity::Mass(0, 2)),
            ("g[closure.z]", Quantity::Constraint(1)),
            ("G[edge, 0]", Quantity::Jacobian(2, 0)),
            ("z[2]", Quantity::AccelerationBias(2)),
        ] {
            let entry = parse(text, &layout).unwrap();
            assert_eq!(entry, expected);
            assert_eq!(parse(&name(entry, &layout), &layout), Ok(expected));
        }
    }

    #[test]
    fn what_is_not_there() {
        let layout = layout();
        let help = |text: &str| parse(text, &layout).unwrap_err().help();
        assert_eq!(help("f[3]"), "there are 0 to 2: phi, psi, s");
        assert_eq!(help("f[psy]"), "did you mean `psi`? there are 0 to 2: phi, psi, s");
        // The third row is not holonomic.
        assert!(help("g[edge]").contains("0 to 1"), "{}", help("g[edge]"));
        assert!(help("h[0]").contains("M, f, g"));
        assert_eq!(help("M[0]"), "write M[i, j]");
        for text in ["f", "f[", "f]0[", "", "[]"] {
            assert!(parse(text, &layout).is_err(), "{text}");
        }
    }
}
