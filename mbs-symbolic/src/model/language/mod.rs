//! The model language, as one table.
//!
//! For every section: its keys, what kind of value each takes, whether it is
//! required, its default, and what it means. The reader checks keys and shapes
//! against this table; suggestions, documentation and schemas come from it too.

mod elements;
mod schema;

use super::expand::Character;
use super::place::FormulaContext;
pub use elements::{CONSTRAINTS, FORCES, JOINTS, LIMITS, MIMIC, STEP};
pub use schema::schema;

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
    Formula(FormulaContext),
    /// Three expressions.
    Vector(FormulaContext),
    /// A direction.
    Axis,
    /// A list of directions.
    Axes,
    /// Rotations, left to right about moved axes: a list of [`ROTATION`].
    Rotations(FormulaContext),
    /// `body.frame`, or a body for its reference frame.
    Frame,
    /// A joint.
    Joint,
    /// A coordinate or velocity.
    Coordinate,
    /// A list of names.
    Names,
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
    Formulas(FormulaContext),
    /// A list of maps with fixed keys.
    List(&'static Section),
    /// A file, or a list of files, beside the one it is named in.
    Files,
    /// A map from names to frames.
    Frames,
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
    /// What its expressions measure.
    pub measure: Measure,
    /// How its three components change when an assembly is mirrored.
    pub reflection: Reflection,
}

/// How the components of a vector change in a reflection.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Reflection {
    /// Not at all.
    None,
    /// As those of a position or a force.
    Polar,
    /// As those of an axis of rotation or a torque.
    Axial,
}

impl Reflection {
    /// How component `index` changes.
    pub(super) fn of(self, index: u8) -> Character {
        match self {
            Self::None => Character::Scalar,
            Self::Polar => Character::Polar(index),
            Self::Axial => Character::Axial(index),
        }
    }
}

/// What an expression measures.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Measure {
    /// Whatever the user wants.
    Any,
    /// A quantity in this SI unit.
    In(&'static str),
    /// Something along a coordinate: in the first unit along a distance, in the second
    /// about an angle.
    Along(&'static str, &'static str),
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
    Field { key, kind, required: true, default: "", doc, measure: Measure::Any, reflection: Reflection::None }
}

const fn may(key: &'static str, kind: Kind, default: &'static str, doc: &'static str) -> Field {
    Field { key, kind, required: false, default, doc, measure: Measure::Any, reflection: Reflection::None }
}

impl Field {
    /// The same key for a quantity in an SI unit.
    const fn unit(self, unit: &'static str) -> Self {
        Self { measure: Measure::In(unit), ..self }
    }

    /// The same key for components of a position or force.
    const fn polar(self) -> Self {
        Self { reflection: Reflection::Polar, ..self }
    }

    /// The same key for components of a torque.
    const fn axial(self) -> Self {
        Self { reflection: Reflection::Axial, ..self }
    }

    /// The same key for something along a distance or about an angle.
    const fn along(self, distance: &'static str, angle: &'static str) -> Self {
        Self { measure: Measure::Along(distance, angle), ..self }
    }
}

const GEOMETRY: FormulaContext = FormulaContext::Parameters;

/// The whole file.
pub const TOP: Section = Section {
    name: "a model",
    fields: &[
        need("model", Kind::Name, "snake_case name of the generated module"),
        may("description", Kind::Text, "empty", "one sentence for people"),
        may("include", Kind::Files, "none", "files whose sections belong to the model too"),
        may(
            "gravity",
            Kind::Vector(GEOMETRY),
            "[0, 0, -9.81]",
            "free-fall acceleration in ground axes, m/s²",
        )
        .unit("m/s^2"),
        may("allow", Kind::Names, "none", "codes of warnings that are switched off, such as MBS-P016"),
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
        may("variables", Kind::Formulas(FormulaContext::Law), "none", "named expressions"),
        may("forces", Kind::Elements(&FORCES), "none", "force elements"),
        may("outputs", Kind::ShortEntries(&OUTPUT), "none", "named results"),
        may("assemblies", Kind::Entries(&ASSEMBLY), "none", "parts of a model to be used several times"),
        may("instances", Kind::Entries(&INSTANCE), "none", "uses of assemblies"),
        may("initial", Kind::Map(&INITIAL), "none", "initial values"),
        may("simulation", Kind::Map(&SIMULATION), "none", "defaults of a run"),
    ],
};

/// An entry of `assemblies`.
pub const ASSEMBLY: Section = Section {
    name: "an assembly",
    fields: &[
        may(
            "connections",
            Kind::Names,
            "none",
            "names for the bodies or frames outside that it is connected to",
        ),
        may("parameters", Kind::ShortEntries(&PARAMETER), "none", "symbols each use has for itself"),
        may("functions", Kind::Entries(&FUNCTION), "none", "user functions"),
        may("inputs", Kind::ShortEntries(&INPUT), "none", "signals set from outside"),
        may("states", Kind::Entries(&STATE), "none", "auxiliary states"),
        may("tables", Kind::Entries(&TABLE), "none", "look-up tables"),
        may("bodies", Kind::Entries(&BODY), "none", "rigid bodies; frames on connections and ground"),
        may("joints", Kind::Elements(&JOINTS), "none", "joints"),
        may("constraints", Kind::Elements(&CONSTRAINTS), "none", "constraint elements"),
        may("variables", Kind::Formulas(FormulaContext::Law), "none", "named expressions"),
        may("forces", Kind::Elements(&FORCES), "none", "force elements"),
        may("outputs", Kind::ShortEntries(&OUTPUT), "none", "named results"),
        may("instances", Kind::Entries(&INSTANCE), "none", "uses of other assemblies"),
        may("initial", Kind::Map(&INITIAL), "none", "initial values"),
        may("doc", Kind::Text, "none", "what it is"),
    ],
};

/// An entry of `instances`.
pub const INSTANCE: Section = Section {
    name: "an instance",
    fields: &[
        need("of", Kind::Name, "the assembly"),
        may("connect", Kind::Frames, "none", "what each connection of the assembly is: a body or frame"),
        may(
            "set",
            Kind::Formulas(FormulaContext::Parameters),
            "nothing",
            "values of the assembly's parameters",
        ),
        may("mirror", Kind::Choice(&["x", "y", "z"]), "none", "the axis that is turned round"),
        may("repeat", Kind::Map(&REPEAT), "once", "a row of instances"),
        may("doc", Kind::Text, "none", "what it is"),
    ],
};

/// `repeat` of an instance.
pub const REPEAT: Section = Section {
    name: "a repetition",
    fields: &[
        need("count", Kind::Number, "how many"),
        may("index", Kind::Name, "none", "name of the number of each, from 1, in `set`"),
        may("first", Kind::Frames, "as all", "connections of the first"),
        may("last", Kind::Frames, "as all", "connections of the last"),
    ],
};

/// An entry of `parameters`.
pub const PARAMETER: Section = Section {
    name: "a parameter",
    fields: &[
        need(
            "value",
            Kind::Formula(FormulaContext::Parameters),
            "a number, or an expression of other parameters",
        ),
        may("unit", Kind::Text, "none", "unit of a plain number; declares what it measures"),
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
        need("value", Kind::Formula(FormulaContext::Function), "an expression of the arguments"),
        may("doc", Kind::Text, "none", "what it means"),
    ],
};

/// An entry of `inputs`.
pub const INPUT: Section = Section {
    name: "an input",
    fields: &[
        need("value", Kind::Formula(FormulaContext::InputDefault), "default signal, an expression of t"),
        may("derivatives", Kind::Number, "0", "2 if it is supplied with its first and second derivative"),
        may("unit", Kind::Text, "none", "unit of a plain number; declares what it measures"),
        may("doc", Kind::Text, "none", "what it means"),
    ],
};

/// An entry of `states`.
pub const STATE: Section = Section {
    name: "a state",
    fields: &[
        need("derivative", Kind::Formula(FormulaContext::StateRate), "its rate of change"),
        may("initial", Kind::Formula(FormulaContext::Parameters), "0", "initial value"),
        may("unit", Kind::Text, "none", "SI unit; declares what it measures"),
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
        may("x_unit", Kind::Text, "none", "unit of the x values"),
        may("y_unit", Kind::Text, "none", "unit of the y values"),
        may("events", Kind::Flag, "false", "whether kinks of linear interpolation are events"),
        may(
            "outside",
            Kind::Choice(&["extrapolate", "hold", "error"]),
            "extrapolate",
            "before the first and behind the last point: go on with the end slope, hold the end value, or be no number",
        ),
        may("doc", Kind::Text, "none", "what it means"),
    ],
};

/// An entry of `bodies`.
pub const BODY: Section = Section {
    name: "a body",
    fields: &[
        may("mass", Kind::Formula(GEOMETRY), "0", "kg").unit("kg"),
        may("com", Kind::Vector(GEOMETRY), "[0, 0, 0]", "centre of mass in the reference frame, m")
            .unit("m")
            .polar(),
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
        may("xx", Kind::Formula(GEOMETRY), "0", "kg·m²").unit("kg*m^2"),
        may("yy", Kind::Formula(GEOMETRY), "0", "kg·m²").unit("kg*m^2"),
        may("zz", Kind::Formula(GEOMETRY), "0", "kg·m²").unit("kg*m^2"),
        may("xy", Kind::Formula(GEOMETRY), "0", "kg·m², −∫xy dm").unit("kg*m^2"),
        may("xz", Kind::Formula(GEOMETRY), "0", "kg·m², −∫xz dm").unit("kg*m^2"),
        may("yz", Kind::Formula(GEOMETRY), "0", "kg·m², −∫yz dm").unit("kg*m^2"),
        may("frame", Kind::Name, "the body's axes", "a frame of the body whose axes are meant"),
    ],
};

/// An entry of `frames`.
pub const FRAME: Section = Section {
    name: "a frame",
    fields: &[
        may("position", Kind::Vector(GEOMETRY), "[0, 0, 0]", "origin in the body's reference frame, m")
            .unit("m")
            .polar(),
        may("rotation", Kind::Rotations(GEOMETRY), "none", "rotations, left to right about moved axes"),
    ],
};

/// One rotation.
pub const ROTATION: Section = Section {
    name: "a rotation",
    fields: &[
        need("axis", Kind::Axis, "the axis it turns about"),
        need("angle", Kind::Formula(GEOMETRY), "rad").unit("rad"),
    ],
};

/// One rotation of a curve joint.
pub const CURVE_ROTATION: Section = Section {
    name: "a rotation",
    fields: &[
        need("axis", Kind::Axis, "the axis it turns about"),
        need("angle", Kind::Formula(FormulaContext::JointArgument), "rad").unit("rad"),
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
        need("from", Kind::Vector(GEOMETRY), "centre of one end, m").unit("m").polar(),
        need("to", Kind::Vector(GEOMETRY), "centre of the other end, m").unit("m").polar(),
        need("radius", Kind::Formula(GEOMETRY), "m").unit("m"),
    ],
};

/// A sphere.
pub const SPHERE: Section = Section {
    name: "a sphere",
    fields: &[
        may("center", Kind::Vector(GEOMETRY), "[0, 0, 0]", "m").unit("m").polar(),
        need("radius", Kind::Formula(GEOMETRY), "m").unit("m"),
    ],
};

/// A box.
pub const BOX: Section = Section {
    name: "a box",
    fields: &[
        may("center", Kind::Vector(GEOMETRY), "[0, 0, 0]", "m").unit("m").polar(),
        need("size", Kind::Vector(GEOMETRY), "edge lengths, m").unit("m"),
    ],
};

/// An entry of `outputs`.
pub const OUTPUT: Section = Section {
    name: "an output",
    fields: &[
        need("value", Kind::Formula(FormulaContext::Output), "an expression of anything"),
        may("unit", Kind::Text, "none", "SI unit; declares what it measures"),
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
        may("t_end", Kind::Number, "none", "end time, s").unit("s"),
        may("method", Kind::Name, "chosen by the solver", "integrator"),
        may("rtol", Kind::Number, "1e-6", "relative tolerance").unit("1"),
        may("atol", Kind::Number, "rtol/100", "absolute tolerance"),
        may("step", Kind::Number, "none", "fixed step or output step, s").unit("s"),
        may("scenarios", Kind::Entries(&SCENARIO), "none", "variants of the run"),
    ],
};

/// An entry of `scenarios`.
pub const SCENARIO: Section = Section {
    name: "a scenario",
    fields: &[
        may(
            "set",
            Kind::Formulas(FormulaContext::InputDefault),
            "nothing",
            "parameters, inputs, positions.NAME, velocities.NAME",
        ),
        may("t_end", Kind::Number, "as without scenario", "end time, s").unit("s"),
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
            Self::Choice(_) => "a word",
            Self::Map(_) => "a map",
            Self::Entries(_) | Self::Elements(_) => "a map from names to maps",
            Self::ShortEntries(_) => "a map from names to expressions or maps",
            Self::Formulas(_) => "a map from names to expressions",
            Self::List(_) => "a list of maps",
            Self::Files => "a file or a list of files",
            Self::Frames => "a map from names to frames",
            Self::Column => "a list of numbers, or a column name if `file` is given",
            Self::Pairs => "a list of pairs [x, y]",
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The format's documentation names every key and every type.
    #[test]
    fn every_key_is_documented() {
        let text = include_str!("../../../../docs/model-format.md");
        let documented = |word: &str| {
            let found = text.match_indices(word).any(|(at, _)| {
                let free = |byte: Option<&u8>| {
                    !byte.is_some_and(|byte| byte.is_ascii_alphanumeric() || *byte == b'_')
                };
                let bytes = text.as_bytes();
                free(at.checked_sub(1).and_then(|before| bytes.get(before)))
                    && free(bytes.get(at + word.len()))
            });
            assert!(found, "`{word}` is not in docs/model-format.md");
        };
        let sections = [
            &TOP,
            &PARAMETER,
            &FUNCTION,
            &INPUT,
            &STATE,
            &TABLE,
            &BODY,
            &INERTIA,
            &FRAME,
            &ROTATION,
            &SHAPE,
            &CYLINDER,
            &SPHERE,
            &BOX,
            &STEP,
            &LIMITS,
            &MIMIC,
            &OUTPUT,
            &INITIAL,
            &SIMULATION,
            &SCENARIO,
            &ASSEMBLY,
            &INSTANCE,
            &REPEAT,
        ];
        for section in sections {
            section.fields.iter().for_each(|field| documented(field.key));
        }
        for elements in [&JOINTS, &CONSTRAINTS, &FORCES] {
            elements.common.iter().for_each(|field| documented(field.key));
            for variant in elements.variants {
                documented(variant.name);
                variant.fields.iter().for_each(|field| documented(field.key));
            }
        }
    }

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
