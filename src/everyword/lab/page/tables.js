// What the article's tables show, computed for the conversation at hand.

import { run } from "./engine.js";
import { h } from "./dom.js";
import { dollars, percent, tokens, windowName } from "./format.js";
import { K } from "./repairs.js";

const WINDOWS = [4, 8, 16, 32].map((k) => k * K);
const WAYS = [
  { strategy: "truncate", window: 16 * K },
  { strategy: "truncate", window: 32 * K },
  { strategy: "summary", window: 16 * K, ratio: 0.3 },
  { strategy: "summary", window: 8 * K, ratio: 0.1 },
];
const STEP = 5;
const MOST_STEPS = 24;

export function tables(app) {
  const element = h("div", { class: "tables" });
  const update = ({ settings }) =>
    element.replaceChildren(recallTable(app, settings), lossTable(app, settings), costTable(app, settings));
  return { element, update };
}

function recallTable(app, settings) {
  const columns = shares(app.talk.turns);
  const rows = WINDOWS.map((window) => {
    const of = (turns) => run(app.talk, { ...settings, strategy: "truncate", window, turns });
    return [
      windowName(window),
      ...columns.map((turns) => shownRecall(app, of(turns))),
      tokens(of(columns[0]).capacityTurns),
    ];
  });
  const head = [app.t("window"), ...columns.map((turns) => app.t("turn", { turn: turns })), app.t("capacityColumn")];
  return table(app.t("recallTable"), head, rows);
}

// A quarter, a half and all of the turns.
function shares(turns) {
  return [...new Set([turns / 4, turns / 2, turns].map((share) => Math.max(1, Math.round(share))))];
}

// The last step before a fact is lost, and every step at which one is.
function lossTable(app, settings) {
  const window = settings.window;
  const results = steps(app.talk.turns).map((turns) => run(app.talk, { ...settings, strategy: "truncate", turns }));
  const losses = results.map((result) => result.droppedFacts.length);
  const first = losses.findIndex((lost) => lost > 0);
  const isShown = (index) =>
    index === (first < 0 ? results.length : first) - 1 || (index > 0 && losses[index] > losses[index - 1]);
  const rows = results.flatMap((result, index) => (isShown(index) ? [lossRow(app, result, results[index - 1])] : []));
  const head = ["turns", "still", "lostNow", "single"].map((key) => app.t(key));
  return table(app.t("lossTable", { window: windowName(window) }), head, rows);
}

function steps(turns) {
  const step = STEP * Math.ceil(turns / STEP / MOST_STEPS);
  return Array.from({ length: Math.max(1, Math.floor(turns / step)) }, (_, index) =>
    Math.min(turns, step * (index + 1)),
  );
}

function lossRow(app, result, before) {
  const gone = result.droppedFacts.filter((fact) => !before?.droppedFacts.some((each) => each.turn === fact.turn));
  const names = gone.map((fact) => `${app.t("turn", { turn: fact.turn })} ${fact.label}`).join(" · ");
  return [
    result.turns,
    `${result.keptFacts.length}/${app.talk.facts.length}`,
    names || app.t("none"),
    tokens(result.inputTokens),
  ];
}

function costTable(app, settings) {
  const turns = app.talk.turns;
  const rows = WAYS.map((way) => {
    const result = run(app.talk, { ...settings, ...way, turns });
    const name = way.ratio ? `${app.t(way.strategy)} ${percent(way.ratio, 0)}` : app.t(way.strategy);
    return [
      name,
      windowName(way.window),
      shownRecall(app, result),
      tokens(result.inputTokens),
      tokens(result.cumulativeTokens),
      `$${dollars(result.cost)}`,
    ];
  });
  const head = ["strategy", "window", "recall", "single", "cumulative", "cumulativeCost"].map((key) => app.t(key));
  return table(app.t("costTable", { turns }), head, rows);
}

function shownRecall(app, result) {
  return result.overflow ? app.t("blocked") : percent(result.recall);
}

export function table(title, head, rows) {
  const cells = (row) =>
    row.map((cell, column) => (column ? h("td", {}, String(cell)) : h("th", { scope: "row" }, String(cell))));
  const heading = h(
    "tr",
    {},
    head.map((words) => h("th", { scope: "col" }, words)),
  );
  return h(
    "table",
    {},
    h("caption", {}, title),
    h("thead", {}, heading),
    h(
      "tbody",
      {},
      rows.map((row) => h("tr", {}, cells(row))),
    ),
  );
}
