// Makes the page.

build();
measureLetters();

// A wide page opens with the reasons of a difference, or else with the first function of the list;
// a narrow one with the list.
selectRows();
if (isWide() && foundRows.length && !data.reasons?.length) {
  initial.f = keyOf(foundRows[0]);
}
readAddress();

// It also observes the sizes with which the page was made.
const resized = new ResizeObserver(() => {
  measureLetters();
  if (drawnSize !== sizeOfList()) {
    draw(true);
  }
  if (fittedWidth !== ui.panel.clientWidth) {
    fit();
  }
});

[ui.list, ui.panel].forEach((element) => resized.observe(element));

const listeners = {
  popstate: readAddress,
  hashchange: readAddress,
  keydown: pressKey,
  resize: () => state.view === "flame" && drawFlameGraph(),
  beforeprint: () => {
    ui.printed.textContent = printed();
    draw(true, true);
  },
  afterprint: () => draw(true),
};

for (const [name, run] of Object.entries(listeners)) {
  addEventListener(name, run);
}
