//! Models that are right, and what they resolve to.

use mbs_symbolic::diag::render;
use mbs_symbolic::ids::{CoordinateId, Id};
use mbs_symbolic::model::language::{CONSTRAINTS, FORCES, JOINTS};
use mbs_symbolic::model::{
    self, Defaults, ForceKind, JointKind, Loader, Model, NoFiles, Orientation, ParameterValue,
};
use std::collections::BTreeSet;

fn read_with(source: &str, loader: &dyn Loader) -> Model {
    let reading = model::read("model.yaml", source, loader);
    match reading.result {
        Ok((model, warnings)) => {
            assert!(warnings.is_empty(), "{}", render(&warnings, &reading.sources));
            model
        }
        Err(problems) => panic!("{}", render(&problems, &reading.sources)),
    }
}

fn read(source: &str) -> Model {
    read_with(source, &NoFiles)
}

#[test]
fn all_of_tests_pass() {
    insta::glob!("../../tests/pass", "*.yaml", |path| {
        let source = std::fs::read_to_string(path).expect("readable");
        let _ = read(&source);
    });
}

#[test]
fn the_example_of_the_design() {
    let model = read(include_str!("../../tests/pass/design_example.yaml"));
    assert_eq!(model.name, "four_bar");
    assert_eq!((model.bodies.len(), model.joints.len()), (5, 5));
    let names: Vec<&str> = model.coordinates.iter().map(|coordinate| coordinate.name.text.as_str()).collect();
    assert_eq!(names, ["phi", "elbow", "knee", "closure", "axle.z", "axle.x", "axle.angle"]);
    let used: Vec<bool> = model.joints.iter().map(|joint| joint.coordinates_used).collect();
    assert_eq!(used, [true, false, false, false, true]);
    let derived: Vec<&str> =
        model.derived_order.iter().map(|id| model.parameters[*id].name.text.as_str()).collect();
    assert_eq!(derived, ["J1", "J2", "J3"]);
    let defaults = Defaults::new(&model);
    let j1 = model.derived_order[0];
    assert_eq!(defaults.parameter(j1), 1.2 * (0.4 * 0.4) / 12.0);
    assert_eq!(model.initial.positions.len(), 2);
    let scenario = &model.simulation.scenarios[0];
    assert_eq!((scenario.parameters.len(), scenario.inputs.len(), scenario.positions.len()), (1, 1, 1));
}

#[test]
fn order_does_not_matter_and_numbers_are_given() {
    let model = read(
        "bodies: {a: {mass: m}}\nparameters: {m: 2*n, n: 3e-1, p: '7', q: n + m}\nmodel: x\ngravity: [0, n, 0]\n",
    );
    let given: Vec<bool> =
        model.parameters.iter().map(|p| matches!(p.value, ParameterValue::Given(_))).collect();
    assert_eq!(given, [false, true, true, false]);
}

#[test]
fn quaternions_have_three_velocities() {
    let model = read("model: x\nbodies: {a: {mass: 1}}\njoints: {j: {type: free, from: ground, to: a}}\n");
    let names: Vec<&str> = model.velocities.iter().map(|velocity| velocity.name.text.as_str()).collect();
    assert_eq!(names, ["j.x", "j.y", "j.z", "j.wx", "j.wy", "j.wz"]);
    assert_eq!(model.coordinates.len(), 7);
    let joint = model.joints.iter().next().expect("one joint");
    let JointKind::Free { orientation: Orientation::Quaternion { coordinates, .. }, .. } = &joint.kind else {
        panic!("not a quaternion: {joint:?}");
    };
    assert_eq!(coordinates[0], CoordinateId::new(3));
    assert!(model.coordinates[coordinates[0]].rate.is_none());
}

#[test]
fn tables_come_from_files() {
    struct Files;
    impl Loader for Files {
        fn load(&self, path: &str) -> Result<String, String> {
            (path == "road.csv")
                .then(|| "station,height\n0,0\n1,0.1\n2,0\n".to_owned())
                .ok_or("gone".to_owned())
        }
    }
    let source =
        "model: x\nbodies: {a: {mass: 1}}\ntables: {road: {file: road.csv, x: station, y: height}}\n";
    let model = read_with(source, &Files);
    let table = model.tables.iter().next().expect("one table");
    assert_eq!((table.x.as_slice(), table.y.as_slice()), (&[0.0, 1.0, 2.0][..], &[0.0, 0.1, 0.0][..]));
    let reading = model::read("model.yaml", source, &Files);
    let names: Vec<&str> = reading.sources.files().iter().map(|file| file.name.as_str()).collect();
    assert_eq!(names, ["model.yaml", "road.csv"]);
}

#[test]
fn text_may_be_quoted_folded_or_escaped() {
    let model = read(
        "\u{feff}model: x\r\nparameters:\r\n  a: \"1 + \\u0032\"\r\n  b: >\r\n    1 +\r\n    2\r\n  c: 1 +\r\n    2\r\nbodies: {a1: {mass: 1}}\r\n",
    );
    let values: Vec<f64> = model.parameters.ids().map(|id| Defaults::new(&model).parameter(id)).collect();
    assert_eq!(values, [3.0, 3.0, 3.0]);
}

#[test]
fn merged_and_repeated_values_are_those_written() {
    let model = read(
        "model: x\nbodies:\n  a: &part {mass: 2, com: [1, 2, 3]}\n  b: {<<: *part, mass: 3}\n  c: *part\n",
    );
    let defaults = Defaults::new(&model);
    let masses: Vec<Option<f64>> = model.bodies.iter().map(|body| defaults.evaluate(&body.mass)).collect();
    assert_eq!(masses, [Some(0.0), Some(2.0), Some(3.0), Some(2.0)]);
    let lever: Vec<Option<f64>> = model.bodies.iter().map(|body| defaults.evaluate(&body.com[2])).collect();
    assert_eq!(lever, [Some(0.0), Some(3.0), Some(3.0), Some(3.0)]);
}

#[test]
fn a_hidden_name_is_a_warning() {
    let source = "model: x\nparameters: {length: 1}\nbodies: {a: {mass: 1}}\njoints: {j: {type: free, from: ground, to: a}}\nforces: {f: {type: spring_damper, from: ground, to: a, force: -length}}\n";
    let reading = model::read("model.yaml", source, &NoFiles);
    let (_, warnings) = reading.result.expect("only a warning");
    let codes: Vec<&str> = warnings.iter().map(|warning| warning.problem.code()).collect();
    assert_eq!(codes, ["MBS-N011"]);
}

#[test]
fn units_are_converted_and_shown_in_si() {
    let model = read(
        "model: x\nparameters:\n  k: 75 N/mm\n  c: {value: 2, unit: kN*s/m, min: 0, max: 5, doc: damper}\n  v: 36 km/h\n  w: {value: 3000 rpm, unit: rad/s}\n  J: {value: m*(0.4 m)^2, unit: kg*m^2}\n  m: {value: 500, unit: g}\n  plain: 3\nbodies: {a: {mass: m, com: [5 mm, 0, 0]}}\njoints: {j: {type: prismatic, from: ground, to: a, axis: x}}\ninputs: {p: {value: 2, unit: bar}, q: 5 deg}\ntables: {t1: {x: [0, 10], y: [0, 2], x_unit: mm, y_unit: kN}}\ninitial: {positions: {j: 3 cm}, velocities: {j: v}}\nsimulation: {t_end: 500 ms, scenarios: {stiff: {set: {c: 3, k: 80 N/mm}}}}\n",
    );
    let defaults = Defaults::new(&model);
    let values: Vec<f64> = model.parameters.ids().map(|id| defaults.parameter(id)).collect();
    let near = |a: f64, b: f64| (a - b).abs() < 1e-12 * b.abs();
    assert!(near(values[3], 3000.0 / 60.0 * std::f64::consts::TAU) && near(values[4], 0.08));
    assert_eq!((values[0], values[1], values[2], values[5]), (75_000.0, 2000.0, 10.0, 0.5));
    let units: Vec<Option<&str>> = model.parameters.iter().map(|p| p.unit.as_deref()).collect();
    let expected = ["N/m", "N*s/m", "m/s", "rad/s", "kg*m^2", "kg"].map(Some);
    assert_eq!(units[..6], expected);
    assert_eq!(units[6], None);
    let c = model.parameters.iter().nth(1).expect("the damper");
    assert_eq!((c.min, c.max), (Some(0.0), Some(5000.0)));
    assert_eq!(model.simulation.t_end, Some(0.5));
    let set: Vec<f64> = model.simulation.scenarios[0].parameters.iter().map(|(_, value)| *value).collect();
    assert_eq!(set, [3000.0, 80_000.0]);
    let table = model.tables.iter().next().expect("one table");
    assert_eq!((table.x[1], table.y[1]), (0.01, 2000.0));
    let inputs: Vec<Option<f64>> =
        model.inputs.iter().map(|input| defaults.evaluate(&input.default)).collect();
    assert_eq!(inputs, [Some(200_000.0), Some(5.0 * std::f64::consts::PI / 180.0)]);
}

/// Formulas that are right whatever the plain numbers in them mean.
#[test]
fn what_can_be_right_is_not_complained_of() {
    let laws = [
        "-100*phi - 2*der(phi)",
        "sin(t)",
        "-k*s*l",
        "k*s*l + 3",
        "if(s > 0.1, k*(s - 0.1)*l, 0)",
        "max(0, k*s*l)",
        "sqrt(k*m)*der(s)*l",
        "k*abs(s)*l*sign(s)",
        "m*l^2*w^2",
        "k*l^2*atan2(s, l)",
        "k*l^2*(s/l)^n",
        "9.81*m*l*cos(phi)",
        "k*l^2*exp(-t*w)*spline(curve, s)",
        "mod(s, l)*k*l",
        "m*der(s)^2/2",
        "0.5*m*velocity(a).x^2",
        "k*l^2*log(m/m)*tanh(der(s)/v0)",
        "u*l",
        "min(k*s, 5 N)*l - 1 N*m",
        "x1*5 N*m",
    ];
    for law in laws {
        let _ = read(&format!(
            "model: x\nparameters: {{k: 20 N/mm, l: 30 cm, m: 2 kg, w: 3 1/s, n: 2, v0: 1 mm/s}}\ninputs: {{u: 3 kN}}\nstates: {{x1: {{derivative: -x1/0.1, initial: 0}}}}\ntables: {{curve: {{points: [[0, 0], [1, 1], [2, 3]]}}}}\nbodies: {{a: {{mass: m}}, b: {{mass: m, inertia: {{zz: 1}}}}}}\njoints: {{slide: {{type: prismatic, from: ground, to: a, coordinate: s}}, turn: {{type: revolute, from: a, to: b, coordinate: phi}}}}\nforces: {{f: {{type: joint_torque, joint: turn, torque: \"{law}\"}}}}\n"
        ));
    }
}

/// Pure numbers may hide a unit, so that a mistake beside one is only a warning.
#[test]
fn a_factor_of_two_makes_a_mistake_a_warning() {
    let source =
        "model: x\nparameters: {m: 2 kg, l: 3 m, J: {value: m*l/12, unit: kg*m^2}}\nbodies: {a: {mass: m}}\n";
    let reading = model::read("model.yaml", source, &NoFiles);
    let (_, warnings) = reading.result.expect("only a warning");
    let codes: Vec<&str> = warnings.iter().map(|warning| warning.problem.code()).collect();
    assert_eq!(codes, ["MBS-U003"]);
}

/// `phi_dot` is der(phi), in the scope it stands in, unless something else has that name.
#[test]
fn rates_may_be_written_as_they_are_printed() {
    let source = include_str!("../../tests/pass/rates_by_printed_names.yaml");
    let written = source.replace("-2*phi_dot -", "-2*der(phi) -").replace("-slide.x_dot", "-der(slide.x)");
    let written =
        written.replace("rate: phi_dot", "rate: der(phi)").replace("rate: angle_dot", "rate: der(angle)");
    let written = written.replace("left.angle_dot", "der(left.angle)");
    let terms = |source: &str| -> Vec<String> {
        let model = read(source);
        let outputs = model.outputs.iter().map(|output| (&output.name.text, &output.value));
        let formulas = outputs.map(|(name, formula)| {
            let kinds: Vec<_> = formula.terms.iter().map(|term| term.kind).collect();
            format!("{name}: {kinds:?}")
        });
        let forces = model.forces.iter().map(|force| match &force.kind {
            ForceKind::JointForce { value, .. } => {
                format!("{:?}", value.terms.iter().map(|term| term.kind).collect::<Vec<_>>())
            }
            other => panic!("{other:?}"),
        });
        formulas.chain(forces).collect()
    };
    let printed = terms(source);
    assert_eq!(printed, terms(&written));
    assert!(printed.iter().any(|text| text.starts_with("parameter: [Parameter(")), "{printed:?}");
}

/// The name and the type of each element in a section of the model that has every element.
fn types_of(section: &str) -> Vec<(&'static str, &'static str)> {
    let text = include_str!("../../tests/pass/every_element.yaml");
    let lines = text.lines().skip_while(|line| *line != format!("{section}:")).skip(1);
    let element = |line: &'static str| {
        let (name, rest) = line.trim().split_once(": {type: ")?;
        Some((name, rest.split([',', '}']).next()?))
    };
    lines.take_while(|line| line.starts_with(' ')).filter_map(element).collect()
}

/// A type that the table of the language knows and nothing reads would become a weld, or vanish.
#[test]
fn every_type_of_the_language_is_resolved() {
    let model = read(include_str!("../../tests/pass/every_element.yaml"));
    for (section, elements) in [("joints", &JOINTS), ("constraints", &CONSTRAINTS), ("forces", &FORCES)] {
        let written = types_of(section);
        let all: BTreeSet<&str> = elements.variants.iter().map(|variant| variant.name).collect();
        assert_eq!(written.iter().map(|(_, kind)| *kind).collect::<BTreeSet<_>>(), all, "{section}");
        for (name, kind) in written {
            let is_there = match section {
                "joints" => {
                    let joint = model.joints.iter().find(|joint| joint.name.text == name);
                    joint.is_some_and(|joint| (joint.kind == JointKind::Fixed) == (kind == "fixed"))
                }
                "constraints" => model.constraints.iter().any(|constraint| constraint.name.text == name),
                _ => model.forces.iter().any(|force| force.name.text == name),
            };
            assert!(is_there, "`{name}`, of type `{kind}`, is not read as that");
        }
    }
}
