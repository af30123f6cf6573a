// A question, the evidence that a model would be given for it, and the way of each message into it or out of it.

import { get, isAborted, post } from "./api.js";
import { announce, button, field, h, select, show } from "./dom.js";
import { shortened } from "./format.js";
import { marked, needles, places } from "./highlight.js";
import { icon } from "./icons.js";
import { ledger } from "./ledger.js";
import { messageCard } from "./message.js";
import { problemCard } from "./problem.js";
import { stagesTable, stepsOf } from "./stages.js";

const DROPPED = 20;
const ANY_BUDGET = "1500"; // until the settings are known
let running = new AbortController();

export function explain(app) {
  const answer = h("div", { class: "answer" });
  const form = questionForm(app, (asked) => explained(app, asked, answer));
  const element = h(
    "div",
    { class: "page" },
    h("h1", {}, app.t("explainTitle")),
    h("p", { class: "lead" }, app.t("explainLead")),
    form,
    answer,
  );
  return { element, isOld: false, show: () => {} };
}

// ---- the question ----

function questionForm(app, ask) {
  const question = h("textarea", {
    id: "question",
    rows: "2",
    required: true,
    maxlength: "100000",
    placeholder: app.t("questionExample"),
  });
  const strategy = h("select", { id: "strategy" });
  const budget = h("input", {
    id: "budget",
    type: "number",
    min: "1",
    max: "10000000",
    step: "1",
    required: true,
    value: ANY_BUDGET,
  });
  offer(strategy, budget);
  const form = h(
    "form",
    { class: "ask" },
    field(app.t("question"), question, { class: "field wide" }),
    field(app.t("strategy"), strategy),
    field(app.t("budget"), budget),
    h("button", { class: "main" }, icon("explain"), app.t("explainDo")),
  );
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    if (question.value.trim())
      ask({ question: question.value, strategy: strategy.value || null, budget: Number(budget.value), limit: DROPPED });
  });
  question.addEventListener("keydown", (event) => {
    if (event.key !== "Enter" || event.shiftKey || event.isComposing) return;
    event.preventDefault();
    form.requestSubmit();
  });
  return form;
}

async function offer(strategy, budget) {
  const known = await get("/v1/strategies").catch(() => null);
  if (known === null) return; // the question is answered with what the settings say
  show(
    strategy,
    ...select(
      known.results.map((name) => [name, name]),
      known.default,
    ).children,
  );
  strategy.value = known.default;
  if (budget.value === ANY_BUDGET) budget.value = known.budget; // what somebody has typed meanwhile stays
}

// ---- the answer ----

async function explained(app, asked, place) {
  running.abort();
  running = new AbortController();
  place.setAttribute("aria-busy", "true");
  show(place, h("p", { class: "quiet" }, app.t("working")));
  try {
    const found = await post("/v1/explain", asked, { signal: running.signal });
    show(place, ...parts(app, found, asked.question));
    announce(summary(app, found.context));
  } catch (error) {
    if (isAborted(error)) return;
    show(
      place,
      problemCard(app, error, () => explained(app, asked, place)),
    );
  }
  place.removeAttribute("aria-busy");
}

function summary(app, context) {
  const told = app.t("packedSummary", {
    evidence: app.format.number(context.evidence.length),
    tokens: app.format.number(context.tokens),
    budget: app.format.number(context.budget),
    dropped: app.format.number(context.dropped.length),
  });
  return context.no_evidence ? `${app.t("noEvidence")} ${told}` : told;
}

function parts(app, found, question) {
  const { context } = found;
  const messages = new Map(found.messages.map((each) => [each.seq, each]));
  const sought = needles(question);
  return [
    context.no_evidence && h("p", { class: "notice", role: "note" }, icon("warn"), app.t("noEvidence")),
    h("p", { class: "summary" }, summary(app, { ...context, no_evidence: null })),
    ledger(app, context),
    evidence(app, context, messages, sought),
    recent(app, found.messages),
    dropped(app, context, messages, sought),
    stagesTable(app, context.stages),
    notes(app, context),
    h(
      "details",
      {},
      h("summary", {}, app.t("wholePrompt")),
      h("pre", { class: "prompt", tabindex: "0" }, context.text),
    ),
  ];
}

function evidence(app, context, messages, sought) {
  const list = h("ol", { class: "evidence" });
  const fill = (rows) =>
    show(
      list,
      rows.map((each) => h("li", {}, evidenceCard(app, each, messages.get(each.seq), sought))),
    );
  const ranked = [...context.evidence].sort((one, other) => one.rank - other.rank);
  fill(context.evidence);
  const choices = [
    ["inOrder", context.evidence],
    ["byRank", ranked],
  ];
  const buttons = choices.map(([name, rows], at) =>
    button(
      app.t(name),
      (event) => {
        for (const each of buttons) each.setAttribute("aria-pressed", String(each === event.currentTarget));
        fill(rows);
      },
      { "aria-pressed": String(at === 0) },
    ),
  );
  return h(
    "section",
    { class: "block", "aria-labelledby": "evidence-title" },
    h(
      "div",
      { class: "block-head" },
      h("h2", { id: "evidence-title" }, app.t("evidenceTitle")),
      context.evidence.length > 1 &&
        h("div", { class: "segments", role: "group", "aria-label": app.t("order") }, buttons),
    ),
    context.evidence.length > 0 && h("p", { class: "quiet small" }, app.t("stepsHint")),
    context.evidence.length ? list : h("p", { class: "quiet" }, app.t("nothingPacked")),
  );
}

function evidenceCard(app, each, message, sought) {
  return h(
    "article",
    { class: `piece ${each.role}` },
    heading(app, each, message, [
      h("span", { class: "rank" }, app.t("rank", { rank: each.rank })),
      h("span", {}, app.t("tokens", { count: app.format.number(each.tokens) })),
      !each.is_whole && h("span", { class: "label" }, app.t("partOf")),
    ]),
    h("p", { class: "words" }, marked(each.text, places(each.text, sought))),
    message && stepsOf(app, message.stages),
  );
}

function heading(app, each, message, facts) {
  const speaker = message && message.speaker !== message.role ? message.speaker : app.t.named("role", each.role);
  return h(
    "div",
    { class: "meta" },
    h("span", { class: `who ${each.role}` }, speaker),
    h("time", { datetime: each.created_at }, app.format.time(each.created_at) ?? app.t("undated")),
    h(
      "a",
      {
        class: "seq",
        href: app.addressOf("conversations", each.session_id, each.seq),
        "aria-label": `${app.t("openInConversation")}: #${each.seq}`,
      },
      `#${each.seq}`,
    ),
    facts,
  );
}

function recent(app, messages) {
  const turns = messages.filter((each) => each.outcome === "shown as a recent turn");
  if (!turns.length) return null;
  return h(
    "section",
    { class: "block" },
    h("h2", {}, app.t("recentTitle")),
    turns.map((each) => messageCard(app, each, { link: true })),
  );
}

// ---- what was left out ----

function dropped(app, context, messages, sought) {
  const told = context.dropped.filter((each) => messages.has(each.seq)).slice(0, DROPPED);
  if (!told.length) return null;
  const rows = told.map((each) => h("li", {}, droppedCard(app, each, messages.get(each.seq), sought)));
  const more = context.dropped.length > told.length;
  return h(
    "details",
    { class: "block dropped" },
    h(
      "summary",
      {},
      h("h2", {}, app.t("droppedTitle")),
      h("span", { class: "quiet" }, app.format.number(context.dropped.length)),
    ),
    more &&
      h(
        "p",
        { class: "quiet small" },
        app.t("droppedMore", { shown: told.length, total: app.format.number(context.dropped.length) }),
      ),
    h("ol", { class: "evidence" }, rows),
  );
}

function droppedCard(app, each, message, sought) {
  const text = shortened(message.text, 280);
  return h(
    "article",
    { class: `piece out ${message.role}` },
    heading(app, message, message, [
      h("span", { class: "rank" }, app.t("rank", { rank: each.rank })),
      h("span", {}, app.t("tokens", { count: app.format.number(each.tokens) })),
    ]),
    h("p", { class: "reason" }, app.t(`reason_${each.reason}`)),
    h("p", { class: "words" }, marked(text, places(text, sought))),
    stepsOf(app, message.stages),
  );
}

function notes(app, context) {
  const pending = context.pending_passages
    ? [app.t("pendingNote", { count: app.format.number(context.pending_passages) })]
    : [];
  const told = [...pending, ...context.notes];
  return (
    told.length > 0 &&
    h(
      "section",
      { class: "block" },
      h("h2", {}, app.t("notes")),
      h(
        "ul",
        { class: "notes" },
        told.map((each) => h("li", {}, each)),
      ),
    )
  );
}
