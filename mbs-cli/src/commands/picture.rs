//! `mbs picture`: the mechanism at one instant.

use super::simulate;
use crate::arguments::PictureOptions;
use crate::output;
use crate::picture::{self, Format, png};
use crate::report::Failure;

pub(crate) fn run(options: &PictureOptions) -> Result<(), Failure> {
    let format = Format::of(&options.out)?;
    let scene = simulate::scene(options)?;
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
    let bytes = match format {
        Format::Svg => picture::text(&scene, t, options.size, options.theme).into_bytes(),
        Format::Png => {
            let [width, height] = options.size;
            png::encode(width, height, &picture::pixels(&scene, t, options.size, options.theme))
        }
    };
    output::write(&bytes, &options.out)
}
