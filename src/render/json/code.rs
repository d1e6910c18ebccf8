//! The instructions of functions, as with `--asm`.

use std::borrow::Cow;
use std::collections::HashSet;
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
use crate::view::asm::PageRow;

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
    /// The number of calls; null if it is not known.
    count: Option<Number>,
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

/// The instructions of a function for the page, which looks up names by the rows' ids.
#[derive(Serialize)]
struct PageCode<'a> {
    id: usize,
    state: &'static str,
    /// The source files of its instructions.
    files: Vec<Name<'a>>,
    instructions: Vec<PageInstruction<'a>>,
}

#[derive(Serialize)]
struct PageInstruction<'a> {
    address: Address,
    /// The index of its file and its line, if they are known.
    #[serde(skip_serializing_if = "Maybe::is_absent")]
    place: Maybe<(usize, u32)>,
    /// Whether it does not follow the instruction before it in the list.
    #[serde(skip_serializing_if = "Maybe::is_absent")]
    gap: Maybe<bool>,
    /// Its cost, if it was executed.
    #[serde(rename = "self", skip_serializing_if = "Maybe::is_absent")]
    own: Maybe<Cost<'a>>,
    #[serde(skip_serializing_if = "Maybe::is_absent")]
    executed: Maybe<Number>,
    /// The mnemonic and operands, if they are known.
    #[serde(skip_serializing_if = "Maybe::is_absent")]
    text: Maybe<PageText>,
    /// Where it jumped to, how often, and how often it was executed.
    #[serde(skip_serializing_if = "Maybe::is_absent")]
    jumps: Maybe<Vec<(Address, Number, Number)>>,
    #[serde(skip_serializing_if = "Maybe::is_absent")]
    calls: Maybe<Vec<PageCall<'a>>>,
}

/// The id of the row of what was called, or else the name; the number of calls and their inclusive
/// cost.
type PageCall<'a> = (Option<usize>, Option<PageText>, Option<Number>, Cost<'a>);

#[derive(Serialize)]
#[serde(transparent)]
struct PageText(#[serde(serialize_with = "as_name")] Vec<u8>);

/// Writes the instructions of a function for the page. `row_of` is the id of a function's row, if
/// it is listed; nothing is written of a function that is not.
pub fn write_page_function(
    page: &AsmPage<'_>,
    row_of: impl Fn(FunctionId) -> Option<usize>,
    style: Style<'_>,
    out: &mut Vec<u8>,
) -> io::Result<()> {
    let Some(id) = row_of(page.function.function) else {
        return Ok(());
    };
    let mut files: Vec<&[u8]> = Vec::new();
    let starts: HashSet<usize> =
        page.page.stretches.iter().skip(1).map(|stretch| stretch.start).collect();
    let instructions = page
        .page
        .rows
        .iter()
        .enumerate()
        .map(|(number, row)| {
            let known = Instruction::of(page, row, style.shown);
            let place = known.file.zip(known.line).map(|(Name(file), line)| {
                let at = files.iter().position(|known| *known == file).unwrap_or_else(|| {
                    files.push(file);
                    files.len() - 1
                });
                (at, line)
            });
            let callees = page.function.calls_from(row.address).iter().map(|call| call.callee);
            let jumps = known.jumps.into_iter().map(|jump| (jump.to, jump.taken, jump.executed));
            let calls = known.calls.into_iter().zip(callees).map(|(call, callee)| {
                let row = row_of(callee);
                let name = row.is_none().then(|| PageText(call.callee.function.into_owned()));
                (row, name, call.count, call.inclusive)
            });
            PageInstruction {
                address: known.address,
                place: place.into(),
                gap: starts.contains(&number).then_some(true).into(),
                own: row.instruction.map(|_| known.own).into(),
                executed: known.executed.filter(|Number(count)| *count != 0).into(),
                text: page.text(row.code).map(PageText).into(),
                jumps: some_of(jumps.collect()).into(),
                calls: some_of(calls.collect()).into(),
            }
        })
        .collect();
    let files = files.into_iter().map(Name).collect();
    write_value(&PageCode { id, state: page.object.state(), files, instructions }, style.unit, out)
}

/// Writes the rows whose instructions the page lacks, with the numbers of these, as a member.
pub fn write_json_code_left_out(
    left_out: &[(usize, usize)],
    out: &mut impl Write,
) -> io::Result<()> {
    let mut text = b",\"code_left_out\":".to_vec();
    write_value(&left_out, 1, &mut text)?;
    out.write_all(&text)
}

/// None of an empty list.
fn some_of<T>(list: Vec<T>) -> Option<Vec<T>> {
    Some(list).filter(|list| !list.is_empty())
}

impl<'a> FunctionNames<'a> {
    fn of(page: &AsmPage<'a>, function: FunctionId) -> FunctionNames<'a> {
        let view::Label { object, file, name, .. } = page.label(function);
        FunctionNames { object: object.map(Name), file: file.map(Name), function: name }
    }
}

impl<'a> Instruction<'a> {
    fn of(page: &AsmPage<'a>, row: &PageRow, shown: &'a [usize]) -> Instruction<'a> {
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
            count: call.count.map(Number),
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
