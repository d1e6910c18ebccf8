// The panel of a function: its figures, its callers and callees, and its sources.

const link = (r, width = narrowWidth()) =>
  Object.assign(
    stateLink({ f: keyOf(r), view: "list" }, nameIn(r, width), {
      title: joined([r.name, r.file, r.object], "\n"),
      class: "mono",
    }),
    { row: r },
  );

// The width of the panel when names in it were given their room.
let fittedWidth = 0;

// Gives the names of calls the room that they have.
function fit() {
  const all = [...ui.panel.querySelectorAll(".calls:has(thead) a")].filter((a) => a.row);
  const names = all.map((a) => nameIn(a.row, a.closest("td").clientWidth - 12));

  fittedWidth = ui.panel.clientWidth;
  // Texts that remain are not written, so that nothing is laid out again.
  for (const [i, a] of all.entries()) {
    if (a.textContent !== names[i]) {
      a.textContent = names[i];
    }
  }
}

function panel() {
  const { f, file, line, group, by, view, event, unit, side } = state;
  const subject = [f, file, line, group, by, view].join("\n");
  const key = [subject, event, unit, side].join("\n");

  if (key === ui.key) {
    return;
  }
  const isSame = subject === ui.subject;
  // At first it would be laid out for this.
  const scrollTop = ui.subject === undefined ? 0 : ui.panel.scrollTop;
  const wasOpen = [...ui.panel.querySelectorAll("details")].map(({ open }) => open);
  const content =
    (view === "totals" && overview()) ||
    (file && wholeFile(file)) ||
    (picked?.members && (by === "file" && !series ? wholeFile(picked.name) : ofGroup(picked))) ||
    (here && ofFunction(here));

  ui.key = key;
  ui.subject = subject;
  // Nobody chose the function that a page opens with.
  ui.main.className = joined([content ? "one" : "both", f && f === initial.f && "unchosen"], " ");
  ui.panel.replaceChildren(content || overview());
  if (isSame) {
    openAgain(wasOpen);
  }
  if (scrollTop > 0) {
    ui.panel.scrollTop = isSame ? scrollTop : 0;
  }
  if (!isSame) {
    ui.panel.querySelector(".sought")?.scrollIntoView({ block: "center" });
  }
  fit();
}

// Opens and closes the parts of the panel as they were with figures of another event.
function openAgain(wasOpen) {
  for (const [i, details] of [...ui.panel.querySelectorAll("details")].entries()) {
    if (wasOpen[i] !== undefined && details.open !== wasOpen[i]) {
      details.open = wasOpen[i];
      details.dispatchEvent(new Event("toggle"));
    }
  }
}

function ofFunction(r) {
  if (series) {
    return functionOfSeries(r);
  }
  const hasLines = (file) =>
    [...file.lines, ...(file.calls || [])].some((x) => x.line || x.base_line);

  const isOwn = (file) => file.file == null;
  const files = [...r.parts.values()].filter(hasLines);

  const hottest = largestWeight(
    files.map((file) => [nameOfPart(r, file), file]),
    [r],
  );

  const inlined = { all: "always inlined", some: "partly inlined" }[r.inlined];

  return el(
    "div",
    null,
    stateLink({ f: "", view: "list" }, "\u2190 all functions", { class: "back" }),
    el("h2", null, nameAsHeading(r) + r.suffix),
    contextOf(r),
    r.name !== r.short && el("div", { class: "mono dim full", tabindex: 0 }, r.name),
    nameBefore(r) && el("p", null, "before it was called ", el("b", null, nameBefore(r))),
    el(
      "div",
      { class: "dim" },
      joined(
        [r.file, r.object, inlined].filter((x) => x !== "???"),
        " \u00b7 ",
      ),
    ),
    el(
      "p",
      { class: "ways" },
      [
        files.some((file) => sources().has(nameOfPart(r, file))) && wayToHottest([r]),
        hasCode(r) && inPanel(toCode, "Machine code"),
        stateLink({ view: "calls", f: keyOf(r) }, "Call graph around it"),
        stateLink(
          { view: "flame", graph: "around", f: keyOf(r), q: "" },
          "Flame graphs of callers and callees",
        ),
      ]
        .filter(Boolean)
        .flatMap((way, i) => (i ? [" \u00b7 ", way] : [way])),
    ),
    el("div", { class: "figures" }, figuresOf(r)),
    recursionOf(r),
    r.name === "main" && startOf(),
    diff && moved(r),
    reasonsOf(r),
    eventsOf(r),
    el(
      "div",
      { class: "pair" },
      contextTable(r),
      callTable("Callers", callersOf(r), r),
      ownCallerTable(r),
      callTable("Callees", calleesOf(r), r),
    ),
    sourceParts(r, [...files.filter(isOwn), ...files.filter((file) => !isOwn(file))], hottest),
    !files.length &&
      el("p", { class: "dim" }, "The profile has no source lines for this function."),
    machineCode(r),
    belowThis(r),
  );
}

// What shows a part of the panel that is further down.
const inPanel = (show, label) => el("button", { class: "way", onclick: show }, label);

function showPart(part, block) {
  (part ?? ui.panel).scrollIntoView({ block });
}

// A line has a row below it for what it calls, which may cost more.
const wayToHottest = (owners) => {
  const calls = owners.some((r) => r.out.size > 0) ? ", without calls" : "";

  return inPanel(toHottest, diff ? "Line that changed most" : `Most expensive line${calls}`);
};

function toHottest() {
  // It may be in a file that is not open.
  for (const file of ui.panel.querySelectorAll("details.file")) {
    if (ui.panel.querySelector(".top")) {
      break;
    }
    file.open = true;
    file.dispatchEvent(new Event("toggle"));
  }
  const line = ui.panel.querySelector(".top");
  const button = line?.querySelector("button[aria-expanded=false]");

  // Its cost may be only that of what is inlined there.
  if (line?.classList.contains("costly")) {
    button?.click();
  }
  showPart(line, "center");
}

function toCode() {
  const code = ui.panel.querySelector(".machine");

  if (code?.tagName === "DETAILS") {
    code.open = true;
    code.dispatchEvent(new Event("toggle"));
  }
  // It begins with what hardly costs anything.
  const costly = code?.querySelector(".hottest");

  showPart(costly ?? code, costly ? "center" : "start");
}

// By what a function was called, if that is what makes a row, and its other rows; or how much of a
// function is in contexts that are not listed.
function contextOf(r) {
  const all = rows.filter((x) => x.alone === r.alone && x.object === r.object);
  const self = sum(all, (x) => at(x.self));

  const number = sum(r.unlisted ?? [], (contexts) => contexts.number);

  if (number > 0) {
    const unlisted = sum(r.unlisted, (contexts) => at(contexts.self));
    const contexts = number === 1 ? "context that is" : "contexts that are";

    return el(
      "p",
      { class: "dim" },
      `Figures include ${count(number)} ${contexts} not listed, with ` +
        `${figures(unlisted, at(totals))[0]} self, whose callees and lines are not below.`,
    );
  }
  return (
    r.context &&
    el(
      "p",
      null,
      "in the context of ",
      el("b", null, callersIn(r)),
      all.length > 1 && [
        "; ",
        stateLink({ q: r.alone, f: "" }, `the ${all.length} rows of ${r.alone}`),
        ` that are listed have ${figures(self, at(totals))[0]} self.`,
      ],
    )
  );
}

// The contexts that make a row, the most expensive first.
function contextTable(r) {
  const contexts = (r.ids ?? []).map((id) => recordedById().get(id));
  const row = (x) => [
    cells(at(x.self), null, at(r.self), "self"),
    num(figures(at(x.incl), at(totals), at(x.estimated))[0], "more"),
    num(times(x.calls)),
    el(
      "td",
      null,
      stateLink({ contexts: "apart", f: keyOfContext(x) }, callersIn(x), {
        title: x.name,
        class: "mono",
      }),
    ),
  ];
  const titles = [
    ...costTitles(["Of self cost", "of what the function costs itself"]),
    ["Inclusive", "more"],
    ["Calls", ""],
    ["Called by, the nearest first"],
  ];

  const unlisted = sum(r.unlisted ?? [], ({ number }) => number);
  const all = unlisted > 0 && ` of ${count(contexts.length + unlisted)}`;

  contexts.sort((a, b) => (at(b.self) || 0) - (at(a.self) || 0));
  return (
    contexts.length > 1 &&
    longTable(
      joined([`In ${count(contexts.length)}`, all, " contexts"], ""),
      titles,
      contexts.map((x) => () => el("tr", null, row(x))),
      6,
    )
  );
}

// The callers of a context, the nearest first.
const callersIn = (r) => (r.context ?? "(no caller)").replaceAll("'", ", ");

// A figure with its title above it and a note beside it.
const figureBox = (title, n, note, kind, shape) =>
  el(
    "div",
    { class: shape },
    dimmed(title),
    el("b", null, n, " ", note && el("small", { class: kind || "dim" }, note)),
  );

// A cost, its share or its change, and why it is an estimate.
function costBox(title, now, was, mark) {
  if (!diff) {
    const note = joined([shareOf(now, at(totals), mark), inTime(now), mark], ", ");

    return figureBox(title, countOf(now, mark), note);
  }
  return figureBox(
    title,
    bothSides(now, was),
    changeInWords(now, was, mark),
    worse(delta(now, was)),
  );
}

const figuresOf = (r) => [
  costBox(`Inclusive ${state.event}`, at(r.incl), at(r.incl0), at(r.estimated) && NESTED),
  costBox(`Self ${state.event}`, at(r.self), at(r.self0), r.isSelfDivided && DIVIDED),
  callsBox(r),
  costOfCallBox(r),
  rateBox(r),
  ...ofMisses.map((c) => figureBox(c.what, count(c.get(r)), c.note(r), null, "brief")),
];

// How many of a function's accesses or branches of one kind miss, if the event is that of misses;
// those of all kinds have boxes of their own.
function rateBox(r) {
  const rate = !diff && rateOf(kindOfMisses(state.event), r.self);
  const isShown = rate && !ofMisses.some(({ key }) => key === state.event);

  return isShown && figureBox(`Rate of ${state.event}`, rate, null, null, "brief");
}

// Why calls and costs of a function are not simply those of its callers: it calls itself, or others
// that call it.
function recursionOf(r) {
  const others = inCycle(r);
  const linksTo = (list) => list.flatMap((x, i) => (i ? [", ", link(x)] : [link(x)]));
  const again = byItself(r) || byItself0(r);
  const more = others.length > 6 && `, and ${count(others.length - 6)} more`;
  const callers = more || !others.length ? [] : callersOfCycle([r, ...others]);
  const isLevel = LEVEL.test(r.name);

  return (
    (others.length > 0 || again > 0 || isLevel) &&
    el(
      "p",
      { class: "dim" },
      isLevel && `${LEVEL.exec(r.name)[0]} is a level of recursion: it ran within itself. `,
      again > 0 && "It calls itself: what nested calls cost is counted once. ",
      others.length > 0 && [
        "In a cycle of calls (recursion) with ",
        linksTo(others.slice(0, 6)),
        more,
        ": each has the cost of the others that it calls, so that callees can add up to more than " +
          "all; the cost of a nested call is shown with the call around it. ",
        callers.length > 0 && ["Outside of it, they are called by ", linksTo(callers), "."],
      ],
    )
  );
}

// What ran before and after main.
function startOf() {
  const [before, , after] = ["before_main", "main", "after_main"].map((key) =>
    at(data.start_up?.[key]),
  );
  const share = (n) => joined(figures(n, at(totals)), " = ");
  const said = [
    before > 0 && `${share(before)} before it (start-up)`,
    after > 0 && `${share(after)} after it`,
  ];

  return before > 0 && el("p", { class: "dim" }, `The program spent ${joined(said, ", ")}.`);
}

// The functions that call those of a cycle from outside, the first ones.
const callersOfCycle = (members) => {
  const calls = members.flatMap((r) => [...r.in.values()]).filter(({ within }) => !within);

  return [...new Set(calls.map(({ from }) => from))].sort(byCost).slice(0, 4);
};

// The calls of a function, and how many of them it makes itself.
function callsBox(r) {
  const [again, again0] = [byItself(r), byItself0(r)];
  const others = diff ? r.calls : delta(r.calls, again);
  const isRecursive = again > 0 || again0 > 0;
  const nested = [...r.in.values()].filter(({ within, from }) => within && from !== r);
  const [now, was] = [sum(nested, (edge) => edge.nested), sum(nested, (edge) => edge.nested0)];
  const notes = [
    isRecursive && `by others, ${bothSides(again, again0)} by itself`,
    (now > 0 || was > 0) && `${bothSides(now, was)} nested in the cycle`,
  ];

  return figureBox(
    "Calls",
    r.areCallsUnknown ? "not known" : bothSides(others, r.calls0),
    joined(notes, "; "),
  );
}

// What a call costs: the inclusive cost of calls by others, which have what nested calls cost; and
// where a function calls itself, or is in a cycle, the self cost of all calls.
function costOfCallBox(r) {
  const title = `${state.event} per call`;
  const { whole, own } = costsOfCall(r);

  if (r.cycle == null && !r.out.has(r)) {
    return figureBox(title, whole, r.calls && "inclusive");
  }
  const others = r.cycle == null || r.calls === 1 ? "by others" : "from outside the cycle";

  return whole == null
    ? figureBox(`Self ${title}`, own, r.calls && "of all calls")
    : figureBox(title, whole, `inclusive, ${others}; ${own} self, of all calls`);
}

// What a call by others costs with all below it, in a cycle one from outside; null if none is
// recorded; and what a call costs itself.
function costsOfCall(r) {
  const perCall = (cost, calls) =>
    joined([costByCalls(cost, calls), inTime(cost / calls)], " = ") || ".";
  const both = (now, was) => (diff ? `${was} \u2192 ${now}` : now);
  const [again, again0] = [byItself(r), byItself0(r)];
  const [others, others0] = diff ? [r.calls, r.calls0] : [delta(r.calls, again), 0];
  // A single call is not within another one.
  const isKnown = r.cycle == null || (!diff && r.calls === 1 && !again);
  const outside = isKnown ? [] : [...r.in.values()].filter(({ within }) => !within);
  const ofOutside = (side, number) =>
    perCall(
      sum(outside, (edge) => at(edge[side])),
      sum(outside, (edge) => edge[number]),
    );
  let whole = outside.length
    ? both(ofOutside("cost", "count"), ofOutside("cost0", "count0"))
    : null;

  if (isKnown) {
    whole = both(perCall(costOf(r), others), perCall(costOf0(r), others0));
  }
  return {
    whole,
    own: both(
      perCall(at(r.self), plus(others, again)),
      perCall(at(r.self0), plus(others0, again0)),
    ),
  };
}

// Of a difference: what says that code has only another name or place.
function moved(r) {
  const part = elsewhereOf(r);
  // The reasons say it in the same words.
  const hasReason = data.reasons?.some(({ row }) => row === r.id);
  const own = delta(at(r.self), at(r.self0));
  const all = delta(at(r.incl), at(r.incl0));
  const size = (x) => costOf(x) + costOf0(x);

  // Each has its file's name on its own side.
  const isLike = (x) => x.mark && x.mark !== r.mark && baseName(x.file) === baseName(r.file);

  const far = (x) =>
    (x.bare === r.bare ? 0 : 1) + Math.abs(size(x) - size(r)) / (size(x) + size(r) || 1);

  const like =
    r.mark && !part
      ? rows
          .filter(isLike)
          .sort((a, b) => far(a) - far(b))
          .slice(0, 3)
      : [];

  const isMoved =
    !r.mark &&
    !linesHereOf(r).length &&
    Math.abs(own) > at(totals) / 1000 &&
    2 * Math.abs(all) < Math.abs(own);
  const other = r.mark === "new" ? "Gone from" : "New in";
  const change = own < 0 ? "less" : "more";
  const notes = [
    ...(hasReason ? [] : notesOnLinesElsewhere(r)).map((note) => `${firstLetterUp(note)}.`),
    like.length > 0 && `${other} this file, perhaps by another name:`,
    !part && !like.length && r.mark === "gone" && "Perhaps it is inlined into its callers now.",
    isMoved && `The inclusive cost changed less: ${change} may be inlined here now.`,
  ];

  return el(
    "div",
    { class: "dim" },
    joined(notes, " "),
    like.map((x) => el("div", null, link(x), " ", bothSides(costOf(x), costOf0(x)))),
  );
}

function eventsOf(r) {
  const { side } = state;
  const shares = (list, i) => [num(count(list[i])), num(shareOf(list[i], totals[i]), "dim")];

  const row = (name, i) => [
    diff ? cells(r[side][i], r[side + "0"][i]) : [shares(r.incl, i), shares(r.self, i)],
    el("td", null, stateLink({ event: name }, name, { title: longName(i) })),
  ];

  const digits = (n) => (n && Math.abs(n) < 0.001 ? n.toPrecision(4) : n.toFixed(4));
  const value = (n) => num(n == null ? "." : digits(n));

  const ratio = ({ name }, i) => [
    diff
      ? [num(""), num(""), value(r.ratios[side === "self" ? side : "inclusive"]?.[i])]
      : [value(r.ratios.inclusive?.[i]), num(""), value(r.ratios.self?.[i])],
    num(""),
    el("td", null, text(name)),
  ];

  const title = `all ${events.length} events${diff ? `, ${sideName()}` : ""}`;

  return (
    events.length > 1 &&
    el(
      "details",
      { open: data.ratios && true },
      el("summary", { class: "dim" }, title),
      table(
        { class: "events" },
        null,
        [...(diff ? costTitles() : ["Inclusive", "%", "Self", "%"].map((x) => [x, ""])), ["Event"]],
        [...events.map(row), ...(data.ratios || []).map(ratio)],
      ),
    )
  );
}

// The callers of a function: those that are listed, and the others together.
function callersOf(r) {
  const list = [...r.in.values()].filter((x) => x.from !== r).map((x) => ({ ...x, row: x.from }));
  // Within a cycle it is unknown.
  const cost =
    r.cycle == null
      ? delta(
          costOf(r),
          sum(list, (x) => at(x.cost)),
        )
      : null;
  const number = delta(
    delta(r.calls, byItself(r)),
    sum(list, (x) => x.count),
  );
  const isMore = cost > 0 || (r.cycle != null && number > 0);
  const hasOthers = !diff && isMore && (number > 0 || !list.length);
  const others = number > 0 ? { count: number, label: UNLISTED } : { label: "no caller recorded" };

  return [...list, ...itself(r), ...(hasOthers ? [{ cost: { [eventAt]: cost }, ...others }] : [])];
}

// The calls of a function by itself, which its other callers pay for.
const itself = (r) => (r.out.has(r) ? [{ ...r.out.get(r), label: "itself" }] : []);

// What the contexts of a function that are not listed called.
function calleesOfUnlisted(r) {
  const contexts = r.unlisted ?? [];
  const cost = [];

  contexts.forEach(({ incl, self }) =>
    addTo(
      cost,
      incl.map((n, i) => delta(n, self[i])),
    ),
  );
  return at(cost) > 0 ? [{ label: "callees of contexts that are not listed", cost }] : [];
}

const calleesOf = (r) => [
  ...[...r.out.values()]
    .filter((x) => x.to !== r)
    .map((x) => ({ ...x, row: x.to, label: UNLISTED })),
  ...itself(r),
  ...calleesOfUnlisted(r),
  { label: "self", kind: "self", cost: r.self, cost0: r.self0, count: null },
];

// What one of the calls costs that have a cost.
function costOfEach({ within, cost, inner, count: all, nested }) {
  const n = at(within ? inner : cost);

  return n == null ? "" : costByCalls(n, delta(all, nested));
}

// A cost by a number of calls.
const costByCalls = (cost, calls) => (calls > 0 ? count(cost / calls) : "");

function callTable(title, list, r) {
  const costs = (x) => (x.within ? [at(x.inner), at(x.inner0)] : [at(x.cost), at(x.cost0)]);
  const size = (x) => (diff ? Math.abs(delta(...costs(x))) : 0);
  list.sort(
    (a, b) => size(b) - size(a) || delta(abs(costs(b)[0]), abs(costs(a)[0])) || b.count - a.count,
  );

  // Their number, in place of the cost, if the reader wants them in this order.
  const often = (x) => (diff ? Math.abs(delta(x.count, x.count0)) : (x.count ?? -1));

  const row = (x) => {
    const isNested = x.within && costs(x).every((n) => n == null);
    const often = isNested ? times(x.count, x.count0) : timesOf(x);

    return el(
      "tr",
      null,
      isNested ? cellsWithin(x.from, x.to) : cells(...costs(x), costOf(r), x.kind || "incl"),
      num(x.count == null ? "" : often, "often", !isNested && arePartlyNested(x) && NESTED_CALLS),
      diff ? null : num(isNested ? "" : costOfEach(x), "each dim"),
      el(
        "td",
        null,
        x.row ? link(x.row) : dimmed(x.label),
        x.row && x.row === x.from && linesOfCaller(x.from, r),
      ),
    );
  };

  const make = (calls, isByCalls) => {
    const sort = (ev) => {
      const sorted = isByCalls ? list : [...list].sort((a, b) => delta(often(b), often(a)));
      const whole = make(sorted, !isByCalls);

      ev.target.closest("table").replaceWith(whole);
      fit();
      focusOn(whole.querySelector("th button"));
    };
    const label = isByCalls ? "Calls \u25be" : "Calls";
    const button =
      list.length > 2
        ? el(
            "button",
            { class: "way", title: "in the order of calls, or of costs", onclick: sort },
            label,
          )
        : label;

    return longTable(
      title,
      [
        ...costTitles(OF_THIS),
        [button, "often"],
        ...(diff ? [] : [["Each", "each", "the cost of a call, with all that it calls"]]),
        ["Function"],
      ],
      calls.map((x) => () => row(x)),
      12,
    );
  };

  return make(list, false);
}

// Whether the page has a source, which is the user's own.
function isUsersFile(file) {
  const found = sources().get(file);

  return found != null && !found.is_foreign;
}

const isUsers = (r) => isUsersFile(r.file);
const hasUsersFiles = lazily(() => [...sources().keys()].some(isUsersFile));

// A library's function and the functions of libraries that lead to it, each behind what it calls.
function librariesAbove(r) {
  const order = [];
  const seen = new Set();
  const work = [[r, false]];

  while (work.length) {
    const [one, isDone] = work.pop();

    if (isDone) {
      order.push(one);
    } else if (!seen.has(one)) {
      seen.add(one);
      work.push([one, true]);
      work.push(
        ...[...one.in.keys()].filter((from) => !isUsers(from)).map((from) => [from, false]),
      );
    }
  }
  return order.reverse();
}

// How many calls of a library's function each function leads to: those of libraries hand theirs on
// to their callers, in proportion to the calls by each. In cycles it is not known.
function callsThrough(r) {
  const through = librariesAbove(r);
  const calls = new Map([[r, delta(r.calls, byItself(r))]]);

  for (const one of through) {
    const edges = [...one.in.values()].filter(({ from }) => from !== one);
    const all = Math.max(
      delta(one.calls, byItself(one)),
      sum(edges, (edge) => edge.count),
    );

    for (const { from, count: number } of edges) {
      calls.set(from, (calls.get(from) ?? 0) + (calls.get(one) * number) / all);
    }
  }
  return through.some(({ cycle }) => cycle != null) ? new Map() : calls;
}

// The nearest of the user's functions above a function: how much of its cost, and of its calls,
// each leads to. What the calls of a caller cost is divided as its stacks are. What is within
// itself is not counted again.
function ownCallersOf(r) {
  const byCaller = new Map();
  const stacks = at(data.stacks) ?? [];
  const [path, nearest] = [[], []]; // by depth
  let within = Infinity;
  let all = 0;

  for (let i = 0; i < stacks.length; i += 3) {
    const depth = stacks[i];
    const row = byId.get(stacks[i + 1]);
    const above = nearest[depth - 1] ?? null;

    path[depth] = row;
    nearest[depth] = row && isUsers(row) ? row : above;
    if (depth <= within) {
      within = row === r ? depth : Infinity;
      if (row === r) {
        const caller = path[depth - 1];
        const costs = byCaller.get(caller) ?? new Map();

        byCaller.set(caller, costs);
        costs.set(above, (costs.get(above) ?? 0) + stacks[i + 2]);
        all += stacks[i + 2];
      }
    }
  }
  const sums = new Map();

  for (const [caller, costs] of byCaller) {
    const drawn = sum([...costs.values()], (cost) => cost);
    const recorded = at(r.in.get(caller)?.cost) ?? (drawn / all) * costOf(r);

    for (const [from, cost] of costs) {
      const of = sums.get(from) ?? { cost: 0, isEstimated: false };

      sums.set(from, of);
      of.cost += (cost / drawn) * recorded;
      // Its own calls cost what they cost.
      of.isEstimated ||= from !== caller;
    }
  }
  sums.delete(null);
  const calls = callsThrough(r);

  return [...sums]
    .map(([from, { cost, isEstimated }]) => ({
      from,
      cost: Math.round(cost),
      calls: Math.round(calls.get(from) ?? 0),
      isEstimated,
    }))
    .sort((a, b) => b.cost - a.cost);
}

// These functions, if the callers of a library's function are not all the user's.
function ownCallerTable(r) {
  const isFar =
    !diff && hasUsersFiles() && !isUsers(r) && [...r.in.keys()].some((from) => !isUsers(from));
  const list = isFar ? ownCallersOf(r) : [];
  const row = ({ from, cost, calls, isEstimated }) =>
    el(
      "tr",
      null,
      figures(cost, costOf(r), isEstimated).map((n, i) => num(n, i ? "more" : "")),
      num(calls ? (isEstimated ? "~" : "") + times(calls) : ""),
      el("td", null, link(from)),
    );

  return (
    list.length > 0 &&
    longTable(
      "Your functions that lead to it, by the flame graph",
      [
        ...costTitles(OF_THIS),
        ["Calls", "", "the calls of this function that each leads to"],
        ["Function"],
      ],
      list.map((one) => () => row(one)),
      6,
    )
  );
}

// How many lines of a caller are shown.
const MAX_PLACES = 4;

// The lines of a caller that call a function, with the numbers of calls and their cost, the most
// expensive first.
function placesOfCalls(from, to) {
  const calls = [...from.parts].flatMap(([file, part]) =>
    (part.calls ?? [])
      .filter((call) => byId.get(call.id) === to && call.line)
      .map(({ line, count: number, inclusive }) => ({ file, line, number, cost: at(inclusive) })),
  );
  const places = Map.groupBy(calls, ({ file, line }) => `${file}:${line}`);

  return [...places.values()]
    .map((list) => ({
      ...list[0],
      number: sum(list, (x) => x.number),
      cost: sum(list, (x) => x.cost),
    }))
    .sort((a, b) => delta(b.cost, a.cost) || b.number - a.number);
}

// These lines, of several with how many of the calls are made at each, and what these cost, unless
// that is part of other calls.
function linesOfCaller(from, to) {
  const places = diff ? [] : placesOfCalls(from, to);
  const figuresAt = ({ number, cost }) => {
    const share = !isWithin(from, to) && figures(cost, costOf(to), at(to.estimated))[0];

    return places.length > 1 && ` ${joined([times(number), share], ", ")}`;
  };
  const label = (place, i) => [
    i > 0 && "; ",
    linkToLine({ ...place, function: from.name }, `${baseName(place.file)}:${place.line}`),
    figuresAt(place),
  ];
  const more = places.length - MAX_PLACES;

  return (
    places.length > 0 &&
    el(
      "div",
      { class: "dim places" },
      "at ",
      places.slice(0, MAX_PLACES).map(label),
      more > 0 && `; ${count(more)} more`,
    )
  );
}

// A table of the first rows that these functions make, with a button that makes all.
function longTable(title, heads, makers, limit) {
  const showAll = (ev) => {
    ev.target.closest("tr").replaceWith(...makers.slice(limit).map((make) => make()));
    fit();
  };

  const more =
    makers.length > limit && el("button", { onclick: showAll }, `${makers.length - limit} more`);

  return table({ class: "calls" }, title, heads, [
    ...makers.slice(0, limit).map((make) => make()),
    ...(more ? [[el("td", { colspan: 6 }, more)]] : []),
  ]);
}
