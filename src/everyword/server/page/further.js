// Lists that go on where the reader goes on.

import { button } from "./dom.js";

// A button that presses itself when it comes into sight.
export function further(app, load, label = "more") {
  const element = button(app.t(label), () => pressed(), { class: "further" });
  const seen = new IntersectionObserver((entries) => entries.some((each) => each.isIntersecting) && pressed());
  const pressed = () => {
    seen.disconnect();
    load();
  };
  seen.observe(element);
  return element;
}
