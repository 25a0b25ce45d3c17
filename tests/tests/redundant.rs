//! Redundant constraint rows: unique accelerations, multipliers of smallest norm.

mod runs;

use mbs_runtime::integrate::{FixedStep, Formula, Held, Motion, Stabilisation};
use mbs_runtime::nalgebra::{SMatrix, SVector};
use mbs_runtime::{Defaults, Plant, Settings, State, System};
use runs::{last, run, system, tight, worst};

/// M, f, G and z at a state, with all rows.
struct Equations<const V: usize, const L: usize> {
    m: SMatrix<f64, V, V>,
    f: SVector<f64, V>,
    g: SMatrix<f64, L, V>,
    z: SVector<f64, L>,
}

impl<const V: usize, const L: usize> Equations<V, L> {
    fn at(system: &dyn System, state: &State) -> Self {
        let layout = system.layout();
        let mut plant = Plant::new(system, &layout.parameter_defaults, Box::new(Defaults));
        let State { t, p, v, x, mut p_dot, mut x_dot, .. } = state.clone();
        plant.eval_all(t, &p, &v, &x, &mut p_dot, &mut x_dot);
        Self {
            m: SMatrix::from_column_slice(&plant.mass_matrix),
            f: SVector::from_column_slice(&plant.forces),
            g: SMatrix::from_column_slice(&plant.constraint_jacobian),
            z: SVector::from_column_slice(&plant.acceleration_bias),
        }
    }
}

/// The same motion as of the planar linkage, at every recorded time, with every method.
#[test]
fn a_planar_linkage_of_spatial_joints() {
    let (planar, spatial) = (system("four_bar"), system("four_bar_spatial"));
    assert_eq!((planar.layout().n_lambda(), spatial.layout().n_lambda()), (2, 5));
    for name in ["mdop5", "hem5", "hedop5", "phem56"] {
        let settings = Settings { output_step: Some(0.02), ..tight(2.0, 1e-11) };
        let (a, b) = (run(&*planar, name, &settings), run(&*spatial, name, &settings));
        assert!(a.redundant.is_empty() && b.redundant.len() == 5, "{:?}", b.redundant);
        for (a, b) in a.states.iter().zip(&b.states) {
            assert!(worst(&a.p, &b.p) < 1e-8, "{name}, t = {}: {:e}", a.t, worst(&a.p, &b.p));
            assert!(worst(&a.v_dot, &b.v_dot) < 1e-6, "{name}, t = {}: {:e}", a.t, worst(&a.v_dot, &b.v_dot));
        }
    }
}

/// The multipliers of a run against those of smallest norm, λ = (G Gᵀ)⁺ G (f − M v'). The
/// pseudo-inverse comes from eigenvectors; a singular value decomposition loses digits where
/// a value is zero but for rounding.
#[test]
fn multipliers_have_minimum_norm() {
    fn check<const V: usize>(name: &str, method: &str, output_step: Option<f64>) {
        let system = system(name);
        let settings = Settings { output_step, ..tight(1.0, 1e-11) };
        for state in run(&*system, method, &settings).states {
            let Equations { m, f, g, .. } = Equations::<V, 5>::at(&*system, &state);
            let forces = g * (f - m * SVector::<f64, V>::from_column_slice(&state.v_dot));
            let eigen = SMatrix::<f64, 5, 5>::symmetric_eigen(g * g.transpose());
            let mut smallest = SVector::<f64, 5>::zeros();
            for (vector, value) in eigen.eigenvectors.column_iter().zip(eigen.eigenvalues.iter()) {
                if *value > 1e-9 {
                    smallest += vector * (vector.dot(&forces) / value);
                }
            }
            let lambda = SVector::<f64, 5>::from_column_slice(&state.lambda);
            let (off, size) = ((lambda - smallest).norm(), 1.0 + smallest.norm());
            assert!(off < 1e-9 * size, "{name}, {method}, t = {}: off by {off:e} of {size}", state.t);
            assert!((lambda.norm() - smallest.norm()).abs() < 1e-9 * size);
        }
    }
    for method in ["mdop5", "hem5", "hedop5"] {
        for output_step in [None, Some(0.05)] {
            check::<5>("bricard", method, output_step);
            check::<3>("four_bar_spatial", method, output_step);
        }
    }
}

/// Whichever of Bricard's closing equations is left out, the accelerations are the same.
#[test]
fn accelerations_do_not_depend_on_the_row_left_out() {
    let system = system("bricard");
    let settings = Settings { output_step: Some(0.25), ..tight(2.0, 1e-11) };
    for state in run(&*system, "mdop5", &settings).states.iter().skip(1) {
        let Equations { m, f, g, z } = Equations::<5, 5>::at(&*system, state);
        let null = g.transpose().svd(true, true);
        let vectors = null.v_t.expect("asked for");
        let (index, _) = null.singular_values.argmin();
        for left_out in 0..5 {
            if vectors[(index, left_out)].abs() < 0.05 {
                // The other four rows alone do not determine the motion well.
                continue;
            }
            let mut q = SMatrix::<f64, 9, 9>::zeros();
            let mut right = SVector::<f64, 9>::zeros();
            q.fixed_view_mut::<5, 5>(0, 0).copy_from(&m);
            right.fixed_rows_mut::<5>(0).copy_from(&f);
            for (k, row) in (0..5).filter(|&row| row != left_out).enumerate() {
                q.fixed_view_mut::<1, 5>(5 + k, 0).copy_from(&g.row(row));
                q.fixed_view_mut::<5, 1>(0, 5 + k).copy_from(&g.row(row).transpose());
                right[5 + k] = -z[row];
            }
            let solution = q.lu().solve(&right).expect("four independent rows");
            let off = worst(&solution.as_slice()[..5], &state.v_dot);
            assert!(off < 1e-7, "t = {}, without row {left_out}: off by {off:e}", state.t);
        }
    }
}

/// A guess off the constraints, where Bricard's rows are not redundant, still holds the first
/// listed position.
#[test]
fn a_rough_guess_is_assembled() {
    let path = format!("{}/../models/bricard.yaml", env!("CARGO_MANIFEST_DIR"));
    let text = std::fs::read_to_string(path).expect("the model exists");
    let text = text.replace(
        "positions: {theta1: 0, theta2: 0, theta3: 0, theta4: 0, theta5: 0}",
        "positions: {theta1: 0.5, theta2: -0.3, theta3: 0.3, theta4: -0.4, theta5: 0.6}",
    );
    let system = runs::compile("bricard", &text);
    let trajectory = run(&*system, "mdop5", &tight(1.0, 1e-8));
    // sin b = −sin a / (1 + sin a) on this branch.
    let (a, start) = (0.5_f64, &trajectory.states[0]);
    let b = (-a.sin() / (1.0 + a.sin())).asin();
    assert!(worst(&start.p, &[a, b, a, b, a]) < 1e-9, "{:?}", start.p);
    let end = last(&trajectory);
    assert!((end.p[0] - end.p[2]).abs() < 1e-6 && trajectory.statistics.rejected < 5);
}

/// Fixed steps leave dependent rows out, stage by stage, and still keep to the motion.
#[test]
fn bricard_with_fixed_steps() {
    let system = system("bricard");
    let layout = system.layout();
    let mut prepared = vec![0.0; layout.n_prepared];
    system.prepare(&layout.parameter_defaults, &mut prepared);
    let (mut p, mut v) = ([0.0; 5], [0.0; 5]);
    let mut workspace = vec![0.0; FixedStep::workspace_len(layout)];
    let stabilisation = Stabilisation::Projection { iterations: 2 };
    let mut method = FixedStep::new(Formula::Rk4, stabilisation, layout, &mut workspace).expect("room");
    let mut motion = Motion { t: 0.0, p: &mut p, v: &mut v, x: &mut [] };
    let held = Held { prepared: &prepared, ..Held::default() };
    for _ in 0..1250 {
        method.step(&*system, &mut motion, &held, 1e-3).expect("a step");
    }
    let end = last(&run(&*system, "mdop5", &tight(1.25, 1e-11))).clone();
    assert!(worst(&p, &end.p) < 1e-6, "off by {:e}", worst(&p, &end.p));
}
