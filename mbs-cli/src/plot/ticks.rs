//! Round numbers along an axis.

/// Ticks at multiples of 1, 2 or 5 times a power of ten.
#[derive(Debug, Clone)]
pub(super) struct Ticks {
    first: i64,
    last: i64,
    /// The distance is `leading` · 10^`power`.
    leading: i64,
    power: i32,
}

impl Ticks {
    /// About `wanted` ticks from `low` to `high`.
    pub(super) fn new(low: f64, high: f64, wanted: f64) -> Self {
        let raw = ((high - low) / wanted).max(f64::MIN_POSITIVE);
        let mut power = raw.log10().floor() as i32;
        let mut leading = (raw / 10_f64.powi(power)).round() as i64;
        leading = match leading {
            0 | 1 => 1,
            2 | 3 => 2,
            4..=7 => 5,
            _ => {
                power += 1;
                1
            }
        };
        let step = leading as f64 * 10_f64.powi(power);
        // A tick at the very end may miss it by rounding.
        let slack = 1e-9;
        Self {
            first: (low / step - slack).ceil() as i64,
            last: (high / step + slack).floor() as i64,
            leading,
            power,
        }
    }

    /// Where ticks are and what to write beside them.
    pub(super) fn labels(&self) -> Vec<(f64, String)> {
        const MOST: i64 = 100;
        let last = self.last.min(self.first.saturating_add(MOST));
        (self.first..=last)
            .map(|k| {
                let count = k * self.leading;
                let value = count as f64 * 10_f64.powi(self.power);
                (value, label(count, value, self.power))
            })
            .collect()
    }
}

/// As many decimals as the distance of ticks needs.
fn label(count: i64, value: f64, power: i32) -> String {
    if count == 0 {
        "0".to_owned()
    } else if (-5..0).contains(&power) {
        format!("{value:.*}", power.unsigned_abs() as usize)
    } else if (0..5).contains(&power) {
        format!("{value:.0}")
    } else {
        // 3e7 and 2.5e-8: the mantissa is a whole number of ticks.
        let digits = count.unsigned_abs().ilog10() as usize;
        format!("{value:.digits$e}")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(low: f64, high: f64, expected: &[&str]) {
        let labels: Vec<String> =
            Ticks::new(low, high, 5.0).labels().into_iter().map(|(_, text)| text).collect();
        assert_eq!(labels, expected);
    }

    #[test]
    fn ticks_are_round() {
        check(
            0.0,
            1.0,
            &["0.0", "0.2", "0.4", "0.6", "0.8", "1.0"].map(|text| if text == "0.0" { "0" } else { text }),
        );
        check(-3.0, 7.0, &["-2", "0", "2", "4", "6"]);
        check(4.2e6, 4.9e6, &["4.2e6", "4.3e6", "4.4e6", "4.5e6", "4.6e6", "4.7e6", "4.8e6", "4.9e6"]);
        check(0.0, 0.0, &["0"]);
    }
}
