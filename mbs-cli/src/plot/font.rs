//! Letters as strokes of a pen, for pictures in pixels.
//!
//! Each stroke is a list of points, two digits each: x from 0 to 4, and y with 2 the
//! baseline, 6 the height of small letters, 8 that of capitals and 0 the depth of a `g`.

/// Between two letters, in units of the grid.
const GAP: f64 = 1.7;
const SPACE: f64 = 2.2;
/// Height of capitals in units of the grid.
pub(super) const CAPITAL: f64 = 6.0;
const BASELINE: f64 = 2.0;

/// The strokes of a letter, y upwards from the baseline; a box for what is not known.
pub(super) fn strokes(letter: char) -> Vec<Vec<[f64; 2]>> {
    let digit = |byte: u8| f64::from(byte - b'0');
    let stroke = |text: &str| -> Vec<[f64; 2]> {
        text.as_bytes().chunks_exact(2).map(|pair| [digit(pair[0]), digit(pair[1]) - BASELINE]).collect()
    };
    glyph(letter).split_whitespace().map(stroke).collect()
}

/// From the beginning of a letter to that of the next, in units of the grid.
pub(super) fn advance(letter: char) -> f64 {
    let (left, right) = bounds(letter);
    right - left + GAP
}

/// Leftmost and rightmost of a letter.
pub(super) fn bounds(letter: char) -> (f64, f64) {
    let strokes = strokes(letter);
    let xs = || strokes.iter().flatten().map(|point| point[0]);
    match xs().reduce(f64::max) {
        Some(right) => (xs().fold(right, f64::min), right),
        None => (0.0, SPACE),
    }
}

fn glyph(letter: char) -> &'static str {
    match letter {
        ' ' => "",
        '0' => "120307183847433212",
        '1' => "172822 1232",
        '2' => "07183847460242",
        '3' => "07183847463525 354443321203",
        '4' => "32380444",
        '5' => "480805354443321203",
        '6' => "4738180703123243443505",
        '7' => "084812",
        '8' => "15060718384746351504031232434435",
        '9' => "0312324347381807061545",
        'a' => "4642 4536160503123243",
        'b' => "0802 0516364543321203",
        'c' => "4536160503123243",
        'd' => "4842 4536160503123243",
        'e' => "04444536160503123243",
        'f' => "38281712 0636",
        'g' => "4641301001 4536160503123243",
        'h' => "0802 0516364542",
        'i' => "2622 2827",
        'j' => "26211000 2827",
        'k' => "0802 4604 1542",
        'l' => "2822",
        'm' => "0602 05162522 25364542",
        'n' => "0602 0516364542",
        'o' => "160503123243453616",
        'p' => "0600 0516364543321203",
        'q' => "4640 4536160503123243",
        'r' => "0602 05163645",
        's' => "45361605143443321203",
        't' => "18132232 0636",
        'u' => "0603123243 4642",
        'v' => "062246",
        'w' => "0612263246",
        'x' => "0642 4602",
        'y' => "0622 4610",
        'z' => "06460242",
        'A' => "022842 1434",
        'B' => "02083847463505 3544433202",
        'C' => "4738180703123243",
        'D' => "02082846442202",
        'E' => "48080242 0535",
        'F' => "480802 0535",
        'G' => "47381807031232434525",
        'H' => "0802 4842 0545",
        'I' => "1838 2822 1232",
        'J' => "3833221203",
        'K' => "0802 4805 1542",
        'L' => "080242",
        'M' => "0208254842",
        'N' => "02084248",
        'O' => "180703123243473818",
        'P' => "02083847463505",
        'Q' => "180703123243473818 2442",
        'R' => "02083847463505 2542",
        'S' => "473818070615354443321203",
        'T' => "0848 2822",
        'U' => "080312324348",
        'V' => "082248",
        'W' => "0812263248",
        'X' => "0842 4802",
        'Y' => "082548 2522",
        'Z' => "08480242",
        '.' => "2223",
        ',' => "2311",
        ':' => "2324 2627",
        '-' | '−' => "0545",
        '+' => "0545 2723",
        '=' => "0444 0646",
        '*' | '·' => "1634 1436",
        '/' => "0148",
        '(' => "38272332",
        ')' => "18272312",
        '[' => "38282232",
        ']' => "18282212",
        '_' => "0141",
        '^' => "162836",
        '\'' => "2827",
        '<' => "470543",
        '>' => "074503",
        '%' => "0248 1718 3233",
        _ => "1232381812",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn letters_stay_on_their_grid() {
        let known = (' '..='~').filter(|&letter| glyph(letter) != glyph('\u{1}'));
        for letter in known {
            for [x, y] in strokes(letter).into_iter().flatten() {
                assert!((0.0..=4.0).contains(&x) && (-2.0..=CAPITAL).contains(&y), "{letter}: {x} {y}");
            }
        }
        assert!(!glyph('\u{1}').is_empty() && ('a'..='z').all(|letter| glyph(letter) != glyph('\u{1}')));
    }
}
