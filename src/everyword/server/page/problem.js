// What went wrong and what to do, beside where it happened.

import { button, h, announce } from "./dom.js";
import { icon } from "./icons.js";

// A card for a problem; `again` repeats what failed.
export function problemCard(app, problem, again = null) {
  const advice = adviceFor(app, problem);
  announce(`${app.t("problem")}. ${problem.message} ${advice}`);
  return h(
    "div",
    { class: "problem", role: "group", "aria-label": app.t("problem") },
    icon("warn"),
    h(
      "div",
      {},
      h("p", { class: "what" }, advice),
      h("p", { class: "said" }, problem.message),
      problem.requestId && h("p", { class: "quiet small" }, app.t("requestId", { id: problem.requestId })),
    ),
    again && button(app.t("retry"), again),
  );
}

function adviceFor(app, problem) {
  const kinds = [problem.kind, FAMILY[problem.kind], problem.status >= 500 ? "StorageError" : null, "EverywordError"];
  const key = kinds.map((kind) => `do_${kind}`).find((each) => app.t.has(each));
  const facts = { needed: problem.needed ?? "…", wait: problem.wait ?? "60" };
  return app.t(key, facts);
}

// Errors that are answered like another one.
const FAMILY = {
  ModelMissingError: "ModelError",
  ProviderError: "ModelError",
  SettingsError: "ModelError",
  SpendingLimitError: "ModelError",
  BusyLogError: "StorageError",
  DamagedLogError: "StorageError",
  NewerSchemaError: "StorageError",
  ReadOnlyLogError: "StorageError",
  InvalidUserIdError: "InvalidInputError",
  InvalidMessageError: "InvalidInputError",
  UntrustedClaimError: "InvalidInputError",
};

// Words that pass by at the edge of the page.
export function toast(text) {
  const place = document.getElementById("toasts");
  const element = h("p", { class: "toast" }, icon("ok"), text);
  place.append(element);
  announce(text);
  setTimeout(() => element.remove(), 5000);
}
