//! Indented text.

/// Lines longer than this are broken where a list allows it.
const WIDTH: usize = 100;

/// Text that grows line by line.
#[derive(Debug, Default)]
pub struct Writer {
    text: String,
    depth: usize,
}

impl Writer {
    /// Adds a line at the present indentation; an empty one has no spaces.
    pub fn line(&mut self, line: impl AsRef<str>) {
        let line = line.as_ref();
        if !line.is_empty() {
            self.text.extend(std::iter::repeat_n("    ", self.depth));
            self.text.push_str(line);
        }
        self.text.push('\n');
    }

    /// Adds an empty line.
    pub fn blank(&mut self) {
        self.line("");
    }

    /// Indents what `body` adds.
    pub fn indented(&mut self, body: impl FnOnce(&mut Self)) {
        self.depth += 1;
        body(self);
        self.depth -= 1;
    }

    /// Adds `open`, what `body` adds indented, and `close`.
    pub fn block(&mut self, open: impl AsRef<str>, close: &str, body: impl FnOnce(&mut Self)) {
        self.line(open);
        self.indented(body);
        self.line(close);
    }

    /// Adds `open item, item, … close`, on one line if it fits, else filled lines.
    pub fn list(&mut self, open: &str, items: &[String], close: &str) {
        let one_line = format!("{open}{}{close}", items.join(", "));
        if self.fits(&one_line) {
            return self.line(one_line);
        }
        self.block(open, close, |out| {
            let mut line = String::new();
            for item in items {
                if !line.is_empty() && !out.fits(&format!("{line} {item},")) {
                    out.line(std::mem::take(&mut line));
                }
                if !line.is_empty() {
                    line.push(' ');
                }
                line.push_str(item);
                line.push(',');
            }
            out.line(line);
        });
    }

    fn fits(&self, line: &str) -> bool {
        4 * self.depth + line.chars().count() <= WIDTH
    }

    /// The text.
    pub fn finish(self) -> String {
        self.text
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn long_lists_are_filled() {
        let mut out = Writer::default();
        out.list("[", &["1.0".into(), "2.0".into()], "]");
        let numbers: Vec<String> = (0..40).map(|i| i.to_string()).collect();
        out.block("{", "}", |out| out.list("[", &numbers, "]"));
        let text = out.finish();
        assert!(text.starts_with("[1.0, 2.0]\n{\n    [\n        0, 1, 2,"), "{text}");
        assert!(text.lines().all(|line| line.len() <= WIDTH));
    }
}
