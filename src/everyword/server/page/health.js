// What is wrong with the memory, each with what helps; below it the other figures.

import { get } from "./api.js";
import { h, show } from "./dom.js";
import { icon } from "./icons.js";
import { problemCard } from "./problem.js";

// A section that is looked at anew by `look`; the server asks the last questions again for it, so that it takes a moment.
export function health(app) {
  const told = h("div", { "aria-live": "polite" });
  const element = h("section", { class: "block health" }, h("h2", {}, app.t("health")), told);
  const look = async () => {
    show(told, h("p", { class: "quiet" }, app.t("healthLooking")));
    try {
      show(told, verdict(app, await get("/v1/health")));
    } catch (error) {
      show(told, problemCard(app, error, look));
    }
  };
  return { element, look };
}

function verdict(app, found) {
  const bad = found.figures.filter((each) => each.remedy !== null);
  const others = found.figures.filter((each) => each.remedy === null);
  return [
    bad.length > 0
      ? h(
          "ul",
          { class: "jobs" },
          bad.map((each) => row(app, each, "ill", help(app, each))),
        )
      : h("p", { class: "well" }, app.t("healthWell")),
    h(
      "details",
      {},
      h("summary", {}, app.t("healthOthers", { count: app.format.number(others.length) })),
      h(
        "ul",
        { class: "jobs" },
        others.map((each) => row(app, each, each.value === null ? "unknown" : "well")),
      ),
      h("p", { class: "quiet small" }, app.t("healthAsked", { count: app.format.number(found.questions) })),
    ),
  ];
}

function row(app, figure, state, remedy = null) {
  const sign = { ill: "warn", well: "ok", unknown: "unknown" }[state];
  return h(
    "li",
    {},
    h("span", { class: `state ${state}` }, icon(sign)),
    h("b", {}, named(app, "health", figure, figure.name)),
    h(
      "div",
      {},
      h("span", {}, shown(app, figure)),
      h("p", { class: "quiet small" }, named(app, "healthAbout", figure, figure.meaning)),
      remedy && h("p", { class: "remedy" }, remedy),
    ),
  );
}

const help = (app, figure) => named(app, "healthHelp", figure, figure.remedy);

// Words of the page for a figure; the server's own where the page does not know it.
function named(app, prefix, figure, otherwise) {
  const key = `${prefix}_${figure.name.replace(/\W+/g, "_")}`;
  return app.t.has(key) ? app.t(key) : otherwise;
}

// ---- values ----

const UNITS = {
  "prompt by source": sources,
  "tokens, P99": (app, value) => app.t("tokens", { count: app.format.number(value) }),
  "prefix kept": share,
  "input share": share,
  duplicates: share,
  "age of evidence": days,
  "age of claims": days,
  "index lag": (app, value) => app.t("healthLag", { share: share(app, value) }),
  "claims waiting": messages,
  "claims failed": messages,
  "last verify": (app, value) => app.t("healthAgo", { days: days(app, value) }),
};

function shown(app, figure) {
  if (figure.value === null) return app.t(figure.name === "last verify" ? "healthNever" : "noneYet");
  return UNITS[figure.name]?.(app, figure.value) ?? figure.shown;
}

function sources(app, shares) {
  return Object.entries(shares)
    .map(([name, part]) => `${app.t.named("source", name)} ${share(app, part)}`)
    .join(" · ");
}

function share(app, part) {
  return app.format.share(part, 1);
}

function days(app, value) {
  return app.t("healthDays", { count: app.format.number(Math.round(value)) });
}

function messages(app, count) {
  return app.t("healthMessages", { count: app.format.number(count) });
}
