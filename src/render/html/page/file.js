// A source file with the costs of all functions that have code in it.

// The code of the listed functions in a file.
const withCodeIn = (name) => rows.filter((r) => r.files.includes(name));
const partsOf = (name) => withCodeIn(name).map((r) => r.parts.get(name));

// The panel of a file.
function wholeFile(name) {
  const found = sources().get(name);
  const owners = withCodeIn(name);
  const all = withInlined(name, joinedParts(partsOf(name)), found, owners);
  const [, self, self0, incl, incl0, estimated] = data.files.find(
    ([file]) => text(file) === name,
  ) ?? [name];
  const own = (r, side) => at(r.parts.get(name)[side]);
  const by = (r) => sizeOf(r.parts.get(name).self, r.parts.get(name).self0);
  const row = (r) =>
    el(
      "tr",
      null,
      cells(own(r, "self"), own(r, "self0"), at(diff ? totals : self), "self"),
      el("td", null, link(r)),
    );
  const hottest = largestWeight([[name, joinedParts(partsOf(name))]], owners);
  const notes = [
    found && text(found.path) !== name && `read from ${text(found.path)}`,
    found?.caveat,
    !found && "the source was not found",
    found && !isWholeText(found) && "the page has the text near lines with costs",
  ];

  return el(
    "div",
    null,
    here
      ? stateLink({ f: state.f }, `\u2190 ${here.alone}`, { class: "back" })
      : stateLink({ f: "", view: "list" }, `\u2190 ${allInWords()}`, { class: "back" }),
    el("h2", null, baseName(name)),
    el(
      "div",
      { class: "mono dim full", tabindex: 0 },
      name,
      editorLink(found, 1, "Open in the editor", " "),
    ),
    el("div", { class: "dim" }, joined(notes, " \u00b7 ")),
    el(
      "div",
      { class: "figures" },
      costBox("Inclusive", at(incl), at(incl0), at(estimated) && NESTED),
      costBox("Self", at(self), at(self0)),
      figureBox("Listed functions with code of it", count(owners.length)),
    ),
    longTable(
      "Functions by their cost in this file",
      [...costTitles(OF_THIS), ["Function"]],
      owners.sort((a, b) => by(b) - by(a)).map((r) => () => row(r)),
      8,
    ),
    el("p", { class: "ways" }, wayToHottest(owners)),
    el("h3", null, "Source"),
    lineTable(all, name, found, hottest, true, Number(state.line)),
  );
}

// Whether the page has all lines of a source.
const isWholeText = ({ ranges, lines }) => sum(ranges, ([, texts]) => texts.length) === lines;
