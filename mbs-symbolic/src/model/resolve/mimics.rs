//! Coordinates that follow others.

use super::Resolver;
use super::assemblies::negative;
use super::fields::Fields;
use super::order::order;
use crate::diag::{Diagnostic, Problem, Span};
use crate::ids::{CoordinateId, Id};
use crate::model::language::MIMIC;
use crate::model::place::FormulaContext;
use crate::model::types::leader;
use crate::model::{Dimension, Formula, Mimic};

impl<'a> Resolver<'a> {
    /// Reads what the one coordinate of a joint follows.
    pub(super) fn mimic(&mut self, fields: &Fields<'a>, coordinates: &[CoordinateId]) {
        let (Some((key, node)), &[own]) = (fields.entry("mimic"), coordinates) else { return };
        let fields = self.fields(&MIMIC, key.span, node);
        let master = self.acted_coordinate(&fields);
        let (ratio, offset) = (self.field(&fields, "ratio", 1.0), self.field(&fields, "offset", 0.0));
        let Some(master) = master else { return };
        self.check_mimic(&fields, [own, master], [&ratio, &offset]);
        // Joints with one coordinate measure the same in a reflection; others may not.
        let ratio = if self.coordinate_negates(master, key.span) { negative(ratio) } else { ratio };
        self.coordinates[own].mimic = Some(Mimic { master, ratio, offset, span: key.span });
    }

    /// Checks what ratio and offset measure.
    fn check_mimic(&mut self, fields: &Fields<'a>, of: [CoordinateId; 2], [ratio, offset]: [&Formula; 2]) {
        let [own, master] = of.map(|id| self.coordinate_quantity(id).dimension);
        if fields.get("offset").is_some() && own.is_some() {
            let unit = self.coordinates[of[0]].unit;
            self.expect(offset, FormulaContext::Parameters, unit, "`offset`");
        }
        if fields.get("ratio").is_some()
            && let (Some(own), Some(master)) = (own, master)
        {
            let unit = match (own == master, own == Dimension::LENGTH) {
                (true, _) => "1",
                (false, true) => "m",
                (false, false) => "1/m",
            };
            self.expect(ratio, FormulaContext::Parameters, unit, "`ratio`");
        }
    }

    /// Reports coordinates that follow each other in a circle, and lets each go its own way.
    pub(super) fn break_circles_of_mimics(&mut self) {
        let follows = |id: CoordinateId| self.coordinates[id].mimic.as_ref().map(|mimic| mimic.master);
        let uses: Vec<Vec<usize>> = self
            .coordinates
            .ids()
            .map(|id| follows(id).map(CoordinateId::index).into_iter().collect())
            .collect();
        let (_, circles) = order(&uses);
        for circle in circles {
            let ids = || circle.iter().map(|&index| CoordinateId::new(index));
            let mut chain: Vec<&str> = ids().map(|id| self.coordinates[id].name.text.as_str()).collect();
            chain.extend(chain.first().copied());
            let problem = Problem::Cycle { what: "coordinates", chain: chain.join(" → ") };
            let spans: Vec<Span> =
                ids().filter_map(|id| Some(self.coordinates[id].mimic.as_ref()?.span)).collect();
            let mut report = Diagnostic::error(spans.first().copied().unwrap_or_default(), problem);
            for span in spans.iter().skip(1) {
                report = report.with(*span, "also in the circle");
            }
            self.problems.push(report);
            for &index in &circle {
                self.coordinates[CoordinateId::new(index)].mimic = None;
            }
        }
    }

    /// Complains about a value for a coordinate that follows another.
    pub(super) fn follows_another(&mut self, id: CoordinateId, name: &str, span: Span) -> bool {
        let Some(mimic) = &self.coordinates[id].mimic else { return false };
        let (leader, written) = (leader(&self.coordinates, mimic.master), mimic.span);
        let master = &self.coordinates[leader].name.text;
        let problem = Problem::FollowsAnother {
            name: name.to_owned(),
            master: self.written_at(master, span).to_owned(),
        };
        let report = Diagnostic::error(span, problem).with(written, "this makes it follow");
        self.problems.push(report);
        true
    }
}
