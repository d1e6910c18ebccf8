// The machine code of a function: its instructions with their costs, and its jumps as arrows.

// The code of each function that the page has some of.
const codeOf = lazily(() => new Map((data.code ?? []).map((code) => [code.id, code])));

// The numbers of instructions of functions for which the page has no room.
const codeLeftOut = lazily(() => new Map(data.code_left_out));

// Why instructions have no text.
const STATES = {
  missing: "the object was not found",
  changed: "the object is not the one that was profiled",
  unknown: "the object is unknown",
  unreadable: "the disassembler did not read the object",
};

// The instructions of several contexts of a function as one.
function joinedCode(codes) {
  if (codes.length < 2) {
    return codes[0];
  }
  const byAddress = new Map();

  for (const code of codes) {
    for (const x of code.instructions) {
      const known = byAddress.get(x.address);
      const place = x.place && [text(code.files[x.place[0]]), x.place[1]];

      if (!known) {
        byAddress.set(x.address, { ...x, place, self: x.self && [...x.self] });
        continue;
      }
      if (x.self) {
        addTo((known.self ??= []), x.self);
      }
      known.place ??= place;
      known.executed = plus(known.executed, x.executed);
      known.jumps = joinedJumps([...(known.jumps ?? []), ...(x.jumps ?? [])]);
      known.calls = [...(known.calls ?? []), ...(x.calls ?? [])];
    }
  }
  const instructions = [...byAddress.values()];
  const files = [...new Set(instructions.flatMap((x) => (x.place ? [x.place[0]] : [])))];

  instructions.sort((a, b) => Number(BigInt(a.address) - BigInt(b.address)));
  for (const x of instructions) {
    x.place &&= [files.indexOf(x.place[0]), x.place[1]];
  }
  return { ...codes[0], files, instructions };
}

const joinedJumps = (jumps) =>
  [...Map.groupBy(jumps, ([to]) => to)].map(([to, list]) => [
    to,
    sum(list, (jump) => jump[1]),
    sum(list, (jump) => jump[2]),
  ]);

// Whether there is machine code of a function, in the page or only in a terminal.
const hasCode = (r) =>
  (r.ids ?? [r.id]).some((id) => codeOf().has(id) || codeLeftOut().get(id) > 0);

// The machine code of a function, and how to see what of it the page has no room for.
function machineCode(r) {
  const ids = r.ids ?? [r.id];
  const code = joinedCode(ids.flatMap((id) => codeOf().get(id) ?? []));
  const missing = sum(ids, (id) => codeLeftOut().get(id));

  return [code && instructionsOf(code), missing > 0 && leftOutCode(r, missing)];
}

function leftOutCode(r, missing) {
  const command = instructionsCommand(r.name);

  return [
    el("h3", { class: "machine" }, "Machine code"),
    el(
      "p",
      null,
      `${count(missing)} instructions of this function are not in the page, ` +
        "which has up to 3,000, those of the most expensive functions.",
      command && [" A terminal shows them: ", copyable(command)],
    ),
  ];
}

// The instructions, closed at first.
function instructionsOf(code) {
  const details = el(
    "details",
    { class: "file machine", ontoggle: () => fill() },
    el(
      "summary",
      null,
      el(
        "h3",
        null,
        "Machine code ",
        dimmed(
          joined(
            [`${count(code.instructions.length)} instructions`, STATES[code.state]],
            " \u00b7 ",
          ),
        ),
      ),
    ),
  );
  const toHottestInstruction = () =>
    details.querySelector(".hottest").scrollIntoView({ block: "center" });
  const fill = () => {
    if (details.open && !details.children[1]) {
      details.append(
        el(
          "p",
          { class: "ways" },
          inPanel(toHottestInstruction, "Most expensive instruction"),
          dimmed(" (addresses of those that cost most are bold)"),
        ),
        instructionTable(code),
      );
    }
  };

  return details;
}

// Arrows of jumps, the shortest next to the text: the rows that each connects, and its lane.
function lanesOf(list) {
  const rowAt = new Map(list.map((x, i) => [x.address, i]));
  const arrows = list.flatMap((x, i) =>
    (x.jumps ?? [])
      .filter(([to]) => rowAt.has(to) && rowAt.get(to) !== i)
      .map(([to, taken]) => ({ from: i, to: rowAt.get(to), taken, lane: 0 })),
  );
  const ends = [];
  const [top, bottom] = [
    (arrow) => Math.min(arrow.from, arrow.to),
    (arrow) => Math.max(arrow.from, arrow.to),
  ];

  arrows.sort((a, b) => bottom(a) - top(a) - (bottom(b) - top(b)) || top(a) - top(b));
  for (const arrow of arrows) {
    const isFree = (lane) =>
      (ends[lane] ?? []).every((other) => bottom(other) < top(arrow) || top(other) > bottom(arrow));

    while (!isFree(arrow.lane)) {
      arrow.lane += 1;
    }
    (ends[arrow.lane] ??= []).push(arrow);
  }
  return { arrows, lanes: ends.length };
}

const LANE = 7; // the width of a lane in pixels
const MAX_LANES = 16; // arrows further out are not drawn
const CODE_ROW = 1.125; // the height of a row in rem

function arrowsOf(list) {
  const { arrows, lanes } = lanesOf(list);
  const width = LANE * (Math.min(lanes, MAX_LANES) + 1);
  const most = largestOf(arrows, (arrow) => arrow.taken);
  const paths = arrows
    .filter((arrow) => arrow.lane < MAX_LANES)
    .map(({ from, to, taken, lane }) => {
      const x = width - LANE * (lane + 1);
      const [y0, y1] = [from + 0.5, to + 0.5];

      return svg(
        "path",
        {
          d: `M${width} ${y0}H${x}V${y1}H${width}`,
          "stroke-width": 1 + 2 * Math.sqrt(taken / most),
          class: to < from ? "up" : "down",
        },
        svg("title", {}, `${list[from].address} to ${list[to].address}, ${times(taken)}`),
      );
    });

  return el(
    "div",
    { class: "arrows", style: { width: width + "px", height: list.length * CODE_ROW + "rem" } },
    svg(
      "svg",
      {
        viewBox: `0 0 ${width} ${list.length}`,
        preserveAspectRatio: "none",
        "aria-hidden": "true",
      },
      ...paths,
    ),
  );
}

// The calls of an instruction.
const callsAt = (x) =>
  (x.calls ?? []).map(([id, name, n, costs]) => {
    const to = byId.get(id);

    return [
      " \u21b3 ",
      to ? link(to) : text(name) || UNLISTED,
      ` ${times(n)}, ${figures(at(costs), at(totals))[0]}`,
    ];
  });

function instructionTable(code) {
  const list = code.instructions;
  const hasJumps = list.some((x) => x.jumps);
  const hottest = largestOf(list, (x) => Math.abs(at(x.self) || 0));
  const place = ([file, line]) => `${baseName(text(code.files[file]))}:${line}`;
  const placeLink = (of) => linkToLine({ file: code.files[of[0]], line: of[1] }, place(of));
  // Most operands have the address that is jumped to.
  const target = (x, to) => (text(x.text).includes(to.slice(2)) ? "" : to + " ");
  const jumps = (x) =>
    (x.jumps ?? []).map(
      ([to, taken, executed]) =>
        ` \u2192 ${target(x, to)}${times(taken)}` +
        (executed === x.executed ? "" : ` of ${count(executed)}`),
    );
  const isHottest = (x) => x.self && at(x.self) === hottest;
  const titleOf = (x) =>
    joined([isHottest(x) && "the largest cost here", x.place && place(x.place)], "\n");
  const row = (x, i) =>
    el(
      "tr",
      { class: joined([isHottest(x) && "hottest", x.gap && "apart"], " ") },
      x.self ? bar(at(x.self), at(totals), "self", hottest) : num(""),
      num(x.self ? figures(at(x.self), at(totals))[1] : "", "dim less"),
      num(x.executed == null ? "" : times(x.executed), "dim"),
      num(x.place?.[1] ? placeLink(x.place) : "", "dim place"),
      i || !hasJumps ? null : el("td", { class: "jumps", rowspan: list.length }, arrowsOf(list)),
      el("td", { class: "n", title: titleOf(x) }, x.address),
      el("td", { class: "t" }, text(x.text) || "?", dimmed(jumps(x), callsAt(x))),
    );

  return el(
    "div",
    { class: "src code", tabindex: 0, role: "region", "aria-label": "machine code" },
    table(
      null,
      null,
      [
        ...costTitles(SELF_OF_ALL).map(([title, kind, what]) => [
          title,
          kind.replace("more", "less"),
          what,
        ]),
        ["Executed", ""],
        ["Line", ""],
        ...(hasJumps ? [["Jumps", ""]] : []),
        ["Address", ""],
        ["Instruction"],
      ],
      list.map(row),
    ),
  );
}
