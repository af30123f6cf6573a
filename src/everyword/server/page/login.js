// Who looks: a key where the server asks for one, a user where the key does not say.

import { button, field, h } from "./dom.js";
import { icon } from "./icons.js";
import { keepKey, keepUser, keptUser } from "./api.js";
import { problemCard } from "./problem.js";

// The card that asks for a key; `enter` is called when one was given.
export function keyCard(app, problem, enter) {
  const input = h("input", {
    type: "password",
    id: "key",
    name: "everyword-key",
    autocomplete: "off",
    spellcheck: "false",
    required: true,
    pattern: "\\s*[!-~]+\\s*", // what a header can carry
    "aria-describedby": "key-hint",
  });
  const submit = (event) => {
    event.preventDefault();
    keepKey(input.value.trim());
    keepUser(null);
    enter();
  };
  return card(
    app,
    h("p", { class: "lead" }, app.t("keyLead")),
    problem && problemCard(app, problem),
    h(
      "form",
      { class: "stack", onsubmit: submit },
      field(app.t("key"), input),
      h("p", { id: "key-hint", class: "quiet small" }, app.t("keyHint")),
      h("button", { class: "main" }, icon("lock"), app.t("logIn")),
    ),
  );
}

// The card that asks whose memory is meant.
export function userCard(app, users, enter) {
  const choose = (name) => {
    keepUser(name);
    enter();
  };
  const input = h("input", {
    id: "user",
    name: "user",
    autocomplete: "off",
    required: true,
    maxlength: "200",
    value: users.length ? "" : (keptUser() ?? ""),
  });
  const submit = (event) => {
    event.preventDefault();
    if (input.value.trim()) choose(input.value.trim());
  };
  return card(
    app,
    h("p", { class: "lead" }, app.t(users.length ? "userLead" : "noUsers")),
    users.length > 0 &&
      h(
        "ul",
        { class: "users" },
        users.map((name) => h("li", {}, userButton(name, choose))),
      ),
    h(
      "form",
      { class: "row", onsubmit: submit },
      field(app.t(users.length ? "otherUser" : "userName"), input),
      h("button", { class: users.length ? "" : "main" }, app.t("open")),
    ),
  );
}

function userButton(name, choose) {
  return button([icon("user"), h("span", {}, name)], () => choose(name));
}

function card(app, ...content) {
  return h(
    "section",
    { class: "door" },
    h("p", { class: "brand", "aria-hidden": "true" }, "Everyword"),
    h("h1", { tabindex: "-1" }, app.t("welcome")),
    ...content,
  );
}
