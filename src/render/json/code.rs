//! Instructions as JSON: those of functions, as `--asm` shows them, and a list of all.

use std::borrow::Cow;
use std::io::{self, Write};
use std::ops::Range;

use serde::Serialize;

use super::{Bytes, Cost, write_value};
use crate::profile::FunctionId;
use crate::render::Style;
use crate::render::asm::AsmPage;
use crate::render::parallel::{ChunkWriter, write_rows};
use crate::view::Label;
use crate::view::asm::{InstructionList, Row};

#[derive(Serialize)]
struct Function<'a> {
    #[serde(flatten)]
    names: Named<'a>,
    symbol: Bytes<'a>,
    #[serde(rename = "self")]
    cost: Cost<'a>,
    code: Code<'a>,
    instructions: Vec<Instruction<'a>>,
}

#[derive(Serialize)]
struct Code<'a> {
    state: &'static str,
    path: Option<Bytes<'a>>,
    matching: usize,
    recorded: usize,
}

#[derive(Serialize)]
struct Instruction<'a> {
    address: String,
    file: Option<Bytes<'a>>,
    line: Option<u32>,
    #[serde(rename = "self")]
    cost: Cost<'a>,
    executed: Option<i64>,
    #[serde(skip_serializing_if = "is_zero")]
    skipped: i64,
    text: Option<Bytes<'a>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    bytes: Option<Bytes<'a>>,
    jumps: Vec<Jump>,
    calls: Vec<Call<'a>>,
}

#[derive(Serialize)]
struct Jump {
    to: String,
    conditional: bool,
    taken: i64,
    executed: i64,
}

#[derive(Serialize)]
struct Call<'a> {
    to: String,
    #[serde(flatten)]
    callee: Named<'a>,
    count: i64,
    inclusive: Cost<'a>,
}

#[derive(Serialize)]
struct Named<'a> {
    object: Option<Bytes<'a>>,
    file: Bytes<'a>,
    #[serde(serialize_with = "name")]
    function: Cow<'a, [u8]>,
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde calls it so")]
fn is_zero(number: &i64) -> bool {
    *number == 0
}

/// Writes a name, which may have been demangled.
fn name<S: serde::Serializer>(name: &[u8], serializer: S) -> Result<S::Ok, S::Error> {
    Bytes(name).serialize(serializer)
}

#[derive(Serialize)]
struct ListRow<'a> {
    object: Option<Bytes<'a>>,
    address: String,
    file: Bytes<'a>,
    line: Option<u32>,
    #[serde(serialize_with = "name")]
    function: Cow<'a, [u8]>,
    #[serde(rename = "self")]
    cost: Cost<'a>,
}

/// Writes instructions as the rows of a report.
pub fn write_instructions_json(
    list: &InstructionList<'_>,
    demangles: bool,
    style: Style<'_>,
    out: &mut impl Write,
) -> io::Result<()> {
    let write = |range: Range<usize>, out: &mut ChunkWriter<'_>| {
        for at in range {
            let row = &list.rows[at];
            out.write_all(if at == 0 { b"\n" } else { b",\n" })?;
            let row = ListRow {
                object: list.object(row).map(Bytes),
                address: address(row.at.address),
                file: Bytes(list.profile.file(row.at.file)),
                line: (row.at.line != 0).then_some(row.at.line),
                function: list.name(row, demangles),
                cost: Cost::new(style.shown, list.cost(row)),
            };
            write_value(&row, style.unit, out)?;
        }
        Ok(())
    };
    write_rows(list.rows.len(), write, out)?;
    out.write_all(b"\n]")
}

pub fn write_json_function(
    page: &AsmPage<'_>,
    style: Style<'_>,
    out: &mut impl Write,
) -> io::Result<()> {
    let (function, object) = (page.function, page.object);
    let own = function.own();
    let symbol = page.profile.function(function.function).name;
    let rows = page.page.rows.iter();
    let value = Function {
        names: Named::new(page, function.function),
        symbol: Bytes(page.profile.name(symbol)),
        cost: Cost::new(style.shown, &own),
        code: Code {
            state: object.state(),
            path: object.path.as_deref().map(Bytes),
            matching: object.matching,
            recorded: object.recorded,
        },
        instructions: rows
            .map(|row| Instruction::new(page, row, style.shown))
            .collect(),
    };
    write_value(&value, style.unit, out)
}

impl<'a> Named<'a> {
    fn new(page: &AsmPage<'a>, function: FunctionId) -> Named<'a> {
        match page.label(function) {
            Label::Function {
                file, name, object, ..
            } => Named {
                object: object.map(Bytes),
                file: Bytes(file),
                function: name,
            },
            _ => Named {
                object: None,
                file: Bytes(b""),
                function: b"".into(),
            },
        }
    }
}

impl<'a> Instruction<'a> {
    fn new(page: &AsmPage<'a>, row: &Row, shown: &'a [usize]) -> Instruction<'a> {
        let function = page.function;
        let code = page.object.line(row.code);
        let one = row.instruction.map(|number| &function.instructions[number]);
        let cost = row.instruction;
        let cost = cost.map_or(&[][..], |number| function.cost(number));
        let bytes = code.map(|line| line.bytes);
        let of_line = one.filter(|one| one.line != 0);
        let jumps = function.jumps_from(row.address).iter().map(|jump| {
            let fetches = one.and_then(|one| one.fetches);
            Jump {
                to: address(jump.to),
                conditional: jump.is_conditional,
                taken: jump.taken,
                executed: match jump.is_conditional {
                    true => fetches.unwrap_or(jump.executed),
                    false => jump.taken,
                },
            }
        });
        let calls = function.calls_from(row.address).iter().map(|call| Call {
            to: address(call.to),
            callee: Named::new(page, call.callee),
            count: call.count,
            inclusive: Cost::new(shown, &call.cost),
        });
        Instruction {
            address: address(row.address),
            file: of_line.map(|one| Bytes(page.profile.file(one.file))),
            line: of_line.map(|one| one.line),
            cost: Cost::new(shown, cost),
            executed: one.map_or(Some(0), |one| one.executions),
            skipped: one.map_or(0, |one| one.skipped),
            text: code.map(|line| Bytes(line.text)),
            bytes: bytes.filter(|bytes| !bytes.is_empty()).map(Bytes),
            jumps: jumps.collect(),
            calls: calls.collect(),
        }
    }
}

fn address(address: u64) -> String {
    format!("{address:#x}")
}
