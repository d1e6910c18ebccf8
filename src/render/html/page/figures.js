// Cells of tables with figures.

// Cells of figures. A bar is n's share of full, which is the largest of the column.
const figures = (n, of, mark) =>
  state.unit === "percent" ? [part(n, of, mark), count(n)] : [count(n), part(n, of, mark)];

const NESTED = "estimated: the profile does not record how much of this cost is nested";

const bar = (n, of, kind, full, mark) =>
  el(
    "td",
    {
      class: "num bar " + kind,
      title: joined([`${count(n)} (${part(n, of, mark)})`, mark && NESTED], ", "),
    },
    el("i", {
      style: { width: Math.max(0, Math.min(100, (100 * (n || 0)) / (full || of) || 0)) + "%" },
    }),
    el("span", null, figures(n, of, mark)[0]),
  );

const change = (now, was, d = delta(now, was)) => [
  num(d ? signed(d) : ".", worse(d)),
  num(percent(now, was), worse(d)),
];

const cells = (now, was, of, kind, full) =>
  diff
    ? [num(count(was), "more"), num(count(now), "minor"), change(now, was)]
    : [bar(now, of, kind, full), num(figures(now, of)[1], "dim more")];

const titles = (first) =>
  diff
    ? [
        ["Before", "more"],
        ["After", "minor"],
        ["Change", ""],
        ["%", ""],
      ]
    : state.unit === "percent"
      ? [
          [first, ""],
          [state.event, "more"],
        ]
      : [
          [state.event, ""],
          [first, "more"],
        ];

const blanks = (note) =>
  titles().map(([, kind], i) => num(i === (diff ? 2 : 0) && note, "dim " + kind));

// How often something was called; copies that were inlined were not called, and some profiles do
// not say how often anything was.
const times = (n, was, inlined) =>
  inlined && !n && !was
    ? "inlined"
    : diff && n !== was
      ? `${count(was || 0)} \u2192 ${count(n || 0)}`
      : n
        ? count(n) + "\u00d7"
        : "";

// How often a function was called: by others, and after a plus by itself.
function timesCalled(r) {
  const again = byItself(r);
  const others = delta(r.calls, again);

  return again > 0
    ? `${others > 0 ? count(others) : ""}+${times(again)}`
    : times(r.calls, null, r.inlined === "all");
}
