//! A table as a Parquet file: whole numbers, other numbers, texts; what is empty is null.

use super::csv::fields;
use crate::commands::simulate::table::quote;
use parquet::basic::{ConvertedType, Repetition, Type as Physical};
use parquet::data_type::{ByteArray, ByteArrayType, DoubleType, Int64Type};
use parquet::errors::{ParquetError, Result};
use parquet::file::properties::WriterProperties;
use parquet::file::reader::{FileReader, SerializedFileReader};
use parquet::file::writer::SerializedFileWriter;
use parquet::record::Field;
use parquet::schema::types::Type;
use std::fs::File;
use std::io::Write;
use std::sync::Arc;

/// Lines of a row group: enough for good compression, few enough for memory.
const GROUP: usize = 100_000;

/// Writes a table given as CSV.
pub(super) fn write(table: &str, file: impl Write + Send) -> Result<()> {
    let mut lines = table.lines();
    let names: Vec<String> =
        fields(lines.next().unwrap_or_default()).into_iter().map(|field| field.text).collect();
    let rows: Vec<&str> = lines.collect();
    let kinds = kinds(&rows, names.len());
    let columns = names.iter().zip(&kinds).map(|(name, &kind)| column(name, kind).map(Arc::new));
    let columns = columns.collect::<Result<Vec<_>>>()?;
    let schema = Arc::new(Type::group_type_builder("table").with_fields(columns).build()?);
    let mut writer = SerializedFileWriter::new(file, schema, Arc::new(WriterProperties::builder().build()))?;
    for chunk in rows.chunks(GROUP) {
        let mut values: Vec<Vec<String>> = vec![Vec::new(); names.len()];
        for line in chunk {
            for (column, field) in values.iter_mut().zip(fields(line)) {
                column.push(field.text);
            }
        }
        let mut group = writer.next_row_group()?;
        for (kind, texts) in kinds.iter().zip(&values) {
            let Some(mut column) = group.next_column()? else { break };
            let levels: Vec<i16> = texts.iter().map(|text| i16::from(!text.is_empty())).collect();
            let present = texts.iter().filter(|text| !text.is_empty());
            match kind {
                Physical::INT64 => {
                    let numbers: Vec<i64> = present.map(|text| text.parse().unwrap_or_default()).collect();
                    column.typed::<Int64Type>().write_batch(&numbers, Some(&levels), None)?;
                }
                Physical::BYTE_ARRAY => {
                    let texts: Vec<ByteArray> = present.map(|text| ByteArray::from(text.as_str())).collect();
                    column.typed::<ByteArrayType>().write_batch(&texts, Some(&levels), None)?;
                }
                _ => {
                    let numbers: Vec<f64> = present.map(|text| text.parse().unwrap_or(f64::NAN)).collect();
                    column.typed::<DoubleType>().write_batch(&numbers, Some(&levels), None)?;
                }
            }
            column.close()?;
        }
        group.close()?;
    }
    writer.close().map(drop)
}

/// The table as CSV, the same bytes it was written from.
pub(super) fn read(file: File) -> Result<String> {
    let reader = SerializedFileReader::new(file)?;
    let schema = reader.metadata().file_metadata().schema_descr_ptr();
    let names: Vec<String> = schema.columns().iter().map(|column| quote(column.name())).collect();
    let mut table = names.join(",") + "\n";
    for row in reader.get_row_iter(None)? {
        let texts: Result<Vec<String>> = row?.get_column_iter().map(|(_, field)| text(field)).collect();
        table += &texts?.join(",");
        table.push('\n');
    }
    Ok(table)
}

fn text(field: &Field) -> Result<String> {
    match field {
        Field::Null => Ok(String::new()),
        Field::Double(value) => Ok(format!("{value:?}")),
        Field::Long(value) => Ok(value.to_string()),
        Field::Str(text) => Ok(quote(text)),
        _ => Err(ParquetError::General("this is not a table of mbs".to_owned())),
    }
}

/// The narrowest kind that holds every entry of each column. Doubles are written with a point
/// or an exponent, so that whole numbers are told from them.
fn kinds(rows: &[&str], columns: usize) -> Vec<Physical> {
    let mut whole = vec![true; columns];
    let mut number = vec![true; columns];
    for (index, field) in rows.iter().flat_map(|row| fields(row).into_iter().enumerate()) {
        if index < columns && !field.text.is_empty() {
            whole[index] &= field.text.parse::<i64>().is_ok();
            number[index] &= field.text.parse::<f64>().is_ok();
        }
    }
    let kind = |(whole, number)| match (whole, number) {
        (true, _) => Physical::INT64,
        (false, true) => Physical::DOUBLE,
        (false, false) => Physical::BYTE_ARRAY,
    };
    whole.into_iter().zip(number).map(kind).collect()
}

fn column(name: &str, kind: Physical) -> Result<Type> {
    let text = if kind == Physical::BYTE_ARRAY { ConvertedType::UTF8 } else { ConvertedType::NONE };
    let builder = Type::primitive_type_builder(name, kind).with_converted_type(text);
    builder.with_repetition(Repetition::OPTIONAL).build()
}

#[cfg(test)]
mod tests {
    use super::*;
    use parquet::record::RowAccessor;

    #[test]
    fn a_table_and_back() {
        let path = std::env::temp_dir().join(format!("mbs-parquet-{}", std::process::id()));
        let table = "sample,l1,x,\"f(a, b)\",steps,status,message\n0,0.5,-1.25,1e300,7,ok,\n\
                     2,0.75,,,,failed,\"a, \"\"b\"\"\"\n3,-0.0,NaN,inf,9,ok,\n";
        write(table, File::create(&path).expect("a file")).expect("a table");
        let open = || File::open(&path).expect("the file");
        assert_eq!(read(open()).expect("the table"), table);
        let reader = SerializedFileReader::new(open()).expect("Parquet");
        let rows: Vec<_> = reader.get_row_iter(None).expect("rows").map(|row| row.expect("a row")).collect();
        assert_eq!(rows.len(), 3);
        assert_eq!(rows[0].get_double(2).expect("a number"), -1.25);
        assert_eq!(rows[1].get_long(0).expect("a number"), 2);
        assert!(rows[1].get_double(2).is_err());
        assert_eq!(rows[1].get_string(6).expect("a text"), "a, \"b\"");
        let _ = std::fs::remove_file(path);
    }
}
