// Real summaries instead of the ideal one: which facts are still there after each of them.

import { h } from "./dom.js";
import { dollars, percent, tokens } from "./format.js";
import { field, liveView } from "./live_view.js";
import { table } from "./tables.js";

const MOST_ROWS = 200;

export function summaryView(app) {
  const names = app.served?.summarisers ?? [];
  const summariser = h(
    "select",
    {},
    names.map((name) => h("option", { value: name }, app.t(`summariser_${name}`))),
  );
  const compactTo = h("input", { type: "number", min: 10, max: 100, value: 100 });
  return liveView(app, "summaries", {
    path: "/api/summary",
    command: "everyword lab summary --window 8K --ratio 10% --summariser extractive",
    isReady: () => true,
    fields: [field("summariser", app.t("summariser"), summariser), field("compact-to", app.t("compactTo"), compactTo)],
    body: () => ({ summariser: summariser.value, compactTo: Number(compactTo.value) / 100 }),
    show: (result, rows) =>
      [result ? verdict(app, result) : null, rowsTable(app, rows), result ? last(app, result) : null].filter(Boolean),
  });
}

function verdict(app, { recall, kept, total, inputTokens, cumulativeTokens, cost, summaries, summariserTokens }) {
  const figures = {
    recall: percent(recall),
    kept,
    total,
    input: tokens(inputTokens),
    cumulative: tokens(cumulativeTokens),
    cost: dollars(cost),
    summaries,
    extra: tokens(summariserTokens),
  };
  return h("p", { class: "verdict" }, app.t("summaryVerdict", figures));
}

function rowsTable(app, rows) {
  const head = ["turns", "compressedColumn", "summaryTokens", "still", "lostNow"].map((key) => app.t(key));
  const shown = rows.slice(-MOST_ROWS);
  return table(
    app.t("eachSummary"),
    head,
    shown.map((row) => [
      row.turn,
      row.compressed,
      tokens(row.summaryTokens),
      `${row.kept}/${row.said}`,
      row.lost.join(" · ") || app.t("none"),
    ]),
  );
}

function last(app, { summary }) {
  return h(
    "details",
    {},
    h("summary", {}, app.t("lastSummary")),
    h("p", { class: "summary-text", lang: app.talk.language }, summary || "—"),
  );
}
