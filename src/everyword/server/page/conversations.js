// Conversations, the newest first, and a search over every word; beside them the messages of one.

import { get, isAborted, post } from "./api.js";
import { announce, h, show } from "./dom.js";
import { shortened } from "./format.js";
import { further } from "./further.js";
import { excerpt, marked, needles, places } from "./highlight.js";
import { icon } from "./icons.js";
import { problemCard } from "./problem.js";
import { thread } from "./thread.js";
import { welcome } from "./welcome.js";

const PAGE = 30;
const MOST_FOUND = 20;
const QUIET_MS = 160;

export function conversations(app) {
  const list = h("div", { class: "list" });
  const found = h("div", { class: "list", hidden: true });
  const reader = h("div", { class: "reader" });
  const input = searchField(app);
  const element = h(
    "div",
    { class: "conversations" },
    h("div", { class: "finder" }, h("h1", { class: "unseen" }, app.t("conversations")), input.element, found, list),
    reader,
  );
  const view = { element, isOld: false };
  const opened = (session, message) => {
    element.classList.toggle("reading", Boolean(session));
    for (const link of element.querySelectorAll(".finder a"))
      if (link.dataset.session === session && (link.dataset.message ?? null) === (message ?? null))
        link.setAttribute("aria-current", "true");
      else link.removeAttribute("aria-current");
  };
  const loadAgain = () =>
    sessions(app, list, { onempty: () => show(reader, welcome(app)), onfilled: () => opened(...at) });
  let at = [];
  view.show = (session, message) => {
    at = [session, message];
    opened(session, message);
    if (session) show(reader, thread(app, session, message, loadAgain));
    else show(reader, h("p", { class: "hollow" }, app.t("chooseOne")));
    if (view.isOld) loadAgain();
    view.isOld = false;
  };
  input.onsearch((query) => {
    found.hidden = !query;
    list.hidden = Boolean(query);
    if (query) searched(app, query, found).then(() => opened(...at));
  });
  loadAgain();
  return view;
}

// ---- search ----

function searchField(app) {
  const input = h("input", {
    id: "search",
    type: "search",
    autocomplete: "off",
    placeholder: app.t("search"),
    "aria-label": app.t("search"),
    title: app.t("searchHint"),
    "aria-keyshortcuts": "/",
  });
  const element = h("form", { class: "search", role: "search" }, icon("search"), input);
  element.addEventListener("submit", (event) => event.preventDefault());
  const onsearch = (search) => {
    let waiting;
    input.addEventListener("input", () => {
      clearTimeout(waiting);
      waiting = setTimeout(() => search(input.value.trim()), input.value.trim() ? QUIET_MS : 0);
    });
    input.addEventListener("keydown", (event) => {
      if (event.key !== "ArrowDown") return;
      event.preventDefault();
      element.parentNode.querySelector(".list:not([hidden]) a")?.focus();
    });
  };
  return { element, onsearch };
}

let running = new AbortController();

async function searched(app, query, place) {
  running.abort();
  running = new AbortController();
  place.setAttribute("aria-busy", "true");
  try {
    const { results } = await post("/v1/search", { query, limit: MOST_FOUND }, { signal: running.signal });
    place.removeAttribute("aria-busy");
    show(place, results.length ? hits(app, query, results) : nothing(app));
    announce(results.length ? app.t("found", { count: results.length }) : app.t("nothingFound"));
  } catch (error) {
    if (isAborted(error)) return;
    place.removeAttribute("aria-busy");
    show(
      place,
      problemCard(app, error, () => searched(app, query, place)),
    );
  }
}

function hits(app, query, results) {
  const sought = needles(query);
  const rows = results.map((hit) => {
    const part = excerpt(hit.text, sought);
    return h(
      "li",
      {},
      h(
        "a",
        {
          href: app.addressOf("conversations", hit.session_id, hit.seq),
          "data-session": hit.session_id,
          "data-message": hit.seq,
        },
        h(
          "span",
          { class: "meta" },
          h("span", { class: `who ${hit.role}` }, hit.author ?? app.t.named("role", hit.role)),
          h("time", {}, app.format.day(hit.created_at) ?? app.t("undated")),
        ),
        h("span", { class: "excerpt" }, marked(part, places(part, sought))),
      ),
    );
  });
  return [h("p", { class: "quiet small count" }, app.t("found", { count: results.length })), h("ul", {}, rows)];
}

function nothing(app) {
  return h(
    "div",
    { class: "hollow" },
    h("p", {}, app.t("nothingFound")),
    h("p", { class: "small" }, app.t("nothingFoundHint")),
  );
}

// ---- the list ----

async function sessions(app, place, { onempty, onfilled }) {
  const rows = h("ul", {});
  const more = h("div", { class: "more" });
  const load = async (cursor) => {
    show(more, h("p", { class: "quiet small" }, app.t("loading")));
    try {
      const page = await get("/v1/sessions", { limit: PAGE, cursor });
      rows.append(...page.results.map((each) => sessionRow(app, each)));
      show(more, page.next_cursor !== null && further(app, () => load(page.next_cursor)));
      if (!rows.children.length) onempty();
      onfilled();
    } catch (error) {
      show(
        more,
        problemCard(app, error, () => load(cursor)),
      );
    }
  };
  show(place, rows, more);
  await load(null);
}

function sessionRow(app, each) {
  const name = each.begins || each.session_id;
  return h(
    "li",
    {},
    h(
      "a",
      { href: app.addressOf("conversations", each.session_id), "data-session": each.session_id },
      h("span", { class: "title" }, shortened(name, 90)),
      h(
        "span",
        { class: "meta" },
        h("time", {}, app.format.day(each.last_at) ?? app.t("undated")),
        h("span", {}, app.t("sessionMessages", { count: app.format.number(each.messages) })),
      ),
    ),
  );
}
