//! Sine and cosine of several angles at once.
//!
//! Vector registers hold two numbers on every processor of 64 bits, and the algorithm of [`trig`]
//! has no branches: two angles take the time of one.
//!
//! [`trig`]: crate::trig

use crate::trig::{LARGEST, Real, kernels, quarter_turns};
use wide::{f64x2, f64x4, u64x2, u64x4};
#[cfg(feature = "lanes")]
use wide::{f64x8, u64x8};

/// Writes what the algorithm takes for vectors of numbers, and of as many integers.
macro_rules! vector {
    ($number:ident, $bits:ident) => {
        impl Real for $number {
            #[inline(always)]
            fn of(value: f64) -> Self {
                $number::splat(value)
            }
        }

        impl Vector for $number {
            #[inline(always)]
            fn are_near(angles: &[Self]) -> bool {
                let near = |angle: &Self| angle.abs().simd_le($number::splat(LARGEST));
                let mut all = near(&angles[0]);
                for angle in &angles[1..] {
                    all &= near(angle);
                }
                all.all()
            }

            #[inline(always)]
            fn near(self) -> (Self, Self) {
                let turns = quarter_turns(self);
                let (sine, cosine) = kernels(self, turns);
                let turns: $bits = bytemuck::cast(turns);
                let (sine, cosine): ($bits, $bits) = (bytemuck::cast(sine), bytemuck::cast(cosine));
                let one = $bits::splat(1);
                // All bits where the number is odd: then the two change places.
                let odd = $bits::splat(0) - (turns & one);
                let difference = (sine ^ cosine) & odd;
                let sign = |quarter: $bits| (quarter << 62) & $bits::splat(1 << 63);
                let sine = sine ^ difference ^ sign(turns);
                let cosine = cosine ^ difference ^ sign(turns + one);
                (bytemuck::cast(sine), bytemuck::cast(cosine))
            }
        }
    };
}
/// A vector of angles.
pub(crate) trait Vector: Real {
    /// Whether all angles of some vectors, one at least, are within the range of the algorithm.
    fn are_near(angles: &[Self]) -> bool;

    /// Sines and cosines, if they are.
    fn near(self) -> (Self, Self);
}

vector!(f64x2, u64x2);
vector!(f64x4, u64x4);
#[cfg(feature = "lanes")]
vector!(f64x8, u64x8);

/// Writes the functions for arrays as long as a vector.
macro_rules! several {
    ($(#[$doc:meta])* $name:ident, $together:ident, $far:ident, $number:ident, $lanes:literal: $($x:ident),+) => {
        $(#[$doc])*
        #[inline(always)]
        pub fn $name([$($x),+]: [f64; $lanes]) -> [(f64, f64); $lanes] {
            // Where nothing is optimised an operation on vectors is several calls, and all of this six
            // times slower than one angle after the other.
            if cfg!(debug_assertions) { [$(crate::sin_cos($x)),+] } else { $together($($x),+) }
        }

        #[inline(always)]
        fn $together($($x: f64),+) -> [(f64, f64); $lanes] {
            let angles = $number::new([$($x),+]);
            if $number::are_near(&[angles]) {
                let (sines, cosines) = angles.near();
                let (sines, cosines) = (sines.to_array(), cosines.to_array());
                core::array::from_fn(|lane| (sines[lane], cosines[lane]))
            } else {
                $far($($x),+)
            }
        }

        /// Some angle needs a longer reduction, or is no number. Angles come one by one: an array
        /// would be in memory, and the vector would wait until it is there.
        #[cold]
        #[inline(never)]
        fn $far($($x: f64),+) -> [(f64, f64); $lanes] {
            [$(crate::sin_cos($x)),+]
        }
    };
}

several!(
    /// Sines and cosines of two angles in radians, each with the bits of [`sin_cos`](crate::sin_cos).
    sin_cos_2, together_2, far_2, f64x2, 2: a, b
);
several!(
    /// Sines and cosines of four angles in radians, each with the bits of [`sin_cos`](crate::sin_cos).
    sin_cos_4, together_4, far_4, f64x4, 4: a, b, c, d
);

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sin_cos;

    /// Ordinary angles and those that take another way, in every place beside every other.
    const ANGLES: [f64; 14] = [
        0.0,
        -0.0,
        0.3,
        -2.5,
        45.553_093_477_052,
        -777.7,
        1e-310,
        1e5,
        -1e5,
        100_000.000_000_000_01,
        -1e300,
        f64::INFINITY,
        f64::NEG_INFINITY,
        f64::NAN,
    ];

    fn assert_bits<const N: usize>(angles: [f64; N], pairs: [(f64, f64); N]) {
        let bits = |x: f64| if x.is_nan() { u64::MAX } else { x.to_bits() };
        for (angle, (sine, cosine)) in angles.into_iter().zip(pairs) {
            let expected = sin_cos(angle);
            assert_eq!((bits(sine), bits(cosine)), (bits(expected.0), bits(expected.1)), "{angles:?}");
        }
    }

    #[test]
    fn every_angle_has_its_bits_whatever_the_others_are() {
        for a in ANGLES {
            for b in ANGLES {
                assert_bits([a, b], together_2(a, b));
                for c in ANGLES {
                    for d in ANGLES {
                        assert_bits([a, b, c, d], together_4(a, b, c, d));
                    }
                }
            }
        }
    }

    #[test]
    fn every_quarter_turn() {
        for k in -500..500 {
            let [a, b, c, d] = [0.0, 0.25, 0.5, 0.99].map(|part| (f64::from(k) + part) * 1.57);
            assert_bits([a, b], together_2(a, b));
            assert_bits([a, b, c, d], together_4(a, b, c, d));
            assert_bits([d, -c, b, -a], together_4(d, -c, b, -a));
        }
    }
}
