// The search: which functions a query finds, and what they cost together.

// Whether a function is found; null if nothing is searched for.
let isFound = null;
// The functions that are found, in the order of the list, and what is inlined and found.
let foundRows = [];
let foundCopies = [];
// The lines of sources that are found where nothing else is.
let foundLines = [];

// What is found by what it is, not by a name.
const KINDS = {
  "inlined:": (r) => r.inlined === "all",
  "new:": (r) => r.mark === "new",
  "gone:": (r) => r.mark === "gone",
  "recursive:": (r) => r.cycle != null || byItself(r) > 0 || (diff && byItself0(r) > 0),
};
const hasPlace = (r, place) => r.object === place || r.files.includes(place);

// What a search finds, by name and by place: a part of a name without arguments, or else of a full
// name; with * ? [ { a glob, in slashes an expression; a path finds what has code of it;
// "file:PART", or what is in no name, is in files and objects. A capital letter makes a part of a
// name exact, unless nothing is found so.
function find(q, all) {
  const found = findExactly(q, all);

  return found.some((list) => list.length) || isExpression(q)
    ? found
    : findExactly(q.toLowerCase(), all);
}

function findExactly(q, all) {
  const isOfKind = KINDS[q] ?? (searchedPlaces().has(q) ? hasPlace : null);

  if (isOfKind) {
    return [[], all.filter((r) => isOfKind(r, q))];
  }
  const sought = q.replace(/^file:/, "");
  const isExact = sought !== sought.toLowerCase();
  const isGlob = !expressionIn(sought) && /[*?[{]/.test(sought);
  const expression = isGlob || expressionIn(sought) ? patternOf(sought) : null;
  const isPart = !expression;

  // As many components as the glob has.
  const end = (name, by) => name.split(by).slice(-sought.split(by).length).join(by);

  const has = (name, by) =>
    isPart
      ? (isExact ? name : name.toLowerCase()).includes(sought)
      : expression.test(name) || (isGlob && expression.test(end(name, by)));

  const withName = (names) =>
    q === sought ? all.filter((r) => names(r).some((name) => has(name, "::"))) : [];

  const short = withName((r) =>
    !isPart ? [r.name, r.short, r.bare, r.alone] : [q.includes("'") ? r.short : r.alone],
  );

  return [
    short.length || !isPart ? short : withName((r) => [r.name, r.narrow, nameBefore(r) ?? ""]),
    all.filter((r) => [r.file, r.object].some((path) => has(path, "/"))),
  ];
}

// The expression between slashes, and the letter i if upper and lower case are the same; null if a
// search has none. The path of a file that is called i has another slash.
const expressionIn = (sought) => /^\/(?:(.+)\/|([^/]+)\/(i))$/s.exec(sought);

// A pattern as the program takes it: an expression that matches some of a name, or a glob that
// matches all of it.
function patternOf(pattern) {
  const [, plain, caseless, flag = ""] = expressionIn(pattern) ?? [];

  return flag || plain
    ? new RegExp(caseless ?? plain, `u${flag}`)
    : new RegExp(`^(?:${glob(pattern)})$`, "su");
}

// The signs of expressions.
const SIGNS = /[\\^$.*+?()[\]{}|/]/gu;

// A glob as an expression: \c, a set, alternatives, and single characters.
function glob(q) {
  const parts = /\\(.)|\[(.[^\]]*)\]|\{([^}]*,[^}]*)\}|(.)/gsu;

  return q.replace(parts, (_, escaped, set, list, c) => {
    if (set) {
      return "[" + set.replace(/^[!^]/, "^").replace(/[\\\]]/g, "\\$&") + "]";
    }
    if (list) {
      return "(?:" + list.split(",").map(glob).join("|") + ")";
    }
    const wildcard = { "*": ".*", "?": "." }[c];

    return wildcard ?? (escaped || c).replace(SIGNS, "\\$&");
  });
}

// Sets which rows are shown, in their order, and says what they are.
function selectRows() {
  const { q } = state;
  const all = listed();
  const found = q && !isHeld() ? foundOrNull(q, all) : [all, []];
  const [named, placed] = found ?? [[], []];
  const chosen = named.length ? named : placed;
  const set = new Set(chosen.flatMap((r) => r.members ?? [r]));

  isFound = q && !isHeld() ? (r) => set.has(r) : null;
  foundRows = inOrder(chosen);
  foundCopies = isFound && state.by === "function" && found ? copiesWith(q) : [];
  foundLines =
    isFound && found && !foundRows.length && !foundCopies.length ? foundLinesWith(q) : [];
  ui.found.replaceChildren(
    ...[
      q ? whatIsFound(found, all) : rowCount(all.length) + ofWhichEvent(),
      q && !isHeld() && named.length && placed.length
        ? stateLink({ q: "file:" + q }, `+ ${byPlace(placed)}`)
        : "",
      named.length && foundCopies.length ? " + inlined, below" : "",
      isFound ? inOtherCase(q, all) : "",
      isFound && chosen.length ? functionsWith(q, " + ") : "",
    ].flat(Infinity),
  );
  ui.empty.replaceChildren(...belowRows());
}

// Of what costs are, where there are several events.
const ofWhichEvent = () => (events.length > 1 ? `, costs are ${state.event}` : "");

// How many more names an expression would match if upper and lower case were the same.
function moreInOtherCase(q, all) {
  const [, plain] = expressionIn(q) ?? [];
  const names = (sought) => findExactly(sought, all)[0].length;

  return plain && !plain.includes("/") ? names(`${q}i`) - names(q) : 0;
}

function inOtherCase(q, all) {
  const more = moreInOtherCase(q, all);

  return more > 0 ? [stateLink({ q: `${q}i` }, `+ ${count(more)} in upper or lower case`)] : [];
}

// Several words as an expression that matches any of them; null if there is only one.
function anyOfWords(q) {
  const words = q.split(/[|,\s]+/).filter(Boolean);
  const any = `/${words.map((word) => word.replace(SIGNS, "\\$&")).join("|")}/i`;

  return words.length > 1 && expressionIn(any)?.[3] ? any : null;
}

// A link to what any of several words finds.
function toAnyOfWords(q) {
  const any = anyOfWords(q);
  const number = any ? findExactly(any, rows)[0].length : 0;
  const to = { q: any, by: "function" };

  return number > 0 ? ["; ", stateLink(to, `any of these: ${functions(number)}`)] : [];
}

// What a search finds by name and by place; null if it is no expression.
function foundOrNull(q, all) {
  try {
    return find(q, all);
  } catch {
    return null;
  }
}

// Rows in the order of the column that the reader chose, or of the size of their change.
function inOrder(list) {
  const size = (r) => (series ? spread(r) : Math.abs(delta(costNow(r), costBefore(r))));
  const column = columns.find(isSorted) ?? { get: size };
  const compare = (a, b) => Number(a > b) - Number(a < b);
  const way = isDown() ? -1 : 1;
  const keyed = list.map((r) => [abs(column.get(r)) ?? -1, abs(costNow(r)) ?? -1, r]);

  keyed.sort(
    (a, b) =>
      way * compare(a[0], b[0]) || compare(b[1], a[1]) || compare(costOf(b[2]), costOf(a[2])),
  );
  return keyed.map(([, , r]) => r);
}

// How many of all rows a search finds, and what they cost.
function whatIsFound(found, all) {
  if (isHeld()) {
    return "Enter searches for this expression";
  }
  if (!found) {
    return "this is not an expression";
  }
  const [named, placed] = found;
  const number = (named.length || placed.length) && foundRows.length;

  if (!number) {
    return whatElse(all);
  }
  const isByPlace = !named.length && !searchedPlaces().has(state.q) && !KINDS[state.q];
  const how = isByPlace ? " by file or object" : "";

  return `${count(number)} of ${count(all.length)}${how}, ${joined(summary(state.q), "; ")} `;
}

// A link to the functions that a search finds, if the list has something else.
function functionsWith(q, lead) {
  const others = state.by === "function" ? [] : find(q, rows).flat();
  const number = new Set(others).size;

  return number > 0 ? [lead, stateLink({ by: "function" }, functionsOrContexts(number))] : [];
}

// What was searched without finding anything, and where else there would be something: among
// functions, if the list has groups, and in texts of sources.
function whatElse(all) {
  const isOfGroups = state.by !== "function";
  const places = state.q.startsWith("file:") ? "file or object" : "name, file or object";

  return [
    `${isOfGroups ? "none" : `no ${places}`} of ${rowCount(all.length)} matches`,
    ...functionsWith(state.q, "; found: "),
    ...toAnyOfWords(state.q),
    foundCopies.length && "; it is inlined at lines, below",
    foundLines.length && `; ${linesInWords(foundLines.length)} of sources, below`,
  ].filter(Boolean);
}

// The names of what is inlined in a source, as rows that a search finds.
const rowsOfNames = (source) =>
  (source.rowsOfNames ??= (source.inlined_names ?? []).map(text).map((name) => ({
    ...{ name, short: name, alone: name, narrow: name, bare: bareName(name) },
    ...{ file: "", object: "", files: [] },
  })));

// Which objects have no symbols, and how much is in their functions without names.
function withoutNames() {
  const nameless = rows.filter((r) => r.name.startsWith("0x"));
  const costOfAll = (list) => sum(list, (r) => at(r.self));
  const said = [...Map.groupBy(nameless, (r) => r.object)]
    .map(([object, list]) => [object, costOfAll(list)])
    .filter(([, cost]) => cost * 20 > at(totals))
    .map(([object, cost]) => `${baseName(object)} (${shareOf(cost, at(totals))} self)`);

  return said.length > 0 && `Names are missing in ${said.join(", ")}: no symbols were found`;
}

// What is inlined at lines and has a name that is searched for: the name, the place, and the cost
// there with all that it calls. The user's own sources come first.
function copiesWith(q) {
  const named = ([file, source]) => {
    const { inlined = [], is_foreign: isForeign = false } = source;
    const names = rowsOfNames(source);
    const isNamed = new Set(find(q, names)[0]);
    const copies = inlined.filter(([, , i]) => isNamed.has(names[i]));
    const byPlace = Map.groupBy(copies, ([, line, i]) => `${line} ${names[i].name}`);
    const once = Map.groupBy(source.inlined_once ?? [], ([line, i]) => `${line} ${names[i].name}`);

    return [...byPlace].map(([place, list]) => {
      const [[id, line, i]] = list;
      const { name } = names[i];
      // In all functions together it may cost less than in each of them.
      const cost = sum(once.get(place) ?? list, (copy) => at(copy.at(once.has(place) ? 2 : 3)));
      const owners = [...Map.groupBy(list, ([row]) => byId.get(row))]
        .map(([row, ofRow]) => ({ row, cost: sum(ofRow, ([, , , costs]) => at(costs)) }))
        .sort((a, b) => b.cost - a.cost);

      return { file, line, name, function: byId.get(id)?.name, cost, owners, isForeign };
    });
  };
  const all = [...sources()].filter(([file]) => hasSource(file)).flatMap(named);

  return all.sort((a, b) => Number(a.isForeign) - Number(b.isForeign) || b.cost - a.cost);
}

// The largest number of functions that are named of what is inlined into several.
const MAX_OWNERS = 4;

// Which functions it is inlined into, with its cost in each.
const ownersOfCopy = ({ owners }) =>
  el(
    "div",
    { class: "dim places" },
    owners
      .slice(0, MAX_OWNERS)
      .flatMap(({ row, cost }, i) => [
        i ? ", " : "in ",
        row ? link(row) : UNLISTED,
        `\u00a0${figures(cost, at(totals))[0]}`,
      ]),
    owners.length > MAX_OWNERS && ` and ${count(owners.length - MAX_OWNERS)} more`,
  );

// The table of these, below the rows that are found.
const tableOfCopies = () => [
  el("b", null, "Inlined at lines, with all that is called there"),
  longTable(
    null,
    [...costTitles(["Of all", "of the whole program"]), ["Line", "line"], ["Function"]],
    foundCopies.map((x) => () => {
      const place = linkToLine(x, `${baseName(x.file)}:${x.line}`);
      const shown = cells(x.cost, null, at(totals), "incl");

      return el(
        "tr",
        null,
        shown,
        num(place, "mono"),
        el("td", { class: "mono" }, x.name, x.owners.length > 1 && ownersOfCopy(x)),
      );
    }),
    12,
  ),
];

// What is below the list: what is inlined, or which lines are found, and why it is empty.
const belowRows = () =>
  [
    foundCopies.length > 0 && tableOfCopies(),
    foundLines.length > 0 && tableOfLines(),
    !foundRows.length && !foundCopies.length && el("p", null, whyEmpty()),
  ]
    .flat()
    .filter(Boolean);

// What an empty list says: what cannot be found, and how to search.
const whyEmpty = () =>
  joined(
    [
      withoutRows(),
      withoutNames(),
      "A search finds parts of names; f*g is a glob, /a|b/ an expression (/a|b/i in upper or " +
        "lower case), file:x finds what has code in a file or object.",
    ],
    ". ",
  );

// What is before the name of a function that is called, or in an expression.
const BEFORE_CALL =
  /[=;.!?,(]|->|^\s*(?:\}\s*)?(?:if|else|for|while|switch|match|return|do|catch)\b/;

// Whether a function whose name has this text begins at a line.
function beginsFunction(code, name) {
  const start = code.toLowerCase().indexOf(name.toLowerCase());
  const before = code
    .slice(0, start)
    .replace(/\w*$/, "")
    .replace(/^pub\(\w+\)/, "");
  const after = code.slice(start + name.length);

  return before.trim() !== "" && !BEFORE_CALL.test(before) && /^\w*\s*[(<]/.test(after);
}

// The last line of the block that begins at a line or below it: its brace is where the first line
// is indented to. Null if there is none.
function lastOfBlock(texts, first) {
  const [indent] = /^\s*/.exec(texts.get(first));
  let isOpen = false;

  for (let line = first; texts.has(line); line++) {
    const code = texts.get(line).trimEnd();

    isOpen ||= code.includes("{");
    if (!isOpen && code.endsWith(";")) {
      return null;
    }
    if (isOpen && (line === first ? code.endsWith("}") : code.startsWith(`${indent}}`))) {
      return line;
    }
  }
  return null;
}

// What the lines of a file cost themselves from one to another.
function costOfLines(file, first, last) {
  const costs = [];

  for (const part of partsOf(file)) {
    part.lines
      .filter(({ line }) => line >= first && line <= last)
      .forEach((x) => addTo(costs, after(x).self));
  }
  return at(costs);
}

// These lines as rows of a table: all lines of a function that begins at one, which has no row if
// it is inlined everywhere, and then single lines, the most expensive first.
function foundLinesWith(q) {
  const all = linesWith(q).map(([file, first]) => {
    const texts = textsOf(sources().get(file)?.ranges ?? []);
    const code = texts.get(first) ?? "";
    const last = beginsFunction(code, q) ? lastOfBlock(texts, first) : null;
    const cost = costOfLines(file, first, last ?? first);

    return { file, line: first, last, code: code.trim(), cost };
  });
  const rank = ({ last }) => Number(last == null);

  return all.sort((a, b) => rank(a) - rank(b) || (b.cost || 0) - (a.cost || 0));
}

// The table of these, below an empty list.
function tableOfLines() {
  const isWithFunction = foundLines.some(({ last }) => last != null);
  const row = ({ file, line, last: end, code, cost }) =>
    el(
      "tr",
      null,
      cells(cost, null, at(totals), "self"),
      num(linkToLine({ file, line }, `${baseName(file)}:${joined([line, end], "-")}`), "mono"),
      el("td", { class: "mono", title: code }, code),
    );

  return [
    el("b", null, "Lines of sources with this text, without what they call"),
    longTable(
      null,
      [...costTitles(SELF_OF_ALL), ["Line", "line"], ["Source"]],
      foundLines.map((x) => () => row(x)),
      12,
    ),
    isWithFunction &&
      data.record &&
      el(
        "p",
        null,
        "A function that is not listed is inlined into others. What it costs with all that it " +
          "calls is known if addresses are recorded: ",
        copyable(data.record),
      ),
  ].filter(Boolean);
}

// The lines of sources that have this text, as pairs of a file and a number, the user's own first;
// of FILE:LINE that line.
function linesWith(q) {
  const sought = q.toLowerCase();
  const [, name, line] = /^(.+):([1-9]\d*)$/.exec(q) ?? [];
  const named = [...searchedPlaces()].filter((path) => name && `/${path}`.endsWith(`/${name}`));
  const byOwner = Map.groupBy(sources(), ([, { is_foreign: isForeign = false }]) => isForeign);

  const withText = [false, true]
    .flatMap((isForeign) => byOwner.get(isForeign) ?? [])
    .filter(([path]) => hasSource(path))
    .flatMap(([path, { ranges }]) =>
      ranges.flatMap(([first, texts]) =>
        texts.flatMap((code, i) =>
          code.toLowerCase().includes(sought) ? [[path, first + i]] : [],
        ),
      ),
    );

  return [...named.map((path) => [path, Number(line)]), ...withText];
}

const linesInWords = (n) => count(n) + (n === 1 ? " line" : " lines");

// What cannot be found, and what it costs.
function withoutRows() {
  const { rows: number, ...more } = notListed() ?? {};
  const share = series ? "" : shareOf(at(after(more).self) || 0, at(totals));
  const cost = share && ` with ${share} of ${state.event}`;

  return (
    number > 0 &&
    `${functionsOrContexts(number, true)}${cost} ${number === 1 ? "is" : "are"} not listed`
  );
}

// How many rows a search finds by place, and what they cost themselves.
function byPlace(list) {
  const self = sum(list, (r) => at(r.self));
  const cost = diff || series ? "" : `, ${figures(self, at(totals))[0]} self`;

  return `${count(list.length)} by file or object${cost}`;
}

// The costs of all that is shown; of a path those of its own code. And what is not listed.
function summary(q) {
  if (series) {
    const all = labels.map((_, i) => sum(foundRows, (r) => valuesOf(r)[i]));

    return [`${sideName()} ${all.map(count).filter(isEnd).join(" \u2192 ")}`];
  }
  const share = (n, mark) => figures(n, at(totals), mark)[0];
  const own = (side) => sum(foundRows, (r) => at((r.parts.get(q) ?? r)[side]));
  const self = own("self");
  const withOtherFiles = sum(foundRows, (r) => at(r.self));
  const costs = [
    diff ? `self ${bothSides(self, own("self0"))}` : `${share(self)} self`,
    withOtherFiles !== self && ` in this file, ${share(withOtherFiles)} with other files`,
    !diff && !GROUPINGS[state.by].isSelfOnly && `, ${share(...withCallees())} inclusive`,
  ];

  return [joined(costs, ""), leftOutOf(q, self)];
}

// What is not listed of a path of which the listed functions have this cost, if it is more than
// nearly nothing. Below the list stands what is not listed of all.
function leftOutOf(q, self) {
  const sums = searchedPlaces().has(q) ? [...data.files, ...data.objects] : [];
  const ofPath = sums.find(([name]) => text(name) === q);
  const left = ofPath ? at(ofPath[1]) - self : 0;

  return (
    left > at(totals) / 20000 &&
    `${figures(left, at(totals))[0]} more of it is in functions that are not listed`
  );
}

// The cost of all that is shown, from the stacks: a frame within another one counts once. And
// whether that is an estimate, as stacks are.
function withCallees() {
  if (foundRows.length === 1) {
    return [costOf(foundRows[0]), at(foundRows[0].estimated)];
  }
  const stacks = at(data.stacks) ?? [];
  const chosen = new Set(foundRows.flatMap((r) => r.members ?? [r]));
  let cost = 0;
  let within = Infinity;

  for (let i = 0; i < stacks.length; i += 3) {
    if (stacks[i] <= within) {
      within = chosen.has(byId.get(stacks[i + 1])) ? stacks[i] : Infinity;
      if (within < Infinity) {
        cost = plus(cost, stacks[i + 2]);
      }
    }
  }
  return [Math.min(sum(foundRows, costOf), Math.max(cost, largestOf(foundRows, costOf))), true];
}
