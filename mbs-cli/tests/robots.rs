//! Robots of other people: what is passed over, what is accepted if asked for, and how they move.

mod common;

use common::{Scratch, json, mbs, stderr, stdout, succeed};
use serde_json::{Value, json};

/// A robot of two links; `links` and `joint` are added to the second of each.
fn robot(link: &str, joint: &str) -> String {
    format!(
        r#"<robot name="two">
  <link name="base"/>
  <link name="upper"><inertial><mass value="2"/><origin xyz="0.1 0 0"/>
    <inertia ixx="0.1" ixy="0" ixz="0" iyy="0.1" iyz="0" izz="0.1"/></inertial></link>
  <link name="lower">{link}</link>
  <joint name="shoulder" type="continuous"><parent link="base"/><child link="upper"/><axis xyz="0 0 1"/></joint>
  <joint name="elbow" type="revolute"><origin xyz="0.2 0 0"/><parent link="upper"/><child link="lower"/>{joint}</joint>
</robot>
"#
    )
}

const INERTIA: &str = r#"<inertial><mass value="2"/><origin xyz="0.1 0 0"/>
    <inertia ixx="0.1" ixy="0" ixz="0" iyy="0.1" iyz="0" izz="0.1"/></inertial>"#;
const AXIS: &str = r#"<axis xyz="0 1 0"/>"#;

fn inertia(entries: &str) -> String {
    format!(r#"<inertial><mass value="2"/><origin xyz="0.1 0 0"/><inertia {entries}/></inertial>"#)
}

fn codes(answer: &Value) -> Vec<(String, String)> {
    let text = |value: &Value| value.as_str().expect("a text").to_owned();
    let list = answer["diagnostics"].as_array().expect("diagnostics");
    list.iter().map(|found| (text(&found["severity"]), text(&found["code"]))).collect()
}

/// What the motion does not need is a warning, and says what is passed over.
#[test]
fn what_dynamics_does_not_need_is_a_warning() {
    let scratch = Scratch::new("spare");
    let limit = |limit: &str| format!("{AXIS}<limit {limit}/>");
    let visual = |shape: &str| format!("{INERTIA}<visual><geometry>{shape}</geometry></visual>");
    let plain = scratch.file("plain.urdf", &robot(INERTIA, AXIS));
    let plain = succeed(&["equations", &plain]);
    for (link, joint, code) in [
        (visual(r#"<box size="0 1 1"/>"#), AXIS.to_owned(), "MBS-X018"),
        (visual(r#"<cylinder radius="0" length="1"/>"#), AXIS.to_owned(), "MBS-X018"),
        (visual(r#"<sphere radius="-1"/>"#), AXIS.to_owned(), "MBS-X018"),
        (visual(r#"<box size="1 1"/>"#), AXIS.to_owned(), "MBS-X004"),
        (visual(r#"<box size="${x} 1 1"/>"#), AXIS.to_owned(), "MBS-X014"),
        (visual(r"<cylinder/>"), AXIS.to_owned(), "MBS-X003"),
        (format!("{INERTIA}<visual/>"), AXIS.to_owned(), "MBS-X003"),
        (INERTIA.to_owned(), limit(r#"effort="-1""#), "MBS-X018"),
        (INERTIA.to_owned(), limit(r#"lower="1" upper="-1""#), "MBS-X018"),
        (INERTIA.to_owned(), limit(r#"lower="low""#), "MBS-X004"),
        (INERTIA.to_owned(), limit("/><limit"), "MBS-X015"),
        (INERTIA.to_owned(), r#"<axis xyz="0 1 0" colour="red"/>"#.to_owned(), "MBS-X010"),
    ] {
        let file = scratch.file("robot.urdf", &robot(&link, &joint));
        let answer = json(&["check", &file, "--json"], 0);
        assert_eq!(codes(&answer)[0], ("warning".to_owned(), code.to_owned()), "{link} {joint}");
        assert!(codes(&answer).iter().all(|(severity, _)| severity != "error"));
        assert_eq!(stdout(&mbs(&["equations", &file])), plain, "{link} {joint}");
    }
}

/// An attribute URDF does not know is told once for all its places.
#[test]
fn unknown_attributes_are_grouped() {
    let scratch = Scratch::new("grouped");
    let text = robot(INERTIA, AXIS).replace("<link ", "<link colour=\"red\" ");
    let file = scratch.file("robot.urdf", &text);
    let answer = json(&["check", &file, "--json"], 0);
    assert_eq!(codes(&answer), [("warning".to_owned(), "MBS-X010".to_owned())]);
    let message = answer["diagnostics"][0]["message"].as_str().expect("a message");
    assert_eq!(message, "the attribute `colour` means nothing in `<link>` (3 times)");
}

/// What the motion needs and is wrong is refused, and accepted with `--lenient` by name.
#[test]
fn what_is_doubtful_is_accepted_if_asked_for() {
    let scratch = Scratch::new("lenient");
    let plain = robot(INERTIA, AXIS);
    let same = succeed(&["equations", &scratch.file("plain.urdf", &plain)]);
    let negative = inertia(r#"ixx="0.1" ixy="0.2" ixz="0" iyy="0.1" iyz="0" izz="0.1""#);
    let macros = r#"<robot name="two" xmlns:xacro="http://ros.org/xacro"><xacro:property name="a"/><xacro:property name="b"/>"#;
    // A link that is welded on and has no mass changes nothing.
    let weld = r#"<link name="tip"/><joint name="weld" type="fixed"><parent link="lower"/><child link="tip"/></joint></robot>"#;
    let of_fixed = robot(INERTIA, &format!(r#"{AXIS}<mimic joint="weld"/>"#)).replace("</robot>", weld);
    for (text, code, changes) in [
        (robot(&negative, AXIS), "MBS-P002", true),
        (robot(INERTIA, &format!(r#"{AXIS}<axis xyz="0 0 1"/>"#)), "MBS-X015", false),
        (plain.replace(r#"<robot name="two">"#, macros), "MBS-X013", false),
        (plain.replace("<link name=\"base\"/>", "<link name=\"base\"/><x:y z:a='1'/>"), "MBS-X016", false),
        (robot(INERTIA, &format!(r#"{AXIS}<mimic joint="thumb"/>"#)), "MBS-X017", false),
        (robot(INERTIA, &format!(r#"{AXIS}<mimic joint="elbow"/>"#)), "MBS-X017", false),
        (of_fixed, "MBS-X017", false),
    ] {
        let file = scratch.file("robot.urdf", &text);
        let refused = json(&["check", &file, "--json"], 1);
        assert!(codes(&refused).contains(&("error".to_owned(), code.to_owned())), "{refused:#}");
        assert!(stderr(&mbs(&["check", &file])).contains("--lenient"), "{code}: no way out is named");
        let accepted = json(&["check", &file, "--json", "--lenient"], 0);
        let named = codes(&accepted).iter().filter(|(_, found)| found == code).count();
        // Two prefixes; two macros are one kind of thing.
        assert_eq!(named, if code == "MBS-X016" { 2 } else { 1 }, "{accepted:#}");
        assert!(codes(&accepted).iter().all(|(severity, _)| severity != "error"));
        let equations = stdout(&mbs(&["equations", &file, "--lenient"]));
        assert_eq!(equations != same, changes, "{code}");

        // The import stands without the option and says what was accepted.
        let yaml = stdout(&mbs(&["import", &file, "--lenient"]));
        let imported = scratch.file("two.yaml", &yaml);
        assert!(yaml.contains("# Not imported, or imported otherwise:") || code == "MBS-P002", "{yaml}");
        assert_eq!(stdout(&mbs(&["equations", &imported])), equations, "{yaml}");
    }
}

/// Numbers that were subtracted to nothing are nothing; with their dust kept they are refused.
#[test]
fn inertias_that_are_dust_are_zero() {
    let scratch = Scratch::new("inertia-dust");
    for entries in [
        r#"ixx="0" ixy="0" ixz="2.4e-35" iyy="0" iyz="0" izz="0""#,
        r#"ixx="-5.42101e-20" ixy="0" ixz="0" iyy="-5.42101e-20" iyz="0" izz="0""#,
        r#"ixx="0" ixy="0" ixz="0" iyy="4.07592e-18" iyz="-2.71051e-20" izz="0""#,
    ] {
        let file = scratch.file("robot.urdf", &robot(&inertia(entries), AXIS));
        let yaml = succeed(&["import", &file]);
        assert!(!yaml.contains("I_lower"), "{yaml}");
        json(&["check", &file, "--keep-dust", "--json"], 1);
    }
    // A light body far from its origin, and a small one, keep what they have.
    for entries in [
        r#"ixx="1e-9" ixy="0" ixz="0" iyy="1e-9" iyz="0" izz="1e-9""#,
        r#"ixx="0" ixy="0" ixz="0" iyy="0.1" iyz="0" izz="0.1""#,
    ] {
        let file = scratch.file("robot.urdf", &robot(&inertia(entries), AXIS));
        assert!(succeed(&["import", &file]).contains("I_lower_yy"));
    }
}

/// Every command that reads a model takes the options.
#[test]
fn every_command_takes_the_options() {
    let scratch = Scratch::new("robot-options");
    let joint = format!(r#"{AXIS}{AXIS}"#);
    let model = scratch.file(
        "arm.urdf",
        &robot(INERTIA, &joint)
            .replace("<link name=\"base\"/>", &format!("<link name=\"base\">{INERTIA}</link>")),
    );
    let at = |name: &str| scratch.0.join(name).display().to_string();
    let (out, svg, csv) = (at("out"), at("out.svg"), at("out.csv"));
    for arguments in [
        &["check", &model][..],
        &["import", &model],
        &["graph", &model],
        &["stats", &model],
        &["equations", &model],
        &["explain", &model, "f[elbow]"],
        &["verify", &model, "--samples", "1"],
        &["diff", &model, &model],
        &["generate", &model, "--out", &out],
        &["eval", &model],
        &["simulate", &model, "--t-end", "0.01"],
        &["picture", &model, "--t-end", "0.01", "--out", &svg],
        &["compare", &model, "--t-end", "0.01", "--methods", "mdop5"],
        &["sweep", &model, "--param", "m_lower=1:2:2", "--t-end", "0.01", "--output", &csv],
    ] {
        assert_eq!(mbs(arguments).status.code().unwrap_or(-1).min(1), 1, "{arguments:?} accepts it as it is");
        let output = mbs(&[arguments, &["--lenient", "--floating-base"]].concat());
        assert_eq!(output.status.code(), Some(0), "{arguments:?}: {}", stderr(&output));
    }
    // Eight positions: the base moves.
    let answer = json(&["eval", &model, "--lenient", "--floating-base", "--json"], 0);
    assert_eq!(answer["positions"].as_array().map(Vec::len), Some(9));
    let with_ground = json(&["eval", &model, "--lenient", "--json"], 0);
    assert_eq!(with_ground["positions"], json!(["shoulder", "elbow"]));
    let refused = mbs(&["equilibrium", &model, "--lenient", "--floating-base", "--t-end", "1"]);
    assert!(!stderr(&refused).contains("unexpected argument '--lenient'"));

    // A model has its own base.
    let yaml = scratch.file("arm.yaml", &stdout(&mbs(&["import", &model, "--lenient"])));
    assert!(stderr(&mbs(&["check", &yaml, "--floating-base"])).contains("MBS-X020"));
    assert!(!stderr(&mbs(&["check", &yaml, "--lenient"])).contains("MBS-X020"));
}

/// A robot without joints is one body that flies.
#[test]
fn a_robot_without_joints_moves_freely() {
    let scratch = Scratch::new("one-body");
    let text = format!(r#"<robot name="quadrotor"><link name="base_link">{INERTIA}</link></robot>"#);
    let file = scratch.file("quadrotor.urdf", &text);
    let answer = json(&["check", &file, "--json"], 0);
    assert_eq!(answer["degrees_of_freedom"], 6);
    assert_eq!(codes(&answer), [("note".to_owned(), "MBS-X019".to_owned())]);
    let free = json(&["check", &file, "--floating-base", "--json"], 0);
    assert_eq!((free["degrees_of_freedom"].clone(), codes(&free)), (json!(6), vec![]));
    let nothing = scratch.file("nothing.urdf", r#"<robot name="nothing"/>"#);
    assert_eq!(codes(&json(&["check", &nothing, "--json"], 1))[0].1, "MBS-X003");
}

/// M and f where no accelerations are determined.
#[test]
fn what_does_not_need_accelerations_is_given_without_them() {
    let scratch = Scratch::new("singular");
    let file = scratch.file("robot.urdf", &robot("", AXIS));
    let answer = json(&["eval", &file, "--json"], 1);
    assert_eq!(answer["ok"], false);
    let m = |i: usize, j: usize| answer["M"][i][j].as_f64().expect("a number");
    assert!((m(0, 0) - 0.12).abs() < 1e-15 && m(0, 1) == 0.0 && m(1, 1) == 0.0);
    assert_eq!((&answer["f"], &answer["v_dot"]), (&json!([0.0, 0.0]), &json!([null, null])));
    assert_eq!(answer["undetermined"]["code"], "MBS-C011");
    let text = stdout(&mbs(&["eval", &file]));
    assert!(
        text.contains("`elbow` moves no inertia") && text.contains("\nM\n") && !text.contains("NaN"),
        "{text}"
    );
    let regular = scratch.file("regular.urdf", &robot(INERTIA, AXIS));
    assert_eq!(json(&["eval", &regular, "--json"], 0)["undetermined"], Value::Null);
}

/// A crank and a rocker, closed by a rod; `initial` is where it is listed to start.
fn rocker(limits: &str, initial: &str) -> String {
    format!(
        "model: rocker
bodies:
  ground: {{frames: {{right: {{position: [0.5, 0, 0]}}}}}}
  crank: {{mass: 1, inertia: {{yy: 0.01}}, frames: {{pin: {{position: [0, 0, 0.2]}}}}}}
  rocker: {{mass: 1, inertia: {{yy: 0.01}}, frames: {{pin: {{position: [0, 0, 0.3]}}}}}}
joints:
  a: {{type: revolute, from: ground, to: crank, axis: y, coordinate: alpha}}
  b: {{type: revolute, from: ground.right, to: rocker, axis: y, coordinate: beta, limits: {{{limits}}}}}
constraints:
  rod: {{type: distance, from: crank.pin, to: rocker.pin, length: 0.6}}
initial: {{positions: {{{initial}}}}}
"
    )
}

/// Limits are held against the pose a run begins in, not against what is listed.
#[test]
fn limits_are_judged_at_the_real_start() {
    let scratch = Scratch::new("limits");
    let outside = |name: &str, limits: &str, initial: &str| {
        let file = scratch.file(name, &rocker(limits, initial));
        let found = |arguments: &[&str]| stderr(&mbs(arguments)).contains("MBS-P040");
        let [check, eval, simulate] = [
            found(&["check", &file]),
            found(&["eval", &file]),
            found(&["simulate", &file, "--t-end", "0.01"]),
        ];
        assert_eq!((check, eval), (simulate, simulate), "{limits}, {initial}");
        simulate
    };
    let closed = scratch.file("closed.yaml", &rocker("", "alpha: 0.5"));
    let beta = json(&["eval", &closed, "--json"], 0)["p"][1].as_f64().expect("an angle");
    assert!(beta.abs() > 0.05, "the rocker is not moved: {beta}");
    let around = |from: f64, to: f64| format!("lower: {:?}, upper: {:?}", beta + from, beta + to);
    // Where the loop closes, though it is not listed.
    assert!(outside("a.yaml", &around(0.01, 1.0), "alpha: 0.5"));
    assert!(outside("b.yaml", &around(-1.0, -0.01), "alpha: 0.5"));
    assert!(!outside("c.yaml", &around(-0.01, 0.01), "alpha: 0.5"));
    // On a limit is within it.
    assert!(!outside("d.yaml", &around(0.0, 1.0), "alpha: 0.5"));
    // What is listed last is moved by closing: from outside to inside.
    assert!(!outside("e.yaml", &around(-0.01, 0.01), &format!("alpha: 0.5, beta: {:?}", beta + 0.02)));
    // An unlisted coordinate starts at zero.
    let limit = format!(r#"{AXIS}<limit lower="0.2" upper="1"/>"#);
    let file = scratch.file("robot.urdf", &robot(INERTIA, &limit));
    assert_eq!(codes(&json(&["check", &file, "--json"], 0)), [("warning".to_owned(), "MBS-P040".to_owned())]);
}

type Matrix = Vec<Vec<f64>>;

fn numbers(value: &Value) -> Vec<f64> {
    value.as_array().expect("a list").iter().map(|x| x.as_f64().expect("a number")).collect()
}

fn matrix(value: &Value) -> Matrix {
    value.as_array().expect("rows").iter().map(numbers).collect()
}

fn product(a: &Matrix, b: &Matrix) -> Matrix {
    let columns = 0..b[0].len();
    a.iter()
        .map(|row| columns.clone().map(|j| row.iter().zip(b).map(|(x, y)| x * y[j]).sum()).collect())
        .collect()
}

fn transposed(a: &Matrix) -> Matrix {
    (0..a[0].len()).map(|j| a.iter().map(|row| row[j]).collect()).collect()
}

fn times(a: &Matrix, x: &[f64]) -> Vec<f64> {
    a.iter().map(|row| row.iter().zip(x).map(|(a, x)| a * x).sum()).collect()
}

fn assert_near(what: &str, found: &[f64], expected: &[f64]) {
    let size = expected.iter().fold(1.0, |most: f64, x| most.max(x.abs()));
    assert_eq!(found.len(), expected.len(), "{what}");
    for (a, b) in found.iter().zip(expected) {
        assert!((a - b).abs() < 1e-12 * size, "{what}: {found:?} is not {expected:?}");
    }
}

/// The example of docs/velocities.md: a robot with a floating base in our velocities, in
/// Pinocchio's and in MuJoCo's, against numbers of these two programs (tests/data/README.md).
#[test]
fn velocities_of_a_floating_base_in_three_programs() {
    let scratch = Scratch::new("velocities");
    let root = concat!(env!("CARGO_MANIFEST_DIR"), "/..");
    let reference =
        std::fs::read_to_string(format!("{root}/tests/data/urdf/floating.json")).expect("numbers");
    let reference: Value = serde_json::from_str(&reference).expect("JSON");
    let at = &reference["state"];
    let list = |name: &str| numbers(&at[name]);
    let (r, quaternion, v, omega) = (list("r"), list("quat_wxyz"), list("v_ground"), list("omega_trunk"));
    let [w, x, y, z] = quaternion[..] else { panic!("four components") };
    let state = json!({
        "positions": {
            "base.x": r[0], "base.y": r[1], "base.z": r[2],
            "base.qw": w, "base.qx": x, "base.qy": y, "base.qz": z, "shoulder": at["shoulder"],
        },
        "velocities": {
            "base.x": v[0], "base.y": v[1], "base.z": v[2],
            "base.wx": omega[0], "base.wy": omega[1], "base.wz": omega[2],
            "shoulder": at["shoulder_rate"],
        },
    });
    let state = scratch.file("state.json", &state.to_string());
    let robot = "tests/data/urdf/floating.urdf";
    let ours = json(&["eval", robot, "--floating-base", "--raw", "--state", &state, "--json"], 0);
    let (mass, force, v_ours) = (matrix(&ours["M"]), numbers(&ours["f"]), numbers(&ours["v"]));
    let v_dot = numbers(&ours["v_dot"]);
    let bias: Vec<f64> = force.iter().map(|f| -f).collect();

    // MuJoCo: the same velocities in the same order, the quaternion in the same order, too.
    let mujoco = &reference["mujoco"];
    assert_near("qpos", &numbers(&ours["p"]), &numbers(&mujoco["qpos"]));
    assert_near("qvel", &v_ours, &numbers(&mujoco["qvel"]));
    assert_near("MuJoCo's M", &mass.concat(), &matrix(&mujoco["mass_matrix"]).concat());
    assert_near("qfrc_bias", &bias, &numbers(&mujoco["bias"]));
    assert_near("qacc", &v_dot, &numbers(&mujoco["qacc"]));

    // Pinocchio: v = T v_ours, T = diag(Rᵀ, 1), T' v_ours = −ω × Rᵀ v in the first three rows.
    let rotation = vec![
        vec![1.0 - 2.0 * (y * y + z * z), 2.0 * (x * y - w * z), 2.0 * (x * z + w * y)],
        vec![2.0 * (x * y + w * z), 1.0 - 2.0 * (x * x + z * z), 2.0 * (y * z - w * x)],
        vec![2.0 * (x * z - w * y), 2.0 * (y * z + w * x), 1.0 - 2.0 * (x * x + y * y)],
    ];
    let to_body = transposed(&rotation);
    let mut t: Matrix = (0..7).map(|i| (0..7).map(|j| f64::from(u8::from(i == j))).collect()).collect();
    for (row, own) in t.iter_mut().zip(&to_body) {
        row[..3].copy_from_slice(own);
    }
    let u = times(&to_body, &v);
    let mut t_dot_v = vec![0.0; 7];
    t_dot_v[..3].copy_from_slice(&[0, 1, 2].map(|k| {
        let (i, j) = ((k + 1) % 3, (k + 2) % 3);
        omega[j] * u[i] - omega[i] * u[j]
    }));
    let pinocchio = &reference["pinocchio"];
    assert_near("Pinocchio's v", &times(&t, &v_ours), &numbers(&pinocchio["v"]));
    let theirs = matrix(&pinocchio["mass_matrix"]);
    assert_near("M", &mass.concat(), &product(&transposed(&t), &product(&theirs, &t)).concat());
    let moved: Vec<f64> =
        numbers(&pinocchio["h"]).iter().zip(times(&theirs, &t_dot_v)).map(|(h, m)| h + m).collect();
    assert_near("h", &bias, &times(&transposed(&t), &moved));
    let accelerations: Vec<f64> = times(&t, &v_dot).iter().zip(&t_dot_v).map(|(a, b)| a + b).collect();
    assert_near("accelerations", &accelerations, &numbers(&pinocchio["v_dot"]));
    let q = numbers(&pinocchio["q"]);
    assert_near("the order of the quaternion", &q[3..7], &[x, y, z, w]);
}

/// Remarks stand folded behind the picture.
#[test]
fn remarks_are_folded_behind_the_picture() {
    let scratch = Scratch::new("remarks");
    let limit = format!(r#"{AXIS}<limit lower="0.2" upper="1" effort="-1"/>"#);
    let file = scratch.file("robot.urdf", &robot(INERTIA, &limit));
    let page = scratch.0.join("page.html").display().to_string();
    mbs(&["simulate", &file, "--t-end", "0.01", "--report", &page]);
    let text = std::fs::read_to_string(&page).expect("a page");
    let place = |words: &str| text.find(words).unwrap_or_else(|| panic!("no {words}"));
    let remarks = place("<details class=\"notices\"><summary>2 remarks on model and run</summary>");
    assert!(place("<canvas id=\"view\"") < remarks && remarks < place("id=\"plots\""));
    assert!(place("MBS-X018") > remarks && place("MBS-P040") > remarks);
    let quiet = scratch.file("quiet.urdf", &robot(INERTIA, AXIS));
    mbs(&["simulate", &quiet, "--t-end", "0.01", "--report", &page]);
    let text = std::fs::read_to_string(&page).expect("a page");
    assert!(!text.contains("<details class=\"notices\">"));
}
