//! How accurate runs are that name neither tolerance nor method.

mod runs;

use mbs_runtime::{Defaults, Plant, Settings, State, System, Trajectory};
use mbs_symbolic::Options;
use mbs_symbolic::model::{Loader, Model};
use runs::{run, tight};

/// Files beside the models.
struct SiblingFiles;

impl Loader for SiblingFiles {
    fn load(&self, path: &str) -> Result<String, String> {
        let path = format!("{}/../models/{path}", env!("CARGO_MANIFEST_DIR"));
        std::fs::read_to_string(path).map_err(|error| error.to_string())
    }
}

fn system(name: &str) -> (Box<dyn System>, Model) {
    let text = SiblingFiles.load(&format!("{name}.yaml")).expect("the model exists");
    let options = Options { jacobian: true, ..Options::default() };
    let compiled = mbs_symbolic::compile(name, &text, &SiblingFiles, options).expect("the model compiles");
    (mbs_jit::system(&compiled.program).0, compiled.model)
}

/// Positions, velocities, states and outputs at recorded states.
fn rows(system: &dyn System, trajectory: &Trajectory) -> Vec<Vec<f64>> {
    let layout = system.layout();
    let mut plant = Plant::new(system, &layout.parameter_defaults, Box::new(Defaults));
    let mut outputs = vec![0.0; layout.outputs.len()];
    let mut row = |state: &State| {
        let State { t, p, v, x, v_dot, lambda, .. } = state;
        plant.at(*t, p, v, x, |system, at| system.outputs(at, v_dot, lambda, &mut outputs));
        [p, v, x, &outputs].into_iter().flatten().copied().collect()
    };
    trajectory.states.iter().map(&mut row).collect()
}

/// The largest error at the end, each over the largest value of its column.
fn error_at_end(system: &dyn System, trajectory: &Trajectory, exact: &[Vec<f64>]) -> f64 {
    let end = rows(system, trajectory).pop().expect("the start at least");
    let last = exact.last().expect("the start at least");
    let errors = end.iter().zip(last).enumerate().map(|(column, (value, exact_value))| {
        let size = exact.iter().fold(0.0_f64, |size, row| size.max(row[column].abs()));
        let error = (value - exact_value).abs();
        // What is zero but for rounding has no digits.
        if size < 1e-12 { error } else { error / size }
    });
    errors.fold(0.0, f64::max)
}

/// Every benchmark with the default method and tolerance against MDOP5 a thousand times tighter,
/// whose own accuracy other tests compare with published numbers. `panda` and `chain12` are left
/// out: they swing freely, and errors grow ten-thousandfold and more in their 2 s.
#[test]
fn benchmarks_end_within_a_millionth() {
    for name in [
        "andrews",
        "bricard",
        "car_axis",
        "double_pendulum",
        "euler_top",
        "five_link",
        "five_link_bushings",
        "flyball_governor",
        "four_bar",
        "four_bar_spatial",
        "full_car",
        "heavy_top",
        "n_four_bar_2",
        "n_four_bar_40",
        "pendulum",
        "planar_vehicle",
        "rolling_disc",
        "rssr",
        "slider_crank",
        "truck",
        "ur5",
    ] {
        let (system, model) = system(name);
        let t_end = model.simulation.t_end.expect("the model says how long it runs");
        let exact = rows(&*system, &run(&*system, "mdop5", &tight(t_end, 1e-12)));
        let trajectory = run(&*system, "auto", &Settings { t_end, ..Settings::default() });
        let error = error_at_end(&*system, &trajectory, &exact);
        assert!(error < 1e-6, "{name}: {error:.1e}");
    }
}
