// Tokens by source, as a bar and in words.

import { h } from "./dom.js";

const COLOURS = ["evidence", "recent", "question"];

export function ledger(app, context) {
  const sources = Object.entries(context.ledger).filter(([, tokens]) => tokens > 0);
  const parts = [...sources, ["free", Math.max(0, context.budget - context.tokens)]];
  return h(
    "figure",
    { class: "ledger" },
    h(
      "figcaption",
      {},
      app.t("ledger"),
      " ",
      h("span", { class: "quiet" }, app.t("estimated", { counter: context.counter })),
    ),
    h(
      "div",
      { class: "bar", "aria-hidden": "true" },
      parts.map(([name, tokens]) => h("span", { class: `part ${colour(name)}`, style: `flex-grow: ${tokens}` })),
    ),
    h(
      "ul",
      { class: "legend" },
      parts.map(([name, tokens]) =>
        h(
          "li",
          {},
          h("i", { class: `key ${colour(name)}`, "aria-hidden": "true" }),
          app.t.named("source", name),
          " ",
          h("b", {}, app.format.number(tokens)),
          h("span", { class: "quiet" }, ` ${app.format.share(tokens, context.budget)}`),
        ),
      ),
    ),
  );
}

// Sections that stand before the evidence share one colour.
function colour(name) {
  return COLOURS.includes(name) || name === "free" ? name : "section";
}
