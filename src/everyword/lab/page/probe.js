// The memory probe: every fact is asked for after the last turn.

import { h, panel, setText } from "./dom.js";

export function probe(app) {
  const when = h("span", { class: "aside" });
  const cards = app.talk.facts.map((fact) => card(app, fact));
  const body = cards.length
    ? h(
        "ul",
        { class: "probes" },
        cards.map((each) => each.element),
      )
    : h("p", { class: "hint" }, app.t("noFacts"));
  const element = panel("probe", app.t("probe"), body);
  element.querySelector(".head").append(when);
  const update = ({ result, good }) => {
    const turns = app.t("probeAt", { turns: good.settings.turns });
    setText(when, result.overflow ? `${app.t("lastGood")} · ${turns}` : turns);
    cards.forEach((each) => each.update(good));
  };
  return { element, update };
}

function card(app, fact) {
  const verdict = h("strong");
  const answer = h("p", { class: "answer", lang: app.talk.language });
  const place = h("small");
  const element = h(
    "li",
    { class: "probed" },
    h("p", { class: "question", lang: app.talk.language }, fact.probe),
    answer,
    h("div", { class: "foot" }, verdict, place),
  );
  const update = (good) => {
    const status = statusOf(fact, good);
    element.dataset.status = status;
    setText(verdict, { right: `✓ ${app.t("right")}`, wrong: `✗ ${app.t("wrong")}`, later: app.t("notSaid") }[status]);
    setText(answer, { right: fact.text, wrong: app.t("neverSent"), later: "…" }[status]);
    setText(
      place,
      `${app.t("saidAt", { turn: fact.turn })}${status === "later" ? "" : ` · ${app.t(placeOf(fact, good))}`}`,
    );
  };
  return { element, update };
}

function statusOf(fact, { settings, result }) {
  if (fact.turn > settings.turns) return "later";
  return result.keptFacts.some((kept) => kept.turn === fact.turn && kept.label === fact.label) ? "right" : "wrong";
}

function placeOf(fact, { settings, result }) {
  if (fact.position >= result.untouchedFrom) return "inside";
  if (settings.strategy === "summary") return "inSummary";
  return settings.pinned ? "inPinned" : "outside";
}
