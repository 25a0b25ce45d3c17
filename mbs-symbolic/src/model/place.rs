//! Where a formula stands, and so what it may refer to.

use super::Scope;

/// What a formula uses, as a set of bits.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Needs(pub(super) u16);

#[expect(missing_docs, reason = "each is named after what is used")]
impl Needs {
    pub const NOTHING: Self = Self(0);
    pub const PARAMETER: Self = Self(1);
    pub const TIME: Self = Self(1 << 1);
    /// An input supplied with two derivatives.
    pub const SMOOTH_INPUT: Self = Self(1 << 2);
    pub const INPUT: Self = Self(1 << 3);
    pub const COORDINATE: Self = Self(1 << 4);
    pub const POSITION_QUERY: Self = Self(1 << 5);
    /// Velocities, velocity queries, `der` of positions and inputs.
    pub const VELOCITY: Self = Self(1 << 6);
    pub const STATE: Self = Self(1 << 7);
    pub const VARIABLE: Self = Self(1 << 8);
    /// Jumps or kinks in something that varies.
    pub const KINK: Self = Self(1 << 9);
    /// Accelerations and reactions.
    pub const ACCELERATION: Self = Self(1 << 10);
    /// Second derivative of an input.
    pub const INPUT_ACCELERATION: Self = Self(1 << 11);
    /// The rate of an auxiliary state.
    pub const STATE_RATE: Self = Self(1 << 12);

    /// Whether all of `other` is in `self`.
    pub const fn contains(self, other: Self) -> bool {
        self.0 & other.0 == other.0
    }

    /// Both sets together.
    #[must_use]
    pub const fn and(self, other: Self) -> Self {
        Self(self.0 | other.0)
    }

    /// What is in `self` but not in `other`.
    #[must_use]
    pub const fn without(self, other: Self) -> Self {
        Self(self.0 & !other.0)
    }
}

/// Where a formula stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FormulaContext {
    /// A bare number: tolerances, ranges.
    Constant,
    /// Masses, geometry, initial values.
    Parameters,
    /// Default of an input.
    InputDefault,
    /// Default of an input with derivatives.
    SmoothInputDefault,
    /// Body of a user function.
    Function,
    /// Argument of a joint.
    JointArgument,
    /// Value of a prescribed motion.
    Motion,
    /// Position-level equation.
    Constraint,
    /// Velocity-level equation.
    VelocityConstraint,
    /// Force law or variable.
    Law,
    /// Force law with the locals `length` and `rate`.
    SpringLaw,
    /// Road under a contact, with the locals `x` and `y`.
    Road,
    /// Rate of an auxiliary state.
    StateRate,
    /// Output.
    Output,
}

impl FormulaContext {
    /// What may be used there. Variables are judged by what they use themselves.
    pub(super) const fn allowed(self) -> Needs {
        const fn set(base: Needs, more: &[Needs]) -> Needs {
            let mut all = base;
            let mut i = 0;
            while i < more.len() {
                all = all.and(more[i]);
                i += 1;
            }
            all
        }
        const PARAMETERS: Needs = Needs::PARAMETER;
        const TIME: Needs = set(PARAMETERS, &[Needs::TIME]);
        const MOTION: Needs = set(TIME, &[Needs::SMOOTH_INPUT]);
        const ARGUMENT: Needs = set(MOTION, &[Needs::COORDINATE]);
        const CONSTRAINT: Needs = set(ARGUMENT, &[Needs::POSITION_QUERY, Needs::VARIABLE]);
        const VELOCITY: Needs = set(CONSTRAINT, &[Needs::VELOCITY]);
        const RATE: Needs =
            set(VELOCITY, &[Needs::INPUT, Needs::STATE, Needs::KINK, Needs::INPUT_ACCELERATION]);
        const LAW: Needs = set(RATE, &[Needs::STATE_RATE]);
        match self {
            Self::Constant => Needs::NOTHING,
            Self::Parameters => PARAMETERS,
            Self::InputDefault => set(TIME, &[Needs::KINK]),
            Self::SmoothInputDefault => TIME,
            Self::Function => set(MOTION, &[Needs::INPUT, Needs::KINK]),
            Self::Motion => MOTION,
            Self::Road => set(MOTION, &[Needs::KINK]),
            Self::JointArgument => ARGUMENT,
            Self::Constraint => CONSTRAINT,
            Self::VelocityConstraint => VELOCITY,
            Self::StateRate => RATE,
            Self::Law | Self::SpringLaw => LAW,
            Self::Output => set(LAW, &[Needs::ACCELERATION]),
        }
    }

    /// The contract later stages rely on.
    pub const fn scope(self) -> Scope {
        match self {
            Self::Constant | Self::Parameters => Scope::Parameters,
            Self::InputDefault | Self::SmoothInputDefault => Scope::Time,
            Self::JointArgument | Self::Motion => Scope::JointArgument,
            Self::Constraint => Scope::Constraint,
            Self::VelocityConstraint => Scope::VelocityConstraint,
            Self::Function | Self::Law | Self::SpringLaw | Self::Road | Self::StateRate => Scope::Law,
            Self::Output => Scope::Output,
        }
    }

    /// What the place is called in messages.
    pub(super) const fn describe(self) -> &'static str {
        match self {
            Self::Constant => "a fixed number",
            Self::Parameters => "masses, geometry, parameters or initial values",
            Self::InputDefault => "the default of an input",
            Self::SmoothInputDefault => "the default of an input with derivatives",
            Self::Function => "a function",
            Self::JointArgument => "the argument of a joint",
            Self::Motion => "a prescribed motion",
            Self::Constraint => "a position-level equation",
            Self::VelocityConstraint => "a velocity-level equation",
            Self::Law | Self::SpringLaw => "a force law or variable",
            Self::Road => "the road of a contact",
            Self::StateRate => "the derivative of a state",
            Self::Output => "an output",
        }
    }

    /// What may be used there, in words.
    pub(super) const fn allowed_words(self) -> &'static str {
        match self {
            Self::Constant => "numbers and `pi`",
            Self::Parameters => "numbers, parameters, tables and functions",
            Self::InputDefault | Self::SmoothInputDefault => "numbers, parameters, `t`, tables and functions",
            Self::Function => "its arguments, parameters, `t`, inputs, tables and other functions",
            Self::JointArgument => {
                "parameters, `t`, the joint's coordinates and inputs with `derivatives: 2`"
            }
            Self::Motion => "parameters, `t` and inputs with `derivatives: 2`",
            Self::Constraint => {
                "parameters, `t`, coordinates, inputs with `derivatives: 2`, `position`, `rotation` and `distance`"
            }
            Self::VelocityConstraint => {
                "what a position-level equation may use, and velocities, `der`, `velocity`, `angular_velocity`"
            }
            Self::Law | Self::SpringLaw => {
                "everything but `acceleration`, `reaction` and `der` of velocities"
            }
            Self::StateRate => {
                "everything but `acceleration`, `reaction`, `der` of velocities and `der` of states"
            }
            Self::Road => "`x`, `y`, `t`, parameters, tables, functions and inputs with `derivatives: 2`",
            Self::Output => "everything",
        }
    }

    /// Names the surrounding element supplies, in the order of `TermKind::Local`.
    pub(super) const fn locals(self) -> &'static [&'static str] {
        match self {
            Self::SpringLaw => &["length", "rate"],
            Self::Road => &["x", "y"],
            _ => &[],
        }
    }
}
