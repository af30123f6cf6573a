// The fourth strategy: what Everyword's `context` would send, from a memory of this conversation.

import { h } from "./dom.js";
import { dollars, percent, tokens } from "./format.js";
import { field, liveView } from "./live_view.js";
import { table } from "./tables.js";

export function everywordView(app) {
  const budget = h("input", { type: "number", min: 200, max: 32000, step: 100, value: app.served?.budget ?? 1500 });
  return liveView(app, "everyword", {
    path: "/api/everyword",
    command: "everyword lab run --strategy everyword",
    isReady: () => true,
    fields: [field("budget-tokens", app.t("budget"), budget)],
    body: () => ({ budget: Number(budget.value) }),
    done: (result) => app.setEveryword(result),
    show: (result) => (result ? [verdict(app, result), probes(app, result)] : []),
  });
}

function verdict(app, { recall, kept, total, inputTokens, cumulativeTokens, cost, turns }) {
  const figures = {
    recall: percent(recall),
    kept,
    total,
    input: tokens(inputTokens),
    cumulative: tokens(cumulativeTokens),
    cost: dollars(cost),
    turns,
  };
  return h("p", { class: "verdict" }, app.t("everywordVerdict", figures));
}

function probes(app, { probes: asked }) {
  const head = ["probe", "answerColumn", "tokensColumn"].map((key) => app.t(key));
  return table(
    app.t("everywordProbes"),
    head,
    asked.map((each) => [each.probe, app.t(each.isKept ? "right" : "wrong"), tokens(each.tokens)]),
  );
}
