// The page: who looks, which view is shown, in which language. Views are made when they are first shown.

import { LOCKED, Problem, WHO, get, keepKey, keepUser, keptKey, keptUser } from "./api.js";
import { button, h, show } from "./dom.js";
import { formats } from "./format.js";
import { icon } from "./icons.js";
import { keyCard, userCard } from "./login.js";
import { problemCard } from "./problem.js";
import { LANGUAGES, firstLanguage, wordsOf } from "./strings.js";
import { conversations } from "./conversations.js";
import { explain } from "./explain.js";
import { claims } from "./claims.js";
import { graph } from "./graph.js";
import { care } from "./care.js";

const LANGUAGE = "everyword-language";
const LAB_LANGUAGE = "everyword-lab-language";
const VIEWS = { conversations, explain, claims, graph, care };

const app = {
  language: null,
  t: null,
  format: null,
  user: null,
  go: (...parts) => {
    location.hash = addressOf(...parts);
  },
  addressOf,
  // What was stored or erased: views read again when they are shown next.
  changed: () => {
    for (const view of Object.values(made)) view.isOld = true;
  },
};

let made = {};
let people = null;
let frame = null;

// ---- language ----

function speak(tag) {
  app.language = tag;
  app.t = wordsOf(tag);
  app.format = formats(tag);
  document.documentElement.lang = tag;
}

function choose(tag) {
  localStorage.setItem(LANGUAGE, tag);
  localStorage.setItem(LAB_LANGUAGE, tag);
  speak(tag);
  made = {};
  people === null ? enter() : user() === null ? askUser() : build();
  document.querySelector(`.languages [lang="${tag}"]`)?.focus();
}

function languages() {
  return h(
    "div",
    { class: "languages", role: "group", "aria-label": app.t("language") },
    LANGUAGES.map(({ tag, name, short }) =>
      button(short, () => choose(tag), { lang: tag, "aria-pressed": String(tag === app.language), "aria-label": name }),
    ),
  );
}

// ---- who looks ----

async function enter() {
  try {
    people = await get(WHO);
  } catch (error) {
    if (!(error instanceof Problem)) throw error;
    return refuse(error);
  }
  if (people.is_fixed) keepUser(null);
  user() === null ? askUser() : build();
}

// Whose memory is shown: of the key, else as chosen in this tab, else the one of the server.
function user() {
  return people.is_fixed ? people.results[0] : (keptUser() ?? people.default);
}

function refuse(problem) {
  people = null;
  const hadKey = keptKey() !== null;
  if (problem.status !== 401) return alone(h("section", { class: "door" }, problemCard(app, problem, enter), leave()));
  keepKey(null);
  alone(keyCard(app, hadKey ? problem : null, enter));
}

const leave = () => keptKey() !== null && button(app.t("logOut"), logOut);

function askUser() {
  alone(userCard(app, people.results, enter));
}

function logOut() {
  keepKey(null);
  keepUser(null);
  made = {};
  enter();
}

function changeUser() {
  keepUser(null);
  people.default = null;
  made = {};
  history.replaceState(null, "", "#/conversations");
  askUser();
}

function alone(content) {
  frame = null;
  show(document.body, h("main", { class: "alone", id: "content" }, languages(), content), ...regions());
  content.querySelector("input, h1")?.focus();
}

// ---- frame ----

function build() {
  app.user = user();
  frame = h("main", { id: "content", tabindex: "-1" });
  const skip = h("a", { class: "skip", href: "#content", onclick: skipTo }, app.t("skip"));
  show(document.body, skip, header(), navigation(), frame, ...regions());
  route();
}

function skipTo(event) {
  event.preventDefault(); // the address says which view is shown
  frame.focus();
}

function header() {
  return h(
    "header",
    { class: "top" },
    h("a", { class: "brand", href: "#/conversations" }, "Everyword"),
    whose(),
    people.needs_key && button(app.t("logOut"), logOut, { class: "quiet-button" }),
    languages(),
  );
}

function whose() {
  const name = [icon("user"), h("span", {}, app.user)];
  if (people.is_fixed) return h("span", { class: "whose", title: app.t("memoryOf", { user: app.user }) }, name);
  const label = `${app.t("memoryOf", { user: app.user })}. ${app.t("changeUser")}`;
  return button(name, changeUser, { class: "whose", title: app.t("changeUser"), "aria-label": label });
}

function navigation() {
  const lab = document.documentElement.dataset.lab;
  const items = Object.keys(VIEWS).map((name) =>
    h("li", {}, h("a", { href: `#/${name}`, "data-view": name }, icon(name), h("span", {}, app.t(name)))),
  );
  const elsewhere =
    lab && h("li", { class: "elsewhere" }, h("a", { href: lab }, icon("lab"), h("span", {}, app.t("lab"))));
  return h("nav", { class: "views", "aria-label": app.t("views") }, h("ul", {}, items, elsewhere));
}

function regions() {
  return [
    h("div", { id: "announcer", class: "unseen", role: "status", "aria-live": "polite" }),
    h("div", { id: "toasts" }),
  ];
}

// ---- addresses ----

function addressOf(...parts) {
  return `#/${parts.map((part) => encodeURIComponent(part)).join("/")}`;
}

function route() {
  if (frame === null) return;
  const [name, ...rest] = location.hash.slice(2).split("/").filter(Boolean).map(decoded);
  const view = name in VIEWS ? name : "conversations";
  const isOther = frame.dataset.view !== view;
  if (!made[view] || (made[view].isOld && isOther)) made[view] = VIEWS[view](app);
  mark(view);
  if (isOther || made[view].element.parentNode !== frame) show(frame, made[view].element);
  frame.dataset.view = view;
  made[view].show(...rest);
  if (isOther && started) frame.focus({ preventScroll: true });
  started = true;
}

let started = false;

function decoded(part) {
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
}

function mark(view) {
  document.title = `${app.t(view)} · Everyword`;
  for (const link of document.querySelectorAll("nav.views [data-view]"))
    if (link.dataset.view === view) link.setAttribute("aria-current", "page");
    else link.removeAttribute("aria-current");
}

// "/" leads to the search from everywhere but a field.
function shortcut(event) {
  const isTyping = event.target.closest?.("input, textarea, select, dialog");
  if (event.key !== "/" || isTyping || frame === null || event.ctrlKey || event.metaKey || event.altKey) return;
  event.preventDefault();
  if (frame.dataset.view !== "conversations") app.go("conversations");
  setTimeout(() => document.getElementById("search")?.focus());
}

addEventListener("hashchange", route);
addEventListener("keydown", shortcut);
addEventListener(LOCKED, () => refuse(new Problem("UnknownKeyError", "", { status: 401 })));
speak(firstLanguage(localStorage.getItem(LANGUAGE), navigator.languages ?? []));
enter();
