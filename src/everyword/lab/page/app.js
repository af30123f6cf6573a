// The page: one state, views that show it, and `window.__lab` for whoever computes with it.

import { prepare, run } from "./engine.js";
import { change, clamp, defaults, reset, start } from "./state.js";
import { selfTest } from "./selftest.js";
import { LANGUAGES, firstLanguage, wordsOf } from "./strings.js";
import { h, setText } from "./dom.js";
import { dollars, percent, tokens, windowName } from "./format.js";
import { documentOf } from "./opened_file.js";
import { controls } from "./controls.js";
import { errorCard } from "./error_card.js";
import { budgetBar } from "./budget_bar.js";
import { timeline } from "./timeline.js";
import { metrics } from "./metrics.js";
import { probe } from "./probe.js";
import { selfTestPanel } from "./self_test_panel.js";
import { tabs } from "./views.js";
import { curves } from "./curves.js";
import { tables } from "./tables.js";
import { facts } from "./facts.js";
import { usageView } from "./usage_view.js";
import { summaryView } from "./summary_view.js";
import { everywordView } from "./everyword_view.js";

const LANGUAGE = "everyword-lab-language";
const QUIET_MS = 600;

const embedded = (id) => JSON.parse(document.getElementById(id).textContent);

const app = {
  served: embedded("served"),
  talk: null,
  language: firstLanguage(remembered(), navigator.languages ?? []),
  t: null,
  view: "curves",
  set: (changes, options) => show(change(app.talk, state, changes), options),
  reset: () => show(reset(app.talk)),
  setFacts: (chosen) => load({ ...source, facts: chosen ?? original.facts }),
  setEveryword: (result) => {
    everyword = result;
    show(state);
  },
  document: () => source,
};

let original = embedded("conversation");
let source = original;
let everyword = null;
let state = null;
let views = [];
let saying = 0;

// ---- what is shown ----

function load(document) {
  const before = state?.settings;
  source = document;
  everyword = null;
  app.talk = prepare(document);
  state = start(app.talk);
  if (before) state = change(app.talk, state, before);
  build();
}

function build() {
  app.t = wordsOf(app.language);
  document.documentElement.lang = app.language;
  document.title = app.t("title");
  const bar = budgetBar(app);
  const middle = tabs(app, [
    { name: "curves", ...curves(app) },
    { name: "tables", ...tables(app) },
    { name: "facts", ...facts(app) },
    { name: "usage", ...usageView(app) },
    { name: "summaries", ...summaryView(app) },
    { name: "everyword", ...everywordView(app) },
  ]);
  views = [controls(app), errorCard(app), bar, timeline(app), middle, metrics(app), probe(app), selfTestPanel(app)];
  const [settings, error, budget, talk, center, figures, probes, tests] = views.map((view) => view.element);
  const columns = h("div", { id: "columns" }, talk, center, figures);
  const bottom = h("div", { id: "bottom" }, probes, tests);
  const main = h("main", {}, settings, error, budget, columns, bottom);
  const status = h("p", { id: "status", class: "unseen", role: "status" });
  document.body.querySelectorAll("body > :not(script)").forEach((element) => element.remove());
  document.body.prepend(header(), main, footer(), status);
  show(state);
}

function show(newer, { focus } = {}) {
  state = newer;
  const model = { ...state, everyword };
  views.forEach((view) => view.update(model));
  if (focus) document.querySelector(`#${focus} input:checked`)?.focus();
  clearTimeout(saying);
  saying = setTimeout(announce, QUIET_MS);
}

// Said once the sliders rest.
function announce() {
  const { settings, result } = state;
  if (result.overflow) return;
  const values = {
    strategy: app.t(settings.strategy),
    window: windowName(settings.window),
    turns: settings.turns,
    recall: percent(result.recall),
    input: tokens(result.inputTokens),
    cost: dollars(result.cost),
  };
  setText(document.getElementById("status"), app.t("announce", values));
}

function header() {
  const { talk, t } = app;
  const sum = talk.sums.at(-1);
  const about = t("conversation", {
    title: talk.title,
    turns: talk.turns,
    tokens: tokens(sum),
    each: tokens(sum / talk.turns),
  });
  return h(
    "header",
    {},
    h("h1", {}, t("title")),
    h("p", { class: "subtitle" }, t("subtitle")),
    h("p", { class: "about", lang: talk.language }, about),
    opening(),
    languageSwitch(),
  );
}

function languageSwitch() {
  const button = ({ tag, name }) =>
    h(
      "button",
      {
        type: "button",
        id: `language-${tag}`,
        lang: tag,
        "aria-pressed": String(tag === app.language),
        onclick: () => speak(tag),
      },
      name,
    );
  return h("div", { class: "languages", role: "group", "aria-label": app.t("language") }, LANGUAGES.map(button));
}

function speak(tag) {
  app.language = tag;
  try {
    localStorage.setItem(LANGUAGE, tag);
  } catch {
    // A page from a file may be refused storage; the choice then lasts as long as the page.
  }
  build();
  document.getElementById(`language-${tag}`).focus();
}

function remembered() {
  const named = new URLSearchParams(location.search).get("lang");
  try {
    return named ?? localStorage.getItem(LANGUAGE);
  } catch {
    return named;
  }
}

function opening() {
  const input = h("input", {
    type: "file",
    accept: ".json,.jsonl,application/json",
    class: "unseen",
    id: "open-file",
    onchange: () => open(input.files[0]),
  });
  return h("label", { class: "open" }, input, h("span", {}, app.t("openFile")));
}

async function open(file) {
  try {
    original = documentOf(file.name, await file.text());
    state = null;
    load(original);
  } catch {
    setText(document.getElementById("status"), app.t("badFile", { name: file.name }));
    document.querySelector(".about").textContent = app.t("badFile", { name: file.name });
  }
}

function footer() {
  const { t } = app;
  const more = h("details", {}, h("summary", {}, t("limits")), h("p", {}, t("limitsText")));
  return h("footer", {}, h("p", { id: "estimate" }, t("estimate")), more);
}

// ---- for whoever computes with it ----

window.__lab = {
  run: (options = {}) => run(app.talk, clamp(app.talk, options, defaults(app.talk))),
  selfTest: () => selfTest(app.talk),
  state: () => state,
};

load(original);
