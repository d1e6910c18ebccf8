// The functions of the page's script that need no browser, with data as the program writes them.

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { runInNewContext } from "node:vm";

const root = new URL("../../", import.meta.url);
const read = (path) => readFileSync(new URL(path, root), "utf8");

// The files of the script up to those that make elements, in the order in which they are joined.
const joined = [...read("src/render/html/texts.rs").matchAll(/include_str!\("(page\/\w+\.js)"\)/g)];
const script = joined
  .map(([, path]) => read(`src/render/html/${path}`))
  .slice(
    0,
    joined.findIndex(([, path]) => path === "page/page.js"),
  )
  .join("");

// Older versions of node, such as 20, do not have what browsers have.
const groupBy = `
  Map.groupBy ??= (list, keyOf) => {
    const groups = new Map();

    for (const item of list) {
      const key = keyOf(item);

      groups.set(key, [...(groups.get(key) ?? []), item]);
    }
    return groups;
  };
`;

// What `names` are, lists of the script's, in a page with these data.
function page(data, names, sources = []) {
  const sums = { files: [], objects: [], namespaces: [] };
  const whole = { base: null, ...sums, parts: [], order: ["Ir"], rows: [], ...data };
  const events = whole.events ?? [{ name: "Ir", long_name: "instructions" }];
  const blocks = { data: JSON.stringify({ ...whole, events }), sources: JSON.stringify(sources) };
  const document = {
    querySelectorAll: (selector) => [{ textContent: blocks[/script#(\w+)/.exec(selector)[1]] }],
    getElementById: () => ({ remove() {} }),
  };
  const context = { document, matchMedia: () => ({ matches: false }), location: { hash: "" } };

  return runInNewContext(`${groupBy}${script}; ({ ${names} })`, context);
}

const plain = (value) => JSON.parse(JSON.stringify(value));

test("patterns match as in the table of program and page", () => {
  const { patternOf } = page({ total: [1], stacks: [[]] }, "patternOf");
  const lines = read("testdata/patterns.txt").split("\n");

  for (const line of lines.filter((line) => line && !line.startsWith("#"))) {
    const [pattern, name, expected] = line.split(" | ");

    assert.equal(patternOf(pattern).test(name), expected === "yes", line);
  }
});

test("counts above 2^53 are exact", () => {
  const { plus, count, exactly } = page({ total: [1], stacks: [[]] }, "plus, count, exactly");
  const large = exactly("9007199254740993");

  assert.equal(count(plus(large, 1)), "9,007,199,254,740,994");
  assert.equal(count(plus(large, large, -1)), "0");
  assert.equal(count(plus(2, 3)), "5");
});

test("changes in percent", () => {
  const { percent } = page({ total: [1], stacks: [[]] }, "percent");
  const table = [
    [110, 100, "+10.0%"],
    [90, 100, "-10.0%"],
    [2014, 2013, "+0.05%"],
    [1000001, 1000000, "+<0.01%"],
    [100, 100, "."],
    [100000, 100, "+99900%"],
    [5, 0, "new"],
    [null, 5, "gone"],
    [0, 5, "-100.0%"],
    [0, 0, "."],
  ];

  for (const [now, was, expected] of table) {
    assert.equal(percent(now, was), expected, `${now} ${was}`);
  }
});

// A row of the page's data.
const row = (id, name, self, inclusive, calls = [], more = {}) => ({
  id,
  function: name,
  file: "a.c",
  object: "prog",
  self: [self],
  inclusive: [inclusive],
  called: { by_others: 1, by_itself: 0 },
  nested: [{ lines: [{ line: 1, self: [self] }], self: [self], calls }],
  ...more,
});

const call = (id, count, inclusive) => ({ line: 1, id, count, inclusive: [inclusive] });

test("contexts that are not nested add up", () => {
  // main calls f'main (30) and g, which calls f'g (20).
  const rows = [
    row(0, "main", 10, 65, [call(1, 1, 30), call(2, 1, 25)]),
    row(1, "f'main", 30, 30),
    row(2, "g'main", 5, 25, [call(3, 2, 20)]),
    row(3, "f'g", 20, 20),
  ];
  const stacks = [[0, 0, 65, 1, 1, 30, 1, 2, 25, 2, 3, 20]];
  const found = page({ total: [65], rows, stacks }, "rows, hasContexts");
  const f = found.rows.find((row) => row.name === "f");

  assert.equal(found.hasContexts, true);
  assert.equal(found.rows.length, 3);
  assert.deepEqual(plain([f.self, f.incl, f.calls, f.estimated]), [[50], [50], 2, [false]]);
  assert.deepEqual([...f.in.values()].map((edge) => edge.count).sort(), [1, 2]);
});

test("contexts within one another have an estimate", () => {
  // f'main calls g, which calls f'g: the sum of both has the cost of f'g twice.
  const rows = [
    row(0, "main", 10, 60, [call(1, 1, 50)]),
    row(1, "f'main", 20, 50, [call(2, 1, 30)]),
    row(2, "g'f", 10, 30, [call(3, 1, 20)]),
    row(3, "f'g", 20, 20),
  ];
  const stacks = [[0, 0, 60, 1, 1, 50, 2, 2, 30, 3, 3, 20]];
  const f = page({ total: [60], rows, stacks }, "rows").rows.find((row) => row.name === "f");

  assert.deepEqual(plain([f.self, f.incl, f.estimated]), [[40], [50], [true]]);
});

test("contexts that are not listed belong to their function", () => {
  const row = (id, name, self, inclusive) => ({
    ...{ id, function: name, file: "a.c", object: "", called: { by_others: 1, by_itself: null } },
    ...{ self: [self], inclusive: [inclusive], nested: [] },
  });
  const data = {
    total: [1000],
    stacks: [[0, 0, 900, 1, 1, 300]],
    rows: [row(0, "main", 600, 900), row(1, "f'main", 300, 300)],
    unlisted_contexts: [[1, 7, [25], [40], 9]],
    rest: { more: { rows: 8, self: [30] } },
  };
  const { rows, arrange, leftOut } = page(data, "rows, arrange, leftOut");
  const f = rows.find((r) => r.alone === "f");

  assert.deepEqual(plain([f.self, f.incl, f.calls, f.estimated]), [[325], [340], 10, [true]]);
  // One row is not a context of a listed function.
  assert.deepEqual(plain(leftOut().filter(Boolean)), ["1 context not listed: 0.50% of Ir"]);
  const of = page(data, "rows, arrange, leftOut, rowsNow: () => rows");

  of.arrange(true);
  assert.deepEqual(plain(of.rowsNow().map((r) => r.self[0])), [600, 300]);
  assert.deepEqual(plain(of.leftOut().filter(Boolean)), ["8 contexts not listed: 3.00% of Ir"]);
});

test("lines are those of the event that is shown, also of one that rows are not ordered by", () => {
  const line = (number, inclusive) => ({ file: "a.c", line: number, inclusive, notes: [] });
  const of = (data) =>
    page({ stacks: [[], []], ...data }, "linesByEvent, show: (i) => { eventAt = i; }");
  const numbers = (page) => plain(page.linesByEvent().lines).map(([at, cost]) => [at.line, cost]);
  const two = of({
    events: [{ name: "Ir" }, { name: "Dr" }],
    total: [100, 50],
    lines_heading: "your lines",
    lines: [line(1, [60, 5])],
    lines_by_event: [{ event: 1, heading: "your lines", lines: [line(2, [40])] }],
  });

  assert.deepEqual(numbers(two), [[1, 60]]);
  two.show(1);
  assert.deepEqual(numbers(two), [[2, 40]]);
  // With --show=Dr --sort=Ir the page has no Ir.
  const other = of({
    events: [{ name: "Dr" }],
    order: ["Ir"],
    total: [50],
    lines_heading: "your lines",
    lines: [line(1, [5])],
    lines_by_event: [{ event: 0, heading: "your lines", lines: [line(2, [40])] }],
  });

  assert.deepEqual(numbers(other), [[2, 40]]);
});

test("frames of a function within one another count once", () => {
  const stacks = [[0, 0, 100, 1, 1, 60, 2, 0, 50, 3, 1, 20, 1, 2, 30, 2, 1, 10]];
  const called = { by_others: 1, by_itself: null };
  const rows = ["main", "f", "g"].map((name, id) => ({
    ...{ id, function: name, file: "a.c", object: "", called, nested: [] },
    ...{ self: [0], inclusive: [100] },
  }));
  const { framesByRow, tree, byId } = page(
    { total: [100], stacks, rows },
    "framesByRow, tree, byId",
  );
  const found = framesByRow(tree(stacks[0]));

  assert.deepEqual(
    [0, 1, 2].map((id) => plain(found.get(byId.get(id)))),
    [
      { number: 1, cost: 100 },
      { number: 2, cost: 70 },
      { number: 1, cost: 30 },
    ],
  );
});

test("a name without arguments", () => {
  const names = [
    ["ns::f(int)", "ns::f", "f"],
    ["X::operator()(int) const", "X::operator()", "operator()"],
    ["std::vector<int>::push_back(int&&)", "std::vector::push_back", "push_back"],
    ["operator new(unsigned long)", "operator new", "operator new"],
    ["f(int) [clone .part.0]", "f", "f"],
  ];

  for (const [name, bare, own] of names) {
    const [found] = page({ total: [1], rows: [row(0, name, 1, 1)], stacks: [[]] }, "rows").rows;

    assert.deepEqual([found.bare, found.own], [bare, own]);
  }
});

test("frames of the flame graph are those of the stacks", () => {
  const rows = [row(0, "main", 10, 60), row(1, "f", 50, 50)];
  const { tree } = page({ total: [60], rows, stacks: [[]] }, "tree");
  const all = tree([0, 0, 60, 1, 1, 30, 1, 1, 20, 0, 1, 7]);

  assert.equal(all.cost, 67);
  assert.deepEqual(
    plain(all.kids.map((kid) => [kid.row.name, kid.cost, kid.kids.map((kid) => kid.cost)])),
    [
      ["main", 60, [30, 20]],
      ["f", 7, []],
    ],
  );
});

test("what calls a function, and what it calls", () => {
  // main 10 > f 60 > g 20, main > h 30 > f 25 > f 5: below itself f is not counted again.
  const rows = ["main", "f", "g", "h"].map((name, id) => row(id, name, 1, 1));
  const names = "around, rows, tree";
  const found = page({ total: [100], rows, stacks: [[]] }, names);

  const all = found.tree([0, 0, 100, 1, 1, 60, 2, 2, 20, 1, 3, 30, 2, 1, 25, 3, 1, 5]);
  const { callers, callees } = found.around(all, found.rows[1]);
  const shape = (node) => [node.row.name, node.cost, node.kids.map(shape)];

  assert.deepEqual(plain(shape(callers)), [
    "f",
    85,
    [
      ["main", 60, []],
      ["h", 25, [["main", 25, []]]],
    ],
  ]);
  assert.deepEqual(plain(shape(callees)), [
    "f",
    85,
    [
      ["g", 20, []],
      ["f", 5, []],
    ],
  ]);
});

test("an inverted graph begins with the functions that have the cost", () => {
  // main 10 > f 60 > g 20, main > h 30 > f 30: the cost of f is one frame.
  const rows = ["main", "f", "g", "h"].map((name, id) => row(id, name, 1, 1));
  const { tree, inverted } = page({ total: [100], rows, stacks: [[]] }, "tree, inverted");
  const all = inverted(tree([0, 0, 100, 1, 1, 60, 2, 2, 20, 1, 3, 30, 2, 1, 30]));
  const shape = (node) => [node.row.name, node.cost, node.kids.map(shape)];

  assert.equal(all.cost, 100);
  assert.deepEqual(plain(all.kids.map(shape)), [
    [
      "f",
      70,
      [
        ["main", 40, []],
        ["h", 30, [["main", 30, []]]],
      ],
    ],
    ["g", 20, [["f", 20, [["main", 20, []]]]]],
    ["main", 10, []],
  ]);
});

test("the call graph has callers on the left and callees on the right, two levels of each", () => {
  // main > f > g > h > i, and other > f.
  const chain = ["main", "f", "g", "h", "i"];
  const rows = chain.map((name, id) =>
    row(id, name, 10, 50 - 10 * id, id < 4 ? [call(id + 1, 1, 40 - 10 * id)] : []),
  );

  rows.push(row(5, "other", 1, 3, [call(1, 2, 2)]));
  const found = page({ total: [51], rows, stacks: [[]] }, "layout, rows");
  const { nodes, curves, detours } = found.layout(found.rows[2]);
  const columnOf = (name) => [...nodes.values()].find((node) => node.row.name === name)?.column;

  assert.deepEqual([...chain, "other"].map(columnOf), [0, 1, 2, 3, 4, 0]);
  assert.deepEqual([curves.length, detours.length], [5, 0]);
  const tops = [...nodes.values()].filter((node) => node.column === 0).map((node) => node.top);

  assert.equal(new Set(tops).size, 2);
});

test("the call graph has calls round a cycle as detours, and not those that pass its function", () => {
  // main > f > g > f, and main > g.
  const rows = [
    row(0, "main", 10, 60, [call(1, 1, 40), call(2, 1, 10)]),
    row(1, "f", 20, 40, [call(2, 7, null)], { cycle: 1 }),
    row(2, "g", 30, 40, [call(1, 6, null)], { cycle: 1 }),
  ];
  const found = page({ total: [60], rows, stacks: [[]] }, "layout, rows, hiddenInWords");
  const { curves, detours, hidden } = found.layout(found.rows[1]);
  const names = (edges) => edges.map(({ from, to }) => `${from.name} ${to.name}`).sort();

  // f is called by g, too, which is one of its callers.
  assert.deepEqual(plain(names(curves)), ["g f", "main f"]);
  assert.deepEqual(plain(names(detours)), ["f g"]);
  assert.deepEqual(plain(names(hidden)), ["main g"]);
  assert.equal(found.hiddenInWords(hidden), " Calls that are not drawn: main \u2192 g.");
});

test("the address names a function, and the file and the object where others have its name", () => {
  const rows = [
    row(0, "main", 1, 1),
    row(1, "f", 2, 2),
    row(2, "f", 3, 3, [], { file: "b.c" }),
    row(3, "g", 4, 4),
    row(4, "g", 5, 5, [], { object: "lib.so" }),
    row(5, "7", 6, 6),
  ];
  const keys = ["main", "f in a.c", "f in b.c", "g in a.c of prog", "g in a.c of lib.so", "5"];
  const first = page({ total: [21], rows, stacks: [[]] }, "rows, keyOf, byKey");

  assert.deepEqual([...first.rows].map(first.keyOf), keys);
  // When the profile is recorded again, the numbers are others.
  const again = [...rows].reverse().map((of, id) => ({ ...of, id }));
  const second = page({ total: [21], rows: again, stacks: [[]] }, "byKey");
  const found = keys.slice(0, 5).map((key) => second.byKey(key));

  assert.deepEqual(
    found.map((of) => [of.name, of.file, of.object, of.self[0]]),
    rows.slice(0, 5).map((of) => [of.function, of.file, of.object, of.self[0]]),
  );
  assert.equal(second.byKey("f"), null);
  // Older addresses have numbers.
  assert.equal(first.byKey("2").file, "b.c");
});

test("a call costs what calls by others cost, and itself what all calls cost", () => {
  const calls = [call(1, 2, 100)];
  const rows = [
    row(0, "main", 10, 110, calls),
    row(1, "f", 100, 100, [call(1, 8, null)], { called: { by_others: 2, by_itself: 8 } }),
  ];
  const one = page({ total: [110], rows, stacks: [[0, 0, 110, 1, 1, 100]] }, "rows, costsOfCall");

  assert.deepEqual(plain(one.costsOfCall(one.rows[1])), { whole: "50", own: "10" });

  const side = (self, calls) => ({ self: [self], inclusive: [self], calls });
  const edge = {
    line: 1,
    id: 0,
    base: { calls: 8, inclusive: [] },
    new: { calls: 38, inclusive: [] },
  };
  const data = {
    base: { total: [100], files: ["a"] },
    new: { total: [400] },
    stacks: [[]],
    rows: [
      {
        ...{ id: 0, function: "f", file: "a.c", object: "prog" },
        ...{
          base: side(100, 2),
          new: side(400, 2),
          nested: [{ ...{ base: side(100), new: side(400) }, lines: [], calls: [edge] }],
        },
      },
    ],
  };
  const both = page(data, "rows, costsOfCall");

  assert.deepEqual(plain(both.costsOfCall(both.rows[0])), {
    whole: "50 \u2192 200",
    own: "10 \u2192 10",
  });
});

test("colours of a difference compare changes with the largest one", () => {
  const sides = (was, now) => ({
    base: { self: [was], inclusive: [was], calls: 1 },
    new: { self: [now], inclusive: [now], calls: 1 },
  });
  const rows = [row(0, "f", 1, 1, [], sides(32, 33)), row(1, "g", 1, 1, [], sides(900, 400))];
  const data = { base: { total: [932] }, new: { total: [433] }, rows, stacks: [[]] };
  const of = page(data, "rows, changeOf, largestChange, tint");
  const nodes = [{ row: null, up: null }, ...of.rows.map((one) => ({ row: one, up: {} }))];
  const scale = of.largestChange(nodes);

  assert.deepEqual([nodes.map(of.changeOf), scale], [[-499, 1, -500], 500]);
  assert.match(of.tint(nodes[1], scale), / 4\.47\d*%/);
  assert.match(of.tint(nodes[2], scale), / 100%/);
  // The total has its own change, what is not listed an unknown one.
  assert.match(of.tint(nodes[0], scale), /less.* 99\.89\d*%/);
  assert.equal(of.tint({ row: null, up: nodes[0] }, scale), "var(--others)");
});

test("a difference without reasons opens with the first event that changed", () => {
  const events = ["Ir", "CEst", "Dr"].map((name) => ({ name, long_name: name }));
  const order = events.map(({ name }) => name);
  const data = { events, order, base: { total: [5, 7, 3] }, new: { total: [5, 9, 4] }, stacks: [] };
  const table = [
    [{}, "CEst"],
    [{ reasons: [{}] }, "Ir"],
    [{ new: data.base }, "Ir"],
  ];

  for (const [change, expected] of table) {
    assert.equal(page({ ...data, ...change }, "topEvent").topEvent, expected);
  }
});

test("a library's function has the nearest of the user's functions that lead to it", () => {
  const of = (id, name, file, nested) => ({ ...row(id, name, 1, 58, nested), file });
  const rows = [
    of(0, "main", "a.c"),
    of(1, "f", "a.c"),
    of(2, "alloc", "lib.c"),
    of(3, "malloc", "lib.c"),
  ];
  // main > f > alloc > malloc > malloc, main > alloc > malloc; f of another root's > malloc.
  const stack = [
    0, 0, 90, 1, 1, 40, 2, 2, 30, 3, 3, 20, 4, 3, 5, 1, 2, 9, 2, 3, 7, 0, 2, 4, 1, 3, 2,
  ];
  const sources = ["a.c", "lib.c"].map((file) => ({
    ...{ file, path: file, ranges: [], is_foreign: file === "lib.c" },
  }));
  const names = "rows, ownCallersOf, ownCallerTable";
  const found = page({ total: [94], rows, stacks: [stack] }, names, sources);
  const callers = found.ownCallersOf(found.rows[3]).map(({ from, cost }) => [from.name, cost]);

  assert.deepEqual(plain(callers), [
    ["f", 40],
    ["main", 14],
  ]);
  assert.equal(found.ownCallerTable(found.rows[1]), false);

  // What alloc's calls of malloc cost is known: 87, of which 20 of 29 are f's. Each of the 28 calls of
  // alloc, of which f makes 7 and main 21, makes 2 calls of malloc.
  const calls = (number) => ({ called: { by_others: number, by_itself: 0 } });
  const withCalls = (more) => [
    of(0, "main", "a.c", [call(2, 21, 30)]),
    of(1, "f", "a.c", [call(2, 7, 60)]),
    { ...of(2, "alloc", "lib.c", [call(3, 56, 87)]), ...calls(28), ...more },
    { ...of(3, "malloc", "lib.c"), ...calls(56), ...more },
  ];
  const callersOf = (rows) => {
    const other = page({ total: [94], rows, stacks: [stack] }, names, sources);

    return plain(
      other.ownCallersOf(other.rows[3]).map(({ from, cost, calls }) => [from.name, cost, calls]),
    );
  };

  assert.deepEqual(callersOf(withCalls()), [
    ["f", 60, 14],
    ["main", 21, 42],
  ]);
  // In a cycle of libraries the numbers of calls are not known.
  assert.deepEqual(
    callersOf(withCalls({ cycle: 1 })).map(([, , number]) => number),
    [0, 0],
  );
});

test("threads have the costs of all of their parts", () => {
  const part = (pid, thread, cost) => ({ pid, thread, total: [cost] });
  const table = [
    [[part("7", null, 3), part("7", null, 4)], [["(none)", 7]]],
    [
      [part("7", "1", 3), part("7", "2", 9), part("7", "1", 4)],
      [
        ["thread 1", 7],
        ["thread 2", 9],
      ],
    ],
    [
      [part("7", "1", 3), part("8", null, 2)],
      [
        ["process 7, thread 1", 3],
        ["process 8", 2],
      ],
    ],
  ];

  for (const [parts, expected] of table) {
    const of = page({ total: [16], stacks: [[]], parts }, "threadsAsRows, hasThreads");
    const found = of.threadsAsRows().map(({ name, self }) => [name, self[0]]);

    assert.deepEqual(plain(found), expected);
    assert.equal(of.hasThreads, expected.length > 1);
  }
});

test("a thread has the functions that cost most in it, the user's first in the list", () => {
  const parts = ["1", "2"].map((thread) => ({ pid: "7", thread, total: [20] }));
  const rows = [row(0, "f", 5, 5), { ...row(1, "malloc", 30, 30), file: "malloc.c" }];
  const threads = [
    { functions: [[1, [20]]], notes: ["memory: all"] },
    {
      functions: [
        [0, [5]],
        [1, [10]],
        [9, [7]],
      ],
      notes: [],
    },
  ];
  const sources = [{ file: "a.c", path: "a.c", ranges: [] }];
  const names = "threadsAsRows, placeInList";
  const of = page({ total: [40], rows, parts, threads, stacks: [[]] }, names, sources);
  const found = of.threadsAsRows();

  assert.deepEqual(
    plain(found.map((r) => r.functions.map(({ row, self }) => [row.name, self[0]]))),
    [
      [["malloc", 20]],
      [
        ["malloc", 10],
        ["f", 5],
      ],
    ],
  );
  assert.deepEqual(plain(found.map(of.placeInList)), ["malloc", "f"]);
  assert.deepEqual(plain(found.map(({ notes }) => notes)), [["memory: all"], []]);
});

test("frames of one thread are estimates, and its functions cost what they do in it", () => {
  const parts = ["1", "2"].map((thread) => ({ pid: "7", thread, total: [20] }));
  const rows = [
    row(0, "run", 5, 40, [call(1, 2, 35)]),
    row(1, "f", 5, 35, [call(2, 2, 30)]),
    { ...row(2, "malloc", 30, 30), file: "malloc.c" },
  ];
  const stacks = [[0, 0, 40, 1, 1, 35, 2, 2, 30]];
  const thread_stacks = { 1: [[0, 0, 20, 1, 1, 19, 2, 2, 18]] };
  const sources = [{ file: "a.c", path: "a.c", ranges: [] }];
  const data = { total: [40], rows, parts, stacks, thread_stacks };
  const names = "stacksOfThreads, ownFunctionsOfThread, tree, exactCost, state";
  const of = page(data, names, sources);

  assert.deepEqual([...of.stacksOfThreads.keys()], ["thread 2"]);
  assert.deepEqual(
    plain(of.ownFunctionsOfThread("thread 2").map(({ row, cost }) => [row.name, cost])),
    [
      ["run", 20],
      ["f", 19],
    ],
  );
  const frames = () => of.tree(thread_stacks[1][0]).nodes.map(of.exactCost);

  assert.equal(frames()[1], 40);
  of.state.thread = "thread 2";
  assert.deepEqual(plain(frames()), [20, null, null, null]);
});

test("a function without a row is found by its first line, with the cost of its lines", () => {
  const texts = [
    "pub fn mandel(x: f64) -> u32 {",
    "    while x < 4.0 {",
    "    }",
    "}",
    "fn all() {",
    "    let n = mandel(1.0);",
    "    n += mandel(2.0) }",
    "}",
    "int mandelbrot(int);",
  ];
  const lines = [1, 2, 3, 4, 6].map((line) => ({ line, self: [line * 10] }));
  const rows = [row(0, "all", 160, 160, [], { nested: [{ lines, self: [160], calls: [] }] })];
  const sources = [{ file: "a.c", path: "a.c", ranges: [[1, texts]] }];
  const { foundLinesWith } = page({ total: [160], rows, stacks: [[]] }, "foundLinesWith", sources);
  const found = foundLinesWith("Mandel").map(({ line, last, cost }) => [line, last, cost ?? null]);

  assert.deepEqual(plain(found), [
    [1, 4, 100],
    [6, null, 60],
    [7, null, null],
    [9, null, null],
  ]);
});

test("texts of the program lead to the lines of sources that they name", () => {
  const sources = ["src/a.c", "b/mod.rs", "c/mod.rs"].map((file) => ({
    ...{ file, path: file, ranges: [] },
  }));
  const { partsWithLines } = page({ total: [1], stacks: [[]] }, "partsWithLines", sources);
  const found = (said) =>
    plain(partsWithLines(said).filter((part) => part.file)).map(({ file, line }) => [file, line]);

  assert.deepEqual(found("50% of it for a.c:7 (of 7-9), mod.rs:3, b/mod.rs:4, gone.c:5"), [
    ["src/a.c", 7],
    ["b/mod.rs", 4],
  ]);
  assert.deepEqual(found("  - a.c:7  x"), [["src/a.c", -7]]);
  assert.deepEqual(found("changed lines in it: -a.c:7, +a.c:8"), [
    ["src/a.c", -7],
    ["src/a.c", 8],
  ]);
});

test("what a call costs is in the list if that is in the order of calls", () => {
  const rows = [
    row(0, "main", 10, 60, [call(1, 4, 50)]),
    row(1, "f", 50, 50, [], { called: { by_others: 4, by_itself: 6 } }),
    row(2, "g", 5, 5, [], { called: { by_others: null, by_itself: 2 } }),
  ];
  const of = page({ total: [60], rows, stacks: [[]] }, "rows, columns, isLeftOut, state");
  const each = of.columns.find(({ key }) => key === "each");
  const hidden = () => of.columns.filter(of.isLeftOut).map(({ key }) => key);

  assert.deepEqual(plain(of.rows.map(each.get)), [60, 12.5, null]);
  assert.deepEqual(plain(hidden()), ["each"]);
  of.state.sort = "-calls";
  assert.deepEqual(plain(hidden()), ["file"]);
});

test("outermost namespaces have the self costs of those in them", () => {
  const namespaces = [
    ["regex::dfa", [5], [1]],
    ["regex", [2], [1]],
    ["net/http.Server", [3], [3]],
    ["", [4], [2]],
  ];
  const { outermostSums } = page({ total: [14], stacks: [[]], namespaces }, "outermostSums");

  assert.deepEqual(plain(outermostSums), [
    ["regex", [7], [2]],
    ["net/http", [3], [3]],
    ["", [4], [2]],
  ]);
});

test("contexts that are rows keep the function that is shown", () => {
  const rows = [
    row(0, "main", 10, 60, [call(1, 1, 30), call(2, 1, 20)]),
    row(1, "f'main", 30, 30),
    row(2, "f'g", 20, 20),
  ];
  const found = page({ total: [60], rows, stacks: [[]] }, "rows, arrange, byKey, byId, keyOf");
  const f = found.byKey("f");

  found.arrange(true);
  assert.equal(found.byKey("f"), null);
  assert.equal(found.keyOf(found.byId.get(f.id)), "f'main");
});

test("a search that finds no function finds lines of sources", () => {
  const { linesWith } = page({ total: [1], rows: [row(0, "f", 1, 1)], stacks: [[]] }, "linesWith", [
    {
      file: "a.c",
      path: "a.c",
      lines: 9,
      ranges: [
        [3, ["x", "call(Helper);"]],
        [8, ["helper"]],
      ],
    },
  ]);

  assert.deepEqual(plain(linesWith("HELPER")), [
    ["a.c", 4],
    ["a.c", 8],
  ]);
  assert.deepEqual(plain(linesWith("a.c:7")), [["a.c", 7]]);
  assert.deepEqual(plain(linesWith("b.c:7")), []);
});

test("a search finds what is inlined, and lines of the user's own sources first", () => {
  const source = (file, names, inlined, isForeign) => ({
    ...{ file, path: file, lines: 1, ranges: [[1, ["total"]]], inlined, inlined_names: names },
    ...(isForeign && { is_foreign: true }),
  });
  const rows = [
    row(0, "main", 10, 60, [], { file: "a.c" }),
    row(1, "f", 50, 50, [], { file: "/usr/include/b.h" }),
  ];
  const copies = [
    [0, 7, 0, [9]],
    [1, 7, 0, [4]],
    [0, 3, 0, [20]],
    [0, 3, 1, [30]],
  ];
  const of = page({ total: [60], rows, stacks: [[]] }, "copiesWith, linesWith", [
    source("/usr/include/b.h", ["n::total"], [[1, 1, 0, [50]]], true),
    source("a.c", ["n::Basket::total<int>", "other"], copies),
  ]);
  const found = [
    ["n::Basket::total<int>", "a.c", 3, "main", 20],
    ["n::Basket::total<int>", "a.c", 7, "main", 13],
    ["n::total", "/usr/include/b.h", 1, "f", 50],
  ];
  const inFull = (x) => [x.name, x.file, x.line, x.function, x.cost];

  assert.deepEqual(plain(of.copiesWith("TOTAL").map(inFull)), found);
  assert.deepEqual(plain(of.copiesWith("n::total").map(inFull)), [found[2]]);
  assert.deepEqual(plain(of.copiesWith("*total<*").map(inFull)), found.slice(0, 2));
  assert.deepEqual(plain(of.linesWith("total")), [
    ["a.c", 1],
    ["/usr/include/b.h", 1],
  ]);
});

test("a search finds the functions that only one side of a difference has", () => {
  const sides = { new: { self: [1], inclusive: [1] }, base: { self: [], inclusive: [] } };
  const rows = [
    row(0, "news", 1, 1, [], { ...sides, base: sides.new }),
    row(1, "f", 1, 1, [], { ...sides, mark: "new" }),
    row(2, "g", 1, 1, [], { new: sides.base, base: sides.new, mark: "gone" }),
  ];
  const of = page(
    { base: { total: [2] }, new: { total: [2] }, rows, stacks: [[]] },
    "findExactly, rows",
  );
  const found = (q) =>
    plain(
      of
        .findExactly(q, of.rows)
        .flat()
        .map((r) => r.name),
    );

  assert.deepEqual([found("new:"), found("gone:"), found("new")], [["f"], ["g"], ["news"]]);
});

test("a search finds recursive functions: those that call themselves or each other", () => {
  const called = { called: { by_others: 1, by_itself: 3 } };
  const rows = [
    row(0, "f", 1, 1, [], called),
    row(1, "g", 1, 1, [], { cycle: 1 }),
    row(2, "h", 1, 1),
  ];
  const of = page({ total: [3], rows, stacks: [[]] }, "findExactly, numbersOfKinds, rows");

  assert.deepEqual(plain(of.findExactly("recursive:", of.rows)[1].map((r) => r.name)), ["f", "g"]);
  assert.deepEqual(plain(of.numbersOfKinds()), [["recursive", 2]]);
});

test("a search for several words, and an expression, say what would find more", () => {
  const rows = ["malloc", "_int_free", "Py_Free", "f"].map((name, id) => row(id, name, 1, 1));
  const names = "rows, find, anyOfWords, moreInOtherCase";
  const of = page({ total: [4], rows, stacks: [[]] }, names);
  const found = (q) => plain(of.find(q, of.rows)[0].map((r) => r.name));

  for (const q of ["malloc|free", "malloc,free", "malloc free"]) {
    assert.equal(of.anyOfWords(q), "/malloc|free/i");
    assert.deepEqual(found(q), []);
  }
  assert.equal(of.anyOfWords("a+|b"), "/a\\+|b/i");
  assert.deepEqual([of.anyOfWords("malloc"), of.anyOfWords("a/b|c")], [null, null]);
  assert.deepEqual(found("/malloc|free/"), ["malloc", "_int_free"]);
  assert.deepEqual(found("/malloc|free/i"), ["malloc", "_int_free", "Py_Free"]);
  assert.equal(of.moreInOtherCase("/malloc|free/", of.rows), 1);
  assert.equal(of.moreInOtherCase("/malloc|free/i", of.rows), 0);
  assert.equal(of.moreInOtherCase("free", of.rows), 0);
});

test("an address is as short as it can be, and whole in the address of the page", () => {
  const rows = [row(0, "0x00000000000163a0", 1, 1, [], { cycle: 1 }), row(1, "0x0", 1, 1)];
  const of = page({ total: [2], rows, stacks: [[]] }, "rows, nameIn, keyOf");
  const [first, second] = of.rows;

  assert.deepEqual([of.nameIn(first, 1000), of.nameIn(second, 1000)], ["0x163a0 (cycle 1)", "0x0"]);
  assert.equal(of.keyOf(first), "0x00000000000163a0");
});

test("a name that is cut off keeps the mark of its cycle", () => {
  const rows = [row(0, "space::function_of_a_cycle", 1, 1, [], { cycle: 1 })];
  const of = page({ total: [1], rows, stacks: [[]] }, "rows, nameIn, letterWidth");
  const name = (letters) => of.nameIn(of.rows[0], letters * of.letterWidth);

  assert.equal(name(40), "space::function_of_a_cycle (cycle 1)");
  assert.equal(name(30), "function_of_a_cycle (cycle 1)");
  assert.equal(name(24), "function_of_a\u2026 (cycle 1)");
});

test("a name that is not cut off has no ellipsis", () => {
  const rows = [row(0, "a::rather_long_name::sort", 1, 1, [], { cycle: 1 })];
  const of = page({ total: [1], rows, stacks: [[]] }, "rows, nameIn, letterWidth");

  assert.equal(of.nameIn(of.rows[0], 10 * of.letterWidth), "sort (cycle 1)");
});

test("functions with one name of their own are told apart by what is before or after it", () => {
  const names = ["Tree<double, 3>::search", "Tree<float, 2>::search", "Tree<float, 2>::insert"];
  const rows = names.map((narrow, i) => row(i, `${narrow}(int)`, 1, 1, [], { narrow }));
  const of = page({ total: [3], rows, stacks: [[]] }, "rows, nameIn, letterWidth");
  const shown = (letters) => of.rows.map((r) => of.nameIn(r, letters * of.letterWidth));

  assert.deepEqual(plain(shown(18)), [
    "\u2026ouble, 3>::search",
    "\u2026float, 2>::search",
    "insert",
  ]);
  assert.deepEqual(plain(shown(6)), ["search", "search", "insert"]);

  const ofTemplates = ["sort<Key, int>", "sort<Value, int>"].map((narrow, i) =>
    row(i, narrow, 1, 1, [], { narrow, short: "std::sort" }),
  );
  const other = page({ total: [2], rows: ofTemplates, stacks: [[]] }, "rows, nameIn, letterWidth");
  const names10 = other.rows.map((r) => other.nameIn(r, 10 * other.letterWidth));

  assert.deepEqual(plain(names10), ["sort<Key,\u2026", "sort<Valu\u2026"]);

  const places = ["check_match lookup.c", "check_match look-direct.c", "sum sum.c", "sum sum.S"];
  const ofPlaces = places.map((narrow, i) => row(i, narrow.split(" ")[0], 1, 1, [], { narrow }));
  const all = page({ total: [4], rows: ofPlaces, stacks: [[]] }, "rows, nameIn, letterWidth");
  const namesIn = (letters) => all.rows.map((r) => all.nameIn(r, letters * all.letterWidth));

  assert.deepEqual(plain(namesIn(15).slice(0, 2)), [
    "check_m\u2026ookup.c",
    "check_m\u2026irect.c",
  ]);
  assert.deepEqual(plain(namesIn(8).slice(2)), ["sum\u2026um.c", "sum\u2026um.S"]);
});

test("lines are rows with their own costs and functions, those of the user's files alone, too", () => {
  const lines = (of) => of.map(([line, self]) => ({ line, self: [self] }));
  const nested = [
    {
      lines: lines([
        [2, 5],
        [1, 3],
      ]),
    },
    { file: "lib.h", lines: lines([[7, 9]]) },
  ];
  const rows = [
    row(0, "f", 17, 17, [], { nested }),
    row(1, "g", 4, 4, [], { nested: [{ lines: lines([[2, 4]]) }] }),
  ];
  const sources = [
    { file: "a.c", ranges: [[1, ["int f()", "  { g(); }"]]] },
    { file: "lib.h", is_foreign: true, ranges: [[7, ["x"]]] },
  ];
  const of = page({ total: [21], rows, stacks: [[]] }, "GROUPINGS", sources);
  const shown = (kind) =>
    plain(
      of.GROUPINGS[kind].rows().map((r) => [r.short, r.self[0], r.owners.map(({ name }) => name)]),
    );
  const own = [
    ["a.c:2  { g(); }", 9, ["f", "g"]],
    ["a.c:1  int f()", 3, ["f"]],
  ];

  assert.deepEqual(shown("own"), own);
  assert.deepEqual(shown("line"), [...own, ["lib.h:7  x", 9, ["f"]]]);
});

test("a line that only BASE has is not that of NEW with its number", () => {
  const side = (self) => ({ self: [self] });
  const lines = [
    { line: 10, base_line: 12, base: side(1), new: side(2) },
    { line: null, base_line: 10, base: side(9), new: side(0) },
  ];
  const sides = { base: side(10), new: side(2) };
  const rows = [row(0, "f", 2, 2, [], { ...sides, nested: [{ lines, ...sides }] })];
  const data = { base: { total: [10] }, new: { total: [2] }, rows, stacks: [[]] };
  const of = page(data, "GROUPINGS, choice, isPicked, state, placeAmong");
  const found = of.GROUPINGS.line.rows();
  const picked = (line) => {
    Object.assign(of.state, { file: "a.c", line });
    return plain(found.filter(of.isPicked).map((r) => r.short.trim()));
  };

  assert.deepEqual(plain(found.map((r) => of.choice(r).line)), ["10", "-10"]);
  assert.deepEqual([picked("10"), picked("-10")], [["a.c:10"], ["a.c:\u221210"]]);

  const shown = [
    { number: 9, old: "" },
    { number: 10, old: "-" },
    { number: 10, old: "" },
    { number: 14, old: "" },
  ];

  assert.deepEqual(
    [-10, 10, 12, -9].map((line) => of.placeAmong(shown, line)),
    [1, 2, 2, -1],
  );
});

test("what is said of a list is of what it has", () => {
  const rest = { minimum: 0.01, more: { rows: 4, self: [1] } };
  const names = "state, leftOut, allInWords, whereCostDivides, rows";
  const rows = [
    row(0, "_start", 1, 90, [call(1, 1, 89)]),
    row(1, "main", 1, 89, [call(2, 1, 60), call(3, 1, 28)]),
    row(2, "f", 60, 60),
    row(3, "g", 28, 28),
  ];
  const of = page({ total: [90], rows, rest, stacks: [[]] }, names);
  const said = (by) => {
    of.state.by = by;
    return [of.allInWords(), of.leftOut().filter(Boolean).length];
  };

  assert.deepEqual(said("function"), ["all functions", 1]);
  // The sums of files have all functions.
  assert.deepEqual(said("file"), ["all files", 0]);
  assert.deepEqual(said("own"), ["all of your lines", 1]);
  // The call graph begins where the cost divides.
  assert.deepEqual(plain(of.rows.map((r) => of.whereCostDivides(r).name)), [
    "main",
    "main",
    "f",
    "g",
  ]);
});

test("lines without texts that are not the user's are folded", () => {
  const folded = (lines_heading, lines) =>
    !page({ total: [1], stacks: [[]], lines_heading, lines }, "haveLinesToRead").haveLinesToRead;
  const line = { file: "a.c", line: 1, inclusive: [1], notes: [] };

  assert.equal(folded("lines, with all that they call", [line]), true);
  assert.equal(folded("lines, with all that they call", [{ ...line, text: "f();" }]), false);
  assert.equal(folded("your lines, with all that they call", [line]), false);
});

test("what is said of all lines is not folded with lines that are not worth reading", () => {
  const apart = (lines, isInWidePage) =>
    page(
      { total: [1], stacks: [[]], lines_heading: "lines, with all that they call", lines },
      "standApart",
    ).standApart(lines, isInWidePage);
  const line = { file: "a.c", line: 1, inclusive: [1], notes: [] };

  assert.deepEqual([apart([], true), apart([], false)], [true, true]);
  assert.deepEqual([apart([line], true), apart([line], false)], [true, false]);
  assert.equal(apart([{ ...line, text: "f();" }], true), false);
});

test("a row's rate of misses is a column where the event is one of misses", () => {
  const events = ["Ir", "Dr", "Dw", "D1mr", "D1mw"].map((name) => ({ name, long_name: name }));
  const costs = { self: [100, 40, 0, 8, 0], inclusive: [100, 40, 0, 8, 0] };
  const rows = [row(0, "f", 1, 1, [], costs), row(1, "g", 1, 1, [], { ...costs, self: [5] })];
  const shown = (event) => {
    const data = { events, order: [event], total: costs.self, rows, stacks: [] };
    const of = page(data, "columns, isLeftOut, rows");
    const rate = of.columns.find(({ key }) => key === "rate");

    return [of.isLeftOut(rate), ...of.rows.map(rate.text)];
  };

  assert.deepEqual(shown("D1mr"), [false, "20.00%", "."]);
  assert.equal(shown("Ir")[0], true);
});

test("a line's rate of misses is that of the event, by kind of accesses", () => {
  const events = ["Ir", "Dr", "Dw", "D1mr", "D1mw", "Bc", "Bcm"].map((name) => ({ name }));
  const of = page({ events, total: [1], stacks: [[]] }, "rateOf, kindOfMisses");
  const rate = (event) => of.rateOf(of.kindOfMisses(event), [100, 40, 10, 8, 1, 20, 5]);

  assert.equal(rate("D1mr"), "20.00% of its reads");
  assert.equal(rate("Bcm"), "25.00% of its conditional branches");
  // Of the kinds of accesses that have a twentieth of the misses or more.
  assert.equal(rate("L1m"), "20.00% of its reads, 10.00% of its writes");
  const few = of.rateOf(of.kindOfMisses("L1m"), [100, 40, 10, 20, 1]);

  assert.equal(few, "50.00% of its reads");
  assert.equal(rate("Ir"), undefined);
});

test("calls that are partly nested are those with a cost and those without", () => {
  const { timesOf } = page({ total: [1], stacks: [[]] }, "timesOf");

  assert.equal(timesOf({ count: 3, nested: 2 }), "1+2x");
  assert.equal(timesOf({ count: 3, nested: 3 }), "3x");
  assert.equal(timesOf({ count: 3 }), "3x");

  const difference = { base: { total: [1] }, new: { total: [1] }, stacks: [[]] };
  const ofBoth = page(difference, "timesOf").timesOf;

  assert.equal(ofBoth({ count: 3, nested: 2, count0: 5, nested0: 1 }), "4+1\u00a0\u2192 1+2");
  assert.equal(ofBoth({ count: 3, nested: 2, count0: 3, nested0: 2 }), "1+2x");
  assert.equal(ofBoth({ count: 3, count0: 4 }), "4\u00a0\u2192 3");
  assert.equal(ofBoth({ count: 3, count0: 3 }), "3x");
});

test("a call of a caller costs what those with a cost do, which are not nested", () => {
  const { costOfEach } = page({ total: [100], stacks: [[]] }, "costOfEach");

  assert.equal(costOfEach({ cost: [9], count: 8 }), "1.13");
  assert.equal(costOfEach({ cost: [1001], count: 4 }), "250.25");
  assert.equal(costOfEach({ within: true, cost: [], inner: [60], count: 7, nested: 5 }), "30");
  assert.equal(costOfEach({ within: true, cost: [], inner: [], count: 7 }), "");
  assert.equal(costOfEach({ cost: [], count: 7 }), "");
});

test("the largest weight of a line is that of changed lines together, where their text is known", () => {
  const both = (line, before, was, now) => ({
    ...{ line, base_line: before },
    ...{ base: { self: [was] }, new: { self: [now] } },
  });
  const part = (lines) => ({ lines, calls: [] });
  const parts = [
    ["a.c", part([both(null, 2, 10, null), both(2, null, null, 13), both(3, 3, 1, 2)])],
    ["unknown.c", part([both(1, 1, 0, 90)])],
  ];
  const source = { file: "a.c", ranges: [[1, ["a", "b"]]], added: [2], removed: [[1, 2, "B"]] };
  const data = { base: { total: [11] }, new: { total: [105] }, stacks: [[]] };
  const of = page(data, "largestWeight", [source]);

  assert.equal(of.largestWeight(parts, []), 3);
  assert.equal(of.largestWeight(parts.slice(1), []), 90);
});

test("the command for a thread names it in a file that others are in, too", () => {
  const part = (file, thread) => ({ file, thread, pid: "1", total: [1] });
  const parts = [part("a.out", "1"), part("a.out", "2"), part("b.out", "2")];
  const command = ["", "", "a.out b.out", ""];
  const of = page({ total: [3], stacks: [[]], parts, command }, "commandOfThread, threads");

  assert.deepEqual(plain(of.threads.map(([, own]) => of.commandOfThread(own))), [
    "cgannotate --format=html -o thread.html 'a.out#t1'",
    "cgannotate --format=html -o thread.html 'a.out#t2' b.out",
  ]);
});

test("a time has a unit that is read easily", () => {
  const events = [{ name: "ns", milliseconds: 1e-6 }];
  const { inTime } = page({ events, order: ["ns"], total: [1], stacks: [[]] }, "inTime");

  assert.equal(inTime(2768836911), "2,768.84 ms");
  assert.equal(inTime(12345678901), "12.35 s");
  assert.equal(inTime(80735.38), "80.74 \u00b5s");
  assert.equal(inTime(900), "");
});

test("a copied table has exact counts and whole names", () => {
  const rows = [
    row(0, "f<int>", 10, 1, [], { called: { by_others: 3, by_itself: 2 } }),
    row(1, "g", 5, 5, [], { called: { by_others: 1200, by_itself: null } }),
  ];
  const of = page({ total: [20], rows, stacks: [[]] }, "tableAsText, exactly, rows");

  of.rows[0].incl[0] = of.exactly("9007199254740995");
  assert.equal(
    of.tableAsText(of.rows),
    "Inclusive Ir\tSelf Ir\tCalls\tFunction\tFile\n" +
      "9007199254740995\t10\t5\tf<int>\ta.c\n5\t5\t1200\tg\ta.c\n",
  );
  of.rows[1].estimated[0] = true;
  assert.equal(
    of.tableAsText([of.rows[1]]),
    "Inclusive Ir\tSelf Ir\tCalls\tFunction\tFile\tEstimated\n" + "5\t5\t1200\tg\ta.c\tInclusive\n",
  );
});

test("a function that calls itself is among its callers and callees, without a cost", () => {
  const rows = [
    row(0, "main", 10, 60, [call(1, 1, 50)]),
    row(1, "f", 50, 50, [call(1, 9, null)], { called: { by_others: 1, by_itself: 9 } }),
  ];
  const names = "rows, callersOf, calleesOf, callsInWords";
  const found = page({ total: [60], rows, stacks: [[0, 0, 60, 1, 1, 50]] }, names);
  const f = found.rows[1];
  const shown = ({ row: of, label, count, within }) => [of?.name ?? label, count, within];

  assert.deepEqual(plain(found.callersOf(f).map(shown)), [
    ["main", 1, false],
    ["itself", 9, true],
  ]);
  assert.deepEqual(shown(found.calleesOf(f)[0]), ["itself", 9, true]);
  assert.equal(found.callsInWords(f), "called by others 1x, by itself 9x");
});

test("groups have the costs that the data say", () => {
  // a.c: main 10 > f (b.c) 20 > g (a.c) 30.
  const rows = [
    row(0, "main", 10, 60, [call(1, 1, 50)]),
    row(1, "f", 20, 50, [call(2, 3, 30)], { file: "b.c" }),
    row(2, "g", 30, 30),
  ];
  const files = [
    ["a.c", [40], null, [60], null],
    ["b.c", [20], null, [50], null],
  ];
  const stacks = [[0, 0, 60, 1, 1, 50, 2, 2, 30]];
  const names = "listed, show: (by) => { state.by = by; }";
  const found = page({ total: [60], rows, files, stacks }, names);

  found.show("file");
  assert.deepEqual(
    plain(found.listed().map((group) => [group.name, group.self, group.incl, group.calls])),
    [
      ["a.c", [40], [60], null],
      ["b.c", [20], [50], null],
    ],
  );
});

test("a file with several names is one", () => {
  const parts = [
    { file: "x/../a.h", lines: [{ line: 3, self: [5] }], self: [5], calls: [] },
    { file: "a.h", lines: [{ line: 3, self: [7] }], self: [7], calls: [] },
  ];
  const rows = [row(0, "main", 12, 12, [], { nested: parts })];
  const paths = [["x/../a.h", "a.h"]];
  const [found] = page({ total: [12], rows, paths, stacks: [[]] }, "rows").rows;

  assert.deepEqual([...found.parts.keys()], ["a.h"]);
  assert.deepEqual(plain(found.parts.get("a.h").lines), [{ line: 3, self: [12] }]);
});

test("arrows of jumps that overlap are in lanes of their own", () => {
  const { lanesOf } = page({ total: [1], stacks: [[]] }, "lanesOf");
  const at = (address, to) => ({ address, jumps: to ? [[to, 1, 1]] : [] });
  const list = [
    at("0x0", "0x6"),
    at("0x2"),
    at("0x4", "0x2"),
    at("0x6"),
    at("0x8", "0xc"),
    at("0xc"),
  ];
  const { arrows, lanes } = lanesOf(list);

  assert.equal(lanes, 2);
  assert.deepEqual(plain(arrows.map(({ from, to, lane }) => [from, to, lane])), [
    [2, 1, 0],
    [4, 5, 0],
    [0, 3, 1],
  ]);
});

test("only numbers are large, not addresses in names", () => {
  const { hasLargeNumber } = page({ total: [1], stacks: [[]] }, "hasLargeNumber");
  const table = [
    ['{"self":[9007199254740993]}', true],
    ['{"self":[1,-9007199254740993]}', true],
    ['{"line":9007199254740993}', true],
    ['{"self":[900719925474099]}', false],
    ['{"function":"0x0000000004936718"}', false],
  ];

  for (const [json, expected] of table) {
    assert.equal(hasLargeNumber(json), expected, json);
  }
});

// The data of a series of profiles with these totals.
const seriesOf = (totals, more = {}) => ({
  total: [0],
  sides: totals.map((total, i) => ({
    name: `v${i + 1}`,
    files: [`v${i + 1}.out`],
    total: [total],
    recorded: [true],
  })),
  command: ["--show=Ir", "--below=main", "--series v1=v1.out"],
  ...more,
});

test("the largest step of a series is that of the program", () => {
  const { largestStep, spreadOf } = page(seriesOf([1, 2, 3]), "largestStep, spreadOf");
  const all = [true, true, true, true];
  const table = [
    [[1, 2, 9, 8], all, { at: 2, from: 1 }, 8],
    [[5, 1, 5, 9], all, { at: 1, from: 0 }, 8],
    [[null, 3, 3, null], all, { at: 1, from: 0 }, 3],
    [[5, null, 9, 9], [true, false, true, true], { at: 2, from: 0 }, 4],
    [[4, 4, 4, 4], all, null, 0],
    [[-4, 4, 4, 4], all, { at: 1, from: 0 }, 8],
  ];

  for (const [values, isKnown, expected, spread] of table) {
    const step = largestStep(values, isKnown);

    assert.deepEqual(step && { at: step.at, from: step.from }, expected, String(values));
    assert.equal(spreadOf(values, isKnown), spread, String(values));
  }
});

test("columns that fit: all, those around the step and the ends, the ends, the last", () => {
  const { fittingSides } = page(seriesOf([1, 2]), "fittingSides");
  const widths = [5, 5, 5, 5, 5, 5];
  const step = { from: 2, at: 3 };
  const table = [
    [30, [0, 1, 2, 3, 4, 5]],
    [29, [0, 2, 3, 5]],
    [19, [0, 5]],
    [9, [5]],
    [4, []],
  ];

  for (const [room, expected] of table) {
    const found = [...fittingSides(widths, room, step)].sort();

    assert.deepEqual(found, expected, String(room));
  }
});

test("the line of a series begins at 0 unless it would be flat", () => {
  const { pointsOf } = page(seriesOf([1, 2]), "pointsOf");
  const heights = (values) => {
    const { least, most, points } = pointsOf(
      values,
      values.map(() => true),
    );

    return plain([least, most, points.map(({ x, y }) => [x, y])]);
  };

  assert.deepEqual(heights([2, 8]), [
    0,
    8,
    [
      [0, 0.25],
      [1, 1],
    ],
  ]);
  assert.deepEqual(heights([6, 8]), [
    6,
    8,
    [
      [0, 0],
      [1, 1],
    ],
  ]);
  assert.deepEqual(heights([3, 3]), [
    3,
    3,
    [
      [0, 0.5],
      [1, 0.5],
    ],
  ]);
  assert.deepEqual(heights([null, 4]), [
    0,
    4,
    [
      [0, 0],
      [1, 1],
    ],
  ]);
});

test("commands are words as a shell reads them, or there are none", () => {
  const { quoted, belowCommand, differenceCommand } = page(
    seriesOf([1, 2]),
    "quoted, belowCommand, differenceCommand",
  );
  const table = [
    ["main", "main"],
    ["std::f<int>(char const*)", "'std::f<int>(char const*)'"],
    ["it's", `'it'"'"'s'`],
    ["$(touch x)", "'$(touch x)'"],
    ["a\nb", null],
    ["a\u{202e}b", null],
    [{ bytes: [255] }, null],
  ];

  for (const [word, expected] of table) {
    assert.equal(quoted(word), expected);
  }
  assert.equal(
    belowCommand("f<int>"),
    "cgannotate --format=html -o below.html --show=Ir --below='f<int>' --series v1=v1.out",
  );
  assert.equal(belowCommand("/f/"), null);
  assert.equal(belowCommand(""), null);
  assert.equal(
    differenceCommand(["a 1.out"], ["b.out", "c.out"]),
    "cgannotate --format=html -o difference.html --show=Ir --below=main --diff='a 1.out' b.out c.out",
  );
  assert.equal(differenceCommand(["-"], ["b.out"]), null);
  const { belowCommand: without } = page({ total: [1], stacks: [[]] }, "belowCommand");

  assert.equal(without("f"), null);
});

test("the address of a line in an editor", () => {
  const table = [
    ["vscode://file/{path}:{line}", "/src/a b.c", "vscode://file/src/a%20b.c:7"],
    ["vscode://file/{path}:{line}", "src/a.c", "vscode://file/home/src/a.c:7"],
    ["idea://open?file={path}&line={line}", "/a.c", "idea://open?file=/a.c&line=7"],
    ["x://{path}", '/a"<.c', "x:///a%22%3C.c"],
  ];

  for (const [editor, path, expected] of table) {
    const data = { total: [1], stacks: [[]], editor, folder: "/home" };
    const { editorAddress } = page(data, "editorAddress");

    assert.equal(editorAddress({ path }, 7), expected);
  }
});

test("a profile of a series in which a function is absent has no figure", () => {
  const { inWords } = page(seriesOf([1, 2]), "inWords");
  const table = [
    [[5, 7], 0, undefined, "v1: 5 Ir"],
    [[5, 7], 1, 0, "v2: 7 Ir, +2 (+40.0%) since v1"],
    [[5, 5], 1, 0, "v2: 5 Ir, as v1"],
    [[null, 7], 0, undefined, "v1: absent"],
    [[null, 7], 1, 0, "v2: 7 Ir, +7 (new) since v1"],
    [[5, null], 1, 0, "v2: absent, -5 (gone) since v1"],
    [[null, null], 1, 0, "v2: absent, as v1"],
    [[null, 0], 1, 0, "v2: 0 Ir"],
    [[5, 0], 1, 0, "v2: 0 Ir, -5 (-100.0%) since v1"],
  ];

  for (const [values, now, before, expected] of table) {
    assert.equal(inWords(values, now, before), expected);
  }
});

test("a table that cannot have all lines has those around the one that is sought", () => {
  const { shownLines } = page({ total: [1], stacks: [[]] }, "shownLines");
  const table = [
    [10, -1, 0],
    [5000, -1, 0],
    [5000, 100, 0],
    [5000, 2500, 1000],
    [5000, 4990, 2000],
  ];

  for (const [count, sought, expected] of table) {
    const { from, to } = shownLines(count, sought);

    assert.deepEqual([from, to], [expected, expected + 3000], `${count} ${sought}`);
  }
});

test("what is inlined at a line is there in the code of its row", () => {
  const names = "withInlined, linesOf, weight, rows";
  const rows = [row(0, "main", 10, 60), row(1, "f", 50, 50)];
  const { withInlined, linesOf, weight, ...found } = page(
    { total: [60], rows, stacks: [[]] },
    names,
  );
  const source = {
    ranges: [[1, ["f();", "g();"]]],
    inlined: [
      [0, 1, 0, [9]],
      [0, 1, 1, [4]],
      [1, 1, 1, [50]],
    ],
    inlined_names: ["outer", "inner"],
  };
  const file = { lines: [{ line: 1, self: [10] }], calls: [] };
  const [first] = linesOf(withInlined("a.c", file, source, [found.rows[0]]), source);

  assert.deepEqual(plain(first.calls.map((call) => [call.copyOf, call.inclusive])), [
    ["outer", [9]],
    ["inner", [4]],
  ]);
  // The inner copy may be in the outer one.
  assert.equal(weight(first), 19);
  const [both] = linesOf(withInlined("a.c", file, source, found.rows), source);

  assert.deepEqual(plain(both.calls[1].inclusive), [54]);
});

test("code of other files is at the first line of its function, with its calls", () => {
  const part = (file, lines, calls) => ({
    ...(file && { file }),
    ...{ self: [lines.reduce((n, [, cost]) => n + cost, 0)], calls },
    lines: lines.map(([line, cost]) => ({ line, self: [cost] })),
  });
  const of = (r, nested) => ({ ...r, nested });
  const parts = [
    part(null, [
      [9, 1],
      [7, 2],
    ]),
    part("b.h", [[3, 20]], [call(1, 4, 100)]),
    part("c.h", [[5, 10]], []),
  ];
  const rows = [of(row(0, "main", 33, 133), parts), row(1, "f", 100, 100)];
  // Line 7 is that of a function of the file that is inlined.
  const first_lines = [[0, 9]];
  const names = "rows, joinedParts, partsOf, withInlined, linesOf, weight, callsOf";
  const shown = page({ total: [133], rows, first_lines, stacks: [[]] }, names);
  const lines = shown.linesOf(
    shown.withInlined("a.c", shown.joinedParts(shown.partsOf("a.c")), undefined, shown.rows),
  );
  const costly = lines
    .filter((x) => x.calls.length)
    .map((x) => [x.number, x.calls[0].others, x.calls[0].inclusive[0], shown.weight(x)]);

  // 20 and 10 itself, and 100 of what is called there. The lines of the headers have that, too.
  assert.deepEqual(plain(costly), [[9, 2, 130, 1]]);
  // In a file that a function is not of its code is at its own lines.
  const header = shown.withInlined(
    "b.h",
    shown.joinedParts(shown.partsOf("b.h")),
    undefined,
    shown.rows,
  );

  assert.deepEqual(plain(header.calls.map(({ others }) => others ?? null)), [null]);
});

test("the command that shows instructions has the options that every report needs", () => {
  const command = ["--show=Ir --min=1", "", "a.out", "--show=Ir"];
  const { instructionsCommand } = page(
    { total: [1], stacks: [[]], command },
    "instructionsCommand",
  );

  assert.equal(instructionsCommand("f"), "cgannotate --show=Ir --asm=f a.out");
  assert.equal(instructionsCommand("/f/"), null);
});

test("a narrow name has all of the function's own name before its callers", () => {
  const names = [
    ["get_info.constprop.0", "get_info", "get_info"],
    ["_IO_file_underflow@@GLIBC_2.2.5", "_IO_file_under\u2026ow@@GLIBC_2.2.5", null],
    ["a_long_name'main", "a_lo\u2026me'main", "a_long_name'main"],
    ["f'a_caller'main", "f'a_ca\u2026'main", null],
  ];

  for (const [name, narrow, expected] of names) {
    const rows = [row(0, name, 1, 1, [], { narrow })];
    const [found] = page({ total: [1], rows, stacks: [[]] }, "recordedRows").recordedRows;

    assert.equal(found.narrow, expected ?? narrow);
  }
});

test("calls by itself are apart from those by others", () => {
  const names = "rows, timesCalled, byItself";
  const alone = page({ total: [60], rows: [row(0, "f", 1, 1)], stacks: [[]] }, names);
  const called = (by_others, by_itself) => ({ called: { by_others, by_itself } });
  const recursive = page(
    {
      total: [60],
      rows: [row(0, "f", 1, 1, [], called(5, 15000)), row(1, "g", 1, 1, [], called(null, 3))],
      stacks: [[]],
    },
    names,
  );

  assert.equal(alone.timesCalled(alone.rows[0]), "1x");
  assert.equal(recursive.timesCalled(recursive.rows[0]), "5+15,000x");
  assert.equal(recursive.timesCalled(recursive.rows[1]), "+3x");
  // A context that is called by another one of its function, where both are one row.
  const contexts = page(
    {
      total: [60],
      rows: [row(0, "f'main", 1, 1, [call(1, 4, 1)]), row(1, "f'f", 1, 1, [], called(4, null))],
      stacks: [[]],
    },
    names,
  );

  assert.equal(contexts.byItself(contexts.rows[0]), 4);
  assert.equal(contexts.timesCalled(contexts.rows[0]), "1+4x");
  const sides = (calls) => ({ self: [1], inclusive: [1], calls });
  const atLine = { ...call(0, 2, 1), base: { calls: 3 }, new: { calls: 5 } };
  const difference = page(
    {
      base: { total: [1] },
      new: { total: [1] },
      rows: [row(0, "f", 1, 1, [atLine], { base: sides(1), new: sides(1) })],
      stacks: [[]],
    },
    "rows, byItself, byItself0",
  );
  const [f] = difference.rows;

  assert.deepEqual([difference.byItself0(f), difference.byItself(f)], [3, 5]);
});

test("a call within a cycle has a cost at its line where the program says one", () => {
  const rows = [
    row(0, "main", 1, 60, [call(1, 1, 59)]),
    row(1, "f", 1, 59, [call(1, 2, 20), { ...call(2, 1, 0), inclusive: [null] }], { cycle: 1 }),
    row(2, "g", 1, 5, [], { cycle: 1 }),
  ];
  const found = page({ total: [60], rows, stacks: [[]] }, "rows, hasCost");
  const [main, f, g] = found.rows;
  const [toItself, toG] = [...f.parts.values()][0].calls;

  assert.equal(found.hasCost([...main.parts.values()][0].calls[0], f), true);
  assert.equal(found.hasCost(toItself, f), true);
  assert.equal(found.hasCost(toG, g), false);
});

test("a caller of what is not listed has an estimated frame", () => {
  // f calls what is not listed.
  const rows = [row(0, "f", 1, 9, [call(null, 1, 8)])];
  const { exactCost, ...of } = page({ total: [9], rows, stacks: [[]] }, "exactCost, rows");
  const above = { row: null, up: { row: of.rows[0], up: null }, isOfCallers: true };

  assert.equal(exactCost({ row: of.rows[0], up: above, isOfCallers: true }), undefined);
});

test("calls within a cycle have their recorded costs beside those of other calls", () => {
  const rows = [
    row(0, "main", 1, 60, [call(1, 1, 59)]),
    row(1, "f", 1, 59, [call(1, 2, 20), call(2, 3, 30), { ...call(2, 4, 8), line: 7 }], {
      cycle: 1,
    }),
    row(2, "g", 1, 38, [{ ...call(1, 1, 0), inclusive: [null] }], { cycle: 1 }),
  ];
  const of = page({ total: [60], rows, stacks: [[]] }, "rows, placesOfCalls");
  const [main, f, g] = of.rows;
  const costs = ({ cost, inner }) => plain([cost, inner]);

  assert.deepEqual(costs(main.out.get(f)), [[59], []]);
  assert.deepEqual(costs(f.out.get(g)), [[], [38]]);
  assert.deepEqual(costs(f.out.get(f)), [[], []]);
  assert.deepEqual(costs(g.out.get(f)), [[], []]);
  assert.deepEqual(plain(of.placesOfCalls(f, g).map((x) => [x.line, x.number, x.cost])), [
    [1, 3, 30],
    [7, 4, 8],
  ]);
});

test("the line that changed most is not one whose nested calls did", () => {
  const sides = (self) => ({ self: [self], inclusive: [self], calls: 1 });
  const both = { base: sides(1), new: sides(9) };
  const nested = { ...call(0, 2, 1), base: { calls: 1, inclusive: [2] } };
  const data = { base: { total: [1] }, new: { total: [9] }, stacks: [[]] };
  const { rows, weight } = page({ ...data, rows: [row(0, "f", 1, 1, [], both)] }, "rows, weight");
  const calls = [{ ...nested, new: { calls: 3, inclusive: [50] }, from: rows[0] }];

  assert.equal(weight({ cost: [9, 2], calls }), 7);
});

test("changed lines that follow each other have their change together", () => {
  const names = "linesOf, weight, rows, sumOfChange";
  const data = { base: { total: [12] }, new: { total: [25] }, stacks: [[]] };
  const { linesOf, weight } = page(data, names);
  const line = (number, before, was, now) => ({
    ...{ line: number, base_line: before },
    ...{ base: { self: [was] }, new: { self: [now] } },
  });
  const source = { ranges: [[1, ["a", "b", "c"]]], added: [2], removed: [[1, 2, "B"]] };
  const lines = [line(1, 1, 2, 8), line(null, 2, 10, null), line(2, null, null, 13)];
  const found = linesOf({ lines, calls: [] }, source);

  assert.deepEqual(
    plain(found.map((x) => [x.old, x.number, weight(x), x.change?.lines.length ?? 0])),
    [
      ["", 1, 6, 0],
      ["-", 2, 3, 2],
      ["", 2, 3, 2],
      ["", 3, 0, 0],
    ],
  );
});

test("a line of a difference is one, whichever functions have it on either side", () => {
  const data = { base: { total: [10] }, new: { total: [9] }, stacks: [[]] };
  const of = (id, name, was, now) => {
    const sides = {
      base: { self: [was], inclusive: [was], calls: 1 },
      new: { self: [now], inclusive: [now], calls: 1 },
    };
    const line = { line: 28, base_line: was ? 28 : null, ...sides };

    return row(id, name, now, now, [], {
      nested: [{ lines: [line], calls: [], ...sides }],
      ...sides,
    });
  };
  const rows = [of(0, "main", 10, null), of(1, "hash", null, 9)];
  const { linesAsRows } = page({ ...data, rows }, "linesAsRows");
  const lines = linesAsRows(() => true);

  assert.deepEqual(plain(lines.map((x) => [x.line, x.self0, x.self])), [[28, [10], [9]]]);
});

test("frames have the costs of calls where these say them", () => {
  // main 10 > f 60 > g 20, main > h 30 > f 25: f has 85 in all, which its calls say, and so its
  // frames; g below it is divided among these.
  const rows = [
    row(0, "main", 10, 100, [call(1, 1, 60), call(3, 1, 30)]),
    row(1, "f", 65, 85, [call(2, 4, 20)]),
    row(2, "g", 20, 20),
    row(3, "h", 5, 30, [call(1, 1, 25)]),
  ];
  const names = "tree, around, exactCost, rows";
  const found = page({ total: [100], rows, stacks: [[]] }, names);
  const whole = found.tree([0, 0, 100, 1, 1, 60, 2, 2, 14, 1, 3, 30, 2, 1, 25, 3, 2, 6]);
  const shape = (node) => [
    node.row?.name ?? "all",
    found.exactCost(node) ?? "~",
    node.kids.map(shape),
  ];

  assert.deepEqual(plain(shape(whole)), [
    "all",
    100,
    [
      [
        "main",
        100,
        [
          ["f", 60, [["g", "~", []]]],
          ["h", 30, [["f", 25, [["g", "~", []]]]]],
        ],
      ],
    ],
  ]);
  const { callers, callees } = found.around(whole, found.rows[1]);

  assert.deepEqual(plain(shape(callers)), [
    "f",
    85,
    [
      ["main", 60, []],
      ["h", 25, [["main", 25, []]]],
    ],
  ]);
  assert.deepEqual(plain(shape(callees)), ["f", 85, [["g", 20, []]]]);
});

test("a line has its own instructions and those that are inlined there", () => {
  const row = {
    ...{ id: 0, function: "main", file: "a.c", object: "", self: [6], inclusive: [6] },
    ...{ called: { by_others: 1, by_itself: null }, nested: [] },
  };
  const instruction = (address, place, self) => ({ address, place, self });
  const data = {
    total: [6],
    stacks: [[]],
    rows: [row],
    code: [
      {
        ...{ id: 0, state: "found", files: ["a.c", "b.h"] },
        instructions: [
          instruction("0x10", [0, 3], [1]),
          instruction("0x11", [1, 7], [2]),
          instruction("0x12", [1, 8], [3]),
          instruction("0x13", [0, 3], undefined), // was not executed
        ],
      },
    ],
  };
  const source = { file: "a.c", path: "a.c", ranges: [], inlined_names: ["f"] };
  const inlined = [[0, 3, 0, [2], ["0x11"]]];
  const of = page(data, "rows, withInlined, instructionsByLine");
  const found = { ...source, inlined };

  of.withInlined("a.c", { lines: [] }, found, of.rows);
  const lines = of.instructionsByLine("a.c", found, of.rows);

  assert.deepEqual(
    plain([...lines].map(([line, list]) => [line, list.map((x) => [x.address, x.inlinedFrom])])),
    [
      [
        3,
        [
          ["0x10", false],
          ["0x11", "b.h:7"],
        ],
      ],
    ],
  );
});

test("a context is named by its function and the callers, the nearest first", () => {
  const row = (id, name, self) => ({
    ...{ id, function: name, file: "a.c", object: "", called: { by_others: 1, by_itself: null } },
    ...{ self: [self], inclusive: [self], nested: [] },
  });
  const rows = [row(0, "main", 60), row(1, "find'outer'main", 30), row(2, "find'main", 10)];
  const of = page(
    { total: [100], stacks: [[]], rows },
    "recordedRows, nameInContext, keyOfContext",
  );
  const [, nested] = of.recordedRows;

  assert.equal(of.nameInContext(nested, 40), "find in outer, main");
  assert.equal(of.nameInContext(nested, 14), "find in outer\u2026");
  assert.equal(of.keyOfContext(nested), "find'outer'main");
});

test("a function whose lines are elsewhere on one side changed by what they cost in all", () => {
  const sides = (was, now) => ({
    base: { self: [was], inclusive: [was], calls: 1 },
    new: { self: [now], inclusive: [now], calls: 1 },
  });
  // The lines of hash are in fields in BASE, and those of sum in main in NEW.
  const rows = [
    row(0, "hash", 1, 1, [], { ...sides(null, 600), mark: "new" }),
    row(1, "fields", 1, 1, [], sides(740, 170)),
    row(2, "sum", 1, 1, [], { ...sides(50, null), mark: "gone" }),
    row(3, "main", 1, 1, [], sides(10, 90)),
  ];
  const part = { cost: 610, all_rows: -10, on_both_sides: true };
  const parts = [
    { row: 0, of: 1, name: "fields", ...part },
    { row: 2, of: 3, name: "main", cost: 60, all_rows: 10, on_both_sides: true },
  ];
  const both = { base: { total: [800] }, new: { total: [860] } };
  const data = { ...both, rows, stacks: [[]], parts_of_others: parts };
  const of = page(data, "rows, changeInAll, elsewhereInWords, notesOnLinesElsewhere");

  assert.deepEqual(plain(of.rows.map(of.changeInAll)), [-10, 40, 10, 20]);
  assert.deepEqual(plain(of.rows.map((r) => of.elsewhereInWords(r)?.[0] ?? null)), [
    "moved",
    null,
    "moved",
    null,
  ]);
  assert.deepEqual(plain(of.rows.flatMap(of.notesOnLinesElsewhere)), [
    "its lines are in fields in BASE, where they cost 610 Ir: -10 in all functions",
    "-610 Ir at the lines of hash, which are here in BASE; it costs 600 in NEW",
    "its lines are in main in NEW, where they cost 60 Ir: +10 in all functions",
    "+60 Ir at the lines of sum, which are here in NEW; it costs 50 in BASE",
  ]);
  // Without knowing where its lines are it is new.
  const unknown = page({ ...data, parts_of_others: [] }, "rows, changeInAll, elsewhereInWords");

  assert.deepEqual(plain(unknown.rows.map(unknown.changeInAll)), [600, -570, -50, 80]);
  assert.equal(unknown.elsewhereInWords(unknown.rows[0]), undefined);
});
