// The nine assertions, run when the page opens.

import { h, panel } from "./dom.js";
import { NAMES, selfTest } from "./selftest.js";

export function selfTestPanel(app) {
  const count = h("strong", { id: "self-test-count" });
  const list = h("ul", { class: "tests" });
  const again = h("button", { type: "button", class: "small", onclick: () => show() }, app.t("runAgain"));
  const element = panel("self-test", app.t("selfTest"), list);
  element.querySelector(".head").append(count, again);
  const show = () => {
    const { pass, total, failures } = selfTest(app.talk);
    count.textContent = `${pass}/${total} ${failures.length ? "FAIL" : "PASS"}`;
    count.dataset.grade = failures.length ? "bad" : "good";
    list.replaceChildren(...NAMES.map((name) => line(app, name, !failures.includes(name))));
  };
  show();
  return { element, update: () => undefined };
}

function line(app, name, isPassed) {
  const words = app.t(`test${name[0].toUpperCase()}${name.slice(1)}`);
  return h("li", { "data-grade": isPassed ? "good" : "bad" }, `${isPassed ? "✓" : "✗"} ${words}`);
}
