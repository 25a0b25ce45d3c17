//! Methods by the names users know them by.

use super::{Auto, HalfExplicit, Mdop5, Method, Radau5};
use crate::Layout;
use core::fmt;
use std::boxed::Box;
use std::string::{String, ToString};

/// The methods [`method`] knows.
pub const METHODS: [&str; 7] = [Auto::NAME, "mdop5", "hem5", "hedop5", "phem56", "radau5", "dopri5"];

/// The method of runs that name none.
pub const DEFAULT_METHOD: &str = Auto::NAME;

/// There is no such method for a model.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum MethodError {
    /// No method has this name.
    Unknown {
        /// The name.
        name: String,
    },
    /// The method is for systems without constraints.
    Constrained {
        /// The method.
        name: String,
        /// The first of the constraint rows.
        row: String,
    },
}

impl fmt::Display for MethodError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Unknown { name } => {
                write!(f, "there is no method `{name}`; known are {}", METHODS.join(", "))
            }
            Self::Constrained { name, row } => write!(
                f,
                "`{name}` is for models without constraints, but there is `{row}`; use `mdop5`, which is the same \
                 formula with projection"
            ),
        }
    }
}

impl core::error::Error for MethodError {}

/// The method of a name, with its workspace for a layout.
pub fn method(name: &str, layout: &Layout) -> Result<Box<dyn Method>, MethodError> {
    Ok(match name {
        Auto::NAME => Box::new(Auto::new(layout)),
        "mdop5" => Box::new(Mdop5::new(layout)),
        "hem5" => Box::new(HalfExplicit::hem5(layout)),
        "hedop5" => Box::new(HalfExplicit::hedop5(layout)),
        "phem56" => Box::new(HalfExplicit::phem56(layout)),
        "radau5" => Box::new(Radau5::new(layout)),
        "dopri5" => Box::new(Mdop5::unconstrained(layout).ok_or_else(|| MethodError::Constrained {
            name: name.to_string(),
            row: layout.rows.get(0).unwrap_or_default().to_string(),
        })?),
        _ => return Err(MethodError::Unknown { name: name.to_string() }),
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Names;

    #[test]
    fn every_listed_method_exists_and_knows_its_name() {
        for name in METHODS {
            assert_eq!(method(name, &Layout::default()).unwrap().name(), name);
        }
    }

    #[test]
    fn what_is_missing_is_said() {
        let error = method("rk45", &Layout::default()).err().unwrap();
        assert!(error.to_string().contains("mdop5, hem5"));
        let layout = Layout { rows: Names::from_static(&["rod.distance"]), ..Layout::default() };
        let error = method("dopri5", &layout).err().unwrap();
        assert!(error.to_string().contains("rod.distance"));
    }
}
