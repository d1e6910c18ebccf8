// The instructions of a source line, below it.

// The instructions of a file's lines in the code of its owners: those of a line's own place, and
// those that are inlined there.
function instructionsByLine(name, found, owners) {
  const byLine = new Map();

  for (const r of codeOf().size > 0 ? owners : []) {
    const ids = r.ids ?? [r.id];
    const code = joinedCode(ids.flatMap((id) => codeOf().get(id) ?? []));

    if (code) {
      addInstructions(byLine, code, name, addressesAtLines(found, ids));
    }
  }
  return byLine;
}

// The lines at which the code of rows is inlined, by address.
function addressesAtLines(found, ids) {
  const lines = new Map();

  for (const id of ids) {
    for (const [, line, , , addresses = []] of found?.inlinedByRow?.get(id) ?? []) {
      addresses.forEach((address) => lines.set(address, line));
    }
  }
  return lines;
}

function addInstructions(byLine, code, name, inlinedAt) {
  const paths = code.files.map(pathOf);

  for (const x of code.instructions) {
    const isOwn = x.place && paths[x.place[0]] === name;
    const line = isOwn ? x.place[1] : inlinedAt.get(x.address);

    if (line && x.self) {
      const of = !isOwn && x.place && `${baseName(paths[x.place[0]])}:${x.place[1]}`;

      if (!byLine.has(line)) {
        byLine.set(line, []);
      }
      byLine.get(line).push({ ...x, inlinedFrom: of });
    }
  }
}

// The number of a line; a click beside it does what its button does, which shows the line's
// instructions.
function numberCell(x, found, byLine) {
  const list = x.old ? null : byLine.get(x.number);
  const button = list && instructionsButton(x.number, list);
  const click = ({ target }) => target.closest("a, button") || button?.click();

  return el(
    "td",
    { class: list ? "n opens" : "n", onclick: click },
    button && [button, " "],
    numberOf(x, found),
  );
}

// How many instructions of a line are shown at first.
const MAX_BELOW = 12;

// A button that shows the most expensive instructions of a line below it, in their order.
function instructionsButton(line, list) {
  const first = [...list].sort((a, b) => delta(at(b.self), at(a.self))).slice(0, MAX_BELOW);
  const shown = [];

  const show = (button, chosen) => {
    const rows = list.filter((x) => chosen.has(x)).map(instructionRow);
    const showAll = () => (hide(), show(button, new Set(list)));
    const more = chosen.size < list.length && moreRow(list.length - chosen.size, showAll);

    shown.push(...rows, ...(more ? [more] : []));
    button.closest("tr").after(...shown);
  };
  const hide = () => shown.splice(0).forEach((row) => row.remove());
  const toggle = ({ currentTarget: button }) => {
    const isOpen = shown.length > 0;

    if (isOpen) {
      hide();
    } else {
      show(button, new Set(first));
    }
    button.setAttribute("aria-expanded", String(!isOpen));
    button.textContent = isOpen ? "\u25b8" : "\u25be";
  };
  const title = `${count(list.length)} instructions of line ${line}`;

  return el(
    "button",
    { class: "way", title, "aria-label": title, "aria-expanded": "false", onclick: toggle },
    "\u25b8",
  );
}

const moreRow = (number, show) =>
  el(
    "tr",
    { class: "call" },
    blanks(),
    el("td", { class: "n" }),
    el(
      "td",
      { class: "t" },
      "    ",
      el("button", { class: "way", onclick: show }, `${count(number)} more`),
    ),
  );

function instructionRow(x) {
  const notes = [x.executed != null && times(x.executed), x.inlinedFrom];

  return el(
    "tr",
    { class: "call" },
    figures(at(x.self), at(totals)).map((n, i) => num(n, i ? "more" : "")),
    el("td", { class: "n" }),
    el(
      "td",
      { class: "t" },
      `    ${x.address}  ${text(x.text) || "?"}  `,
      joined(notes, " \u00b7 "),
      callsAt(x),
    ),
  );
}
