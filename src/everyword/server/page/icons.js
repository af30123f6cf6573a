// Signs beside words: drawn with the colour of the text, unseen by screen readers.

import { svg } from "./dom.js";

const PATHS = {
  conversations: "M4 5h16v11H9l-5 4z",
  explain: "M10.5 4a6.5 6.5 0 1 0 0 13 6.5 6.5 0 0 0 0-13zM15.5 15.5 21 21M8 10.5h5M10.5 8v5",
  claims: "M6 3h12v18l-6-4-6 4zM9 8h6M9 12h4",
  graph: "M6 7a2 2 0 1 0 0-.01M18 6a2 2 0 1 0 0-.01M12 18a2.4 2.4 0 1 0 0-.01M7.8 7 16 6.2M7 8.8l4 7M17 7.8l-4 8",
  care: "M3 12h4l3-7 4 14 3-7h4",
  search: "M10.5 4a6.5 6.5 0 1 0 0 13 6.5 6.5 0 0 0 0-13zM15.5 15.5 21 21",
  forget: "M5 7h14M9 7V4h6v3M7 7l1 13h8l1-13",
  correct: "M4 20l1-4L16 5l3 3L8 19zM14 7l3 3",
  sources: "M9 6h11M9 12h11M9 18h11M4 6h.01M4 12h.01M4 18h.01",
  back: "M15 5l-7 7 7 7",
  user: "M12 4a4 4 0 1 0 0 8 4 4 0 0 0 0-8zM4 21c1-5 4-6 8-6s7 1 8 6",
  lock: "M6 11h12v9H6zM8.5 11V8a3.5 3.5 0 0 1 7 0v3",
  ok: "M5 13l4 4L19 7",
  warn: "M12 4 3 20h18zM12 10v4M12 17h.01",
  unknown: "M6 12h12",
  lab: "M9 3h6M10 3v6L5 19c0 1 .5 2 2 2h10c1.5 0 2-1 2-2L14 9V3M8 15h8",
  save: "M12 4v11M7 11l5 5 5-5M5 20h14",
};

export function icon(name) {
  return svg(
    "svg",
    { viewBox: "0 0 24 24", class: "icon", "aria-hidden": "true", focusable: "false" },
    svg("path", { d: PATHS[name] }),
  );
}
