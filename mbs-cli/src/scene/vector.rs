//! Vectors and unit quaternions as plain arrays; quaternions are scalar-first.

/// A vector or a point.
pub(crate) type Vec3 = [f64; 3];
/// A unit quaternion (w, x, y, z); maps body components to ground components.
pub(crate) type Quaternion = [f64; 4];

/// No rotation.
pub(crate) const IDENTITY: Quaternion = [1.0, 0.0, 0.0, 0.0];

pub(crate) fn add(a: Vec3, b: Vec3) -> Vec3 {
    [a[0] + b[0], a[1] + b[1], a[2] + b[2]]
}

pub(crate) fn sub(a: Vec3, b: Vec3) -> Vec3 {
    [a[0] - b[0], a[1] - b[1], a[2] - b[2]]
}

pub(crate) fn scale(a: Vec3, factor: f64) -> Vec3 {
    a.map(|x| x * factor)
}

pub(crate) fn dot(a: Vec3, b: Vec3) -> f64 {
    a[0] * b[0] + a[1] * b[1] + a[2] * b[2]
}

pub(crate) fn cross(a: Vec3, b: Vec3) -> Vec3 {
    [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]]
}

pub(crate) fn length(a: Vec3) -> f64 {
    dot(a, a).sqrt()
}

pub(crate) fn distance(a: Vec3, b: Vec3) -> f64 {
    length(sub(a, b))
}

/// The direction of `a`; `None` if it has none.
pub(crate) fn direction(a: Vec3) -> Option<Vec3> {
    let length = length(a);
    (length > 0.0 && length.is_finite()).then(|| scale(a, 1.0 / length))
}

/// Any direction across a unit vector.
pub(crate) fn across(a: Vec3) -> Vec3 {
    let flat = if a[0].abs() < 0.7 { [1.0, 0.0, 0.0] } else { [0.0, 1.0, 0.0] };
    direction(cross(a, flat)).unwrap_or([1.0, 0.0, 0.0])
}

/// Distance of a point from the piece of a line between two others.
pub(crate) fn distance_to_segment(point: Vec3, from: Vec3, to: Vec3) -> f64 {
    let along = sub(to, from);
    let part = (dot(sub(point, from), along) / dot(along, along).max(f64::MIN_POSITIVE)).clamp(0.0, 1.0);
    distance(point, add(from, scale(along, part)))
}

/// First b, then a.
pub(crate) fn multiply(a: Quaternion, b: Quaternion) -> Quaternion {
    [
        a[0] * b[0] - a[1] * b[1] - a[2] * b[2] - a[3] * b[3],
        a[0] * b[1] + a[1] * b[0] + a[2] * b[3] - a[3] * b[2],
        a[0] * b[2] - a[1] * b[3] + a[2] * b[0] + a[3] * b[1],
        a[0] * b[3] + a[1] * b[2] - a[2] * b[1] + a[3] * b[0],
    ]
}

/// The opposite rotation.
pub(crate) fn conjugate(q: Quaternion) -> Quaternion {
    [q[0], -q[1], -q[2], -q[3]]
}

/// Rotation about a unit axis, rad.
pub(crate) fn about(axis: Vec3, angle: f64) -> Quaternion {
    let (sin, cos) = (0.5 * angle).sin_cos();
    [cos, axis[0] * sin, axis[1] * sin, axis[2] * sin]
}

/// The shortest rotation that turns one unit vector into another.
pub(crate) fn between(from: Vec3, to: Vec3) -> Quaternion {
    let real = 1.0 + dot(from, to);
    if real < 1e-12 {
        return about(across(from), std::f64::consts::PI);
    }
    let [x, y, z] = cross(from, to);
    let norm = (real * real + x * x + y * y + z * z).sqrt();
    [real / norm, x / norm, y / norm, z / norm]
}

/// Components after the rotation.
pub(crate) fn rotate(q: Quaternion, v: Vec3) -> Vec3 {
    let axis = [q[1], q[2], q[3]];
    let twice = scale(cross(axis, v), 2.0);
    add(add(v, scale(twice, q[0])), cross(axis, twice))
}

/// The quaternion of a rotation matrix given row by row (Shepperd 1978: divides by the
/// largest of the four components).
pub(crate) fn from_matrix(r: &[f64]) -> Quaternion {
    let trace = r[0] + r[4] + r[8];
    let squares = [trace, r[0] + r[0] - trace, r[4] + r[4] - trace, r[8] + r[8] - trace];
    let largest = (0..4).fold(0, |best, k| if squares[k] > squares[best] { k } else { best });
    let [wx, wy, wz] = [r[7] - r[5], r[2] - r[6], r[3] - r[1]];
    let [xy, xz, yz] = [r[1] + r[3], r[2] + r[6], r[5] + r[7]];
    let own = 1.0 + squares[largest];
    let q = match largest {
        0 => [own, wx, wy, wz],
        1 => [wx, own, xy, xz],
        2 => [wy, xy, own, yz],
        _ => [wz, xz, yz, own],
    };
    let norm = q.iter().map(|x| x * x).sum::<f64>().sqrt();
    q.map(|x| x / norm)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::f64::consts::{FRAC_PI_2, PI};

    fn close(a: Vec3, b: Vec3) {
        assert!(distance(a, b) < 1e-14, "{a:?} is not {b:?}");
    }

    #[test]
    fn a_quarter_turn_about_z_takes_x_to_y() {
        close(rotate(about([0.0, 0.0, 1.0], FRAC_PI_2), [1.0, 0.0, 0.0]), [0.0, 1.0, 0.0]);
    }

    #[test]
    fn matrices_and_quaternions_turn_alike() {
        let axis = direction([1.0, -2.0, 0.5]).unwrap();
        for angle in [0.0, 0.3, 1.5, 3.0, PI, -2.9] {
            for axis in [axis, [1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]] {
                let q = about(axis, angle);
                let columns = [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]].map(|e| rotate(q, e));
                let matrix: Vec<f64> = (0..9).map(|k| columns[k % 3][k / 3]).collect();
                let again = from_matrix(&matrix);
                close(rotate(again, [0.3, 0.4, -0.9]), rotate(q, [0.3, 0.4, -0.9]));
            }
        }
    }

    #[test]
    fn the_shortest_turn_and_the_longest() {
        let to = direction([0.2, -1.0, 0.4]).unwrap();
        close(rotate(between([0.0, 0.0, 1.0], to), [0.0, 0.0, 1.0]), to);
        close(rotate(between([0.0, 0.0, 1.0], [0.0, 0.0, -1.0]), [0.0, 0.0, 1.0]), [0.0, 0.0, -1.0]);
        let (a, b) = (about(to, 0.4), about([1.0, 0.0, 0.0], 1.0));
        close(rotate(multiply(a, b), [0.0, 1.0, 0.0]), rotate(a, rotate(b, [0.0, 1.0, 0.0])));
        close(rotate(conjugate(a), rotate(a, [0.0, 1.0, 0.0])), [0.0, 1.0, 0.0]);
    }

    #[test]
    fn a_point_beside_and_beyond_a_segment() {
        assert_eq!(distance_to_segment([0.5, 1.0, 0.0], [0.0; 3], [1.0, 0.0, 0.0]), 1.0);
        assert_eq!(distance_to_segment([3.0, 0.0, 0.0], [0.0; 3], [1.0, 0.0, 0.0]), 2.0);
        assert_eq!(distance_to_segment([0.0, 2.0, 0.0], [0.0; 3], [0.0; 3]), 2.0);
    }
}
