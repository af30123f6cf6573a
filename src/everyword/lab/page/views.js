// The middle of the page: one view at a time, chosen by tabs.

import { h } from "./dom.js";

// `views`: [{ name, element, update }].
export function tabs(app, views) {
  const panes = views.map(({ name, element }) =>
    h(
      "div",
      { id: `view-${name}`, class: "pane", role: "tabpanel", tabindex: "0", "aria-labelledby": `tab-${name}` },
      element,
    ),
  );
  const buttons = views.map(({ name }) =>
    h(
      "button",
      { type: "button", id: `tab-${name}`, role: "tab", "aria-controls": `view-${name}`, onclick: () => choose(name) },
      app.t(name),
    ),
  );
  const list = h("div", { class: "tabs", role: "tablist", "aria-label": app.t("views") }, buttons);
  const element = h("section", { id: "views", class: "panel" }, list, panes);
  let model = null;

  function choose(name) {
    app.view = name;
    views.forEach((view, index) => {
      const isChosen = view.name === name;
      buttons[index].setAttribute("aria-selected", String(isChosen));
      buttons[index].tabIndex = isChosen ? 0 : -1;
      panes[index].hidden = !isChosen;
      if (isChosen && model) view.update(model);
    });
  }

  list.addEventListener("keydown", (event) => {
    const step = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
    if (!step) return;
    const next = (views.findIndex((view) => view.name === app.view) + step + views.length) % views.length;
    choose(views[next].name);
    buttons[next].focus();
  });

  choose(views.some((view) => view.name === app.view) ? app.view : views[0].name);
  const update = (newer) => {
    model = newer;
    views.find((view) => view.name === app.view).update(model);
  };
  return { element, update };
}
