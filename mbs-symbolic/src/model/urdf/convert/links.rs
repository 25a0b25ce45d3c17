//! Links → bodies: mass, centre and inertia as parameters, shapes for pictures.

use super::{Converter, Entries, key, map, text, vector};
use crate::diag::{Diagnostic, Problem};
use crate::model::negative_moment;
use crate::model::tree::{Node, Value};
use crate::model::urdf::NEAR_EXACT_TOLERANCE;
use crate::model::urdf::robot::{Geometry, Inertial, Link, Num, Pose};

impl Converter {
    pub(super) fn body(&mut self, link: &Link, name: &str, mut frames: Entries) -> Node {
        let mut fields = Vec::new();
        match &link.inertial {
            Some(inertial) if name == "ground" => {
                let link = link.name.text.clone();
                self.problems.push(Diagnostic::note(inertial.span, Problem::BaseDoesNotMove { link }));
            }
            Some(inertial) => fields = self.inertial(inertial, name, &mut frames),
            None => {}
        }
        if !frames.is_empty() {
            fields.push(("frames", Node { span: link.name.span, value: Value::Map(frames) }));
        }
        let mut shapes = Vec::new();
        for visual in &link.visuals {
            match self.shape(&visual.pose, &visual.geometry) {
                Some((kind, shape)) => shapes.push(map(visual.span, [(kind, shape)])),
                None => {
                    let what = "a box that is turned against its link".to_owned();
                    let why = "boxes stand along the axes of their body".to_owned();
                    self.problems.push(Diagnostic::note(visual.span, Problem::NotImported { what, why }));
                }
            }
        }
        if !shapes.is_empty() {
            fields.push(("shape", Node { span: link.name.span, value: Value::Seq(shapes) }));
        }
        map(link.name.span, fields)
    }

    fn inertial(
        &mut self,
        inertial: &Inertial,
        body: &str,
        frames: &mut Entries,
    ) -> Vec<(&'static str, Node)> {
        let mut fields = vec![("mass", self.parameter(&format!("m_{body}"), &inertial.mass, "kg"))];
        let com = self.lengths(&format!("c_{body}"), &inertial.pose.xyz);
        if com.items().iter().any(|item| item.text() != Some("0")) {
            fields.push(("com", com));
        }
        let least = if self.options.keep_dust { 0.0 } else { inertia_dust(inertial) };
        let meant = |entry: &Num| entry.value != 0.0 && entry.value.abs() >= least;
        let values = inertial.inertia.each_ref().map(|entry| if meant(entry) { entry.value } else { 0.0 });
        self.negative_inertia |= self.options.lenient && negative_moment(values).is_some();
        let mut entries = Vec::new();
        for (entry, letters) in inertial.inertia.iter().zip(["xx", "yy", "zz", "xy", "xz", "yz"]) {
            if meant(entry) {
                let value = self.parameter(&format!("I_{body}_{letters}"), entry, "kg*m^2");
                entries.push((letters, value));
            }
        }
        let rotation = self.rotation(&inertial.pose.rpy);
        if !rotation.is_empty() && !entries.is_empty() {
            let mut name = "inertia".to_owned();
            while frames.iter().any(|(frame, _)| frame.text == name) {
                name.push('_');
            }
            let span = inertial.pose.span;
            let turned = map(span, [("rotation", Node { span, value: Value::Seq(rotation) })]);
            frames.push((key(&name, span), turned));
            entries.push(("frame", text(&name, span)));
        }
        if !entries.is_empty() {
            fields.push(("inertia", map(inertial.span, entries)));
        }
        fields
    }

    /// A shape for pictures; `None` for a box that is turned.
    fn shape(&self, pose: &Pose, geometry: &Geometry) -> Option<(&'static str, Node)> {
        let span = pose.span;
        let center: [f64; 3] =
            std::array::from_fn(|k| if self.is_dust(pose.xyz[k].value) { 0.0 } else { pose.xyz[k].value });
        let columns = self.columns(&pose.rpy);
        Some(match geometry {
            Geometry::Sphere { radius } => {
                ("sphere", map(span, [("center", vector(center, span)), ("radius", radius.node())]))
            }
            Geometry::Cylinder { radius, length } => {
                let end = |half: f64| vector(std::array::from_fn(|k| center[k] + half * columns[2][k]), span);
                let half = 0.5 * length.value;
                let fields = [("from", end(-half)), ("to", end(half)), ("radius", radius.node())];
                ("cylinder", map(span, fields))
            }
            Geometry::Box(size) => {
                // Behind right angles the edges only change their order.
                let mut edges = [0.0; 3];
                for (column, edge) in columns.iter().zip(size) {
                    let along = (0..3).find(|&k| column[k].abs() > 1.0 - NEAR_EXACT_TOLERANCE)?;
                    edges[along] = edge.value;
                }
                ("box", map(span, [("center", vector(center, span)), ("size", vector(edges, span))]))
            }
        })
    }

    /// The columns of Rz(yaw) Ry(pitch) Rx(roll); right angles are exact unless dust is kept.
    fn columns(&self, rpy: &[Num; 3]) -> [[f64; 3]; 3] {
        let sin_cos = |angle: f64| match self.right_angle(angle) {
            Some(quarters) => {
                [(0.0, 1.0), (1.0, 0.0), (0.0, -1.0), (-1.0, 0.0)][quarters.rem_euclid(4) as usize]
            }
            None => mbs_math::sin_cos(angle),
        };
        let [(sr, cr), (sp, cp), (sy, cy)] = [0, 1, 2].map(|k| sin_cos(rpy[k].value));
        [
            [cy * cp, sy * cp, -sp],
            [cy * sp * sr - sy * cr, sy * sp * sr + cy * cr, cp * sr],
            [cy * sp * cr + sy * sr, sy * sp * cr - cy * sr, cp * cr],
        ]
    }
}

/// Entries of an inertia smaller than this are zero, kg·m²: next to the largest, next to the mass at
/// the distance of its centre (whose moment rounding leaves behind where it was subtracted), or
/// next to the mass at a length that is zero itself.
fn inertia_dust(inertial: &Inertial) -> f64 {
    let largest = inertial.inertia.iter().fold(0.0, |most: f64, entry| most.max(entry.value.abs()));
    let distance_squared: f64 = inertial.pose.xyz.iter().map(|x| x.value * x.value).sum();
    let mass = inertial.mass.value.max(0.0);
    NEAR_EXACT_TOLERANCE * largest.max(mass * distance_squared).max(mass * NEAR_EXACT_TOLERANCE)
}
