use super::*;

const PENDULUM: &str = "
model: swing
parameters: {m: 1, l: 2}
bodies: {rod: {mass: m, com: [0, 0, -l]}}
joints: {pivot: {type: revolute, from: ground, to: rod, axis: y, coordinate: phi}}
tables: {road: {file: road.csv, x: s, y: h}}
forces: {drive: {type: joint_torque, joint: pivot, torque: \"linear(road, t)\"}}
";

/// A directory of its own for each test.
fn directory(test: &str) -> PathBuf {
    let directory = env::temp_dir().join(format!("mbs-build-{}-{test}", std::process::id()));
    fs::create_dir_all(&directory).unwrap();
    directory
}

/// A robot in URDF is as good as a model; what is left out of it is no warning.
#[test]
fn a_robot_becomes_a_module() {
    let directory = directory("robot");
    let robot = Path::new(env!("CARGO_MANIFEST_DIR")).join("../tests/data/urdf/ur5.urdf");
    let written = Config::new().out_dir(&directory).try_compile(&[&robot]).unwrap();
    assert_eq!(written, [directory.join("ur5.rs")]);
    let text = fs::read_to_string(&written[0]).unwrap();
    assert!(text.contains("pub mod ur5 {") && text.contains("tau_elbow_joint"));
}

/// π/2 with eleven digits is a right angle, unless dust is kept.
#[test]
fn dust_is_kept_if_wanted() {
    let directory = directory("dust");
    let robot = Path::new(env!("CARGO_MANIFEST_DIR")).join("../tests/data/urdf/ur5.urdf");
    let text = |keep: bool| {
        let written = Config::new().out_dir(&directory).keep_dust(keep).try_compile(&[&robot]).unwrap();
        fs::read_to_string(&written[0]).unwrap()
    };
    let (meant, kept) = (text(false), text(true));
    assert!(kept.len() > meant.len() && kept.contains("e-12") && !meant.contains("e-12"));
}

/// Options of robots in URDF reach the reader.
#[test]
fn robots_are_read_as_wanted() {
    let directory = directory("wanted");
    let robot = directory.join("arm.urdf");
    let inertia =
        r#"<inertial><mass value="1"/><inertia ixx="1" iyy="1" izz="1" ixy="0" ixz="0" iyz="0"/></inertial>"#;
    let text = format!(
        r#"<robot name="arm"><link name="trunk">{inertia}</link><link name="lever">{inertia}</link>
        <joint name="hinge" type="continuous"><parent link="trunk"/><child link="lever"/>
        <axis xyz="0 0 1"/><axis xyz="0 1 0"/></joint></robot>"#
    );
    fs::write(&robot, text).unwrap();
    let config = Config::new().out_dir(&directory);
    let refused = config.try_compile(&[&robot]).unwrap_err().to_string();
    assert!(refused.contains("MBS-X015") && refused.contains("--lenient"), "{refused}");
    let lenient = config.lenient(true);
    let written = |config: &Config| fs::read_to_string(&config.try_compile(&[&robot]).unwrap()[0]).unwrap();
    let (fixed, flying) = (written(&lenient), written(&lenient.clone().floating_base(true)));
    assert!(!fixed.contains("base.qw") && flying.contains("base.qw"));
}

#[test]
fn a_model_and_its_table_become_a_module() {
    let directory = directory("module");
    fs::write(directory.join("swing.yaml"), PENDULUM).unwrap();
    fs::write(directory.join("road.csv"), "s,h\n0,0\n1,2\n").unwrap();
    let path = directory.join("swing.yaml");
    let CompiledFile { result, files } = compile_file(&path, "swing.yaml", Options::default());
    assert!(result.is_ok());
    assert_eq!(files, [path.clone(), directory.join("road.csv")]);

    let config = Config::new().out_dir(&directory).runtime_path("crate::rt");
    let written = config.try_compile(&[&path]).unwrap();
    assert_eq!(written, [directory.join("swing.rs")]);
    let text = fs::read_to_string(&written[0]).unwrap();
    assert!(text.contains("pub mod swing {") && text.contains("use crate::rt as runtime;"));

    assert!(!text.contains("fn jacobian("));
    config.clone().jacobian(true).try_compile(&[&path]).unwrap();
    let longer = fs::read_to_string(&written[0]).unwrap();
    assert!(longer.contains("pub fn jacobian(") && longer.len() > text.len());
    assert!(!text.contains("frame_jacobian"));
    config.clone().frame_jacobians(&["rod"]).frame_axes(FrameAxes::Frame).try_compile(&[&path]).unwrap();
    let longer = fs::read_to_string(&written[0]).unwrap();
    assert!(longer.contains("pub fn frame_jacobian("));
    config.try_compile(&[&path]).unwrap();

    config.clone().scalars(&[Scalar::F64, Scalar::F64x4, Scalar::F32]).try_compile(&[&path]).unwrap();
    let longer = fs::read_to_string(&written[0]).unwrap();
    assert!(longer.contains("pub mod x4 {") && longer.contains("pub mod single {"));
    config.clone().scalars(&[Scalar::F64]).try_compile(&[&path]).unwrap();
    assert_eq!(fs::read_to_string(&written[0]).unwrap(), text, "double precision is always there");

    let time = |path: &Path| fs::metadata(path).unwrap().modified().unwrap();
    let before = time(&written[0]);
    config.try_compile(&[&path]).unwrap();
    assert_eq!(before, time(&written[0]), "unchanged files are left alone");
    assert!(matches!(config.try_compile(&[&path, &path]), Err(Error::SameName { .. })));
    fs::remove_dir_all(directory).unwrap();
}

#[test]
fn mistakes_name_file_line_and_column() {
    let directory = directory("mistakes");
    let path = directory.join("bad.yaml");
    fs::write(&path, "model: bad\nbodies:\n  rod: {mass: wight}\n").unwrap();
    let error = Config::new().out_dir(&directory).try_compile(&[&path]).unwrap_err().to_string();
    assert!(error.contains("bad.yaml:3:15"), "{error}");
    let missing = Config::new().out_dir(&directory).try_compile(&[directory.join("none.yaml")]);
    assert!(missing.unwrap_err().to_string().contains("none.yaml"));
    fs::remove_dir_all(directory).unwrap();
}
