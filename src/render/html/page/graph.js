// The call graph around a function, drawn in columns: what calls it on its left, what it calls on
// its right, two levels of each. Costs are those of the calls, which are exact.

const LEVELS = 2;
// The largest number of functions of a level, and the least share of the function's cost for which
// one is drawn.
const MAX_OF_LEVEL = 9;
const MIN_SHARE = 0.005;
// Of the boxes, in rem.
const BOX_HEIGHT = 3.25;
const BOX_GAP = 0.625;

const costOfEdge = (edge) =>
  Math.abs(at(edge.cost) || 0) + (diff ? Math.abs(at(edge.cost0) || 0) : 0);

// The functions around `r`, with their levels, which are negative for callers, and what was left
// out of each level.
function neighbours(r) {
  const nodes = new Map([[r, { row: r, level: 0, column: 0, top: 0 }]]);
  const omitted = new Map();
  const least = MIN_SHARE * costOf(r);

  for (const way of [-1, 1]) {
    let frontier = [r];

    for (let n = 1; n <= LEVELS; n++) {
      const found = new Map();

      for (const from of frontier) {
        for (const edge of (way < 0 ? from.in : from.out).values()) {
          const to = way < 0 ? edge.from : edge.to;

          if (to && !nodes.has(to)) {
            found.set(to, plus(found.get(to), costOfEdge(edge)));
          }
        }
      }
      const sorted = [...found].sort((a, b) => b[1] - a[1]);
      const kept = sorted
        .slice(0, MAX_OF_LEVEL)
        .filter(([, cost], i) => cost >= least || (n === 1 && i < 3));

      kept.forEach(([row]) => nodes.set(row, { row, level: way * n, column: 0, top: 0 }));
      omitted.set(way * n, sorted.length - kept.length);
      frontier = kept.map(([row]) => row);
    }
  }
  return { nodes, omitted };
}

// Places the functions around `r`: each with its column from 0 and its top in rem, those of a
// column beside what they are connected to, and the calls between them.
function layout(r) {
  const { nodes, omitted } = neighbours(r);
  const levels = [];

  for (let level = -LEVELS; level <= LEVELS; level++) {
    levels.push([...nodes.values()].filter((node) => node.level === level));
  }
  const edges = [...nodes.values()].flatMap(({ row }) =>
    [...row.out.values()].filter((edge) => edge.to && edge.to !== row && nodes.has(edge.to)),
  );
  const heightOf = (list) => list.length * (BOX_HEIGHT + BOX_GAP) - BOX_GAP;
  const height = Math.max(...levels.map(heightOf));

  // From the middle outwards, each in the order of the mean place of what it is connected to.
  for (const level of [0, -1, 1, -2, 2]) {
    const list = levels[level + LEVELS];
    const meanTop = ({ row }) => {
      const near = edges
        .filter((edge) => edge.from === row || edge.to === row)
        .map((edge) => nodes.get(edge.from === row ? edge.to : edge.from))
        .filter((other) => Math.abs(other.level) < Math.abs(level))
        .map((other) => other.top);

      return near.length ? near.reduce((a, b) => a + b) / near.length : 0;
    };
    const tops = new Map(list.map((node) => [node, meanTop(node)]));

    list.sort((a, b) => tops.get(a) - tops.get(b) || costOf(b.row) - costOf(a.row));
    list.forEach((node, i) => {
      node.column = level + LEVELS;
      node.top = (height - heightOf(list)) / 2 + i * (BOX_HEIGHT + BOX_GAP);
    });
  }
  return { nodes, edges, omitted, height };
}

// An element of a picture; the page has an empty one, which knows the namespace.
const svg = (tag, props, ...kids) => {
  const e = document.createElementNS(document.querySelector("svg").namespaceURI, tag);

  Object.entries(props).forEach(([key, value]) => e.setAttribute(key, String(value)));
  return (e.append(...kids), e);
};

const WIDTH = 100; // of a column, in units of the picture
const PAD = 7; // beside a box

// A call as a curve, as thick as its share of the middle function's cost.
function curve(edge, nodes, r) {
  const [from, to] = [nodes.get(edge.from), nodes.get(edge.to)];
  const [y0, y1] = [from.top + BOX_HEIGHT / 2, to.top + BOX_HEIGHT / 2];
  const isForward = to.column > from.column;
  const x0 = (from.column + 1) * WIDTH - PAD;
  const x1 = to.column * WIDTH + PAD;
  const bend = isForward ? (x1 - x0) / 2 : 2 * PAD;
  const share = costOfEdge(edge) / (costOf(r) || 1);

  return svg(
    "path",
    {
      d: `M${x0} ${y0}C${x0 + bend} ${y0} ${x1 - bend} ${y1} ${x1} ${y1}`,
      "stroke-width": 1 + 7 * Math.min(1, Math.sqrt(share)),
      class: isForward && !edge.within ? "" : "back",
    },
    svg("title", {}, `${edge.from.name} calls ${edge.to.name}\n${figuresOfEdge(edge)}`),
  );
}

const figuresOfEdge = (edge) =>
  joined(
    [
      edge.within ? "within a cycle" : bothSides(at(edge.cost), at(edge.cost0)),
      times(edge.count, edge.count0, edge.inlined),
    ],
    ", ",
  );

// The box of a function. Those next to the middle one have what they have to do with it.
function boxOf(node, r) {
  const { row, level } = node;
  const edges = { "-1": row.out.get(r), 1: r.out.get(row) };
  const edge = edges[level];
  const own = diff
    ? signed(delta(costOf(row), costOf0(row)))
    : `${figures(costOf(row), at(totals), at(row.estimated))[0]}, self ${figures(at(row.self), at(totals))[0]}`;
  const share = diff ? 0 : Math.min(1, (costOf(row) || 0) / (at(totals) || 1));

  return stateLink(
    { f: keyOf(row) },
    [
      el("b", null, row.alone + row.suffix),
      el("span", null, own),
      edge &&
        el("span", { class: "dim" }, (level < 0 ? "calls it: " : "called: ") + figuresOfEdge(edge)),
    ],
    {
      class: level ? null : "here",
      title: joined([row.name + row.suffix, row.file, row.object], "\n"),
      "aria-current": level ? null : "true",
      style: {
        left: `${(100 * (node.column * WIDTH + PAD)) / (WIDTH * (2 * LEVELS + 1))}%`,
        width: `${(100 * (WIDTH - 2 * PAD)) / (WIDTH * (2 * LEVELS + 1))}%`,
        top: node.top + "rem",
        height: BOX_HEIGHT + "rem",
        "--share": `${Math.round(100 * share)}%`,
      },
    },
  );
}

const TITLES = ["Callers of callers", "Callers", "", "Callees", "Callees of callees"];

function drawGraph(r) {
  const { nodes, edges, omitted, height } = layout(r);
  const boxes = [...nodes.values()].sort((a, b) => a.column - b.column || a.top - b.top);
  const hadFocus = ui.graph.contains(document.activeElement);

  edges.sort((a, b) => costOfEdge(a) - costOfEdge(b));
  ui.graph.replaceChildren(
    el(
      "div",
      { class: "picture" },
      el(
        "div",
        { class: "titles dim" },
        TITLES.map((title, i) => {
          const more = omitted.get(i - LEVELS);

          return el("span", null, title, more > 0 && title ? `, ${count(more)} more` : "");
        }),
      ),
      el(
        "div",
        { class: "boxes", style: { height: height + "rem" } },
        svg(
          "svg",
          {
            viewBox: `0 0 ${WIDTH * (2 * LEVELS + 1)} ${height}`,
            preserveAspectRatio: "none",
            "aria-hidden": "true",
          },
          ...edges.map((edge) => curve(edge, nodes, r)),
        ),
        boxes.map((node) => boxOf(node, r)),
      ),
    ),
    el(
      "p",
      { class: "dim" },
      "A click makes another function the middle one. ",
      stateLink({ f: keyOf(r), view: "list" }, `Figures and source of ${r.alone}`),
      ". Calls go from left to right; those within a column, back, or round in a cycle are dashed.",
    ),
  );
  const middle = ui.graph.querySelector("a.here");
  const scroll = ui.graph.querySelector(".picture");

  scroll.scrollLeft = middle.offsetLeft - (scroll.clientWidth - middle.offsetWidth) / 2;
  if (hadFocus) {
    focusOn(middle);
  }
}
