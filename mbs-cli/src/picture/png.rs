//! PNG files of red, green and blue.

/// The bytes of a PNG file; three bytes a pixel, row by row from the top.
pub(crate) fn encode(width: usize, height: usize, rgb: &[u8]) -> Vec<u8> {
    let mut out = Vec::new();
    let mut encoder = png::Encoder::new(&mut out, width as u32, height as u32);
    encoder.set_color(png::ColorType::Rgb);
    encoder.set_depth(png::BitDepth::Eight);
    encoder.set_compression(png::Compression::High);
    let written = encoder.write_header().and_then(|mut writer| {
        writer.write_image_data(rgb)?;
        writer.finish()
    });
    debug_assert!(written.is_ok(), "a picture of {width} x {height} goes into memory");
    out
}
