//! Solids of bodies: those the model gives, and stand-ins where it gives none.

use super::fixed::Fixed;
use super::vector::{IDENTITY, Vec3, add, distance, distance_to_segment, scale};
use super::{Body, Colour, Marker, Role, Shape, Solid};
use mbs_symbolic::ids::Id;
use mbs_symbolic::model::{self, Model};

/// Colours of bodies, one after the other.
const COLOURS: [Colour; 10] = [
    Colour([0x4c, 0x8d, 0xd6]),
    Colour([0xe8, 0x7d, 0x56]),
    Colour([0x35, 0xa8, 0x95]),
    Colour([0xe6, 0xb0, 0x4a]),
    Colour([0x93, 0x7a, 0xcf]),
    Colour([0xd8, 0x6c, 0x94]),
    Colour([0x7f, 0xb4, 0x57]),
    Colour([0x56, 0xb4, 0xd3]),
    Colour([0xc4, 0x8a, 0x5f]),
    Colour([0x74, 0x8a, 0xa6]),
];
pub(super) const GROUND: Colour = Colour([0x7b, 0x85, 0x92]);
pub(super) const STEEL: Colour = Colour([0x56, 0x60, 0x6c]);
pub(super) const RUBBER: Colour = Colour([0x33, 0x37, 0x3d]);
const MASS: Colour = Colour([0x22, 0x26, 0x2b]);

/// Half the thickness of rods that stand in for a body, as a part of the whole.
const ROD: f64 = 0.018;

/// All bodies with their own solids.
pub(super) fn bodies(model: &Model, fixed: &Fixed<'_>, size: f64) -> Vec<Body> {
    let heaviest = fixed.masses.iter().map(|mass| mass.mass).fold(0.0, f64::max);
    model
        .bodies
        .iter()
        .enumerate()
        .map(|(index, body)| {
            let colour = if index == 0 { GROUND } else { COLOURS[(index - 1) % COLOURS.len()] };
            let frames = model.frames.iter().zip(&fixed.frames);
            let frames = frames.filter(|(frame, _)| frame.body.index() == index);
            let frames: Vec<Marker> = frames.map(|(_, marker)| marker.clone()).collect();
            let mut shapes: Vec<Shape> =
                body.shapes.iter().map(|shape| given(fixed, shape)).filter(Shape::is_there).collect();
            let mass = fixed.masses[index];
            if shapes.is_empty() && index > 0 {
                shapes = stand_in(&fixed.points(model, index), size);
            }
            let mut solids: Vec<Solid> =
                shapes.into_iter().map(|shape| Solid { shape, colour, role: Role::Shape }).collect();
            if mass.mass > 0.0 {
                let part = (mass.mass / heaviest).cbrt();
                let shape = Shape::Sphere { center: mass.center, radius: size * (0.012 + 0.016 * part) };
                solids.push(Solid { shape, colour: MASS, role: Role::Mass });
            }
            Body { name: body.name.text.clone(), colour, solids, frames }
        })
        .collect()
}

fn given(fixed: &Fixed<'_>, shape: &model::Shape) -> Shape {
    match shape {
        model::Shape::Cylinder { from, to, radius } => {
            Shape::Cylinder { from: fixed.vector(from), to: fixed.vector(to), radius: fixed.number(radius) }
        }
        model::Shape::Sphere { center, radius } => {
            Shape::Sphere { center: fixed.vector(center), radius: fixed.number(radius) }
        }
        model::Shape::Box { center, size } => {
            Shape::Box { center: fixed.vector(center), size: fixed.vector(size), rotation: IDENTITY }
        }
    }
}

/// Rods between the points of a body: from one to the other, or from the middle to all.
/// A body of one point is a ball.
fn stand_in(points: &[Vec3], size: f64) -> Vec<Shape> {
    let mut apart: Vec<Vec3> = Vec::new();
    for &point in points {
        if apart.iter().all(|&other| distance(point, other) > 1e-3 * size) {
            apart.push(point);
        }
    }
    let rod = |from: Vec3, to: Vec3| Shape::Cylinder { from, to, radius: ROD * size };
    let ends = match farthest(&apart) {
        Some(ends) => ends,
        None => {
            let center = apart.first().copied().unwrap_or_default();
            return vec![Shape::Sphere { center, radius: 3.0 * ROD * size }];
        }
    };
    // Points along one line need one rod.
    let in_line = |&point: &Vec3| distance_to_segment(point, ends[0], ends[1]) < ROD * size;
    if apart.iter().all(in_line) {
        return vec![rod(ends[0], ends[1])];
    }
    let middle = scale(apart.iter().fold([0.0; 3], |sum, &point| add(sum, point)), 1.0 / apart.len() as f64);
    let hub = Shape::Sphere { center: middle, radius: 1.2 * ROD * size };
    let spokes = apart.into_iter().filter(|&point| distance(point, middle) > 1e-3 * size);
    std::iter::once(hub).chain(spokes.map(|point| rod(middle, point))).collect()
}

/// The two points of a list that are farthest apart.
fn farthest(points: &[Vec3]) -> Option<[Vec3; 2]> {
    let pairs = points.iter().enumerate().flat_map(|(k, &a)| points[k + 1..].iter().map(move |&b| [a, b]));
    pairs.max_by(|a, b| distance(a[0], a[1]).total_cmp(&distance(b[0], b[1])))
}

impl Shape {
    /// Whether there is anything to see.
    fn is_there(&self) -> bool {
        match self {
            Self::Cylinder { from, to, radius } | Self::Wheel { from, to, radius } => {
                *radius > 0.0 && distance(*from, *to) > 0.0
            }
            Self::Sphere { radius, .. } => *radius > 0.0,
            Self::Box { size, .. } => size.iter().all(|edge| *edge > 0.0),
        }
    }

    /// Points that span it, and how far it reaches around each.
    pub(crate) fn reach(&self) -> Vec<(Vec3, f64)> {
        match self {
            Self::Cylinder { from, to, radius } | Self::Wheel { from, to, radius } => {
                vec![(*from, *radius), (*to, *radius)]
            }
            Self::Sphere { center, radius } => vec![(*center, *radius)],
            Self::Box { center, size, rotation } => {
                let corner = |k: usize| {
                    let half = [0, 1, 2].map(|axis| if k >> axis & 1 == 0 { 0.5 } else { -0.5 } * size[axis]);
                    (add(*center, super::vector::rotate(*rotation, half)), 0.0)
                };
                (0..8).map(corner).collect()
            }
        }
    }

    /// Half of its thickness where it passes a point of its body; `None` if it does not.
    pub(super) fn thickness_at(&self, point: Vec3) -> Option<f64> {
        match self {
            Self::Cylinder { from, to, radius } => {
                (distance_to_segment(point, *from, *to) < 1.5 * radius).then_some(*radius)
            }
            Self::Sphere { center, radius } => (distance(point, *center) < 1.5 * radius).then_some(*radius),
            Self::Box { center, size, .. } => {
                let half = 0.5 * size.iter().copied().fold(f64::INFINITY, f64::min);
                let inside = (0..3).all(|k| (point[k] - center[k]).abs() < 0.5 * size[k] + half);
                inside.then_some(half)
            }
            Self::Wheel { .. } => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn stand_ins_span_the_points_of_a_body() {
        let ball = stand_in(&[[1.0, 0.0, 0.0]], 1.0);
        assert!(matches!(ball[..], [Shape::Sphere { center: [1.0, 0.0, 0.0], .. }]), "{ball:?}");
        // The centre of mass lies on the line of the two frames.
        let rod = stand_in(&[[0.0; 3], [2.0, 0.0, 0.0], [1.0, 0.0, 0.0]], 2.0);
        assert!(
            matches!(rod[..], [Shape::Cylinder { from: [0.0, 0.0, 0.0], to: [2.0, 0.0, 0.0], .. }]),
            "{rod:?}"
        );
        let star = stand_in(&[[0.0; 3], [2.0, 0.0, 0.0], [0.0, 2.0, 0.0]], 2.0);
        assert_eq!(star.len(), 4, "{star:?}");
    }

    #[test]
    fn the_corners_of_a_box() {
        let shape = Shape::Box { center: [1.0, 0.0, 0.0], size: [2.0, 4.0, 6.0], rotation: IDENTITY };
        let corners = shape.reach();
        assert!(corners.contains(&([2.0, 2.0, 3.0], 0.0)) && corners.contains(&([0.0, -2.0, -3.0], 0.0)));
        assert_eq!(shape.thickness_at([1.9, 0.0, 0.0]), Some(1.0));
        assert_eq!(shape.thickness_at([4.0, 0.0, 0.0]), None);
    }
}
