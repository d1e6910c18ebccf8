// The call graph around a function, drawn in columns: what calls it on its left, what it calls on
// its right, two levels of each. Costs are those of the calls, which are exact.

const LEVELS = 2;
// The largest number of functions of a level; the least share of the function's cost for which one
// is drawn; and how many of its own cycle are drawn, whose calls have no cost.
const MAX_OF_LEVEL = 9;
const MIN_SHARE = 0.005;
const MAX_OF_CYCLE = 3;
// Of the boxes, in rem.
const BOX_HEIGHT = 3.25;
const BOX_GAP = 0.625;
// The largest number of calls that are drawn below the boxes, and their distance in rem.
const MAX_DETOURS = 6;
const DETOUR_GAP = 0.625;

const costOfEdge = (edge) =>
  Math.abs(at(edge.cost) || 0) + (diff ? Math.abs(at(edge.cost0) || 0) : 0);

// The function at which the cost of one divides, which hands less than this part of it on to any
// callee.
const MOST = 0.9;

function whereCostDivides(first) {
  const seen = new Set();
  const size = (r) => Math.abs(costOf(r)) + (diff ? Math.abs(costOf0(r)) : 0);
  let next = first;
  let row = null;

  while (next && !seen.has(next)) {
    row = next;
    seen.add(row);
    const calls = [...row.out.values()].filter(({ to, within }) => to && !within);
    const most = calls.sort((a, b) => costOfEdge(b) - costOfEdge(a))[0];

    next = most && costOfEdge(most) >= MOST * size(row) ? most.to : null;
  }
  return row;
}

// The functions around `r`, with their levels, which are negative for callers, and what was left
// out of each level.
function neighbours(r) {
  const nodes = new Map([[r, { row: r, level: 0, column: 0, top: 0 }]]);
  const omitted = new Map();

  for (const way of [-1, 1]) {
    let frontier = [r];

    for (let n = 1; n <= LEVELS; n++) {
      const found = new Map();

      for (const from of frontier) {
        for (const edge of (way < 0 ? from.in : from.out).values()) {
          const to = way < 0 ? edge.from : edge.to;

          if (to && !nodes.has(to)) {
            const known = found.get(to) ?? { cost: 0, calls: 0 };

            known.cost = plus(known.cost, costOfEdge(edge));
            known.calls = plus(known.calls, edge.count);
            found.set(to, known);
          }
        }
      }
      const kept = chosenOf(found, r, n === 1);

      kept.forEach((row) => nodes.set(row, { row, level: way * n, column: 0, top: 0 }));
      omitted.set(way * n, found.size - kept.length);
      frontier = kept;
    }
  }
  return { nodes, omitted };
}

// Which functions of a level are drawn.
function chosenOf(found, r, isNext) {
  const least = MIN_SHARE * costOf(r);
  const sorted = [...found].sort((a, b) => b[1].cost - a[1].cost || b[1].calls - a[1].calls);
  const isOfCycle = ([row]) => isNext && isWithin(r, row);
  const ofCycle = sorted.filter(isOfCycle).sort((a, b) => b[1].calls - a[1].calls);
  const others = sorted.filter((one) => !isOfCycle(one)).slice(0, MAX_OF_LEVEL);
  const isLarge = ([, { cost }], i) => cost >= least || (isNext && i < 3);

  return [...others.filter(isLarge), ...ofCycle.slice(0, MAX_OF_CYCLE)].map(([row]) => row);
}

// Places the functions around `r`: each with its column from 0 and its top in rem, those of a
// column beside what they are connected to, and the calls between them. Levels without functions
// have no columns.
function layout(r) {
  const { nodes, omitted } = neighbours(r);
  const levels = [...Map.groupBy(nodes.values(), ({ level }) => level)]
    .sort(([a], [b]) => a - b)
    .map(([level, list]) => ({ level, list }));
  const edges = [...nodes.values()].flatMap(({ row }) =>
    [...row.out.values()].filter((edge) => edge.to && edge.to !== row && nodes.has(edge.to)),
  );
  const heightOf = (list) => list.length * (BOX_HEIGHT + BOX_GAP) - BOX_GAP;
  const height = Math.max(...levels.map(({ list }) => heightOf(list)));
  const outwards = [...levels.keys()].sort(
    (a, b) => Math.abs(levels[a].level) - Math.abs(levels[b].level),
  );

  // From the middle outwards, each in the order of the mean place of what it is connected to.
  for (const column of outwards) {
    const { level, list } = levels[column];
    const meanTop = ({ row }) => {
      const near = edges
        .filter((edge) => edge.from === row || edge.to === row)
        .map((edge) => nodes.get(edge.from === row ? edge.to : edge.from))
        .filter((other) => Math.abs(other.level) < Math.abs(level))
        .map((other) => other.top);

      return near.length ? near.reduce((a, b) => a + b) / near.length : 0;
    };
    const tops = new Map(list.map((node) => [node, meanTop(node)]));

    list.sort((a, b) => tops.get(a) - tops.get(b) || byCost(a.row, b.row));
    list.forEach((node, i) => {
      node.column = column;
      node.top = (height - heightOf(list)) / 2 + i * (BOX_HEIGHT + BOX_GAP);
    });
  }
  return { nodes, omitted, levels, height, ...wayOf(edges, nodes, r) };
}

// How calls are drawn: those to the next column as curves between both; the others as detours below
// the boxes, if they are those of the middle function or go round in a cycle.
function wayOf(edges, nodes, r) {
  const isNext = ({ from, to }) => nodes.get(to).column === nodes.get(from).column + 1;
  const isOf = ({ from, to }) => Number(from === r || to === r);
  const bySize = (a, b) =>
    isOf(b) - isOf(a) ||
    Number(b.within) - Number(a.within) ||
    costOfEdge(b) - costOfEdge(a) ||
    b.count - a.count;
  const others = edges.filter((edge) => !isNext(edge));
  const detours = others
    .filter((edge) => isOf(edge) || edge.within)
    .sort(bySize)
    .slice(0, MAX_DETOURS);

  return {
    curves: edges.filter(isNext).sort((a, b) => costOfEdge(a) - costOfEdge(b)),
    detours,
    hidden: others.filter((edge) => !detours.includes(edge)).sort(bySize),
  };
}

// An element of a picture; the page has an empty one, which knows the namespace.
const svg = (tag, props, ...kids) => {
  const e = document.createElementNS(document.querySelector("svg").namespaceURI, tag);

  Object.entries(props).forEach(([key, value]) => e.setAttribute(key, String(value)));
  return (e.append(...kids), e);
};

const WIDTH = 100; // of a column, in units of the picture
const PAD = 8; // beside a box
const middleOf = ({ top }) => top + BOX_HEIGHT / 2;

// A call as a line, as thick as its share of the middle function's cost, at most 8 pixels.
function lineOf(edge, d, share, isBack) {
  return svg(
    "path",
    {
      d,
      "stroke-width": 1 + 7 * Math.min(1, Math.sqrt(share)),
      class: isBack || edge.within ? "round" : "",
    },
    svg("title", {}, `${edge.from.name} calls ${edge.to.name}\n${figuresOfEdges([edge])}`),
  );
}

function curve(edge, nodes, r) {
  const [from, to] = [nodes.get(edge.from), nodes.get(edge.to)];
  const [y0, y1] = [middleOf(from), middleOf(to)];
  const x0 = (from.column + 1) * WIDTH - PAD;
  const x1 = to.column * WIDTH + PAD;
  const share = costOfEdge(edge) / (costOf(r) || 1);

  return lineOf(edge, `M${x0} ${y0}C${x0 + PAD} ${y0} ${x1 - PAD} ${y1} ${x1} ${y1}`, share, false);
}

// A call that goes below all boxes, as a thin line, and its tip.
function detour(edge, i, { nodes, height, levels, detours }) {
  const [from, to] = [nodes.get(edge.from), nodes.get(edge.to)];
  const aside = (PAD * (i + 1)) / (detours.length + 1);
  const x0 = (from.column + 1) * WIDTH - PAD;
  const x1 = to.column * WIDTH + PAD;
  const below = height + (i + 1) * DETOUR_GAP;
  // It leaves and arrives below the middle, beside the curves.
  const y0 = middleOf(from) + BOX_HEIGHT / 4;
  const y1 = middleOf(to) + BOX_HEIGHT / 4;
  const d = `M${x0} ${y0}H${x0 + aside}V${below}H${x1 - aside}V${y1}H${x1}`;
  const left = `${(100 * x1) / (WIDTH * levels.length)}%`;

  return {
    line: lineOf(edge, d, 0, to.column <= from.column),
    tip: el("i", { style: { left, top: y1 + "rem" }, "aria-hidden": "true" }, "\u25b8"),
  };
}

const changeOfTimes = (now, was) =>
  now === was ? `${times(now)} as before` : `${signed(delta(now, was))}x`;

// What calls cost together, and their number.
function figuresOfEdges(edges) {
  const costs = edges.filter(({ within }) => !within);
  const of = (side) => sum(costs, (edge) => at(edge[side]));

  const [now, was] = ["count", "count0"].map((side) => sum(edges, (edge) => edge[side]));
  const isInlined = edges.every((edge) => edge.inlined);
  // A box has no room for both sides of a difference.
  const change = delta(of("cost"), of("cost0"));
  const [cost, often] = diff
    ? [change && signed(change), changeOfTimes(now, was)]
    : [count(of("cost")), times(now, was, isInlined)];

  return costs.length ? joined([cost, often], ", ") : `${often} within a cycle`;
}

// What a box says of its calls: those of the next column towards the middle, or of itself.
function callsOfBox({ row, level, column }, { nodes, curves }) {
  if (!level) {
    const again = byItself(row);

    return again > 0 && `calls itself: ${times(again)}`;
  }
  const words = { "-2": "calls these", "-1": "calls it", 1: "called", 2: "called" }[level];
  const [own, other] = level < 0 ? ["from", "to"] : ["to", "from"];
  const edges = curves.filter(
    (edge) => edge[own] === row && nodes.get(edge[other]).column === column - Math.sign(level),
  );

  return edges.length > 0 && `${words}: ${figuresOfEdges(edges)}`;
}

const changeOfCost = (row) => delta(costOf(row), costOf0(row));

// The box of a function, whose colour in a difference is that of its change.
function boxOf(node, graph, width, scale) {
  const { row, level, column } = node;
  const own = diff
    ? changeInWords(costOf(row), costOf0(row), at(row.estimated))
    : `${figures(costOf(row), at(totals), at(row.estimated))[0]}, self ${figures(at(row.self), at(totals))[0]}`;
  const share = diff ? 0 : Math.min(1, (costOf(row) || 0) / (at(totals) || 1));
  const calls = callsOfBox(node, graph);
  const percentage = (n) => `${(100 * n) / (WIDTH * graph.levels.length)}%`;

  return stateLink(
    { f: keyOf(row) },
    [el("b", null, nameIn(row, width)), el("span", null, own), calls && el("span", null, calls)],
    {
      class: level ? null : "here",
      title: joined([row.name + row.suffix, row.file, row.object], "\n"),
      "aria-current": level ? null : "true",
      style: {
        left: percentage(column * WIDTH + PAD),
        width: percentage(WIDTH - 2 * PAD),
        top: node.top + "rem",
        height: BOX_HEIGHT + "rem",
        "--share": `${Math.round(100 * share)}%`,
        ...(diff && { "--change": shade(changeOfCost(row) / scale) }),
      },
    },
  );
}

// Calls that are not drawn: the first ones.
function hiddenInWords(hidden) {
  const first = hidden.slice(0, 3).map(({ from, to }) => `${from.alone} \u2192 ${to.alone}`);
  const more = hidden.length > 3 && `${count(hidden.length - 3)} more`;

  return hidden.length > 0 && ` Calls that are not drawn: ${joined([...first, more], ", ")}.`;
}

const TITLES = ["Callers of callers", "Callers", "Shown function", "Callees", "Callees of callees"];

function drawGraph(r) {
  const graph = layout(r);
  const { nodes, omitted, levels, curves, detours, hidden, height } = graph;
  const boxes = [...nodes.values()].sort((a, b) => a.column - b.column || a.top - b.top);
  const hadFocus = ui.graph.contains(document.activeElement);
  const ways = detours.map((edge, i) => detour(edge, i, graph));
  const whole = height + (detours.length + 1) * DETOUR_GAP;
  const title = ({ level }) => {
    const more = omitted.get(level);

    return el("span", null, TITLES[level + LEVELS], more > 0 && `, ${count(more)} more`);
  };
  const columns = { "--columns": String(levels.length) };

  const scale = largestOf(boxes, ({ row }) => Math.abs(changeOfCost(row)));

  ui.graph.replaceChildren(
    el(
      "div",
      { class: "picture", style: columns },
      el("div", { class: "titles dim" }, levels.map(title)),
      el(
        "div",
        { class: "boxes", style: { height: whole + "rem" } },
        svg(
          "svg",
          {
            viewBox: `0 0 ${WIDTH * levels.length} ${whole}`,
            preserveAspectRatio: "none",
            "aria-hidden": "true",
          },
          ...[...curves.map((edge) => curve(edge, nodes, r)), ...ways.map(({ line }) => line)],
        ),
        ways.map(({ tip }) => tip),
      ),
    ),
    el(
      "p",
      { class: "dim" },
      "A click makes another function the middle one. ",
      stateLink({ f: keyOf(r), view: "list" }, `Figures and source of ${r.alone}`),
      ". Calls go from left to right; dashed ones go back or round in a cycle.",
      diff &&
        ` Red boxes cost more ${state.event} with all that they call than before, green ones less.`,
      hiddenInWords(hidden),
    ),
  );
  const picture = ui.graph.querySelector(".boxes");
  const width = (picture.clientWidth / levels.length) * (1 - (2 * PAD) / WIDTH) - 14;

  picture.append(...boxes.map((node) => boxOf(node, graph, width, scale)));

  const middle = ui.graph.querySelector("a.here");
  const scroll = ui.graph.querySelector(".picture");

  scroll.scrollLeft = middle.offsetLeft - (scroll.clientWidth - middle.offsetWidth) / 2;
  if (hadFocus) {
    focusOn(middle);
  }
}
