// Makes the page.

build();
measureLetters();

// A wide page opens with the reasons of a difference, or else with the first function of the list;
// a narrow one with the list.
select();
if (isWide() && shown.length && !data.reasons?.length) {
  initial.f = keyOf(shown[0]);
}
read();

const resized = new ResizeObserver(() => {
  measureLetters();
  draw(true);
  fit();
});

[ui.list, ui.panel].forEach((element) => resized.observe(element));

const listeners = {
  popstate: read,
  hashchange: read,
  keydown: press,
  resize: () => state.view === "flame" && flame(),
  beforeprint: () => {
    ui.printed.textContent = printed();
    draw(true, true);
  },
  afterprint: () => draw(true),
};

for (const [name, run] of Object.entries(listeners)) {
  addEventListener(name, run);
}
