// Recall and cost at every turn, of all strategies at once.

import { STRATEGIES, series } from "./engine.js";
import { chart } from "./chart.js";
import { h, setText } from "./dom.js";
import { dollars, percent, windowName } from "./format.js";

const MILLION = 1000000;
// The broad line first, so that lines on the same place stay visible.
const DRAWN = ["full", "summary", "truncate", "everyword"];

export function curves(app) {
  let all = {};
  const tellAt = (turn) => [
    app.t("turn", { turn }),
    ...Object.keys(all).map((name) => toldAt(app, name, all[name], turn)),
  ];
  const goTo = (turn) => app.set({ turns: turn });
  const options = { turns: app.talk.turns, goTo, tellAt };
  const recall = chart("recall-curve", app.t("recallCurve"), options);
  const cost = chart("cost-curve", app.t("costCurve"), options);
  const legend = h("ul", { class: "values" });
  const hint = h("p", { class: "hint" });
  const element = h("div", { class: "curves" }, legend, recall.element, cost.element, hint);
  const update = ({ settings, everyword }) => {
    all = Object.fromEntries(STRATEGIES.map((strategy) => [strategy, series(app.talk, { ...settings, strategy })]));
    if (everyword) all.everyword = priced(everyword.series, settings.price);
    draw(recall, all, settings.turns, "recall", 1, "100%");
    const most = Math.max(...Object.values(all).map((points) => points.at(-1)?.cost ?? 0));
    draw(cost, all, settings.turns, "cost", most, `$${dollars(most)}`);
    legend.replaceChildren(
      ...Object.keys(all).map((name) =>
        h("li", { class: `value ${name}` }, toldAt(app, name, all[name], settings.turns)),
      ),
    );
    setText(
      hint,
      app.t("curveHint", {
        turn: settings.turns,
        window: windowName(settings.window),
        ratio: percent(settings.ratio, 0),
      }),
    );
  };
  return { element, update };
}

function draw(target, all, turn, field, most, words) {
  const names = DRAWN.filter((name) => all[name]);
  const lines = names.map((name) => ({
    name,
    isStepped: field === "recall",
    points: all[name].map((point) => ({ turn: point.turn, value: point[field], overflow: point.overflow })),
  }));
  target.update({ series: lines, most, words, turn });
}

function toldAt(app, name, points, turn) {
  const point = points.findLast((each) => each.turn <= turn) ?? points[0];
  const recall = point.overflow ? app.t("blocked") : percent(point.recall, 0);
  return app.t("legendValue", { name: app.t(name), recall, cost: dollars(point.cost) });
}

// Points of measured requests with their cost at the price of now.
function priced(points, price) {
  let cost = 0;
  return points.map((point) => ({ ...point, cost: (cost += (point.tokens * price) / MILLION) }));
}
