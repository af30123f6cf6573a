// The facts to ask for, which the person chooses: a question, and words that the answer cannot do without.

import { h, setText } from "./dom.js";

export function facts(app) {
  const list = h(
    "ul",
    { class: "fact-list" },
    app.talk.facts.map((fact, index) => line(app, fact, index)),
  );
  const restore = h(
    "button",
    { type: "button", class: "small", onclick: () => app.setFacts(null) },
    app.t("restoreFacts"),
  );
  const element = h("div", { class: "facts" }, h("p", { class: "hint" }, app.t("factsHint")), list, form(app), restore);
  return { element, update: () => undefined };
}

function line(app, fact, index) {
  const remove = () => app.setFacts(app.talk.facts.filter((_, each) => each !== index));
  const name = app.t("removeFact", { label: fact.label });
  return h(
    "li",
    {},
    h("span", { class: "fact" }, `★ ${fact.label}`),
    h("span", { lang: app.talk.language }, `${fact.probe} → ${fact.keys.join(" + ")}`),
    h("small", {}, app.t("saidAt", { turn: fact.turn })),
    h("button", { type: "button", class: "small", "aria-label": name, title: name, onclick: remove }, "×"),
  );
}

function form(app) {
  const question = h("input", { id: "fact-question", required: true });
  const answer = h("input", { id: "fact-answer", required: true });
  const found = h("p", { class: "hint", role: "status" });
  const look = () => setText(found, foundWords(app, answer.value.trim()));
  answer.addEventListener("input", look);
  const submit = (event) => {
    event.preventDefault();
    const fact = factOf(app.talk, question.value.trim(), answer.value.trim());
    if (fact) app.setFacts([...app.talk.facts, fact].sort((a, b) => a.position - b.position));
    else look();
  };
  const field = (input, key) => h("div", { class: "field" }, h("label", { for: input.id }, app.t(key)), input);
  return h(
    "form",
    { onsubmit: submit },
    field(question, "factQuestion"),
    field(answer, "factAnswer"),
    h("button", {}, app.t("addFact")),
    found,
  );
}

function foundWords(app, words) {
  if (!words) return "";
  const position = placeOf(app.talk, words);
  return position < 0 ? app.t("factNowhere") : app.t("factFound", { turn: app.talk.messages[position].turn });
}

// The first message of the user that has the words, or the first of anyone.
function placeOf(talk, words) {
  const has = (said) => said.text.includes(words);
  const ofUser = talk.messages.findIndex((said) => said.role === "user" && has(said));
  return ofUser < 0 ? talk.messages.findIndex(has) : ofUser;
}

function factOf(talk, question, words) {
  const position = placeOf(talk, words);
  if (position < 0 || !question) return null;
  return {
    turn: talk.messages[position].turn,
    label: words,
    text: `${question} ${words}`,
    probe: question,
    keys: [words],
    position,
  };
}
