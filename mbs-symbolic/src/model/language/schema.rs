//! The language table as a JSON Schema, for editors and other tools.
//!
//! It knows keys, shapes and words; that names exist and quantities fit together only
//! the compiler can tell.

use super::{Elements, Field, Kind, Section, TOP};
use crate::model::place::FormulaContext;
use std::fmt::Write as _;

/// A JSON value to be written.
enum Json {
    Text(String),
    Whole(usize),
    Flag(bool),
    List(Vec<Json>),
    Object(Vec<(String, Json)>),
}

fn text(text: &str) -> Json {
    Json::Text(text.to_owned())
}

fn words(words: &[&str]) -> Json {
    Json::List(words.iter().map(|word| text(word)).collect())
}

fn object<const N: usize>(entries: [(&str, Json); N]) -> Json {
    Json::Object(entries.into_iter().map(|(key, value)| (key.to_owned(), value)).collect())
}

fn reference(name: &str) -> Json {
    object([("$ref", Json::Text(format!("#/$defs/{name}")))])
}

fn list_of(items: Json) -> Json {
    object([("type", text("array")), ("items", items)])
}

fn counted(items: Json, count: usize) -> Json {
    object([
        ("type", text("array")),
        ("items", items),
        ("minItems", Json::Whole(count)),
        ("maxItems", Json::Whole(count)),
    ])
}

fn map_of(values: Json) -> Json {
    object([("type", words(&["object", "null"])), ("additionalProperties", values)])
}

/// The schema of a model file, JSON Schema draft 2020-12.
pub fn schema() -> String {
    let mut defs = Vec::new();
    let formula = words(&["number", "string"]);
    defs.push(("expression".to_owned(), object([("type", formula)])));
    defs.push(("vector".to_owned(), counted(reference("expression"), 3)));
    let axis = object([("type", text("string")), ("pattern", text("^\\s*[-+]?\\s*[xyz]\\s*$"))]);
    defs.push(("axis".to_owned(), object([("anyOf", Json::List(vec![axis, reference("vector")]))])));
    let mut writer = Definitions { defs };
    let Json::Object(mut whole) = writer.section(&TOP) else { return String::new() };
    let Json::Object(file) = object([
        ("$schema", text("https://json-schema.org/draft/2020-12/schema")),
        ("title", text("mbs model")),
        (
            "description",
            text("A mechanism: bodies, joints, forces and closed loops, in the model language of mbs"),
        ),
    ]) else {
        return String::new();
    };
    whole.splice(0..0, file);
    whole.push(("$defs".to_owned(), Json::Object(writer.defs)));
    let mut out = String::new();
    Json::Object(whole).write(&mut out, 0);
    out.push('\n');
    out
}

/// Named parts of the schema, each written once.
struct Definitions {
    defs: Vec<(String, Json)>,
}

impl Definitions {
    fn knows(&self, name: &str) -> bool {
        self.defs.iter().any(|(known, _)| known == name)
    }

    /// A reference to the definition of `section`, which is made if it is new.
    fn named(&mut self, section: &'static Section) -> Json {
        let name = definition_name(section);
        if !self.knows(&name) {
            // Entered before it is filled: assemblies hold instances of assemblies.
            self.defs.push((name.clone(), Json::Flag(true)));
            let filled = self.section(section);
            if let Some((_, place)) = self.defs.iter_mut().find(|(known, _)| *known == name) {
                *place = filled;
            }
        }
        reference(&name)
    }

    fn section(&mut self, section: &'static Section) -> Json {
        let mut whole = self.fields(&[section.fields], None);
        if let Json::Object(entries) = &mut whole {
            entries.extend(rules(section.name));
        }
        whole
    }

    fn fields(&mut self, groups: &[&'static [Field]], kind: Option<&str>) -> Json {
        let mut properties = Vec::new();
        let mut required = Vec::new();
        for field in groups.iter().flat_map(|group| group.iter()) {
            let value = match (field.key, kind) {
                ("type", Some(kind)) => object([("const", text(kind))]),
                _ => self.field(field, kind),
            };
            properties.push((field.key.to_owned(), described(value, field)));
            // What is left to instances and included files is asked for below.
            if field.required && field.key != "bodies" {
                required.push(text(field.key));
            }
        }
        object([
            ("type", if required.is_empty() { words(&["object", "null"]) } else { text("object") }),
            ("properties", Json::Object(properties)),
            ("required", Json::List(required)),
            ("additionalProperties", Json::Flag(false)),
        ])
    }

    fn field(&mut self, field: &Field, owner: Option<&str>) -> Json {
        match (field.key, owner) {
            ("derivatives", _) => {
                return object([("enum", Json::List(vec![Json::Whole(0), Json::Whole(2)]))]);
            }
            ("count", _) => {
                return object([("type", text("integer")), ("minimum", Json::Whole(1))]);
            }
            ("model", _) => {
                return object([("type", text("string")), ("pattern", text("^[a-z][a-z0-9_]*$"))]);
            }
            ("sequence", _) => {
                let mut all = Vec::new();
                for (a, b) in [("x", "y"), ("x", "z"), ("y", "x"), ("y", "z"), ("z", "x"), ("z", "y")] {
                    for c in ["x", "y", "z"].into_iter().filter(|c| *c != b) {
                        all.push(Json::Text(format!("{a}{b}{c}")));
                    }
                }
                return object([("enum", Json::List(all))]);
            }
            ("coordinates", Some(joint)) => {
                if let Some(counts) = coordinate_counts(joint) {
                    let choices =
                        counts.iter().map(|count| counted(object([("type", text("string"))]), *count));
                    return object([("anyOf", Json::List(choices.collect()))]);
                }
            }
            _ => {}
        }
        self.kind(field.kind, field.key)
    }

    fn kind(&mut self, kind: Kind, key: &str) -> Json {
        let string = || object([("type", text("string"))]);
        match kind {
            Kind::Name | Kind::Frame | Kind::Joint | Kind::Coordinate => string(),
            Kind::Text => object([("type", words(&["string", "number", "boolean"]))]),
            Kind::Flag => object([("type", text("boolean"))]),
            Kind::Number | Kind::Formula(_) => reference("expression"),
            Kind::Vector(_) => reference("vector"),
            Kind::Axis => reference("axis"),
            Kind::Axes => counted(reference("axis"), 2),
            Kind::Rotations(FormulaContext::JointArgument) => list_of(self.named(&super::CURVE_ROTATION)),
            Kind::Rotations(_) => list_of(self.named(&super::ROTATION)),
            Kind::Names => list_of(string()),
            Kind::Choice(choices) => object([("enum", words(choices))]),
            Kind::Map(section) => self.named(section),
            Kind::Entries(section) if key == "bodies" => {
                let ground = self.fields(&[section.fields], None);
                let ground = without(ground, &["mass", "com", "inertia"]);
                let properties = object([("ground", ground)]);
                object([
                    ("type", words(&["object", "null"])),
                    ("properties", properties),
                    ("additionalProperties", self.named(section)),
                ])
            }
            Kind::Entries(section) => map_of(self.named(section)),
            Kind::ShortEntries(section) => {
                let choices = vec![reference("expression"), self.named(section)];
                map_of(object([("anyOf", Json::List(choices))]))
            }
            Kind::Elements(elements) => map_of(self.elements(elements)),
            Kind::Formulas(_) => map_of(reference("expression")),
            Kind::Frames => map_of(string()),
            Kind::List(section) => list_of(self.named(section)),
            Kind::Files => object([("anyOf", Json::List(vec![string(), list_of(string())]))]),
            Kind::Column => object([("anyOf", Json::List(vec![string(), list_of(reference("expression"))]))]),
            Kind::Pairs => list_of(counted(reference("expression"), 2)),
        }
    }

    /// An element: its `type` decides which keys it has.
    fn elements(&mut self, elements: &'static Elements) -> Json {
        let name = elements.name;
        if !self.knows(name) {
            self.defs.push((name.to_owned(), Json::Flag(true)));
            let mut cases = Vec::new();
            let mut types = Vec::new();
            for variant in elements.variants {
                let mut whole = self.fields(&[elements.common, variant.fields], Some(variant.name));
                if let Json::Object(entries) = &mut whole {
                    entries.extend(rules(variant.name));
                }
                let own = format!("{}_{name}", variant.name);
                let is_this =
                    object([("properties", object([("type", object([("const", text(variant.name))]))]))]);
                cases.push(object([("if", is_this), ("then", reference(&own))]));
                self.defs.push((own, whole));
                types.push(text(variant.name));
            }
            let element = object([
                ("type", text("object")),
                ("properties", object([("type", object([("enum", Json::List(types))]))])),
                ("required", words(&["type"])),
                ("allOf", Json::List(cases)),
            ]);
            if let Some((_, place)) = self.defs.iter_mut().find(|(known, _)| known == name) {
                *place = element;
            }
        }
        reference(name)
    }
}

/// `a body` → `body`.
fn definition_name(section: &Section) -> String {
    let name = section.name.trim_matches('`');
    let name = name.strip_prefix("a ").or(name.strip_prefix("an ")).unwrap_or(name);
    let name = name.replace(' ', "_");
    if is_curve(section) { format!("curve_{name}") } else { name }
}

/// The rotation of a curve joint has the name of any rotation.
fn is_curve(section: &Section) -> bool {
    section
        .fields
        .iter()
        .any(|field| field.kind == Kind::Formula(FormulaContext::JointArgument) && field.key == "angle")
}

/// Keys that depend on each other, as the reader checks them.
fn rules(section: &str) -> Vec<(String, Json)> {
    let one_of = |keys: &[&str]| {
        let each = keys.iter().map(|key| object([("required", words(&[key]))]));
        vec![("oneOf".to_owned(), Json::List(each.collect()))]
    };
    match section {
        "a shape" => one_of(&["cylinder", "sphere", "box"]),
        "a step" => one_of(&["rotate", "translate"]),
        "joint_force" | "joint_torque" | "joint_spring" | "joint_friction" | "mimic" => {
            one_of(&["joint", "coordinate"])
        }
        "spring_damper" => {
            let both = ["stiffness", "damping", "length", "preload"]
                .map(|key| object([("required", words(&["force", key]))]));
            vec![("not".to_owned(), object([("anyOf", Json::List(both.into()))]))]
        }
        // Bodies may come from instances and included files; otherwise one must move.
        "a model" => {
            let elsewhere = ["instances", "include"].map(|key| object([("required", words(&[key]))]));
            let only_ground = object([("propertyNames", object([("const", text("ground"))]))]);
            let bodies = object([("bodies", object([("type", text("object")), ("not", only_ground)]))]);
            let here = object([("required", words(&["bodies"])), ("properties", bodies)]);
            let [instances, include] = elsewhere;
            vec![("anyOf".to_owned(), Json::List(vec![instances, include, here]))]
        }
        _ => Vec::new(),
    }
}

/// How many names the coordinates of a joint may have.
fn coordinate_counts(joint: &str) -> Option<&'static [usize]> {
    match joint {
        "cylindrical" | "universal" => Some(&[2]),
        "spherical" => Some(&[3, 4]),
        "free" => Some(&[3, 6, 7]),
        "planar" => Some(&[3]),
        _ => None,
    }
}

fn described(value: Json, field: &Field) -> Json {
    let Json::Object(mut entries) = value else { return value };
    let default = match field.default {
        "" => String::new(),
        default => format!(" (default: {default})"),
    };
    entries.push(("description".to_owned(), Json::Text(format!("{}{default}", field.doc))));
    Json::Object(entries)
}

/// The same object without some of its properties.
fn without(value: Json, keys: &[&str]) -> Json {
    let Json::Object(mut entries) = value else { return value };
    for (key, value) in &mut entries {
        if let (true, Json::Object(properties)) = (key == "properties", value) {
            properties.retain(|(key, _)| !keys.contains(&key.as_str()));
        }
    }
    Json::Object(entries)
}

impl Json {
    fn write(&self, out: &mut String, depth: usize) {
        let indent = "  ".repeat(depth + 1);
        match self {
            Self::Text(text) => quote(out, text),
            Self::Whole(number) => {
                let _ = write!(out, "{number}");
            }
            Self::Flag(flag) => {
                let _ = write!(out, "{flag}");
            }
            Self::List(items)
                if items.iter().all(|item| !matches!(item, Self::Object(_) | Self::List(_))) =>
            {
                out.push('[');
                for (index, item) in items.iter().enumerate() {
                    out.push_str(if index > 0 { ", " } else { "" });
                    item.write(out, depth);
                }
                out.push(']');
            }
            Self::List(items) => {
                out.push('[');
                for (index, item) in items.iter().enumerate() {
                    let _ = write!(out, "{}\n{indent}", if index > 0 { "," } else { "" });
                    item.write(out, depth + 1);
                }
                let _ = write!(out, "\n{}]", "  ".repeat(depth));
            }
            Self::Object(entries) if entries.is_empty() => out.push_str("{}"),
            Self::Object(entries) => {
                out.push('{');
                for (index, (key, value)) in entries.iter().enumerate() {
                    let _ = write!(out, "{}\n{indent}", if index > 0 { "," } else { "" });
                    quote(out, key);
                    out.push_str(": ");
                    value.write(out, depth + 1);
                }
                let _ = write!(out, "\n{}}}", "  ".repeat(depth));
            }
        }
    }
}

fn quote(out: &mut String, text: &str) {
    out.push('"');
    for c in text.chars() {
        match c {
            '"' => out.push_str("\\\""),
            '\\' => out.push_str("\\\\"),
            '\n' => out.push_str("\\n"),
            c => out.push(c),
        }
    }
    out.push('"');
}

#[cfg(test)]
mod tests {
    use super::super::{CONSTRAINTS, FORCES, JOINTS, REPEAT, SHAPE, STEP};
    use super::*;

    #[test]
    fn every_key_and_type_is_in_the_schema() {
        let schema = schema();
        let sections = [&TOP, &REPEAT, &STEP, &SHAPE];
        for field in sections.iter().flat_map(|section| section.fields) {
            assert!(schema.contains(&format!("\"{}\":", field.key)), "{}", field.key);
        }
        for elements in [&JOINTS, &CONSTRAINTS, &FORCES] {
            for variant in elements.variants {
                assert!(schema.contains(&format!("\"{}_{}\":", variant.name, elements.name)));
            }
        }
    }
}
