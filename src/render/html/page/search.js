// The search: which functions a query finds, and what they cost together.

// Whether a function is found; null if nothing is searched for.
let match = null;
// The functions that are found, in the order of the list.
let shown = [];

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
  if (q === "inlined:" || places().has(q)) {
    return [
      [],
      all.filter((r) =>
        q === "inlined:" ? r.inlined === "all" : r.object === q || r.files.includes(q),
      ),
    ];
  }
  const sought = q.replace(/^file:/, "");
  const isRegex = /^\/.+\/$/s.test(sought);
  const isExact = sought !== sought.toLowerCase();

  const isGlob = !isRegex && /[*?[{]/.test(sought);
  const isPart = !isRegex && !isGlob;

  let expression = null;

  if (isRegex) {
    expression = new RegExp(sought.slice(1, -1), "u");
  } else if (isGlob) {
    expression = new RegExp(`^(?:${glob(sought)})$`, "su");
  }

  // As many components as the glob has.
  const end = (name, by) => name.split(by).slice(-sought.split(by).length).join(by);

  const has = (name, by) =>
    isPart
      ? (isExact ? name : name.toLowerCase()).includes(sought)
      : expression.test(name) || (isGlob && expression.test(end(name, by)));

  const byName = (names) =>
    q === sought ? all.filter((r) => names(r).some((name) => has(name, "::"))) : [];

  const short = byName((r) =>
    !isPart ? [r.name, r.short, r.bare, r.alone] : [q.includes("'") ? r.short : r.alone],
  );

  return [
    short.length || !isPart ? short : byName((r) => [r.name, r.narrow]),
    all.filter((r) => [r.file, r.object].some((path) => has(path, "/"))),
  ];
}

// A glob as an expression: \c, a set, alternatives, and single characters.
function glob(q) {
  return q.replace(/\\(.)|\[(.[^\]]*)\]|\{([^}]*,[^}]*)\}|(.)/gsu, (all, quoted, set, list, c) =>
    set
      ? "[" + set.replace(/^[!^]/, "^").replace(/[\\\]]/g, "\\$&") + "]"
      : list
        ? "(?:" + list.split(",").map(glob).join("|") + ")"
        : c === "*"
          ? ".*"
          : c === "?"
            ? "."
            : (quoted || c).replace(/[\\^$.*+?()[\]{}|/]/u, "\\$&"),
  );
}

// What is shown, in order, and its share of the whole.
function select() {
  const { q } = state;
  // At first by what changed.
  const size = (r) => (series ? spread(r) : Math.abs(delta(now(r), was(r))));
  const column = columns.find(isSorted) || { get: size };

  const all = listed();
  let found = [all, []];
  try {
    if (q && !isHeld()) {
      found = find(q, all);
    }
  } catch {
    found = null;
  } // not an expression

  const [named, placed] = found || [[], []];
  const chosen = named.length ? named : placed;
  const set = new Set(chosen.flatMap((r) => r.members ?? [r]));

  const compare = (a, b) => Number(a > b) - Number(a < b);
  const way = isDown() ? -1 : 1;

  match = q && !isHeld() ? (r) => set.has(r) : null;
  const keyed = chosen.map((r) => [abs(column.get(r)) ?? -1, abs(now(r)) ?? -1, r]);
  keyed.sort(
    (a, b) =>
      way * compare(a[0], b[0]) || compare(b[1], a[1]) || compare(costOf(b[2]), costOf(a[2])),
  );
  shown = keyed.map((x) => x[2]);
  const isByPlace = !named.length && placed.length > 0 && !places().has(q);
  ui.found.replaceChildren(
    !q
      ? what(all.length)
      : isHeld()
        ? "Enter searches for this expression"
        : !found
          ? "this is not an expression"
          : !chosen.length
            ? joined(
                [
                  "no name, file or object of what is listed matches",
                  withoutRows(),
                  "/a|b/ is an expression, f*g a glob",
                ],
                "; ",
              )
            : `${count(chosen.length)} of ${count(all.length)}` +
              `${isByPlace ? " by file or object" : ""}, ${joined(summary(q), "; ")} `,
    q && !isHeld() && named.length && placed.length
      ? jump({ q: "file:" + q }, `+ ${count(placed.length)} by file or object${ownShare(placed)}`)
      : "",
  );
}

// What cannot be found, and what it costs.
function withoutRows() {
  const { rows: number, ...more } = notListed() ?? {};
  const cost = series
    ? ""
    : ` with ${part(at(after(more).self) || 0, at(totals))} of ${state.event}`;
  const verb = number === 1 ? "is" : "are";

  return number > 0 && `${functions(number)}${cost} ${verb} not listed`;
}

// What these functions cost themselves.
const ownShare = (list) =>
  diff || series
    ? ""
    : `, ${
        figures(
          sum(list, (r) => at(r.self)),
          at(totals),
        )[0]
      } self`;

// The costs of all that is shown; of a path those of its own code, and what of it is not listed.
function summary(q) {
  if (series) {
    const all = labels.map((_, i) => sum(shown, (r) => valuesOf(r)[i]));

    return [
      `${state.side === "self" ? "self" : "inclusive"} ${all.map(count).filter(isEnd).join(" \u2192 ")}`,
    ];
  }
  const share = (n) => figures(n, at(totals))[0];
  const own = (r, side) => at((r.parts.get(q) || r)[side]);

  const self = sum(shown, (r) => own(r, "self"));
  const whole = sum(shown, (r) => at(r.self));

  const all = places().has(q) && [...data.files, ...data.objects].find((x) => text(x[0]) === q);

  const rest = all ? at(all[1]) - self : at(after(notListed() ?? {})?.self);
  const isLeftOut = rest > at(totals) / 20000;
  const [inclusive, isEstimated] = withCallees();

  return [
    (diff
      ? `self ${sides(
          self,
          sum(shown, (r) => own(r, "self0")),
        )}`
      : `${share(self)} self`) +
      (whole !== self ? ` in this file, ${share(whole)} with other files` : "") +
      (diff ? "" : `, ${figures(inclusive, at(totals), isEstimated)[0]} inclusive`),
    isLeftOut &&
      (all ? `${share(rest)} more of it is in functions that are not listed` : withoutRows()),
  ];
}

// The cost of all that is shown, from the stacks: a frame within another one counts once. And
// whether that is an estimate, as stacks are.
function withCallees() {
  if (shown.length === 1) {
    return [costOf(shown[0]), at(shown[0].estimated)];
  }

  let cost = 0;
  let within = Infinity;
  let stacks = at(data.stacks) || [];
  let found = new Set(shown.flatMap((r) => r.members ?? [r]));
  for (let i = 0; i < stacks.length; i += 3) {
    if (stacks[i] <= within) {
      within = found.has(byId.get(stacks[i + 1])) ? stacks[i] : Infinity;
      if (within < Infinity) {
        cost = plus(cost, stacks[i + 2]);
      }
    }
  }
  return [Math.min(sum(shown, costOf), Math.max(cost, largestOf(shown, costOf))), true];
}
