//! Against values computed elsewhere to 120 digits (mpmath 1.3), as sums of two `f64`.

use mbs_math::DoubleDouble;

/// The sum of two `f64` given by their bits.
fn of([high, low]: [u64; 2]) -> DoubleDouble {
    DoubleDouble::from(f64::from_bits(high)) + DoubleDouble::from(f64::from_bits(low))
}

fn close(found: DoubleDouble, expected: [u64; 2], what: &str) {
    let expected = of(expected);
    let error = ((found - expected).abs() / expected.abs()).to_f64();
    assert!(error < 1e-30, "{what} is off by {error:e} of its value");
}

#[test]
fn elementary_functions() {
    type Function = fn(DoubleDouble) -> DoubleDouble;
    type Values = &'static [(f64, [u64; 2])];
    let table: &[(&str, Function, Values)] = &[
        (
            "sin",
            |x| x.sin_cos().0,
            &[
                (0.7, [0x3fe4_9d6e_6946_19b8, 0x3c4a_822c_bb5c_f8f0]),
                (3.3, [0xbfc4_3102_cab7_0c87, 0x3c52_ef2b_0ed7_5831]),
                (1e-05, [0x3ee4_f8b5_88e1_e8a2, 0x3b87_5b30_450b_875e]),
                (25.0, [0xbfc0_f0e6_f31e_809d, 0x3c32_70bc_8921_4715]),
            ],
        ),
        (
            "cos",
            |x| x.sin_cos().1,
            &[
                (0.7, [0x3fe8_7996_529f_9d93, 0xbc87_234b_6013_8711]),
                (3.3, [0xbfef_996f_2ca7_0bb6, 0xbc82_ba94_3ac2_61a6]),
                (1e-05, [0x3fef_ffff_fff9_20c8, 0x3c53_149f_1007_a5f5]),
                (25.0, [0x3fef_b7ee_f595_04ff, 0x3c68_b272_76d4_1ffd]),
            ],
        ),
        (
            "exp",
            DoubleDouble::exp,
            &[
                (0.7, [0x4000_1c2a_6126_8987, 0xbcac_e82f_8a77_f530]),
                (3.3, [0x403b_1cd5_e780_7b7b, 0xbcb0_2b27_a6c4_b23f]),
                (1e-05, [0x3ff0_000a_7c5e_340e, 0x3c9b_f6ba_1f2a_2657]),
                (25.0, [0x4230_c3d3_9209_62c9, 0xbedd_5413_5463_4a5f]),
            ],
        ),
        (
            "log",
            DoubleDouble::log,
            &[
                (0.7, [0xbfd6_d3c3_24e1_3f50, 0x3c56_4105_2af5_fd8d]),
                (3.3, [0x3ff3_1a4e_7240_c777, 0xbc8e_738f_3f0a_3f4b]),
                (1e-05, [0xc027_069e_2aa2_aa5b, 0x3cb4_1ab1_3744_99c7]),
                (25.0, [0x4009_c041_f7ed_8d33, 0x3caa_bf7d_de94_581d]),
            ],
        ),
        (
            "sqrt",
            DoubleDouble::sqrt,
            &[
                (0.7, [0x3fea_c5eb_3f7a_b2f8, 0xbc87_c3f6_30ca_87e2]),
                (3.3, [0x3ffd_10c0_e60b_e308, 0x3c53_3b88_53c8_ee69]),
                (1e-05, [0x3f69_e7c6_e433_90b7, 0x3bf3_c095_e662_1a1d]),
                (25.0, [0x4014_0000_0000_0000, 0x0000_0000_0000_0000]),
            ],
        ),
        (
            "atan",
            DoubleDouble::atan,
            &[
                (0.7, [0x3fe3_8b11_2d7b_d4ad, 0x3c79_d8e5_48ac_1608]),
                (3.3, [0x3ff4_6ccc_069c_173f, 0xbc38_0542_8a3b_3c63]),
                (1e-05, [0x3ee4_f8b5_88e0_6854, 0xbb81_4972_11c7_88be]),
                (25.0, [0x3ff8_7e3a_a328_78ae, 0xbc99_b0e3_c3bb_c6cf]),
            ],
        ),
        (
            "sinh",
            DoubleDouble::sinh,
            &[
                (0.7, [0x3fe8_4651_53d5_bdbd, 0xbc8c_a584_41c8_29ee]),
                (3.3, [0x402b_1364_baa2_b89c, 0xbcc4_9d96_6fdd_0bf8]),
                (1e-05, [0x3ee4_f8b5_88e4_e940, 0xbb87_5b2c_24ab_6696]),
                (25.0, [0x4220_c3d3_9209_62c9, 0xbecd_5417_25aa_3eeb]),
            ],
        ),
        (
            "cosh",
            DoubleDouble::cosh,
            &[
                (0.7, [0x3ff4_152c_1862_342f, 0xbc86_fb39_e817_aad1]),
                (3.3, [0x402b_2647_145e_3e5a, 0x3cb9_1005_38f5_65b0]),
                (1e-05, [0x3ff0_0000_0003_6f9c, 0xbc53_13a3_33fc_7532]),
                (25.0, [0x4220_c3d3_9209_62c9, 0xbecd_540f_831c_55d3]),
            ],
        ),
        (
            "tanh",
            DoubleDouble::tanh,
            &[
                (0.7, [0x3fe3_56fb_17af_2e91, 0xbc80_17b3_7671_fc9f]),
                (3.3, [0x3fef_e9bd_f44f_7c03, 0x3c43_2392_19b1_aaa0]),
                (1e-05, [0x3ee4_f8b5_88e0_6854, 0xbb81_4982_9348_0bd3]),
                (25.0, [0x3ff0_0000_0000_0000, 0xbb7d_257d_547e_083f]),
            ],
        ),
        (
            "asin",
            DoubleDouble::asin,
            &[
                (0.3, [0x3fd3_8015_9e14_f6ff, 0xbc7f_aba2_e018_5aa0]),
                (-0.9, [0xbff1_ea93_705f_a172, 0xbc87_97ac_a4b7_6b6e]),
            ],
        ),
        (
            "acos",
            DoubleDouble::acos,
            &[
                (0.3, [0x3ff4_41f5_ecbe_ef59, 0xbc96_6ef1_14e5_8d51]),
                (-0.9, [0x4005_8647_6251_e745, 0x3c9d_71fc_8570_11be]),
            ],
        ),
    ];
    for (name, function, values) in table {
        for &(x, expected) in *values {
            close(function(x.into()), expected, &format!("{name}({x})"));
        }
    }
    let number = DoubleDouble::from;
    close(number(1.7).pow(number(2.6)), [0x400f_c99d_7b84_eddd, 0xbc5b_35dd_49f5_ce59], "1.7^2.6");
    close(number(-1.7).pow(number(-3.0)), [0xbfca_0da6_e5ca_5485, 0x3c43_0b1f_8c8e_613f], "(-1.7)^-3");
    close(
        number(-0.2).atan2(number(-3.0)),
        [0xc008_99a6_7091_335f, 0xbc93_388a_42a2_d491],
        "atan2(-0.2, -3)",
    );
}

#[test]
fn arithmetic_keeps_what_rounding_takes() {
    let number = DoubleDouble::from;
    let third = number(1.0) / number(3.0);
    close(third, [0x3fd5_5555_5555_5555, 0x3c75_5555_5555_5555], "1/3");
    assert!((third + third + third - number(1.0)).abs().to_f64() < 1e-31);
    // (1 + 2⁻⁶⁰)² − 1 − 2⁻⁵⁹ = 2⁻¹²⁰ lies below the last bit; 2⁻⁵⁹ does not.
    let tiny = number(0.5).pow(number(60.0));
    let square = (number(1.0) + tiny) * (number(1.0) + tiny);
    assert_eq!((square - number(1.0)).to_f64(), 2.0 * tiny.to_f64());
    assert!(number(1.0) < number(1.0) + tiny);
}

#[test]
fn floors_and_remainders() {
    let number = DoubleDouble::from;
    assert_eq!((number(2.0) - number(1e-20)).floor().to_f64(), 1.0);
    assert_eq!((number(2.0) + number(1e-20)).floor().to_f64(), 2.0);
    assert_eq!(number(-3.5).floor().to_f64(), -4.0);
    assert_eq!(number(-1.0).modulo(number(3.0)).to_f64(), 2.0);
}

#[test]
fn outside_their_range_functions_say_so() {
    let number = DoubleDouble::from;
    assert!(number(-1.0).sqrt().to_f64().is_nan());
    assert!(number(-1.0).log().to_f64().is_nan());
    assert!(number(2.0).asin().to_f64().is_nan());
    assert_eq!(number(0.0).sqrt().to_f64(), 0.0);
    assert_eq!(number(f64::INFINITY).sqrt().to_f64(), f64::INFINITY);
    assert_eq!(number(1e4).exp().to_f64(), f64::INFINITY);
    assert_eq!(number(-1e4).exp().to_f64(), 0.0);
    assert!((number(1.0) / number(0.0)).to_f64().is_infinite());
    assert_eq!((number(1e308) * number(1e10)).to_f64(), f64::INFINITY);
}
