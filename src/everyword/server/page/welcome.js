// What a newcomer does first.

import { post } from "./api.js";
import { h, show } from "./dom.js";
import { icon } from "./icons.js";
import { problemCard, toast } from "./problem.js";

export function welcome(app) {
  const problem = h("div", {});
  const input = h("input", {
    placeholder: app.t("rememberExample"),
    "aria-label": app.t("emptyAdd"),
    required: true,
    maxlength: "10000",
  });
  const submit = async (event) => {
    event.preventDefault();
    try {
      await post("/v1/memories", { messages: input.value });
      toast(app.t("remembered"));
      app.changed();
      app.go("conversations", "default");
    } catch (error) {
      show(problem, problemCard(app, error));
    }
  };
  return h(
    "section",
    { class: "welcome" },
    h("h2", {}, app.t("emptyTitle")),
    h("p", { class: "lead" }, app.t("emptyLead")),
    h("h3", {}, app.t("emptyImport")),
    h("code", { class: "command" }, `everyword import FILE --user ${quoted(app.user)}`),
    h("h3", {}, app.t("emptyAdd")),
    h(
      "form",
      { class: "row", onsubmit: submit },
      input,
      h("button", { class: "main" }, icon("claims"), app.t("remember")),
    ),
    problem,
    h("p", { class: "quiet small" }, app.t("emptyProxy", { url: location.origin })),
  );
}

// A name as a shell takes it.
export function quoted(name) {
  return /^[\w@%+=:,./-]+$/.test(name) ? name : `'${name.replaceAll("'", `'\\''`)}'`;
}
