//! Times at even distances, as a person would write them.

/// start + k · step. Where start and step are decimals of few digits, so are all times: the
/// seventh of step 0.05 is 0.35, not 0.35000000000000003.
#[derive(Debug, Clone, Copy)]
pub(super) struct Grid {
    start: f64,
    pub(super) step: f64,
    /// Start and step as whole numbers of 1/10ⁿ, and 10ⁿ.
    decimal: Option<[f64; 3]>,
}

/// Whole numbers up to this one, and powers of ten up to the 22nd, are exact, so that one division
/// rounds to the number nearest to the decimal.
const EXACT: f64 = 9_007_199_254_740_992.0;
const POWERS: usize = 22;

impl Grid {
    /// Times from `start`, `step` apart, s.
    pub(super) fn new(start: f64, step: f64) -> Self {
        let whole = |value: f64, power: f64| {
            let whole = (value * power).round();
            (whole.abs() <= EXACT && whole / power == value).then_some(whole)
        };
        let mut power = 1.0;
        let mut decimal = None;
        for _ in 0..=POWERS {
            if let (Some(start), Some(step)) = (whole(start, power), whole(step, power)) {
                decimal = Some([start, step, power]);
                break;
            }
            power *= 10.0;
        }
        Self { start, step, decimal }
    }

    /// The time of a point, s.
    pub(super) fn at(&self, point: u64) -> f64 {
        let point = point as f64;
        if let Some([start, step, power]) = self.decimal {
            let whole = start + point * step;
            if whole.abs() <= EXACT {
                return whole / power;
            }
        }
        self.start + point * self.step
    }
}

#[cfg(test)]
mod tests {
    use super::Grid;

    #[test]
    fn times_are_those_a_person_would_write() {
        let grid = Grid::new(0.0, 0.05);
        let times: std::vec::Vec<f64> = (0..9).map(|point| grid.at(point)).collect();
        assert_eq!(times, [0.0, 0.05, 0.1, 0.15, 0.2, 0.25, 0.3, 0.35, 0.4]);
        assert_eq!(Grid::new(0.0, 1e-3).at(1023), 1.023);
        assert_eq!(Grid::new(0.1, 0.2).at(1), 0.3);
        assert_eq!(Grid::new(-0.3, 0.1).at(4), 0.1);
    }

    #[test]
    fn other_steps_are_multiplied() {
        for step in [1.0 / 3.0, 2.0_f64.powi(-40), 1e-300, 1e300, core::f64::consts::PI] {
            let grid = Grid::new(0.0, step);
            assert!(
                (1..1000).all(|point| (grid.at(point) / (point as f64 * step) - 1.0).abs() < 4e-16),
                "{step}"
            );
            assert!((1..1000).all(|point| grid.at(point) > grid.at(point - 1)));
        }
    }
}
