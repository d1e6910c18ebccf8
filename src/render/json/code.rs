//! The instructions of functions, as with `--asm`.

use std::borrow::Cow;
use std::io::{self, Write};

#[cfg(test)]
use schemars::JsonSchema;
use serde::Serialize;

use super::value::{Address, Cost, Maybe, Name, Number, as_name};
use super::writer::write_value;
use crate::profile::FunctionId;
use crate::render::Style;
use crate::render::asm::AsmPage;
use crate::view;
use crate::view::asm::Row;

/// The instructions of a function, with `--asm`.
#[derive(Serialize)]
#[cfg_attr(test, derive(JsonSchema), schemars(rename = "Function"))]
pub(super) struct FunctionCode<'a> {
    #[serde(flatten)]
    names: FunctionNames<'a>,
    /// The name in the profile.
    symbol: Name<'a>,
    /// The sum of the instructions' costs.
    #[serde(rename = "self")]
    own: Cost<'a>,
    code: Code<'a>,
    /// By address.
    instructions: Vec<Instruction<'a>>,
}

#[derive(Serialize)]
#[cfg_attr(test, derive(JsonSchema), schemars(inline))]
struct FunctionNames<'a> {
    /// The path of the program or library.
    object: Option<Name<'a>>,
    /// The source file.
    file: Option<Name<'a>>,
    /// The name, demangled.
    #[serde(serialize_with = "as_name")]
    #[cfg_attr(test, schemars(with = "Name<'static>"))]
    function: Cow<'a, [u8]>,
}

/// The file that has the instructions' texts.
#[derive(Serialize)]
#[cfg_attr(test, derive(JsonSchema))]
struct Code<'a> {
    /// Whether it was found; `changed` if it is not the file that was profiled.
    #[cfg_attr(test, schemars(extend("enum" = ["found", "missing", "changed", "unknown", "unreadable"])))]
    state: &'static str,
    path: Option<Name<'a>>,
    /// The number of recorded addresses at which it has an instruction.
    matching: usize,
    /// The number of recorded addresses.
    recorded: usize,
}

/// An instruction.
#[derive(Serialize)]
#[cfg_attr(test, derive(JsonSchema))]
struct Instruction<'a> {
    address: Address,
    /// The source file of its line; null if it was not executed.
    file: Option<Name<'a>>,
    /// Its source line; null if unknown.
    line: Option<u32>,
    #[serde(rename = "self")]
    own: Cost<'a>,
    /// How often it was executed; null if unknown.
    executed: Option<Number>,
    /// The Ir of the skipped code that it called, such as the dynamic linker.
    #[serde(skip_serializing_if = "Maybe::is_absent")]
    skipped: Maybe<Number>,
    /// The mnemonic and operands; null if unknown.
    text: Option<Name<'a>>,
    jumps: Vec<InstructionJump>,
    calls: Vec<InstructionCall<'a>>,
}

/// Jumps from an instruction.
#[derive(Serialize)]
#[cfg_attr(test, derive(JsonSchema))]
struct InstructionJump {
    to: Address,
    conditional: bool,
    /// How often it jumped.
    taken: Number,
    /// How often it was executed.
    executed: Number,
}

/// Calls from an instruction.
#[derive(Serialize)]
#[cfg_attr(test, derive(JsonSchema))]
struct InstructionCall<'a> {
    to: Address,
    #[serde(flatten)]
    callee: FunctionNames<'a>,
    /// The number of calls.
    count: Number,
    /// The inclusive cost of the calls, as recorded.
    inclusive: Cost<'a>,
}

pub fn write_json_function(
    page: &AsmPage<'_>,
    style: Style<'_>,
    out: &mut impl Write,
) -> io::Result<()> {
    let own = page.function.own();
    let (object, shown) = (page.object, style.shown);
    let symbol = page.profile.function(page.function.function).name;
    let function = FunctionCode {
        names: FunctionNames::of(page, page.function.function),
        symbol: Name(page.profile.name(symbol)),
        own: Cost::new(shown, &own),
        code: Code {
            state: object.state(),
            path: object.path.as_deref().map(Name),
            matching: object.matching,
            recorded: object.recorded,
        },
        instructions: page.page.rows.iter().map(|row| Instruction::of(page, row, shown)).collect(),
    };
    let mut text = Vec::new();
    write_value(&function, style.unit, &mut text)?;
    out.write_all(&text)
}

impl<'a> FunctionNames<'a> {
    fn of(page: &AsmPage<'a>, function: FunctionId) -> FunctionNames<'a> {
        let view::Label { object, file, name, .. } = page.label(function);
        FunctionNames { object: object.map(Name), file: file.map(Name), function: name }
    }
}

impl<'a> Instruction<'a> {
    fn of(page: &AsmPage<'a>, row: &Row, shown: &'a [usize]) -> Instruction<'a> {
        let function = page.function;
        let code = page.object.line(row.code);
        let one = row.instruction.map(|number| &function.instructions[number]);
        let cost = row.instruction.map_or(&[][..], |number| function.cost(number));
        let jumps = function.jumps_from(row.address).iter().map(|jump| {
            let fetches = one.and_then(|one| one.fetches).filter(|_| jump.is_conditional);
            let recorded = if jump.is_conditional { jump.executed } else { jump.taken };
            InstructionJump {
                to: Address(jump.to),
                conditional: jump.is_conditional,
                taken: Number(jump.taken),
                executed: Number(fetches.unwrap_or(recorded)),
            }
        });
        let calls = function.calls_from(row.address).iter().map(|call| InstructionCall {
            to: Address(call.to),
            callee: FunctionNames::of(page, call.callee),
            count: Number(call.count),
            inclusive: Cost::new(shown, &call.cost),
        });
        let skipped = one.map(|one| one.skipped).filter(|&skipped| skipped != 0);
        Instruction {
            address: Address(row.address),
            file: one.map(|one| Name(page.profile.file(one.file))),
            line: one.map(|one| one.line).filter(|&line| line != 0),
            own: Cost::new(shown, cost),
            executed: one.map_or(Some(0), |one| one.executions).map(Number),
            skipped: skipped.map(Number).into(),
            text: code.map(|line| Name(&line.text)),
            jumps: jumps.collect(),
            calls: calls.collect(),
        }
    }
}
