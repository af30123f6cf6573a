// One message: who said it, when, and the words as they were said.

import { button, h, show } from "./dom.js";
import { icon } from "./icons.js";
import { openForget } from "./forget.js";

const LONG = 1200;

// `onforgotten`: called when its words are gone. Without it the message is shown only.
export function messageCard(app, said, { isSought = false, onforgotten = null, link = false } = {}) {
  const who = said.author ?? app.t.named("role", said.role);
  const labels = [
    said.origin !== said.role && app.t.has(`origin_${said.origin}`) && app.t(`origin_${said.origin}`),
    said.branch !== undefined && said.branch !== "main" && app.t.named("branch", said.branch),
  ].filter(Boolean);
  return h(
    "article",
    {
      class: `message ${said.role}${isSought ? " sought" : ""}`,
      id: `message-${said.seq}`,
      tabindex: isSought ? "-1" : null,
      "aria-label": `${who}, #${said.seq}${isSought ? `, ${app.t("thisOne")}` : ""}`,
    },
    h(
      "div",
      { class: "meta" },
      h("span", { class: `who ${said.role}` }, who),
      h("time", { datetime: said.created_at }, app.format.time(said.created_at) ?? app.t("undated")),
      h("span", { class: "seq" }, `#${said.seq}`),
      labels.map((label) => h("span", { class: "label" }, label)),
      link &&
        h(
          "a",
          { class: "quiet-link", href: app.addressOf("conversations", said.session_id, said.seq) },
          app.t("openInConversation"),
        ),
      onforgotten && forgetButton(app, said, onforgotten),
    ),
    words(app, said.text),
  );
}

function forgetButton(app, said, ondone) {
  const open = () => openForget(app, { kind: "message", scope: { message_ids: [said.id] }, ondone });
  const name = app.t("forgetMessage", { seq: said.seq });
  return button(icon("forget"), open, { class: "icon-button", "aria-label": name, title: name });
}

// The words; of a long text the beginning, until somebody asks for all.
export function words(app, text) {
  if (!text) return h("p", { class: "words quiet" }, app.t("untitled"));
  const element = h("p", { class: "words" }, text.length > LONG ? `${text.slice(0, whole(text))}…` : text);
  if (text.length <= LONG) return element;
  const count = app.format.number(text.length);
  let isWhole = false;
  const toggle = button(
    app.t("wholeText", { count }),
    () => {
      isWhole = !isWhole;
      element.textContent = isWhole ? text : `${text.slice(0, whole(text))}…`;
      show(toggle, app.t(isWhole ? "lessText" : "wholeText", { count }));
      toggle.setAttribute("aria-expanded", String(isWhole));
    },
    { class: "quiet-button", "aria-expanded": "false" },
  );
  return h("div", {}, element, toggle);
}

function whole(text) {
  return /[\ud800-\udbff]/.test(text[LONG - 1]) ? LONG - 1 : LONG;
}
