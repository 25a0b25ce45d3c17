//! Still pictures of a scene without a browser: SVG and PNG.

mod camera;
mod floor;
mod light;
pub(crate) mod png;
mod raster;
mod svg;

pub(crate) use raster::pixels;
pub(crate) use svg::text;

use crate::report::Failure;
use clap::ValueEnum;
use std::path::Path;

/// How a still picture is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Format {
    Svg,
    Png,
}

impl Format {
    /// The format a name asks for by its ending.
    pub(crate) fn of(path: &Path) -> Result<Self, Failure> {
        let ending = path.extension().and_then(|ending| ending.to_str()).unwrap_or_default();
        match ending.to_lowercase().as_str() {
            "svg" => Ok(Self::Svg),
            "png" => Ok(Self::Png),
            _ => Err(Failure::new("MBS-C060", "a picture is SVG or PNG")
                .about(path)
                .help("let the name of the file end in .svg or .png")),
        }
    }
}

/// Light or dark paper.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, ValueEnum)]
pub(crate) enum Theme {
    #[default]
    Light,
    Dark,
}

/// sRGB, by theme.
const BACKGROUND: [[u8; 3]; 2] = [[0xf4, 0xf6, 0xf9], [0x16, 0x1a, 0x20]];
