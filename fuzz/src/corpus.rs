//! What mutation starts from: files of the repository, and words of the language.

use mbs_symbolic::model::language::{self, CONSTRAINTS, FORCES, Field, JOINTS, Kind, Section};
use std::path::{Path, PathBuf};

/// The root of the repository.
pub fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("..")
}

/// Texts of the files under `directory` with one of these extensions, in the order of their
/// names, without those larger than `limit` bytes.
pub fn files(directory: &str, extensions: &[&str], limit: usize) -> Vec<String> {
    let Ok(entries) = std::fs::read_dir(root().join(directory)) else { return Vec::new() };
    let mut paths: Vec<PathBuf> = entries.filter_map(|entry| Some(entry.ok()?.path())).collect();
    paths.sort();
    paths
        .iter()
        .filter(|path| {
            path.extension().is_some_and(|extension| extensions.iter().any(|known| extension == *known))
        })
        .filter_map(|path| std::fs::read_to_string(path).ok())
        .filter(|text| text.len() <= limit)
        .collect()
}

/// Keys and types of the model language, read off its table, and what formulas are made of.
pub fn words() -> Vec<&'static str> {
    let mut words = vec![
        "ground",
        "t",
        "pi",
        "true",
        "false",
        "null",
        "~",
        "x",
        "-y",
        "z",
        "[0, 0, 1]",
        "{}",
        "[]",
        "der(",
        "sin(",
        "sqrt(",
        "atan2(",
        "if(",
        "min(",
        "max(",
        "abs(",
        "sign(",
        "position(",
        "velocity(",
        "rotation(",
        "acceleration(",
        "reaction(",
        "distance(",
        "spline(",
        "linear(",
        "relative_to=ground",
        ").x",
        ").z",
        "and",
        "not",
        "<",
        ">=",
        "^",
        "1/0",
        "0",
        "-1",
        "1e308",
        "1e-308",
        "1e999",
        ".nan",
        "0x1F",
        "1_000",
        "&a ",
        "*a",
        "<<: ",
        "!!str ",
        "? ",
        "|\n",
        ">\n",
        "\t",
        "\"",
        "'",
        "#",
        ": ",
        ", ",
        "- ",
        "µ",
        "\u{feff}",
        "\r\n",
    ];
    let mut seen: Vec<&'static Section> = Vec::new();
    section(&language::TOP, &mut words, &mut seen);
    for elements in [&JOINTS, &CONSTRAINTS, &FORCES] {
        fields(elements.common, &mut words, &mut seen);
        for variant in elements.variants {
            words.push(variant.name);
            fields(variant.fields, &mut words, &mut seen);
        }
    }
    words.sort_unstable();
    words.dedup();
    words
}

fn section(section: &'static Section, words: &mut Vec<&'static str>, seen: &mut Vec<&'static Section>) {
    if !seen.iter().any(|known| std::ptr::eq(*known, section)) {
        seen.push(section);
        fields(section.fields, words, seen);
    }
}

fn fields(list: &'static [Field], words: &mut Vec<&'static str>, seen: &mut Vec<&'static Section>) {
    for field in list {
        words.push(field.key);
        match field.kind {
            Kind::Map(inner) | Kind::Entries(inner) | Kind::ShortEntries(inner) | Kind::List(inner) => {
                section(inner, words, seen);
            }
            _ => {}
        }
    }
}

/// What URDF is made of.
pub const URDF_WORDS: &[&str] = &[
    "<robot name=\"r\">",
    "</robot>",
    "<link name=\"a\"/>",
    "<link",
    "</link>",
    "<joint",
    "</joint>",
    "<inertial>",
    "</inertial>",
    "<origin xyz=\"0 0 1\" rpy=\"1.57079632679 0 0\"/>",
    "<mass value=\"1\"/>",
    "<axis xyz=\"0 0 0\"/>",
    "<axis xyz=\"1 2 3\"/>",
    "<parent link=\"a\"/>",
    "<child link=\"b\"/>",
    "<mimic joint=\"j\" multiplier=\"2\"/>",
    "<limit lower=\"1\" upper=\"-1\"/>",
    "<dynamics damping=\"1\" friction=\"-1\"/>",
    "revolute",
    "continuous",
    "prismatic",
    "fixed",
    "floating",
    "planar",
    "<visual>",
    "<geometry>",
    "<box size=\"1 1 1\"/>",
    "<mesh/>",
    "<!DOCTYPE r [<!ENTITY a \"b\">]>",
    "&a;",
    "&lt;",
    "&#0;",
    "<![CDATA[",
    "]]>",
    "<!--",
    "-->",
    "<?xml?>",
    "nan",
    "inf",
    "1e999",
    "-0",
    "1e-11",
    "3.14159265358979",
    "${x}",
    "xmlns:xacro=\"http://ros.org/wiki/xacro\"",
    "\"",
    "'",
    "=",
    "<",
    ">",
    "/>",
    " ",
    "\n",
    "ground",
    "type",
    "t",
    "a.b",
    "é",
];

/// Formulas to start from.
pub const FORMULAS: &[&str] = &[
    "1 + 2*q",
    "sin(q)^2 + cos(q)^2",
    "if(q > 0 and not (t < 1), -k*q, 0)",
    "der(position(arm.tip).z)",
    "min(0, max(q, -1)) - abs(der(q))",
    "spline(curve, q) + linear(curve, t)",
    "atan2(sin(q), cos(q)) / (1 + q^2)",
    "position(arm.tip, relative_to=ground).x",
    "f(f(q, 1), k)",
    "-(-(-q))",
    "2^-q^2",
    "1e-3*.5 + 3.",
    "reaction(hinge).fx",
    "sqrt(exp(-q^2)) * tanh(q/k) + floor(t) + mod(t, 2)",
    "rotation(arm).xx",
    "acceleration(arm.tip).y",
];
