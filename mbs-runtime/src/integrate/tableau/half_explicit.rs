//! Half-explicit methods of order 5: three tables of one form.
//!
//! With the stage weights a, the constraint weights ā and the nodes c, c̄ (their row sums)
//! stage i has the velocities V_i = v₀ + h Σ_j<i a_ij V'_j, and its acceleration V'_i is such
//! that v₀ + h Σ_j≤i ā_ij V'_j meets the velocity constraints at p₀ + h Σ_j≤i ā_ij P'_j.
//!
//! V. Brasey, E. Hairer, *SIAM J. Numer. Anal.* 30 (1993) 538–552; E. Hairer, G. Wanner,
//! *Solving ODEs II*, VII.6.

use super::dormand_prince::{A, B_HAT, C};

/// The coefficients of a half-explicit method.
#[derive(Debug)]
pub(crate) struct Table {
    /// The name users know it by.
    pub(crate) name: &'static str,
    /// Stage weights.
    pub(crate) a: &'static [&'static [f64]],
    /// Nodes of the stages.
    pub(crate) c: &'static [f64],
    /// Constraint weights of each stage; none for an explicit one.
    pub(crate) a_bar: &'static [&'static [f64]],
    /// Nodes of the constraint points.
    pub(crate) c_bar: &'static [f64],
    /// Whether the constraint point of a stage is where the next stage stands.
    pub(crate) shared: &'static [bool],
    /// What the error is estimated from.
    pub(crate) estimate: Estimate,
}

/// How the error of a step is estimated; this decides on the first and last stage, too.
#[derive(Debug)]
pub(crate) enum Estimate {
    /// Every stage carries a constraint and the constraint point of the last one is the end
    /// of the step. Lower orders 3 and 2 combine to an estimate that goes like h⁵.
    LowerOrders,
    /// The first stage is the last of the step before, and the last stage stands at the end
    /// of the step. The weights of order 4 over all stages are the estimate.
    Embedded(&'static [f64]),
}

impl Table {
    /// Number of stages.
    pub(crate) fn stages(&self) -> usize {
        self.c.len()
    }
}

/// HEM5, eight stages (V. Brasey, *Computing* 48 (1992) 191–201; thesis, Geneva 1994).
///
/// The digits are recomputed from the order conditions: c₄ > c₅ are the roots of
/// x² − (34 − √193)/45 x + (25 − √193)/360, the rest follows from linear equations.
pub(crate) static HEM5: Table = Table {
    name: "hem5",
    a: &[
        &[],
        HEM5_ROWS[0],
        HEM5_ROWS[1],
        HEM5_ROWS[2],
        HEM5_ROWS[3],
        HEM5_ROWS[4],
        HEM5_ROWS[5],
        HEM5_ROWS[6],
    ],
    c: &[0.0, 0.1, 0.15, 0.36147873465736247, 0.08535584335486412, 0.5, 0.8, 1.0],
    a_bar: &HEM5_ROWS,
    c_bar: &[0.1, 0.15, 0.36147873465736247, 0.08535584335486412, 0.5, 0.8, 1.0, 1.0],
    shared: &[true, true, true, true, true, true, true, false],
    estimate: Estimate::LowerOrders,
};

/// Rows 2 to 8 of HEM5 and its weights.
const HEM5_ROWS: [&[f64]; 8] = [
    &[1.0 / 10.0],
    &[3.0 / 80.0, 9.0 / 80.0],
    &[0.3222169236216002, -1.1888833229875917, 1.228145134023354],
    &[-0.0350112389812992, 0.37254206010861557, -0.2721053535582031, 0.01993037578575087],
    &[-0.5576547055041834, 1.3673072896458633, -1.7322363604606883, 0.4587772007467546, 0.9638065755722537],
    &[
        0.08654517193564219,
        -0.08810082847945248,
        0.19812755473290664,
        -0.4645422679331079,
        0.1615170091109998,
        0.9064533606330117,
    ],
    &[0.0, 0.0, 0.0, 3.6244772487538715, -0.46177241891829884, -3.1980246281643248, 1.0353197983287519],
    &[
        0.0,
        0.0,
        0.0,
        0.24677606676367903,
        0.21065940874897246,
        0.1769218149125018,
        0.3064446444147934,
        0.059198065160053284,
    ],
];

/// HEDOP5: Dormand–Prince with an explicit first stage and one more row for the
/// constraint of the last (M. Arnold, *BIT* 38 (1998) 415–438).
pub(crate) static HEDOP5: Table = Table {
    name: "hedop5",
    a: &A,
    c: &C,
    a_bar: &[
        &[],
        A[2],
        A[3],
        A[4],
        A[5],
        A[6],
        &[
            -18611506045861.0 / 19738176307200.0,
            59332529.0 / 14479296.0,
            -2509441598627.0 / 893904224850.0,
            2763523204159.0 / 3289696051200.0,
            -41262869588913.0 / 116235927142400.0,
            46310205821.0 / 287848404480.0,
            -3280.0 / 75413.0,
        ],
    ],
    c_bar: &[0.0, C[2], C[3], C[4], C[5], C[6], 19.0 / 20.0],
    shared: &[false, true, true, true, true, true, false],
    estimate: Estimate::Embedded(&B_HAT),
};

/// PHEM56: Dormand–Prince with constraint points of their own (A. Murua, *Computing* 59
/// (1997) 43–61).
pub(crate) static PHEM56: Table = Table {
    name: "phem56",
    a: &A,
    c: &C,
    a_bar: &[
        &[],
        A[2],
        &[21.0 / 256.0, 45.0 / 256.0, 15.0 / 128.0],
        &[19235.0 / 98784.0, -225.0 / 392.0, 6235.0 / 6174.0, 2755.0 / 32928.0],
        &[-293.0 / 1152.0, 85.0 / 48.0, -2275.0 / 1908.0, 35.0 / 32.0, -2835.0 / 6784.0],
        A[6],
        &[
            10752038939.0 / 66307507200.0,
            -19259.0 / 50160.0,
            19581770468.0 / 24023520675.0,
            9941999.0 / 650073600.0,
            180060831.0 / 4820710400.0,
            -11331659.0 / 439538400.0,
            1.0 / 76.0,
        ],
    ],
    c_bar: &[0.0, 3.0 / 10.0, 3.0 / 8.0, 5.0 / 7.0, 1.0, 1.0, 19.0 / 30.0],
    shared: &[false, true, false, false, false, true, false],
    estimate: Estimate::Embedded(&B_HAT),
};

#[cfg(test)]
mod tests {
    use super::*;
    use std::vec::Vec;

    #[test]
    fn rows_sum_to_their_nodes() {
        for table in [&HEM5, &HEDOP5, &PHEM56] {
            for (rows, nodes) in [(table.a, table.c), (table.a_bar, table.c_bar)] {
                for (row, c) in rows.iter().zip(nodes) {
                    assert!((row.iter().sum::<f64>() - c).abs() < 1e-14, "{} {row:?}", table.name);
                }
            }
        }
    }

    #[test]
    fn constraint_points_are_shared_where_the_rows_say_so() {
        for table in [&HEM5, &HEDOP5, &PHEM56] {
            for i in 0..table.stages() {
                let same = i + 1 < table.stages() && table.a_bar[i] == table.a[i + 1];
                assert_eq!(table.shared[i], same && !table.a_bar[i].is_empty(), "{} {i}", table.name);
            }
        }
    }

    #[test]
    fn hem5_meets_its_simplifying_assumptions() {
        let (b, c) = (HEM5_ROWS[7], HEM5.c);
        for k in 0..6 {
            let sum: f64 = b.iter().zip(c).map(|(b, c)| b * c.powi(k)).sum();
            assert!((sum - 1.0 / f64::from(k + 1)).abs() < 1e-14);
        }
        for i in 2..8 {
            for k in 1..=3 {
                let sum: f64 = HEM5.a[i].iter().zip(c).map(|(a, c)| a * c.powi(k - 1)).sum();
                assert!((sum - c[i].powi(k) / f64::from(k)).abs() < 1e-14);
            }
        }
        for j in 0..8 {
            let sum: f64 = (j + 1..8).map(|i| b[i] * HEM5.a[i][j]).sum();
            assert!((sum - b[j] * (1.0 - c[j])).abs() < 1e-14);
        }
    }

    #[test]
    fn an_error_of_the_first_acceleration_is_forgotten() {
        // A change of the normal part of V'₁ must not reach V'₇: with unit gradients the
        // normal parts follow from ā alone, row by row.
        for table in [&HEDOP5, &PHEM56] {
            let mut normal: Vec<f64> = std::vec![1.0];
            for row in &table.a_bar[1..] {
                let (own, earlier) = row.split_last().unwrap();
                let sum: f64 = earlier.iter().zip(&normal).map(|(a, n)| a * n).sum();
                normal.push(-sum / own);
            }
            assert!(normal[6].abs() < 1e-11, "{} {normal:?}", table.name);
        }
    }
}
