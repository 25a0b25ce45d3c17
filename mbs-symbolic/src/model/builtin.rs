//! The functions formulas may call.

use super::Function;
use mbs_math::TableKind;

/// What a built-in name does.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Builtin {
    /// A function of one argument.
    One(Function),
    /// A function of two arguments.
    Two(Function),
    /// `min` or `max` of two or more arguments.
    Many(Function),
    If,
    Der,
    /// A table and an argument.
    Table(TableKind),
    Query(QueryKind),
}

/// A question about the mechanism's motion, before its frames are known.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum QueryKind {
    Position,
    Velocity,
    Acceleration,
    AngularVelocity,
    Rotation,
    Distance,
    Reaction,
}

/// Every built-in function by its name.
pub(super) const BUILTINS: [(&str, Builtin); 30] = [
    ("sin", Builtin::One(Function::Sin)),
    ("cos", Builtin::One(Function::Cos)),
    ("tan", Builtin::One(Function::Tan)),
    ("asin", Builtin::One(Function::Asin)),
    ("acos", Builtin::One(Function::Acos)),
    ("atan", Builtin::One(Function::Atan)),
    ("atan2", Builtin::Two(Function::Atan2)),
    ("sinh", Builtin::One(Function::Sinh)),
    ("cosh", Builtin::One(Function::Cosh)),
    ("tanh", Builtin::One(Function::Tanh)),
    ("exp", Builtin::One(Function::Exp)),
    ("log", Builtin::One(Function::Log)),
    ("sqrt", Builtin::One(Function::Sqrt)),
    ("abs", Builtin::One(Function::Abs)),
    ("sign", Builtin::One(Function::Sign)),
    ("floor", Builtin::One(Function::Floor)),
    ("min", Builtin::Many(Function::Min)),
    ("max", Builtin::Many(Function::Max)),
    ("mod", Builtin::Two(Function::Mod)),
    ("if", Builtin::If),
    ("der", Builtin::Der),
    ("spline", Builtin::Table(TableKind::Spline)),
    ("linear", Builtin::Table(TableKind::Linear)),
    ("position", Builtin::Query(QueryKind::Position)),
    ("velocity", Builtin::Query(QueryKind::Velocity)),
    ("acceleration", Builtin::Query(QueryKind::Acceleration)),
    ("angular_velocity", Builtin::Query(QueryKind::AngularVelocity)),
    ("rotation", Builtin::Query(QueryKind::Rotation)),
    ("distance", Builtin::Query(QueryKind::Distance)),
    ("reaction", Builtin::Query(QueryKind::Reaction)),
];

/// The built-in function of this name.
pub(super) fn find(name: &str) -> Option<Builtin> {
    BUILTINS.iter().find(|(known, _)| *known == name).map(|(_, builtin)| *builtin)
}

impl Builtin {
    /// How many of the leading arguments are names of frames, joints or tables.
    pub(super) fn references(self) -> usize {
        match self {
            Self::Query(_) => usize::MAX,
            Self::Table(_) => 1,
            _ => 0,
        }
    }
}

impl QueryKind {
    /// Its components, for messages; empty for a number.
    pub(super) fn components(self) -> &'static str {
        match self {
            Self::Rotation => ".xx, .xy, .xz, .yx, .yy, .yz, .zx, .zy or .zz",
            Self::Reaction => ".fx, .fy, .fz, .tx, .ty or .tz",
            Self::Distance => "",
            _ => ".x, .y or .z",
        }
    }

    /// Its options, for messages.
    pub(super) fn options(self) -> &'static str {
        match self {
            Self::Rotation => "`relative_to`",
            Self::Distance | Self::Reaction => "",
            _ => "`relative_to` and `in`",
        }
    }
}

impl Function {
    /// Whether its value or slope jumps somewhere.
    pub(super) fn has_kinks(self) -> bool {
        matches!(self, Self::Abs | Self::Sign | Self::Min | Self::Max | Self::Floor | Self::Mod)
    }

    /// Its name in formulas.
    pub fn name(self) -> &'static str {
        BUILTINS
            .iter()
            .find(|(_, builtin)| {
                matches!(builtin, Builtin::One(f) | Builtin::Two(f) | Builtin::Many(f) if *f == self)
            })
            .map_or("", |(name, _)| name)
    }
}
