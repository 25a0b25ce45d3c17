//! The model language, as one table.
//!
//! For every section: its keys, what kind of value each takes, whether it is
//! required, its default, and what it means. The reader checks keys and shapes
//! against this table; suggestions, documentation and schemas come from it too.

use super::place::Place;

/// What may stand behind a key.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Kind {
    /// A name of the user's choosing.
    Name,
    /// Words for people.
    Text,
    /// `true` or `false`.
    Flag,
    /// A number, or an expression of numbers only.
    Number,
    /// An expression.
    Formula(Place),
    /// Three expressions.
    Vector(Place),
    /// A direction.
    Axis,
    /// A list of directions.
    Axes,
    /// Rotations, left to right about moved axes: a list of [`ROTATION`].
    Rotations(Place),
    /// `body.frame`, or a body for its reference frame.
    Frame,
    /// A joint.
    Joint,
    /// A coordinate or velocity.
    Coordinate,
    /// A list of names.
    Names,
    /// A list of numbers.
    Numbers,
    /// One of these words.
    Choice(&'static [&'static str]),
    /// A map with fixed keys.
    Map(&'static Section),
    /// A map from the user's names to maps with fixed keys.
    Entries(&'static Section),
    /// As `Entries`; a bare expression stands for the map with only its first key.
    ShortEntries(&'static Section),
    /// A map from the user's names to elements chosen by `type`.
    Elements(&'static Elements),
    /// A map from names to expressions.
    Formulas(Place),
    /// A list of maps with fixed keys.
    List(&'static Section),
    /// A number or a column name: the `x` and `y` of a table.
    Column,
    /// A list of pairs.
    Pairs,
}

/// One key.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Field {
    /// As written in the file.
    pub key: &'static str,
    /// What stands behind it.
    pub kind: Kind,
    /// Whether it must be given.
    pub required: bool,
    /// What holds if it is not given, for people.
    pub default: &'static str,
    /// What it means.
    pub doc: &'static str,
}

/// A map with fixed keys.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Section {
    /// What an entry is called in messages.
    pub name: &'static str,
    /// Its keys.
    pub fields: &'static [Field],
}

/// Elements chosen by their `type`.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Elements {
    /// What an element is called in messages.
    pub name: &'static str,
    /// Keys of every type.
    pub common: &'static [Field],
    /// The types, each with its own keys.
    pub variants: &'static [Section],
}

const fn need(key: &'static str, kind: Kind, doc: &'static str) -> Field {
    Field { key, kind, required: true, default: "", doc }
}

const fn may(key: &'static str, kind: Kind, default: &'static str, doc: &'static str) -> Field {
    Field { key, kind, required: false, default, doc }
}

const GEOMETRY: Place = Place::Parameters;
const LAW: Kind = Kind::Formula(Place::Law);
const LAWS: Kind = Kind::Vector(Place::Law);

/// The whole file.
pub const TOP: Section = Section {
    name: "a model",
    fields: &[
        need("model", Kind::Name, "snake_case name of the generated module"),
        may("description", Kind::Text, "empty", "one sentence for people"),
        may(
            "gravity",
            Kind::Vector(GEOMETRY),
            "[0, 0, -9.81]",
            "free-fall acceleration in ground axes, m/s²",
        ),
        may("parameters", Kind::ShortEntries(&PARAMETER), "none", "symbols with default values"),
        may(
            "functions",
            Kind::Entries(&FUNCTION),
            "none",
            "user functions, written out where they are called",
        ),
        may("inputs", Kind::ShortEntries(&INPUT), "none", "signals set from outside"),
        may("states", Kind::Entries(&STATE), "none", "auxiliary states"),
        may("tables", Kind::Entries(&TABLE), "none", "look-up tables"),
        need("bodies", Kind::Entries(&BODY), "rigid bodies; `ground` may list frames only"),
        may("joints", Kind::Elements(&JOINTS), "none", "joints"),
        may("constraints", Kind::Elements(&CONSTRAINTS), "none", "constraint elements"),
        may("variables", Kind::Formulas(Place::Law), "none", "named expressions"),
        may("forces", Kind::Elements(&FORCES), "none", "force elements"),
        may("outputs", Kind::ShortEntries(&OUTPUT), "none", "named results"),
        may("initial", Kind::Map(&INITIAL), "none", "initial values"),
        may("simulation", Kind::Map(&SIMULATION), "none", "defaults of a run"),
    ],
};

/// An entry of `parameters`.
pub const PARAMETER: Section = Section {
    name: "a parameter",
    fields: &[
        need("value", Kind::Formula(Place::Parameters), "a number, or an expression of other parameters"),
        may("unit", Kind::Text, "none", "SI unit without prefix, for people"),
        may("doc", Kind::Text, "none", "what it means"),
        may("min", Kind::Number, "none", "smallest allowed value"),
        may("max", Kind::Number, "none", "largest allowed value"),
    ],
};

/// An entry of `functions`.
pub const FUNCTION: Section = Section {
    name: "a function",
    fields: &[
        need("arguments", Kind::Names, "names of the arguments"),
        need("value", Kind::Formula(Place::Function), "an expression of the arguments"),
        may("doc", Kind::Text, "none", "what it means"),
    ],
};

/// An entry of `inputs`.
pub const INPUT: Section = Section {
    name: "an input",
    fields: &[
        need("value", Kind::Formula(Place::InputDefault), "default signal, an expression of t"),
        may("derivatives", Kind::Number, "0", "2 if it is supplied with its first and second derivative"),
        may("unit", Kind::Text, "none", "SI unit without prefix, for people"),
        may("doc", Kind::Text, "none", "what it means"),
    ],
};

/// An entry of `states`.
pub const STATE: Section = Section {
    name: "a state",
    fields: &[
        need("derivative", Kind::Formula(Place::StateRate), "its rate of change"),
        may("initial", Kind::Formula(Place::Parameters), "0", "initial value"),
        may("doc", Kind::Text, "none", "what it means"),
    ],
};

/// An entry of `tables`.
pub const TABLE: Section = Section {
    name: "a table",
    fields: &[
        may("points", Kind::Pairs, "", "list of [x, y]"),
        may("x", Kind::Column, "", "list of x values, or the name of a column"),
        may("y", Kind::Column, "", "list of y values, or the name of a column"),
        may("file", Kind::Text, "", "a CSV file beside the model"),
        may("events", Kind::Flag, "false", "whether kinks of linear interpolation are events"),
        may("doc", Kind::Text, "none", "what it means"),
    ],
};

/// An entry of `bodies`.
pub const BODY: Section = Section {
    name: "a body",
    fields: &[
        may("mass", Kind::Formula(GEOMETRY), "0", "kg"),
        may("com", Kind::Vector(GEOMETRY), "[0, 0, 0]", "centre of mass in the reference frame, m"),
        may("inertia", Kind::Map(&INERTIA), "0", "matrix entries about the centre of mass, kg·m²"),
        may("frames", Kind::Entries(&FRAME), "none", "frames fixed in the body"),
        may("shape", Kind::List(&SHAPE), "none", "shapes for pictures"),
        may("doc", Kind::Text, "none", "what it is"),
    ],
};

/// `inertia` of a body.
pub const INERTIA: Section = Section {
    name: "an inertia",
    fields: &[
        may("xx", Kind::Formula(GEOMETRY), "0", "kg·m²"),
        may("yy", Kind::Formula(GEOMETRY), "0", "kg·m²"),
        may("zz", Kind::Formula(GEOMETRY), "0", "kg·m²"),
        may("xy", Kind::Formula(GEOMETRY), "0", "kg·m², −∫xy dm"),
        may("xz", Kind::Formula(GEOMETRY), "0", "kg·m², −∫xz dm"),
        may("yz", Kind::Formula(GEOMETRY), "0", "kg·m², −∫yz dm"),
        may("frame", Kind::Name, "the body's axes", "a frame of the body whose axes are meant"),
    ],
};

/// An entry of `frames`.
pub const FRAME: Section = Section {
    name: "a frame",
    fields: &[
        may("position", Kind::Vector(GEOMETRY), "[0, 0, 0]", "origin in the body's reference frame, m"),
        may("rotation", Kind::Rotations(GEOMETRY), "none", "rotations, left to right about moved axes"),
    ],
};

/// One rotation.
pub const ROTATION: Section = Section {
    name: "a rotation",
    fields: &[
        need("axis", Kind::Axis, "the axis it turns about"),
        need("angle", Kind::Formula(GEOMETRY), "rad"),
    ],
};

/// One rotation of a curve joint.
pub const CURVE_ROTATION: Section = Section {
    name: "a rotation",
    fields: &[
        need("axis", Kind::Axis, "the axis it turns about"),
        need("angle", Kind::Formula(Place::JointArgument), "rad"),
    ],
};

/// One shape; exactly one key.
pub const SHAPE: Section = Section {
    name: "a shape",
    fields: &[
        may("cylinder", Kind::Map(&CYLINDER), "", "from one point to another"),
        may("sphere", Kind::Map(&SPHERE), "", "about a centre"),
        may("box", Kind::Map(&BOX), "", "about a centre, along the body's axes"),
    ],
};

/// A cylinder.
pub const CYLINDER: Section = Section {
    name: "a cylinder",
    fields: &[
        need("from", Kind::Vector(GEOMETRY), "centre of one end, m"),
        need("to", Kind::Vector(GEOMETRY), "centre of the other end, m"),
        need("radius", Kind::Formula(GEOMETRY), "m"),
    ],
};

/// A sphere.
pub const SPHERE: Section = Section {
    name: "a sphere",
    fields: &[
        may("center", Kind::Vector(GEOMETRY), "[0, 0, 0]", "m"),
        need("radius", Kind::Formula(GEOMETRY), "m"),
    ],
};

/// A box.
pub const BOX: Section = Section {
    name: "a box",
    fields: &[
        may("center", Kind::Vector(GEOMETRY), "[0, 0, 0]", "m"),
        need("size", Kind::Vector(GEOMETRY), "edge lengths, m"),
    ],
};

const AXIS: Field = may("axis", Kind::Axis, "z", "direction in the `from` frame");
const COORDINATE: Field = may("coordinate", Kind::Name, "the joint's name", "name of the coordinate");
const COORDINATES: Field =
    may("coordinates", Kind::Names, "joint.x and the like", "names of the coordinates");
const SEQUENCE: Field = may("sequence", Kind::Text, "quaternion", "body-fixed rotation axes such as xyz");
const RELATIVE_TO: Field =
    may("relative_to", Kind::Frame, "`from`", "frame of ground the angles are measured from");

/// `joints`.
pub const JOINTS: Elements = Elements {
    name: "joint",
    common: &[
        need("type", Kind::Name, "the type of the joint"),
        need("from", Kind::Frame, "the frame its axes are given in"),
        need("to", Kind::Frame, "the frame it moves"),
        may("cut", Kind::Flag, "chosen by the compiler", "close a loop here, or never"),
        may("doc", Kind::Text, "none", "what it is"),
    ],
    variants: &[
        Section { name: "fixed", fields: &[] },
        Section { name: "revolute", fields: &[AXIS, COORDINATE] },
        Section { name: "prismatic", fields: &[AXIS, COORDINATE] },
        Section {
            name: "screw",
            fields: &[AXIS, COORDINATE, need("pitch", Kind::Formula(GEOMETRY), "advance per turn, m")],
        },
        Section { name: "cylindrical", fields: &[AXIS, COORDINATES] },
        Section {
            name: "universal",
            fields: &[need("axes", Kind::Axes, "two perpendicular axes"), COORDINATES],
        },
        Section { name: "spherical", fields: &[SEQUENCE, COORDINATES, RELATIVE_TO] },
        Section { name: "free", fields: &[SEQUENCE, COORDINATES, RELATIVE_TO] },
        Section {
            name: "planar",
            fields: &[may("normal", Kind::Axis, "z", "principal axis across the plane"), COORDINATES],
        },
        Section {
            name: "curve",
            fields: &[
                COORDINATE,
                may(
                    "position",
                    Kind::Vector(Place::JointArgument),
                    "[0, 0, 0]",
                    "as expressions of the coordinate, m",
                ),
                may(
                    "rotation",
                    Kind::Rotations(Place::JointArgument),
                    "none",
                    "as expressions of the coordinate, rad",
                ),
            ],
        },
        Section {
            name: "compound",
            fields: &[
                may("coordinates", Kind::Names, "none", "names of the coordinates"),
                need("steps", Kind::List(&STEP), "elementary motions, left to right"),
            ],
        },
    ],
};

/// One step of a compound joint.
pub const STEP: Section = Section {
    name: "a step",
    fields: &[
        may("rotate", Kind::Axis, "", "axis to turn about"),
        may("translate", Kind::Axis, "", "axis to move along"),
        need("by", Kind::Formula(Place::JointArgument), "rad or m"),
    ],
};

/// `constraints`.
pub const CONSTRAINTS: Elements = Elements {
    name: "constraint",
    common: &[
        need("type", Kind::Name, "the type of the constraint"),
        may("doc", Kind::Text, "none", "what it is"),
    ],
    variants: &[
        Section {
            name: "distance",
            fields: &[
                need("from", Kind::Frame, "one point"),
                need("to", Kind::Frame, "the other point"),
                need("length", Kind::Formula(GEOMETRY), "their distance, m"),
            ],
        },
        Section {
            name: "point_on_line",
            fields: &[
                need("point", Kind::Frame, "the point"),
                need("line", Kind::Frame, "a frame on the line"),
                may("axis", Kind::Axis, "z", "direction of the line"),
            ],
        },
        Section {
            name: "point_on_plane",
            fields: &[
                need("point", Kind::Frame, "the point"),
                need("plane", Kind::Frame, "a frame in the plane"),
                may("normal", Kind::Axis, "z", "direction across the plane"),
            ],
        },
        Section {
            name: "coupling",
            fields: &[
                need("coordinates", Kind::Formulas(GEOMETRY), "factor of each coordinate"),
                may("offset", Kind::Formula(GEOMETRY), "0", "value of the sum"),
            ],
        },
        Section {
            name: "motion",
            fields: &[
                need("coordinate", Kind::Coordinate, "the coordinate that is driven"),
                need("value", Kind::Formula(Place::Motion), "its value"),
            ],
        },
        Section {
            name: "rolling",
            fields: &[
                need("wheel", Kind::Frame, "frame at the wheel's centre"),
                may("axis", Kind::Axis, "y", "axis of the wheel"),
                need("radius", Kind::Formula(GEOMETRY), "m"),
                may("on", Kind::Frame, "ground", "frame whose z axis is the plane's normal"),
            ],
        },
        Section {
            name: "knife_edge",
            fields: &[
                need("frame", Kind::Frame, "the frame at the edge"),
                need("axis", Kind::Axis, "direction it cannot move in"),
            ],
        },
        Section {
            name: "equation",
            fields: &[
                need("value", Kind::Formula(Place::VelocityConstraint), "an expression that is zero"),
                may(
                    "level",
                    Kind::Choice(&["position", "velocity"]),
                    "position",
                    "what it is a condition on",
                ),
            ],
        },
    ],
};

const ON_JOINT: Field = may("joint", Kind::Joint, "", "a joint with one coordinate");
const ON_COORDINATE: Field = may("coordinate", Kind::Coordinate, "", "a coordinate or velocity");

/// `forces`.
pub const FORCES: Elements = Elements {
    name: "force",
    common: &[
        need("type", Kind::Name, "the type of the force"),
        may("doc", Kind::Text, "none", "what it is"),
    ],
    variants: &[
        Section {
            name: "spring_damper",
            fields: &[
                need("from", Kind::Frame, "one point"),
                need("to", Kind::Frame, "the other point"),
                may("stiffness", LAW, "0", "N/m"),
                may("damping", LAW, "0", "N·s/m"),
                may("length", LAW, "0", "free length, m"),
                may("preload", LAW, "0", "N, pushing apart"),
                may(
                    "force",
                    Kind::Formula(Place::SpringLaw),
                    "",
                    "N, pushing apart; may use `length` and `rate`",
                ),
            ],
        },
        Section { name: "joint_force", fields: &[ON_JOINT, ON_COORDINATE, need("force", LAW, "N")] },
        Section { name: "joint_torque", fields: &[ON_JOINT, ON_COORDINATE, need("torque", LAW, "N·m")] },
        Section {
            name: "joint_spring",
            fields: &[
                ON_JOINT,
                ON_COORDINATE,
                may("stiffness", LAW, "0", "N/m or N·m/rad"),
                may("damping", LAW, "0", "N·s/m or N·m·s/rad"),
                may("rest", LAW, "0", "coordinate without spring force"),
                may("preload", LAW, "0", "N or N·m"),
            ],
        },
        Section {
            name: "joint_friction",
            fields: &[
                ON_JOINT,
                ON_COORDINATE,
                may("coulomb", LAW, "0", "N or N·m"),
                may("regularisation", LAW, "1e-3", "velocity of the transition, m/s or rad/s"),
                may("viscous", LAW, "0", "N·s/m or N·m·s/rad"),
            ],
        },
        Section {
            name: "force",
            fields: &[
                need("on", Kind::Frame, "where it acts"),
                may("in", Kind::Frame, "ground", "axes of the components"),
                need("force", LAWS, "N"),
                may("reaction", Kind::Frame, "none", "body that takes the opposite"),
            ],
        },
        Section {
            name: "torque",
            fields: &[
                need("on", Kind::Frame, "the body it acts on"),
                may("in", Kind::Frame, "ground", "axes of the components"),
                need("torque", LAWS, "N·m"),
                may("reaction", Kind::Frame, "none", "body that takes the opposite"),
            ],
        },
        Section {
            name: "bushing",
            fields: &[
                need("from", Kind::Frame, "the frame whose axes are meant"),
                need("to", Kind::Frame, "the other frame"),
                may("stiffness", LAWS, "[0, 0, 0]", "N/m"),
                may("damping", LAWS, "[0, 0, 0]", "N·s/m"),
                may("rotational_stiffness", LAWS, "[0, 0, 0]", "N·m/rad"),
                may("rotational_damping", LAWS, "[0, 0, 0]", "N·m·s/rad"),
            ],
        },
        Section {
            name: "contact",
            fields: &[
                need("on", Kind::Frame, "the point above the road"),
                may("radius", LAW, "0", "m"),
                may("road", Kind::Formula(Place::Road), "0", "height, m; may use `x` and `t`"),
                may("stiffness", LAW, "0", "N/m"),
                may("damping", LAW, "0", "N·s/m"),
            ],
        },
    ],
};

/// An entry of `outputs`.
pub const OUTPUT: Section = Section {
    name: "an output",
    fields: &[
        need("value", Kind::Formula(Place::Output), "an expression of anything"),
        may("unit", Kind::Text, "none", "SI unit without prefix, for people"),
        may("doc", Kind::Text, "none", "what it means"),
    ],
};

/// `initial`.
pub const INITIAL: Section = Section {
    name: "`initial`",
    fields: &[
        may("positions", Kind::Formulas(GEOMETRY), "none", "coordinates, m or rad"),
        may("velocities", Kind::Formulas(GEOMETRY), "none", "velocities, m/s or rad/s"),
    ],
};

/// `simulation`.
pub const SIMULATION: Section = Section {
    name: "`simulation`",
    fields: &[
        may("t_end", Kind::Number, "none", "end time, s"),
        may("method", Kind::Name, "chosen by the solver", "integrator"),
        may("rtol", Kind::Number, "1e-6", "relative tolerance"),
        may("atol", Kind::Number, "rtol/100", "absolute tolerance"),
        may("step", Kind::Number, "none", "fixed step or output step, s"),
        may("scenarios", Kind::Entries(&SCENARIO), "none", "variants of the run"),
    ],
};

/// An entry of `scenarios`.
pub const SCENARIO: Section = Section {
    name: "a scenario",
    fields: &[
        may(
            "set",
            Kind::Formulas(Place::InputDefault),
            "nothing",
            "parameters, inputs, positions.NAME, velocities.NAME",
        ),
        may("t_end", Kind::Number, "as without scenario", "end time, s"),
        may("doc", Kind::Text, "none", "what it shows"),
    ],
};

impl Kind {
    /// What is expected, for messages.
    pub fn describe(self) -> &'static str {
        match self {
            Self::Name => "a name",
            Self::Text => "text",
            Self::Flag => "`true` or `false`",
            Self::Number => "a number",
            Self::Formula(_) => "an expression",
            Self::Vector(_) => "a list of three expressions",
            Self::Axis => "an axis: x, y, z, -x, -y, -z or a list of three expressions",
            Self::Axes => "a list of two axes",
            Self::Rotations(_) => "a list of rotations such as [{axis: z, angle: 0.1}]",
            Self::Frame => "a frame: `body` or `body.frame`",
            Self::Joint => "the name of a joint",
            Self::Coordinate => "the name of a coordinate",
            Self::Names => "a list of names",
            Self::Numbers => "a list of numbers",
            Self::Choice(_) => "a word",
            Self::Map(_) => "a map",
            Self::Entries(_) | Self::Elements(_) => "a map from names to maps",
            Self::ShortEntries(_) => "a map from names to expressions or maps",
            Self::Formulas(_) => "a map from names to expressions",
            Self::List(_) => "a list of maps",
            Self::Column => "a list of numbers, or a column name if `file` is given",
            Self::Pairs => "a list of pairs [x, y]",
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_type_repeats_a_common_key() {
        for elements in [&JOINTS, &CONSTRAINTS, &FORCES] {
            for variant in elements.variants {
                for field in variant.fields {
                    assert!(
                        elements.common.iter().all(|common| common.key != field.key),
                        "{}.{}",
                        variant.name,
                        field.key
                    );
                }
            }
        }
    }
}
