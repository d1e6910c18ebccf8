// The flame graph: what is shown of a tree of frames, and what its keys do.

// The elements of the frames that are shown, and the rows of the graph in rem.
const frameBoxes = new Map();
const FRAME_HEIGHT = 1.25;
const MAX_DEPTH = 250;
const MAX_FRAMES = 6000;

// The tree of all frames, the one that is drawn, and that of the callers of its function.
let wholeTree = null;
let root = null;
let callersOfRoot = null;
let keyOfRoot = "";
let zoom = null;
// The frame that keys are about.
let cursor = null;
// The event and the thread that the tree of all frames is of.
let subjectOfTree = "";
// The number of the frame that the browser goes back to; undefined if it does not go back.
let back;

// What the colour of a frame tells: the function's object, or if nearly all is in one object,
// its file or, where files are unknown, its namespace. If nearly all is in one of these, too, it is
// null: then each function has a colour.
const COLOURS = 10;

const colouredBy = lazily(() => {
  const cost = (r) => Math.abs(r.self[0] || 0);
  const all = sum(rows, cost);
  const isMost = (key) =>
    largestOf([...Map.groupBy(rows, key).values()], (list) => sum(list, cost)) > 0.75 * all;
  const namespace = (r) => (r.alone.includes("::") ? r.alone.split("::")[0] : "");
  const file = (r) => baseName(r.file) || namespace(r);
  const of = isMost((r) => r.object) ? file : (r) => baseName(r.object);

  return { of: isMost(of) ? null : of };
});

// The number of each place's colour; those after the largest ones share the last.
const colours = lazily(
  () =>
    new Map(
      [...Map.groupBy(rows, colouredBy().of)]
        .map(([place, list]) => [place, sum(list, (r) => Math.abs(r.self[0] || 0))])
        .sort((a, b) => b[1] - a[1])
        .map(([place], i) => [place, Math.min(i, COLOURS)]),
    ),
);

// A number from 0 that depends on all of a name.
const numberOfName = (name, below) =>
  [...name].reduce((n, c) => (31 * n + (c.codePointAt(0) ?? 0)) % 8191, 7) % below;

function colourOfRow(row) {
  const { of } = colouredBy();

  return of ? colours().get(of(row)) : numberOfName(row.alone, COLOURS);
}

const colourOf = (number) => `var(--${number < COLOURS ? "c" + number : "others"})`;

// The colour of a change, from -1 to 1 of the largest one that is shown.
const shade = (x) =>
  `color-mix(in srgb, var(--${x > 0 ? "more" : "less"}) ${100 * Math.abs(x) ** 0.5}%, var(--same))`;

function figuresOfNode({ row, up }) {
  if (row) {
    return [costNow(row) || 0, costBefore(row) || 0];
  }
  return up ? [0, 0] : [at(totals), at(totalsBefore)];
}

const changeOf = (node) => delta(...figuresOfNode(node));

// The largest change of a function. A change is compared with it, not with what the function cost:
// one more instruction is little in a function of 32, too.
const largestChange = (nodes) =>
  largestOf(nodes, (node) => (node.row ? Math.abs(changeOf(node)) : 0));

// The colour of a frame; what is not listed has none of its own.
function tint(node, scale) {
  if (diff && (node.row || !node.up)) {
    return shade(Math.max(-1, Math.min(1, changeOf(node) / scale)));
  }
  return colourOf(node.row ? colourOfRow(node.row) : COLOURS);
}

function frameName({ row, up }) {
  if (row) {
    return row.alone + row.suffix;
  }
  return up ? "(not listed)" : state.thread || "all";
}

const widest = (is) =>
  [...frameBoxes.keys()].filter((x) => x.row && is(x.row)).sort((a, b) => b.cost - a.cost)[0];

// Makes the trees that are to be drawn, if they are others than before: the whole program, from its
// start or from the functions that have the cost, or what calls the shown function and what it
// calls.
function chooseTrees() {
  const isAround = state.graph === "around" && here != null;
  const isInverted = state.graph === "inverted";
  const subject = [eventAt, state.thread].join();
  const key = [subject, areApart, isAround && here.id, isInverted].join();

  if (subjectOfTree !== subject || !wholeTree) {
    subjectOfTree = subject;
    wholeTree = tree(at(stacksOfThreads.get(state.thread) ?? data.stacks) || []);
  }
  if (keyOfRoot !== key) {
    keyOfRoot = key;
    zoom = null;
    cursor = null;
    const stacks = isInverted ? inverted(wholeTree) : wholeTree;
    const both = isAround ? around(wholeTree, here) : { callers: null, callees: stacks };

    root = both.callees;
    callersOfRoot = both.callers;
  }
  if (back !== undefined) {
    zoom = (back && root.nodes[back]) || null;
    back = undefined;
  }
}

function drawFlameGraph() {
  chooseTrees();
  const top = zoom ?? root;
  const width = ui.stacks.clientWidth || 1200;
  const above = [];

  for (let node = top.up; node; node = node.up) {
    above.unshift(node);
  }
  const frames = framesOf(top, above, width);
  const callers = callersOfRoot ? framesOf(callersOfRoot, [], width).slice(1) : [];
  const nodes = [...frames, ...callers].map(({ node }) => node);
  const scale = diff ? largestChange(nodes) : 1;

  frameBoxes.clear();
  for (const [i, one] of frames.entries()) {
    const kind = i < above.length ? "above" : kindOf(one.node);

    frameBoxes.set(one.node, frameBox(one, kind, width, scale));
  }
  ui.stacks.replaceChildren(...frameBoxes.values());
  drawCallers(callers, width, scale);
  ui.legend.replaceChildren(...legend(nodes, scale));
  ui.order.textContent = orderOfFrames();
  ui.reset.hidden = !zoom;
  pointAt(frameBoxes.has(cursor) ? cursor : frameOfHere() || top);
  // The nearest callers are in view, once all else has its height.
  ui.callers.scrollTop = ui.callers.scrollHeight;
}

// The frame of the shown function: where stacks begin, or else the widest one.
function frameOfHere() {
  const first = root.kids.find(({ row }) => row && row === here);

  return frameBoxes.has(first) ? first : widest((r) => r === here);
}

const AFTER = diff ? "Stacks are those after the change: what is gone is in the list alone. " : "";

// What is above and below a frame, in words.
function orderOfFrames() {
  if (state.graph === "inverted") {
    return `${AFTER}Stacks begin with the functions that have the cost; below a frame are its callers. `;
  }
  if (!callersOfRoot) {
    return `${AFTER}Below a frame is what it calls; where nothing is below it, the cost is its own. `;
  }
  const again = byItself(here) > 0 && `, also where it calls itself (${times(byItself(here))})`;

  return joined([`Above ${here.alone} is what calls it, below what it calls`, again], "") + ". ";
}

// Callers grow upwards.
function drawCallers(callers, width, scale) {
  const highest = Math.max(0, ...callers.map(({ depth }) => depth));
  const boxes = callers.map((one) =>
    frameBox({ ...one, depth: highest - one.depth }, kindOf(one.node), width, scale),
  );

  ui.callers.hidden = !callers.length;
  ui.callers.replaceChildren(...boxes);
  ui.callers.style.setProperty("--rows", String(highest));
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
  const isHit = isFound && row && isFound(row);
  const kinds = [
    isFound && up && (isHit ? "hit" : "miss"),
    row ? row === here && "here" : up && "other",
    row?.inlined === "all" && "inlined",
  ];

  return joined(kinds, " ");
}

// What the thread costs whose frames are drawn.
const costOfThread = () => at(threadsAsRows().find(({ name }) => name === state.thread)?.self);

// The cost of a frame, marked if it is estimated, and its share of all that is drawn.
function costOfNode(node) {
  const exact = exactCost(node);
  const cost = exact ?? node.cost;
  const share = state.thread
    ? `${shareOf(cost, costOfThread())} of ${state.thread}`
    : shareOf(cost, at(totals));

  return `${exact === undefined ? "~" : ""}${count(cost)} ${state.event} (${share})`;
}

// How many frames a function has in the whole program, and what they cost together.
function framesOfRow(row) {
  wholeTree.byRow ??= framesByRow(wholeTree);
  return wholeTree.byRow.get(row) ?? { number: 0, cost: 0 };
}

// Of a frame among inverted stacks that is a caller: the function whose cost it has a part of.
function callerOf(node) {
  let first = node;

  while (first.up !== root && first.up) {
    first = first.up;
  }
  return first !== node && first.row ? `self cost of ${first.row.alone}, which it led to` : "";
}

// What the list has of the function of a frame with another cost, and why; of a difference both
// sides.
function whyOther(node) {
  const { row } = node;

  if (!row) {
    return diff && !node.up ? changeInWords(...figuresOfNode(node)) : "";
  }
  if (state.thread) {
    return `in all threads ${shareOf(at(row.incl), at(totals), at(row.estimated))} inclusive`;
  }
  if (diff) {
    const [now, was] = [costNow(row), costBefore(row)];

    return `${sideName()} ${bothSides(now, was)}, ${changeInWords(now, was, isCostEstimated(row))}`;
  }
  const drawn = Math.abs(delta(exactCost(node) ?? node.cost, node.cost)) * MAX_EXACT > at(totals);

  if (drawn) {
    const share = `drawn as ~${shareOf(node.cost, at(totals))}`;

    return `${share}: the cost of cycles is divided among frames by guess`;
  }
  if (isOfWholeFunction(node)) {
    return "";
  }
  if (state.graph === "inverted") {
    const isOther = node.up === root && exactCost(node) === undefined;

    return isOther ? `in the list ${shareOf(at(row.self), at(totals))} self` : callerOf(node);
  }
  const all = at(row.incl);
  const { number, cost } = framesOfRow(row);
  const frames = number > 1 && `${count(number)} frames, ~${shareOf(cost, at(totals))} together`;
  const hasCycles = data.cycles.length > 0;
  const isFar = Math.abs(delta(all, cost)) * MAX_EXACT > at(totals);
  const why = isFar && (hasCycles ? "the cost of cycles is divided among frames by guess" : "");

  return joined(
    [`in the list ${shareOf(all, at(totals), at(row.estimated))} inclusive`, frames, why],
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

// What the colours of these frames mean.
function legend(nodes, scale) {
  const keysOfChange = [
    [shade(-1), signed(-scale)],
    [shade(0), "no change"],
    [shade(1), `${signed(scale)}: the change of a function's ${sideName()} ${state.event}`],
  ];
  const keysOfColours = !diff && colouredBy().of ? keysOfPlaces(nodes) : [];
  const keys = diff ? keysOfChange : keysOfColours;

  return [
    ...keys.map(([c, what]) => el("span", null, el("i", { style: { "--c": c } }), what)),
    ...(keys.length ? [] : ["Colours tell functions apart."]),
    ...(rows.some((r) => r.inlined === "all") ? [el("em", null, "\u2003italic: inlined")] : []),
  ];
}

// The element of a frame in a graph of this width in pixels.
function frameBox({ node, x, share, depth }, kind, widthOfAll, scale) {
  const { row } = node;
  const width = share * widthOfAll;
  const name = frameName(node);
  const full = row ? row.name + row.suffix : name;

  const narrow = row && !row.context && row.narrow;
  // Several functions have a name that leads to none.
  const forms = row && byName.get(row.alone) === null ? [narrow, name] : [name, narrow];
  const room = Math.floor(width / (letterWidth * 0.92));
  const fits = forms.find((form) => form && form.length <= room);
  const short = row && ((!row.context && nameAmong(row, room)) || row.own);

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
    width > 24 ? fits || short || name : "",
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
  drawFlameGraph();
  try {
    history.pushState({ zoom: node.number || 0 }, "");
  } catch {
    /* as in go() */
  }
}

// Moves the cursor, which is for the keyboard.
function pointAt(node) {
  if (frameBoxes.has(cursor)) {
    frameBoxes.get(cursor).classList.remove("cursor");
  }
  cursor = node;
  const box = frameBoxes.get(node);

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
    zoom && node !== zoom ? `, ${shareOf(node.cost, zoom.cost)} of ${frameName(zoom)}` : "",
  );
}

// The frame that an arrow key leads to.
function frameBeside(key) {
  const { up, kids } = cursor;
  const beside = up ? up.kids : [];
  const place = beside.indexOf(cursor);
  const to = {
    ArrowUp: up,
    ArrowDown: kids[0],
    ArrowLeft: beside[place - 1],
    ArrowRight: beside[place + 1],
  };

  return to[key];
}
