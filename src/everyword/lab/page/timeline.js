// The conversation, message by message: what is in the window, what is compressed, what is out of it.

import { h, panel, setText } from "./dom.js";
import { tokens, windowName } from "./format.js";

const ROLES = { user: "user", assistant: "assistant", tool: "tool", system: "systemRole", developer: "systemRole" };
const TAGS = { kept: "rowKept", compressed: "rowCompressed", dropped: "rowDropped" };
// Of a long conversation only the rows around the boundary are drawn, moved by whole steps.
const MOST_ROWS = 600;
const STEP = 200;

export function timeline(app) {
  const mark = h("li", { class: "mark", role: "separator" }, h("span"));
  const list = h("ol", { class: "messages", tabindex: "0", "aria-label": app.t("timeline"), lang: app.talk.language });
  const element = panel("timeline", app.t("timeline"), list);
  element.querySelector(".head").append(...tools(app, list, mark));
  const rows = new Map();
  let drawn = null;
  let good = null;

  // Draw a part of the conversation; `first` is its first message.
  function draw(first) {
    if (drawn !== first) {
      list.replaceChildren(...part(app, rows, first, draw));
      drawn = first;
    }
    for (const [position, row] of rows) row.update(statusOf(app.talk, good, position));
    moveMark(app, rows, list, mark, good);
  }

  const update = (model) => {
    if (good?.result === model.good.result) return;
    good = model.good;
    draw(firstAround(app.talk, good.result.untouchedFrom));
    showBoundary(list, mark);
  };
  return { element, update };
}

function tools(app, list, mark) {
  const whole = h("input", {
    type: "checkbox",
    id: "whole",
    onchange: () => list.classList.toggle("whole", whole.checked),
  });
  const jump = h(
    "button",
    { type: "button", class: "small", onclick: () => showBoundary(list, mark) },
    app.t("toBoundary"),
  );
  return [h("label", { class: "check" }, whole, app.t("wholeText")), jump];
}

function firstAround(talk, boundary) {
  if (talk.messages.length <= MOST_ROWS) return 0;
  const before = STEP * Math.floor((boundary - MOST_ROWS / 2) / STEP);
  return Math.max(0, Math.min(before, talk.messages.length - MOST_ROWS));
}

// The rows from `first` on, with buttons that lead to what is before and after them.
function part(app, rows, first, draw) {
  const { messages } = app.talk;
  const end = Math.min(messages.length, first + MOST_ROWS);
  rows.clear();
  for (let position = first; position < end; position++) rows.set(position, row(app, messages[position], position));
  const elements = [...rows.values()].map((each) => each.element);
  const earlier = first > 0 && more(app, "earlier", first, () => draw(Math.max(0, first - MOST_ROWS + STEP)));
  const later =
    end < messages.length && more(app, "later", messages.length - end, () => draw(first + MOST_ROWS - STEP));
  return [earlier, ...elements, later].filter(Boolean);
}

function more(app, key, number, onclick) {
  const button = h("button", { type: "button", class: "small", onclick }, app.t(key, { number: tokens(number) }));
  return h("li", { class: "further" }, button);
}

function row(app, said, position) {
  const facts = app.talk.facts.filter((fact) => fact.position === position);
  const tag = h("span", { class: "tag" });
  const who = `${app.t("turn", { turn: said.turn })} · ${app.t(ROLES[said.role] ?? "tool")}`;
  const title = h(
    "div",
    { class: "who", lang: app.language },
    h("span", {}, who),
    facts.map((fact) => h("span", { class: "fact" }, `★ ${fact.label}`)),
    h("span", { class: "size" }, `${said.tokens}`),
    tag,
  );
  const element = h("li", { class: `message ${said.role}`, "data-position": position }, title, h("p", {}, said.text));
  let status = null;
  const update = (wanted) => {
    if (status === wanted) return;
    status = wanted;
    element.dataset.status = wanted;
    element.hidden = wanted === "later";
    setText(tag, wanted in TAGS ? app.t(TAGS[wanted]) : "");
  };
  return { element, update };
}

function statusOf(talk, { settings, result }, position) {
  if (position >= talk.ends[settings.turns]) return "later";
  if (position >= result.untouchedFrom) return "kept";
  return settings.strategy === "summary" ? "compressed" : "dropped";
}

// The line before the first message that is sent as it is, where it is drawn.
function moveMark(app, rows, list, mark, { settings, result }) {
  mark.remove();
  const next = rows.get(result.untouchedFrom);
  if (!result.untouchedFrom || !next) return;
  setText(mark.firstChild, app.t("boundary", { window: windowName(settings.window) }));
  list.insertBefore(mark, next.element);
}

function showBoundary(list, mark) {
  const top = mark.isConnected ? mark.offsetTop - list.clientHeight / 2 : 0;
  list.scrollTop = Math.max(0, top);
}
