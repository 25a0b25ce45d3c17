//! The functions of `mbs-math` under the C calling convention, for compiled code to
//! call by address: the same bits as in every other backend.

use cranelift_codegen::ir::{AbiParam, Signature, Type, types};
use cranelift_codegen::isa::CallConv;
use mbs_symbolic::expr::{BinaryOp, UnaryOp};
use mbs_symbolic::program::ProgramTable;

macro_rules! shims {
    (
        unary { $($unary:ident $unary_fn:ident,)* }
        binary { $($binary:ident $binary_fn:ident,)* }
    ) => {
        /// A function compiled code may call.
        #[derive(Debug, Clone, Copy, PartialEq, Eq)]
        pub(super) enum Shim {
            $($unary,)*
            $($binary,)*
            SinCos,
            Table,
        }

        $(extern "C" fn $unary_fn(x: f64) -> f64 { mbs_math::$unary_fn(x) })*
        $(extern "C" fn $binary_fn(x: f64, y: f64) -> f64 { mbs_math::$binary_fn(x, y) })*

        impl Shim {
            /// All of them; each is at the position of its number.
            pub(super) const ALL: [Self; [$(Self::$unary,)* $(Self::$binary,)* Self::SinCos, Self::Table].len()] =
                [$(Self::$unary,)* $(Self::$binary,)* Self::SinCos, Self::Table];

            /// Its symbol.
            pub(super) fn name(self) -> &'static str {
                match self {
                    $(Self::$unary => concat!("mbs_", stringify!($unary_fn)),)*
                    $(Self::$binary => concat!("mbs_", stringify!($binary_fn)),)*
                    Self::SinCos => "mbs_sin_cos",
                    Self::Table => "mbs_table",
                }
            }

            /// Its address.
            pub(super) fn address(self) -> *const u8 {
                match self {
                    $(Self::$unary => $unary_fn as extern "C" fn(f64) -> f64 as *const u8,)*
                    $(Self::$binary => $binary_fn as extern "C" fn(f64, f64) -> f64 as *const u8,)*
                    Self::SinCos => sin_cos as unsafe extern "C" fn(f64, *mut f64) -> f64 as *const u8,
                    Self::Table => {
                        table as unsafe extern "C" fn(*const ProgramTable, usize, usize, f64) -> f64 as *const u8
                    }
                }
            }

            /// Its signature, as declared above.
            pub(super) fn signature(self, convention: CallConv, pointer: Type) -> Signature {
                let parameters: &[Type] = match self {
                    $(Self::$unary)|* => &[types::F64],
                    $(Self::$binary)|* => &[types::F64, types::F64],
                    Self::SinCos => &[types::F64, pointer],
                    Self::Table => &[pointer, pointer, pointer, types::F64],
                };
                let mut signature = Signature::new(convention);
                signature.params.extend(parameters.iter().map(|&ty| AbiParam::new(ty)));
                signature.returns.push(AbiParam::new(types::F64));
                signature
            }
        }
    };
}

shims! {
    unary {
        Sin sin,
        Cos cos,
        Tan tan,
        Asin asin,
        Acos acos,
        Atan atan,
        Sinh sinh,
        Cosh cosh,
        Tanh tanh,
        Exp exp,
        Log log,
        Floor floor,
    }
    binary {
        Pow pow,
        Atan2 atan2,
        Mod modulo,
    }
}

/// Returns the sine and leaves the cosine behind `cosine`.
///
/// # Safety
/// `cosine` may be written to.
unsafe extern "C" fn sin_cos(x: f64, cosine: *mut f64) -> f64 {
    let (sine, value) = mbs_math::sin_cos(x);
    // SAFETY: compiled code passes a slot of its own stack frame.
    unsafe { cosine.write(value) };
    sine
}

/// Reads table `index` of those at `tables`.
///
/// # Safety
/// `tables` points to more than `index` tables.
unsafe extern "C" fn table(tables: *const ProgramTable, index: usize, derivative: usize, x: f64) -> f64 {
    // SAFETY: compiled code passes the frame's pointer to all tables of the program,
    // and an index that the program's verification has found among them.
    let table = unsafe { &*tables.add(index) };
    table.read(u8::try_from(derivative).unwrap_or(u8::MAX), x)
}

impl Shim {
    /// The shim of a function of one value; `None` if it is an instruction.
    pub(super) fn unary(op: UnaryOp) -> Option<Self> {
        Some(match op {
            UnaryOp::Neg | UnaryOp::Not | UnaryOp::Sqrt => return None,
            UnaryOp::Sin => Self::Sin,
            UnaryOp::Cos => Self::Cos,
            UnaryOp::Tan => Self::Tan,
            UnaryOp::Asin => Self::Asin,
            UnaryOp::Acos => Self::Acos,
            UnaryOp::Atan => Self::Atan,
            UnaryOp::Sinh => Self::Sinh,
            UnaryOp::Cosh => Self::Cosh,
            UnaryOp::Tanh => Self::Tanh,
            UnaryOp::Exp => Self::Exp,
            UnaryOp::Log => Self::Log,
            UnaryOp::Floor => Self::Floor,
        })
    }

    /// The shim of a function of two values; `None` if it is an instruction.
    pub(super) fn binary(op: BinaryOp) -> Option<Self> {
        match op {
            BinaryOp::Pow => Some(Self::Pow),
            BinaryOp::Atan2 => Some(Self::Atan2),
            BinaryOp::Mod => Some(Self::Mod),
            _ => None,
        }
    }
}
