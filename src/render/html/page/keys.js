// What keys do.

const focus = (e) => e.focus({ preventScroll: true });
const home = () => (state.view === "flame" ? ui.stacks : ui.table);

function escape(target) {
  const searches = target === ui.search;
  if (searches) {
    focus(home());
  }
  if (searches || (state.q && !here)) {
    ui.search.value = "";
    go({ q: "" });
  } else if (state.view === "flame") {
    if (zoom) {
      zoomTo(root);
    } else {
      go({ view: "list" }, true);
    }
    focus(home());
  } else if (ui.panel.contains(target) && ui.list.clientWidth) {
    focus(ui.table);
  } else {
    go({ f: "" }, true);
  }
}

// A key.
function press(ev) {
  const { key, target } = ev;
  const typing = target === ui.search;
  const isFlame = state.view === "flame";

  if (ev.ctrlKey || ev.metaKey || ev.altKey || target.tagName === "SELECT" || ui.about.open) {
    return;
  }
  const by = { ArrowDown: 1, ArrowUp: -1, PageDown: 20, PageUp: -20 }[key];
  const from = shown.indexOf(here);

  const next = by && shown[from < 0 ? 0 : Math.max(0, Math.min(shown.length - 1, from + by))];
  const inList = !isFlame && (typing || ui.rows.contains(target) || target === document.body);
  if (key === "Escape") {
    escape(target);
  } else if (key === "Enter" && typing && isHeld()) {
    go({ q: ui.search.value });
  } else if (inList && next) {
    go({ f: keyOf(next) });
    if (!typing) {
      focus(ui.table);
    }
  } else if (inList && key === "Enter" && target.tagName !== "BUTTON" && shown.length) {
    if (from < 0) {
      go({ f: keyOf(shown[0]) }, true);
    }
    focus(ui.panel.querySelector(".pair a") || ui.panel);
  } else if (target === ui.stacks && boxes.has(step(key))) {
    point(step(key));
  } else if (target === ui.stacks && key === "Enter") {
    zoomTo(cursor);
  } else if (typing && isFlame && key === "Enter") {
    focus(ui.stacks);
    point((match && widest(match)) || cursor);
  } else if (typing) {
    return;
  } else if (key === "/") {
    focus(ui.search);
    ui.search.select();
  } else if (key === "g") {
    go({ view: isFlame ? "list" : "flame" }, true);
    focus(home());
  } else if (key === "%" && !diff) {
    go({ unit: state.unit === "percent" ? "count" : "percent" });
  } else if (key === "?") {
    ui.about.showModal();
  } else {
    return;
  }
  ev.preventDefault();
}
