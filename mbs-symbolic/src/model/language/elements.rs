//! Elements chosen by their `type`: joints, constraints, forces.

use super::{Elements, Field, Kind, Section, may, need};
use crate::model::place::FormulaContext;

const GEOMETRY: FormulaContext = FormulaContext::Parameters;
const LAW: Kind = Kind::Formula(FormulaContext::Law);
const LAWS: Kind = Kind::Vector(FormulaContext::Law);

const AXIS: Field = may("axis", Kind::Axis, "z", "direction in the `from` frame");
const COORDINATE: Field = may("coordinate", Kind::Name, "the joint's name", "name of the coordinate");
const COORDINATES: Field =
    may("coordinates", Kind::Names, "joint.x and the like", "names of the coordinates");
const WITHIN: Field = may("limits", Kind::Map(&LIMITS), "none", "how far, fast and hard it may move");
const FOLLOWS: Field =
    may("mimic", Kind::Map(&MIMIC), "none", "another coordinate that this one follows, by ratio and offset");
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
        Section { name: "revolute", fields: &[AXIS, COORDINATE, WITHIN, FOLLOWS] },
        Section { name: "prismatic", fields: &[AXIS, COORDINATE, WITHIN, FOLLOWS] },
        Section {
            name: "screw",
            fields: &[
                AXIS,
                COORDINATE,
                FOLLOWS,
                need("pitch", Kind::Formula(GEOMETRY), "advance per turn, m").unit("m"),
            ],
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
                FOLLOWS,
                may(
                    "position",
                    Kind::Vector(FormulaContext::JointArgument),
                    "[0, 0, 0]",
                    "as expressions of the coordinate, m",
                )
                .unit("m")
                .polar(),
                may(
                    "rotation",
                    Kind::Rotations(FormulaContext::JointArgument),
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

/// `limits` of a joint: they are checked, not enforced.
pub const LIMITS: Section = Section {
    name: "limits",
    fields: &[
        may("lower", Kind::Formula(GEOMETRY), "none", "smallest value of the coordinate, m or rad"),
        may("upper", Kind::Formula(GEOMETRY), "none", "largest value of the coordinate, m or rad"),
        may("velocity", Kind::Formula(GEOMETRY), "none", "largest speed, m/s or rad/s"),
        may("effort", Kind::Formula(GEOMETRY), "none", "largest force or torque of the drive, N or N·m"),
    ],
};

/// `mimic` of a joint: its coordinate is ratio · followed + offset, with one velocity for both.
pub const MIMIC: Section = Section {
    name: "mimic",
    fields: &[
        may("joint", Kind::Joint, "none", "the joint it follows, which has one coordinate"),
        may("coordinate", Kind::Coordinate, "none", "the coordinate it follows, of any joint"),
        may("ratio", Kind::Formula(GEOMETRY), "1", "how far it moves per unit of the other"),
        may("offset", Kind::Formula(GEOMETRY), "0", "where it is when the other is zero, m or rad"),
    ],
};

/// One step of a compound joint.
pub const STEP: Section = Section {
    name: "a step",
    fields: &[
        may("rotate", Kind::Axis, "", "axis to turn about"),
        may("translate", Kind::Axis, "", "axis to move along"),
        need("by", Kind::Formula(FormulaContext::JointArgument), "rad or m"),
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
                need("length", Kind::Formula(GEOMETRY), "their distance, m").unit("m"),
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
                need("value", Kind::Formula(FormulaContext::Motion), "its value"),
            ],
        },
        Section {
            name: "rolling",
            fields: &[
                need("wheel", Kind::Frame, "frame at the wheel's centre"),
                may("axis", Kind::Axis, "y", "axis of the wheel"),
                need("radius", Kind::Formula(GEOMETRY), "m").unit("m"),
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
                need(
                    "value",
                    Kind::Formula(FormulaContext::VelocityConstraint),
                    "an expression that is zero",
                ),
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

/// What both elements that follow a road have.
const ON_ROAD: &[Field] = &[
    need("on", Kind::Frame, "the point above the road"),
    may("radius", LAW, "0", "m").unit("m"),
    may("road", Kind::Formula(FormulaContext::Road), "0", "height, m; may use `x`, `y` and `t`").unit("m"),
    may("stiffness", LAW, "0", "N/m").unit("N/m"),
    may("damping", LAW, "0", "N·s/m").unit("N*s/m"),
];

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
                may("stiffness", LAW, "0", "N/m").unit("N/m"),
                may("damping", LAW, "0", "N·s/m").unit("N*s/m"),
                may("length", LAW, "0", "free length, m; must be given with `stiffness`").unit("m"),
                may("preload", LAW, "0", "N, pushing apart").unit("N"),
                may(
                    "force",
                    Kind::Formula(FormulaContext::SpringLaw),
                    "",
                    "N, pushing apart; may use `length` and `rate`",
                )
                .unit("N"),
            ],
        },
        Section {
            name: "joint_force",
            fields: &[ON_JOINT, ON_COORDINATE, need("force", LAW, "N").along("N", "N*m")],
        },
        Section {
            name: "joint_torque",
            fields: &[ON_JOINT, ON_COORDINATE, need("torque", LAW, "N·m").along("N", "N*m")],
        },
        Section {
            name: "joint_spring",
            fields: &[
                ON_JOINT,
                ON_COORDINATE,
                may("stiffness", LAW, "0", "N/m or N·m/rad").along("N/m", "N*m/rad"),
                may("damping", LAW, "0", "N·s/m or N·m·s/rad").along("N*s/m", "N*m*s/rad"),
                may("rest", LAW, "0", "coordinate without spring force").along("m", "rad"),
                may("preload", LAW, "0", "N or N·m").along("N", "N*m"),
            ],
        },
        Section {
            name: "joint_friction",
            fields: &[
                ON_JOINT,
                ON_COORDINATE,
                may("coulomb", LAW, "0", "N or N·m").along("N", "N*m"),
                may("regularisation", LAW, "1e-3", "velocity of the transition, m/s or rad/s")
                    .along("m/s", "rad/s"),
                may("viscous", LAW, "0", "N·s/m or N·m·s/rad").along("N*s/m", "N*m*s/rad"),
            ],
        },
        Section {
            name: "force",
            fields: &[
                need("on", Kind::Frame, "where it acts"),
                may("in", Kind::Frame, "ground", "axes of the components"),
                need("force", LAWS, "N").unit("N").polar(),
                may("reaction", Kind::Frame, "none", "body that takes the opposite"),
            ],
        },
        Section {
            name: "torque",
            fields: &[
                need("on", Kind::Frame, "the body it acts on"),
                may("in", Kind::Frame, "ground", "axes of the components"),
                need("torque", LAWS, "N·m").unit("N*m").axial(),
                may("reaction", Kind::Frame, "none", "body that takes the opposite"),
            ],
        },
        Section {
            name: "bushing",
            fields: &[
                need("from", Kind::Frame, "the frame whose axes are meant"),
                need("to", Kind::Frame, "the other frame"),
                may("stiffness", LAWS, "[0, 0, 0]", "N/m").unit("N/m"),
                may("damping", LAWS, "[0, 0, 0]", "N·s/m").unit("N*s/m"),
                may("rotational_stiffness", LAWS, "[0, 0, 0]", "N·m/rad").unit("N*m/rad"),
                may("rotational_damping", LAWS, "[0, 0, 0]", "N·m·s/rad").unit("N*m*s/rad"),
            ],
        },
        Section { name: "contact", fields: ON_ROAD },
        Section { name: "point_contact_tyre", fields: ON_ROAD },
    ],
};
