//! The drift over time as a picture.

use crate::runs::Version;
use std::fmt::Write;

const WIDTH: f64 = 760.0;
const HEIGHT: f64 = 440.0;
const LEFT: f64 = 70.0;
const RIGHT: f64 = 160.0;
const TOP: f64 = 40.0;
const BOTTOM: f64 = 50.0;

/// Decades shown; what lies below, zero included, is drawn at the bottom.
const DECADES: std::ops::RangeInclusive<i32> = -17..=-4;

/// Colours that the colour-blind can tell apart (Okabe & Ito).
const COLOURS: [&str; 5] = ["#d55e00", "#e69f00", "#009e73", "#0072b2", "#cc79a7"];

/// |g| over time for every version, on a logarithmic scale.
pub(crate) fn drift(versions: &[Version]) -> String {
    let end = versions.iter().flat_map(|version| &version.drift).map(|&(t, _)| t).fold(0.0, f64::max);
    let (low, high) = (f64::from(*DECADES.start()), f64::from(*DECADES.end()));
    let x = |t: f64| LEFT + (WIDTH - LEFT - RIGHT) * t / end;
    let y = |decade: f64| TOP + (HEIGHT - TOP - BOTTOM) * (high - decade.clamp(low, high)) / (high - low);

    let mut out = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {WIDTH} {HEIGHT}\" width=\"{WIDTH}\" \
         height=\"{HEIGHT}\" font-family=\"sans-serif\" font-size=\"12\" fill=\"#222\">\n\
         <rect width=\"100%\" height=\"100%\" fill=\"white\"/>\n\
         <text x=\"{LEFT}\" y=\"22\" font-size=\"14\">Five-link suspension on a bump: drift from the closing \
         constraints, rtol 1e-4</text>\n"
    );
    let (right, bottom) = (x(end), y(low));
    for decade in DECADES.filter(|decade| (decade - DECADES.start()) % 3 == 0) {
        let at = y(f64::from(decade));
        let _ = writeln!(
            out,
            "<line x1=\"{LEFT}\" x2=\"{right}\" y1=\"{at}\" y2=\"{at}\" stroke=\"#ddd\"/>\n\
             <text x=\"{}\" y=\"{}\" text-anchor=\"end\">10<tspan dy=\"-5\" font-size=\"9\">{decade}</tspan></text>",
            LEFT - 8.0,
            at + 4.0
        );
    }
    for tick in 0..=5 {
        let t = end * f64::from(tick) / 5.0;
        let _ = writeln!(
            out,
            "<line x1=\"{0}\" x2=\"{0}\" y1=\"{bottom}\" y2=\"{1}\" stroke=\"#222\"/>\n\
             <text x=\"{0}\" y=\"{2}\" text-anchor=\"middle\">{t:.1}</text>",
            x(t),
            bottom + 5.0,
            bottom + 19.0
        );
    }
    let _ = writeln!(
        out,
        "<line x1=\"{LEFT}\" x2=\"{right}\" y1=\"{bottom}\" y2=\"{bottom}\" stroke=\"#222\"/>\n\
         <text x=\"{}\" y=\"{}\" text-anchor=\"middle\">t, s</text>\n\
         <text transform=\"translate(20 {}) rotate(-90)\" text-anchor=\"middle\">|g|, m</text>",
        (LEFT + right) / 2.0,
        bottom + 38.0,
        (TOP + bottom) / 2.0
    );
    let mut taken: Vec<f64> = Vec::new();
    for (version, colour) in versions.iter().zip(COLOURS) {
        let points: Vec<String> = version
            .drift
            .iter()
            .map(|&(t, size)| format!("{:.1},{:.1}", x(t), y(if size > 0.0 { size.log10() } else { low })))
            .collect();
        let _ = writeln!(
            out,
            "<polyline fill=\"none\" stroke=\"{colour}\" stroke-width=\"1.6\" stroke-linejoin=\"round\" points=\"{}\"/>",
            points.join(" ")
        );
        let last = version.drift.last().map_or(low, |&(_, size)| if size > 0.0 { size.log10() } else { low });
        let at = free_place(&mut taken, y(last) + 4.0);
        let _ = writeln!(
            out,
            "<text x=\"{}\" y=\"{at:.1}\" fill=\"{colour}\">{}</text>",
            right + 8.0,
            version.name
        );
    }
    out.push_str("</svg>\n");
    out
}

/// Where a label fits beside those already written, as close to its line as may be.
fn free_place(taken: &mut Vec<f64>, wanted: f64) -> f64 {
    let is_free = |at: &f64| taken.iter().all(|other| (other - at).abs() >= 15.0);
    let places = (0..40).flat_map(|k| [wanted + f64::from(k), wanted - f64::from(k)]);
    let place = places.into_iter().find(is_free).unwrap_or(wanted);
    taken.push(place);
    place
}
