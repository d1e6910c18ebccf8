// The flame graph: the frames of `--format=folded`.

// The flame graph: the frames of --format=folded. data.stacks has for each event three numbers a frame, in the order of
// a walk through the tree: its depth, its row (-1: not listed) and the cost of all that is below it.
const boxes = new Map();

const colours = new Map();
let root = null;
let zoom = null;
let cursor = null;
let event = null;
let back;

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

// The colour of a function's object; of a difference that of its change, the stronger the larger its share is.
const shade = (x) =>
  `color-mix(in srgb, ${x > 0 ? "#e57f75" : "#5fae85"} ${100 * Math.abs(x) ** 0.5}%, #e4e5e7)`;

function tint({ row, up }) {
  const [a, b] = row ? [now(row) || 0, was(row) || 0] : up ? [0, 0] : [at(totals), at(before)];
  return diff ? shade((a - b) / Math.max(a, b, 1)) : `var(--c${row ? colours.get(row.object) : 5})`;
}

const frameName = (node) =>
  node.row ? node.row.alone + node.row.suffix : node.up ? "(not listed)" : "all";

const widest = (is) =>
  [...boxes.keys()].filter((x) => x.row && is(x.row)).sort((a, b) => b.cost - a.cost)[0];

function flame() {
  if (event !== eventAt) {
    event = eventAt;
    root = tree(at(data.stacks) || []);
    zoom = cursor = null;
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
  boxes.clear();
  above.forEach((node, depth) => boxes.set(node, frame(node, 0, 1, depth, "above", width)));
  const work = [[top, 0, 1, above.length]];
  while (work.length && boxes.size < 6000) {
    let [node, x, share, depth] = work.pop();

    const { row, up } = node;
    const kind = !match || !up ? "" : row && match(row) ? "hit" : "miss";

    boxes.set(
      node,
      frame(
        node,
        x,
        share,
        depth,
        joined(
          [
            kind,
            row ? row === here && "here" : up && "other",
            row && row.inlined === "all" && "inlined",
          ],
          " ",
        ),
        width * share,
      ),
    );
    for (const kid of depth > 250 ? [] : node.kids) {
      const part = node.cost ? (share * kid.cost) / node.cost : 0;
      if (part * width < 1) {
        break;
      }
      work.push([kid, x, part, depth + 1]);
      x += part;
    }
  }
  ui.stacks.replaceChildren(...boxes.values());
  point(boxes.has(cursor) ? cursor : widest((r) => r === here) || top);
}

function frame(node, x, share, depth, kind, width) {
  const { row } = node;
  const name = frameName(node);
  const full = row ? row.name + row.suffix : name;

  const fits = [name, row && !row.context && row.narrow].find(
    (name) => name && name.length * 6.7 < width,
  );

  return el(
    "div",
    {
      class: kind,
      title: `${full}\n${count(node.cost)} ${state.event} (${part(node.cost, at(totals))})`,
      style: {
        "--c": tint(node),
        left: 100 * x + "%",
        width: 100 * share + "%",
        top: depth * 18 + "px",
      },
      onclick: () => zoomTo(node),
      onmouseenter: () => describe(node),
    },
    width > 24 ? fits || (row && row.own) || name : "",
  );
}

// The second time it leads to the function.
function zoomTo(node) {
  if (node === zoom && node.row) {
    go({ f: keyOf(node.row), view: "list" }, true);
    return focus(ui.panel);
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
  ui.at.replaceChildren(
    node.row ? link(node.row, Infinity) : frameName(node),
    ` ${count(node.cost)} ${state.event}, ${part(node.cost, at(totals))} of all`,
    zoom && node !== zoom ? `, ${part(node.cost, zoom.cost)} of ${frameName(zoom)}` : "",
    diff && node.row
      ? `; ${state.side === "self" ? "self" : "inclusive"} ${sides(now(node.row), was(node.row))}`
      : "",
  );
}

const step = (
  key,
  { up, kids } = cursor,
  beside = up ? up.kids : [],
  at = beside.indexOf(cursor),
) =>
  // to another frame
  ({ ArrowUp: up, ArrowDown: kids[0], ArrowLeft: beside[at - 1], ArrowRight: beside[at + 1] })[key];
