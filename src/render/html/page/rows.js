// The functions and the calls between them. Where Callgrind recorded contexts (f'caller) a function
// has a row for each; these are one row unless the reader wants them apart.

// The files whose names in the profile have detours, without these.
const pathByName = new Map((data.paths ?? []).map(([name, path]) => [text(name), text(path)]));
const pathOf = (file) => pathByName.get(text(file)) ?? text(file);

// The namespaces of functions, by the ids of their rows.
const namespaces = new Map(
  (data.namespace_of ?? []).map(([id, i]) => [id, text(data.namespaces[i][0])]),
);

// The code of a function in each file.
function partsByFile(parts) {
  const files = Map.groupBy(parts, ([file]) => file);

  return new Map(
    [...files].map(([file, list]) => [file, joinedParts(list.map(([, part]) => part))]),
  );
}

// Several parts of the code in a file as one.
function joinedParts(parts) {
  if (parts.length === 1) {
    return parts[0];
  }
  const sumOf = (list, side) => {
    const costs = [];

    list.forEach((x) => addTo(costs, side(x)));
    return costs;
  };
  const lines = Map.groupBy(
    parts.flatMap((part) => part.lines),
    (x) => `${x.line} ${x.base_line}`,
  );

  return {
    ...parts[0],
    self: sumOf(parts, (part) => part.self),
    self0: sumOf(parts, (part) => part.self0),
    lines: [...lines.values()].map((list) => ({
      ...list[0],
      ...(diff
        ? {
            new: { self: sumOf(list, (x) => x.new.self) },
            base: { self: sumOf(list, (x) => x.base.self) },
          }
        : { self: sumOf(list, (x) => x.self) }),
    })),
    calls: parts.flatMap((part) => part.calls || []),
  };
}

// What of a row needs its lines and calls, which is made when it is needed for the first time.
const madeOnDemand = {
  // Its code by file.
  get parts() {
    const partOf = (x) => {
      x.calls?.forEach((call) => {
        call.from = this;
      });
      return { ...x, self: after(x).self, self0: x.base?.self || [] };
    };

    return (this.made.parts ??= partsByFile(
      this.nested.map((x) => [pathOf(x.file ?? this.ownFile), partOf(x)]),
    ));
  },

  // The names of the files with its code.
  get files() {
    return this.nested.map((x) => pathOf(x.file ?? this.ownFile));
  },

  // The calls that it makes, by callee; null is what is not listed.
  get out() {
    return (this.made.out ??= callsFrom(this));
  },

  // The calls of it, by caller.
  get in() {
    return (this.made.in ??= new Map(
      [...(rowsCalling().get(this) ?? [])].map((from) => [from, from.out.get(this)]),
    ));
  },
};

// A name of C++ or Rust without its arguments, and without what is before the name.
function bareName(short) {
  if (!/[ (<]/.test(short)) {
    return short;
  }
  let bare = short
    .replace(/\(anonymous namespace\)::/g, "")
    .replace(/ \[clone .*$|(?<!operator)\(.*$/, "");

  while (/<[^<>]*>/.test(bare)) {
    bare = bare.replace(/<[^<>]*>/g, "");
  }
  return bare.replace(/^.*(?<!operator) /, "");
}

// A function, or one of its contexts, as the page has it.
function rowOf(r) {
  const now = series ? r.sides.at(-1) : after(r);
  const was = diff ? r.base : {};
  const name = text(r.function);
  // An address is as short as it can be.
  const short = (text(r.short) || name).replace(/^0x0+(?=.)/, "0x");

  const isOther = r.own != null; // a name of another language than C++ and Rust
  const bare = isOther ? short : bareName(short);
  const own = isOther ? text(r.own) : bare.split("'")[0].replace(/^.*::/, "") || short;

  const suffix = r.cycle == null ? "" : ` (cycle ${r.cycle})`;
  const caller = /^([^<']+(?:'\d+)?)'((?:0x|[a-z_(]).*)$/i;

  const [, alone = short, context] = (!isOther && caller.exec(short)) || []; // f'caller
  const narrow = text(r.narrow) || short;
  // Before a caller it may have only a part of the function's own name.
  const startOfCaller = narrow.includes(own) ? -1 : narrow.indexOf("'");
  return {
    __proto__: madeOnDemand,
    made: {},
    id: r.id,
    name,
    short,
    bare,
    alone,
    context,
    suffix,
    own,
    narrow: startOfCaller < 0 ? narrow : own + narrow.slice(startOfCaller),
    placed: `${short}\n${baseName(pathOf(r.file)) || baseName(text(r.object))}`,
    inlined: r.inlined,
    namespace: namespaces.get(r.id) ?? "",
    file: pathOf(r.file),
    object: text(r.object),
    mark: r.mark,
    cycle: r.cycle,
    ratios: r.ratios || {},
    ownFile: r.file,
    nested: r.nested ?? [],
    self: now.self || [],
    incl: now.inclusive || [],
    self0: was.self || [],
    incl0: was.inclusive || [],
    // Of a difference those by others.
    calls: diff || series ? now.calls : r.called.by_others + r.called.by_itself || null,
    calls0: was.calls,
    estimated: r.estimated || [],
    again: diff || series ? null : r.called.by_itself,
    // Whether its self cost is an estimate of what is below a function, and its calls are not
    // known.
    isSelfDivided: r.divided_figures?.[0] ?? false,
    areCallsUnknown: r.divided_figures?.[1] ?? false,
    sides: r.sides ?? null,
  };
}

// The functions of a difference that have another name in BASE: by name and file in NEW that in
// BASE.
const namesBefore = new Map(
  (data.renamed ?? []).map((of) => [`${text(of.new)}\n${text(of.file)}`, text(of.base)]),
);
const nameBefore = (r) => namesBefore.get(`${r.name}\n${text(r.ownFile)}`);

// Of a difference the rows that only one side has and whose lines are in a row of both sides on
// the other side, by their ids, and by that of the other row.
const linesElsewhere = (data.parts_of_others ?? []).filter(({ on_both_sides }) => on_both_sides);
const elsewhereById = new Map(linesElsewhere.map((part) => [part.row, part]));
const elsewhereByOther = Map.groupBy(linesElsewhere, (part) => part.of);
const elsewhereOf = (r) => (r.members ? undefined : elsewhereById.get(r.id));
const linesHereOf = (r) => (r.members ? [] : (elsewhereByOther.get(r.id) ?? []));

// What the other row costs more or less at the lines of such a function.
const changeThere = ({ row, cost }) => (byId.get(row)?.mark === "new" ? -cost : cost);

// Where its lines are, in the words of the reasons.
function whereItsLinesAre(r, { name, cost, all_rows: inAll }) {
  const side = r.mark === "new" ? "BASE" : "NEW";

  return (
    `its lines are in ${text(name)} in ${side}, where they cost ${count(cost)} ${firstEvent}: ` +
    `${signed(inAll)} in all functions`
  );
}

// The same for the row that has them.
function linesHere(part) {
  const r = byId.get(part.row);
  const [side, other, cost] = r.mark === "new" ? ["BASE", "NEW", r.self] : ["NEW", "BASE", r.self0];
  const own = count((cost ?? [])[events.indexOf(firstEvent)]);

  return (
    `${signed(changeThere(part))} ${firstEvent} at the lines of ${r.alone}, which are here in ` +
    `${side}; it costs ${own} in ${other}`
  );
}

// Where the lines of a row are on the side that lacks it; or the functions whose lines it has, of
// which the two with the largest changes are named.
function notesOnLinesElsewhere(r) {
  const part = elsewhereOf(r);
  const parts = [...linesHereOf(r)].sort((a, b) => Math.abs(b.cost) - Math.abs(a.cost));

  return part ? [whereItsLinesAre(r, part)] : parts.slice(0, 2).map(linesHere);
}

const recordedRows = data.rows.map(rowOf);
const recordedById = lazily(() => new Map(recordedRows.map((r) => [r.id, r])));
const recordedNames = lazily(() => Map.groupBy(recordedRows, (r) => r.name));
const hasContexts =
  !diff && !series && 10 * recordedRows.filter((r) => r.context).length > recordedRows.length;

// By the id of a listed context of a function, what its unlisted ones cost together.
const unlistedContexts = new Map(
  (data.unlisted_contexts ?? []).map(([id, number, self, incl, calls]) => [
    id,
    { number, self, incl, calls },
  ]),
);

// The unlisted contexts of a row, unless rows are contexts.
const unlistedOf = (r) =>
  areApart ? [] : (r.ids ?? [r.id]).flatMap((id) => unlistedContexts.get(id) ?? []);

// The rows of the list; whether contexts are apart in them; and the rows by their ids, those of all
// contexts, too, and by names, where null is a name that several have.
let rows = [];
let areApart = null;
const byId = new Map();
const byName = new Map();
// The objects and the files with code, by which functions can be searched for.
const searchedPlaces = lazily(() => new Set(recordedRows.flatMap((r) => [r.object, ...r.files])));
// The rows that call each row, and those of each cycle. They are other rows where contexts are
// apart.
let calling = null;
let cycles = null;
// The rows by the functions' own names.
let byOwnName = null;

// The rows whose functions have the own name of this one, and the ways to write that in so many
// letters, as far as they are known.
function namesakes(r) {
  byOwnName ??= new Map(
    [...Map.groupBy(rows, ({ own }) => own)].map(([own, same]) => [own, { same, ways: new Map() }]),
  );
  return byOwnName.get(r.own) ?? { same: [], ways: new Map() };
}

function rowsCalling() {
  if (calling) {
    return calling;
  }
  calling = new Map();
  for (const from of rows) {
    for (const { calls } of from.nested) {
      for (const { id } of calls ?? []) {
        const to = byId.get(id);

        if (to && calling.has(to)) {
          calling.get(to).add(from);
        } else if (to) {
          calling.set(to, new Set([from]));
        }
      }
    }
  }
  return calling;
}

// A row in the address: its name, with its file and its object where others have this name, too. A
// number is an id of this page, which is another one when the profile is recorded again.
const keysByPlace = [
  (r) => `${r.name} in ${r.file}`,
  (r) => `${r.name} in ${r.file} of ${r.object}`,
];
const keyOf = (r) =>
  [r.name, ...keysByPlace.map((keyed) => keyed(r))].find(
    (key) => !/^\d+$/.test(key) && byName.get(key) === r,
  ) ?? String(r.id);
// The same of a row for a context while contexts are together.
const keyOfContext = (r) => (recordedNames().get(r.name)[1] ? String(r.id) : r.name);
const byKey = (key) => byId.get(/^\d+$/.test(key) ? Number(key) : null) || byName.get(key) || null;

// A call within a cycle is counted without its cost, which is part of the call that entered.
const isWithin = (from, to) =>
  to != null && (to === from || (from.cycle != null && to.cycle === from.cycle));

// Makes the rows of the list and the calls between them.
function arrange(apart) {
  if (apart === areApart) {
    return;
  }
  areApart = apart;
  calling = null;
  cycles = null;
  byOwnName = null;
  byId.clear();
  byName.clear();

  const groups = apart
    ? recordedRows.map((r) => [r])
    : [...Map.groupBy(recordedRows, (r) => [r.alone, r.file, r.object].join("\n")).values()];

  rows = groups.map((members) => {
    const isAlone = members.length === 1 && !members[0].context;
    const isWhole = isAlone && !unlistedContexts.has(members[0].id);
    const row = apart || isWhole ? members[0] : merged(members);

    members.forEach((member) => byId.set(member.id, row));
    // Callers and callees are other rows now.
    row.made = {};
    return row;
  });
  if (!apart) {
    setInclusive(groups);
  }
  for (const key of ["name", "short", "placed"]) {
    nameRows(rows, (r) => r[key]);
  }
  const withOneName = rows.filter((r) => byName.get(r.name) !== r);

  keysByPlace.forEach((keyed) => nameRows(withOneName, keyed));
}

// Makes these rows known by names, which do not lead to a row if several have them.
function nameRows(list, nameOf) {
  for (const [name, same] of Map.groupBy(list, nameOf)) {
    if (!byName.has(name)) {
      byName.set(name, same[1] ? null : same[0]);
    }
  }
}

// Adds up counts of the same events.
function addTo(sums, costs) {
  (costs || []).forEach((n, i) => {
    if (n != null) {
      sums[i] = plus(sums[i], n);
    }
  });
}

// The contexts of a function as one row, without its inclusive cost.
function merged(members) {
  const [first] = members;
  const names = { name: first.alone, short: first.alone, narrow: first.alone };
  /** @type {Record<string, any>} */
  const row = { __proto__: madeOnDemand, ...first, ...names };

  row.context = undefined;
  row.bare = first.bare.split("'")[0];
  row.placed = `${row.short}\n${first.placed.split("\n")[1]}`;
  row.cycle = members.find((member) => member.cycle != null)?.cycle;
  row.suffix = row.cycle == null ? "" : ` (cycle ${row.cycle})`;
  row.self = [];
  row.estimated = [];
  row.ratios = {};
  members.forEach((member) => addTo(row.self, member.self));
  row.nested = members.flatMap((member) => member.nested);
  row.ids = members.map((member) => member.id);
  row.unlisted = unlistedOf(row);
  row.unlisted.forEach((contexts) => addTo(row.self, contexts.self));
  row.calls = sum([...members, ...row.unlisted], ({ calls }) => calls) || null;
  return row;
}

// A cost is marked as an estimate if its bounds are further apart than this part of the total, as
// in the program.
const MAX_EXACT = 100;

// Sets the inclusive costs of rows that have several contexts: the sum of their contexts' costs, if
// no context was called below another one. Else the sum has the same cost twice, and what the flame
// graph says is an estimate that is not below that of any context, nor above the sum. Whether
// unlisted contexts were called below others is not known.
function setInclusive(groups) {
  for (const event of events.keys()) {
    const stacks = data.stacks[event] || [];
    const whole = new Map(rows.map((row) => [row, { cost: 0, open: 0, isNested: false }]));
    const path = [];

    for (let i = 0; i < stacks.length; i += 3) {
      while (path.length > stacks[i]) {
        const left = path.pop();

        if (left) {
          left.open -= 1;
        }
      }
      const frame = whole.get(byId.get(stacks[i + 1])) || null;

      path.push(frame);
      if (frame && frame.open === 0) {
        frame.cost = plus(frame.cost, stacks[i + 2]);
      } else if (frame) {
        frame.isNested = true;
      }
      if (frame) {
        frame.open += 1;
      }
    }
    for (const [number, members] of groups.entries()) {
      const row = rows[number];
      const unlisted = sum(row.unlisted ?? [], (contexts) => contexts.incl[event]);
      const costs = members.map((member) => member.incl[event]);

      if (row === members[0] || costs.every((of) => of == null)) {
        continue;
      }
      const all = sum(costs, (of) => of);
      const { cost, isNested } = whole.get(row);

      if (row.incl === members[0].incl) {
        row.incl = [];
      }
      row.incl[event] = isNested
        ? Math.min(all, Math.max(cost, largestOf(costs, Number)))
        : plus(all, unlisted);
      row.estimated[event] =
        isNested ||
        MAX_EXACT * unlisted > totals[event] ||
        members.some((member) => member.estimated[event]);
    }
  }
}

// The calls of a row's lines, added up by callee.
function callsFrom(from) {
  const out = new Map();

  for (const { calls } of from.nested) {
    for (const call of calls ?? []) {
      const to = byId.get(call.id) || null;
      const now = after(call);
      const was = diff ? call.base : {};
      const edge = out.get(to) || {
        from,
        to,
        within: isWithin(from, to),
        count: 0,
        count0: 0,
        // Of these, how many are nested in the others.
        nested: 0,
        nested0: 0,
        cost: [],
        cost0: [],
        // Of calls within a cycle the costs that no other call has.
        inner: [],
        inner0: [],
      };

      out.set(to, edge);
      edge.inlined ||= call.inlined;
      edge.count += (diff ? now.calls : now.count) || 0;
      edge.count0 += was.calls || 0;
      edge.nested += (from.ids == null && now.nested) || 0;
      edge.nested0 += was.nested || 0;
      if (!edge.within) {
        addTo(edge.cost, now.inclusive);
        addTo(edge.cost0, was.inclusive);
      } else if (to !== from && from.ids == null) {
        addTo(edge.inner, now.inclusive);
        addTo(edge.inner0, was.inclusive);
      }
    }
  }
  return out;
}

// How often a function was called by itself: also by another context of it, if these are one row.
const byItself = (r) => (diff || r.ids ? r.out.get(r)?.count : r.again) || 0;
const byItself0 = (r) => r.out.get(r)?.count0 || 0;

// The number of a recursion level within a name: f'2 is f that was called while f was running.
const LEVEL = /'\d+(?='|$)/;

// The other functions of a function's cycle, the most expensive first.
function inCycle(r) {
  if (r.cycle == null) {
    return [];
  }
  cycles ??= Map.groupBy(rows, ({ cycle }) => cycle);
  return cycles
    .get(r.cycle)
    .filter((x) => x !== r)
    .sort(byCost);
}

const costOf = (r) => at(r.incl) || at(r.self) || 0;
const costOf0 = (r) => at(r.incl0) || at(r.self0) || 0;
const byCost = (a, b) => costOf(b) - costOf(a);

arrange(!hasContexts);
