// A view whose figures only the program behind the page can give: a form, a button, progress, and what came of it.
// Opened as a file, it says what is missing and which command brings it.

import { h, setText } from "./dom.js";
import { asked } from "./live.js";

// `fields`: elements of the form; `body()`: what is sent beside the conversation; `show(result, rows)`: elements.
export function liveView(app, name, { path, command, isReady, missing, fields = [], note, body, show, done }) {
  const words = h("p", { class: "hint" }, app.t(`${name}Hint`));
  if (!app.served || !isReady(app.served)) {
    const why = app.t(app.served ? missing : "aloneHint");
    return {
      element: h("div", { class: "live" }, words, h("p", { class: "alone" }, why), h("code", {}, command)),
      update: () => undefined,
    };
  }
  const cost = h("p", { class: "hint" });
  const progress = h("progress", { hidden: true, "aria-label": app.t("running") });
  const failure = h("p", { class: "failure", role: "alert", hidden: true });
  const found = h("div", { class: "found" });
  const button = h("button", {}, app.t("measure"));
  const element = h(
    "form",
    { class: "live", onsubmit: submit },
    words,
    h("div", { class: "fields" }, fields, button, progress),
    cost,
    failure,
    found,
  );
  let model = null;
  let isKnown = "";

  async function submit(event) {
    event.preventDefault();
    const settings = model.good.settings;
    setRunning(true);
    try {
      await follow(settings);
    } catch (error) {
      failure.hidden = false;
      setText(failure, error.message);
    }
    setRunning(false);
  }

  async function follow(settings) {
    const rows = [];
    let hasEnded = false;
    for await (const line of asked(path, { settings, conversation: app.document(), ...body() })) {
      if (line.error) throw new Error(line.error);
      if (line.row) rows.push(line.row);
      if (line.progress) [progress.value, progress.max] = line.progress;
      if (line.result) hasEnded = true;
      if (line.result) done?.(line.result, settings);
      if (line.result || line.row) found.replaceChildren(...show(line.result, rows, settings));
    }
    if (!hasEnded) throw new Error(app.t("brokenOff"));
  }

  function setRunning(isRunning) {
    button.disabled = isRunning;
    progress.hidden = !isRunning;
    if (isRunning) progress.removeAttribute("value");
    if (isRunning) failure.hidden = true;
  }

  const update = (newer) => {
    model = newer;
    const words = note ? note(newer.good) : "";
    if (words !== isKnown) setText(cost, (isKnown = words));
  };
  return { element, update };
}

export function field(id, text, input) {
  input.id = id;
  return h("div", { class: "field" }, h("label", { for: id }, text), input);
}
