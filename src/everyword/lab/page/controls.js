// The settings: strategy, window, turns, ratio, prices, pinned facts.

import { STRATEGIES } from "./engine.js";
import { K } from "./repairs.js";
import { limits } from "./state.js";
import { h, setText } from "./dom.js";
import { percent } from "./format.js";

const WINDOWS = [4, 8, 16, 32, 64];

export function controls(app) {
  const parts = [
    strategies(app),
    windows(app),
    turnSlider(app),
    ratioSlider(app),
    prices(app),
    pinning(app),
    resetting(app),
    hint(app),
  ];
  const element = h(
    "form",
    { id: "controls", "aria-label": app.t("controls") },
    parts.map((part) => part.element),
  );
  element.addEventListener("submit", (event) => event.preventDefault());
  return { element, update: (model) => parts.forEach((part) => part.update?.(model)) };
}

function strategies(app) {
  const options = STRATEGIES.map((name) =>
    choice("strategy", name, app.t(name), app.t(`${name}Hint`), () => app.set({ strategy: name })),
  );
  const element = h(
    "fieldset",
    { class: "strategy" },
    h("legend", {}, app.t("strategy")),
    h(
      "div",
      { class: "segments" },
      options.map((o) => o.element),
    ),
  );
  const update = ({ settings }) => {
    options.forEach((option) => option.check(settings.strategy));
  };
  return { element, update };
}

function windows(app) {
  const options = WINDOWS.map((k) => choice("window", String(k * K), `${k}K`, null, () => app.set({ window: k * K })));
  const [least, most] = limits(app.talk).window.map((window) => window / K);
  const custom = numberField(
    "custom-window",
    { min: least, max: most, step: 1, "aria-label": app.t("customWindow", { most }) },
    (k) => app.set({ window: k * K }),
  );
  const element = h(
    "fieldset",
    {},
    h("legend", {}, app.t("window")),
    h(
      "div",
      { class: "segments" },
      options.map((o) => o.element),
      h("label", { class: "custom", title: app.t("customWindow", { most }) }, custom, "K"),
    ),
  );
  const update = ({ settings }) => {
    options.forEach((option) => option.check(String(settings.window)));
    fill(custom, +(settings.window / K).toFixed(3));
  };
  return { element, update };
}

function choice(group, value, text, title, chosen) {
  const input = h("input", { type: "radio", name: group, value, id: `${group}-${value}`, onchange: chosen });
  const element = h("label", { class: "segment", title }, input, h("span", {}, text));
  return { element, check: (wanted) => (input.checked = wanted === value) };
}

function turnSlider(app) {
  const [min, max] = limits(app.talk).turns;
  return slider(
    "turns",
    app.t("turns"),
    { min, max, step: 1 },
    (turns) => app.set({ turns }),
    ({ settings }) => [settings.turns, String(settings.turns)],
  );
}

function ratioSlider(app) {
  const [min, max] = limits(app.talk).ratio.map((ratio) => Math.round(100 * ratio));
  return slider(
    "ratio",
    app.t("ratio"),
    { min, max, step: 1 },
    (ratio) => app.set({ ratio: ratio / 100 }),
    ({ settings }) => [Math.round(100 * settings.ratio), percent(settings.ratio, 0)],
  );
}

function slider(id, text, ends, changed, shown) {
  const input = h("input", { type: "range", id, ...ends, oninput: () => changed(Number(input.value)) });
  const value = h("output", { for: id });
  const element = h("div", { class: "field slide" }, h("label", { for: id }, text, " ", value), input);
  const update = (model) => {
    const [number, words] = shown(model);
    if (Number(input.value) !== number) input.value = number;
    input.setAttribute("aria-valuetext", words);
    setText(value, words);
  };
  return { element, update };
}

function prices(app) {
  const [min, max] = limits(app.talk).price;
  const price = numberField("price", { min, max, step: "any" }, (value) => app.set({ price: value }));
  const cached = numberField(
    "cached-price",
    { min, max, step: "any", placeholder: app.t("same"), title: app.t("cachedHint") },
    (value) => app.set({ cachedPrice: value }),
  );
  const element = h(
    "div",
    { class: "pair" },
    labelled("price", app.t("price"), price),
    labelled("cached-price", app.t("cachedPrice"), cached),
  );
  const update = ({ settings }) => {
    fill(price, settings.price);
    fill(cached, settings.cachedPrice ?? "");
  };
  return { element, update };
}

function labelled(id, text, input) {
  return h("div", { class: "field" }, h("label", { for: id }, text), input);
}

// A field whose number is taken when it is complete; what cannot be taken is put back.
function numberField(id, attributes, changed) {
  const input = h("input", { type: "number", id, ...attributes, onchange: () => changed(input.value) });
  return input;
}

function fill(input, value) {
  if (input.value !== String(value)) input.value = value;
}

function pinning(app) {
  const input = h("input", { type: "checkbox", id: "pinned", onchange: () => app.set({ pinned: input.checked }) });
  const element = h("label", { class: "check", title: app.t("pinnedHint") }, input, app.t("pinned"));
  return { element, update: ({ settings }) => (input.checked = settings.pinned) };
}

function resetting(app) {
  return { element: h("button", { type: "button", id: "reset", onclick: () => app.reset() }, app.t("reset")) };
}

function hint(app) {
  const element = h("p", { class: "hint" });
  return { element, update: ({ settings }) => setText(element, app.t(`${settings.strategy}Hint`)) };
}
