// The list of functions. Only the rows that are in view are in the document.

// The height of a row and the width of a letter of names in pixels, as the reader's text size has
// them.
const rowHeight = () => ui.body.querySelector("tr[id]")?.offsetHeight || 22;
let letterWidth = 7.25;
const narrowWidth = () => 30 * letterWidth;

function measureLetters() {
  letterWidth = ui.letters.getBoundingClientRect().width / ui.letters.textContent.length || 7.25;
}
// The position among the functions of the first row that is in the document.
let first = -1;
// The largest cost of a function, by column.
let largest = {};
const isText = (c) => c.key === "name" || c.key === "file";
const isSorted = (c) => state.sort.replace("-", "") === c.key;
const isDown = () => !state.sort.startsWith("-");
const now = (r) => at(r[state.side]);
const was = (r) => at(r[state.side + "0"]);

// A column: its key in the address, its title, its class, the value that it is ordered by, and its
// cell, which is given the room that names have in pixels. The change of a difference has two
// cells.
const ofDifference = [
  {
    key: "before",
    head: "Before",
    kind: "num minor",
    get: was,
    cell: (r) => num(count(was(r)), "minor"),
  },
  {
    key: "after",
    head: "After",
    kind: "num minor",
    get: now,
    cell: (r) => num(count(now(r)), "minor"),
  },
  {
    key: "change",
    head: "Change",
    kind: "num",
    get: (r) => delta(now(r), was(r)),
    cell: (r) => change(now(r), was(r)),
  },
  {
    key: "percent",
    head: "%",
    kind: "num",
    get: (r) => (was(r) ? delta(now(r), was(r)) / was(r) : now(r) ? Infinity : 0),
    cell: () => null,
  },
];

const ofProfile = [
  {
    key: "incl",
    head: "Inclusive",
    kind: "num",
    get: (r) => at(r.incl),
    cell: (r) => bar(at(r.incl), at(totals), "incl", largest.incl, at(r.estimated)),
  },
  {
    key: "self",
    head: "Self",
    kind: "num",
    get: (r) => at(r.self),
    cell: (r) => bar(at(r.self), at(totals), "self", largest.self),
  },
  {
    key: "calls",
    head: "Calls",
    kind: "num minor",
    get: (r) => r.calls,
    cell: (r) => num(timesCalled(r), "minor"),
  },
];

// Misses and mispredictions of all kinds, where they were recorded and a function has 1% of them:
// the function's own share.
const MISSES = [
  { key: "L1m", what: "misses of the first-level caches", names: ["I1mr", "D1mr", "D1mw"] },
  { key: "LLm", what: "misses of the last-level cache", names: ["ILmr", "DLmr", "DLmw"] },
  { key: "Bm", what: "mispredicted branches", names: ["Bcm", "Bim"] },
];

const ofMisses = MISSES.flatMap(({ key, what, names }) => {
  const indexes = names.map((name) => events.indexOf(name)).filter((index) => index >= 0);
  const of = (costs) => sum(indexes, (index) => costs[index]);
  const all = of(totals);
  const cell = (r) =>
    el("td", { class: "num miss", title: `${count(of(r.self))} ${what}` }, part(of(r.self), all));
  const isShown = !diff && !series && all > 0 && recorded.some((r) => 100 * of(r.self) >= all);
  const title = `${what} in the function itself, of all`;

  return isShown ? [{ key, head: key, kind: "num miss", title, get: (r) => of(r.self), cell }] : [];
});

const ofBoth = [
  {
    key: "name",
    head: "Function",
    kind: "label",
    get: (r) => r.short,
    cell: (r, room) => el("td", { class: "mono" }, nameIn(r, room, inList(r))),
  },
  {
    key: "file",
    head: "File",
    kind: "file",
    get: (r) => (r.members ? r.members.length : r.file),
    cell: (r) =>
      r.members
        ? el("td", { class: "dim file" }, r.members.length ? functions(r.members.length) : "")
        : el(
            "td",
            { class: "dim file", title: r.file || r.object },
            base(r.file) || base(r.object),
          ),
  },
];

const columns = [...(series ? ofSeries : diff ? ofDifference : ofProfile), ...ofMisses, ...ofBoth];

// What fits of a name in this many pixels: all that tells it from others, its narrow form, or the
// function's own name.
const apart = (r) =>
  ([r.short, r.placed, r.name].find((x) => byName.get(x)) || r.narrow).replace("\n", " ") +
  r.suffix;

const inList = (r) =>
  !r.members && ui.head.querySelector(".file").clientWidth && byName.get(r.placed)
    ? r.short + r.suffix
    : r.members
      ? r.short
      : apart(r);

// What leads to a row.
const choice = (r) => (r.members ? { group: r.name } : { f: keyOf(r) });

function nameIn(r, width, all = r.members ? r.short : apart(r)) {
  if (all.length * letterWidth <= width) {
    return all;
  }
  return width > narrowWidth() / 2 ? r.narrow : r.own;
}

const line = (r, i, room) =>
  el(
    "tr",
    {
      id: "r" + r.id,
      title: r.name,
      "aria-rowindex": i + 2,
      "aria-selected": String(r === picked),
      onclick: () => go(choice(r), true),
    },
    columns.map((c) => (c.isHidden ? null : c.cell(r, room))),
  );

// Makes the rows that are in view, or the first ones for a printer.
function draw(force, prints) {
  if (series && force) {
    fitColumns();
  }

  const height = rowHeight();
  const from = prints ? 0 : Math.max(0, Math.floor(ui.rows.scrollTop / height) - 10);
  if (!force && Math.abs(from - first) < 8) {
    return;
  }

  const end = Math.min(
    shown.length,
    prints ? 50 : from + Math.ceil(ui.rows.clientHeight / height) + 20,
  );

  const room = prints ? narrowWidth() : ui.head.querySelector(".label").clientWidth - 12;

  const fill = (n) =>
    n > 0 && !prints
      ? [
          el(
            "tr",
            { class: "fill", "aria-hidden": "true" },
            el("td", { style: { height: n * height + "px" } }),
          ),
        ]
      : [];

  ui.body.replaceChildren(
    ...fill(from),
    ...shown.slice(from, end).map((r, i) => line(r, from + i, room)),
    ...fill(shown.length - end),
  );
  const cutOff = prints && end < shown.length && `the first ${end} of ${what(shown.length)}`;
  ui.left.replaceChildren(
    joined([cutOff, ...leftOut()], "; ") || "all functions are listed",
    jump({ f: "", view: "totals" }, data.reasons?.length ? "Totals, and why" : "Totals"),
  );
  ui.table.setAttribute("aria-rowcount", shown.length + 1);
  first = from;
  ui.table.setAttribute(
    "aria-activedescendant",
    picked && document.getElementById("r" + picked.id) ? "r" + picked.id : "",
  );
}

const headOf = (c) =>
  state.by === "function" || !isText(c)
    ? c.head
    : c.key === "name"
      ? GROUPINGS[state.by].one
      : "Functions";

// The largest number of letters that a column of a series has room for.
const MAX_LETTERS = 26;

// The order and the width of the columns, which are as wide as their largest figures.
function heads() {
  const all = listed();

  largest = { incl: largestOf(all, (r) => at(r.incl)), self: largestOf(all, (r) => at(r.self)) };
  for (const [i, c] of columns.entries()) {
    const th = ui.head.children[i];
    const order = !isSorted(c) ? "none" : isDown() ? "descending" : "ascending";

    const digits =
      c.text || c.rem
        ? largestOf(all, (r) => c.text?.(r).length)
        : c.key === "percent"
          ? largestOf(all, (r) => percent(now(r), was(r)).length)
          : !diff && (state.unit === "percent" || c.kind === "num miss") && c.key !== "calls"
            ? 0
            : count(largestOf(all, (r) => Math.abs(c.get(r)))).length;

    if (series && !isText(c)) {
      c.letters = c.rem ? null : Math.min(MAX_LETTERS, Math.max(digits, c.head.length + 2));
      th.style.width = `${c.rem ?? widthOf(c.letters)}rem`;
    } else if (!isText(c)) {
      th.style.width = `max(${c.kind === "num miss" ? 4 : 5.25}rem, ${digits + 1}ch + 0.75rem)`;
    }
    th.setAttribute("aria-sort", order);
    th.firstChild.textContent =
      headOf(c) + { none: "", descending: " \u25be", ascending: " \u25b4" }[order];
  }
}

// What `notListed` is for these rows.
let unlisted = { rows: null, more: null };

// The rows that a limit cut off, without contexts that the rows of their functions have.
function notListed() {
  const { more } = data.rest || {};

  if (unlisted.rows !== rows) {
    const contexts = rows.flatMap((r) => r.unlisted ?? []);

    unlisted = {
      rows,
      more: more && {
        ...more,
        rows: more.rows - sum(contexts, ({ number }) => number),
        self: more.self?.map((n, i) =>
          delta(
            n,
            sum(contexts, ({ self }) => self[i]),
          ),
        ),
      },
    };
  }
  return unlisted.more;
}

// What is not in the list.
function leftOut() {
  const { chosen, not_chosen: others, minimum: least } = data.rest || {};

  const note = (x, what) =>
    x &&
    x.rows > 0 &&
    `${functions(x.rows)} ${what}` +
      (series ? "" : `: ${part(at(after(x).self) || 0, at(totals))} of ${state.event}`);
  const hidden = series ? hiddenLabels() : [];

  return [
    hidden.length > 0 && `columns that do not fit: ${hidden.join(", ")}`,
    note(
      notListed(),
      least ? `below ${least}% of every event, self and inclusive, not listed` : "not listed",
    ),
    chosen && note(others, "filtered out"),
  ];
}
