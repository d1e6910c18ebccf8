// What is shown, as the address has it: a page can be sent with its state, and the back and
// forward buttons of the browser work.

// The column that the list is ordered by at first.
const firstOrder = data.order_by === "inclusive" ? "incl" : "self";

// The first event with a total; of a difference without reasons that has changed.
const isUnexplained = diff && !data.reasons?.length;
const topEvent =
  data.order.map(text).find((name) => {
    const i = events.indexOf(name);

    return isUnexplained ? delta(totals[i], totalsBefore[i]) : totals[i];
  }) || events[0];

// The event that rows are ordered by at first, which reasons and changed lines are of.
const firstEvent = data.order.map(text).find((name) => events.includes(name)) ?? events[0];

// Whether the list and the panel are beside each other.
const isWide = () => matchMedia("(min-width: 47.5rem)").matches;

// Whether the most expensive lines are worth reading: the user's, or those with a text.
const haveLinesToRead =
  /^your/.test(text(data.lines_heading)) || data.lines?.some((line) => line.text != null);

const initial = {
  f: "",
  file: "",
  line: "",
  group: "",
  by: "function",
  event: topEvent,
  sort: diff || series ? "size" : firstOrder,
  q: "",
  view: "list",
  unit: series ? "count" : "percent",
  side: diff || series ? firstOrder : "self",
  graph: "whole",
  thread: "",
  contexts: "together",
  lines:
    isWide() && matchMedia("(min-height: 40rem)").matches && haveLinesToRead ? "open" : "folded",
  theme: matchMedia("(prefers-color-scheme: dark)").matches ? "dark" : "light",
};

const state = { ...initial };
// The number of the event that is shown, the function that is shown, and the row that is selected
// in the list: this function, or a group of functions.
let eventAt = events.indexOf(topEvent);
let here = null;
let picked = null;
// The figure of the event that is shown.
const at = (costs) => (costs || [])[eventAt];

// Which cost is shown of rows that have two sides or more.
const sideName = () => (state.side === "self" ? "self" : "inclusive");

// The state with a change. In the panel a function, a file and a group take one another's place,
// and that of the totals, which a search leaves, too. A file has a function beside it if it is
// opened from there.
function changed(change) {
  const isOfPanel = ["f", "file", "group", "by"].some((key) => key in change);
  const leaves = state.view === "totals" && (isOfPanel || "q" in change);

  return {
    ...state,
    ...(isOfPanel && { f: "", file: "", line: "", group: "" }),
    ...(leaves && { view: "list" }),
    ...change,
  };
}

// The address of the page with a change of its state. It names the function also where that is the
// first one: when the profile is recorded again, another one may be the first.
const hash = (change) =>
  "#" +
  new URLSearchParams(
    Object.entries(changed(change)).filter(
      ([key, value]) => value !== initial[key] || (key === "f" && value),
    ),
  );

function readAddress() {
  const isChoice = (key, value) =>
    [...ui.choices].some((button) => button.name === key && button.value === value);

  const isColumn = (key) => columns.some((c) => c.key === key || "-" + c.key === key);
  const isKnown = {
    f: (x) => x === "" || byKey(x),
    file: (x) => partsOf(x).length,
    line: (x) => /^-?[1-9]\d{0,9}$/.test(x),
    group: () => true,
    lines: (x) => x === "open" || x === "folded",
    by: (x) => Object.hasOwn(GROUPINGS, x),
    view: (x) => ["list", "totals", ...(series ? [] : ["flame", "calls"])].includes(x),
    event: (x) => events.includes(x),
    sort: isColumn,
    thread: (x) => stacksOfThreads.has(x),
    q: () => true,
  };
  const asked = new URLSearchParams(location.hash.slice(1));
  const sought = asked.get("f") ?? "";

  arrangeAsChosen(asked.get("contexts") ?? initial.contexts);
  Object.assign(state, initial);
  if (!isKnown.f(sought) && !/^\d+$/.test(sought)) {
    // No function, or several, have the name now.
    Object.assign(state, { f: "", q: sought.split(" in ")[0] });
  }
  for (const [key, value] of asked) {
    if (
      Object.hasOwn(initial, key) &&
      (isKnown[key] ? isKnown[key](value) : isChoice(key, value))
    ) {
      state[key] = value;
    }
  }
  back = (history.state || {}).zoom || 0;
  render();
}

// An expression can take for ever, so one that is not typed here, but comes with the address, waits
// for Enter.
const typed = new Set();

const isExpression = (q) =>
  expressionIn(q.replace(/^file:/, "")) != null || q.split("*").length > 4;
const isHeld = () => isExpression(state.q) && !typed.has(state.q);

// Changes the state; with push the one before is where the browser goes back to.
function go(change, push) {
  try {
    const to = hash(change);

    // The same address again is no step to go back.
    history[push && to !== location.hash ? "pushState" : "replaceState"](null, "", to);
  } catch {
    /* a frame without rights */
  }
  if ("q" in change) {
    typed.add(change.q);
  }
  Object.assign(state, changed(change));
  render("by" in change || "q" in change || "sort" in change); // where the first rows are others
}

const isEnd = (_, i, list) => i === 0 || i === list.length - 1;

// Whether a group, or a line, is what the panel shows.
const isPicked = ({ name, owners, file, line }) =>
  owners ? file === state.file && String(line) === state.line : name === state.group;

// Makes rows of functions or of their contexts, as the state says.
function arrangeAsChosen(contexts) {
  if (hasContexts && areApart !== (contexts === "apart")) {
    arrange(contexts === "apart");
    wholeTree = null;
    ui.key = null;
  }
}

// Draws the flame graph or the call graph.
function drawPicture(wasInPanel) {
  if (state.view === "flame") {
    drawFlameGraph();
  } else {
    const first = foundRows.find((r) => !r.members) ?? rows[0];

    drawGraph(here ?? (state.q ? first : whereCostDivides(first)));
  }
  if (wasInPanel) {
    // What had the focus is hidden.
    focusOn(home());
  }
}

function render(fromTop) {
  eventAt = events.indexOf(state.event);
  arrangeAsChosen(state.contexts);
  if (here && !byKey(state.f) && state.f) {
    // Its name is another one as a context, and as a whole function.
    state.f = keyOf(byId.get(here.id));
  }
  here = byKey(state.f);

  const isFlame = state.view === "flame";
  const isGraph = state.view === "calls";
  const isList = !isFlame && !isGraph;
  const d = delta(at(totals), at(totalsBefore));

  document.documentElement.dataset.theme = state.theme;
  ui.event.value = state.event;
  ui.by.value = state.by;
  if (ui.thread) {
    ui.thread.value = state.thread;
  }
  ui.search.placeholder = `Search ${rowsInWords()}, or file:NAME  ( / )`;
  if (document.activeElement !== ui.search) {
    ui.search.value = state.q;
  }
  // The totals stand beside the list.
  const chosen = { ...state, view: state.view === "totals" ? "list" : state.view };

  for (const button of ui.choices) {
    button.setAttribute("aria-pressed", String(chosen[button.name] === button.value));
  }
  ui.total.replaceChildren(
    series
      ? totalsOf().map(count).filter(isEnd).join(" \u2192 ")
      : bothSides(at(totals), at(totalsBefore)),
    diff ? el("span", { class: worse(d) }, ` ${changeInWords(at(totals), at(totalsBefore))}`) : "",
    !diff && !series && inTime(at(totals)) ? ` = ${inTime(at(totals))}` : "",
    el("span", { class: "dim words" }, ` ${longName(eventAt)}`),
  );
  const [warning, ...others] = data.warnings ?? [];
  const more = others.length > 0 && ` (and ${count(others.length)} more: About)`;
  const said = [
    ...(data.kept_lines?.[eventAt] ?? []),
    joined([warning && `Warning: ${warning}`, more], ""),
  ];

  ui.kept.replaceChildren(...said.filter(Boolean).map((line) => el("div", null, line)));
  ui.kept.hidden = !ui.kept.firstChild;
  selectRows();
  picked = state.by === "function" ? here : listed().find(isPicked);
  const focused = document.activeElement;
  const wasInPanel = ui.panel.contains(focused);

  for (const [part, isShown] of [
    [ui.list, isList],
    [ui.panel, isList],
    [ui.flame, isFlame],
    [ui.legend, isFlame],
    [ui.graph, isGraph],
  ]) {
    part.hidden = !isShown;
  }
  if (ui.lines) {
    ui.lines.hidden = !isList;
    showLines();
  }
  if (!isList) {
    return drawPicture(wasInPanel);
  }
  drawHeads();
  panel();
  if (wasInPanel && !focused.isConnected) {
    // What had the focus was made anew.
    focusOn(ui.panel);
  }

  const height = rowHeight();
  const y = fromTop ? 0 : foundRows.indexOf(picked) * height;
  const { scrollTop, clientHeight } = ui.rows;
  const isChosen = fromTop || ui.pickedBefore !== picked;

  ui.pickedBefore = picked;
  if (y >= 0 && isChosen) {
    if (!ui.body.firstChild) {
      // An empty list cannot be scrolled.
      draw(true);
    }
    ui.rows.scrollTop = Math.min(y, Math.max(scrollTop, y + height * 2.5 - clientHeight));
  }
  draw(true);
}

// A link within the page, to a state.
const stateLink = (change, label, props) =>
  el(
    "a",
    {
      ...props,
      href: hash(change),
      onclick: (ev) => {
        if (!ev.ctrlKey && !ev.metaKey) {
          ev.preventDefault();
          go(change, true);
        }
      },
    },
    label,
  );
