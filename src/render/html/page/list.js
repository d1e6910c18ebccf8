// The list of functions. Only the rows that are in view are in the document.

// The height of a row and the width of a letter of names in pixels, as the reader's text size has
// them.
const rowHeight = () => ui.body.querySelector("tr[id]")?.offsetHeight || 22;
let letterWidth = 7.25;
const narrowWidth = () => 30 * letterWidth;

function measureLetters() {
  letterWidth = ui.letters.getBoundingClientRect().width / ui.letters.textContent.length || 7.25;
}
// The width and the height of the list when its rows were made.
let drawnSize = "";
const sizeOfList = () => `${ui.rows.clientWidth} ${ui.rows.clientHeight}`;

// The position among the functions of the first row that is in the document.
let firstDrawn = -1;
// The largest cost of a function, by column.
let largestCosts = {};
const isText = (c) => c.key === "name" || c.key === "file";
const isSorted = (c) => state.sort.replace("-", "") === c.key;
const isDown = () => !state.sort.startsWith("-");
const costNow = (r) => at(r[state.side]);
const costBefore = (r) => at(r[state.side + "0"]);
const isCostEstimated = (r) => (state.side === "incl" ? at(r.estimated) : r.isSelfDivided);

// What is said of a change: where the lines of the row are, or its percentage.
const saidOfChange = (r) =>
  elsewhereInWords(r) ?? [percentOfChange(costNow(r), costBefore(r), isCostEstimated(r))];

function relativeChange(now, was) {
  if (!was) {
    return now ? Infinity : 0;
  }
  return delta(now, was) / was;
}

// How many more calls of a function there are than before.
function callsChanged(r) {
  const change = delta(r.calls, r.calls0);

  return change ? signed(change) + "x" : ".";
}

/**
 * What is said of a row whose lines are in another one on the side that lacks it, and where.
 * @returns {[string, string] | undefined}
 */
function elsewhereInWords(r) {
  const part = elsewhereOf(r);

  return part ? ["moved", whereItsLinesAre(r, part)] : undefined;
}

// A column: its key in the address, its title, its class, the value that it is ordered by, and its
// cell, which is given the room that names have in pixels. The change of a difference has two
// cells.
const ofDifference = [
  {
    key: "before",
    head: "Before",
    kind: "num minor",
    title: "in the profile that this one is compared with",
    get: costBefore,
    cell: (r) => num(count(costBefore(r)), "minor"),
  },
  {
    key: "after",
    head: "After",
    kind: "num minor",
    title: "in this profile",
    get: costNow,
    cell: (r) => num(count(costNow(r)), "minor"),
  },
  {
    key: "change",
    head: "Change",
    kind: "num",
    get: (r) => delta(costNow(r), costBefore(r)),
    cell: (r) => changeCells(costNow(r), costBefore(r), saidOfChange(r)),
  },
  {
    key: "percent",
    head: "%",
    kind: "num",
    title: "the change, of the cost before",
    text: (r) => saidOfChange(r)[0],
    get: (r) => relativeChange(costNow(r), costBefore(r)),
    cell: () => null,
  },
  {
    key: "calls",
    head: "Calls",
    kind: "num changed",
    change: "(change)",
    title: "the change of the number of calls",
    text: (r) => callsChanged(r),
    get: (r) => delta(r.calls, r.calls0),
    cell: (r) => num(callsChanged(r), "changed dim", times(r.calls, r.calls0)),
  },
];

// How a function was called, and what a call costs.
function titleOfCalls(r) {
  const isKnown = r.calls && !r.members && r.cycle == null;
  const each = isKnown && `${state.event} per call: ${costsOfCall(r).whole} inclusive`;

  return joined([callsInWords(r), each], "\n");
}

const ofProfile = [
  {
    key: "incl",
    head: "Inclusive",
    kind: "num",
    title: "of the function with all that it calls",
    isShare: () => state.unit === "percent",
    get: (r) => at(r.incl),
    cell: (r) => bar(at(r.incl), at(totals), "incl", largestCosts.incl, at(r.estimated)),
  },
  {
    key: "self",
    head: "Self",
    kind: "num",
    title: "of the function without what it calls",
    isShare: () => state.unit === "percent",
    get: (r) => at(r.self),
    cell: (r) => bar(at(r.self), at(totals), "self", largestCosts.self, r.isSelfDivided),
  },
  {
    key: "calls",
    head: "Calls",
    kind: "num minor",
    title: "how often the function was called",
    text: (r) => (r.again ? timesCalled(r) : count(r.calls) + "x"),
    get: (r) => r.calls,
    cell: (r) => el("td", { class: "num minor", title: titleOfCalls(r) }, timesCalled(r)),
  },
  {
    key: "each",
    head: "Each",
    kind: "num minor",
    isHidden: true, // until the list is in the order of calls
    title: "the cost of a call by others, with all that it calls",
    text: (r) => (costOfACall(r) == null ? "" : count(costOfACall(r))),
    get: costOfACall,
    cell: (r) =>
      num(costOfACall(r) == null ? "" : countOf(costOfACall(r), at(r.estimated)), "minor"),
  },
];

// What a call by others costs with all that it calls; null where that is part of other calls.
function costOfACall(r) {
  const others = delta(r.calls, byItself(r));

  return r.members || r.cycle != null || !(others > 0) ? null : at(r.incl) / others;
}

const ACCESSES = {
  of: ["Ir", "Dr", "Dw"],
  ofEach: ["fetches", "reads", "writes"],
};

// Misses and mispredictions of all kinds, where they were recorded and a function has 1% of them:
// the function's own share.
const MISSES = [
  {
    key: "L1m",
    brief: "L1 misses",
    names: ["I1mr", "D1mr", "D1mw"],
    ...ACCESSES,
  },
  {
    key: "LLm",
    brief: "misses to memory",
    names: ["ILmr", "DLmr", "DLmw"],
    ...ACCESSES,
  },
  {
    key: "Bm",
    brief: "mispredictions",
    names: ["Bcm", "Bim"],
    of: ["Bc", "Bi"],
    ofEach: ["conditional branches", "indirect branches"],
  },
];

// The kind of misses that an event counts: all of them, or those of one kind of accesses.
function kindOfMisses(event) {
  const one = MISSES.flatMap(({ names, of, ofEach }) =>
    names.map((name, i) => ({ key: name, names: [name], of: [of[i]], ofEach: [ofEach[i]] })),
  );

  return [...MISSES, ...one].find(({ key }) => key === event);
}

// What costs have of events with these names.
const sumOf = (names, costs) => sum(names, (name) => costs[events.indexOf(name)]);

// A kind of accesses with this part of the misses, or more, has a rate of its own.
const MIN_PART = 0.05;

// For each kind of accesses that has most of the misses of these costs: what it is called, its
// misses, and how many accesses there are.
function missesByAccess(kind, costs) {
  const all = sumOf(kind.names, costs);
  const each = kind.names.map((name, i) => ({
    what: kind.ofEach[i],
    misses: sumOf([name], costs),
    accesses: sumOf([kind.of[i]], costs),
  }));

  return each.filter(({ misses }) => misses > 0 && misses >= MIN_PART * all);
}

// How many of the accesses or branches that have these costs miss, in words.
function rateOf(kind, costs, whose = "its ") {
  const rates = kind && missesByAccess(kind, costs);
  const inWords = ({ what, misses, accesses }) => {
    const rate = shareOf(misses, accesses);

    return rate !== "." && `${rate} of ${whose}${what}`;
  };

  return rates && joined(rates.map(inWords), ", ");
}

// The same of the row as a number: all of these misses among all of these accesses.
function rateOfRow(r) {
  const kind = kindOfMisses(state.event);
  const rates = kind ? missesByAccess(kind, r.self) : [];
  const accesses = sum(rates, (of) => of.accesses);

  return accesses ? sum(rates, (of) => of.misses) / accesses : null;
}

const ofMisses = MISSES.flatMap((kind) => {
  const { key, brief, names } = kind;
  const indexes = names.map((name) => events.indexOf(name)).filter((index) => index >= 0);
  const of = (costs) => sum(indexes, (index) => costs[index]);
  const all = of(totals);
  const ofProgram = `of ${count(all)} in the whole program`;
  const share = (r) => shareOf(of(r.self), all);
  const cell = (r) =>
    el(
      "td",
      {
        class: "num miss",
        title: joined(
          [`${share(r)}: ${count(of(r.self))} ${brief}, ${ofProgram}`, rateOf(kind, r.self)],
          "\n",
        ),
      },
      figures(of(r.self), all)[0],
    );
  const isShown = !diff && !series && all > 0 && recordedRows.some((r) => 100 * of(r.self) >= all);
  const column = {
    key,
    brief,
    what: `Self ${key}: ${brief}`,
    head: key,
    kind: "num miss",
    title: `${brief} in the function itself, ${ofProgram}`,
    isShare: () => state.unit === "percent",
    share,
    note: (r) => joined([`${share(r)} of all`, rateOf(kind, r.self)], "; "),
    get: (r) => of(r.self),
    cell,
  };

  return isShown ? [column] : [];
});

// What the column of files has: of a line the functions with its code, of a group their
// number.
function placeInList(r) {
  if (r.owners) {
    const [first, ...others] = r.owners;

    return others.length > 0 ? `${first.own} and ${count(others.length)} more` : first.narrow;
  }
  if (r.recorded) {
    // What the user wrote says most of what a thread does, unless most of it is start-up.
    const most = mostOfThread(r.name);
    const own = most ?? r.functions.find(({ row }) => isUsers(row));
    const isStartUp = most && most.cost * 2 < at(r.self);

    return ((!isStartUp && own) || r.functions[0])?.row.alone ?? "";
  }
  if (r.members) {
    return r.members.length ? functionsOrContexts(r.members.length) : "";
  }
  return baseName(r.file) || baseName(r.object);
}

const titleOfPlace = (r) =>
  r.owners
    ? joined(
        r.owners.map(({ name }) => name),
        "\n",
      )
    : !r.members && (r.file || r.object);

const ofBoth = [
  {
    key: "name",
    head: "Function",
    kind: "label",
    get: (r) => r.short,
    cell: (r, room) =>
      el(
        "td",
        { class: "mono", title: whyInCycle(r) },
        nameIn(r, room, nameInList(r)),
        nameBefore(r) && dimmed(` was ${nameBefore(r)}`),
      ),
  },
  {
    key: "file",
    head: "File",
    kind: "file",
    get: (r) => r.owners?.[0].alone ?? (r.members ? r.members.length : r.file),
    cell: (r) => el("td", { class: "dim file", title: titleOfPlace(r) }, placeInList(r)),
  },
];

// How many of a function's own accesses miss, if the event is that of misses.
const ofRates = {
  key: "rate",
  head: "Rate",
  kind: "num miss",
  isHidden: true,
  title: "how many of its own accesses or branches miss, of the kinds that have most of its misses",
  isShare: () => true,
  text: (r) => shareOf(rateOfRow(r), 1),
  get: rateOfRow,
  cell: (r) => num(shareOf(rateOfRow(r), 1), "miss", rateOf(kindOfMisses(state.event), r.self)),
};

const ofCosts = diff ? ofDifference : ofSeries;
const ofMissesAndRates = diff || series ? [] : [...(ofMisses.length ? [ofRates] : []), ...ofMisses];
const columns = [...(diff || series ? ofCosts : ofProfile), ...ofMissesAndRates, ...ofBoth];

// What fits of a name in this many pixels: all that tells it from others, its narrow form, or the
// function's own name.
const nameApart = (r) =>
  ([r.short, r.name, r.placed].find((x) => byName.get(x)) || r.narrow).replace("\n", " ") +
  r.suffix;

// The name of a function as a heading: with what tells it from others, but not with its caller,
// which stands below.
const nameAsHeading = (r) => (r.context ? r.alone : r.narrow);

// The name in the list beside the column of files, which tells equal names apart.
function nameInList(r) {
  if (r.members) {
    return r.short;
  }
  const hasFile = ui.head.querySelector(".file").clientWidth > 0 && byName.get(r.placed);

  return hasFile ? r.short + r.suffix : nameApart(r);
}

// What leads to a row.
function choice(r) {
  if (r.owners) {
    return { file: r.file, line: String(r.line) };
  }
  return r.members ? { group: r.name } : { f: keyOf(r) };
}

// The beginning of a name that has more than this many letters.
const cutOff = (name, room) => (name.length <= room ? name : `${name.slice(0, room - 1)}\u2026`);

// The start and the end of a name that has more than this many letters.
const cutWithin = (name, room) =>
  name.length <= room
    ? name
    : `${name.slice(0, Math.ceil(room / 2) - 1)}\u2026${name.slice(-Math.floor(room / 2))}`;

// The own name of a function with what follows it, as its file, which may be named like it.
const fromOwnName = ({ own, narrow }) =>
  narrow.startsWith(own) ? narrow : narrow.slice(Math.max(0, narrow.lastIndexOf(own)));

// The ways to write a name in fewer letters: what follows a function's own name goes first, from
// its end or from within, and what is before it only if that tells functions apart.
const WAYS_TO_CUT = [
  (r, room) => cutOff(fromOwnName(r), room),
  (r, room) => cutWithin(fromOwnName(r), room),
  ({ narrow }, room) => `\u2026${narrow.slice(1 - room).replace(/^\u2026/, "")}`,
];

// The name of a function in this many letters, if others have its own name, in a way in which all
// of them can be told apart.
function nameAmong(r, room) {
  const { same, ways } = namesakes(r);

  if (same.length < 2 || room <= r.own.length + 1) {
    return null;
  }
  if (!ways.has(room)) {
    const isApart = (way) => new Set(same.map((x) => way(x, room))).size === same.length;

    ways.set(room, WAYS_TO_CUT.find(isApart) ?? WAYS_TO_CUT[0]);
  }
  return ways.get(room)(r, room);
}

// The name of a context in this many letters: the function, and who called it, the nearest first.
function nameInContext(r, room) {
  return cutOff(`${r.alone} in ${callersIn(r)}`, Math.max(room, 12));
}

function nameIn(r, width, all = r.members ? r.short : nameApart(r)) {
  if (r.context) {
    return nameInContext(r, Math.floor(width / letterWidth));
  }
  if (all.length * letterWidth <= width) {
    return all;
  }
  const room = Math.floor(width / letterWidth) - r.suffix.length;
  const form = [r.narrow, nameAmong(r, room), r.own].find((name) => name && name.length <= room);

  // What is cut off is never the mark of a cycle.
  return (form ?? cutOff(r.own, Math.max(room, 8))) + r.suffix;
}

// What a cycle is, for a row that is in one.
function whyInCycle(r) {
  const others = inCycle(r).map((x) => x.alone);

  return (
    others.length > 0 &&
    `${r.name}\nin a cycle of calls with ${others.slice(0, 5).join(", ")}` +
      (others.length > 5 ? ` and ${count(others.length - 5)} more` : "")
  );
}

const listRow = (r, i, room) =>
  el(
    "tr",
    {
      id: "r" + r.id,
      title: r.owners ? `${r.name}\n${r.short}` : r.name,
      "aria-rowindex": i + 2,
      "aria-selected": String(r === picked),
      onclick: () => go(choice(r), true),
    },
    columns.map((c) => (c.isHidden ? null : c.cell(r, room))),
  );

// The largest number of rows on paper.
const MAX_PRINTED = 100;

// Makes the rows that are in view, or the first ones for a printer.
function draw(force, prints) {
  if (series && force) {
    fitColumns();
  }

  const height = rowHeight();
  const from = prints ? 0 : Math.max(0, Math.floor(ui.rows.scrollTop / height) - 10);
  if (!force && Math.abs(from - firstDrawn) < 8) {
    return;
  }

  const end = Math.min(
    foundRows.length,
    prints ? MAX_PRINTED : from + Math.ceil(ui.rows.clientHeight / height) + 20,
  );

  const room = prints ? narrowWidth() : ui.head.querySelector(".label").clientWidth - 12;

  const narrowed = columns.filter(
    (c, i) => c.key !== "file" && !c.isHidden && !ui.head.children[i].offsetWidth,
  );

  drawnSize = sizeOfList();

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
    ...foundRows.slice(from, end).map((r, i) => listRow(r, from + i, room)),
    ...fill(foundRows.length - end),
  );
  const cutOff =
    prints && end < foundRows.length && `the first ${end} of ${rowCount(foundRows.length)}`;
  ui.left.replaceChildren(
    joined([cutOff, withoutRoom(narrowed), ...leftOut()], "; ") || `${allInWords()} are listed`,
    stateLink({ f: "", view: "totals" }, data.reasons?.length ? "Totals, and why" : "Totals"),
    ui.copy,
    ...linksToKinds(),
  );
  ui.table.setAttribute("aria-rowcount", foundRows.length + 1);
  firstDrawn = from;
  ui.table.setAttribute(
    "aria-activedescendant",
    picked && document.getElementById("r" + picked.id) ? "r" + picked.id : "",
  );
}

function headOf(c) {
  if (state.by === "function" || !isText(c)) {
    return c.head;
  }
  if (c.key === "name") {
    return GROUPINGS[state.by].one;
  }
  if (state.by === "thread") {
    return "Most in";
  }
  return GROUPINGS[state.by].rows ? "Function" : "Listed functions";
}

// The order of the list by a column, as ARIA names it.
function orderBy(c) {
  if (!isSorted(c)) {
    return "none";
  }
  return isDown() ? "descending" : "ascending";
}

// The number of letters that the figures of a column need; shares fit the least width.
function lettersOf(c, all) {
  if (c.rem || c.isShare?.()) {
    return 0;
  }
  return c.text
    ? largestOf(all, (r) => c.text(r).length)
    : count(largestOf(all, (r) => Math.abs(c.get(r)))).length;
}

// The largest number of letters that a column of a series has room for.
const MAX_LETTERS = 26;

// Whether the rows of the list lack a column. The page does not have the calls of groups, nor what
// groups of groups cost in all; what a call costs is for readers who look at the numbers of calls,
// and has the room of files and of misses.
function isLeftOut({ key, kind }) {
  const isByCalls = /^-?(?:calls|each)$/.test(state.sort);

  if (key === "rate" && (state.by !== "function" || !kindOfMisses(state.event))) {
    return true;
  }
  if (state.by !== "function") {
    return /^(?:calls|each)$/.test(key) || (key === "incl" && GROUPINGS[state.by].isSelfOnly);
  }
  return isByCalls ? !diff && (key === "file" || kind === "num miss") : key === "each";
}

// The order and the width of the columns, which are as wide as their largest figures.
function drawHeads() {
  const all = listed();

  ui.list.classList.toggle("counts", state.unit === "count");
  ui.list.classList.toggle("groups", state.by !== "function");
  ui.list.classList.toggle("apart", hasContexts && areApart && state.by === "function");

  largestCosts = {
    incl: largestOf(all, (r) => at(r.incl)),
    self: largestOf(all, (r) => at(r.self)),
  };
  for (const [i, c] of columns.entries()) {
    const th = ui.head.children[i];
    const order = orderBy(c);

    if (!series) {
      c.isHidden = isLeftOut(c);
      if (th.hidden !== c.isHidden) {
        // Rows with other cells would keep the widths of columns.
        ui.body.replaceChildren();
      }
      th.hidden = c.isHidden;
    }

    // What a column needs takes long to find out where it needs the calls of all rows.
    if (!isText(c) && !c.isHidden) {
      const letters = lettersOf(c, all);

      c.letters = c.rem ? null : Math.min(MAX_LETTERS, Math.max(letters, c.head.length + 2));
      th.style.width = series
        ? `${c.rem ?? widthOf(c.letters)}rem`
        : `max(${c.kind === "num miss" ? 4 : 5.25}rem, ${letters + 1}ch + 0.75rem)`;
    }
    th.setAttribute("aria-sort", order);
    th.firstChild.textContent =
      headOf(c) + { none: "", descending: " \u25be", ascending: " \u25b4" }[order];
  }
}

// What `notListed` is for these rows.
let knownNotListed = { rows: null, more: null };

// The rows that a limit cut off, without contexts that the rows of their functions have.
function notListed() {
  const { more } = data.rest || {};

  if (knownNotListed.rows !== rows) {
    const contexts = rows.flatMap((r) => r.unlisted ?? []);

    knownNotListed = {
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
  return knownNotListed.more;
}

// Which columns do not fit.
const withoutRoom = (hidden) =>
  hidden.length > 0 && `columns that do not fit: ${hidden.map((c) => c.head).join(", ")}`;

// How many functions of a difference only one side has, or how many of a profile call themselves or
// each other: which contexts do is not known before their calls are added up.
const numbersOfKinds = lazily(() => {
  const kinds = diff ? ["gone", "new"] : ["recursive"];
  const isKnown = !series && !hasContexts;

  return kinds.map((kind) => [kind, isKnown ? rows.filter(KINDS[`${kind}:`]).length : 0]);
});

// Links to these.
const linksToKinds = () =>
  numbersOfKinds().flatMap(([kind, number]) =>
    number > 0 ? [stateLink({ q: `${kind}:`, by: "function" }, `${count(number)} ${kind}`)] : [],
  );

// How much of the total no function has.
function ofNoFunction() {
  const share = shareOf(at(data.rest?.of_no_row), at(totals));

  return parseFloat(share) > 0 && `${share} of ${state.event} belongs to no function`;
}

// What is not in the list.
function leftOut() {
  const { chosen, not_chosen: others, minimum: least } = data.rest || {};

  // The sums of groups have all functions.
  const { isOfLines } = GROUPINGS[state.by];
  const note = (x, what) =>
    x?.rows > 0 &&
    (isOfLines || state.by === "function") &&
    `${isOfLines ? "lines of " : ""}${functionsOrContexts(x.rows, true)} ${what}` +
      (series ? "" : `: ${shareOf(at(after(x).self) || 0, at(totals))} of ${state.event}`);
  const hidden = series ? hiddenColumns() : [];

  return [
    withoutRoom(hidden),
    note(
      notListed(),
      least ? `below ${least}% of every event, self and inclusive, not listed` : "not listed",
    ),
    chosen && note(others, "filtered out"),
    state.by !== "thread" && ofNoFunction(),
  ];
}
