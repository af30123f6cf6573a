// The six figures.

import { h, panel, setText } from "./dom.js";
import { dollars, percent, tokens, windowName } from "./format.js";

const CARDS = ["occupancy", "single", "cumulative", "recall", "singleCost", "cumulativeCost"];

export function metrics(app) {
  const cards = Object.fromEntries(CARDS.map((name) => [name, card(name, app.t(name))]));
  const element = panel(
    "metrics",
    app.t("metrics"),
    h(
      "div",
      { class: "cards" },
      CARDS.map((name) => cards[name].element),
    ),
  );
  const note = h("span", { class: "aside" });
  element.querySelector(".head").append(note);
  const update = ({ result, good }) => {
    setText(note, result.overflow ? app.t("lastGood") : "");
    const figures = figuresOf(app, good);
    CARDS.forEach((name) => cards[name].show(figures[name]));
  };
  return { element, update };
}

function card(name, title) {
  const value = h("strong", { id: `metric-${name}` });
  const note = h("small");
  const fill = h("i");
  const element = h(
    "div",
    { class: `card ${name}` },
    h("span", { class: "title" }, title),
    value,
    note,
    h("span", { class: "meter" }, fill),
  );
  const show = ({ text, more, share, grade }) => {
    setText(value, text);
    setText(note, more);
    fill.style.width = share === undefined ? "0" : percent(share, 2);
    element.dataset.grade = grade ?? "";
  };
  return { element, show };
}

function figuresOf(app, { settings, result }) {
  const { t, talk } = app;
  const used = result.inputTokens / settings.window;
  const kept = result.keptFacts.length;
  const cached = settings.cachedPrice === null ? null : t("repeated", { cached: tokens(result.cachedTokens) });
  return {
    occupancy: {
      text: percent(used),
      more: t("ofWindow", { used: tokens(result.inputTokens), window: tokens(settings.window) }),
      share: used,
    },
    single: { text: tokens(result.inputTokens), more: cutWords(t, result) },
    cumulative: { text: tokens(result.cumulativeTokens), more: t("perTurns", { turns: settings.turns }) },
    recall: {
      text: talk.facts.length ? percent(result.recall) : "—",
      more: t("recallOf", { kept, total: talk.facts.length }),
      share: result.recall,
      grade: talk.facts.length ? gradeOf(result.recall) : "",
    },
    singleCost: { text: `$${dollars(result.singleCost)}`, more: cached ?? t("atPrice", { price: settings.price }) },
    cumulativeCost: { text: `$${dollars(result.cost)}`, more: t("capacity", { turns: result.capacityTurns }) },
  };
}

function cutWords(t, { droppedMessages, compressedMessages }) {
  if (droppedMessages) return t("cutDropped", { number: droppedMessages });
  return compressedMessages ? t("cutCompressed", { number: compressedMessages }) : t("cutNone");
}

function gradeOf(recall) {
  return recall === 1 ? "good" : recall === 0 ? "bad" : "some";
}
