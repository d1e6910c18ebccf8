// The functions and the calls between them.

const rows = data.rows.map((r) => {
  const now = after(r);
  const was = diff ? r.base : {};
  const name = text(r.function);
  const short = text(r.short) || name;

  const isOther = r.own != null; // a name of another language than C++ and Rust
  let bare = short;
  if (!isOther) {
    bare = bare.replace(/\(anonymous namespace\)::/g, "").replace(/ \[clone .*$|\(.*$/, "");
  }
  while (!isOther && /<[^<>]*>/.test(bare)) {
    bare = bare.replace(/<[^<>]*>/g, "");
  }
  if (!isOther) {
    bare = bare.replace(/^.*(?<!operator) /, "");
  }
  const own = isOther ? text(r.own) : bare.split("'")[0].replace(/^.*::/, "") || short;

  const suffix = r.cycle == null ? "" : ` (cycle ${r.cycle})`;
  const caller = /^([^<']+(?:'\d+)?)'((?:0x|[a-z_(]).*)$/i;

  const [, alone = short, context] = (!isOther && caller.exec(short)) || []; // f'caller
  const narrow = text(r.narrow) || short; // which may have only a part of its own name
  return {
    id: r.id,
    name,
    short,
    bare,
    alone,
    context,
    suffix,
    own,
    narrow: narrow.includes(own) ? narrow : own + narrow.replace(/^[^'\u2026]+\u2026/, ""),
    placed: `${short}\n${base(text(r.file)) || base(text(r.object))}`,
    inlined: r.inlined,
    file: text(r.file),
    object: text(r.object),
    mark: r.mark,
    cycle: r.cycle,
    ratios: r.ratios || {},
    parts: new Map(
      r.nested.map((x) => [
        text(x.file ?? r.file),
        { ...x, self: after(x).self, self0: x.base?.self || [] },
      ]),
    ),
    self: now.self || [],
    incl: now.inclusive || [],
    self0: was.self || [],
    incl0: was.inclusive || [],
    calls: diff ? now.calls : r.called.by_others + r.called.by_itself || null,
    calls0: was.calls,
    estimated: r.estimated || [],
    again: diff ? null : r.called.by_itself,
    in: new Map(),
    out: new Map(),
  };
});

const byId = new Map(rows.map((r) => [r.id, r]));
const byName = new Map(); // null: several have this name

for (const key of ["name", "short", "placed"]) {
  for (const [name, list] of Map.groupBy(rows, (r) => r[key])) {
    if (!byName.has(name)) {
      byName.set(name, list[1] ? null : list[0]);
    }
  }
}

const keyOf = (r) => (!/^\d+$/.test(r.name) && byName.get(r.name) ? r.name : String(r.id));
const byKey = (key) => byId.get(/^\d+$/.test(key) ? Number(key) : null) || byName.get(key) || null;
const paths = new Set(rows.flatMap((r) => [r.object, ...r.parts.keys()]));

// A call within a cycle is counted without its cost, which is part of the call that entered.
const isWithin = (from, to) =>
  to != null && (to === from || (from.cycle != null && to.cycle === from.cycle));

// The calls of each pair of functions, from the calls of lines.
for (const from of rows) {
  for (const file of from.parts.values()) {
    for (const call of file.calls || []) {
      const to = byId.get(call.id) || null;
      const now = after(call);
      const was = diff ? call.base : {};

      const edge = from.out.get(to) || {
        from,
        to,
        within: isWithin(from, to),
        count: 0,
        count0: 0,
        cost: [],
        cost0: [],
      };

      from.out.set(to, edge);
      if (to) {
        to.in.set(from, edge);
      }
      edge.inlined ||= call.inlined;
      edge.count += (diff ? now.calls : now.count) || 0;
      edge.count0 += was.calls || 0;
      if (!edge.within) {
        for (const [costs, cost] of [
          [edge.cost, now.inclusive],
          [edge.cost0, was.inclusive],
        ]) {
          (cost || []).forEach((n, i) => {
            costs[i] = plus(costs[i], n);
          });
        }
      }
    }
  }
}

const costOf = (r) => at(r.incl) || at(r.self) || 0;
const costOf0 = (r) => at(r.incl0) || at(r.self0) || 0;
