// What there is without a function: the totals, and their parts; of a difference why they changed.

function overview() {
  if (series) {
    return overviewOfSeries();
  }
  const [now, was] = [at(totals), at(totalsBefore)];
  const d = delta(now, was);
  const v = data.verdict;

  const inlined = sum(
    rows.filter((r) => r.inlined === "all"),
    (r) => at(r.self),
  );

  const total = (name, i) => [
    diff ? cells(totals[i], totalsBefore[i]) : num(count(totals[i])),
    el("td", null, stateLink({ event: name }, name), dimmed(" " + longName(i))),
  ];

  return el(
    "div",
    null,
    el(
      "h2",
      null,
      `${bothSides(now, was)} ${state.event} `,
      diff && el("span", { class: worse(d) }, changeInWords(now, was)),
    ),
    el("div", { class: "dim" }, longName(eventAt)),
    v &&
      el(
        "p",
        { class: v.passed ? "down" : "up" },
        `${v.passed ? "ok" : "FAIL"} ${text(v.event)} ${count(v.base)} ` +
          `\u2192 ${count(v.new)} (limit ${v.limit}%)`,
      ),
    renamedFunctions(),
    whyAndWhere(),
    (data.why_notes ?? []).map((note) => el("p", null, withLinesLinked(text(note)))),
    changedOtherwise(),
    el(
      "p",
      { class: "dim" },
      "Select a function to see its callers, callees and source.",
      diff &&
        " A function that only one side has may have another name on the other: then the " +
          "inclusive costs of its callers say what changed.",
    ),
    data.record &&
      data.lines_heading == null &&
      el(
        "div",
        null,
        "Much is inlined code whose lines are not recorded. This records them:",
        copyable(data.record),
      ),
    el(
      "div",
      { class: "pair" },
      startTable(),
      threadTable(),
      shareTable("object", data.objects),
      shareTable("source file", data.files),
      events.length > 1 && table({ class: "calls" }, "Totals", null, events.map(total)),
      inlined > 0 &&
        el(
          "p",
          null,
          "Listed functions that are always inlined: ",
          stateLink({ q: "inlined:" }, `${figures(inlined, now)[0]} self`),
        ),
      el("p", { class: "dim help" }, "Press ? for keys."),
    ),
  );
}

// Which event a text is of, where that is not the event that is shown.
const ofFirstEvent = () => (state.event === firstEvent ? "" : `, of ${firstEvent}`);

// Reasons are in the order in which they explain the whole, which may not be that of their size.
function whyHeading(reasons) {
  const sizes = reasons.map(({ change }) => Math.abs(change));
  const isBySize = sizes.every((size, i) => i === 0 || size <= sizes[i - 1]);

  return isBySize ? "Why" : "Why (what explains the total best comes first)";
}

// Why rows of a difference changed, in the words of the text: all that have a reason, or those of a
// function. The name in front leads to its function.
const REASON_LETTERS = 72;

function reasonText(of = data.reasons ?? []) {
  const reason = ({ row, name, change, text: [first, ...others] }) => {
    const to = byId.get(row);
    const isName = to && first.startsWith(text(name));

    return [
      `${signed(change)}  `,
      isName ? [link(to, REASON_LETTERS * letterWidth), first.slice(text(name).length)] : first,
      others.map((line) => ["\n    ", withLinesLinked(line)]),
      "\n",
    ];
  };

  return of.length > 0 && el("pre", { class: "why" }, of.map(reason));
}

function reasonsOf(r) {
  const own = (data.reasons ?? []).filter(({ row }) => (r.ids ?? [r.id]).includes(row));
  // Other reasons are not above it.
  const alone = (line) => line.replace(", as above: ", ": ");
  const list = reasonText(own.map((reason) => ({ ...reason, text: reason.text.map(alone) })));

  return list && [el("h3", null, "Why the self cost changed", ofFirstEvent()), list];
}

// Why the rows changed, and where the sources did: that first if nothing else explains the rows.
function whyAndWhere() {
  const [all, executed, outside, unchanged] = changedPlaces();
  const changed = [all, executed, outside];
  const codes = ({ code, callers_code, cost_code }) => [code, callers_code, cost_code];
  const areExplained = data.reasons?.some(
    (of) => of.part_of || codes(of).some((code) => code?.places.length > 0),
  );
  const reasons = data.reasons?.length > 0 && [
    el("h3", null, whyHeading(data.reasons), ofFirstEvent()),
    reasonText(),
  ];

  return [...(areExplained ? [reasons, changed] : [changed, reasons]), unchanged];
}

// Where the sources changed, by the change of what the lines cost with all that they call; then
// the changed lines that no reason names, and the lines that are the same on both sides.
function changedPlaces() {
  const line = (sign, place, all) => [
    `    ${sign} `,
    linkToLine(sign === "-" ? inNew(place) : place, placeOfLine(place)),
    all && ` (of ${all.join("-")})`,
    `  ${text(place.text)}\n`,
  ];
  // The page has both sides of a source below its name in NEW.
  const places = ["changed_places", "changed_and_executed", "changed_declarations"];
  // Lines of several places may be of several sources.
  const pairs = places
    .flatMap((key) => data[key] ?? [])
    .filter((of) => of.removed && of.added && !of.other_places);
  const newNames = new Map(pairs.map(({ removed, added }) => [text(removed.file), added.file]));
  const inNew = (removed) => ({
    ...removed,
    file: newNames.get(text(removed.file)) ?? removed.file,
    line: -removed.line,
  });
  const lines = ({ removed, added, ...of }, sign) => [
    removed && line("-", removed, of.removed_lines),
    added && line(sign, added, of.added_lines),
    of.other_places &&
      `      and ${count(of.other_places)} more place${of.other_places === 1 ? "" : "s"} of its function\n`,
  ];
  const lacksInlined = data.changed_places?.some((of) => of.lacks_inlined);
  const withChange = ({ change }) => `${signed(change)}\n`;
  const block = (heading, places = [], lead = null, sign = "+") =>
    places.length > 0 && [
      el("h3", null, heading, ofFirstEvent()),
      el(
        "pre",
        { class: "why" },
        places.map((place) => [lead?.(place), lines(place, sign)]),
      ),
    ];

  return [
    block(
      `Changed lines, with all that they call${lacksInlined ? ", without what is inlined at them" : ""}`,
      data.changed_places,
      withChange,
    ),
    block("Changed lines that were executed", data.changed_and_executed),
    block("Changed lines outside functions", data.changed_declarations),
    block(
      "Lines whose text is not changed, with all that they call",
      data.unchanged_lines?.map((of) => ({ change: of.change, added: of.at })),
      withChange,
      " ",
    ),
  ];
}

// What changed of a row in all: a function that only one side has costs on the other what its
// lines do in another row.
function changeInAll(r) {
  const part = elsewhereOf(r);
  const change = delta(at(r.self), at(r.self0));

  if (state.event !== firstEvent) {
    return change;
  }
  return part ? part.all_rows : delta(change, sum(linesHereOf(r), changeThere));
}

// Of a difference the functions that changed most against its direction: reasons are those of the
// largest changes, which may all be one way.
function changedOtherwise() {
  const all = delta(at(totals), at(totalsBefore));
  // A total that did not change has no direction.
  const isOther = (n) => (all ? n * all < 0 : n);
  const list = rows.filter((r) => isOther(changeInAll(r)));
  const more = all > 0 ? "became cheaper" : "became more expensive";
  const row = (r) => {
    const notes = notesOnLinesElsewhere(r);
    const change = changeInAll(r);

    return [
      num(count(at(r.self0)), "more"),
      num(count(at(r.self)), "minor"),
      notes.length && state.event === firstEvent
        ? [num(signed(change), worse(change)), num("moved", `${worse(change)} percent`)]
        : changeCells(at(r.self), at(r.self0), elsewhereInWords(r)),
      el(
        "td",
        null,
        link(r),
        notes.map((note) => el("div", { class: "dim places" }, note)),
      ),
    ];
  };

  list.sort((a, b) => Math.abs(changeInAll(b)) - Math.abs(changeInAll(a)));
  return (
    diff &&
    list.length > 0 &&
    longTable(
      `What ${all ? more : "changed"}, by self cost`,
      [...costTitles(), ["Function"]],
      list.map((r) => () => el("tr", null, row(r))),
      5,
    )
  );
}

// The functions that have another name than before: the first ones.
function renamedFunctions() {
  const list = rows.filter((r) => nameBefore(r));
  const first = list.slice(0, 12);
  const name = (r, i) => [i > 0 && ", ", nameBefore(r), " \u2192 ", link(r, Infinity)];
  const more = list.length > first.length && ` and ${count(list.length - first.length)} more`;

  return list.length > 0 && el("p", null, "Renamed: ", first.map(name), more);
}

// What ran before and after main, and what it led to.
const aroundMain = () => {
  const { main, apart, starts = [], ...of } = data.start_up ?? {};
  const named = (name) => {
    const r = rows.find(({ short }) => short === text(name));

    return r ? link(r) : text(name);
  };
  const names = (all) => all.slice(0, 3).map((name, i) => [i > 0 && ", ", named(name)]);
  const more = starts.length > 3 && `, ${count(starts.length - 3)} more`;
  const parts = [
    [["before main (start-up): ", names(of.called_before ?? [])], of.before_main],
    ["main, with all that it calls", main],
    ["after main: exit", of.after_main],
    [
      [
        "apart: ",
        names(starts),
        more,
        ", which no function is recorded to call (as a thread or a signal handler)",
      ],
      apart,
    ],
  ];

  return parts.filter(([, costs]) => at(costs) > 0).map(([what, costs]) => [what, at(costs)]);
};

const startTable = () =>
  aroundMain().length > 0 &&
  table(
    { class: "calls" },
    "Before and after main",
    null,
    aroundMain().map(([what, cost]) => [bar(cost, at(totals), "incl"), el("td", null, what)]),
  );

function threadTable() {
  const list = hasThreads ? threadsAsRows().sort(byCost) : [];
  const row = (of) => [
    bar(at(of.self), at(totals), "self"),
    el("td", null, stateLink({ by: "thread", group: of.name, view: "list" }, of.name)),
  ];

  return (
    list.length > 0 &&
    longTable(
      "Cost by process or thread",
      null,
      list.map((of) => () => el("tr", null, row(of))),
      12,
    )
  );
}

// The largest parts of the self cost of the whole; a click searches for the functions.
function shareTable(what, sums) {
  const list = sums
    .map(([name, now, was]) => [text(name), delta(at(now), at(was))])
    .filter((x) => x[1]);

  list.sort((a, b) => Math.abs(b[1]) - Math.abs(a[1]));

  const row = ([name, n], label = baseName(name) || "(unknown)") =>
    el(
      "tr",
      null,
      diff ? num(signed(n), worse(n)) : bar(n, at(totals), "self"),
      el(
        "td",
        { title: name },
        name && searchedPlaces().has(name) ? stateLink({ q: name }, label) : label,
      ),
    );

  return (
    list.length > 1 &&
    longTable(
      `${diff ? "Change of self" : "Self"} cost by ${what}`,
      null,
      list.map((x) => () => row(x)),
      8,
    )
  );
}
