//! A five-link wheel suspension crosses a bump and falls down a stair.
//!
//! Follows section 5 of B. Simeon, *On the numerical solution of a wheel suspension benchmark
//! problem*: how far the wheel strays from its rods under four kinds of projection (table 1
//! and the figure beside it), and when the tyre loses the road (the second manoeuvre). The
//! data of that suspension are not public; `models/five_link.yaml` says where ours come from,
//! so numbers differ and the pattern is the same.
//!
//! `cargo run --release -p example-wheel-suspension [FILE.svg]`

mod figure;
mod runs;

use runs::{Version, contacts, table};
use std::error::Error;
use std::path::{Path, PathBuf};

mbs_runtime::include_model!("five_link");

#[expect(clippy::print_stdout, reason = "the program's output")]
fn main() -> Result<(), Box<dyn Error>> {
    let path = std::env::args_os().nth(1).map_or_else(default_path, PathBuf::from);

    println!("Crossing the bump, 1 s at rtol {:e}\n", runs::RTOL);
    let versions = table()?;
    print!("{}", as_text(&versions));

    if let Some(directory) = path.parent() {
        std::fs::create_dir_all(directory)?;
    }
    std::fs::write(&path, figure::drift(&versions))?;
    println!("\nDrift over time: {}", path.display());

    println!("\nDown the stair, with a worn shock absorber\n");
    println!("  {:>10}  {:<7} {:<8}", "t, s", "element", "function");
    for event in contacts()? {
        let direction = if event.rising { "rises" } else { "falls" };
        let what = match (event.name.as_str(), event.rising) {
            ("F_tyre", true) => "the wheel loses the road",
            ("F_tyre", false) => "the wheel lands",
            _ => "the road drops",
        };
        println!("  {:>10.6}  {:<7} {direction:<8}  {what}", event.t, event.name);
    }
    Ok(())
}

/// Beside what cargo builds.
fn default_path() -> PathBuf {
    let target = std::env::var_os("CARGO_TARGET_DIR").unwrap_or_else(|| "target".into());
    Path::new(&target).join("drift.svg")
}

/// The table, aligned.
fn as_text(versions: &[Version]) -> String {
    let heads = ["steps", "rej.", "M", "f", "G", "z", "g", "fact.", "proj.", "|g| end", "|g| max", "error p"];
    let widths = [6, 5, 6, 6, 6, 6, 5, 6, 6, 9, 9, 9];
    let row = |cells: &[String]| -> String {
        cells.iter().zip(widths).map(|(cell, width)| format!("{cell:>width$}")).collect()
    };
    let mut text = format!("  {:<24}{}\n", "", row(&heads.map(str::to_owned)));
    for version in versions {
        let counts = version.trajectory.statistics;
        let drift = version.trajectory.drift;
        let cells = [
            counts.steps,
            counts.rejected,
            counts.mass_matrix,
            counts.forces,
            counts.constraint_jacobian,
            counts.acceleration_bias,
            counts.constraints,
            counts.factorisations,
            counts.position_projections,
        ];
        let mut cells: Vec<String> = cells.iter().map(u64::to_string).collect();
        cells.extend([drift.g, drift.g_max, version.error].map(|value| format!("{value:.1e}")));
        text += &format!("  {:<24}{}\n", version.name, row(&cells));
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;
    use mbs_runtime::integrate::Event;

    /// What the paper says of its table, said of ours.
    #[test]
    fn projection_keeps_the_wheel_on_its_rods() {
        let versions = table().unwrap();
        let [none, velocity, controlled, every, hem5] = &versions[..] else { panic!("five versions") };
        let drift = |version: &Version| version.trajectory.drift.g;
        assert!(drift(velocity) < 0.1 * drift(none), "{:e} {:e}", drift(velocity), drift(none));
        assert!(drift(controlled) <= 1e-9 && drift(every) <= 1e-9, "{:e}", drift(controlled));
        let projections = |version: &Version| version.trajectory.statistics.position_projections;
        assert!(5 * projections(controlled) <= projections(every));
        assert_eq!((projections(none), projections(velocity)), (0, 0));
        // A half-explicit method does without z.
        let z_per_step = |version: &Version| {
            let counts = version.trajectory.statistics;
            counts.acceleration_bias as f64 / counts.steps as f64
        };
        assert!(
            z_per_step(hem5) < 1.5 && z_per_step(none) > 6.0,
            "{} {}",
            z_per_step(hem5),
            z_per_step(none)
        );
        for version in &versions {
            assert!(version.error < 1e-3, "{}: {:e}", version.name, version.error);
        }
        assert_eq!(as_text(&versions).lines().count(), 6);
    }

    #[test]
    fn the_wheel_leaves_the_road_three_times() {
        let events: Vec<Event> = contacts().unwrap();
        let tyre: Vec<&Event> = events.iter().filter(|event| event.name == "F_tyre").collect();
        assert!(tyre.iter().enumerate().all(|(k, event)| event.rising == (k % 2 == 0)), "{tyre:?}");
        let times = [0.2, 0.2273, 0.2758, 0.3094, 0.3675, 0.3787];
        assert_eq!(tyre.len(), times.len());
        assert!(tyre.iter().zip(times).all(|(event, time)| (event.t - time).abs() < 1e-3), "{tyre:?}");
    }

    #[test]
    fn the_figure_shows_every_version() {
        let versions = table().unwrap();
        let svg = figure::drift(&versions);
        assert!(svg.starts_with("<svg ") && svg.ends_with("</svg>\n"));
        assert_eq!(svg.matches("<polyline ").count(), versions.len());
        assert!(versions.iter().all(|version| svg.contains(version.name)));
        assert!(!svg.contains("NaN"));
    }
}
