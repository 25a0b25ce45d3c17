//! The functions for four numbers at once.
//!
//! Every lane has the bits of the scalar function of the same name, whatever the others
//! hold. Truth values are masks: all bits of a lane, or none.

use crate::Table;
use crate::trig::{LARGEST, Real, kernels, quarter_turns};
pub use wide::f64x4;
use wide::u64x4;

impl Real for f64x4 {
    #[inline(always)]
    fn of(value: f64) -> Self {
        f64x4::splat(value)
    }
}

/// Sine and cosine of angles in radians.
#[inline]
pub fn sin_cos(x: f64x4) -> (f64x4, f64x4) {
    if x.abs().simd_le(f64x4::splat(LARGEST)).all() {
        let turns = quarter_turns(x);
        let (sine, cosine) = kernels(x, turns);
        let bits: u64x4 = bytemuck::cast(turns);
        let one = u64x4::splat(1);
        let odd: f64x4 = bytemuck::cast((bits & one).simd_eq(one));
        let (s, c) = (odd.select(cosine, sine), odd.select(sine, cosine));
        let sign = |quarter: u64x4| -> f64x4 { bytemuck::cast((quarter << 62) & u64x4::splat(1 << 63)) };
        (s ^ sign(bits), c ^ sign(bits + one))
    } else {
        far(x)
    }
}

/// Some lane needs a longer reduction, or is no number.
#[cold]
#[inline(never)]
fn far(x: f64x4) -> (f64x4, f64x4) {
    let pairs = x.to_array().map(crate::sin_cos);
    (f64x4::new(pairs.map(|pair| pair.0)), f64x4::new(pairs.map(|pair| pair.1)))
}

/// Sine of angles in radians.
#[inline]
pub fn sin(x: f64x4) -> f64x4 {
    sin_cos(x).0
}

/// Cosine of angles in radians.
#[inline]
pub fn cos(x: f64x4) -> f64x4 {
    sin_cos(x).1
}

/// Square roots, correctly rounded; NaN for negative x.
#[inline]
pub fn sqrt(x: f64x4) -> f64x4 {
    x.sqrt()
}

/// a·b + c, rounded as [`crate::madd`] does.
#[inline(always)]
pub fn madd(a: f64x4, b: f64x4, c: f64x4) -> f64x4 {
    if crate::IS_FUSED { a.mul_add(b, c) } else { a * b + c }
}

/// a·b − c, rounded as [`crate::msub`] does.
#[inline(always)]
pub fn msub(a: f64x4, b: f64x4, c: f64x4) -> f64x4 {
    if crate::IS_FUSED { a.mul_sub(b, c) } else { a * b - c }
}

/// c − a·b, rounded as [`crate::nmadd`] does.
#[inline(always)]
pub fn nmadd(a: f64x4, b: f64x4, c: f64x4) -> f64x4 {
    if crate::IS_FUSED { a.mul_neg_add(b, c) } else { c - a * b }
}

macro_rules! lane_by_lane {
    ($($name:ident($($arg:ident),+),)*) => {
        $(
            #[doc = concat!("[`crate::", stringify!($name), "`] in each lane.")]
            pub fn $name($($arg: f64x4),+) -> f64x4 {
                $(let $arg = $arg.to_array();)+
                f64x4::new(core::array::from_fn(|lane| crate::$name($($arg[lane]),+)))
            }
        )*
    };
}

lane_by_lane! {
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
pub fn spline(table: Table<'_>, derivative: u8, at: f64x4) -> f64x4 {
    f64x4::new(at.to_array().map(|at| crate::spline(table, derivative, at)))
}

/// [`crate::linear`] in each lane.
pub fn linear(table: Table<'_>, derivative: u8, at: f64x4) -> f64x4 {
    f64x4::new(at.to_array().map(|at| crate::linear(table, derivative, at)))
}

/// The same number in all lanes.
#[inline(always)]
pub const fn splat(value: f64) -> f64x4 {
    f64x4::new([value; 4])
}

/// Where a < b.
#[inline(always)]
pub fn less(a: f64x4, b: f64x4) -> f64x4 {
    a.simd_lt(b)
}

/// Where a ≤ b.
#[inline(always)]
pub fn less_equal(a: f64x4, b: f64x4) -> f64x4 {
    a.simd_le(b)
}

/// Where a number is not zero.
#[inline(always)]
pub fn truth(x: f64x4) -> f64x4 {
    x.simd_ne(f64x4::splat(0.0))
}

/// Where a mask does not hold.
#[inline(always)]
pub fn not(mask: f64x4) -> f64x4 {
    mask ^ bytemuck::cast::<u64x4, f64x4>(u64x4::splat(u64::MAX))
}

/// 1 where a mask holds, else 0.
#[inline(always)]
pub fn number(mask: f64x4) -> f64x4 {
    mask & f64x4::splat(1.0)
}

/// The mask of four truth values.
#[inline]
pub fn mask(holds: [bool; 4]) -> f64x4 {
    f64x4::new(holds.map(|holds| f64::from_bits(if holds { u64::MAX } else { 0 })))
}

/// `yes` where a mask holds, else `no`.
#[inline(always)]
pub fn select(mask: f64x4, yes: f64x4, no: f64x4) -> f64x4 {
    mask.select(yes, no)
}
