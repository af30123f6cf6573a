// How the memory is: sizes, work in the background, what is wrong, a check of every byte, and the way out.

import { get, save } from "./api.js";
import { button, field, h, show } from "./dom.js";
import { icon } from "./icons.js";
import { openForget } from "./forget.js";
import { health } from "./health.js";
import { problemCard, toast } from "./problem.js";

const AGAIN_MS = 4000;

export function care(app) {
  const figures = h("div", {});
  const kept = health(app);
  const element = h(
    "div",
    { class: "page" },
    h("h1", {}, app.t("careTitle")),
    figures,
    kept.element,
    h("div", { class: "panels" }, check(app, kept.look), takeAway(app), erase(app, lookAgain)),
  );
  function lookAgain() {
    look(app, figures, element);
    kept.look();
  }
  return { element, isOld: false, show: lookAgain };
}

// ---- figures ----

let waiting;

async function look(app, place, element) {
  clearTimeout(waiting);
  try {
    const [stats, jobs, ready] = await Promise.all([get("/v1/stats"), get("/v1/jobs"), isReady()]);
    show(place, counts(app, stats), work(app, stats, jobs.results, ready));
    const isBusy = jobs.results.some((job) => job.waiting > 0);
    if (isBusy) waiting = setTimeout(() => element.isConnected && look(app, place, element), AGAIN_MS);
  } catch (error) {
    show(
      place,
      problemCard(app, error, () => look(app, place, element)),
    );
  }
}

async function isReady() {
  return get("/readyz").then(
    () => true,
    (problem) => {
      if (problem.status === 503) return false;
      throw problem;
    },
  );
}

function counts(app, stats) {
  const { number, size, day } = app.format;
  const span = stats.first ? app.t("between", { first: day(stats.first), last: day(stats.last) }) : app.t("noneYet");
  const cards = [
    [number(stats.messages), app.t("messages")],
    [number(stats.sessions), app.t("sessions")],
    [size(stats.bytes_on_disk), app.t("onDisk")],
    [span, app.t("span")],
  ];
  const roles = Object.entries(stats.roles).map(([role, count]) => `${app.t.named("role", role)} ${number(count)}`);
  return [
    h(
      "dl",
      { class: "figures" },
      cards.map(([value, name]) => h("div", {}, h("dt", {}, name), h("dd", {}, value))),
    ),
    roles.length > 0 && h("p", { class: "quiet small" }, `${app.t("byRole")}: ${roles.join(" · ")}`),
  ];
}

function work(app, stats, jobs, ready) {
  const facts = { vectors: app.format.number(stats.vectors), passages: app.format.number(stats.passages) };
  return h(
    "section",
    { class: "block" },
    h("h2", {}, app.t("jobs")),
    h(
      "ul",
      { class: "jobs" },
      jobs.map((job) => jobRow(app, job, job.name === "vectors" ? app.t("jobVectorsOf", facts) : null)),
      h("li", {}, state(ready), h("b", {}, app.t("server")), h("span", {}, app.t(ready ? "ready" : "notReady"))),
    ),
  );
}

function jobRow(app, job, about) {
  const told = [
    job.waiting ? app.t("jobWaiting", { count: app.format.number(job.waiting) }) : app.t("jobDone"),
    job.failed ? app.t("jobFailed", { count: app.format.number(job.failed) }) : null,
    job.failure ? app.t("jobFailure", { reason: job.failure }) : null,
    about,
  ];
  return h(
    "li",
    {},
    state(!job.failure && !job.failed, job.waiting > 0),
    h("b", {}, app.t(`job_${job.name}`)),
    h("span", {}, told.filter(Boolean).join(" · ")),
  );
}

// A sign beside words that say the same.
function state(isWell, isBusy = false) {
  return h(
    "span",
    { class: `state ${isWell ? (isBusy ? "busy" : "well") : "ill"}` },
    icon(isWell ? (isBusy ? "care" : "ok") : "warn"),
  );
}

// ---- what can be done ----

function panel(app, title, lead, ...content) {
  return h(
    "section",
    { class: "panel" },
    h("h2", {}, app.t(title)),
    h("p", { class: "quiet" }, app.t(lead)),
    ...content,
  );
}

function check(app, then) {
  const told = h("div", { "aria-live": "polite" });
  const pressed = button([icon("ok"), app.t("verify")], async () => {
    pressed.disabled = true;
    show(told, h("p", { class: "quiet" }, app.t("verifying")));
    try {
      show(told, verdict(app, await get("/v1/verify")));
      then();
    } catch (error) {
      show(told, problemCard(app, error));
    }
    pressed.disabled = false;
  });
  return panel(app, "verifyTitle", "verifyLead", pressed, told);
}

function verdict(app, found) {
  const facts = Object.fromEntries(
    ["messages", "passages", "vectors"].map((name) => [name, app.format.number(found[name])]),
  );
  if (found.ok) return h("p", { class: "well" }, app.t("verified", facts));
  return [
    h("p", { class: "ill" }, app.t("verifyFailed", { count: app.format.number(found.problems.length) })),
    h(
      "ul",
      { class: "notes" },
      found.problems.slice(0, 20).map((each) => h("li", {}, each)),
    ),
  ];
}

function takeAway(app) {
  const told = h("div", {});
  const pressed = button([icon("save"), app.t("exportDo")], async () => {
    pressed.disabled = true;
    show(told, h("p", { class: "quiet" }, app.t("exporting")));
    try {
      await save("/v1/export", `everyword-${new Date().toISOString().slice(0, 10)}.jsonl`);
      show(told);
      toast(app.t("exported"));
    } catch (error) {
      show(told, problemCard(app, error));
    }
    pressed.disabled = false;
  });
  return panel(app, "exportTitle", "exportLead", pressed, told);
}

function erase(app, look) {
  const [after, before] = ["after", "before"].map((name) => h("input", { type: "date", name }));
  const missing = h("p", { class: "small ill", role: "alert" });
  const ondone = () => {
    app.changed();
    look();
  };
  const forgetRange = (event) => {
    event.preventDefault();
    missing.textContent = after.value || before.value ? "" : app.t("rangeMissing");
    if (missing.textContent) return after.focus();
    openForget(app, { kind: "range", scope: { after: after.value || null, before: before.value || null }, ondone });
  };
  const forgetAll = () => openForget(app, { kind: "everything", scope: { everything: true }, ondone });
  return panel(
    app,
    "eraseTitle",
    "eraseLead",
    h(
      "form",
      { class: "row", onsubmit: forgetRange },
      field(app.t("after"), after),
      field(app.t("before"), before),
      h("button", {}, app.t("forgetRange")),
    ),
    missing,
    button([icon("forget"), app.t("forgetAll")], forgetAll, { class: "danger quiet-danger" }),
  );
}
