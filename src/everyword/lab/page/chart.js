// A chart over the turns: lines, a mark at the turn shown, and the values under the pointer.

import { h, setText, svg } from "./dom.js";

const HEIGHT = 100;
const TICKS = 6;

// `goTo(turn)` is called when a place is clicked; `tellAt(turn)` gives the words for it.
export function chart(id, title, { turns, goTo, tellAt }) {
  const lines = svg("g");
  const drawing = svg(
    "svg",
    { viewBox: `0 0 ${turns} ${HEIGHT}`, preserveAspectRatio: "none", "aria-hidden": "true" },
    grid(turns),
    lines,
  );
  const mark = h("div", { class: "now" });
  const pointer = h("div", { class: "pointer", hidden: true });
  const tip = h("div", { class: "tip", hidden: true });
  const highest = h("span", { class: "highest" });
  const plot = h("div", { class: "plot" }, drawing, mark, pointer, tip, highest, h("span", { class: "lowest" }, "0"));
  const axis = h(
    "div",
    { class: "axis", "aria-hidden": "true" },
    ticks(turns).map((turn) => h("span", { style: `left:${(100 * turn) / turns}%` }, String(turn))),
  );
  const element = h("figure", { id, class: "chart" }, h("figcaption", {}, title), plot, axis);
  follow(plot, { pointer, tip, turns, goTo, tellAt });
  const update = ({ series, most, words, turn }) => {
    lines.replaceChildren(...series.flatMap((each) => drawn(each, most, turns)));
    mark.style.left = `${(100 * turn) / turns}%`;
    setText(highest, words);
  };
  return { element, update };
}

function grid(turns) {
  const at = [0, 0.25, 0.5, 0.75, 1].map((share) =>
    svg("line", { x1: 0, x2: turns, y1: share * HEIGHT, y2: share * HEIGHT }),
  );
  return svg("g", { class: "grid" }, at);
}

function ticks(turns) {
  const step = Math.max(1, Math.round(turns / TICKS / 5) * 5 || 1);
  const marks = [];
  for (let turn = step; turn <= turns; turn += step) marks.push(turn);
  return marks;
}

// One thick path where the request can be sent, one thin path where it cannot.
function drawn({ name, points, isStepped }, most, turns) {
  const paths = [false, true].map((overflow) =>
    svg("path", {
      class: `line ${name}${overflow ? " blocked" : ""}`,
      d: pathOf(points, most, turns, overflow, isStepped),
    }),
  );
  return paths.filter((path) => path.getAttribute("d"));
}

function pathOf(points, most, turns, overflow, isStepped) {
  let path = "";
  let isDrawing = false;
  points.forEach(({ turn, value, overflow: blocked }, index) => {
    const joins = blocked === overflow;
    const x = Math.min(turn, turns);
    const y = (HEIGHT * (1 - Math.min(1, value / (most || 1)))).toFixed(3);
    if (joins && isDrawing) path += isStepped ? `H${x}V${y}` : `L${x} ${y}`;
    if (joins && !isDrawing) path += `M${index ? points[index - 1].turn : x - 1} ${y}L${x} ${y}`;
    isDrawing = joins;
  });
  return path;
}

function follow(plot, { pointer, tip, turns, goTo, tellAt }) {
  const turnAt = (event) => {
    const { left, width } = plot.getBoundingClientRect();
    return Math.min(turns, Math.max(1, Math.round((turns * (event.clientX - left)) / width)));
  };
  plot.addEventListener("pointermove", (event) => {
    const turn = turnAt(event);
    pointer.hidden = tip.hidden = false;
    pointer.style.left = tip.style.left = `${(100 * turn) / turns}%`;
    tip.classList.toggle("leftwards", turn > turns / 2);
    tip.replaceChildren(...tellAt(turn).map((words) => h("div", {}, words)));
  });
  plot.addEventListener("pointerleave", () => (pointer.hidden = tip.hidden = true));
  plot.addEventListener("click", (event) => goTo(turnAt(event)));
}
