//! The schema of `--format=json`, which is derived from the structs. Programs that read reports
//! find it in testdata/cgannotate.schema.json.

use std::borrow::Cow;
use std::fs;

use schemars::generate::SchemaSettings;
use schemars::transform::{RecursiveTransform, Transform};
use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde_json::{Value, json};

use super::code::FunctionCode;
use super::head::Head;
use super::row::Row;
use super::value::{Address, Columns, Cost, Maybe, Name, Number, OnlySide, Range, Totals};
use super::writer::NotUtf8;

/// A report. Within a version members keep their meaning; new ones may be added.
// It is written part by part, so that a long one is never in memory.
#[derive(JsonSchema)]
#[schemars(title = "cgannotate --format=json")]
#[allow(dead_code)]
struct Document<'a> {
    #[serde(flatten)]
    head: Head<'a>,
    /// The list.
    rows: Vec<Row<'a>>,
    /// With `--asm` the functions of which instructions are shown.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Vec<FunctionCode<'static>>")]
    functions: Option<Vec<FunctionCode<'a>>>,
}

/// Requires members that only the browser's page leaves out.
#[derive(Clone)]
pub(super) struct AlsoRequired(pub(super) &'static [&'static str]);

impl Transform for AlsoRequired {
    fn transform(&mut self, schema: &mut Schema) {
        let required = schema.ensure_object().entry("required").or_insert_with(|| json!([]));
        let required = required.as_array_mut().unwrap();
        required.extend(self.0.iter().map(|&name| name.into()));
    }
}

impl<T: JsonSchema> JsonSchema for Maybe<T> {
    fn inline_schema() -> bool {
        T::inline_schema()
    }
    fn schema_name() -> Cow<'static, str> {
        T::schema_name()
    }
    fn schema_id() -> Cow<'static, str> {
        T::schema_id()
    }
    fn json_schema(generator: &mut SchemaGenerator) -> Schema {
        T::json_schema(generator)
    }
}

macro_rules! schemas {
    ($($name:ident $(<$lifetime:lifetime>)?: $schema:expr;)*) => {$(
        impl JsonSchema for $name$(<$lifetime>)? {
            fn schema_name() -> Cow<'static, str> {
                stringify!($name).into()
            }
            fn json_schema(generator: &mut SchemaGenerator) -> Schema {
                let schema: fn(&mut SchemaGenerator) -> Schema = $schema;
                schema(generator)
            }
        }
    )*};
}

schemas! {
    Name<'_>: |generator| json_schema!({
        "description": "A name or another text; one that is not UTF-8 is an object.",
        "anyOf": [{"type": "string"}, generator.subschema_for::<NotUtf8>()],
    });
    Address: |_| json_schema!({"type": "string", "pattern": "^0x[0-9a-f]+$"});
    Number: |_| json_schema!({
        "description": "An exact signed 64-bit integer; with --per a number that \
            may have decimals.",
        "type": "number",
    });
    Cost<'_>: |generator| json_schema!({
        "description": "One number per event, in the order of events; null where no line has this \
            count.",
        "type": "array",
        "items": generator.subschema_for::<Option<Number>>(),
    });
    Columns<'_>: |generator| json_schema!({
        "description": "Numbers by the names of their columns in CSV; null where it has none.",
        "type": "object",
        "additionalProperties": generator.subschema_for::<Option<f64>>(),
    });
    Totals<'_>: |generator| json_schema!({
        "description": "The same as total, by the names of events.",
        "type": "object",
        "additionalProperties": generator.subschema_for::<Option<Number>>(),
    });
    Range<'_>: |generator| json_schema!({
        "description": "Of each event the lower and the upper bound of an estimated cost; null for \
            an event with negative counts.",
        "type": "array",
        "items": generator.subschema_for::<Option<[Option<Number>; 2]>>(),
    });
    OnlySide: |_| json_schema!({"enum": ["new", "gone"]});
}

/// Makes a description, which is a comment of several lines, one line.
fn unbroken(schema: &mut Schema) {
    if let Some(Value::String(text)) = schema.get_mut("description") {
        *text = text.replace('\n', " ");
    }
}

/// The schema as the text of its file.
fn derived() -> String {
    let settings = SchemaSettings::draft2020_12().for_serialize();
    let settings = settings.with_transform(RecursiveTransform(unbroken));
    let schema = settings.into_generator().into_root_schema_for::<Document>();
    serde_json::to_string_pretty(&schema).unwrap() + "\n"
}

/// `CGANNOTATE_BLESS=1` replaces the file.
#[test]
fn the_schema_of_the_sources_is_that_of_the_structs() {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/testdata/cgannotate.schema.json");
    let derived = derived();
    if std::env::var_os("CGANNOTATE_BLESS").is_some() {
        fs::write(path, &derived).unwrap();
    }
    assert!(
        fs::read_to_string(path).unwrap() == derived,
        "{path} differs; it should be: {derived}"
    );
}
