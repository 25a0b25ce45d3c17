//! The functions of a model: one table says what each returns.

/// An array a function fills.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Quantity {
    /// p' = T v.
    PDot,
    /// T.
    KinematicMatrix,
    /// M.
    MassMatrix,
    /// f.
    Forces,
    /// g.
    Constraints,
    /// G.
    ConstraintJacobian,
    /// c.
    VelocityBias,
    /// z.
    AccelerationBias,
    /// x' = a.
    Auxiliary,
    /// M v' − f.
    InverseDynamics,
    /// Switching functions of the modes.
    Switching,
    /// Named outputs.
    Outputs,
    /// Twelve numbers per body: origin in ground axes, then the rotation matrix row by
    /// row (body to ground).
    Poses,
    /// Kinetic and potential energy.
    Energy,
    /// Defaults of the inputs.
    InputDefaults,
    /// Default initial p.
    InitialP,
    /// Default initial v.
    InitialV,
    /// Default initial x.
    InitialX,
    /// Derived parameters.
    Derived,
    /// Derivatives of the residuals with respect to p, v, x and u.
    Jacobian,
    /// v'.
    Accelerations,
    /// λ.
    Multipliers,
    /// Pivots of the solution for v' and λ, velocities first.
    Pivots,
    /// Cosines that tell joints that are closed from joints turned over.
    ClosureCosines,
    /// Prepared values after θ.
    Prepared,
}

impl Quantity {
    /// Its name in generated code.
    pub fn name(self) -> &'static str {
        match self {
            Self::PDot => "p_dot",
            Self::KinematicMatrix => "kinematic_matrix",
            Self::MassMatrix => "mass_matrix",
            Self::Forces => "forces",
            Self::Constraints => "constraints",
            Self::ConstraintJacobian => "constraint_jacobian",
            Self::VelocityBias => "velocity_bias",
            Self::AccelerationBias => "acceleration_bias",
            Self::Auxiliary => "auxiliary",
            Self::InverseDynamics => "inverse_dynamics",
            Self::Switching => "switching",
            Self::Outputs => "outputs",
            Self::Poses => "poses",
            Self::Energy => "energy",
            Self::InputDefaults => "input_defaults",
            Self::InitialP => "p",
            Self::InitialV => "v",
            Self::InitialX => "x",
            Self::Derived => "derived",
            Self::Jacobian => "jacobian",
            Self::Accelerations => "v_dot",
            Self::Multipliers => "lambda",
            Self::Pivots => "pivots",
            Self::ClosureCosines => "closure_cosines",
            Self::Prepared => "prepared",
        }
    }
}

macro_rules! functions {
    ($($(#[doc = $doc:literal])+ $kind:ident, $name:literal, [$($quantity:ident),*];)*) => {
        /// A function of a model.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub enum FunctionKind {
            $($(#[doc = $doc])+ $kind),*
        }

        impl FunctionKind {
            /// All kinds in the order of `Program::functions`.
            pub const ALL: [Self; [$(Self::$kind),*].len()] = [$(Self::$kind),*];

            /// Its name in generated code and statistics.
            pub fn name(self) -> &'static str {
                match self { $(Self::$kind => $name),* }
            }

            /// What it computes, in a sentence.
            pub fn doc(self) -> &'static str {
                match self { $(Self::$kind => concat!($($doc),+).trim_ascii()),* }
            }

            /// The arrays it fills, in order.
            pub fn quantities(self) -> &'static [Quantity] {
                match self { $(Self::$kind => &[$(Quantity::$quantity),*]),* }
            }
        }
    };
}

functions! {
    /// Rates of the positions, p' = T v.
    Kinematics, "kinematics", [PDot];
    /// The matrix T of p' = T v.
    KinematicMatrix, "kinematic_matrix", [KinematicMatrix];
    /// Mass matrix M.
    MassMatrix, "mass_matrix", [MassMatrix];
    /// Applied and gyroscopic forces f.
    Forces, "forces", [Forces];
    /// Holonomic constraints g.
    Constraints, "constraints", [Constraints];
    /// Constraint Jacobian G.
    ConstraintJacobian, "constraint_jacobian", [ConstraintJacobian];
    /// Velocity-level bias c of 0 = G v + c.
    VelocityBias, "velocity_bias", [VelocityBias];
    /// Acceleration-level bias z of 0 = G v' + z.
    AccelerationBias, "acceleration_bias", [AccelerationBias];
    /// Rates of the auxiliary states, x' = a.
    Auxiliary, "auxiliary", [Auxiliary];
    /// Everything an integrator needs per stage: p', M, f, G, z and x', with what they share computed once.
    Fused, "fused", [PDot, MassMatrix, Forces, ConstraintJacobian, AccelerationBias, Auxiliary];
    /// Generalised forces M v' − f that produce v'.
    InverseDynamics, "inverse_dynamics", [InverseDynamics];
    /// Switching functions of the modes.
    SwitchingFunctions, "switching_functions", [Switching];
    /// Named outputs.
    Outputs, "outputs", [Outputs];
    /// Poses of the bodies: per body the origin in ground axes, then the rotation matrix row by row.
    Poses, "poses", [Poses];
    /// Kinetic and potential energy, J.
    Energy, "energy", [Energy];
    /// Default values of the inputs.
    InputDefaults, "input_defaults", [InputDefaults];
    /// Default initial p, v and x.
    Initial, "initial", [InitialP, InitialV, InitialX];
    /// Values of the derived parameters.
    Derived, "derived", [Derived];
    /// Derivatives of the residuals f − M v' − Gᵀλ, g, G v + c and a, one below the other, with respect to p, v, x and u side by side.
    Jacobian, "jacobian", [Jacobian];
    /// Everything an integrator needs per stage, solved: p', v', λ and x', with the pivots that tell whether to trust them.
    Accelerations, "accelerations", [PDot, Accelerations, Multipliers, Auxiliary, Pivots];
    /// A cosine for each joint that closes a loop and holds an orientation: 1 where it is closed, negative where its rows vanish because it is turned over.
    ClosureCosines, "closure_cosines", [ClosureCosines];
}

impl FunctionKind {
    /// Whether it is itself evaluated once per parameter set, so that moving work
    /// out of it would save nothing.
    pub fn is_per_parameter_set(self) -> bool {
        matches!(self, Self::Initial | Self::Derived)
    }

    /// Whether integrators call it so rarely that it computes itself what depends on parameters
    /// alone.
    pub fn is_rare(self) -> bool {
        self.is_per_parameter_set() || self == Self::ClosureCosines
    }

    /// Whether it depends on p, v, x or u; if not, on parameters, time and modes at most.
    pub fn takes_state(self) -> bool {
        !self.is_per_parameter_set() && self != Self::InputDefaults
    }

    /// Whether a program may do without it.
    pub fn is_optional(self) -> bool {
        matches!(self, Self::Jacobian | Self::Accelerations | Self::ClosureCosines)
    }

    /// Whether it is given v'.
    pub fn takes_accelerations(self) -> bool {
        matches!(self, Self::InverseDynamics | Self::Outputs | Self::Jacobian)
    }

    /// Whether it is given λ.
    pub fn takes_multipliers(self) -> bool {
        matches!(self, Self::Outputs | Self::Jacobian)
    }
}
