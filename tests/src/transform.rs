//! Rigid transforms over any scalar: a rotation matrix and a translation.

use crate::scalar::Scalar;

/// A vector.
pub type Vec3<S> = [S; 3];
/// A matrix by rows.
pub type Mat3<S> = [[S; 3]; 3];

/// Maps components and points of a frame B into a frame A: the 4×4 matrix
/// [R r; 0 1].
#[derive(Debug, Clone, Copy)]
pub struct Transform<S> {
    /// R_AB.
    pub rot: Mat3<S>,
    /// From A's origin to B's, in A axes.
    pub r: Vec3<S>,
}

impl<S: Scalar> Transform<S> {
    /// No motion.
    pub fn identity() -> Self {
        Self { rot: identity(), r: zero() }
    }

    /// A translation.
    pub fn translation(r: Vec3<S>) -> Self {
        Self { rot: identity(), r }
    }

    /// A rotation.
    pub fn rotation(rot: Mat3<S>) -> Self {
        Self { rot, r: zero() }
    }

    /// This transform, then `next` in the moved frame.
    pub fn then(&self, next: &Self) -> Self {
        Self { rot: multiply(&self.rot, &next.rot), r: self.point(&next.r) }
    }

    /// The inverse of a rigid transform. The transpose stands for the inverse even
    /// where R is a multiple of a rotation (quaternions off the unit sphere).
    pub fn inverse(&self) -> Self {
        let rot = transpose(&self.rot);
        Self { r: apply(&rot, &self.r).map(|a| -a), rot }
    }

    /// A point given in B, in A.
    pub fn point(&self, r: &Vec3<S>) -> Vec3<S> {
        add(&self.r, &apply(&self.rot, r))
    }
}

/// The zero vector.
pub fn zero<S: Scalar>() -> Vec3<S> {
    [S::zero(); 3]
}

/// Constant components.
pub fn constant<S: Scalar>(v: [f64; 3]) -> Vec3<S> {
    v.map(S::constant)
}

/// The unit matrix.
pub fn identity<S: Scalar>() -> Mat3<S> {
    std::array::from_fn(|i| std::array::from_fn(|j| S::constant(f64::from(u8::from(i == j)))))
}

/// a + b.
pub fn add<S: Scalar>(a: &Vec3<S>, b: &Vec3<S>) -> Vec3<S> {
    std::array::from_fn(|i| a[i] + b[i])
}

/// a − b.
pub fn sub<S: Scalar>(a: &Vec3<S>, b: &Vec3<S>) -> Vec3<S> {
    std::array::from_fn(|i| a[i] - b[i])
}

/// factor · a.
pub fn scale<S: Scalar>(factor: S, a: &Vec3<S>) -> Vec3<S> {
    a.map(|a| factor * a)
}

/// a · b.
pub fn dot<S: Scalar>(a: &Vec3<S>, b: &Vec3<S>) -> S {
    a[0] * b[0] + a[1] * b[1] + a[2] * b[2]
}

/// a × b.
pub fn cross<S: Scalar>(a: &Vec3<S>, b: &Vec3<S>) -> Vec3<S> {
    [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]]
}

/// |a|.
pub fn norm<S: Scalar>(a: &Vec3<S>) -> S {
    dot(a, a).sqrt()
}

/// m · a.
pub fn apply<S: Scalar>(m: &Mat3<S>, a: &Vec3<S>) -> Vec3<S> {
    std::array::from_fn(|i| dot(&m[i], a))
}

/// mᵀ · a.
pub fn apply_transpose<S: Scalar>(m: &Mat3<S>, a: &Vec3<S>) -> Vec3<S> {
    apply(&transpose(m), a)
}

/// a · b.
pub fn multiply<S: Scalar>(a: &Mat3<S>, b: &Mat3<S>) -> Mat3<S> {
    let columns = transpose(b);
    std::array::from_fn(|i| std::array::from_fn(|j| dot(&a[i], &columns[j])))
}

/// mᵀ.
pub fn transpose<S: Scalar>(m: &Mat3<S>) -> Mat3<S> {
    std::array::from_fn(|i| std::array::from_fn(|j| m[j][i]))
}

/// The inverse of a multiple of a rotation, which R is off the unit sphere.
pub fn inverse<S: Scalar>(m: &Mat3<S>) -> Mat3<S> {
    let first = column(m, 0);
    let square = dot(&first, &first);
    transpose(m).map(|row| row.map(|entry| entry / square))
}

/// Column `k`: a frame's k-th axis.
pub fn column<S: Scalar>(m: &Mat3<S>, k: usize) -> Vec3<S> {
    [m[0][k], m[1][k], m[2][k]]
}

/// Rotation about the unit vector `axis` (Rodrigues).
pub fn rotation_about<S: Scalar>(axis: [f64; 3], angle: S) -> Mat3<S> {
    let (sin, cos) = (angle.sin(), angle.cos());
    let skew = skew(&constant::<S>(axis));
    std::array::from_fn(|i| {
        std::array::from_fn(|j| {
            let outer = S::constant(axis[i] * axis[j]);
            let unit = S::constant(f64::from(u8::from(i == j)));
            cos * (unit - outer) + outer + sin * skew[i][j]
        })
    })
}

/// The matrix of a ×.
pub fn skew<S: Scalar>(a: &Vec3<S>) -> Mat3<S> {
    [[S::zero(), -a[2], a[1]], [a[2], S::zero(), -a[0]], [-a[1], a[0], S::zero()]]
}

/// The vector of the skew part of m.
pub fn vee<S: Scalar>(m: &Mat3<S>) -> Vec3<S> {
    [(m[2][1] - m[1][2]).scale(0.5), (m[0][2] - m[2][0]).scale(0.5), (m[1][0] - m[0][1]).scale(0.5)]
}

/// The matrix of the quaternion w, x, y, z, homogeneous of degree 2.
pub fn rotation_of_quaternion<S: Scalar>([w, x, y, z]: [S; 4]) -> Mat3<S> {
    let two = S::constant(2.0);
    let (ww, xx, yy, zz) = (w * w, x * x, y * y, z * z);
    [
        [ww + xx - yy - zz, two * (x * y - w * z), two * (x * z + w * y)],
        [two * (x * y + w * z), ww - xx + yy - zz, two * (y * z - w * x)],
        [two * (x * z - w * y), two * (y * z + w * x), ww - xx - yy + zz],
    ]
}

/// ½ q ⊗ (0, ω): the rate of a quaternion whose frame turns with ω in its own axes.
pub fn quaternion_rate<S: Scalar>([w, x, y, z]: [S; 4], [a, b, c]: Vec3<S>) -> [S; 4] {
    [-(x * a) - y * b - z * c, w * a + y * c - z * b, w * b + z * a - x * c, w * c + x * b - y * a]
        .map(|rate| rate.scale(0.5))
}
