// What does not fit, and three ways out of it.

import { h, setText } from "./dom.js";
import { percent, tokens, windowName } from "./format.js";
import { repairs } from "./repairs.js";

export function errorCard(app) {
  const message = h("p", { class: "what" });
  const excess = h("p", { class: "more" });
  const actions = h("div", { class: "actions" });
  const element = h("div", { id: "error", role: "alert", hidden: true }, h("div", {}, message, excess), actions);
  const update = ({ settings, result, good }) => {
    element.hidden = !result.overflow;
    document.body.classList.toggle("failed", result.overflow);
    if (!result.overflow) return;
    setText(message, app.t("exceeded", { tokens: tokens(result.error.tokens), window: tokens(result.error.window) }));
    setText(excess, app.t("excess", keptWords(app, result, good.settings)));
    actions.replaceChildren(...repairs(app.talk, result, settings).map((repair) => button(app, settings, repair)));
  };
  return { element, update };
}

function keptWords(app, result, { strategy, window, turns }) {
  return { excess: tokens(result.error.excess), strategy: app.t(strategy), window: windowName(window), turns };
}

function button(app, settings, { name, ...changes }) {
  const apply = () => app.set(changes, { focus: "controls" });
  return h("button", { type: "button", id: `repair-${name}`, onclick: apply }, wordsFor(app, settings, name, changes));
}

function wordsFor(app, settings, name, { window, ratio }) {
  const wider = window === settings.window ? "" : ` · ${windowName(window)}`;
  if (name === "window") return app.t("repairWindow", { window: windowName(window) });
  if (name === "truncate") return app.t("repairTruncate") + wider;
  if (settings.strategy !== "summary") return app.t("repairSummary") + wider;
  return app.t("repairRatio", { ratio: percent(ratio, 0) }) + wider;
}
