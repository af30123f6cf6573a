// The messages of one conversation, loaded as they are read.

import { get } from "./api.js";
import { button, h, show } from "./dom.js";
import { shortened } from "./format.js";
import { icon } from "./icons.js";
import { further } from "./further.js";
import { openForget } from "./forget.js";
import { messageCard } from "./message.js";
import { problemCard } from "./problem.js";

const PAGE = 40;
const BEFORE = 12;

// `sought`: the sequence number of the message to begin at. `onchange`: called when something was forgotten.
export function thread(app, session, sought, onchange) {
  const place = {
    session,
    sought: sought === undefined ? null : Number(sought),
    title: h("h2", {}, shortened(session, 60)),
    about: h("p", { class: "quiet small" }),
    earlier: h("div", { class: "more" }),
    messages: h("div", { class: "messages" }),
    later: h("div", { class: "more" }, h("p", { class: "quiet small" }, app.t("loading"))),
  };
  const changed = () => {
    app.changed();
    onchange();
  };
  begin(app, place, changed);
  return h(
    "section",
    { class: "thread", "aria-label": app.t("conversations") },
    h(
      "div",
      { class: "thread-head" },
      h("a", { class: "back", href: "#/conversations", "aria-label": app.t("backToList") }, icon("back")),
      h("div", { class: "grow" }, place.title, place.about),
      button([icon("forget"), app.t("forgetSession")], () => forgetAll(app, place, changed), { class: "quiet-button" }),
    ),
    place.earlier,
    place.messages,
    place.later,
  );
}

async function begin(app, place, changed) {
  const isSought = Number.isFinite(place.sought) && place.sought !== null;
  try {
    if (isSought) await before(app, place, place.sought + 1, BEFORE + 1, changed);
    const shown = await after(app, place, isSought ? place.sought : null, changed);
    if (!shown && !place.messages.children.length) show(place.later, h("p", { class: "hollow" }, app.t("sessionGone")));
    describe(app, place);
    if (isSought) reveal(place);
  } catch (error) {
    show(
      place.later,
      problemCard(app, error, () => begin(app, place, changed)),
    );
  }
}

async function before(app, place, cursor, limit, changed) {
  const asked = { session_id: place.session, order: "newest", cursor, limit };
  const page = await get("/v1/memories", asked);
  place.messages.prepend(...page.results.reverse().map((said) => card(app, place, said, changed)));
  const first = page.results[0]?.seq;
  const load = () =>
    before(app, place, first, PAGE, changed).catch((error) => show(place.earlier, problemCard(app, error, load)));
  show(place.earlier, page.next_cursor !== null && button(app.t("earlier"), load, { class: "further" }));
}

async function after(app, place, cursor, changed) {
  const page = await get("/v1/memories", { session_id: place.session, cursor, limit: PAGE });
  place.messages.append(...page.results.map((said) => card(app, place, said, changed)));
  const load = () =>
    after(app, place, page.next_cursor, changed).catch((error) => show(place.later, problemCard(app, error, load)));
  show(place.later, page.next_cursor !== null && further(app, load));
  return page.results.length;
}

function card(app, place, said, changed) {
  const element = messageCard(app, said, {
    isSought: said.seq === place.sought,
    onforgotten: () => {
      element.remove();
      changed();
    },
  });
  element.dataset.at = said.created_at ?? "";
  return element;
}

// The title is the user's first words, as far as they are loaded.
function describe(app, place) {
  const first = place.messages.querySelector(".message.user .words") ?? place.messages.querySelector(".words");
  if (first) place.title.textContent = shortened(first.textContent.replaceAll(/\s+/g, " "), 90);
  const days = [...place.messages.children].map((each) => app.format.day(each.dataset.at)).filter(Boolean);
  const span =
    days.length && days[0] !== days.at(-1) ? app.t("between", { first: days[0], last: days.at(-1) }) : days[0];
  place.about.textContent = [span, shortened(place.session, 60)].filter(Boolean).join(" · ");
}

function reveal(place) {
  const element = document.getElementById(`message-${place.sought}`);
  element?.scrollIntoView({ block: "center" });
  element?.focus({ preventScroll: true });
}

function forgetAll(app, place, changed) {
  const ondone = () => {
    changed();
    app.go("conversations");
  };
  openForget(app, { kind: "session", scope: { session_id: place.session }, ondone });
}
