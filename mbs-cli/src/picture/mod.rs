//! Still pictures of a scene without a browser: SVG and PNG.

mod camera;
mod floor;
mod light;
pub(crate) mod png;
mod raster;
mod svg;

pub(crate) use raster::pixels;
pub(crate) use svg::text;

use clap::ValueEnum;

/// Light or dark paper.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, ValueEnum)]
pub(crate) enum Theme {
    #[default]
    Light,
    Dark,
}

/// sRGB, by theme.
const BACKGROUND: [[u8; 3]; 2] = [[0xf4, 0xf6, 0xf9], [0x16, 0x1a, 0x20]];
