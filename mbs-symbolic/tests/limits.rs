//! Nothing in a model file makes the reader panic, hang or run out of memory.

use mbs_symbolic::diag::{Style, render, render_with};
use mbs_symbolic::model::{self, Loader, NoFiles};
use mbs_symbolic::{Options, compile};
use std::time::Instant;

/// Codes of everything that is wrong with a model.
fn codes(source: &str) -> Vec<&'static str> {
    codes_with(source, &NoFiles)
}

fn codes_with(source: &str, loader: &dyn Loader) -> Vec<&'static str> {
    let reading = model::read("model.yaml", source, loader);
    let problems = match reading.result {
        Ok((_, warnings)) => warnings,
        Err(problems) => problems,
    };
    let text = render(&problems, &reading.sources);
    assert_eq!(text.is_empty(), problems.is_empty());
    problems.iter().map(|diagnostic| diagnostic.problem.code()).collect()
}

const HEAD: &str = "model: x\nbodies: {a: {mass: 1}}\n";

#[test]
fn too_many_bodies() {
    let mut source = String::from("model: x\nbodies:\n");
    for i in 0..2001 {
        source += &format!("  b{i}: {{mass: 1}}\n");
    }
    assert_eq!(codes(&source), ["MBS-L003"]);
}

const ROD: &str = "assemblies:\n  a: {bodies: {rod: {mass: 1}}}\n";

#[test]
fn too_many_repeated_bodies() {
    let source = |count: usize| {
        format!("model: x\nbodies: {{}}\n{ROD}instances: {{i: {{of: a, repeat: {{count: {count}}}}}}}\n")
    };
    assert!(codes(&source(2000)).is_empty());
    assert_eq!(codes(&source(2001)), ["MBS-L003"]);
    assert_eq!(codes(&source(20_001)), ["MBS-L003"]);
    assert_eq!(codes(&source(usize::MAX)), ["MBS-L003"]);
}

#[test]
fn repetitions_of_repetitions_are_refused() {
    let mut source = format!("model: x\nbodies: {{}}\n{ROD}");
    for (outer, inner) in [("b", "a"), ("c", "b"), ("d", "c"), ("e", "d")] {
        source += &format!("  {outer}: {{instances: {{i: {{of: {inner}, repeat: {{count: 100}}}}}}}}\n");
    }
    source += "instances: {i: {of: e, repeat: {count: 100}}}\n";
    assert_eq!(codes(&source), ["MBS-L003"]);
    let mut deep = format!("model: x\nbodies: {{}}\n{ROD}");
    for i in 0..40 {
        let inner = if i == 0 { "a".to_owned() } else { format!("a{}", i - 1) };
        deep += &format!("  a{i}: {{instances: {{i: {{of: {inner}}}}}}}\n");
    }
    deep += "instances: {i: {of: a39}}\n";
    assert_eq!(codes(&deep), ["MBS-L003"]);
}

#[test]
fn large_assemblies_used_often_are_refused() {
    let mut source = String::from("model: x\nbodies: {}\nassemblies:\n  a:\n    outputs:\n");
    for i in 0..2000 {
        source += &format!("      o{i}: t\n");
    }
    source += "instances: {i: {of: a, repeat: {count: 2000}}}\n";
    assert_eq!(codes(&source), ["MBS-L003"]);
}

/// Files that go on for ever.
struct Endless;

impl Loader for Endless {
    fn load(&self, path: &str) -> Result<String, String> {
        if path == "large.yaml" {
            return Ok(" ".repeat(model::limits::FILE_BYTES + 1));
        }
        if path == "wide.yaml" {
            let names: Vec<String> = (0..1100).map(|i| format!("leaf{i}")).collect();
            return Ok(format!("include: [{}]\n", names.join(", ")));
        }
        if path.starts_with("leaf") {
            return Ok(format!("parameters: {{{path}: 1}}\n"));
        }
        let number: usize = path.parse().map_err(|_| "no such file".to_owned())?;
        Ok(format!("include: [{}]\nparameters: {{p{number}: 1}}\n", number + 1))
    }
}

#[test]
fn included_files_are_counted() {
    assert_eq!(codes_with(&format!("{HEAD}include: ['1']\n"), &Endless), ["MBS-L003"]);
    assert_eq!(codes_with(&format!("{HEAD}include: ['30', '100']\n"), &Endless), ["MBS-L003"; 2]);
    assert_eq!(codes_with(&format!("{HEAD}include: large.yaml\n"), &Endless), ["MBS-L001"]);
    let wide = codes_with(&format!("{HEAD}include: wide.yaml\n"), &Endless);
    assert!(!wide.is_empty() && wide.iter().all(|code| *code == "MBS-L003"));
}

#[test]
fn matrices_that_fill_the_memory_are_refused() {
    let mut source = String::from("model: x\nbodies:\n");
    for i in 0..1000 {
        source += &format!("  b{i}: {{mass: 1, inertia: {{xx: 1, yy: 1, zz: 1}}}}\n");
    }
    source += "joints:\n";
    for i in 0..1000 {
        source += &format!("  j{i}: {{type: free, from: ground, to: b{i}}}\n");
    }
    let rejected = compile("model.yaml", &source, &NoFiles, Options::default()).expect_err("too large");
    let codes: Vec<&str> = rejected.diagnostics.iter().map(|problem| problem.problem.code()).collect();
    assert_eq!(codes, ["MBS-L003"]);
}

#[test]
fn long_tables_are_read_and_longer_ones_refused() {
    let table = |count: usize| {
        let x: Vec<String> = (0..count).map(|i| i.to_string()).collect();
        format!("{HEAD}tables: {{long: {{x: [{}], y: [{}]}}}}\n", x.join(","), vec!["0"; count].join(","))
    };
    assert!(codes(&table(100_000)).is_empty());
    let one = "0,".repeat(1_000_001);
    assert_eq!(codes(&format!("{HEAD}tables: {{long: {{x: [{one}], y: [0]}}}}\n")), ["MBS-L003"]);
}

#[test]
fn functions_that_double_each_other_are_refused() {
    let mut source = format!("{HEAD}functions:\n  f0: {{arguments: [x], value: x + 1}}\n");
    for i in 1..40 {
        source += &format!("  f{i}: {{arguments: [x], value: f{0}(f{0}(x)) + f{0}(x)}}\n", i - 1);
    }
    assert!(codes(&source).contains(&"MBS-L003"));
}

#[test]
fn many_unknown_names_and_circles_take_no_time() {
    let mut source = format!("{HEAD}parameters:\n");
    for i in 0..5000 {
        source += &format!("  parameter_{i}: parameter_{} + parametre_{i} + parameter_{i}\n", (i + 1) % 5000);
    }
    assert_eq!(codes(&source).len(), 5000);
    let mut source = format!("{HEAD}variables:\n");
    for i in 0..2000 {
        let earlier: Vec<String> = (0..200).map(|k| format!("v{}", (i + k * 7) % 2000)).collect();
        source += &format!("  v{i}: {}\n", earlier.join("+"));
    }
    assert_eq!(codes(&source).len(), 20);
}

#[test]
fn long_formulas_are_refused() {
    let source = format!("{HEAD}outputs: {{a: \"{}1\"}}\n", "1+".repeat(40_000));
    assert_eq!(codes(&source), ["MBS-L004"]);
}

#[test]
fn a_file_full_of_mistakes_is_rendered_in_part() {
    let source: String = (0..2000).map(|i| format!("k{i}: 1\n")).collect();
    let reading = model::read("model.yaml", &source, &NoFiles);
    let problems = reading.result.expect_err("wrong");
    assert!(render(&problems, &reading.sources).ends_with("… and 1952 more"));
}

#[test]
fn colours_are_an_option() {
    let reading = model::read("model.yaml", "model: x\n", &NoFiles);
    let problems = reading.result.expect_err("wrong");
    assert!(render_with(&problems, &reading.sources, Style::Coloured).contains('\u{1b}'));
    assert!(!render(&problems, &reading.sources).contains('\u{1b}'));
}

/// Damages good models in a thousand ways; each must be read or refused, with a
/// message that can be shown.
#[test]
fn damaged_models_do_no_harm() {
    let models = [
        include_str!("../../tests/pass/design_example.yaml"),
        include_str!("../../tests/pass/every_element.yaml"),
    ];
    let pieces = [
        "", " ", "\n", "{", "}", "[", "]", ":", ": ", ",", "-", "'", "\"", "#", "&a ", "*a", "(", ")", "^",
        ".", "µ", "\u{feff}", "\t", "\r\n", "1e999", ".nan", "~", "null", "true", "|\n", "der(", "t",
        "ground", "!!str ", "? ", "<<: ", "0x10", "if(", "and", "x",
    ];
    let mut seed = 1_u64;
    let mut random = |below: usize| {
        seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (seed >> 33) as usize % below
    };
    for round in 0..1000 {
        let mut source = models[round % models.len()].to_owned();
        for _ in 0..=random(3) {
            let mut at = random(source.len());
            while !source.is_char_boundary(at) {
                at -= 1;
            }
            let mut end = (at + random(12)).min(source.len());
            while !source.is_char_boundary(end) {
                end -= 1;
            }
            source.replace_range(at..end.max(at), pieces[random(pieces.len())]);
        }
        let _ = codes(&source);
    }
}

/// A mistake costs the same whether it is the first of a large file or the last.
#[test]
fn many_mistakes_are_told_in_time() {
    let mut source = format!("{HEAD}parameters:\n");
    for i in 0..9000 {
        source += &format!("  parameter_of_the_model_{i}: 2\n");
    }
    source += "outputs:\n";
    for i in 0..9000 {
        let unknown: Vec<String> = (0..7).map(|k| format!("parameter_of_a_model_{i}_{k}")).collect();
        source += &format!("  o{i}: {}\n", unknown.join(" + "));
    }
    let begin = Instant::now();
    let reading = model::read("model.yaml", &source, &NoFiles);
    let problems = reading.result.expect_err("63 000 mistakes");
    assert_eq!(problems.len(), 63_000);
    let reading_took = begin.elapsed();
    let begin = Instant::now();
    let lines: usize = problems.iter().map(|problem| reading.sources.position(problem.span).line).sum();
    assert!(lines > 63_000 * 9000 && !render(&problems, &reading.sources).is_empty());
    let telling_took = begin.elapsed();
    assert!(telling_took < 3 * reading_took, "{telling_took:?} beside {reading_took:?}");
}
