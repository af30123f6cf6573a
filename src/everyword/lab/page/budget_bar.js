// Two bars: the history, message by message, with the boundary of the window; and the request, part by part.

import { OVERHEAD } from "./engine.js";
import { h, setText, svg } from "./dom.js";
import { tokens, windowName } from "./format.js";

const ROOM_FOR_LABEL = 0.82;

export function budgetBar(app) {
  const history = historyBar(app);
  const request = requestBar(app);
  const element = h(
    "section",
    { id: "budget", class: "panel", "aria-label": app.t("history") },
    history.element,
    request.element,
  );
  return {
    element,
    update: (model) => {
      history.update(model.good);
      request.update(model.good);
    },
  };
}

// ---- history ----

function historyBar(app) {
  const paths = {
    dropped: svg("path", { class: "dropped" }),
    compressed: svg("path", { class: "compressed" }),
    kept: svg("path", { class: "kept" }),
  };
  const drawing = svg("svg", { preserveAspectRatio: "none", "aria-hidden": "true" }, Object.values(paths));
  const inside = h("div", { class: "inside" });
  const label = h("span", { id: "boundary-label" });
  const line = h("div", { class: "boundary" }, label);
  const words = h("p", { id: "history-text" });
  const bar = h("div", { class: "bar history", role: "img" }, drawing, inside, line);
  const element = h("div", { class: "row" }, h("span", { class: "name" }, app.t("history")), bar, legend(app), words);
  return { element, update: (shown) => drawHistory(app, shown, { drawing, paths, inside, label, line, bar, words }) };
}

function legend(app) {
  const items = ["kept", "compressed", "dropped"].map((name) => h("span", { class: `key ${name}` }, app.t(name)));
  return h("div", { class: "legend" }, items);
}

function drawHistory(app, { settings, result }, { drawing, paths, inside, label, line, bar, words }) {
  const { talk } = app;
  const end = talk.ends[settings.turns];
  const whole = OVERHEAD + result.pinnedTokens + talk.sums[end];
  const isOver = whole > settings.window;
  const length = Math.max(whole, settings.window);
  const at = (position) => (position === end ? whole : OVERHEAD + result.pinnedTokens + talk.sums[position]);
  const boundary = isOver ? at(result.untouchedFrom) / length : settings.window / length;
  drawing.setAttribute("viewBox", `0 0 ${length} 10`);
  const cut = settings.strategy === "summary" ? "compressed" : "dropped";
  for (const name of Object.keys(paths)) paths[name].setAttribute("d", "");
  paths[cut].setAttribute("d", blocks(talk, 0, result.untouchedFrom, at, length));
  paths.kept.setAttribute("d", blocks(talk, result.untouchedFrom, end, at, length));
  place(inside, isOver ? boundary : 0, isOver ? 1 : boundary);
  line.style.left = `${100 * boundary}%`;
  line.classList.toggle("leftwards", boundary > ROOM_FOR_LABEL);
  setText(label, app.t(isOver ? "startLabel" : "limitLabel", { window: windowName(settings.window) }));
  setText(
    words,
    app.t("historyText", {
      total: tokens(talk.sums[end]),
      turns: settings.turns,
      kept: end - result.untouchedFrom,
      compressed: result.compressedMessages,
      dropped: result.droppedMessages,
    }),
  );
  bar.setAttribute("aria-label", `${words.textContent} ${label.textContent}`);
}

// One block a message, with a hair of space between them.
function blocks(talk, first, end, at, length) {
  const gap = Math.min(length / 1600, 12);
  let path = "";
  for (let position = first; position < end; position++) {
    const width = Math.max(at(position + 1) - at(position) - gap, gap / 2);
    path += `M${at(position)} 0h${width}v10h${-width}z`;
  }
  return path;
}

function place(element, from, to) {
  element.style.left = `${100 * from}%`;
  element.style.width = `${100 * (to - from)}%`;
}

// ---- request ----

function requestBar(app) {
  const names = ["system", "pinnedPart", "summaryPart", "verbatim", "free"];
  const parts = names.map((name) => h("div", { class: `part ${name}` }));
  const bar = h("div", { class: "bar request", role: "img" }, parts);
  const words = h(
    "div",
    { class: "legend" },
    names.map((name) => h("span", { class: `key ${name}` })),
  );
  const element = h("div", { class: "row" }, h("span", { class: "name" }, app.t("request")), bar, words);
  const update = ({ settings, result }) => {
    const sizes = partsOf(settings, result);
    parts.forEach((part, index) => (part.style.flexGrow = sizes[index]));
    [...words.children].forEach((word, index) => {
      word.hidden = !sizes[index];
      setText(word, `${app.t(names[index])} ${tokens(sizes[index])}`);
    });
    bar.setAttribute("aria-label", words.innerText);
  };
  return { element, update };
}

function partsOf(settings, result) {
  const { pinnedTokens, summaryTokens, inputTokens } = result;
  const verbatim = inputTokens - OVERHEAD - pinnedTokens - summaryTokens;
  return [OVERHEAD, pinnedTokens, summaryTokens, verbatim, settings.window - inputTokens];
}
