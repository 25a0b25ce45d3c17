//! Geometry fixed in bodies, as numbers.

use super::Marker;
use super::vector::{IDENTITY, Vec3, about, add, direction, multiply, rotate, scale};
use mbs_symbolic::ids::Id;
use mbs_symbolic::model::{Axis, Body, Defaults, Formula, Frame, Model};

/// Frames and masses with the parameters of the run.
pub(super) struct Fixed<'m> {
    pub(super) defaults: &'m Defaults<'m>,
    /// By id.
    pub(super) frames: Vec<Marker>,
    /// By body.
    pub(super) masses: Vec<Mass>,
}

/// Mass and its middle in body axes.
#[derive(Debug, Clone, Copy)]
pub(super) struct Mass {
    pub(super) mass: f64,
    pub(super) center: Vec3,
}

impl<'m> Fixed<'m> {
    pub(super) fn new(model: &Model, defaults: &'m Defaults<'m>) -> Self {
        let mut fixed = Self { defaults, frames: Vec::new(), masses: Vec::new() };
        fixed.frames = model.frames.iter().map(|frame| fixed.marker(frame)).collect();
        let mass = |body: &Body| Mass { mass: fixed.number(&body.mass), center: fixed.vector(&body.com) };
        fixed.masses = model.bodies.iter().map(mass).collect();
        fixed
    }

    /// The value of a formula of parameters; zero where it has none.
    pub(super) fn number(&self, formula: &Formula) -> f64 {
        self.defaults.evaluate(formula).filter(|value| value.is_finite()).unwrap_or(0.0)
    }

    pub(super) fn vector(&self, formulas: &[Formula; 3]) -> Vec3 {
        [0, 1, 2].map(|k| self.number(&formulas[k]))
    }

    /// Unit vector along an axis.
    pub(super) fn axis(&self, axis: &Axis) -> Vec3 {
        match axis {
            Axis::Principal { index, negative } => {
                let mut unit = [0.0; 3];
                unit[usize::from(*index)] = if *negative { -1.0 } else { 1.0 };
                unit
            }
            Axis::Vector(formulas) => direction(self.vector(formulas)).unwrap_or([0.0, 0.0, 1.0]),
        }
    }

    fn marker(&self, frame: &Frame) -> Marker {
        let rotation = frame.rotation.iter().fold(IDENTITY, |so_far, step| {
            multiply(so_far, about(self.axis(&step.axis), self.number(&step.angle)))
        });
        Marker { name: frame.name.text.clone(), position: self.vector(&frame.position), rotation }
    }

    /// Points of a body that matter: its centre of mass if it has mass, and origins of frames.
    pub(super) fn points(&self, model: &Model, body: usize) -> Vec<Vec3> {
        let mass = self.masses[body];
        let center = (mass.mass > 0.0).then_some(mass.center);
        let named = model.frames.iter().zip(&self.frames).enumerate().filter(|(index, (frame, _))| {
            // The origin of ground means nothing by itself.
            frame.body.index() == body && (body > 0 || *index > 0)
        });
        named.map(|(_, (_, marker))| marker.position).chain(center).collect()
    }
}

impl Marker {
    /// A point given in the frame, in body axes.
    pub(super) fn point(&self, inside: Vec3) -> Vec3 {
        add(self.position, rotate(self.rotation, inside))
    }

    /// The two points at a distance before and behind the origin along a direction of the
    /// frame, in body axes.
    pub(super) fn along(&self, axis: Vec3, half: f64) -> [Vec3; 2] {
        [-half, half].map(|distance| self.point(scale(axis, distance)))
    }
}
