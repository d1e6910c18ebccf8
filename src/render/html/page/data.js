// What the program wrote into the page: events, totals, files, and whether it is a difference.
// Of a difference the figures are those of NEW; those of BASE are in members that end in 0.

// The data are in several elements if they are large.
function written(id) {
  const blocks = [...document.querySelectorAll(`script#${id}, script[data-of=${id}]`)];

  return parse(blocks.map((block) => block.textContent).join(""));
}

const data = written("data");
const texts = written("sources");
document.getElementById("static").remove();

const diff = data.base != null;

const after = (x) => (diff ? x.new : x);
const events = data.events.map((e) => text(e.name));
const longName = (i) => text(data.events[i].long_name);
const totals = diff ? data.new.total : data.total;
const before = diff ? data.base.total : [];
const abs = (x) => (!diff && x < 0 ? -x : x);
const last = (path, n) => path.replace(/\/+$/, "").split("/").slice(-n).join("/"); // of files of one name with a folder
const alike = Map.groupBy(new Set(data.files.map(([name]) => text(name))), (path) => last(path, 1));

const base = (path) =>
  path === "???" ? "" : last(path, alike.get(last(path, 1))?.length > 1 ? 2 : 1);

const sides = (now, was) => (diff ? `${count(was || 0)} \u2192 ${count(now || 0)}` : count(now));
const UNLISTED = "functions that are not listed";
