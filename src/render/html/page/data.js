// What the program wrote into the page: events, totals, files, and whether it is a difference.
// Of a difference the figures are those of NEW; those of BASE are in members that end in 0.

// The data are in several elements if they are large.
function written(id) {
  const blocks = [...document.querySelectorAll(`script#${id}, script[data-of=${id}]`)];

  return parse(blocks.map((block) => block.textContent).join(""));
}

const data = written("data");
document.getElementById("static").remove();

const diff = data.base != null;
// The profiles of a series, or null.
const series = data.sides ?? null;

const after = (x) => (diff ? x.new : x);
const events = data.events.map((e) => text(e.name));
const longName = (i) => text(data.events[i].long_name);
const totals = diff ? data.new.total : (series?.at(-1).total ?? data.total);
const totalsBefore = diff ? data.base.total : [];
const abs = (x) => (!diff && x < 0 ? -x : x);

// What `make` returns, which is made when it is needed for the first time.
function lazily(make) {
  let made;

  return () => (made ??= make());
}

// The last components of a path.
const last = (path, n) => path.replace(/\/+$/, "").split("/").slice(-n).join("/");

const alike = lazily(() =>
  Map.groupBy(new Set(data.files.map(([name]) => text(name))), (path) => last(path, 1)),
);

// The name of a file without its folders, but for one if several files have the name.
const baseNames = new Map([
  ["???", ""],
  ["~", "(built in)"], // cProfile's
]);

function baseName(path) {
  let known = baseNames.get(path);

  if (known === undefined) {
    known = last(path, alike().get(last(path, 1))?.length > 1 ? 2 : 1);
    baseNames.set(path, known);
  }
  return known;
}

const bothSides = (now, was) =>
  diff ? `${count(was || 0)} \u2192 ${count(now || 0)}` : count(now);
const UNLISTED = "functions that are not listed";
