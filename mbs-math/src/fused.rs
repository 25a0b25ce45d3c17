//! Products and sums with one rounding, where the processor has an instruction for them.
//!
//! Only code that is generated with fused multiply-add calls these: their bits depend on what
//! the code is compiled for.

/// Whether products and sums are rounded once: where the code is compiled for a processor with
/// such an instruction, for example by `RUSTFLAGS=-Ctarget-cpu=native`, and with the feature `std`.
/// Elsewhere they are rounded twice, as if they were written out.
pub const IS_FUSED: bool = cfg!(all(feature = "std", any(target_feature = "fma", target_arch = "aarch64")));

macro_rules! fused {
    ($number:ident: $madd:ident $msub:ident $nmadd:ident) => {
        /// a·b + c.
        #[inline(always)]
        pub fn $madd(a: $number, b: $number, c: $number) -> $number {
            #[cfg(feature = "std")]
            if IS_FUSED {
                return a.mul_add(b, c);
            }
            a * b + c
        }

        /// a·b − c.
        #[inline(always)]
        pub fn $msub(a: $number, b: $number, c: $number) -> $number {
            $madd(a, b, -c)
        }

        /// c − a·b.
        #[inline(always)]
        pub fn $nmadd(a: $number, b: $number, c: $number) -> $number {
            $madd(-a, b, c)
        }
    };
}

fused!(f64: madd msub nmadd);
fused!(f32: madd_f32 msub_f32 nmadd_f32);
