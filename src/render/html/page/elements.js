// Elements of the document. Names and sources are only ever text nodes and attributes' values,
// never markup.

function el(tag, props, ...kids) {
  const e = document.createElement(tag);
  const isThere = (x) => x != null && x !== false;

  for (const [key, value] of Object.entries(props || {})) {
    if (key === "style") {
      Object.entries(value).forEach(([name, x]) => e.style.setProperty(name, x));
    } else if (key.startsWith("on")) {
      e.addEventListener(key.slice(2), value);
    } else if (isThere(value)) {
      e.setAttribute(key, value === true ? "" : value);
    }
  }
  return (e.append(...kids.flat(Infinity).filter(isThere)), e);
}

// A text that says less than what is beside it.
const dimmed = (...content) => el("span", { class: "dim" }, ...content);

const num = (content, kind, title) =>
  el("td", { class: kind ? "num " + kind : "num", title }, content);

// A table whose last column is text; a title is a text with a class and perhaps what it means, a
// row is an element or its cells.
const table = (props, caption, titles, content) =>
  el(
    "table",
    props,
    caption && el("caption", null, el("h3", null, caption)),
    titles &&
      el(
        "thead",
        null,
        el(
          "tr",
          null,
          titles.map((title, i) =>
            el(
              "th",
              {
                scope: "col",
                class: i === titles.length - 1 ? null : "num " + title[1],
                title: title[2],
              },
              title[0],
            ),
          ),
        ),
      ),
    el(
      "tbody",
      null,
      content.map((row) => (row instanceof Node ? row : el("tr", null, row))),
    ),
  );

// A name as text: bytes that are not UTF-8 have a text too; what is not seen or changes the
// direction becomes visible.
const text = (name) => {
  const whole = name == null ? "" : (name.text ?? name);

  // Most names have nothing else, which is found sooner.
  return /^[ -~]*$/.test(whole) ? whole : visible(whole);
};
const visible = (whole) =>
  whole.replace(
    /[\0-\x08\n-\x1f\x7f-\x9f\u061c\u200b-\u200f\u2028-\u202e\u2060-\u2069\ufeff\ufffe\uffff\u{e0000}-\u{e007f}]/gu,
    (c) => "\\u{" + c.codePointAt(0).toString(16) + "}",
  );
