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
            fn is_near(self) -> bool {
                self.abs().simd_le($number::splat(LARGEST)).all()
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
    /// Whether all are within the range of the algorithm.
    fn is_near(self) -> bool;

    /// Sines and cosines, if they are.
    fn near(self) -> (Self, Self);
}

vector!(f64x2, u64x2);
vector!(f64x4, u64x4);
#[cfg(feature = "lanes")]
vector!(f64x8, u64x8);

/// Writes the function for arrays as long as a vector.
macro_rules! several {
    ($(#[$doc:meta])* $name:ident, $far:ident, $number:ident, $lanes:literal: $($x:ident),+) => {
        $(#[$doc])*
        #[inline(always)]
        pub fn $name([$($x),+]: [f64; $lanes]) -> [(f64, f64); $lanes] {
            let angles = $number::new([$($x),+]);
            if angles.is_near() {
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
            [$($x),+].map(crate::sin_cos)
        }
    };
}

several!(
    /// Sines and cosines of two angles in radians, each with the bits of [`sin_cos`](crate::sin_cos).
    sin_cos_2, far_2, f64x2, 2: a, b
);
several!(
    /// Sines and cosines of four angles in radians, each with the bits of [`sin_cos`](crate::sin_cos).
    sin_cos_4, far_4, f64x4, 4: a, b, c, d
);
