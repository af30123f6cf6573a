// The same conversation through a real endpoint: the input tokens that it reports beside the estimate.

import { requests } from "./engine.js";
import { h } from "./dom.js";
import { percent, tokens } from "./format.js";
import { field, liveView } from "./live_view.js";
import { table } from "./tables.js";

export function usageView(app) {
  const every = h("input", { type: "number", min: 1, max: app.talk.turns, value: 10, oninput: () => app.set({}) });
  return liveView(app, "usage", {
    path: "/api/usage",
    command: "everyword lab usage --strategy truncate --window 32K --every 10",
    isReady: (served) => Boolean(served.model),
    missing: "noModel",
    fields: [field("usage-every", app.t("everyTurns"), every)],
    note: ({ settings }) => app.t("usageCost", costOf(app, settings, Number(every.value) || 1)),
    body: () => ({ every: Number(every.value) || 1 }),
    show: (result, rows) =>
      [result ? h("p", { class: "verdict" }, fitWords(app, result)) : null, rowsTable(app, rows)].filter(Boolean),
  });
}

function costOf(app, settings, every) {
  const sent = requests(app.talk, settings).filter(
    (_, index) => (index + 1) % every === 0 || index + 1 === settings.turns,
  );
  const sum = sent.reduce((total, request) => total + request.tokens, 0);
  return { number: sent.length, tokens: tokens(sum), model: app.served?.model ?? "" };
}

function fitWords(app, { ratio, overhead, model, answered, asked }) {
  const fit = app.t("usageFit", { ratio: ratio.toFixed(3), overhead: tokens(overhead), model });
  return asked ? `${fit} ${app.t("usageRecall", { answered, asked, share: percent(answered / asked, 0) })}` : fit;
}

function rowsTable(app, rows) {
  const head = ["turns", "estimated", "reported", "realRatio"].map((key) => app.t(key));
  return table(
    app.t("usage"),
    head,
    rows.map((row) => [row.turn, tokens(row.estimate), tokens(row.reported), (row.reported / row.estimate).toFixed(3)]),
  );
}
