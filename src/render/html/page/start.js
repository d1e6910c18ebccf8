// Makes the page.

build();
read();

const resized = new ResizeObserver(() => {
  draw(true);
  fit();
});

[ui.list, ui.panel].forEach((x) => resized.observe(x));

for (const [name, run] of Object.entries({
  popstate: read,
  hashchange: read,
  keydown: press,
  resize: () => state.view === "flame" && flame(),
  beforeprint: () => draw(true, true),
  afterprint: () => draw(true),
})) {
  addEventListener(name, run);
}
