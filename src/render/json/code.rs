//! The instructions of functions as JSON, as with `--asm`.

use std::io::{self, Write};

use super::{Cost, Json};
use crate::profile::FunctionId;
use crate::render::Style;
use crate::render::asm::AsmPage;
use crate::view::asm::Row;

pub fn write_json_function(
    page: &AsmPage<'_>,
    style: Style<'_>,
    out: &mut impl Write,
) -> io::Result<()> {
    let (function, object) = (page.function, page.object);
    let symbol = page.profile.function(function.function).name;
    let mut json = Json::new(style.unit);
    json.object(|json| {
        write_names(page, function.function, json);
        json.member("symbol", page.profile.name(symbol));
        json.member("self", Cost::new(style.shown, &function.own()));
        json.name("code").object(|json| {
            json.member("state", object.state());
            json.member("path", object.path.as_deref());
            json.member("matching", object.matching);
            json.member("recorded", object.recorded);
        });
        json.objects("instructions", &page.page.rows, |json, row| {
            write_instruction(page, row, style.shown, json)
        });
    });
    out.write_all(&json.text)
}

fn write_names(page: &AsmPage<'_>, function: FunctionId, json: &mut Json) {
    let label = page.label(function);
    json.member("object", label.object);
    json.member("file", label.file);
    json.member("function", &label.name[..]);
}

fn write_instruction(page: &AsmPage<'_>, row: &Row, shown: &[usize], json: &mut Json) {
    let function = page.function;
    let code = page.object.line(row.code);
    let one = row.instruction.map(|number| &function.instructions[number]);
    let cost = row.instruction;
    let cost = cost.map_or(&[][..], |number| function.cost(number));
    write_address("address", row.address, json);
    json.member("file", one.map(|one| page.profile.file(one.file)));
    json.member("line", one.map(|one| one.line).filter(|&line| line != 0));
    json.member("self", Cost::new(shown, cost));
    json.member("executed", one.map_or(Some(0), |one| one.executions));
    let skipped = one.map(|one| one.skipped);
    json.optional("skipped", skipped.filter(|&skipped| skipped != 0));
    json.member("text", code.map(|line| &line.text[..]));
    let bytes = code.map(|line| &line.bytes[..]);
    json.optional("bytes", bytes.filter(|bytes| !bytes.is_empty()));
    let jumps = function.jumps_from(row.address);
    json.objects("jumps", jumps, |json, jump| {
        let fetches = one.and_then(|one| one.fetches);
        write_address("to", jump.to, json);
        json.member("conditional", jump.is_conditional);
        json.member("taken", jump.taken);
        let executed =
            if jump.is_conditional { fetches.unwrap_or(jump.executed) } else { jump.taken };
        json.member("executed", executed);
    });
    let calls = function.calls_from(row.address);
    json.objects("calls", calls, |json, call| {
        write_address("to", call.to, json);
        write_names(page, call.callee, json);
        json.member("count", call.count);
        json.member("inclusive", Cost::new(shown, &call.cost));
    });
}

fn write_address(name: &str, address: u64, json: &mut Json) {
    json.member(name, &*format!("{address:#x}"));
}
