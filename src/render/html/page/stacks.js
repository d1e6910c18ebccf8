// The trees of frames that flame graphs draw, made of the stacks of `--format=folded`, and what is
// exact in them. Costs of frames are estimates where a function has several callers, because what
// it calls is split among these.

// A frame of a row, or of what is not listed if that is null, and the frame that it comes from: in
// a tree of callers its callee, else its caller. Its cost and its `kids` are added later.
const newFrame = (row, up, isOfCallers = up?.isOfCallers ?? false) => ({
  row,
  up,
  isOfCallers,
  cost: 0,
  kids: [],
});

// The kids of frames that were added one by one, by row.
const kidsByRow = new WeakMap();

// The kid of a frame for a row, which is added if it is new.
function kidOf(frame, row) {
  const known = kidsByRow.get(frame) ?? new Map();
  const kid = known.get(row) ?? newFrame(row, frame);

  if (!known.has(row)) {
    known.set(row, kid);
    kidsByRow.set(frame, known);
    frame.kids.push(kid);
  }
  return kid;
}

// The frames of a tree, in the order of a walk through it.
function framesBelow(top) {
  const found = [];
  const work = [top];

  while (work.length) {
    const frame = work.pop();

    found.push(frame);
    work.push(...frame.kids);
  }
  return found;
}

function sortKids(frames) {
  for (const { kids } of frames) {
    kids.sort((a, b) => b.cost - a.cost);
  }
}

// The tree of an event's frames, which has them as `nodes`. The stacks of the page have three
// numbers a frame, in the order of a walk through the tree: its depth, its row (-1: not listed) and
// the cost of all that is below it.
function tree(stacks) {
  const all = newFrame(null, null);
  const path = [all];

  all.nodes = [all];
  for (let i = 0; i < stacks.length; i += 3) {
    const [depth, id, cost] = [stacks[i], stacks[i + 1], stacks[i + 2]];
    const frame = newFrame(byId.get(id) || null, path[depth]);

    frame.cost = cost;
    frame.number = all.nodes.length;
    all.nodes.push(frame);
    path[depth].kids.push(frame);
    path[depth + 1] = frame;
    if (depth === 0) {
      all.cost += cost;
    }
  }
  sortKids(all.nodes);
  return all;
}

// The frames of a tree that have a row and are within no other frame of it.
function outerFrames(all, row) {
  const found = [];
  const work = [all];

  while (work.length) {
    const frame = work.pop();

    if (frame.row === row) {
      found.push(frame);
    } else {
      work.push(...frame.kids);
    }
  }
  return found;
}

// Adds a frame with all that is below it.
function addBelow(into, frame) {
  const pairs = [[into, frame]];

  while (pairs.length) {
    const [to, from] = pairs.pop();

    to.cost += from.cost;
    pairs.push(...from.kids.map((kid) => [kidOf(to, kid.row), kid]));
  }
}

// The frames of functions that call `r`, directly or not, as a tree with `r` at its root; and those
// of what it calls. Below itself it is not counted again.
function around(all, r) {
  const callers = newFrame(r, null, true);
  const callees = newFrame(r, null);

  for (const frame of outerFrames(all, r)) {
    let caller = callers;

    callers.cost += frame.cost;
    for (let up = frame.up; up?.up; up = up.up) {
      caller = kidOf(caller, up.row);
      caller.cost += frame.cost;
    }
    addBelow(callees, frame);
  }
  sortKids(framesBelow(callers));
  callees.nodes = framesBelow(callees);
  callees.nodes.forEach((frame, number) => {
    frame.number = number;
  });
  sortKids(callees.nodes);
  return { callers, callees };
}

// The stacks of a tree from the function that has the cost to its callers.
function inverted(all) {
  const top = newFrame(null, null, true);

  top.nodes = [top];
  for (const frame of all.nodes.slice(1)) {
    const own = frame.cost - sum(frame.kids, (kid) => kid.cost);
    let into = top;

    top.cost += own;
    for (let one = frame; own > 0 && one.up; one = one.up) {
      into = kidOf(into, one.row);
      if (into.number === undefined) {
        into.number = top.nodes.length;
        top.nodes.push(into);
      }
      into.cost += own;
    }
  }
  sortKids(top.nodes);
  return top;
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

// The cost of a frame that calls say exactly; undefined if it is an estimate. It is not that of
// `cost`, where stacks that are small are left out.
function exactCost(frame) {
  if (!("exact" in frame)) {
    frame.exact = exactCostOf(frame);
  }
  return frame.exact;
}

function exactCostOf({ row, up, isOfCallers }) {
  if (state.thread) {
    // What calls recorded is of all threads.
    return up || row ? undefined : costOfThread();
  }
  if (!up) {
    return row ? inclusiveOf(row) : at(totals);
  }
  if (!row) {
    return undefined;
  }
  if (!up.up && !up.row) {
    return costOfStart(row, isOfCallers);
  }
  // Of what is not listed no row has the calls.
  const edge = up.row && (isOfCallers ? row.out.get(up.row) : up.row.out.get(row));

  if (!edge || edge.within) {
    return undefined;
  }
  // All calls between both are in this frame.
  if (isOfWholeFunction(up)) {
    return at(edge.cost);
  }
  // The callee's cost, or a part of it, leads to its only caller.
  return isOfCallers && at(edge.cost) === inclusiveOf(up.row) ? exactCost(up) : undefined;
}

// The cost of a function in the frame at which stacks begin; inverted ones begin with self costs.
function costOfStart(row, isOfCallers) {
  if (at(row.estimated)) {
    return undefined;
  }
  if (isOfCallers) {
    return at(row.self);
  }
  return row.in.size === 0 ? at(row.incl) : undefined;
}

// The inclusive cost of a function, unless that is an estimate or may be divided among frames.
const inclusiveOf = (row) => (at(row.estimated) || row.cycle != null ? undefined : at(row.incl));

// Whether a frame has all that its function costs.
function isOfWholeFunction(frame) {
  const exact = frame.row ? exactCost(frame) : undefined;

  return exact != null && exact === inclusiveOf(frame.row);
}
