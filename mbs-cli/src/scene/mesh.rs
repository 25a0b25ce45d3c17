//! Surfaces of solids and links as triangles.

use super::solids::STEEL;
use super::vector::{Quaternion, Vec3, across, add, cross, direction, distance, length, rotate, scale, sub};
use super::{Colour, Link, LinkKind, Shape, Solid};
use std::f64::consts::TAU;

/// Triangles with outward normals, m.
#[derive(Debug, Clone, Default, PartialEq)]
pub(crate) struct Mesh {
    pub(crate) positions: Vec<Vec3>,
    /// One for each position.
    pub(crate) normals: Vec<Vec3>,
    /// Counter-clockwise seen from outside.
    pub(crate) triangles: Vec<[u32; 3]>,
    /// Corners around a circle.
    around: usize,
}

/// A surface of one colour.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Surface {
    pub(crate) mesh: Mesh,
    pub(crate) colour: Colour,
}

/// Tyres and rims.
const TYRE: Colour = Colour([0x2e, 0x31, 0x37]);
const RIM: Colour = Colour([0xc4, 0xca, 0xd2]);
const COIL: Colour = Colour([0xd9, 0x9a, 0x3c]);

impl Solid {
    /// Its surfaces in body axes, with so many corners around a circle.
    pub(crate) fn surfaces(&self, around: usize) -> Vec<Surface> {
        let mut mesh = Mesh::new(around);
        match &self.shape {
            Shape::Cylinder { from, to, radius } => mesh.cylinder(*from, *to, *radius),
            Shape::Sphere { center, radius } => mesh.sphere(*center, *radius),
            Shape::Box { center, size, rotation } => mesh.cuboid(*center, *size, *rotation),
            Shape::Wheel { from, to, radius } => return wheel(*from, *to, *radius, self.colour, around),
        }
        vec![Surface { mesh, colour: self.colour }]
    }
}

impl Link {
    /// Its surfaces along z from 0 to 1, in m across; stretched along z they fill the place
    /// between its ends.
    pub(crate) fn surfaces(&self, around: usize) -> Vec<Surface> {
        let r = self.radius;
        let rod = |from: f64, to: f64, radius: f64, colour: Colour| {
            let mut mesh = Mesh::new(around);
            mesh.lathe([0.0; 3], [0.0, 0.0, 1.0], &[[from, 0.0], [from, radius], [to, radius], [to, 0.0]]);
            Surface { mesh, colour }
        };
        let coil = || {
            let mut mesh = Mesh::new(around);
            mesh.coil(r, 0.16 * r, 9.0);
            Surface { mesh, colour: COIL }
        };
        match self.kind {
            LinkKind::Spring => vec![coil()],
            LinkKind::Damper => vec![rod(0.0, 0.55, 0.5 * r, STEEL), rod(0.5, 1.0, 0.2 * r, RIM)],
            LinkKind::SpringDamper => {
                vec![coil(), rod(0.0, 0.55, 0.45 * r, STEEL), rod(0.5, 1.0, 0.2 * r, RIM)]
            }
            LinkKind::Force => vec![rod(0.0, 1.0, 0.25 * r, COIL)],
            LinkKind::Rod => vec![rod(0.0, 1.0, r, STEEL)],
        }
    }
}

fn wheel(from: Vec3, to: Vec3, radius: f64, paint: Colour, around: usize) -> Vec<Surface> {
    let Some(axis) = direction(sub(to, from)) else { return Vec::new() };
    let width = distance(from, to);
    let rim = radius - (0.3 * radius).min((0.8 * width).max(0.1 * radius));
    let round = (0.32 * width).min(0.45 * (radius - rim));
    let left = [
        [0.0, rim + round],
        [0.0, radius - 1.5 * round],
        [0.35 * round, radius - 0.55 * round],
        [round, radius],
    ];
    let right = left.iter().rev().map(|[z, r]| [width - z, *r]);
    let profile: Vec<[f64; 2]> =
        [[0.12 * width, rim]].into_iter().chain(left).chain(right).chain([[0.88 * width, rim]]).collect();
    let mut tyre = Mesh::new(around);
    tyre.lathe(from, axis, &profile);
    let (inner, lip) = (0.3 * width, rim - 0.04 * radius);
    let mut disc = Mesh::new(around);
    disc.lathe(from, axis, &[[inner, 0.0], [inner, lip], [0.1 * width, lip], [0.1 * width, rim]]);
    disc.lathe(
        from,
        axis,
        &[[0.9 * width, rim], [0.9 * width, lip], [width - inner, lip], [width - inner, 0.0]],
    );
    let mut hub = Mesh::new(around);
    hub.cylinder(add(from, scale(axis, 0.04 * width)), add(from, scale(axis, 0.96 * width)), 0.17 * radius);
    // Bolts, so that turns can be seen.
    let (e1, e2) = (across(axis), cross(axis, across(axis)));
    for k in 0..5 {
        let (sin, cos) = (TAU * f64::from(k) / 5.0).sin_cos();
        let off = scale(add(scale(e1, cos), scale(e2, sin)), 0.5 * rim);
        for (from_part, to_part) in [(0.2, 0.3), (0.7, 0.8)] {
            let at = |part: f64| add(add(from, scale(axis, part * width)), off);
            hub.cylinder(at(from_part), at(to_part), 0.06 * radius);
        }
    }
    vec![
        Surface { mesh: tyre, colour: TYRE },
        Surface { mesh: disc, colour: RIM },
        Surface { mesh: hub, colour: paint },
    ]
}

impl Mesh {
    /// Nothing yet; circles get so many corners.
    pub(crate) fn new(around: usize) -> Self {
        Self { around, ..Self::default() }
    }

    fn vertex(&mut self, position: Vec3, normal: Vec3) -> u32 {
        self.positions.push(position);
        self.normals.push(normal);
        (self.positions.len() - 1) as u32
    }

    fn quad(&mut self, a: u32, b: u32, c: u32, d: u32) {
        self.triangles.push([a, b, c]);
        self.triangles.push([a, c, d]);
    }

    /// A surface of revolution about the line from `origin` along the unit vector `axis`;
    /// the profile gives distances along it and from it. Smooth around, flat along.
    fn lathe(&mut self, origin: Vec3, axis: Vec3, profile: &[[f64; 2]]) {
        let e1 = across(axis);
        let e2 = cross(axis, e1);
        for piece in profile.windows(2) {
            let ([z0, r0], [z1, r1]) = (piece[0], piece[1]);
            let long = (z1 - z0).hypot(r1 - r0);
            if long == 0.0 {
                continue;
            }
            let (outward, forward) = ((z1 - z0) / long, -(r1 - r0) / long);
            let mut before: Option<(u32, u32)> = None;
            for k in 0..=self.around {
                let (sin, cos) = (TAU * k as f64 / self.around as f64).sin_cos();
                let radial = add(scale(e1, cos), scale(e2, sin));
                let normal = add(scale(radial, outward), scale(axis, forward));
                let at = |z: f64, r: f64| add(origin, add(scale(axis, z), scale(radial, r)));
                let pair = (self.vertex(at(z0, r0), normal), self.vertex(at(z1, r1), normal));
                if let Some(before) = before {
                    // Where the profile touches the axis a quad is a triangle.
                    if r0 != 0.0 {
                        self.triangles.push([before.0, pair.0, pair.1]);
                    }
                    if r1 != 0.0 {
                        self.triangles.push([before.0, pair.1, before.1]);
                    }
                }
                before = Some(pair);
            }
        }
    }

    fn cylinder(&mut self, from: Vec3, to: Vec3, radius: f64) {
        let Some(axis) = direction(sub(to, from)) else { return };
        let long = distance(from, to);
        let edge = (0.14 * radius).min(0.25 * long);
        let profile = [
            [0.0, 0.0],
            [0.0, radius - edge],
            [edge, radius],
            [long - edge, radius],
            [long, radius - edge],
            [long, 0.0],
        ];
        self.lathe(from, axis, &profile);
    }

    fn sphere(&mut self, center: Vec3, radius: f64) {
        let around = self.around;
        let rings = around / 2;
        let mut rows: Vec<Vec<u32>> = Vec::new();
        for ring in 0..=rings {
            let (sin_polar, cos_polar) = (0.5 * TAU * ring as f64 / rings as f64).sin_cos();
            let row = (0..=around).map(|k| {
                let (sin, cos) = (TAU * k as f64 / around as f64).sin_cos();
                let normal = [sin_polar * cos, sin_polar * sin, cos_polar];
                self.vertex(add(center, scale(normal, radius)), normal)
            });
            rows.push(row.collect());
        }
        for (ring, pair) in rows.windows(2).enumerate() {
            for k in 0..around {
                let [a, b, c, d] = [pair[0][k], pair[1][k], pair[1][k + 1], pair[0][k + 1]];
                if ring + 1 < rings {
                    self.triangles.push([a, b, c]);
                }
                if ring > 0 {
                    self.triangles.push([a, c, d]);
                }
            }
        }
    }

    fn cuboid(&mut self, center: Vec3, size: Vec3, rotation: Quaternion) {
        for axis in 0..3 {
            for sign in [-1.0, 1.0] {
                let mut normal = [0.0; 3];
                normal[axis] = sign;
                let (u, v) = ((axis + 1) % 3, (axis + 2) % 3);
                let corner = |a: f64, b: f64| {
                    let mut half = [0.0; 3];
                    (half[axis], half[u], half[v]) = (sign * size[axis], a * size[u], b * size[v]);
                    add(center, rotate(rotation, scale(half, 0.5)))
                };
                let normal = rotate(rotation, normal);
                let [a, b, c, d] =
                    [corner(-1.0, -1.0), corner(1.0, -1.0), corner(1.0, 1.0), corner(-1.0, 1.0)]
                        .map(|point| self.vertex(point, normal));
                if sign > 0.0 { self.quad(a, b, c, d) } else { self.quad(d, c, b, a) }
            }
        }
    }

    /// A flat piece of road between two (distance, height) pairs: `along` and `up` are unit
    /// vectors across each other, `origin` lies in the middle at no height.
    pub(crate) fn strip(
        &mut self,
        [(s0, h0), (s1, h1)]: [(f64, f64); 2],
        origin: Vec3,
        [along, up]: [Vec3; 2],
        width: f64,
    ) {
        let side = cross(up, along);
        let rise = add(scale(along, s1 - s0), scale(up, h1 - h0));
        let Some(normal) = direction(cross(rise, side)) else { return };
        let at = |s: f64, h: f64, part: f64| {
            add(origin, add(add(scale(along, s), scale(up, h)), scale(side, part * width)))
        };
        let [a, b, c, d] = [at(s0, h0, -0.5), at(s1, h1, -0.5), at(s1, h1, 0.5), at(s0, h0, 0.5)]
            .map(|point| self.vertex(point, normal));
        self.quad(a, b, c, d);
    }

    /// A wire wound about z from 0 to 1.
    fn coil(&mut self, radius: f64, wire: f64, turns: f64) {
        // The wire is thin: a quarter of the corners is enough.
        let round = (self.around / 4).max(4);
        let steps = (turns * 0.5 * self.around as f64) as usize;
        let mut before: Option<Vec<u32>> = None;
        for step in 0..=steps {
            let part = step as f64 / steps as f64;
            let (sin, cos) = (TAU * turns * part).sin_cos();
            // Straight to the middle at both ends.
            let ease = (part.min(1.0 - part) * turns * 2.0).min(1.0);
            let middle = [ease * radius * cos, ease * radius * sin, part];
            let radial = [cos, sin, 0.0];
            let ring: Vec<u32> = (0..=round)
                .map(|k| {
                    let (s, c) = (TAU * k as f64 / round as f64).sin_cos();
                    // The wire is drawn long along z where the spring is short: its length is
                    // stretched with the spring, its thickness across is not.
                    let normal = add(scale(radial, c), [0.0, 0.0, s]);
                    let offset = add(scale(radial, c * wire), [0.0, 0.0, s * 0.16 / turns]);
                    self.vertex(add(middle, offset), normal)
                })
                .collect();
            if let Some(before) = before {
                for k in 0..round {
                    self.quad(before[k], before[k + 1], ring[k + 1], ring[k]);
                }
            }
            before = Some(ring);
        }
    }

    /// Every position changed, and normals with it where they are turned.
    pub(crate) fn moved(&self, place: impl Fn(Vec3) -> Vec3, turn: impl Fn(Vec3) -> Vec3) -> Self {
        Self {
            positions: self.positions.iter().map(|&position| place(position)).collect(),
            normals: self
                .normals
                .iter()
                .map(|&normal| direction(turn(normal)).unwrap_or([0.0, 0.0, 1.0]))
                .collect(),
            triangles: self.triangles.clone(),
            around: self.around,
        }
    }

    /// Takes in the triangles of another one.
    pub(crate) fn append(&mut self, other: &Self) {
        let offset = self.positions.len() as u32;
        self.positions.extend(&other.positions);
        self.normals.extend(&other.normals);
        self.triangles.extend(other.triangles.iter().map(|triangle| triangle.map(|k| k + offset)));
    }
}

/// How a link lies: where it begins, the turn from z to its direction, its length.
pub(crate) fn stretched(from: Vec3, to: Vec3) -> (Vec3, Quaternion, f64) {
    let along = sub(to, from);
    let turn = direction(along)
        .map_or(super::vector::IDENTITY, |along| super::vector::between([0.0, 0.0, 1.0], along));
    (from, turn, length(along))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::scene::Role;
    use crate::scene::vector::{IDENTITY, dot};

    fn solid(shape: Shape) -> Solid {
        Solid { shape, colour: STEEL, role: Role::Shape }
    }

    /// Volume inside a closed surface, by the divergence theorem.
    fn volume(surfaces: &[Surface]) -> f64 {
        let triangles = surfaces.iter().flat_map(|surface| {
            surface.mesh.triangles.iter().map(|t| t.map(|k| surface.mesh.positions[k as usize]))
        });
        triangles.map(|[a, b, c]| dot(a, cross(b, c)) / 6.0).sum()
    }

    #[test]
    fn surfaces_are_closed_and_face_outwards() {
        let ball = solid(Shape::Sphere { center: [1.0, 2.0, 3.0], radius: 0.5 }).surfaces(40);
        let exact = 4.0 / 3.0 * std::f64::consts::PI * 0.125;
        assert!((volume(&ball) / exact - 1.0).abs() < 0.03, "{}", volume(&ball));
        let shape = Shape::Box { center: [1.0, 2.0, 3.0], size: [1.0, 2.0, 3.0], rotation: IDENTITY };
        assert!((volume(&solid(shape).surfaces(40)) - 6.0).abs() < 1e-12);
        let shape = Shape::Cylinder { from: [1.0, 0.0, 0.0], to: [1.0, 0.0, 2.0], radius: 0.1 };
        let exact = std::f64::consts::PI * 0.02;
        assert!((volume(&solid(shape).surfaces(40)) / exact - 1.0).abs() < 0.05);
        let shape = Shape::Wheel { from: [0.0; 3], to: [0.0, 0.2, 0.0], radius: 0.3 };
        assert!(volume(&solid(shape).surfaces(40)) > 0.0);
    }

    #[test]
    fn normals_are_unit_vectors_on_the_outside() {
        let shapes = [
            Shape::Sphere { center: [0.0; 3], radius: 0.5 },
            Shape::Cylinder { from: [0.0; 3], to: [0.0, 1.0, 1.0], radius: 0.2 },
            Shape::Box { center: [0.0; 3], size: [1.0, 2.0, 3.0], rotation: IDENTITY },
        ];
        for surface in shapes.into_iter().flat_map(|shape| solid(shape).surfaces(40)) {
            for triangle in &surface.mesh.triangles {
                let [a, b, c] = triangle.map(|k| surface.mesh.positions[k as usize]);
                let flat = cross(sub(b, a), sub(c, a));
                for k in triangle {
                    let normal = surface.mesh.normals[*k as usize];
                    assert!((length(normal) - 1.0).abs() < 1e-12);
                    assert!(dot(normal, flat) > 0.0);
                }
            }
        }
    }
}
