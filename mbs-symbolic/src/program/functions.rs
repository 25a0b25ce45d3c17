//! The functions of a model and the arrays they fill: two tables from which lowering, emitters,
//! native code and interpreter take everything but the expressions themselves.

use super::Program;

/// Length of one side of an array.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[expect(missing_docs, reason = "numbers of what the names say")]
pub enum Length {
    Fixed(usize),
    Positions,
    Velocities,
    States,
    Inputs,
    /// Holonomic constraint rows.
    Holonomic,
    /// All constraint rows.
    Rows,
    /// Velocities and constraint rows.
    Unknowns,
    Modes,
    Outputs,
    Bodies,
    Derived,
    Closures,
    /// Velocities of each frame whose Jacobian was asked for.
    FrameVelocities,
    JacobianRows,
    JacobianColumns,
    /// Results of `prepare`.
    Slots,
}

impl Length {
    /// Its value in a program.
    pub fn of(self, program: &Program) -> usize {
        let layout = &program.layout;
        let (n_p, n_v) = (layout.positions.len(), layout.velocities.len());
        let (n_x, n_rows) = (layout.states.len(), layout.rows.len());
        match self {
            Self::Fixed(number) => number,
            Self::Positions => n_p,
            Self::Velocities => n_v,
            Self::States => n_x,
            Self::Inputs => layout.inputs.len(),
            Self::Holonomic => layout.n_g,
            Self::Rows => n_rows,
            Self::Unknowns => n_v + n_rows,
            Self::Modes => layout.modes.len(),
            Self::Outputs => layout.outputs.len(),
            Self::Bodies => layout.bodies.len(),
            Self::Derived => layout.derived.len(),
            Self::Closures => layout.closures.len(),
            Self::FrameVelocities => layout.frames.len() * n_v,
            Self::JacobianRows => n_v + layout.n_g + n_rows + n_x,
            Self::JacobianColumns => n_p + n_v + n_x + layout.inputs.len(),
            Self::Slots => program.n_slots(),
        }
    }
}

macro_rules! quantities {
    ($($(#[doc = $doc:literal])+ $quantity:ident, $name:literal, [$rows:expr $(, $columns:expr)?];)*) => {
        /// An array a function fills.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub enum Quantity {
            $($(#[doc = $doc])+ $quantity),*
        }

        impl Quantity {
            /// Its name in generated code.
            pub fn name(self) -> &'static str {
                match self { $(Self::$quantity => $name),* }
            }

            /// What it is, in a sentence.
            pub fn doc(self) -> &'static str {
                match self { $(Self::$quantity => concat!($($doc),+).trim_ascii()),* }
            }

            /// Its rows, and the columns of a matrix.
            pub fn lengths(self) -> (Length, Option<Length>) {
                use Length::*;
                match self { $(Self::$quantity => ($rows, [$(Some($columns),)? None][0])),* }
            }
        }
    };
}

quantities! {
    /// p' = T v.
    PDot, "p_dot", [Positions];
    /// Matrix T of p' = T v.
    KinematicMatrix, "kinematic_matrix", [Positions, Velocities];
    /// Mass matrix M.
    MassMatrix, "mass_matrix", [Velocities, Velocities];
    /// Applied and gyroscopic forces f.
    Forces, "forces", [Velocities];
    /// Holonomic constraints g.
    Constraints, "constraints", [Holonomic];
    /// Constraint Jacobian G.
    ConstraintJacobian, "constraint_jacobian", [Rows, Velocities];
    /// Bias c of 0 = G v + c.
    VelocityBias, "velocity_bias", [Rows];
    /// Bias z of 0 = G v' + z.
    AccelerationBias, "acceleration_bias", [Rows];
    /// x' = a.
    Auxiliary, "auxiliary", [States];
    /// M v' − f.
    InverseDynamics, "inverse_dynamics", [Velocities];
    /// Switching functions of the modes.
    Switching, "switching", [Modes];
    /// Named outputs.
    Outputs, "outputs", [Outputs];
    /// Twelve numbers per body: origin in ground axes, then the rotation matrix row by row (body to ground).
    Poses, "poses", [Fixed(12), Bodies];
    /// Kinetic and potential energy.
    Energy, "energy", [Fixed(2)];
    /// Defaults of the inputs.
    InputDefaults, "input_defaults", [Inputs];
    /// Positions.
    InitialP, "p", [Positions];
    /// Velocities.
    InitialV, "v", [Velocities];
    /// Auxiliary states.
    InitialX, "x", [States];
    /// Derived parameters.
    Derived, "derived", [Derived];
    /// Derivatives of the residuals with respect to p, v, x and u.
    Jacobian, "jacobian", [JacobianRows, JacobianColumns];
    /// Jacobians of frames side by side, each 6 × n_v: velocity of the origin, then angular velocity.
    FrameJacobian, "frame_jacobian", [Fixed(6), FrameVelocities];
    /// Accelerations v'.
    Accelerations, "v_dot", [Velocities];
    /// Multipliers λ.
    Multipliers, "lambda", [Rows];
    /// Pivots of the solution for v' and λ, velocities first.
    Pivots, "pivots", [Unknowns];
    /// Cosines that tell joints that are closed from joints turned over.
    ClosureCosines, "closure_cosines", [Closures];
    /// Prepared values after θ.
    Prepared, "prepared", [Slots];
}

/// What a function is given, beside parameters.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Signature {
    /// Time, p, v, x, u and modes.
    State,
    /// The same and v'.
    StateAndRates,
    /// The same, v' and λ.
    StateAndSolution,
    /// Nothing.
    Parameters,
    /// Time and modes.
    Time,
}

/// How a function hands over its results.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Form {
    /// In one array.
    Array,
    /// In the fields of a struct of the runtime, of this name.
    Fields(&'static str),
    /// In several arrays.
    Arrays,
    /// As a struct of numbers.
    Value,
}

/// Whether a program has a function.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Presence {
    /// Every program has it.
    Always,
    /// Programs have it that need it; of others the runtime knows what it would return.
    WhereNeeded,
    /// A program may lack it: calls say so.
    OnRequest,
}

/// Who calls a function, and how often.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Use {
    /// Integrators do, at every stage: those in lanes for several states at once.
    Stage,
    /// It is called state by state, also for several states at once.
    State,
    /// It is called for one state at a time.
    Single,
    /// It is called for one state at a time, and so rarely that it computes itself what depends on
    /// parameters alone.
    Rare,
}

/// The table of functions, for macros: `with_functions!(then);` calls `then!` with a row for each
/// function, in the order of [`FunctionKind::ALL`]:
///
/// ```text
/// /// What it computes.
/// Kind name Signature Form Presence Use [Quantity, …];
/// ```
#[macro_export]
macro_rules! with_functions {
    ($then:ident) => {
        $then! {
            /// Rates of the positions, p' = T v.
            Kinematics kinematics State Array Always Stage [PDot];
            /// The matrix T of p' = T v.
            KinematicMatrix kinematic_matrix State Array Always Stage [KinematicMatrix];
            /// Mass matrix M.
            MassMatrix mass_matrix State Array Always Stage [MassMatrix];
            /// Applied and gyroscopic forces f.
            Forces forces State Array Always Stage [Forces];
            /// Holonomic constraints g.
            Constraints constraints State Array Always Stage [Constraints];
            /// Constraint Jacobian G.
            ConstraintJacobian constraint_jacobian State Array Always Stage [ConstraintJacobian];
            /// Velocity-level bias c of 0 = G v + c.
            VelocityBias velocity_bias State Array Always Stage [VelocityBias];
            /// Acceleration-level bias z of 0 = G v' + z.
            AccelerationBias acceleration_bias State Array Always Stage [AccelerationBias];
            /// Rates of the auxiliary states, x' = a.
            Auxiliary auxiliary State Array Always Stage [Auxiliary];
            /// Everything an integrator needs per stage: p', M, f, G, z and x', with what they share computed once.
            Fused fused State Fields(Fused) Always Stage
                [PDot, MassMatrix, Forces, ConstraintJacobian, AccelerationBias, Auxiliary];
            /// Generalised forces M v' − f that produce v'.
            InverseDynamics inverse_dynamics StateAndRates Array Always State [InverseDynamics];
            /// Switching functions of the modes.
            SwitchingFunctions switching_functions State Array Always Stage [Switching];
            /// Named outputs.
            Outputs outputs StateAndSolution Array Always State [Outputs];
            /// Poses of the bodies: per body the origin in ground axes, then the rotation matrix row by row.
            Poses poses State Array Always State [Poses];
            /// Kinetic and potential energy, J.
            Energy energy State Value Always State [Energy];
            /// Default values of the inputs.
            InputDefaults input_defaults Time Array Always Single [InputDefaults];
            /// Default initial p, v and x.
            Initial initial Parameters Arrays Always Rare [InitialP, InitialV, InitialX];
            /// Values of the derived parameters.
            Derived derived Parameters Array Always Rare [Derived];
            /// Derivatives of the residuals f − M v' − Gᵀλ, g, G v + c and a, one below the other, with respect to p, v, x and u side by side.
            Jacobian jacobian StateAndSolution Array OnRequest Single [Jacobian];
            /// Everything an integrator needs per stage, solved: p', v', λ and x', with the pivots that tell whether to trust them.
            Accelerations accelerations State Fields(Accelerated) OnRequest Stage
                [PDot, Accelerations, Multipliers, Auxiliary, Pivots];
            /// A cosine for each joint that closes a loop and holds an orientation: 1 where it is closed, negative where its rows vanish because it is turned over.
            ClosureCosines closure_cosines State Array WhereNeeded Rare [ClosureCosines];
            /// Partial derivatives of the velocities of frames with respect to v, frame by frame 6 × n_v: velocity of the origin, then angular velocity.
            FrameJacobian frame_jacobian State Array OnRequest State [FrameJacobian];
        }
    };
}

macro_rules! define {
    ($(
        $(#[doc = $doc:literal])+
        $kind:ident $name:ident $signature:ident $form:ident $(($fields:ident))? $presence:ident $use:ident
            [$($quantity:ident),*];
    )*) => {
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
                match self { $(Self::$kind => stringify!($name)),* }
            }

            /// What it computes, in a sentence.
            pub fn doc(self) -> &'static str {
                match self { $(Self::$kind => concat!($($doc),+).trim_ascii()),* }
            }

            /// What it is given.
            pub fn signature(self) -> Signature {
                match self { $(Self::$kind => Signature::$signature),* }
            }

            /// How it hands over its results.
            pub fn form(self) -> Form {
                match self { $(Self::$kind => Form::$form $((stringify!($fields)))?),* }
            }

            /// Whether programs have it.
            pub fn presence(self) -> Presence {
                match self { $(Self::$kind => Presence::$presence),* }
            }

            /// Who calls it.
            pub fn used(self) -> Use {
                match self { $(Self::$kind => Use::$use),* }
            }

            /// The arrays it fills, in order.
            pub fn quantities(self) -> &'static [Quantity] {
                match self { $(Self::$kind => &[$(Quantity::$quantity),*]),* }
            }
        }
    };
}

with_functions!(define);

impl FunctionKind {
    /// Whether it is itself evaluated once per parameter set, so that moving work
    /// out of it would save nothing.
    pub fn is_per_parameter_set(self) -> bool {
        self.signature() == Signature::Parameters
    }

    /// Whether integrators call it so rarely that it computes itself what depends on parameters
    /// alone.
    pub fn is_rare(self) -> bool {
        self.used() == Use::Rare
    }

    /// Whether it depends on p, v, x or u; if not, on parameters, time and modes at most.
    pub fn takes_state(self) -> bool {
        !matches!(self.signature(), Signature::Parameters | Signature::Time)
    }

    /// Whether a program may do without it.
    pub fn is_optional(self) -> bool {
        self.presence() != Presence::Always
    }

    /// Whether it is given v'.
    pub fn takes_accelerations(self) -> bool {
        matches!(self.signature(), Signature::StateAndRates | Signature::StateAndSolution)
    }

    /// Whether it is given λ.
    pub fn takes_multipliers(self) -> bool {
        self.signature() == Signature::StateAndSolution
    }
}
