//! Which model element made which term: `mbs explain` rests on this.

use mbs_symbolic::dynamics::{Element, Part, Quantity};
use mbs_symbolic::ids::ExprId;
use mbs_tests::load::Loaded;
use std::collections::BTreeMap;

const MODELS: [&str; 5] = ["four_bar", "five_link", "ur5", "rolling_disc", "planar_vehicle"];

/// Whether an element of this kind adds to entries in this way.
fn adds(part: Part, element: Element) -> bool {
    match part {
        Part::Inertia | Part::InertialForce | Part::Weight => matches!(element, Element::Body(_)),
        Part::Applied => matches!(element, Element::Force(_)),
        Part::Constraint => matches!(element, Element::Joint(_) | Element::Constraint(_)),
        Part::Formula => matches!(element, Element::State(_) | Element::Output(_)),
    }
}

fn source_of(name: &str) -> String {
    let path = format!("{}/../models/{name}.yaml", env!("CARGO_MANIFEST_DIR"));
    std::fs::read_to_string(&path).unwrap_or_else(|error| panic!("{path}: {error}"))
}

#[test]
fn contributions_sum_to_the_entry() {
    let mut failures = Vec::new();
    for name in MODELS {
        let loaded = Loaded::model(name).with_contributions();
        for seed in 100..105 {
            let differences = loaded.compare_contributions(seed);
            failures
                .extend(differences.iter().map(|difference| format!("{name}, state {seed}: {difference}")));
        }
    }
    assert!(failures.is_empty(), "{}", failures.join("\n"));
}

/// A contribution leads back to the line of the model file that made it.
#[test]
fn every_element_has_its_place_in_the_file() {
    for name in MODELS {
        let source = source_of(name);
        let Loaded { model, equations, .. } = Loaded::model(name).with_contributions();
        for contribution in &equations.contributions {
            let element = contribution.element;
            let word = element.name(&model);
            assert!(!word.is_empty(), "{name}: {element:?} has no name");
            let span = element.span(&model);
            assert_eq!(&source[span.start as usize..span.end as usize], word, "{name}: {element:?}");
        }
    }
}

/// Inertia comes from bodies, constraint rows from what constrains.
#[test]
fn elements_are_of_the_kind_that_makes_the_entry() {
    for name in MODELS {
        let Loaded { model, equations, .. } = Loaded::model(name).with_contributions();
        for contribution in &equations.contributions {
            let element = contribution.element;
            let row = |row: u32| equations.layout.rows[row as usize].element == element;
            let fits = match contribution.quantity {
                Quantity::Mass(..) | Quantity::KineticEnergy => matches!(element, Element::Body(_)),
                Quantity::Force(_) | Quantity::PotentialEnergy => {
                    matches!(element, Element::Body(_) | Element::Force(_))
                }
                Quantity::Constraint(i)
                | Quantity::Jacobian(i, _)
                | Quantity::VelocityBias(i)
                | Quantity::AccelerationBias(i) => row(i),
                Quantity::Auxiliary(_) => matches!(element, Element::State(_)),
                Quantity::Output(_) => matches!(element, Element::Output(_)),
            };
            assert!(
                fits && adds(contribution.part, element),
                "{name}: {} in {:?}",
                element.name(&model),
                contribution.quantity
            );
        }
    }
}

/// No entry that is not zero is left unexplained, and no element is listed twice for
/// one entry.
#[test]
fn every_entry_is_explained_once() {
    for name in MODELS {
        let equations = Loaded::model(name).with_contributions().equations;
        let (n_v, n_rows) = (equations.forces.len() as u32, equations.acceleration_bias.len() as u32);
        let mut elements: BTreeMap<String, Vec<(Element, Part)>> = BTreeMap::new();
        for contribution in &equations.contributions {
            let term = (contribution.element, contribution.part);
            elements.entry(format!("{:?}", contribution.quantity)).or_default().push(term);
        }
        for (entry, elements) in &elements {
            let twice = elements.iter().enumerate().find(|(i, element)| elements[..*i].contains(element));
            assert!(twice.is_none(), "{name}: {entry} lists {twice:?} twice");
        }
        let zero = equations.graph.clone().zero();
        let explained = |quantity: Quantity, value: ExprId| {
            let is_there = value == zero || elements.contains_key(&format!("{quantity:?}"));
            assert!(is_there, "{name}: nothing makes {quantity:?}");
        };
        for (k, value) in (0..).zip(&equations.mass_matrix) {
            explained(Quantity::Mass(k % n_v, k / n_v), *value);
        }
        for (k, value) in (0..).zip(&equations.forces) {
            explained(Quantity::Force(k), *value);
        }
        for (k, value) in (0..).zip(&equations.constraints) {
            explained(Quantity::Constraint(k), *value);
        }
        for (k, value) in (0..).zip(&equations.constraint_jacobian) {
            explained(Quantity::Jacobian(k % n_rows, k / n_rows), *value);
        }
        for (k, value) in (0..).zip(&equations.velocity_bias) {
            explained(Quantity::VelocityBias(k), *value);
        }
        for (k, value) in (0..).zip(&equations.acceleration_bias) {
            explained(Quantity::AccelerationBias(k), *value);
        }
        for (k, value) in (0..).zip(&equations.auxiliary) {
            explained(Quantity::Auxiliary(k), *value);
        }
        for (k, value) in (0..).zip(&equations.outputs) {
            explained(Quantity::Output(k), *value);
        }
        explained(Quantity::KineticEnergy, equations.kinetic_energy);
        explained(Quantity::PotentialEnergy, equations.potential_energy);
    }
}
