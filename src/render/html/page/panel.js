// The panel of a function: its figures, its callers and callees, and its sources.

const link = (r, width = narrowWidth()) =>
  Object.assign(
    jump({ f: keyOf(r), view: "list" }, nameIn(r, width), {
      title: joined([r.name, r.file, r.object], "\n"),
      class: "mono",
    }),
    { row: r },
  );

// Gives the names of calls the room that they have.
function fit() {
  const all = [...ui.panel.querySelectorAll(".calls:has(thead) a")];
  const rooms = all.map((a) => a.closest("td").clientWidth);

  all.forEach((a, i) => {
    a.textContent = nameIn(a.row, rooms[i] - 12);
  });
}

function panel() {
  const { f, file, line, group, by, view, event, unit, side } = state;
  const key = [f, file, line, group, by, view, event, unit, side].join("\n");

  if (key === ui.key) {
    return;
  }
  ui.panel.scrollTop = 0;
  ui.key = key;

  const shown =
    (view === "totals" && overview()) ||
    (file && wholeFile(file)) ||
    (picked?.members && (by === "file" && !series ? wholeFile(picked.name) : ofGroup(picked))) ||
    (here && ofFunction(here));

  ui.main.className = shown ? "one" : "both";
  ui.panel.replaceChildren(shown || overview());
  ui.panel.querySelector(".sought")?.scrollIntoView({ block: "center" });
  fit();
}

function ofFunction(r) {
  if (series) {
    return functionOfSeries(r);
  }
  const hasLines = (file) =>
    [...file.lines, ...(file.calls || [])].some((x) => x.line || x.base_line);

  const isOwn = (file) => file.file == null;
  const files = [...r.parts.values()].filter(hasLines);

  const hottest = largestOf(
    files.flatMap((file) => {
      const name = file.file == null ? r.file : pathOf(file.file);

      return linesOf(withInlined(file, sources().get(name), [r]));
    }),
    weight,
  );

  const inlined = { all: "always inlined", some: "partly inlined" }[r.inlined];

  return el(
    "div",
    null,
    jump({ f: "", view: "list" }, "\u2190 all functions", { class: "back" }),
    el("h2", null, r.alone + r.suffix),
    contextOf(r),
    r.name !== r.short && el("div", { class: "mono dim full", tabindex: 0 }, r.name),
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
        files[0] && inPanel(toHottest, diff ? "Line that changed most" : "Most expensive line"),
        hasCode(r) && inPanel(toCode, "Machine code"),
        jump({ view: "calls", f: keyOf(r) }, "Call graph around it"),
        jump(
          { view: "flame", graph: "around", f: keyOf(r) },
          "Flame graphs of callers and callees",
        ),
      ]
        .filter(Boolean)
        .flatMap((way, i) => (i ? [" \u00b7 ", way] : [way])),
    ),
    belowThis(r),
    el("div", { class: "figures" }, figuresOf(r)),
    diff && moved(r),
    reasonsOf(r),
    eventsOf(r),
    el("div", { class: "pair" }, calls("Callers", callers(r), r), calls("Callees", callees(r), r)),
    [...files.filter(isOwn), ...files.filter((file) => !isOwn(file))].map((file) =>
      source(r, file, hottest),
    ),
    !files.length &&
      el("p", { class: "dim" }, "The profile has no source lines for this function."),
    machineCode(r),
  );
}

// What shows a part of the panel that is further down.
const inPanel = (show, label) => el("button", { class: "way", onclick: show }, label);

function showPart(part, block) {
  (part ?? ui.panel).scrollIntoView({ block });
}

function toHottest() {
  // It may be in a file that is not open.
  for (const file of ui.panel.querySelectorAll("details.file")) {
    if (ui.panel.querySelector(".top")) {
      break;
    }
    file.open = true;
    file.dispatchEvent(new Event("toggle"));
  }
  showPart(ui.panel.querySelector(".top"), "center");
}

function toCode() {
  const code = ui.panel.querySelector(".machine");

  if (code?.tagName === "DETAILS") {
    code.open = true;
    code.dispatchEvent(new Event("toggle"));
  }
  showPart(code, "start");
}

// By what a function was called, if that is what makes a row, and its other rows; or how much of a
// function is in contexts that are not listed.
function contextOf(r) {
  const all = rows.filter((x) => x.alone === r.alone && x.object === r.object);
  const self = sum(all, (x) => at(x.self));

  const number = sum(r.unlisted ?? [], (contexts) => contexts.number);

  if (number > 0) {
    const unlisted = sum(r.unlisted, (contexts) => at(contexts.self));
    const verb = number === 1 ? "context that is" : "contexts that are";

    return el(
      "p",
      { class: "dim" },
      `With ${count(number)} ${verb} not listed, which have ` +
        `${figures(unlisted, at(totals))[0]} self, without their callees and lines.`,
    );
  }
  return (
    r.context &&
    el(
      "p",
      null,
      "in the context of ",
      el("b", null, r.context.replaceAll("'", ", ")),
      all.length > 1 && [
        "; ",
        jump({ q: r.alone, f: "" }, `the ${all.length} rows of ${r.alone}`),
        ` that are listed have ${figures(self, at(totals))[0]} self.`,
      ],
    )
  );
}

// A figure with its title above it and a note beside it.
const box = (title, n, note, kind) =>
  el(
    "div",
    null,
    el("span", { class: "dim" }, title),
    el("b", null, n, " ", note && el("small", { class: kind || "dim" }, note)),
  );

const costs = (title, now, was, mark, d = delta(now, was)) =>
  !diff
    ? box(title, count(now), part(now, at(totals), mark) + (mark ? ", " + mark : ""))
    : box(
        title,
        sides(now, was),
        d ? `${signed(d)} (${mark ? "~" : ""}${percent(now, was)})` : "no change",
        worse(d),
      );

function figuresOf(r) {
  const perCall = (cost, calls) => (calls ? count(cost / calls) : ".");
  const title = state.event + " per call";

  const isOwn = r.cycle != null || r.out.has(r);
  const ofCalls = isOwn ? at(r.self) : costOf(r);

  const before = isOwn ? at(r.self0) : costOf0(r);
  return [
    costs("Inclusive", at(r.incl), at(r.incl0), at(r.estimated) && NESTED),
    costs("Self", at(r.self), at(r.self0)),
    callsOfFunction(r),
    box(
      title,
      (diff ? perCall(before, r.calls0) + " \u2192 " : "") + perCall(ofCalls, r.calls),
      r.calls &&
        (!isOwn ? "inclusive" : diff ? "self, by calls from others" : "self, by all calls"),
    ),
  ];
}

// The calls of a function, and how many of them it makes itself.
function callsOfFunction(r) {
  const [again, again0] = [byItself(r), byItself0(r)];
  const others = diff ? r.calls : delta(r.calls, again);
  const isRecursive = again > 0 || again0 > 0;

  return box(
    "Calls",
    sides(others, r.calls0),
    isRecursive && `by others, ${sides(again, again0)} by itself`,
  );
}

// Of a difference: what says that code has only another name or place.
function moved(r) {
  const own = delta(at(r.self), at(r.self0));
  const all = delta(at(r.incl), at(r.incl0));
  const size = (x) => costOf(x) + costOf0(x);

  const isLike = (x) => x.mark && x.mark !== r.mark && x.file === r.file && x.object === r.object;

  const far = (x) =>
    (x.bare === r.bare ? 0 : 1) + Math.abs(size(x) - size(r)) / (size(x) + size(r) || 1);

  const like = r.mark
    ? rows
        .filter(isLike)
        .sort((a, b) => far(a) - far(b))
        .slice(0, 3)
    : [];

  const isMoved = !r.mark && Math.abs(own) > at(totals) / 1000 && 2 * Math.abs(all) < Math.abs(own);

  const note = like.length
    ? (r.mark === "new" ? "Gone from" : "New in") + " this file, perhaps by another name:"
    : r.mark === "gone"
      ? "Perhaps it is inlined into its callers now."
      : isMoved &&
        `The inclusive cost changed less: ${own < 0 ? "less" : "more"} may be inlined here now.`;

  return el(
    "div",
    { class: "dim" },
    note,
    like.map((x) => el("div", null, link(x), " ", sides(costOf(x), costOf0(x)))),
  );
}

function eventsOf(r) {
  const { side } = state;
  const shares = (list, i) => [num(count(list[i])), num(part(list[i], totals[i]), "dim")];

  const row = (name, i) => [
    diff ? cells(r[side][i], r[side + "0"][i]) : [shares(r.incl, i), shares(r.self, i)],
    el("td", null, jump({ event: name }, name, { title: longName(i) })),
  ];

  const value = (n) =>
    num(n == null ? "." : n && Math.abs(n) < 0.001 ? n.toPrecision(4) : n.toFixed(4));

  const ratio = ({ name }, i) => [
    diff
      ? [num(""), num(""), value(r.ratios[side === "self" ? side : "inclusive"]?.[i])]
      : [value(r.ratios.inclusive?.[i]), num(""), value(r.ratios.self?.[i])],
    num(""),
    el("td", null, text(name)),
  ];

  const title =
    `all ${events.length} events` + (!diff ? "" : side === "self" ? ", self" : ", inclusive");

  return (
    events.length > 1 &&
    el(
      "details",
      { open: data.ratios && true },
      el("summary", { class: "dim" }, title),
      table(
        { class: "events" },
        null,
        [...(diff ? titles() : ["Inclusive", "%", "Self", "%"].map((x) => [x, ""])), ["Event"]],
        [...events.map(row), ...(data.ratios || []).map(ratio)],
      ),
    )
  );
}

function callers(r) {
  const list = [...r.in.values()].filter((x) => x.from !== r).map((x) => ({ ...x, row: x.from }));
  // Within a cycle it is unknown.
  const cost = r.cycle == null ? costOf(r) - sum(list, (x) => at(x.cost)) : null;
  const count = delta(r.calls, byItself(r)) - sum(list, (x) => x.count);
  const isMore = cost > 0 || (r.cycle != null && count > 0);

  return diff || !isMore || (count <= 0 && list.length)
    ? list
    : [
        ...list,
        {
          cost: { [eventAt]: cost },
          ...(count > 0 ? { count, label: UNLISTED } : { label: "no caller recorded" }),
        },
      ];
}

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

const callees = (r) => [
  ...[...r.out.values()]
    .filter((x) => x.to !== r)
    .map((x) => ({ ...x, row: x.to, label: UNLISTED })),
  ...calleesOfUnlisted(r),
  { label: "self", kind: "self", cost: r.self, cost0: r.self0, count: null },
];

function calls(title, list, r) {
  const size = (x) => (diff ? Math.abs(delta(at(x.cost), at(x.cost0))) : 0);
  list.sort(
    (a, b) => size(b) - size(a) || delta(abs(at(b.cost)), abs(at(a.cost))) || b.count - a.count,
  );

  // Their number, in place of the cost, if the reader wants them in this order.
  const often = (x) => (diff ? Math.abs(delta(x.count, x.count0)) : (x.count ?? -1));

  const row = (x) =>
    el(
      "tr",
      null,
      x.within
        ? blanks("in the cycle")
        : cells(at(x.cost), at(x.cost0), costOf(r), x.kind || "incl"),
      num(x.count == null ? "" : times(x.count, x.count0, x.inlined), "often"),
      el("td", null, x.row ? link(x.row) : el("span", { class: "dim" }, x.label)),
    );

  const make = (rows, isByCalls) => {
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
      [...titles("Of this"), [button, "often"], ["Function"]],
      rows.map((x) => () => row(x)),
      12,
    );
  };

  return make(list, false);
}

// A table of the first rows, with a button that makes all.
function longTable(title, heads, rows, limit) {
  const showAll = (ev) => {
    ev.target.closest("tr").replaceWith(...rows.slice(limit).map((row) => row()));
    fit();
  };

  const more =
    rows.length > limit && el("button", { onclick: showAll }, `${rows.length - limit} more`);

  return table({ class: "calls" }, title, heads, [
    ...rows.slice(0, limit).map((row) => row()),
    ...(more ? [[el("td", { colspan: 6 }, more)]] : []),
  ]);
}
