// The flame graph: the frames of `--format=folded`. Costs of frames are estimates where a function
// has several callers, because what it calls is split among these; where calls say them, they are
// exact.

// The elements of the frames that are shown, and the rows of the graph in rem.
const boxes = new Map();
const FRAME_HEIGHT = 1.25;
const MAX_DEPTH = 250;
const MAX_FRAMES = 6000;

// The tree of all frames, the one that is drawn, and that of the callers of its function.
let whole = null;
let root = null;
let callersOfRoot = null;
let keyOfRoot = "";
let zoom = null;
// The frame that keys are about.
let cursor = null;
// The event that `whole` is of.
let eventOfRoot = null;
// The number of the frame that the browser goes back to; undefined if it does not go back.
let back;

// The tree of an event's frames. The stacks of the page have three numbers a frame, in the order of
// a walk through the tree: its depth, its row (-1: not listed) and the cost of all that is below
// it.
function tree(stacks) {
  const all = { row: null, cost: 0, kids: [], up: null };
  const path = [all];
  const nodes = (all.nodes = [all]);

  for (let i = 0; i < stacks.length; i += 3) {
    const up = path[stacks[i]];
    const node = { row: byId.get(stacks[i + 1]) || null, cost: stacks[i + 2], kids: [], up };

    node.number = nodes.push((path[stacks[i] + 1] = node)) - 1;
    up.kids.push(node);
    if (up === all) {
      all.cost += node.cost;
    }
  }
  for (const node of nodes) {
    node.kids.sort((a, b) => b.cost - a.cost);
  }
  return all;
}

// What the colour of a frame tells: the function's object, or if nearly all is in one object,
// its file or, where files are unknown, its namespace. If nearly all is in one of these, too, it is
// null: then each function has a colour.
const COLOURS = 10;

const placeOf = lazily(() => {
  const cost = (r) => Math.abs(r.self[0] || 0);
  const all = sum(rows, cost);
  const isMost = (key) =>
    largestOf([...Map.groupBy(rows, key).values()], (list) => sum(list, cost)) > 0.75 * all;
  const namespace = (r) => (r.alone.includes("::") ? r.alone.split("::")[0] : "");
  const file = (r) => base(r.file) || namespace(r);
  const of = isMost((r) => r.object) ? file : (r) => base(r.object);

  return { of: isMost(of) ? null : of };
});

// The number of each place's colour; those after the largest ones share the last.
const colours = lazily(
  () =>
    new Map(
      [...Map.groupBy(rows, placeOf().of)]
        .map(([place, list]) => [place, sum(list, (r) => Math.abs(r.self[0] || 0))])
        .sort((a, b) => b[1] - a[1])
        .map(([place], i) => [place, Math.min(i, COLOURS)]),
    ),
);

// A number from 0 that depends on all of a name.
const numberOfName = (name, below) =>
  [...name].reduce((n, c) => (31 * n + (c.codePointAt(0) ?? 0)) % 8191, 7) % below;

function colourOfRow(row) {
  const { of } = placeOf();

  return of ? colours().get(of(row)) : numberOfName(row.alone, COLOURS);
}

const colourOf = (number) => `var(--${number < COLOURS ? "c" + number : "others"})`;

// The colour of a change, from -1 to 1 of the largest one that is shown.
const shade = (x) =>
  `color-mix(in srgb, ${x > 0 ? "#e57f75" : "#5fae85"} ${100 * Math.abs(x) ** 0.5}%, #e4e5e7)`;

const figuresOfNode = ({ row, up }) =>
  row ? [now(row) || 0, was(row) || 0] : up ? [0, 0] : [at(totals), at(before)];

// The change of a frame's function, of the larger one of its two costs.
function changeOf(node) {
  const [now, was] = figuresOfNode(node);

  return (now - was) / Math.max(now, was, 1);
}

// The largest change of functions that both profiles have: of what is new or gone it would always
// be 1.
function largestChange(nodes) {
  const changes = nodes.map(changeOf).map(Math.abs);

  return Math.max(0.001, ...changes.filter((change) => change < 1));
}

const tint = (node, scale) =>
  diff
    ? shade(Math.max(-1, Math.min(1, changeOf(node) / scale)))
    : colourOf(node.row ? colourOfRow(node.row) : COLOURS);

const frameName = (node) =>
  node.row ? node.row.alone + node.row.suffix : node.up ? "(not listed)" : "all";

const widest = (is) =>
  [...boxes.keys()].filter((x) => x.row && is(x.row)).sort((a, b) => b.cost - a.cost)[0];

// The frames of functions that call `r`, directly or not, as a tree with `r` at its root; and those
// of what it calls. Below itself it is not counted again.
function around(r) {
  const outer = [];
  const work = [whole];

  while (work.length) {
    const node = work.pop();

    if (node.row === r) {
      outer.push(node);
    } else {
      work.push(...node.kids);
    }
  }
  const callers = { row: r, cost: 0, kids: [], up: null, isOfCallers: true };
  const callees = { row: r, cost: 0, kids: [], up: null, nodes: [] };
  const kidOf = (parent, row) => {
    let kid = parent.kids.find((kid) => kid.row === row);

    if (!kid) {
      kid = { row, cost: 0, kids: [], up: parent, isOfCallers: parent.isOfCallers };
      parent.kids.push(kid);
    }
    return kid;
  };

  for (const node of outer) {
    let caller = callers;

    callers.cost += node.cost;
    for (let up = node.up; up && up.up; up = up.up) {
      caller = kidOf(caller, up.row);
      caller.cost += node.cost;
    }
    const pairs = [[callees, node]];

    while (pairs.length) {
      const [into, from] = pairs.pop();

      into.cost += from.cost;
      pairs.push(...from.kids.map((kid) => [kidOf(into, kid.row), kid]));
    }
  }
  for (const top of [callers, callees]) {
    const nodes = [top];

    while (nodes.length) {
      const node = nodes.pop();

      node.kids.sort((a, b) => b.cost - a.cost);
      nodes.push(...node.kids);
    }
  }
  return { callers, callees };
}

// The stacks of a tree from the function that has the cost to its callers.
function inverted(all) {
  const top = { row: null, cost: 0, kids: [], up: null, nodes: [], isOfCallers: true };
  const kidsOf = new Map([[top, new Map()]]);

  top.nodes.push(top);
  for (const node of all.nodes.slice(1)) {
    const own = node.cost - sum(node.kids, (kid) => kid.cost);
    let into = top;

    top.cost += own;
    for (let one = node; own > 0 && one.up; one = one.up) {
      const known = kidsOf.get(into);
      let kid = known.get(one.row);

      if (!kid) {
        kid = { row: one.row, cost: 0, kids: [], up: into, isOfCallers: true };
        kid.number = top.nodes.push(kid) - 1;
        into.kids.push(kid);
        known.set(one.row, kid);
        kidsOf.set(kid, new Map());
      }
      kid.cost += own;
      into = kid;
    }
  }
  for (const node of top.nodes) {
    node.kids.sort((a, b) => b.cost - a.cost);
  }
  return top;
}

// Draws the whole program, from its start or from the functions that have the cost, or what calls
// the shown function and what it calls.
function flame() {
  const isAround = state.graph === "around" && here != null;
  const isInverted = state.graph === "inverted";
  const key = [eventAt, areApart, isAround && here.id, isInverted].join();

  if (eventOfRoot !== eventAt || !whole) {
    eventOfRoot = eventAt;
    whole = tree(at(data.stacks) || []);
  }
  if (keyOfRoot !== key) {
    keyOfRoot = key;
    zoom = cursor = null;
    const stacks = isInverted ? inverted(whole) : whole;
    const both = isAround ? around(here) : { callers: null, callees: stacks };

    root = both.callees;
    callersOfRoot = both.callers;
  }
  if (back !== undefined) {
    zoom = (back && root.nodes[back]) || null;
    back = undefined;
  }

  const top = zoom || root;
  const width = ui.stacks.clientWidth || 1200;
  const above = [];

  for (let node = top.up; node; node = node.up) {
    above.unshift(node);
  }
  const frames = framesOf(top, above, width);
  const callers = callersOfRoot ? framesOf(callersOfRoot, [], width).slice(1) : [];
  const nodes = [...frames, ...callers].map(({ node }) => node);
  const scale = diff ? largestChange(nodes) : 1;
  const rows = Math.max(0, ...callers.map(({ depth }) => depth));

  boxes.clear();
  for (const [i, one] of frames.entries()) {
    const kind = i < above.length ? "above" : kindOf(one.node);

    boxes.set(one.node, frame(one, kind, width, scale));
  }
  ui.stacks.replaceChildren(...boxes.values());

  // Callers grow upwards.
  ui.callers.hidden = !callers.length;
  ui.callers.replaceChildren(
    ...callers.map((one) =>
      frame({ ...one, depth: rows - one.depth }, kindOf(one.node), width, scale),
    ),
  );
  ui.callers.style.setProperty("--rows", String(rows));
  ui.legend.replaceChildren(...legend(nodes, scale));
  ui.reset.hidden = !zoom;
  point(boxes.has(cursor) ? cursor : widest((r) => r === here) || top);
  // The nearest callers are in view, once all else has its height.
  ui.callers.scrollTop = ui.callers.scrollHeight;
}

// The frames of a tree from `top` that are a pixel wide or more, behind those `above` it: the node,
// its left end and width as shares, its depth.
function framesOf(top, above, width) {
  const frames = above.map((node, depth) => ({ node, x: 0, share: 1, depth }));
  const work = [{ node: top, x: 0, share: 1, depth: above.length }];

  while (work.length && frames.length < MAX_FRAMES) {
    const one = work.pop();
    const { node, share, depth } = one;
    let x = one.x;

    frames.push(one);
    for (const kid of depth > MAX_DEPTH ? [] : node.kids) {
      const part = node.cost ? (share * kid.cost) / node.cost : 0;

      if (part * width < 1) {
        break;
      }
      work.push({ node: kid, x, share: part, depth: depth + 1 });
      x += part;
    }
  }
  return frames;
}

// What a frame is, as classes of its element.
function kindOf({ row, up }) {
  const found = !match || !up ? "" : row && match(row) ? "hit" : "miss";
  const who = row ? row === here && "here" : up && "other";

  return joined([found, who, row && row.inlined === "all" && "inlined"], " ");
}

// The cost of a frame that calls say exactly; undefined if it is an estimate. Below a frame with all
// of its function's cost stand the calls of the function; and a frame with a part of that cost leads
// to another one with the same part if the function has this one caller.
function exactCost(node) {
  if (!("exact" in node)) {
    node.exact = exactCostOf(node);
  }
  return node.exact;
}

function exactCostOf({ row, up, isOfCallers }) {
  if (!up) {
    return row ? inclusiveOf(row) : at(totals);
  }
  if (!row) {
    return undefined;
  }
  if (!up.up && !up.row) {
    // A stack begins here.
    const isDivided = at(row.estimated);
    const ofAll = isOfCallers ? at(row.self) : row.in.size === 0 ? at(row.incl) : undefined;

    return isDivided ? undefined : ofAll;
  }
  const edge = isOfCallers ? row.out.get(up.row) : up.row?.out.get(row);
  const ofCalls = edge && !edge.within ? at(edge.cost) : undefined;

  if (ofCalls == null) {
    return undefined;
  }
  if (isOfWholeFunction(up)) {
    return ofCalls;
  }
  return isOfCallers && ofCalls === inclusiveOf(up.row) ? exactCost(up) : undefined;
}

// The inclusive cost of a function, unless that is an estimate or may be divided among frames.
const inclusiveOf = (row) => (at(row.estimated) || row.cycle != null ? undefined : at(row.incl));

// Whether a frame has all that its function costs.
function isOfWholeFunction(node) {
  const exact = exactCost(node);

  return exact !== undefined && exact === inclusiveOf(node.row);
}

// The cost of a frame, marked if it is estimated, and its share of all.
function costOfNode(node) {
  const exact = exactCost(node);
  const cost = exact ?? node.cost;

  return `${exact === undefined ? "~" : ""}${count(cost)} ${state.event} (${part(cost, at(totals))})`;
}

// The frames of each function that are in no other frame of it: their number and their cost.
function framesByRow(all) {
  const found = new Map();
  const above = new Set();
  const walk = [[all, false]];

  while (walk.length) {
    const [node, isDone] = walk.pop();
    const { row } = node;

    if (isDone) {
      above.delete(row);
      continue;
    }
    if (row && !above.has(row)) {
      const frames = found.get(row) ?? { number: 0, cost: 0 };

      found.set(row, frames);
      frames.number += 1;
      frames.cost = plus(frames.cost, node.cost);
      above.add(row);
      walk.push([node, true]);
    }
    walk.push(...node.kids.map((kid) => [kid, false]));
  }
  return found;
}

// What the list has of the function of a frame with another cost, and why.
function whyOther(node) {
  const { row } = node;

  if (!row || isOfWholeFunction(node) || diff) {
    return "";
  }
  if (state.graph === "inverted") {
    // Frames further down are callers with a part of their callee's cost.
    const isOther = node.up === root && exactCost(node) === undefined;

    return isOther ? `in the list ${part(at(row.self), at(totals))} self` : "";
  }
  const all = at(row.incl);
  const { number, cost } = (whole.byRow ??= framesByRow(whole)).get(row) ?? { number: 0, cost: 0 };
  const frames = number > 1 && `${count(number)} frames, ~${part(cost, at(totals))} together`;
  const hasCycles = data.cycles.length > 0;
  const isFar = Math.abs(delta(all, cost)) * MAX_EXACT > at(totals);
  const why = isFar && (hasCycles ? "the cost of cycles is divided among frames by guess" : "");

  return joined(
    [`in the list ${part(all, at(totals), at(row.estimated))} inclusive`, frames, why],
    "; ",
  );
}

// The places whose frames are shown, with their colours.
function keysOfPlaces(nodes) {
  const shown = new Set(nodes.map(({ row }) => row && colourOfRow(row)));

  return [...colours()]
    .slice(0, COLOURS + 1)
    .filter(([, i]) => shown.has(i))
    .map(([place, i]) => [colourOf(i), i === COLOURS ? "others" : place || "(unknown)"]);
}

// What the colours of these frames stand for.
function legend(nodes, scale) {
  const limit = `${(100 * scale).toFixed(scale < 0.1 ? 1 : 0)}%`;
  const keys = diff
    ? [
        [shade(-1), `${limit} less`],
        [shade(0), "the same"],
        [shade(1), `${limit} more`],
      ]
    : placeOf().of
      ? keysOfPlaces(nodes)
      : [];
  return [
    ...keys.map(([c, what]) => el("span", null, el("i", { style: { "--c": c } }), what)),
    ...(keys.length ? [] : ["Colours tell functions apart."]),
    ...(rows.some((r) => r.inlined === "all") ? [el("em", null, "\u2003italic: inlined")] : []),
  ];
}

function frame({ node, x, share, depth }, kind, whole, scale) {
  const { row } = node;
  const width = share * whole;
  const name = frameName(node);
  const full = row ? row.name + row.suffix : name;

  const fits = [name, row && !row.context && row.narrow].find(
    (name) => name && name.length * letterWidth * 0.92 < width,
  );

  return el(
    "div",
    {
      class: kind,
      title: `${full}\n${costOfNode(node)}`,
      style: {
        "--c": tint(node, scale),
        left: 100 * x + "%",
        width: 100 * share + "%",
        top: depth * FRAME_HEIGHT + "rem",
      },
      onclick: () => zoomTo(node),
      onmouseenter: (ev) => {
        ev.target.title = joined([full, costOfNode(node), whyOther(node)], "\n");
        describe(node);
      },
    },
    width > 24 ? fits || (row && row.own) || name : "",
  );
}

// The second time it leads to the function.
function zoomTo(node) {
  if (node === zoom && node.row) {
    go({ f: keyOf(node.row), view: "list" }, true);
    return focusOn(ui.panel);
  }
  cursor = node;
  zoom = node === root ? null : node;
  flame();
  try {
    history.pushState({ zoom: node.number || 0 }, "");
  } catch {
    /* as in go() */
  }
}

// Moves the cursor, which is for the keyboard.
function point(node) {
  if (boxes.has(cursor)) {
    boxes.get(cursor).classList.remove("cursor");
  }
  const box = boxes.get((cursor = node));
  describe(node);
  box.classList.toggle("cursor", ui.stacks.matches(":focus-visible"));
  box.scrollIntoView({ block: "nearest" });
}

function describe(node) {
  const why = whyOther(node);

  ui.at.replaceChildren(
    node.row ? link(node.row, Infinity) : frameName(node),
    ` ${costOfNode(node)}`,
    why && `; ${why}`,
    zoom && node !== zoom ? `, ${part(node.cost, zoom.cost)} of ${frameName(zoom)}` : "",
    diff && node.row
      ? `; ${state.side === "self" ? "self" : "inclusive"} ${sides(now(node.row), was(node.row))}`
      : "",
  );
}

// The frame that an arrow key leads to.
function step(key) {
  const { up, kids } = cursor;
  const beside = up ? up.kids : [];
  const at = beside.indexOf(cursor);
  const to = {
    ArrowUp: up,
    ArrowDown: kids[0],
    ArrowLeft: beside[at - 1],
    ArrowRight: beside[at + 1],
  };

  return to[key];
}
