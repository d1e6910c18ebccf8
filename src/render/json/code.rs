//! The instructions of functions: what `--asm` shows, as JSON.

use std::io::{self, Write};

use serde::Serialize;

use super::{Bytes, Cost, write_value};
use crate::profile::{Count, FunctionId};
use crate::render::asm::AsmPage;
use crate::view::Label;
use crate::view::asm::{CallFrom, ObjectState, Row};

#[derive(Serialize)]
struct Function<'a> {
    object: Option<Bytes<'a>>,
    file: Bytes<'a>,
    function: Bytes<'a>,
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
    object: Option<Bytes<'a>>,
    file: Bytes<'a>,
    #[serde(serialize_with = "name")]
    function: std::borrow::Cow<'a, [u8]>,
    count: i64,
    inclusive: Cost<'a>,
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde calls it so")]
fn is_zero(number: &i64) -> bool {
    *number == 0
}

/// Writes a name, which may have been demangled.
pub(in crate::render) fn name<S: serde::Serializer>(
    name: &[u8],
    serializer: S,
) -> Result<S::Ok, S::Error> {
    Bytes(name).serialize(serializer)
}

/// Writes one function as JSON.
pub fn write_json_function(
    page: &AsmPage<'_>,
    object: &ObjectState,
    (shown, unit): (&[usize], i64),
    out: &mut impl Write,
) -> io::Result<()> {
    let own = page.function.own();
    let nothing = vec![Count::UNDEFINED; own.len()];
    let label = page.label(page.function.function);
    let Label::Function {
        file,
        name,
        object: object_name,
        ..
    } = &label
    else {
        return Ok(());
    };
    let writer = Writer {
        page,
        shown,
        nothing: &nothing,
    };
    let function = page.profile.function(page.function.function);
    let value = Function {
        object: object_name.map(Bytes),
        file: Bytes(file),
        function: Bytes(name),
        symbol: Bytes(page.profile.name(function.name)),
        cost: writer.cost(&own),
        code: Code {
            state: object.state,
            path: object.path.as_deref().map(Bytes),
            matching: object.matching,
            recorded: object.recorded,
        },
        instructions: page
            .page
            .rows
            .iter()
            .map(|row| writer.instruction(row))
            .collect(),
    };
    write_value(&value, unit, out)
}

struct Writer<'a> {
    page: &'a AsmPage<'a>,
    shown: &'a [usize],
    nothing: &'a [Count],
}

impl<'a> Writer<'a> {
    fn cost(&self, cost: &'a [Count]) -> Cost<'a> {
        Cost {
            shown: self.shown,
            cost,
        }
    }

    fn instruction(&self, row: &Row) -> Instruction<'a> {
        let function = self.page.function;
        let code = row.code.and_then(|number| self.page.code?.get(number));
        let known = row
            .instruction
            .map(|number| (&function.instructions[number], function.cost(number)));
        let line = known.map(|(one, _)| one.line).filter(|&line| line != 0);
        let file = known.filter(|_| line.is_some()).map(|(one, _)| one.file);
        let fetches = known.and_then(|(one, _)| one.fetches);
        let jumps = function.jumps_from(row.address).iter().map(|jump| Jump {
            to: address(jump.to),
            conditional: jump.is_conditional,
            taken: jump.taken,
            executed: match jump.is_conditional {
                true => fetches.unwrap_or(jump.executed),
                false => jump.taken,
            },
        });
        let calls = function
            .calls_from(row.address)
            .iter()
            .map(|call| self.call(call));
        Instruction {
            address: address(row.address),
            file: file.map(|file| Bytes(self.page.profile.file(file))),
            line,
            cost: self.cost(known.map_or(self.nothing, |(_, cost)| cost)),
            executed: match known {
                Some((one, _)) => one.executions,
                None => Some(0),
            },
            skipped: known.map_or(0, |(one, _)| one.skipped),
            text: code.map(|line| Bytes(line.text)),
            bytes: code
                .filter(|line| !line.bytes.is_empty())
                .map(|line| Bytes(line.bytes)),
            jumps: jumps.collect(),
            calls: calls.collect(),
        }
    }

    fn call(&self, call: &'a CallFrom) -> Call<'a> {
        let (object, file, function) = self.names(call.callee);
        Call {
            to: address(call.to),
            object,
            file,
            function,
            count: call.count,
            inclusive: self.cost(&call.cost),
        }
    }

    fn names(
        &self,
        function: FunctionId,
    ) -> (Option<Bytes<'a>>, Bytes<'a>, std::borrow::Cow<'a, [u8]>) {
        match self.page.label(function) {
            Label::Function {
                file, name, object, ..
            } => (object.map(Bytes), Bytes(file), name),
            _ => (None, Bytes(b""), b"".into()),
        }
    }
}

fn address(address: u64) -> String {
    format!("{address:#x}")
}
