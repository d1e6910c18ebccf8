// The parts of the page that stay.

// The elements that stay.
const ui = {};

const choiceGroup = (key, choices) =>
  el(
    "span",
    { class: "group " + key },
    choices.map(([value, label]) =>
      el(
        "button",
        { name: key, value, onclick: () => go({ [key]: value }, key === "view") },
        label,
      ),
    ),
  );

const themes = () =>
  choiceGroup("theme", [
    ["light", "Light"],
    ["dark", "Dark"],
  ]);

// What signs beside names and figures mean.
function signs() {
  const has = (is) => data.rows.some(is);
  const meanings = [
    "~ is estimated",
    ". is nothing recorded",
    "2x is two calls",
    !diff && has((r) => r.called?.by_itself > 0) && "1+2x is one by others, two by itself",
    ofMisses.length > 0 &&
      `${joined(
        ofMisses.map((c) => c.key),
        ", ",
      )} are misses in the function itself, of all`,
    data.cycles?.length > 0 && "(cycle 1) marks functions that call each other",
    has((r) => LEVEL.test(text(r.function))) && "f'2 is f where f is running already",
    has((r) => r.inlined) && "italic frames are inlined",
  ];

  return joined(meanings, "; ");
}

// The address, which has all that is shown.
function wholeAddress() {
  go({});
  return location.href;
}

function about() {
  const all = (key) => joined([...new Set(data.parts.map((x) => text(x[key])))], ", ");

  const keys =
    `/ search (part of a name, glob, /regex/, file:PART, FILE:LINE), \u2191 \u2193 functions, Enter panel, Esc back` +
    (series ? "" : ", g flame graph (arrows, Enter zooms, then opens), c call graph") +
    (diff || series ? "" : ", % or counts") +
    ", ? this";

  const facts = [
    ["keys", keys],
    ["signs", signs()],
    ["warnings", data.warnings?.join("; ")],
    ["columns", columns.flatMap((c) => (c.title ? [`${c.head}: ${c.title}`] : [])).join("; ")],
    ["link", "the address has all that is shown: keep it, or send it with the file"],
    ["table", "Copy table copies the list for a spreadsheet; --format=csv writes all of it"],
    ["command", all("command")],
    ["profile", !series && all("file")],
    ...(series ?? []).map(({ name, files }) => [text(name), files.map(text).join(", ")]),
    ["compared with", diff && data.base.files.map(text).join(", ")],
    ["creator", all("creator")],
    ["pid", all("pid")],
    ["parts", data.parts.length],
    ["threads", all("thread")],
    ["written by", text(data.program)],
    ...((data.parts[0] || {}).descriptions || []).map((d) => text(d).split(/: (.*)/)),
    ...events.map((name, i) => [
      name,
      joined(
        [
          !series && bothSides(totals[i], totalsBefore[i]),
          longName(i),
          data.events[i].formula && `= ${text(data.events[i].formula)}`,
        ],
        " ",
      ),
    ]),
  ];

  return el(
    "dialog",
    { "aria-label": "about the profile" },
    el("button", { onclick: () => ui.about.close() }, "Close"),
    table(
      null,
      null,
      null,
      facts
        .filter((fact) => fact[1])
        .map(([key, value]) => [el("th", { scope: "row" }, key), el("td", null, value)]),
    ),
    themes(),
  );
}

// What a printed page says of itself: the screen has it in the header and in About.
function printed() {
  const files = [
    ...new Set(
      (series?.flatMap((of) => of.files) ?? data.parts.map((part) => part.file)).map(text),
    ),
  ];
  const facts = [
    ...files,
    diff && `compared with ${data.base.files.map(text).join(", ")}`,
    text(data.program),
    location.hash.slice(1),
  ];

  return joined(facts, " \u00b7 ");
}

// An event below what it means, which the closed menu has no room for.
function eventChoice(name, meaning) {
  const choice = el("option", { value: name, title: meaning }, name);

  return meaning === name ? choice : el("optgroup", { label: meaning }, choice);
}

// The event, and its total beside it.
function makeEvents() {
  ui.event = el(
    "select",
    { "aria-label": "event", onchange: (ev) => go({ event: ev.target.value }, true) },
    events.map((name, i) => eventChoice(name, longName(i))),
  );
  ui.total = el("span", { class: "num" });
}

function makeSearch() {
  ui.search = el("input", {
    type: "search",
    "aria-label": "search",
    spellcheck: "false",
    autocomplete: "off",
    oninput: (ev) =>
      go({ q: ev.target.value, f: ui.list.clientWidth || ui.flame.clientWidth ? state.f : "" }),
  });
  ui.by = el(
    "select",
    { "aria-label": "rows", onchange: (ev) => go({ by: ev.target.value }, true) },
    Object.entries(GROUPINGS).map(([value, { title, also = "" }]) =>
      el("option", { value }, `List ${title.toLowerCase()}${also}`),
    ),
  );
  ui.found = el("span", { class: "dim", role: "status" });
  ui.legend = el("div", { id: "legend", class: "dim" });
}

// The list, whose rows are made as they come into view.
function makeList() {
  const sort = (c) => go({ sort: (isSorted(c) ? isDown() : isText(c)) ? "-" + c.key : c.key });
  const title = (c) =>
    el(
      "th",
      { scope: "col", class: c.kind, title: c.title },
      el("button", { onclick: () => sort(c) }),
    );

  ui.head = el("tr", { "aria-rowindex": 1 }, columns.map(title));
  ui.body = el("tbody");
  ui.empty = el("div", { class: "empty dim" });
  ui.table = el(
    "table",
    { role: "grid", tabindex: 0, "aria-label": "functions", "aria-readonly": "true" },
    el("thead", null, ui.head),
    ui.body,
  );
  ui.rows = el(
    "div",
    { id: "rows", tabindex: -1, onscroll: () => requestAnimationFrame(() => draw(false)) },
    ui.table,
    ui.empty,
  );
  ui.left = el("div", { id: "left", class: "dim" });
  ui.copy = copyButton(
    "Copy table",
    () => tableAsText(foundRows),
    "The browser does not allow it",
    "way",
  );
  ui.list = el(
    "section",
    { id: "list", class: diff ? "diff" : series && "series", "aria-label": "list" },
    hasContexts &&
      el(
        "div",
        { id: "contexts" },
        "Contexts (f in g: f called by g): ",
        choiceGroup("contexts", [
          ["together", "One row for each function"],
          ["apart", "A row for each context"],
        ]),
      ),
    ui.rows,
    ui.left,
  );
}

function makeFlameGraph() {
  const kind = diff ? "stacks diff" : "stacks";

  ui.callers = el("div", {
    id: "callers",
    role: "img",
    class: kind,
    "aria-label": "flame graph of the callers",
    onmouseleave: () => describe(cursor),
  });
  ui.stacks = el("div", {
    id: "stacks",
    role: "img",
    tabindex: 0,
    class: kind,
    "aria-label": "flame graph; the same figures are in the list of functions",
    onmouseleave: () => describe(cursor),
    onfocus: () => pointAt(cursor),
    onblur: () => frameBoxes.get(cursor).classList.remove("cursor"),
  });
  ui.at = el("div");
  ui.order = el("span");
  ui.thread =
    stacksOfThreads.size > 0 &&
    el(
      "select",
      {
        "aria-label": "threads of the flame graph",
        onchange: (ev) => go({ thread: ev.target.value }, true),
      },
      ["", ...stacksOfThreads.keys()].map((value) =>
        el("option", { value }, value || "All threads"),
      ),
    );
  ui.reset = el("button", { hidden: true, onclick: () => zoomTo(root) }, "Reset zoom");
  ui.flame = el(
    "section",
    { id: "flame", "aria-label": "flame graph" },
    ui.callers,
    ui.stacks,
    el(
      "div",
      { id: "at" },
      choiceGroup("graph", [
        ["whole", "Whole program"],
        ["inverted", "Inverted"],
        ["around", "Callers and callees"],
      ]),
      ui.thread,
      ui.reset,
      ui.at,
      el(
        "div",
        { class: "dim" },
        ui.order,
        el("span", { class: "help" }, "A click zooms, another one opens the function. "),
        "~ is an estimate: what is called is split among its callers.",
        data.cycles?.length > 0 && " In cycles of calls it may be far from the list.",
      ),
    ),
  );
}

// What is above all: the command, and what chooses what is shown.
function header() {
  const command = text((data.parts[0] || {}).command) || document.title;
  const ofTwo =
    diff || series
      ? choiceGroup("side", [
          ["self", "Self"],
          ["incl", "Inclusive"],
        ])
      : choiceGroup("unit", [
          ["percent", "%"],
          ["count", "Counts"],
        ]);

  return el(
    "header",
    null,
    el("h1", { title: command }, stateLink({ f: "", view: "list" }, command)),
    el("button", { onclick: () => ui.about.showModal() }, "About"),
    copyButton("Copy link", wholeAddress, "It is the address above", "link"),
    ui.about,
    el("span", { class: "space" }),
    ui.event,
    ui.total,
    ofTwo,
    !series &&
      choiceGroup("view", [
        ["list", "Functions"],
        ["flame", "Flame graph"],
        ["calls", "Call graph"],
      ]),
    themes(),
  );
}

function build() {
  makeEvents();
  makeSearch();
  makeList();
  makeFlameGraph();
  ui.about = about();
  ui.kept = el("section", { id: "kept", class: "dim", "aria-label": "notes on the figures" });
  ui.printed = el("p", { id: "printed", class: "dim" });
  ui.lines =
    data.lines_heading != null &&
    el("section", { id: "lines", "aria-label": "lines that cost most" });
  ui.panel = el("section", {
    id: "panel",
    class: diff && "diff",
    tabindex: -1,
    "aria-label": "function",
  });
  ui.graph = el("section", { id: "graph", "aria-label": "call graph" });
  ui.main = el("main", null, ui.list, ui.panel, ui.flame, ui.graph);
  ui.letters = el("span", { class: "mono", id: "letters", "aria-hidden": "true" }, "x".repeat(100));
  const top = header();

  if (diff || series) {
    document.title = (diff ? "Difference: " : "Series: ") + document.title;
  }
  document.body.prepend(
    top,
    el("div", { id: "tools", role: "search" }, ui.search, ui.by, ui.found, ui.legend),
    ...[ui.kept, ui.printed, ui.lines, ui.main, ui.letters].filter(Boolean),
  );
  ui.choices = document.querySelectorAll(".group button");
}
