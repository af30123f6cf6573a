// Forgetting: first what would go, then the question, then the deed.

import { post } from "./api.js";
import { button, h, show } from "./dom.js";
import { icon } from "./icons.js";
import { problemCard, toast } from "./problem.js";

const NAMED = 4;

// `kind`: message, claim, session, range or everything; `scope`: as /v1/forget takes it.
export function openForget(app, { kind, scope, quote = null, ondone }) {
  const body = h("div", { class: "stack", "aria-live": "polite" }, h("p", { class: "quiet" }, app.t("loading")));
  const dialog = h(
    "dialog",
    { class: "dialog", "aria-labelledby": "forget-title" },
    h("h2", { id: "forget-title" }, app.t("forgetTitle")),
    h("p", {}, app.t(`forgetOf_${kind}`, { user: app.user })),
    quote && h("blockquote", {}, quote),
    body,
  );
  dialog.addEventListener("close", () => dialog.remove());
  document.body.append(dialog);
  dialog.showModal();
  preview(app, dialog, body, { kind, scope, ondone });
}

async function preview(app, dialog, body, asked) {
  try {
    const going = await post("/v1/forget", { ...asked.scope, preview: true });
    show(body, tally(app, going), h("p", { class: "small" }, app.t("noUndo")), ...choice(app, dialog, body, asked));
    dialog.querySelector("[data-first]").focus();
  } catch (error) {
    show(body, problemCard(app, error), h("div", { class: "buttons" }, closing(app, dialog, "close")));
  }
}

function tally(app, going) {
  const counts = [
    [going.messages, "goMessages"],
    [going.sessions.length, "goSessions"],
    [going.claims ?? 0, "goClaims"],
  ];
  const names = going.sessions.slice(0, NAMED).join(", ");
  const others = going.sessions.length - NAMED;
  return h(
    "div",
    { class: "going" },
    h("p", { class: "small" }, app.t("willGo")),
    h(
      "dl",
      {},
      counts.map(([count, name]) => h("div", {}, h("dt", {}, app.t(name)), h("dd", {}, app.format.number(count)))),
    ),
    going.sessions.length > 0 &&
      h(
        "p",
        { class: "quiet small from" },
        app.t("goesFrom", { names }),
        others > 0 ? ` ${app.t("andMore", { count: app.format.number(others) })}` : "",
      ),
  );
}

function choice(app, dialog, body, asked) {
  const forget = h("button", { type: "button", class: "danger" }, icon("forget"), app.t("forgetDo"));
  forget.addEventListener("click", () => erase(app, dialog, body, asked, forget));
  const buttons = h("div", { class: "buttons" }, closing(app, dialog, "cancel"), forget);
  if (asked.kind !== "everything") return [buttons];
  forget.disabled = true;
  const sure = h("input", { type: "checkbox", onchange: () => (forget.disabled = !sure.checked) });
  return [h("label", { class: "check" }, sure, app.t("sure")), buttons];
}

function closing(app, dialog, name) {
  return button(app.t(name), () => dialog.close(), { "data-first": "" });
}

async function erase(app, dialog, body, asked, pressed) {
  pressed.disabled = true;
  show(pressed, app.t("forgetting"));
  try {
    const gone = await post("/v1/forget", asked.scope);
    dialog.close();
    toast(app.t("forgotten", { count: app.format.number(gone.messages) }));
    asked.ondone();
  } catch (error) {
    show(body, problemCard(app, error), h("div", { class: "buttons" }, closing(app, dialog, "close")));
  }
}
