// What the user has stated: each claim with the messages that say it, to be corrected or forgotten.

import { get, post } from "./api.js";
import { announce, button, field, h, select, show } from "./dom.js";
import { icon } from "./icons.js";
import { openForget } from "./forget.js";
import { further } from "./further.js";
import { messageCard } from "./message.js";
import { problemCard, toast } from "./problem.js";

const KINDS = ["profile", "procedure", "entity", "edge", "note"];
const PAGE = 60;

export function claims(app) {
  const list = h("div", {});
  const wanted = { kind: "", as_of: "", closed: false };
  const load = () => listed(app, list, wanted, load);
  const element = h(
    "div",
    { class: "page" },
    h("h1", {}, app.t("claimsTitle")),
    h("p", { class: "lead" }, app.t("claimsLead")),
    rememberForm(app, load),
    filters(app, wanted, load),
    list,
  );
  load();
  return { element, isOld: false, show: () => {} };
}

// ---- a new one, and which are shown ----

function rememberForm(app, load) {
  const text = h("input", {
    id: "remember",
    required: true,
    maxlength: "10000",
    placeholder: app.t("rememberExample"),
    autocomplete: "off",
  });
  const kind = select(
    KINDS.filter((each) => each !== "edge").map((each) => [each, app.t(`kind_${each}`)]),
    "note",
  );
  const told = h("div", {});
  const submit = async (event) => {
    event.preventDefault();
    try {
      const kept = await post("/v1/claims", { text: text.value, kind: kind.value });
      text.value = "";
      show(told, fullness(app, kept));
      toast(app.t("remembered"));
      app.changed();
      load();
    } catch (error) {
      show(told, problemCard(app, error));
    }
  };
  return h(
    "div",
    {},
    h(
      "form",
      { class: "row", onsubmit: submit },
      field(app.t("rememberText"), text, { class: "field wide" }),
      field(app.t("kind"), kind),
      h("button", { class: "main" }, icon("claims"), app.t("remember")),
    ),
    told,
  );
}

function fullness(app, kept) {
  const facts = { used: app.format.number(kept.used), capacity: app.format.number(kept.capacity) };
  return h("p", { class: "quiet small" }, app.t("profileUse", facts), kept.problem ? ` · ${kept.problem}` : "");
}

function filters(app, wanted, load) {
  const kinds = ["", ...KINDS].map((kind) =>
    button(
      app.t(`kind_${kind || "all"}`),
      (event) => {
        wanted.kind = kind;
        for (const each of kinds) each.setAttribute("aria-pressed", String(each === event.currentTarget));
        load();
      },
      { "aria-pressed": String(kind === wanted.kind) },
    ),
  );
  const change = (name, value) => {
    wanted[name] = value;
    load();
  };
  const day = h("input", { type: "date", onchange: (event) => change("as_of", event.target.value) });
  const closed = h("input", {
    type: "checkbox",
    id: "closed",
    onchange: (event) => change("closed", event.target.checked),
  });
  return h(
    "div",
    { class: "filters" },
    h("div", { class: "segments", role: "group", "aria-label": app.t("kind") }, kinds),
    h("label", { class: "check" }, app.t("asOf"), day),
    h("label", { class: "check" }, closed, app.t("showClosed")),
  );
}

// ---- the list ----

async function listed(app, place, wanted, load) {
  place.setAttribute("aria-busy", "true");
  try {
    const asked = { kind: wanted.kind, as_of: wanted.as_of, closed: wanted.closed || "" };
    const { results } = await get("/v1/claims", asked);
    const newest = results.reverse();
    const byId = new Map(newest.map((each) => [each.claim_id, each]));
    show(place, newest.length ? cards(app, newest, byId, load) : none(app));
    announce(app.t("claimsCount", { count: newest.length }));
  } catch (error) {
    show(place, problemCard(app, error, load));
  }
  place.removeAttribute("aria-busy");
}

function none(app) {
  return h(
    "div",
    { class: "hollow" },
    h("p", {}, app.t("noClaims")),
    h("p", { class: "small" }, app.t("noClaimsHint")),
  );
}

function cards(app, all, byId, load) {
  const list = h("ul", { class: "claims" });
  const more = h("div", { class: "more" });
  const append = (from) => {
    list.append(...all.slice(from, from + PAGE).map((each) => h("li", {}, claimCard(app, each, byId, load))));
    show(more, from + PAGE < all.length && further(app, () => append(from + PAGE)));
  };
  append(0);
  return [
    h("p", { class: "quiet small count" }, app.t("claimsCount", { count: app.format.number(all.length) })),
    list,
    more,
  ];
}

export function claimCard(app, claim, byId, load) {
  const below = h("div", { class: "below" });
  const act = (name, open) => {
    const pressed = button(
      [icon(name), app.t(name)],
      () => {
        const isOpen = pressed.getAttribute("aria-expanded") === "true";
        for (const each of buttons.children) if (each.ariaExpanded) each.ariaExpanded = "false";
        pressed.ariaExpanded = String(!isOpen);
        if (isOpen) show(below);
        else open(below);
      },
      { class: "quiet-button", "aria-expanded": "false" },
    );
    return pressed;
  };
  const forget = () =>
    openForget(app, {
      kind: "claim",
      scope: { message_ids: claim.message_ids },
      quote: claim.text,
      ondone: () => (app.changed(), load()),
    });
  const buttons = h(
    "div",
    { class: "buttons" },
    act("sources", (place) => sources(app, claim, place)),
    act("correct", (place) => correction(app, claim, place, load)),
    button([icon("forget"), app.t("forget")], forget, { class: "quiet-button" }),
  );
  return h(
    "article",
    { class: `claim${claim.closed_by === null ? "" : " closed"}`, "data-claim": claim.claim_id },
    h("blockquote", {}, claim.text),
    h("p", { class: "meta" }, labels(app, claim)),
    relations(app, claim, byId),
    buttons,
    below,
  );
}

function labels(app, claim) {
  const from = app.format.day(claim.valid_from ?? claim.said_at);
  const to = app.format.day(claim.valid_to);
  return [
    h("span", { class: `label kind-${claim.kind}` }, app.t(`kind_${claim.kind}`)),
    app.t.has(`state_${claim.state}`) && h("span", { class: "label" }, app.t(`state_${claim.state}`)),
    h("span", {}, from ? app.t("since", { date: from }) : app.t("undated")),
    to && h("span", {}, app.t("until", { date: to })),
    claim.closed_by !== null && h("span", { class: "label ended" }, app.t(claim.is_corrected ? "corrected" : "ended")),
    claim.trust === "observed" && h("span", { class: "label" }, app.t("observed")),
  ].filter(Boolean);
}

function relations(app, claim, byId) {
  const doubts = claim.cautions.filter((id) => byId.has(id)).map((id) => app.t("caution", { text: byId.get(id).text }));
  const end = byId.has(claim.closed_by) ? [app.t("endedBy", { text: byId.get(claim.closed_by).text })] : [];
  return [...end, ...doubts].map((told) => h("p", { class: "quiet small" }, told));
}

async function sources(app, claim, place) {
  show(place, h("p", { class: "quiet small" }, app.t("loading")));
  try {
    const said = await Promise.all(claim.message_ids.map((id) => get(`/v1/memories/${encodeURIComponent(id)}`)));
    show(
      place,
      said.map((each) => messageCard(app, each, { link: true })),
    );
  } catch (error) {
    show(
      place,
      problemCard(app, error, () => sources(app, claim, place)),
    );
  }
}

function correction(app, claim, place, load) {
  const text = h("input", { required: true, maxlength: "10000", value: claim.text, autocomplete: "off" });
  const told = h("div", {});
  const submit = async (event) => {
    event.preventDefault();
    try {
      await post(`/v1/claims/${encodeURIComponent(claim.claim_id)}/correct`, { text: text.value });
      toast(app.t("correctedDone"));
      app.changed();
      load();
    } catch (error) {
      show(told, problemCard(app, error));
    }
  };
  show(
    place,
    h(
      "form",
      { class: "row", onsubmit: submit },
      field(app.t("correctText"), text, { class: "field wide" }),
      h("button", { class: "main" }, app.t("save")),
    ),
    told,
  );
  text.focus();
  text.select();
}
