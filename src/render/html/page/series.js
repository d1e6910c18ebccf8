// A series of profiles: the figures of a row on each of them, and their course as a line.

const labels = (series ?? []).map(({ name }) => text(name));

// The costs that are shown of a side: self or inclusive.
const costsOn = (side) => (state.side === "self" ? side.self : side.inclusive);

// The figures of a row by profile, of the event that is shown; null where a profile has none.
const valuesOf = (r) => r.sides.map((side) => at(costsOn(side)) ?? null);

// The figures of the whole program by profile.
const totalsOf = () => series.map(({ total }) => at(total) ?? null);

// Whether each profile recorded the event that is shown: the others have no figures at all.
const knownProfiles = () => series.map(({ recorded }) => recorded[eventAt]);

// The largest change from one profile to the next, of equal ones the first; null if all are equal.
// Profiles without the event are passed over; elsewhere no figure is 0.
function largestStep(values, isKnown) {
  let largest = null;
  let from = -1;

  for (const [i, value] of values.entries()) {
    if (!isKnown[i]) {
      continue;
    }
    if (from >= 0) {
      const size = Math.abs(delta(value, values[from]));

      if (size > (largest?.size ?? 0)) {
        largest = { at: i, from, size, before: values[from], after: value };
      }
    }
    from = i;
  }
  return largest;
}

// The largest minus the smallest figure.
function spreadOf(values, isKnown) {
  const all = values.filter((_, i) => isKnown[i]).map((value) => value ?? 0);
  const sorted = all.sort((a, b) => Number(a) - Number(b));

  return sorted.length ? delta(sorted.at(-1), sorted[0]) : 0;
}

const spread = (r) => spreadOf(valuesOf(r), knownProfiles());
const stepOf = (r) => largestStep(valuesOf(r), knownProfiles());

// A step in words: the profile, and the change in percent.
const stepText = (step) => (step ? `${labels[step.at]} ${percent(step.after, step.before)}` : "");

const stepCell = (step, kind) =>
  el(
    "td",
    {
      class: joined([kind, step && worse(delta(step.after, step.before))], " "),
      title:
        step &&
        `${labels[step.from]} ${count(step.before ?? 0)} \u2192 ` +
          `${labels[step.at]} ${count(step.after ?? 0)}`,
    },
    stepText(step),
  );

// The points of a line: each profile's place from the left, from 0 to 1, and its height from 0, of
// the smallest figure or 0, to 1, of the largest one.
function pointsOf(values, isKnown) {
  const all = values.filter((value, i) => isKnown[i]).map((value) => Number(value ?? 0));
  const most = Math.max(...all, 0);
  const smallest = Math.min(...all);
  // A line that hardly changes would be flat above 0.
  const least = smallest < 0 || smallest > most / 2 ? smallest : 0;
  const across = Math.max(1, values.length - 1);

  return {
    least,
    most,
    points: values.flatMap((value, i) =>
      isKnown[i]
        ? [
            {
              i,
              x: i / across,
              y: most > least ? (Number(value ?? 0) - least) / (most - least) : 0.5,
            },
          ]
        : [],
    ),
  };
}

const SPARK = { width: 64, height: 16, pad: 2 };

// The course of a row as a small line, for the eye: the figures stand beside it.
function sparkline(values) {
  const { width, height, pad } = SPARK;
  const { points } = pointsOf(values, knownProfiles());
  const place = ({ x, y }) => [pad + x * (width - 2 * pad), height - pad - y * (height - 2 * pad)];

  return svg(
    "svg",
    { class: "spark", viewBox: `0 0 ${width} ${height}`, "aria-hidden": "true" },
    svg("path", { d: "M" + points.map((point) => place(point).join(" ")).join("L") }),
  );
}

// The columns of the list: the figure on each profile, the course, and the largest step.
const ofSeries = [
  ...labels.map((label, i) => ({
    key: `profile${i + 1}`,
    head: label + (series[i].damaged ? " !" : ""),
    kind: "num side",
    title: series[i].files.map(text).join(", "),
    side: i,
    get: (r) => valuesOf(r)[i],
    cell: (r) => num(count(valuesOf(r)[i]), "side"),
  })),
  {
    key: "course",
    head: "Course",
    kind: "course",
    rem: 5,
    get: spread,
    cell: (r) => el("td", { class: "course" }, sparkline(valuesOf(r))),
  },
  {
    key: "step",
    head: "Largest step",
    kind: "step",
    text: (r) => stepText(stepOf(r)),
    get: (r) => stepOf(r)?.size ?? 0,
    cell: (r) => stepCell(stepOf(r), "step"),
  },
];

// Which profiles have columns that fit into this room, by the widths of these columns: all, or
// those around the largest step of the total, the first and the last, or the first and the last,
// or the last, or none.
function fittingSides(widths, room, step) {
  const all = widths.map((_, i) => i);
  const ends = [...new Set([0, all.length - 1])];
  const few = [...new Set([...ends, ...(step ? [step.from, step.at] : [])])];
  const needs = (sides) => sides.reduce((n, i) => n + widths[i], 0);

  return new Set([all, few, ends, all.slice(-1)].find((sides) => needs(sides) <= room));
}

// The least width of names, in rem, and that of a column with this many letters.
const NAME_WIDTH = 11;
const widthOf = (letters) => letters * 0.5 + 0.75;

// Hides the columns that do not fit beside names, and returns the labels of those.
function fitColumns() {
  const rem = parseFloat(getComputedStyle(document.documentElement).fontSize);
  const heads = [...ui.head.children];
  const widths = columns.map((c) => (c.letters ? widthOf(c.letters) : (c.rem ?? 0)));
  const others = columns.reduce((n, c, i) => n + (c.side == null ? widths[i] : 0), 0);
  const room = ui.rows.clientWidth / rem - others - NAME_WIDTH;
  const sideWidths = widths.filter((_, i) => columns[i].side != null);
  const shown = fittingSides(sideWidths, room, largestStep(totalsOf(), knownProfiles()));

  for (const [i, c] of columns.entries()) {
    c.isHidden = c.side != null && !shown.has(c.side);
    heads[i].hidden = c.isHidden;
  }
}

const hiddenColumns = () => columns.filter((c) => c.isHidden);

// What rows of other tables have: the first and the last figure, and the largest step.
const cellsOfSeries = (r) => {
  const values = valuesOf(r);

  return [
    num(count(values[0]), "more"),
    num(count(values.at(-1)), "minor"),
    stepCell(stepOf(r), "num"),
  ];
};

const titlesOfSeries = () => [
  [labels[0], "more"],
  [labels.at(-1), "minor"],
  ["Largest step", ""],
];

// The panel of a function of a series.
const functionOfSeries = (r) =>
  el(
    "div",
    null,
    stateLink({ f: "", view: "list" }, "\u2190 all functions", { class: "back" }),
    el("h2", null, nameAsHeading(r)),
    r.name !== r.short && el("div", { class: "mono dim full", tabindex: 0 }, r.name),
    el(
      "div",
      { class: "dim" },
      joined(
        [r.file, r.object].filter((x) => x !== "???"),
        " \u00b7 ",
      ),
    ),
    belowThis(r),
    course(r),
  );

// The course of a row: a line, all figures, and how to see what its largest step is made of.
function course(r) {
  const step = stepOf(r);
  const what = `${state.side === "self" ? "Self" : "Inclusive"} ${state.event} by profile`;

  return [
    chart(valuesOf(r), what),
    tableOfProfiles(r.sides),
    step &&
      el(
        "p",
        null,
        `It changed most from ${labels[step.from]} to ${labels[step.at]}: ` +
          `${signed(delta(step.after, step.before))} (${percent(step.after, step.before)}). `,
        commandOfStep(step),
      ),
    !step && el("p", { class: "dim" }, "All profiles have the same figure."),
  ];
}

const CHART = { width: 600, height: 150, pad: 10 };

// The figure of a profile in words, and how it differs from that of the profile before it, if there
// is one. A profile in which a row is absent has no figure.
function inWords(values, now, before) {
  const figure = values[now] == null ? "absent" : `${count(values[now])} ${state.event}`;

  const change = delta(values[now], values[before]);
  const isSame = (values[now] == null) === (values[before] == null);
  const how = change
    ? `${signed(change)} (${percent(values[now], values[before])}) since ${labels[before]}`
    : isSame && `as ${labels[before]}`;

  return joined([`${labels[now]}: ${figure}`, before != null && how], ", ");
}

// The figures as a line with a point a profile. Arrow keys lead from point to point; what each is
// stands below.
function chart(values, what) {
  const { width, height, pad } = CHART;
  const isKnown = knownProfiles();
  const { points, least, most } = pointsOf(values, isKnown);
  const place = ({ x, y }) => [pad + x * (width - 2 * pad), height - pad - y * (height - 2 * pad)];
  const path = points.map((point) => place(point).join(" ")).join("L");
  const said = el("div", { class: "said", role: "status" });
  const words = (n) => inWords(values, points[n].i, points[n - 1]?.i);
  const marks = points.map((point, n) => {
    const [cx, cy] = place(point);

    const kind = values[point.i] == null ? "absent" : "";

    return svg("circle", { cx, cy, r: 4, class: kind }, svg("title", {}, words(n)));
  });
  let current = points.length - 1;
  const show = (n) => {
    current = Math.max(0, Math.min(points.length - 1, n));
    marks.forEach((mark, i) => mark.classList.toggle("current", i === current));
    said.textContent = points.length ? words(current) : "No profile has this event.";
  };
  const press = (ev) => {
    const by = { ArrowLeft: -1, ArrowRight: 1, Home: -points.length, End: points.length }[ev.key];

    if (by) {
      show(current + by);
      ev.preventDefault();
      ev.stopPropagation();
    }
  };

  marks.forEach((mark, n) => mark.addEventListener("mouseenter", () => show(n)));
  show(current);
  return el(
    "figure",
    { class: "chart" },
    el("figcaption", null, what),
    el("span", { class: "dim most" }, count(most)),
    el(
      "div",
      {
        class: "line",
        role: "img",
        tabindex: 0,
        "aria-label": `${what}, a line; arrow keys lead to each profile, the table below has all figures`,
        onkeydown: press,
      },
      svg(
        "svg",
        { viewBox: `0 0 ${width} ${height}`, "aria-hidden": "true" },
        svg("path", { d: path && "M" + path }),
        ...marks,
      ),
    ),
    el("span", { class: "dim least" }, count(least)),
    el(
      "div",
      { class: "ends dim", "aria-hidden": "true" },
      el("span", null, labels[0]),
      el("span", null, labels.at(-1)),
    ),
    said,
  );
}

// The figures of a row, or the totals, as a table of the profiles.
function tableOfProfiles(sides) {
  const isKnown = knownProfiles();
  const hasCalls = sides.some((side) => side.calls != null);
  const hasInclusive = sides.some((side) => side.inclusive);
  const step = largestStep(
    sides.map((side) => at(costsOn(side)) ?? null),
    isKnown,
  );
  // Where there is little room, the costs that are shown, and how they changed, remain.
  const kindOfColumn = (kind) => (state.side === kind ? "" : "minor");
  const isAbsent = (side, i) => at(side.self) == null && isKnown[i];
  const row = (side, i) => {
    const before = sides.slice(0, i).findLast((_, j) => isKnown[j]);
    const [now, was] = [side, before].map((of) => (of ? (at(costsOn(of)) ?? null) : null));
    const isChange = before && isKnown[i];

    return el(
      "tr",
      { class: step?.at === i && "step" },
      num(isAbsent(side, i) ? "absent" : count(at(side.self)), kindOfColumn("self")),
      hasInclusive && num(count(at(side.inclusive)), kindOfColumn("incl")),
      hasCalls && num(count(side.calls), "minor"),
      isChange ? changeCells(now, was) : [num(""), num("")],
      el("td", null, labels[i], series[i].damaged ? " (damaged: its costs may be too small)" : ""),
    );
  };

  return table(
    { class: "calls profiles" },
    "Profiles",
    [
      ["Self", kindOfColumn("self")],
      ...(hasInclusive ? [["Inclusive", kindOfColumn("incl")]] : []),
      ...(hasCalls ? [["Calls", "minor"]] : []),
      ["Change", ""],
      ["%", ""],
      ["Profile"],
    ],
    sides.map(row),
  );
}

// What there is of a series without a function.
const overviewOfSeries = () => {
  const sides = series.map(({ total }) => ({ self: total, inclusive: null, calls: null }));
  const step = largestStep(totalsOf(), knownProfiles());

  return el(
    "div",
    null,
    el("h2", null, `${count(series.length)} profiles, ${state.event}`),
    el("div", { class: "dim" }, longName(eventAt)),
    chart(totalsOf(), `${state.event} of the whole program by profile`),
    table(
      { class: "calls profiles" },
      "Totals",
      [["Total", ""], ["Change", ""], ["%", ""], ["Profile"]],
      sides.map((side, i) => {
        const before = sides.slice(0, i).findLast((_, j) => knownProfiles()[j]);

        return el(
          "tr",
          { class: step?.at === i && "step" },
          num(count(at(side.self))),
          before && knownProfiles()[i]
            ? changeCells(at(side.self), at(before.self))
            : [num(""), num("")],
          el("td", { title: series[i].files.map(text).join(", ") }, labels[i]),
        );
      }),
    ),
    step && el("p", null, `The largest step is ${stepText(step)}. `, commandOfStep(step)),
    el("p", { class: "dim" }, "Select a function to see its course."),
    el("p", { class: "dim help" }, "Press ? for keys."),
  );
};
