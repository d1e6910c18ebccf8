// The lines of a source with costs or calls, and the text around them.

// The texts of sources that were found, by path.
const sources = lazily(
  () => new Map(written("sources").map((source) => [pathOf(source.file), source])),
);

const nameOfPart = (r, file) => (file.file == null ? r.file : pathOf(file.file));

// The files with code of a function. Those whose sources were not found, if they are several, are
// behind the others as one.
function sourceParts(r, files, hottest) {
  const parts = (list) => list.map((file) => sourcePart(r, file, hottest));
  const [known, unknown] = [true, false].map((isKnown) =>
    files.filter((file) => sources().has(nameOfPart(r, file)) === isKnown),
  );

  if (unknown.length < 2) {
    return parts(files);
  }
  const self = sum(unknown, (file) => at(file.self));
  const self0 = sum(unknown, (file) => at(file.self0));
  const names = unknown.map((file) => baseName(nameOfPart(r, file))).join(", ");

  return [
    parts(known),
    el(
      "details",
      { class: "file" },
      el(
        "summary",
        null,
        el(
          "h3",
          null,
          `${unknown.length} files whose sources were not found `,
          dimmed(`${bothSides(self, self0)} ${state.event} \u00b7 ${names}`),
        ),
      ),
      parts(unknown),
    ),
  ];
}

// A file, closed if it is a small part of r; its lines are made when it is opened.
function sourcePart(r, file, hottest) {
  const name = nameOfPart(r, file);
  const found = sources().get(name);
  const cost = at(file.self) || 0;

  const notes = [
    `${bothSides(cost, at(file.self0))} ${state.event}`,
    !found && "the source was not found",
    found && text(found.path) !== name && `read from ${text(found.path)}`,
    found && found.caveat,
  ];

  const details = el(
    "details",
    {
      class: "file",
      open: found != null && (name === r.file || cost * 10 >= (at(r.self) || 0)),
      ontoggle: () => fill(),
    },
    el("summary", null, el("h3", null, name + " ", dimmed(joined(notes, " \u00b7 ")))),
    el(
      "p",
      null,
      stateLink(
        { file: name, f: state.f },
        found ? "Whole file" : "All lines of the file with costs",
      ),
      editorLink(found, 1, "Open in the editor", ", "),
    ),
  );

  const fill = () => {
    if (details.open && !details.children[2]) {
      details.append(...lineTable(withInlined(name, file, found, [r]), name, found, hottest));
    }
  };

  return (fill(), details);
}

// The address that opens a line of a source in the editor that --editor names.
function editorAddress(found, line) {
  const path = found.path.text ?? found.path;
  const whole = path.startsWith("/") ? path : `${text(data.folder)}/${path}`;

  const encoded = whole.split("/").map(encodeURIComponent).join("/");

  // A path begins with a slash, and perhaps what is before it ends with one.
  return data.editor
    .replace(/(?<=[^/])\/\{path\}|\{path\}/, () => encoded)
    .replace("{line}", String(line));
}

const editorLink = (found, line, label, before) =>
  data.editor && found && [before, el("a", { href: editorAddress(found, line) }, label)];

// The calls of a line, where those of one function are one.
function callsOf(list) {
  const key = (call) => {
    const to = byId.get(call.id);

    return [to?.id, isWithin(call.from, to), call.inlined, call.copyOf, call.others].join();
  };

  return [...Map.groupBy(list, key).values()].map((calls) =>
    calls.length === 1 ? calls[0] : sumOfCalls(calls),
  );
}

function sumOfCalls(calls) {
  const of = (side, counts) => {
    const inclusive = [];
    const nested = sum(calls, (call) => side(call).nested);

    calls.forEach((call) => addTo(inclusive, side(call).inclusive));
    return { [counts]: sum(calls, (call) => side(call)[counts]), inclusive, nested };
  };

  return diff
    ? { ...calls[0], new: of((call) => call.new, "calls"), base: of((call) => call.base, "calls") }
    : { ...calls[0], ...of((call) => call, "count") };
}

// How many lines are shown around those with costs or calls.
const NEAR = 5;

// The texts of these ranges of lines by their numbers.
const textsOf = (ranges) =>
  new Map(ranges.flatMap(([from, list]) => list.map((line, i) => [from + i, line])));

// The lines of a file with costs or calls, and text around them, or all of them. Removed ones
// follow the line that they were after.
function linesOf(file, found, isWhole) {
  const { ranges = [], added = [], removed = [] } = found || {};
  const all = new Map();
  const isAdded = new Set(added);

  const texts = textsOf(ranges);
  const gone = new Map(removed.map(([before, number, s]) => [number, { at: before, text: s }]));

  const make = (number, old) => ({
    number,
    old,
    at: number,
    calls: [],
    ...(old ? gone.get(number) : { text: texts.get(number), isAdded: isAdded.has(number) }),
  });

  const get = (number, old) => {
    const key = old + number;

    if (!all.has(key)) {
      all.set(key, make(number, old));
    }
    return all.get(key);
  };

  const place = (x) =>
    x.line == null && x.base_line ? get(x.base_line, "-") : get(x.line || 0, "");

  for (const x of file.lines) {
    place(x).cost = [at(after(x).self), diff ? at(x.base.self) : null];
    place(x).costs = after(x).self;
  }
  for (const x of file.calls || []) {
    place(x).calls.push(x);
  }
  for (const number of isWhole ? texts.keys() : []) {
    get(number, "");
  }
  for (const line of all.values()) {
    line.calls = callsOf(line.calls);
  }
  for (const { at: number } of [...all.values()]) {
    for (let near = number - NEAR; near <= number + NEAR; near++) {
      if (number && texts.has(near)) {
        get(near, "");
      }
    }
  }
  for (const [number, { at: before }] of gone) {
    if (all.has(String(before))) {
      get(number, "-");
    }
  }
  const sorted = [...all.values()].sort(
    (a, b) => a.at - b.at || a.old.length - b.old.length || a.number - b.number,
  );

  joinChanges(sorted);
  return sorted;
}

// Gives lines that follow each other and that only one side of a difference has their change, which
// is one.
function joinChanges(lines) {
  let change = null;

  for (const x of lines) {
    change = kindOfLine(x) ? (change ?? { lines: [], cost: 0 }) : null;
    if (change) {
      change.lines.push(x);
      change.cost = plus(change.cost, costChange(x));
      x.change = change;
    }
  }
}

// The change of what a line costs, with the calls that have costs of their own.
function costChange(x) {
  const calls = x.calls.filter((call) => !isWithin(call.from, byId.get(call.id)));

  return plus(delta(...(x.cost || [])), sum(calls, paidFor));
}

// The first lines of functions with code of other files, by the ids of their rows.
const firstLines = lazily(() => new Map(data.first_lines));

// What a function spends in code of other files, with its calls, at the first line of its own file:
// it is not recorded at which lines that code is inlined.
function inlinedFromOthers(r) {
  const line = (r.ids ?? [r.id]).map((id) => firstLines().get(id)).find(Boolean);
  const others = [...r.parts.values()].filter((part) => part.file != null);
  const inclusive = [];

  for (const part of others) {
    addTo(inclusive, part.self);
    part.calls?.forEach((call) => addTo(inclusive, call.inclusive));
  }
  return line && at(inclusive) > 0
    ? [{ from: r, line, inlined: true, others: others.length, inclusive }]
    : [];
}

// The code of a file with what is inlined at its lines in the code of these rows, which is where
// the cost of code from other files is spent.
function withInlined(name, file, found, owners) {
  if (!found?.inlined) {
    const own = diff ? [] : owners.filter((r) => r.file === name && r.parts.has(name));
    const calls = own.flatMap(inlinedFromOthers);

    return { ...file, owners, calls: [...(file.calls ?? []), ...calls] };
  }
  found.inlinedByRow ??= Map.groupBy(found.inlined, ([id]) => id);
  const ids = owners.flatMap((r) => r.ids ?? [r.id]);
  const byCopy = Map.groupBy(
    ids.flatMap((id) => found.inlinedByRow.get(id) ?? []),
    ([, line, name]) => `${line} ${name}`,
  );
  // In all rows together it may cost less than in each of them.
  found.onceByCopy ??= Map.groupBy(found.inlined_once ?? [], ([line, name]) => `${line} ${name}`);
  const copies = [...byCopy].map(([key, list]) => {
    const inclusive = [];
    const [[, line, name]] = list;
    const once = ids.length > 1 && found.onceByCopy.get(key);
    const costs = once ? once.map(([, , cost]) => cost) : list.map(([, , , cost]) => cost);

    costs.forEach((cost) => addTo(inclusive, cost));
    return { line, copyOf: text(found.inlined_names[name]), inlined: true, inclusive };
  });

  return { ...file, owners, calls: [...(file.calls || []), ...copies] };
}

const paidFor = (call) => delta(at(after(call).inclusive), diff && at(call.base.inclusive));

// What a line has of the cost: its own, and that of what is inlined there. A copy may be inlined in
// another one of the same line, which then has all of its cost. Code of other files has lines of
// its own there. In a difference how much it changed: lines that took the place of others, together
// with these.
function weight(x) {
  if (diff) {
    return Math.abs(x.change?.cost ?? costChange(x));
  }
  const [copies, calls] = [true, false].map((isCopy) =>
    x.calls.filter((call) => call.inlined && !call.others && (call.copyOf != null) === isCopy),
  );

  return (x.cost?.[0] || 0) + sum(calls, paidFor) + Math.max(0, ...copies.map(paidFor));
}

// The largest weight of a line in these parts of files, in those whose sources were found if there
// are any: others have no text.
function largestWeight(parts, owners) {
  const known = parts.filter(([name]) => sources().has(name));
  const lines = (known.length > 0 ? known : parts).flatMap(([name, part]) => {
    const found = sources().get(name);

    return linesOf(withInlined(name, part, found, owners), found);
  });

  return largestOf(lines, weight);
}

// Where among lines one is, or else the last one before it; a negative number is that of a line
// that only BASE has.
const placeAmong = (lines, number) =>
  number < 0
    ? lines.findIndex((x) => x.old && x.number === -number)
    : lines.findLastIndex((x) => !x.old && x.number <= number);

// The largest number of lines of a table.
const MAX_SHOWN = 3000;

// Which of its file's lines a table has: the first ones, or those around the one that is sought.
function shownLines(number, sought) {
  const from = Math.min(number - MAX_SHOWN, sought - MAX_SHOWN / 2);

  return { from: Math.max(0, from), to: Math.max(0, from) + MAX_SHOWN };
}

// The lines as a table, in which one may be sought, behind what its numbers of calls mean.
function lineTable(file, name, found, hottest, isWhole, soughtLine) {
  const all = linesOf(file, found, isWhole);
  const sought = soughtLine ? placeAmong(all, soughtLine) : -1;
  const { from, to } = shownLines(all.length, sought);
  const out = [];
  const key = (call) => abs(at(after(call).inclusive));
  const byLine = instructionsByLine(name, found, file.owners ?? []);

  const gap = (note) =>
    out.push(el("tr", { class: "gap" }, el("td", { colspan: diff ? 6 : 4 }, note)));

  if (from > 0) {
    gap(`${count(from)} lines before these are not shown`);
  }
  for (const [i, x] of [...all.entries()].slice(from, to)) {
    if (found && i > from && all[i - 1].at && x.at > all[i - 1].at + 1) {
      gap(`\u22ee ${x.at - all[i - 1].at - 1} lines`);
    }
    const [now, was] = x.cost || [];
    const own = weight(x);
    const heat = diff ? 0 : Math.round(70 * Math.min(1, own / hottest));

    out.push(
      el(
        "tr",
        {
          style: { "--heat": `color-mix(in srgb, var(--self) ${heat}%, transparent)` },
          class: joined(
            [
              kindOfLine(x),
              !kindOfLine(x) && heat > 10 && "hot",
              own === hottest && (now > 0 ? "top costly" : "top"),
              i === sought && "sought",
            ],
            " ",
          ),
        },
        x.cost ? cells(now, was, at(totals), "self", hottest) : blanks(),
        numberCell(x, found, byLine),
        el("td", { class: "t" }, contentOf(x), heat > 10 && rateOfLine(x)),
      ),
    );
    const indent = /^\s*/.exec((x.text || "").replace(/\t/g, "    "))[0].length;
    const hasCalls = x.calls.some((call) => !call.inlined);
    for (const call of x.calls.sort((a, b) => delta(key(b), key(a)))) {
      out.push(callLine(call, indent, hasCalls));
    }
    if (x.change?.lines.at(-1) === x) {
      out.push(...sumOfChange(x.change.lines));
    }
  }
  if (all.length > to) {
    gap(`${count(all.length - to)} more lines are not shown`);
  }
  const hint = el("span", { class: "help" }, " (\u25b8 shows a line's instructions)");
  const hasNestedCalls = all.some(({ calls }) => calls.some((call) => numbersOf(call).nested > 0));
  const lines = el(
    "div",
    {
      class: "src",
      tabindex: 0,
      role: "region",
      "aria-label": "source of " + name,
    },
    table(
      null,
      null,
      [...costTitles(SELF_OF_ALL), ["Line", ""], [["Source", byLine.size > 0 && hint]]],
      out,
    ),
  );

  return [...(hasNestedCalls ? [el("p", { class: "dim" }, NESTED_CALLS)] : []), lines];
}

// What lines that took the place of others cost themselves, together with these.
function sumOfChange(lines) {
  const [now, was] = [0, 1].map((side) => sum(lines, ({ cost }) => cost?.[side]));
  const said = "\u2211 of these changed lines";

  return now && was
    ? [el("tr", { class: "call" }, cells(now, was), el("td", { class: "n" }), el("td", null, said))]
    : [];
}

// Whether only one side of a difference has a line.
function kindOfLine(x) {
  if (x.old) {
    return "removed";
  }
  return x.isAdded ? "added" : "";
}

// Behind the text of an expensive line how many of its accesses or branches miss, if the event is
// that of misses.
function rateOfLine({ costs }) {
  const rate = !diff && costs && rateOf(kindOfMisses(state.event), costs);

  return rate && dimmed(`  ${rate}`);
}

// The text of a line, or why there is none.
function contentOf(x) {
  if (x.text != null) {
    return text(x.text);
  }
  if (x.old) {
    return "(removed)";
  }
  return x.number ? "" : "(line unknown)";
}

// The number of a line, which opens it in an editor.
function numberOf(x, found) {
  const sign = { removed: "\u2212", added: "+", "": "" }[kindOfLine(x)];
  const number = sign + (x.number || "?");

  return (!x.old && x.number && editorLink(found, x.number, number)) || number;
}

// Whether a call has a cost at its line. Within a cycle or a function it has one where that is part
// of no other call, which is not known of calls between contexts that are one row.
const hasCost = (call, to) =>
  !isWithin(call.from, to) ||
  (call.from.ids == null &&
    [after(call), call.base].some((side) => side && at(side.inclusive) != null));

// How many calls of a line there are, and how many of these are nested, if others have a cost.
function numbersOf(call) {
  const { inlined } = call;
  const isWithCost = hasCost(call, byId.get(call.id));
  const nestedOf = (x) => (isWithCost && x.nested) || 0;

  if (!diff) {
    return { count: call.count, nested: nestedOf(call), inlined };
  }
  return {
    count: call.new.calls,
    nested: nestedOf(call.new),
    count0: call.base.calls,
    nested0: nestedOf(call.base),
    inlined,
  };
}

// The cells of a call's cost.
function cellsOfCall(call, to) {
  if (!hasCost(call, to)) {
    return cellsWithin(call.from, to);
  }
  if (diff) {
    return cells(at(call.new.inclusive), at(call.base.inclusive));
  }
  return figures(at(call.inclusive), at(totals)).map((n, i) => num(n, i ? "more" : ""));
}

// The end of a long name says most.
function nameOfCopy(name) {
  const end = bareName(name).split("::").filter(Boolean).slice(-2).join("::");

  return name.length > 30 && end ? el("span", { title: name }, end) : name;
}

// What is called or inlined at a line, if that is no row.
function nameOfUnknown({ copyOf, others }) {
  if (others) {
    const files = others === 1 ? "another file" : `${count(others)} other files`;

    return `code of ${files}, inlined, with its calls`;
  }
  return copyOf == null ? UNLISTED + "," : nameOfCopy(copyOf);
}

// A row below a line. What is inlined there has the cost of its calls, which have rows beside it.
function callLine(call, indent, hasCalls) {
  const to = byId.get(call.id);

  const numbers = numbersOf(call);
  // Where only some are nested, their numbers say so.
  const isNested = isWithin(call.from, to) && hasCost(call, to) && !arePartlyNested(numbers);

  return el(
    "tr",
    { class: "call" },
    cellsOfCall(call, to),
    el("td", { class: "n" }),
    el(
      "td",
      { class: "t" },
      " ".repeat(Math.min(indent, 24) + 2) + "\u21b3 ",
      to ? link(to) : nameOfUnknown(call),
      call.others ? "" : " " + timesOf(numbers),
      call.copyOf != null && hasCalls && ", with the calls that it makes",
      isNested && `, ${kindWithin(call.from, to)}: the cost is of the outermost calls`,
    ),
  );
}
