//! Random numbers that depend on nothing but what they are for.
//!
//! Number d of sample k is a hash of (seed, k, d): it is the same whichever samples were
//! drawn before, on whichever thread and in whichever shard.

/// The finaliser of SplitMix64 (Steele, Lea & Flood, *Fast splittable pseudorandom number
/// generators*, OOPSLA 2014, variant 13 of Stafford), after one step of its Weyl sequence.
fn mix(state: u64) -> u64 {
    let mut z = state.wrapping_add(0x9e37_79b9_7f4a_7c15);
    z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    z ^ (z >> 31)
}

fn hash(seed: u64, sample: u64, dimension: u64) -> u64 {
    mix(mix(mix(seed) ^ sample) ^ dimension)
}

/// Uniform in [0, 1): the upper 53 bits.
pub(crate) fn uniform(seed: u64, sample: u64, dimension: u64) -> f64 {
    const STEP: f64 = 1.0 / (1_u64 << 53) as f64;
    (hash(seed, sample, dimension) >> 11) as f64 * STEP
}

/// A permutation of 0 … n − 1 by Fisher and Yates, one per dimension.
pub(crate) fn permutation(seed: u64, dimension: u64, n: u32) -> Vec<u32> {
    let mut order: Vec<u32> = (0..n).collect();
    // A seed of its own, so that the order has nothing to do with the numbers drawn.
    let seed = !seed;
    for last in (1..order.len()).rev() {
        // The upper half of a product is uniform up to 1 in 2^64/n.
        let drawn = u128::from(hash(seed, last as u64, dimension)) * (last as u128 + 1);
        order.swap(last, (drawn >> 64) as usize);
    }
    order
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_spread_evenly() {
        let n = 10_000;
        let all: Vec<f64> = (0..n).map(|k| uniform(1, k, 3)).collect();
        assert!(all.iter().all(|x| (0.0..1.0).contains(x)));
        let mean = all.iter().sum::<f64>() / n as f64;
        let variance = all.iter().map(|x| (x - mean).powi(2)).sum::<f64>() / n as f64;
        // Three standard deviations of mean and variance.
        assert!((mean - 0.5).abs() < 0.009, "{mean}");
        assert!((variance - 1.0 / 12.0).abs() < 0.0023, "{variance}");
        assert_ne!(uniform(1, 0, 0), uniform(1, 0, 1));
        assert_ne!(uniform(1, 0, 1), uniform(1, 1, 0));
        assert_ne!(uniform(1, 0, 0), uniform(2, 0, 0));
    }

    #[test]
    fn a_permutation_holds_every_number_once() {
        for n in [0, 1, 2, 100] {
            let mut order = permutation(7, 2, n);
            if n == 100 {
                assert_ne!(order, permutation(7, 3, n));
                assert!(order.windows(2).any(|pair| pair[0] > pair[1]));
            }
            order.sort_unstable();
            assert_eq!(order, (0..n).collect::<Vec<u32>>());
        }
    }
}
