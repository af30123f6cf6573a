// Stages of a search: where a message stood in each, and how long each took.

import { h } from "./dom.js";

export function stepsOf(app, stages) {
  const names = Object.keys(stages);
  if (!names.length) return null;
  return h(
    "ul",
    { class: "steps" },
    names.map((name) => {
      const { rank, score } = stages[name];
      const stage = app.t.named("stage", name);
      return h(
        "li",
        {},
        h("span", { class: "unseen" }, app.t("placeOf", { stage, rank, score: app.format.score(score) })),
        h("span", { "aria-hidden": "true" }, stage),
        h("b", { "aria-hidden": "true" }, `${rank}`),
        h("span", { class: "quiet", "aria-hidden": "true" }, app.format.score(score)),
      );
    }),
  );
}

export function stagesTable(app, stages) {
  if (!stages.length) return null;
  const head = ["stage", "candidates", "milliseconds"].map((name) => h("th", { scope: "col" }, app.t(name)));
  const rows = stages.map((each) =>
    h(
      "tr",
      {},
      h("th", { scope: "row" }, app.t.named("stage", each.name)),
      h("td", {}, app.format.number(each.candidates)),
      h("td", {}, app.t("ms", { count: each.milliseconds.toFixed(1) })),
    ),
  );
  return h(
    "section",
    { class: "block" },
    h("h2", {}, app.t("stagesTitle")),
    h("table", {}, h("thead", {}, h("tr", {}, head)), h("tbody", {}, rows)),
  );
}
