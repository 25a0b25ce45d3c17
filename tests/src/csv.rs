//! Reference trajectories.

/// A table of numbers with named columns.
#[derive(Debug, Clone)]
pub struct Csv {
    names: Vec<String>,
    /// The rows.
    pub rows: Vec<Vec<f64>>,
}

impl Csv {
    /// Reads a file of `tests/data`; panics if it is not a table of numbers.
    pub fn read(file: &str) -> Self {
        let path = format!("{}/data/{file}", env!("CARGO_MANIFEST_DIR"));
        let text = std::fs::read_to_string(&path).unwrap_or_else(|error| panic!("{path}: {error}"));
        let mut lines = text.lines();
        let names = lines.next().expect("a header").split(',').map(str::to_owned).collect();
        let number = |cell: &str| cell.parse().unwrap_or_else(|_| panic!("{path}: {cell} is not a number"));
        let rows = lines.map(|line| line.split(',').map(number).collect()).collect();
        Self { names, rows }
    }

    /// The values of named columns in one row.
    pub fn get(&self, row: &[f64], names: &[String]) -> Vec<f64> {
        let column = |name: &String| {
            self.names.iter().position(|known| known == name).unwrap_or_else(|| panic!("no column {name}"))
        };
        names.iter().map(|name| row[column(name)]).collect()
    }
}
