// Cells of tables with figures.

// A cost that is a time, in a unit that is read easily, if its event counts small ones.
function inTime(n) {
  const time = n * (data.events[eventAt].milliseconds ?? 0);

  if (!(time >= 0.001)) {
    return "";
  }
  if (time < 1) {
    return `${inHundredths(time * 1000)} \u00b5s`;
  }
  return time < 10000 ? `${inHundredths(time)} ms` : `${inHundredths(time / 1000)} s`;
}

// A cost, marked if it is estimated.
const countOf = (n, isEstimated) => (isEstimated && n != null ? "~" : "") + count(n);

// A cost and its share, the first as the reader chose.
const figures = (n, of, mark) =>
  state.unit === "percent"
    ? [shareOf(n, of, mark), countOf(n, mark)]
    : [countOf(n, mark), shareOf(n, of, mark)];

// What a table of parts is ordered by: a cost, or the size of its change.
const sizeOf = (costs, costs0) => (diff ? Math.abs(delta(at(costs), at(costs0))) : at(costs) || 0);

const DIVIDED = "estimated: divided by what callers paid";
const NESTED_CALLS =
  "Calls a+bx: the b calls are nested in others, and have no cost of their own; the cost of the a " +
  "outermost ones includes that of all calls nested in them, and of what these call: rows of a " +
  "line can add up to more than it costs";
const NESTED = "estimated: the profile does not record how much of this cost is nested";

// A cell with a bar that is n's share of `full`, which is the largest cost of the column.
function bar(n, of, kind, full, mark) {
  const title = joined(
    [`${countOf(n, mark)} ${state.event} (${shareOf(n, of, mark)})`, mark && NESTED],
    ", ",
  );
  const percentage = (100 * (n || 0)) / (full || of) || 0;

  return el(
    "td",
    { class: "num bar " + kind, title },
    el("i", { style: { width: `${Math.max(0, Math.min(100, percentage))}%` } }),
    el("span", null, figures(n, of, mark)[0]),
  );
}

/**
 * A change and its percentage, or what is said of a row that only one side has, and why.
 * @param {[string, string?]} [said]
 */
function changeCells(now, was, said = [percent(now, was)]) {
  const change = delta(now, was);
  const kind = worse(change);

  return [
    num(change ? signed(change) : ".", kind, bothSides(now, was)),
    num(said[0], `${kind} percent`, said[1]),
  ];
}

// The percentage of a change, marked if it is one of estimated costs.
const percentOfChange = (now, was, isEstimated) =>
  (isEstimated && now && was ? "~" : "") + percent(now, was);

// A change with its percentage, in words.
function changeInWords(now, was, mark) {
  const change = delta(now, was);

  return change ? `${signed(change)} (${percentOfChange(now, was, mark)})` : "no change";
}

const cells = (now, was, of, kind, full) =>
  diff
    ? [num(count(was), "more"), num(count(now), "minor"), changeCells(now, was)]
    : [bar(now, of, kind, full), num(figures(now, of)[1], "dim more")];

// What a share is of: the whole program, or what the panel is about.
/** @type {[string, string]} */
const SELF_OF_ALL = [
  "Self, of all",
  "of the whole program: of a line itself, or of calls with all below",
];
/** @type {[string, string]} */
const OF_THIS = ["Of this", "of the inclusive cost that is shown above"];

// The titles of these cells, with the classes of their columns and what they mean.
function costTitles([share, ofWhat] = []) {
  if (diff) {
    return [
      ["Before", "more"],
      ["After", "minor"],
      ["Change", ""],
      ["%", "percent"],
    ];
  }
  const titles = [
    [share, `Share of ${state.event}, ${ofWhat}`],
    [state.event, longName(eventAt)],
  ];
  const [first, second] = state.unit === "percent" ? titles : titles.reverse();

  return [
    [first[0], "", first[1]],
    [second[0], "more", second[1]],
  ];
}

const blanks = (note, title) =>
  costTitles().map(([, kind], i) => num(i === (diff ? 2 : 0) && note, "dim " + kind, title));

// A call within a cycle, or of a function by itself: what it costs is a part of what the first call
// costs.
const kindWithin = (from, to) => (to === from ? "nested" : "in the cycle");
const cellsWithin = (from, to) =>
  blanks(kindWithin(from, to), "within a recursion: the call that leads into it has the cost");

// How often something was called; copies that were inlined were not called, and some profiles do
// not say how often anything was.
function times(n, was, inlined) {
  if (inlined && !n && !was) {
    return "inlined";
  }
  if (diff && n !== was) {
    return `${count(was || 0)}\u00a0\u2192 ${count(n || 0)}`;
  }
  return n ? count(n) + "x" : "";
}

// Whether some calls have a cost, which others are part of.
const arePartlyNested = ({ count: all, nested }) => nested > 0 && nested < all;

// A number of calls; `a+b` for a calls that have a cost, which b others are part of.
const numberOfCalls = (call) =>
  arePartlyNested(call)
    ? `${count(delta(call.count, call.nested))}+${count(call.nested)}`
    : count(call.count || 0);

// The same in a table, and of both sides of a difference.
function timesOf(call) {
  const { count0 = null, nested0 = 0, inlined } = call;
  const before = numberOfCalls({ count: count0, nested: nested0 });

  if (diff && numberOfCalls(call) !== before) {
    return `${before}\u00a0\u2192 ${numberOfCalls(call)}`;
  }
  return arePartlyNested(call) ? `${numberOfCalls(call)}x` : times(call.count, count0, inlined);
}

// How often a function was called: by others, and after a plus by itself.
function timesCalled(r) {
  const again = byItself(r);
  const others = delta(r.calls, again);

  return again > 0
    ? `${others > 0 ? count(others) : ""}+${times(again)}`
    : times(r.calls, null, r.inlined === "all");
}

// The same in words, where a function calls itself.
function callsInWords(r) {
  const again = byItself(r);

  return again > 0 && `called by others ${times(delta(r.calls, again))}, by itself ${times(again)}`;
}
