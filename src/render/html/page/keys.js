// What keys do.

const focusOn = (e) => e.focus({ preventScroll: true });
const home = () =>
  ({ flame: ui.stacks, calls: ui.graph.querySelector("a.here") })[state.view] ?? ui.table;

function leave(target) {
  const searches = target === ui.search;
  if (searches) {
    focusOn(home());
  }
  if (searches || (state.q && !here)) {
    ui.search.value = "";
    go({ q: "" });
  } else if (state.view === "calls") {
    go({ view: "list" }, true);
    focusOn(home());
  } else if (state.view === "flame") {
    if (zoom) {
      zoomTo(root);
    } else {
      go({ view: "list" }, true);
    }
    focusOn(home());
  } else if (ui.panel.contains(target) && ui.list.clientWidth) {
    focusOn(ui.table);
  } else if (state.file) {
    go({ f: state.f }, true);
  } else {
    go({ f: "", view: "list" }, true);
  }
}

// What Enter chooses of what is found: what has the name that is sought, or else the first one.
const bestOf = (list) =>
  list.find((r) => [r.alone, r.bare, r.own, r.name].includes(state.q)) ?? list[0];

// Handles a key.
function pressKey(ev) {
  const { key, target } = ev;
  const typing = target === ui.search;
  const isFlame = state.view === "flame";
  const isList = state.view === "list" || state.view === "totals";

  if (ev.ctrlKey || ev.metaKey || ev.altKey || target.tagName === "SELECT" || ui.about.open) {
    return;
  }
  const isEdge = (key === "Home" || key === "End") && !typing;
  const by = isEdge
    ? (key === "End" ? 1 : -1) * foundRows.length
    : { ArrowDown: 1, ArrowUp: -1, PageDown: 20, PageUp: -20 }[key];
  const from = foundRows.indexOf(picked);

  // The first key of a page that shows no function leads to the first one.
  const to = from < 0 && key !== "End" ? 0 : from + by;
  const next = by && foundRows[Math.max(0, Math.min(foundRows.length - 1, to))];
  const inList = isList && (typing || ui.rows.contains(target) || target === document.body);
  if (key === "Escape") {
    leave(target);
  } else if (key === "Enter" && typing && isHeld()) {
    go({ q: ui.search.value });
  } else if (inList && next) {
    go({ ...choice(next), view: "list" });
    if (!typing) {
      focusOn(ui.table);
    }
  } else if (inList && key === "Enter" && target.tagName !== "BUTTON" && foundRows.length) {
    if (from < 0) {
      go(choice(bestOf(foundRows)), true);
    }
    focusOn(ui.panel.querySelector(".pair a") || ui.panel);
  } else if (typing && isList && key === "Enter") {
    // A line, or something in another list, is all that is found.
    const to = ui.empty.querySelector("a") ?? ui.found.querySelector("a");

    focusOn(to ? ui.panel : target);
    to?.click();
  } else if (target === ui.stacks && frameBoxes.has(frameBeside(key))) {
    pointAt(frameBeside(key));
  } else if (target === ui.stacks && key === "Enter") {
    zoomTo(cursor);
  } else if (typing && isFlame && key === "Enter") {
    focusOn(ui.stacks);
    pointAt((isFound && widest(isFound)) || cursor);
  } else if (typing) {
    return;
  } else if (key === "/") {
    focusOn(ui.search);
    ui.search.select();
  } else if (key === "g" && !series) {
    go({ view: isFlame ? "list" : "flame" }, true);
    focusOn(home());
  } else if (key === "c" && !series) {
    go({ view: state.view === "calls" ? "list" : "calls" }, true);
    focusOn(home());
  } else if (key === "%" && !diff && !series) {
    go({ unit: state.unit === "percent" ? "count" : "percent" });
  } else if (key === "?") {
    ui.about.showModal();
  } else {
    return;
  }
  ev.preventDefault();
}
