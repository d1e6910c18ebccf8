// Commands that show more than the page has, ready to copy.

// A word as a POSIX shell reads it; null if the word cannot be written on one line.
function quoted(word) {
  if (typeof word !== "string" || text(word) !== word || /[\t\n]/.test(word)) {
    return null;
  }
  return /^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", `'"'"'`)}'`;
}

// A command of these words and files; null if one of them cannot be written.
const commandOf = (words, files) =>
  words.includes(null) || files == null ? null : joined([...words, files], " ");

// A command that writes a page with these words between the options that this page was made with
// and its files; null if there is none.
const commandWith = (output, words, files) =>
  data.command
    ? commandOf([`cgannotate --format=html -o ${output}`, data.command[0], ...words], files)
    : null;

// An option whose pattern is the name of a function, as a word; null if it cannot be written. A
// name that begins as an expression or as the opposite of a pattern is neither.
function optionWithName(option, name) {
  const isPattern = typeof name === "string" && !/^[!/]|^$/.test(name);
  const word = isPattern ? quoted(name) : null;

  return word && `${option}=${word}`;
}

// The command that shows what happens below a function. What this page is below is not repeated:
// both would be together.
const belowCommand = (name) =>
  commandWith("below.html", [optionWithName("--below", name)], data.command?.[2]);

// The command that shows the instructions of a function in a terminal.
function instructionsCommand(name) {
  const [, , files, options] = data.command ?? [];

  return commandOf(["cgannotate", options, optionWithName("--asm", name)], files);
}

// The command that writes a page of a thread's parts: a file may have those of other threads, too.
function commandOfThread(parts) {
  const ofOthers = new Set(
    data.parts.filter((part) => !parts.includes(part)).map(({ file }) => text(file)),
  );
  const words = parts.map(({ file, thread }) =>
    quoted(typeof file === "string" && ofOthers.has(file) ? `${file}#t${text(thread)}` : file),
  );
  const files = [...new Set(words)];

  return commandWith(
    "thread.html",
    [data.command?.[1]],
    files.includes(null) ? null : files.join(" "),
  );
}

// The command that compares two profiles of a series.
function differenceCommand(before, now) {
  const words = (list) => list.map((file) => (file === "-" ? null : quoted(file)));
  const bases = words(before).map((word) => word && `--diff=${word}`);
  const files = words(now);
  const all = [data.command?.[1], ...bases];

  return commandWith("difference.html", all, files.includes(null) ? null : files.join(" "));
}

// A command with a button that copies it.
function copyable(command) {
  const code = el("code", { class: "command", tabindex: 0 }, command);
  const selectCode = () => getSelection()?.selectAllChildren(code);
  const button = copyButton("Copy", () => command, "Selected: Ctrl+C copies it");

  button.addEventListener("click", selectCode);
  return el("span", { class: "copyable" }, code, " ", button);
}

// A button that copies a text, and says so for two seconds, or else what can be done.
function copyButton(label, textOf, otherwise, kind) {
  const said = el("span", { "aria-live": "polite" }, label);
  const copy = async () => {
    try {
      await navigator.clipboard.writeText(textOf());
      said.textContent = "Copied";
    } catch {
      said.textContent = otherwise;
    }
    setTimeout(() => {
      said.textContent = label;
    }, 2000);
  };

  return el("button", { class: kind, onclick: copy }, said);
}

// The columns that have costs of an event.
const COSTS = ["incl", "self", "each", "before", "after", "change"];

// Rows of the list as a spreadsheet reads them: exact counts, and whole names.
function tableAsText(list) {
  const shown = columns.filter((c) => !c.isHidden && c.key !== "course");
  const valueOf = (c, r) =>
    c.key === "name"
      ? r.name + r.suffix
      : (/^(?:calls|each)$/.test(c.key) ? c.get : (c.text ?? c.get))(r);
  const cellOf = (value) => (value instanceof Exact ? value.digits : (value ?? ""));
  const lines = list.map((r) => shown.map((c) => cellOf(valueOf(c, r))));

  const heads = shown.map((c) =>
    joined([headOf(c), COSTS.includes(c.key) ? state.event : diff && c.change], " "),
  );

  const estimated = list.map((r) =>
    joined([at(r.estimated) && "Inclusive", r.isSelfDivided && "Self"], ", "),
  );

  if (estimated.some(Boolean)) {
    heads.push("Estimated");
    estimated.forEach((names, i) => lines[i].push(names));
  }
  return [heads, ...lines].map((line) => line.join("\t") + "\n").join("");
}

// What shows the profile of what happens below a function.
function belowThis(r) {
  const command = belowCommand(r.name);

  return (
    command &&
    el(
      "details",
      { class: "below" },
      el("summary", null, "Command for a page of what happens below this function"),
      el(
        "p",
        null,
        "A page of what happens while a function of this name runs, without the rest: ",
        copyable(command),
      ),
    )
  );
}

// What shows of what a step of a series is made.
function commandOfStep({ from, at: to }) {
  const command = differenceCommand(series[from].files, series[to].files);

  return command && ["Lines and callees that changed: ", copyable(command)];
}
