//! Outputs for what every joint carries.

use super::formula::{Formula, Query, Term, TermKind};
use super::types::{Model, Name, Output};

/// Components of a joint's reaction as formulas write them, with their units.
const COMPONENTS: [(&str, &str); 6] =
    [("fx", "N"), ("fy", "N"), ("fz", "N"), ("tx", "N*m"), ("ty", "N*m"), ("tz", "N*m")];

impl Model {
    /// Appends the outputs `reaction(JOINT).fx` to `.tz` of every joint: force and torque on
    /// its `to` body, at the `to` frame, in its axes.
    ///
    /// Their names are formulas, so that they meet none of the model's own.
    pub fn add_reaction_outputs(&mut self) {
        for joint in self.joints.ids() {
            let Name { text, span } = self.joints[joint].name.clone();
            for (component, (letters, unit)) in COMPONENTS.into_iter().enumerate() {
                let query = Query::Reaction { joint, component: component as u8 };
                let value = Formula { terms: vec![Term::new(TermKind::Query(query), span)], span };
                let name = Name { text: format!("reaction({text}).{letters}"), span };
                self.outputs.push(Output { name, value, unit: Some(unit.to_owned()) });
            }
        }
    }
}
