//! `mbs picture`: the mechanism at one instant.

use super::simulate;
use crate::arguments::PictureOptions;
use crate::picture::{self, png};
use crate::report::{self, Failure};

pub(crate) fn run(options: &PictureOptions) -> Result<(), Failure> {
    let ending =
        options.out.extension().and_then(|ending| ending.to_str()).unwrap_or_default().to_lowercase();
    if !["svg", "png"].contains(&ending.as_str()) {
        return Err(Failure::new("MBS-C060", "a picture is SVG or PNG")
            .about(&options.out)
            .help("let the name of the file end in .svg or .png"));
    }
    let scene = simulate::scene(&options.variant, &options.run)?;
    let times = &scene.motion.times;
    let (first, last) = (times.first().copied().unwrap_or(0.0), times.last().copied().unwrap_or(0.0));
    let t = options.t.unwrap_or(first);
    if !(first..=last).contains(&t) {
        return Err(Failure::new(
            "MBS-C061",
            format!("the run lasts from {first} s to {last} s, and {t} s is not within"),
        )
        .help("choose another --t, or a later --t-end"));
    }
    if ending == "svg" {
        return report::deliver(&picture::text(&scene, t, options.size, options.theme), Some(&options.out));
    }
    let [width, height] = options.size;
    let pixels = picture::pixels(&scene, t, options.size, options.theme);
    report::deliver_bytes(&png::encode(width, height, &pixels), &options.out)
}
