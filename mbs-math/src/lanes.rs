//! The functions for four numbers at once, and for eight ([`x8`]).
//!
//! Every lane has the bits of the scalar function of the same name, whatever the others
//! hold. Truth values are masks: all bits of a lane, or none.

/// Writes functions that do one lane after the other.
macro_rules! lane_by_lane {
    ($number:ident: $($name:ident($($arg:ident),+),)*) => {
        $(
            #[doc = concat!("[`crate::", stringify!($name), "`] in each lane.")]
            pub fn $name($($arg: $number),+) -> $number {
                $(let $arg = $arg.to_array();)+
                $number::new(core::array::from_fn(|lane| crate::$name($($arg[lane]),+)))
            }
        )*
    };
}

/// Writes sine and cosine of several vectors: one look at their size is enough for all.
macro_rules! several {
    ($number:ident: $(#[$doc:meta])* $name:ident, $far:ident, $count:literal: $($x:ident),+) => {
        $(#[$doc])*
        #[inline(always)]
        pub fn $name([$($x),+]: [$number; $count]) -> [($number, $number); $count] {
            if $number::are_near(&[$($x),+]) { [$($x.near()),+] } else { $far($($x),+) }
        }

        #[cold]
        #[inline(never)]
        fn $far($($x: $number),+) -> [($number, $number); $count] {
            [$(far($x)),+]
        }
    };
}

/// Writes the functions for vectors of numbers, and of as many integers.
macro_rules! lanes {
    ($number:ident, $bits:ident, $lanes:literal) => {
        use crate::Table;
        use crate::vector::Vector;
        use wide::$bits;
        pub use wide::$number;

        /// Sine and cosine of angles in radians.
        #[inline]
        pub fn sin_cos(x: $number) -> ($number, $number) {
            if $number::are_near(&[x]) { x.near() } else { far(x) }
        }

        /// Some lane needs a longer reduction, or is no number.
        #[cold]
        #[inline(never)]
        fn far(x: $number) -> ($number, $number) {
            let pairs = x.to_array().map(crate::sin_cos);
            ($number::new(pairs.map(|pair| pair.0)), $number::new(pairs.map(|pair| pair.1)))
        }

        several! { $number:
            /// Sines and cosines of two vectors of angles in radians, each with the bits of
            /// [`sin_cos`].
            sin_cos_2, far_2, 2: a, b
        }
        several! { $number:
            /// Sines and cosines of four vectors of angles in radians, each with the bits of
            /// [`sin_cos`].
            sin_cos_4, far_4, 4: a, b, c, d
        }

        /// Sine of angles in radians.
        #[inline]
        pub fn sin(x: $number) -> $number {
            sin_cos(x).0
        }

        /// Cosine of angles in radians.
        #[inline]
        pub fn cos(x: $number) -> $number {
            sin_cos(x).1
        }

        /// Square roots, correctly rounded; NaN for negative x.
        #[inline]
        pub fn sqrt(x: $number) -> $number {
            x.sqrt()
        }

        /// a·b + c, rounded as [`crate::madd`] does.
        #[inline(always)]
        pub fn madd(a: $number, b: $number, c: $number) -> $number {
            if crate::IS_FUSED { a.mul_add(b, c) } else { a * b + c }
        }

        /// a·b − c, rounded as [`crate::msub`] does.
        #[inline(always)]
        pub fn msub(a: $number, b: $number, c: $number) -> $number {
            if crate::IS_FUSED { a.mul_sub(b, c) } else { a * b - c }
        }

        /// c − a·b, rounded as [`crate::nmadd`] does.
        #[inline(always)]
        pub fn nmadd(a: $number, b: $number, c: $number) -> $number {
            if crate::IS_FUSED { a.mul_neg_add(b, c) } else { c - a * b }
        }

        lane_by_lane! { $number:
            tan(x),
            asin(x),
            acos(x),
            atan(x),
            atan2(y, x),
            sinh(x),
            cosh(x),
            tanh(x),
            exp(x),
            log(x),
            pow(x, y),
            floor(x),
            modulo(x, y),
        }

        /// [`crate::spline`] in each lane.
        pub fn spline(table: Table<'_>, derivative: u8, at: $number) -> $number {
            $number::new(at.to_array().map(|at| crate::spline(table, derivative, at)))
        }

        /// [`crate::linear`] in each lane.
        pub fn linear(table: Table<'_>, derivative: u8, at: $number) -> $number {
            $number::new(at.to_array().map(|at| crate::linear(table, derivative, at)))
        }

        /// The same number in all lanes.
        #[inline(always)]
        pub const fn splat(value: f64) -> $number {
            $number::new([value; $lanes])
        }

        /// Where a < b.
        #[inline(always)]
        pub fn less(a: $number, b: $number) -> $number {
            a.simd_lt(b)
        }

        /// Where a ≤ b.
        #[inline(always)]
        pub fn less_equal(a: $number, b: $number) -> $number {
            a.simd_le(b)
        }

        /// Where a number is not zero.
        #[inline(always)]
        pub fn truth(x: $number) -> $number {
            x.simd_ne($number::splat(0.0))
        }

        /// Where a mask does not hold.
        #[inline(always)]
        pub fn not(mask: $number) -> $number {
            mask ^ bytemuck::cast::<$bits, $number>($bits::splat(u64::MAX))
        }

        /// 1 where a mask holds, else 0.
        #[inline(always)]
        pub fn number(mask: $number) -> $number {
            mask & $number::splat(1.0)
        }

        /// The mask of truth values.
        #[inline]
        pub fn mask(holds: [bool; $lanes]) -> $number {
            $number::new(holds.map(|holds| f64::from_bits(if holds { u64::MAX } else { 0 })))
        }

        /// `yes` where a mask holds, else `no`.
        #[inline(always)]
        pub fn select(mask: $number, yes: $number, no: $number) -> $number {
            mask.select(yes, no)
        }
    };
}

lanes!(f64x4, u64x4, 4);

/// The functions for eight numbers at once.
pub mod x8 {
    lanes!(f64x8, u64x8, 8);
}
