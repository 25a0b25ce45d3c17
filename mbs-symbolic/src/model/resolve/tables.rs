//! Tables: their points, given in the model or in a CSV file.

use super::dimensions::Quantity;
use super::fields::Fields;
use super::symbols::Symbols;
use super::{Resolver, Tables};
use crate::diag::{FileId, Problem, Quoting, Span};
use crate::model::expand::beside;
use crate::model::tree::{Key, Node};
use crate::model::{Formula, Outside, Table, limits};

/// A number with its place.
struct Cell {
    value: f64,
    span: Span,
    /// What it measures, if it was written with a unit.
    quantity: Quantity,
}

type Column = Vec<Cell>;

impl<'a> Resolver<'a> {
    pub(super) fn resolve_tables(&mut self, symbols: &Symbols<'a>) -> Tables {
        let mut tables = Tables::new();
        for (key, fields) in &symbols.tables {
            let points = self.points(key, fields);
            let (mut x, mut y) = points.unwrap_or_default();
            let quantities = (
                self.column_quantity(fields, "x_unit", &mut x),
                self.column_quantity(fields, "y_unit", &mut y),
            );
            self.table_quantities.push(quantities);
            let events = self.flag(fields, "events").unwrap_or(false);
            let outside = match self.choice(fields, "outside") {
                "hold" => Outside::Hold,
                "error" => Outside::Error,
                _ => Outside::Extrapolate,
            };
            self.held_tables.push(outside == Outside::Hold);
            self.check_points(key, &x, &y);
            let plain = |column: Column| column.into_iter().map(|cell| cell.value).collect();
            tables.push(Table { name: self.entry_name(key), x: plain(x), y: plain(y), events, outside });
        }
        tables
    }

    /// The two columns, from wherever they are given; `None` if that is reported.
    fn points(&mut self, key: &Key, fields: &Fields<'a>) -> Option<(Column, Column)> {
        let (points, file) = (fields.get("points"), fields.get("file"));
        match (points, file, fields.get("x"), fields.get("y")) {
            (Some(points), None, None, None) => self.pairs(key, points),
            (None, None, Some(x), Some(y)) if !x.is_scalar() && !y.is_scalar() => {
                let (x, y) = (self.column(x.items(), x.span), self.column(y.items(), y.span));
                Some((x?, y?))
            }
            (None, Some(file), Some(x), Some(y)) if x.is_scalar() && y.is_scalar() => self.csv(file, x, y),
            _ => {
                self.error(key.span, Problem::TableSource { table: key.text.clone() });
                None
            }
        }
    }

    fn too_many(&mut self, count: usize, span: Span) -> bool {
        let limit = limits::TABLE_POINTS;
        if count > limit {
            self.error(span, Problem::TooLarge { what: "points of a table".to_owned(), limit });
        }
        count > limit
    }

    fn pairs(&mut self, key: &Key, points: &'a Node) -> Option<(Column, Column)> {
        if self.too_many(points.items().len(), key.span) {
            return None;
        }
        let (mut x, mut y) = (Column::new(), Column::new());
        let mut good = true;
        for point in points.items() {
            let [at, value] = point.items() else {
                self.wrong_shape("points", "a list of pairs [x, y]".to_owned(), key.span, point);
                return None;
            };
            match (self.cell(at), self.cell(value)) {
                (Some(at), Some(value)) => {
                    x.push(at);
                    y.push(value);
                }
                _ => good = false,
            }
        }
        good.then_some((x, y))
    }

    fn column(&mut self, items: &'a [Node], span: Span) -> Option<Column> {
        if self.too_many(items.len(), span) {
            return None;
        }
        let cells: Vec<Option<Cell>> = items.iter().map(|item| self.cell(item)).collect();
        cells.into_iter().collect()
    }

    /// A plain number is read directly: tables are long and formulas slow.
    fn cell(&mut self, node: &Node) -> Option<Cell> {
        let text = node.text()?;
        let plain = text.bytes().all(|byte| matches!(byte, b'0'..=b'9' | b'+' | b'-' | b'.' | b'e' | b'E'));
        match text.parse::<f64>() {
            Ok(value) if plain && value.is_finite() => {
                Some(Cell { value, span: node.span, quantity: Quantity::default() })
            }
            _ => {
                let (value, quantity) = self.constant_quantity(node)?;
                Some(Cell { value, span: node.span, quantity })
            }
        }
    }

    /// What a column measures: what its unit says, or what one of its cells says. Plain
    /// numbers are converted from that unit.
    fn column_quantity(&mut self, fields: &Fields<'a>, key: &str, column: &mut Column) -> Quantity {
        let given = self.unit(fields, key);
        let first = column.iter().find(|cell| cell.quantity.dimension.is_some());
        let (quantity, reason) = match (&given, first) {
            (Some(given), _) => (Quantity::declared(given.unit.dimension), Some(given.span)),
            (None, Some(cell)) => (cell.quantity, Some(cell.span)),
            (None, None) => return Quantity::default(),
        };
        let expected = quantity.dimension.map(|dimension| dimension.to_string()).unwrap_or_default();
        for cell in column.iter_mut() {
            if cell.quantity.dimension.is_some() {
                let formula = Formula::number(cell.value, cell.span);
                self.expect_quantity(&formula, cell.quantity, &expected, "this column", reason);
            } else if let Some(given) = &given {
                cell.value = self.converted(&given.unit, cell.value, cell.span);
            }
        }
        quantity
    }

    fn check_points(&mut self, key: &Key, x: &Column, y: &Column) {
        if x.is_empty() && y.is_empty() {
            return;
        }
        let table = || key.text.clone();
        if x.len() != y.len() {
            self.error(key.span, Problem::TableLengths { table: table(), x: x.len(), y: y.len() });
        } else if x.len() < 2 {
            self.error(key.span, Problem::TableTooShort { table: table(), points: x.len() });
        } else if let Some(pair) = x.windows(2).find(|pair| pair[0].value >= pair[1].value) {
            let (before, after) = (pair[0].value, pair[1].value);
            self.error(pair[1].span, Problem::TableNotIncreasing { table: table(), before, after });
        }
    }

    /// Two columns of a CSV file, by the names in its first line.
    fn csv(&mut self, file: &'a Node, x: &'a Node, y: &'a Node) -> Option<(Column, Column)> {
        let path = beside(self.sources, file.span.file, file.text()?);
        let content = match self.loader.load(&path) {
            Ok(content) => content,
            Err(why) => {
                self.error(file.span, Problem::FileNotRead { path, why });
                return None;
            }
        };
        if content.len() > limits::TABLE_BYTES {
            let problem = Problem::FileTooLarge { bytes: content.len(), limit: limits::TABLE_BYTES };
            self.error(file.span, problem);
            return None;
        }
        let id = self.sources.add_quoted(path.clone(), content.clone(), Quoting::Marks);
        let mut rows = rows(&content, id).peekable();
        let header = rows.next().unwrap_or_default();
        // What has no numbers below its first line may be no table at all, and is not shown.
        let has_numbers = |row: &Vec<(&str, Span)>| row.iter().all(|(text, _)| text.parse::<f64>().is_ok());
        let is_table = header.len() > 1 && rows.peek().is_some_and(has_numbers);
        let x_index = self.csv_column(&header, is_table, &path, x);
        let y_index = self.csv_column(&header, is_table, &path, y);
        let (x_index, y_index) = (x_index?, y_index?);
        let (mut xs, mut ys) = (Column::new(), Column::new());
        for row in rows {
            if self.too_many(xs.len() + 1, file.span) {
                return None;
            }
            for (column, index) in [(&mut xs, x_index), (&mut ys, y_index)] {
                let (text, span) = row
                    .get(index)
                    .copied()
                    .unwrap_or_else(|| ("", row.last().map_or(Span::default(), |(_, span)| *span)));
                match text.parse::<f64>() {
                    Ok(value) if value.is_finite() => {
                        column.push(Cell { value, span, quantity: Quantity::default() });
                    }
                    _ => {
                        let column = header[index].0.to_owned();
                        let text = beginning(text);
                        self.error(span.part(0, text.len()), Problem::BadCell { text, column });
                        return None;
                    }
                }
            }
        }
        if xs.is_empty() {
            let table = path.clone();
            self.error(file.span, Problem::TableTooShort { table, points: 0 });
        }
        Some((xs, ys))
    }

    fn csv_column(
        &mut self,
        header: &[(&str, Span)],
        is_table: bool,
        path: &str,
        name: &'a Node,
    ) -> Option<usize> {
        let column = name.text()?.trim();
        let index = header.iter().position(|(known, _)| *known == column);
        if index.is_none() {
            let header = if is_table { header } else { &[] };
            let known: Vec<&str> = header.iter().map(|(known, _)| *known).collect();
            let problem = Problem::NoSuchColumn {
                column: column.to_owned(),
                path: path.to_owned(),
                nearest: self.nearest(column, known.iter().copied()),
                known: known.join(", "),
            };
            self.error(name.span, problem);
        }
        index
    }
}

/// As much of a cell as a message shows.
fn beginning(cell: &str) -> String {
    const SHOWN: usize = 40;
    cell.chars().take(SHOWN).collect()
}

/// Cells of every line that is neither empty nor a `#` comment, with their places.
/// Cells are separated by commas, or by semicolons if the first line has any, and may
/// stand in double quotes.
fn rows(content: &str, file: FileId) -> impl Iterator<Item = Vec<(&str, Span)>> {
    let whole = Span { file, ..Span::default() };
    let separator = if content.lines().next().is_some_and(|line| line.contains(';')) { ';' } else { ',' };
    let mut start = 0;
    content.split_inclusive('\n').filter_map(move |line| {
        let line_start = start;
        start += line.len();
        let line = line.trim_end_matches(['\n', '\r']);
        if line.trim().is_empty() || line.trim_start().starts_with('#') {
            return None;
        }
        let mut at = line_start;
        let cells = line.split(separator).map(|cell| {
            let cell_start = at;
            at += cell.len() + 1;
            let trimmed = cell.trim_start_matches('\u{feff}').trim();
            let inner = trimmed.strip_prefix('"').and_then(|cell| cell.strip_suffix('"')).unwrap_or(trimmed);
            let lead = cell.len() - cell.trim_start_matches('\u{feff}').trim_start().len();
            (inner, whole.part(cell_start + lead, trimmed.len()))
        });
        Some(cells.collect())
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cells_have_places() {
        let text = "a, \"b\"\n# note\n\n1 ,2\r\n";
        let cells: Vec<Vec<(&str, u32)>> = rows(text, FileId(1))
            .map(|row| row.into_iter().map(|(cell, span)| (cell, span.start)).collect())
            .collect();
        assert_eq!(cells, [vec![("a", 0), ("b", 3)], vec![("1", 15), ("2", 18)]]);
    }
}
