// Names and how they relate: a picture, and a list that says the same.

import { get } from "./api.js";
import { announce, button, h, show, svg } from "./dom.js";
import { laidOut } from "./force.js";
import { shortened } from "./format.js";
import { icon } from "./icons.js";
import { problemCard } from "./problem.js";

const USER = "user"; // the node that is whose memory this is
const DRAWN = 120;
const LABELLED = innerWidth > 820 ? 28 : 12;
const WIDE = [660, 590];
const NARROW = [350, 340];
const MARGIN = [46, 30];

export function graph(app) {
  const place = h("div", {});
  const closed = h("input", { type: "checkbox", onchange: () => load(app, place, closed.checked) });
  const element = h(
    "div",
    { class: "page wide" },
    h("h1", {}, app.t("graphTitle")),
    h("p", { class: "lead" }, app.t("graphLead")),
    h("label", { class: "check" }, closed, app.t("showClosed")),
    place,
  );
  load(app, place, false);
  return { element, isOld: false, show: () => {} };
}

async function load(app, place, closed) {
  show(place, h("p", { class: "quiet" }, app.t("loading")));
  try {
    const found = await get("/v1/claims/graph", { closed });
    show(place, found.nodes.length ? browser(app, ordered(named(app, found))) : empty(app));
  } catch (error) {
    const again = () => load(app, place, closed);
    show(place, problemCard(app, error, again));
  }
}

function empty(app) {
  const hint = h("p", { class: "small" }, app.t("graphEmptyHint"));
  return h("div", { class: "hollow" }, h("p", {}, app.t("graphEmpty")), hint);
}

// Nodes and edges as they are drawn; a name stands for its node.
function named(app, { nodes, edges }) {
  return {
    nodes: nodes.map((node) => ({ ...node, id: node.name, name: node.name === USER ? app.t("you") : node.name })),
    edges: edges.map((edge) => ({ ...edge, source: edge.subject, target: edge.object })),
  };
}

// The names by the number of their relations, and for each its edges.
function ordered({ nodes, edges }) {
  const edgesOf = new Map(nodes.map((node) => [node.id, []]));
  const whole = edges.filter((edge) => edgesOf.has(edge.source) && edgesOf.has(edge.target));
  for (const edge of whole) {
    edgesOf.get(edge.source).push(edge);
    if (edge.target !== edge.source) edgesOf.get(edge.target).push(edge);
  }
  const degree = (node) => edgesOf.get(node.id).length;
  const sorted = [...nodes].sort((one, other) => degree(other) - degree(one) || one.name.localeCompare(other.name));
  return { nodes: sorted, edges: whole, edgesOf, byId: new Map(nodes.map((node) => [node.id, node])) };
}

function browser(app, all) {
  const drawn = picture(app, all, (id) => choose(id));
  const side = h("div", { class: "side" });
  const choose = (id, { isFocused = true } = {}) => {
    drawn.mark(id);
    show(side, id === null ? names(app, all, choose) : details(app, all, id, choose));
    if (isFocused) side.querySelector("h2")?.focus();
  };
  choose(null, { isFocused: false });
  return h("div", { class: "graph" }, h("div", { class: "drawing" }, drawn.element, drawn.note), side);
}

// ---- the picture ----

function picture(app, all, choose) {
  const nodes = all.nodes.slice(0, DRAWN);
  const numberOf = new Map(nodes.map((node, at) => [node.id, at]));
  const edges = all.edges.filter(
    (edge) => numberOf.has(edge.source) && numberOf.has(edge.target) && edge.source !== edge.target,
  );
  const size = innerWidth > 820 ? WIDE : NARROW;
  const pairs = edges.map((edge) => [numberOf.get(edge.source), numberOf.get(edge.target)]);
  const points = spread(laidOut(nodes.length, pairs), size);
  const lines = edges.map((edge) => line(points, numberOf, edge));
  const dots = nodes.map((node, at) => dot(all, node, points[at], at, choose));
  const element = svg(
    "svg",
    {
      viewBox: `0 0 ${size.join(" ")}`,
      class: "network",
      role: "img",
      "aria-label": app.t("graphPicture", { nodes: nodes.length, edges: edges.length }),
    },
    lines,
    dots,
  );
  const many = all.nodes.length > nodes.length;
  const note =
    many &&
    h(
      "p",
      { class: "quiet small" },
      app.t("graphMany", { shown: nodes.length, total: app.format.number(all.nodes.length) }),
    );
  return { element, note, mark: (id) => markNear(all, nodes, edges, lines, dots, element, id) };
}

// The points over the whole picture, in pixels, with room for names at the edges.
function spread(points, size) {
  const scaled = [0, 1].map((axis) => {
    const all = points.map((point) => point[axis]);
    const [least, most] = [Math.min(...all), Math.max(...all)];
    const room = size[axis] - 2 * MARGIN[axis];
    return all.map((value) => MARGIN[axis] + (most > least ? (room * (value - least)) / (most - least) : room / 2));
  });
  return points.map((_, at) => [scaled[0][at], scaled[1][at]]);
}

function line(points, numberOf, edge) {
  const [[x1, y1], [x2, y2]] = [points[numberOf.get(edge.source)], points[numberOf.get(edge.target)]];
  return svg("line", { x1, y1, x2, y2, class: edge.is_open ? "" : "ended" });
}

function dot(all, node, [x, y], at, choose) {
  const size = 4 + 2 * Math.sqrt(all.edgesOf.get(node.id).length);
  return svg(
    "g",
    {
      transform: `translate(${x.toFixed(1)} ${y.toFixed(1)})`,
      class: `dot ${at < LABELLED ? "named" : ""}`,
      onclick: () => choose(node.id),
    },
    svg("title", {}, node.name),
    svg("circle", { r: size }),
    svg("text", { y: size + 14, "text-anchor": "middle" }, shortened(node.name, 16)),
  );
}

function markNear(all, nodes, edges, lines, dots, element, id) {
  const near = new Set(id === null ? [] : [id, ...all.edgesOf.get(id).flatMap((edge) => [edge.source, edge.target])]);
  element.classList.toggle("chosen", id !== null);
  dots.forEach((each, at) => {
    each.classList.toggle("near", near.has(nodes[at].id));
    each.classList.toggle("self", nodes[at].id === id);
  });
  lines.forEach((each, at) => each.classList.toggle("near", edges[at].source === id || edges[at].target === id));
}

// ---- the list ----

function names(app, all, choose) {
  const list = h("ul", { class: "names" });
  const fill = (part) => {
    const shown = all.nodes.filter((node) => node.name.toLowerCase().includes(part.toLowerCase()));
    show(
      list,
      shown.map((node) => h("li", {}, nameButton(app, all, node, choose))),
    );
    return shown.length;
  };
  const filter = h("input", {
    type: "search",
    "aria-label": app.t("filterNames"),
    placeholder: app.t("filterNames"),
    oninput: () => announce(app.format.number(fill(filter.value.trim()))),
  });
  fill("");
  return [h("h2", { tabindex: "-1" }, app.t("graphNames")), filter, list];
}

function nameButton(app, all, node, choose) {
  const count = app.t("relations", { count: all.edgesOf.get(node.id).length });
  return button([h("span", {}, node.name), h("span", { class: "quiet small" }, count)], () => choose(node.id));
}

function details(app, all, id, choose) {
  const node = all.byId.get(id);
  const edges = all.edgesOf.get(id);
  const quotes = h("div", {});
  said(app, node, quotes);
  return [
    button([icon("back"), app.t("allNames")], () => choose(null), { class: "quiet-button" }),
    h("h2", { tabindex: "-1" }, node.name),
    h("p", { class: "quiet small" }, node.roles.join(", ")),
    edges.length
      ? h(
          "ul",
          { class: "edges" },
          edges.map((edge) => edgeRow(app, all, edge, choose)),
        )
      : h("p", { class: "quiet" }, app.t("noRelations")),
    quotes,
  ];
}

function edgeRow(app, all, edge, choose) {
  const end = (id) => button(all.byId.get(id).name, () => choose(id), { class: "link" });
  const to = edge.is_open ? null : (app.format.day(edge.valid_to) ?? "…");
  return h(
    "li",
    { class: to ? "ended" : "" },
    end(edge.source),
    h("span", { class: "relation" }, ` ${edge.relation} `),
    end(edge.target),
    to && h("span", { class: "quiet small" }, ` ${app.t("until", { date: to })}`),
  );
}

async function said(app, node, place) {
  const claims = new Set(node.claim_ids);
  if (!claims.size) return;
  try {
    const { results } = await get("/v1/claims", { closed: true });
    const rows = results
      .filter((each) => claims.has(each.claim_id))
      .map((each) => h("li", {}, h("blockquote", {}, each.text), source(app, each)));
    if (rows.length) show(place, h("h3", {}, app.t("saidOf")), h("ul", { class: "quotes" }, rows));
  } catch (error) {
    show(place, problemCard(app, error));
  }
}

function source(app, claim) {
  const open = async () => {
    const message = await get(`/v1/memories/${encodeURIComponent(claim.message_ids[0])}`);
    app.go("conversations", message.session_id, message.seq);
  };
  return button(app.t("openInConversation"), open, { class: "link" });
}
