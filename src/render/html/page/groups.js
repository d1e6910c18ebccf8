// Groups of functions, as rows of the list: those of a source file, of an object, or of a
// namespace.

// The first part of a namespace: a crate, or a package with the folders in its name.
const outermost = (namespace) => /^(?:.*\/)?[^:.]*/.exec(namespace)[0];

// The self costs of these, on both sides of a difference. What functions of several namespaces cost
// with all that they call is not the sum.
const outermostSums = [
  ...Map.groupBy(series ? [] : data.namespaces, ([name]) => outermost(text(name))),
].map(([name, list]) => {
  const sides = [[], []];

  list.forEach(([, ...costs]) => sides.forEach((sums, i) => addTo(sums, costs[i])));
  return [name, ...sides];
});

// The processes and the threads that a profile has apart, with their parts.
const hasProcesses = new Set(data.parts.map(({ pid }) => text(pid))).size > 1;
const threads = [
  ...Map.groupBy(data.parts, ({ pid, thread }) =>
    joined([hasProcesses && `process ${text(pid)}`, thread && `thread ${text(thread)}`], ", "),
  ),
];
const hasThreads = !diff && !series && threads.length > 1;

// The functions that cost most in a thread, with what they cost there, the largest first.
const functionsOfThread = (i) =>
  (data.threads?.[i]?.functions ?? [])
    .map(([id, self]) => ({ row: byId.get(id), self }))
    .filter(({ row }) => row)
    .sort((a, b) => sizeOf(b.self) - sizeOf(a.self));

// What they cost, as rows.
const threadsAsRows = () =>
  threads.map(([name, parts], i) => {
    const self = [];

    parts.forEach((part) => addTo(self, part.total));
    return {
      ...groupOf(name, [], [self], i),
      ...{
        recorded: parts,
        functions: functionsOfThread(i),
        notes: data.threads?.[i]?.notes ?? [],
      },
    };
  });

// The threads that have stacks of their own, by name.
const stacksOfThreads = new Map(
  threads.flatMap(([name], i) => {
    const stacks = data.thread_stacks?.[i];

    return hasThreads && stacks ? [[name, stacks]] : [];
  }),
);

// Whether the profile has lines.
const hasLines =
  !series && recordedRows.some((r) => r.nested.some(({ lines }) => lines.some((x) => x.line > 0)));

// Whether some source is Rust's, whose outermost namespaces are crates.
const isRust = () => data.files.some(([name]) => text(name).endsWith(".rs"));

// What a row can be: the choice's title, the title of its column, what a function belongs to, and
// the groups' own costs, which have all functions, not only those that are listed.
const GROUPINGS = {
  function: { title: "Functions", one: "Function", of: null, sums: null },
  file: { title: "Files", one: "File", of: (r) => r.file, sums: data.files },
  object: {
    title: "Objects",
    also: " (libraries)",
    one: "Object",
    of: (r) => r.object,
    sums: data.objects,
  },
  namespace: {
    title: "Namespaces",
    one: "Namespace",
    of: (r) => r.namespace,
    sums: data.namespaces,
  },
  ...(!series &&
    outermostSums.length < data.namespaces.length && {
      outermost: {
        title: "Top namespaces",
        also: isRust() ? " (crates)" : "",
        one: "Namespace",
        of: (r) => outermost(r.namespace),
        sums: outermostSums,
        isSelfOnly: true,
      },
    }),
  ...(hasThreads && {
    thread: { title: "Threads", one: "Thread", rows: threadsAsRows, isSelfOnly: true },
  }),
  ...(hasLines && {
    own: {
      title: "Your lines",
      also: " (self)",
      one: "Line",
      rows: () => linesAsRows(isUsersFile),
      isSelfOnly: true,
      isOfLines: true,
    },
    line: {
      title: "Lines",
      also: " (self)",
      one: "Line",
      rows: () => linesAsRows(() => true),
      isSelfOnly: true,
      isOfLines: true,
    },
  }),
};

// The groups of each kind, as they are needed, for the rows that they are made of.
let grouped = { rows: null, kinds: new Map() };

// What the list has: functions, or groups.
function listed() {
  if (state.by === "function") {
    return rows;
  }
  if (grouped.rows !== rows) {
    grouped = { rows, kinds: new Map() };
  }
  if (!grouped.kinds.has(state.by)) {
    const kind = GROUPINGS[state.by];

    grouped.kinds.set(state.by, kind.rows?.() ?? groupsOf(kind));
  }
  return grouped.kinds.get(state.by);
}

// A number of functions, or of contexts of these if they are apart. Of contexts that are not listed
// it is not known of how many functions these are.
function functionsOrContexts(n, areUnlisted = false) {
  if (!hasContexts || !(areApart || areUnlisted)) {
    return functions(n);
  }
  return count(n) + (n === 1 ? " context" : " contexts");
}

// What the rows of the list are, in words, and all of them.
const rowsInWords = () => GROUPINGS[state.by].title.toLowerCase().replace(/^your /, "");
const allInWords = () =>
  `all ${GROUPINGS[state.by].title.toLowerCase().replace(/^your/, "of your")}`;

// How many rows there are, in words.
const rowCount = (n) =>
  state.by === "function"
    ? functionsOrContexts(n)
    : `${count(n)} ${rowsInWords().slice(0, n === 1 ? -1 : undefined)}`;

// The groups of a kind. What a file costs itself has all of its code, wherever it was inlined.
function groupsOf({ of, sums }) {
  const members = Map.groupBy(rows, of);
  const known = new Map((sums ?? []).map(([name, ...sides]) => [text(name), sides]));
  const names = new Set([...members.keys(), ...known.keys()]);

  return [...names].map((name, i) => groupOf(name, members.get(name) ?? [], known.get(name), i));
}

function groupOf(name, members, known, i) {
  const short = baseName(name) || (name ? "(unknown)" : "(none)");
  const [self, self0, incl, incl0, estimated] = known ?? [];

  return {
    ...{ id: `g${i}`, name: name || "(none)", members, calls: null },
    ...{ short, bare: short, alone: short, own: short, narrow: short, placed: short, suffix: "" },
    ...{ file: name, object: name, parts: new Map(), in: new Map(), out: new Map(), ratios: {} },
    ...(series
      ? ofSides(known ?? [])
      : { self: self ?? [], self0: self0 ?? [], incl: incl ?? [], incl0: incl0 ?? [] }),
    estimated: (!series && estimated) || [],
    files: [],
  };
}

// The lines of chosen files that cost something themselves, as rows.
function linesAsRows(isChosen) {
  const lines = new Map();

  for (const r of rows) {
    for (const [file, part] of r.parts) {
      for (const x of isChosen(file) ? part.lines : []) {
        // One that both sides have may have cost in different functions of them.
        const key = `${file}\n${x.line ?? -x.base_line}`;
        const known = lines.get(key) ?? { file, line: x, self: [], self0: [], owners: [] };

        lines.set(key, known);
        addTo(known.self, after(x).self);
        addTo(known.self0, diff && x.base.self);
        known.owners.push(r);
      }
    }
  }
  const texts = new Map(
    [...sources()].map(([file, { ranges, removed = [] }]) => [
      file,
      {
        now: lazily(() => textsOf(ranges)),
        gone: lazily(() => new Map(removed.map(([, number, line]) => [number, line]))),
      },
    ]),
  );

  return [...lines.values()]
    .filter(({ line }) => line.line || line.base_line)
    .map((of, i) => lineAsRow(of, texts.get(of.file), i));
}

// A line as a row of the list: its place and its text. One that only BASE has has a minus.
function lineAsRow({ file, line: { line, base_line: lineBefore }, owners, ...costs }, texts, i) {
  const isGone = line == null;
  const number = isGone ? lineBefore : line;
  const place = `${file}:${isGone ? "\u2212" : ""}${number}`;
  const source = texts?.[isGone ? "gone" : "now"]().get(number) ?? "";
  const short = joined([baseName(file) + place.slice(file.length), text(source).trim()], "  ");

  return {
    ...groupOf(place, [], [], i),
    ...{ id: `l${i}`, short, bare: short, alone: short, own: short, narrow: short, placed: short },
    ...{ file, object: "", files: [file], owners: owners.sort(byCost) },
    // In the address the number of a line that only BASE has is negative.
    line: isGone ? -number : number,
    ...costs,
  };
}

// The figures of a group of a series: its self and its inclusive costs, by profile.
function ofSides([own = [], inclusive = []]) {
  const sides = series.map((_, i) => ({
    self: own[i] ?? [],
    inclusive: inclusive?.[i] ?? [],
    calls: null,
  }));
  const latest = sides.at(-1);

  return { sides, self: latest.self, incl: latest.inclusive, self0: [], incl0: [] };
}

// The user's functions in a thread, with all that they call there, the largest first.
const knownOfThreads = new Map();

function ownFunctionsOfThread(name) {
  const key = `${eventAt} ${name}`;

  if (!knownOfThreads.has(key)) {
    const all = framesByRow(tree(at(stacksOfThreads.get(name)) ?? []));
    const own = [...all].filter(([row]) => isUsers(row)).map(([row, { cost }]) => ({ row, cost }));

    knownOfThreads.set(
      key,
      own.sort((a, b) => b.cost - a.cost),
    );
  }
  return knownOfThreads.get(key);
}

// The one of them that says most of what the thread does: of those that lead to nearly all that it
// spends in them the last.
function mostOfThread(name) {
  const [first, ...others] = ownFunctionsOfThread(name);

  return others.findLast(({ cost }) => cost > 0.9 * first.cost) ?? first;
}

// The panel of a thread: what it costs, and in which functions most.
function ofThread({ name, self, recorded, functions: list, notes }) {
  const row = (of) =>
    el("tr", null, cells(at(of.self), null, at(self), "self"), el("td", null, link(of.row)));
  // All calls of a function may be in this thread.
  const isEstimate = (row, cost) => at(row.estimated) || cost !== at(row.incl);
  const rowWithCallees = ({ row, cost }) =>
    el(
      "tr",
      null,
      figures(cost, at(self), isEstimate(row, cost)).map((n, i) => num(n, i ? "more" : "")),
      el("td", null, link(row)),
    );
  const command = commandOfThread(recorded);
  const own = ownFunctionsOfThread(name);

  return el(
    "div",
    null,
    stateLink({ group: "" }, `\u2190 ${allInWords()}`, { class: "back" }),
    el("h2", null, name),
    el("div", { class: "figures" }, costBox(state.event, at(self))),
    notes.length > 0 && el("p", null, joined(notes.map(text), "; "), ofFirstEvent()),
    stacksOfThreads.has(name) &&
      el(
        "p",
        null,
        stateLink({ view: "flame", graph: "whole", thread: name }, "Flame graph of this thread"),
      ),
    own.length > 0 &&
      longTable(
        "Your functions with all that they call in this thread, by the flame graph",
        [...costTitles(["Of this", "of what the thread costs"]), ["Function"]],
        own.map((of) => () => rowWithCallees(of)),
        6,
      ),
    list.length > 0 &&
      longTable(
        "Functions that cost most in this thread, by self cost",
        [...costTitles(["Of this", "of what the thread costs"]), ["Function"]],
        list.map((of) => () => row(of)),
        12,
      ),
    command && el("p", null, "A page of this thread, without the others: ", copyable(command)),
  );
}

// The panel of a group.
function ofGroup(group) {
  const { members } = group;

  if (group.recorded) {
    return ofThread(group);
  }
  const by = (r) => (series ? spread(r) : sizeOf(r.self, r.self0));
  const sorted = [...members].sort((a, b) => by(b) - by(a) || costOf(b) - costOf(a));
  const row = (r) =>
    el(
      "tr",
      null,
      series
        ? cellsOfSeries(r)
        : cells(at(r.self), at(r.self0), at(diff ? totals : group.self), "self"),
      el("td", null, link(r)),
    );

  return el(
    "div",
    null,
    stateLink({ group: "" }, `\u2190 ${allInWords()}`, { class: "back" }),
    el("h2", null, group.short),
    group.short !== group.name && el("div", { class: "mono dim full", tabindex: 0 }, group.name),
    el(
      "div",
      { class: "figures" },
      !series && [
        costBox("Inclusive", at(group.incl), at(group.incl0), at(group.estimated) && NESTED),
        costBox("Self", at(group.self), at(group.self0)),
      ],
      figureBox("Listed functions", count(members.length)),
    ),
    series && course(group),
    longTable(
      series ? "Functions by their largest change" : "Functions by self cost",
      [...(series ? titlesOfSeries() : costTitles(OF_THIS)), ["Function"]],
      sorted.map((r) => () => row(r)),
      25,
    ),
  );
}
