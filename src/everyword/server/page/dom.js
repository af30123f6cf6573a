// Elements in few words. Text is always set as text, never as markup.

const SVG = "http://www.w3.org/2000/svg";

// An element with attributes and children. A function as attribute `onclick` and the like listens.
export function h(tag, attributes = {}, ...children) {
  return filled(document.createElement(tag), attributes, children);
}

export function svg(tag, attributes = {}, ...children) {
  return filled(document.createElementNS(SVG, tag), attributes, children);
}

function filled(element, attributes, children) {
  for (const [name, value] of Object.entries(attributes)) setAttribute(element, name, value);
  element.append(...children.flat(3).filter((child) => child !== null && child !== undefined && child !== false));
  return element;
}

function setAttribute(element, name, value) {
  if (name === "style")
    element.style.cssText = value; // an attribute would be against the page's own policy
  else if (typeof value === "function") element.addEventListener(name.slice(2), value);
  else if (name === "value") element.value = value;
  else if (value !== null && value !== undefined && value !== false)
    element.setAttribute(name, value === true ? "" : value);
}

export function button(label, onclick, attributes = {}) {
  return h("button", { type: "button", onclick, ...attributes }, label);
}

// A field with its label above it.
export function field(label, control, attributes = {}) {
  return h("label", { class: "field", ...attributes }, h("span", {}, label), control);
}

export function select(options, chosen, attributes = {}) {
  const listed = options.map(([value, label]) => h("option", { value }, label));
  const element = h("select", attributes, listed);
  element.value = chosen;
  return element;
}

// Puts other children into an element.
export function show(element, ...children) {
  element.replaceChildren(...children.flat(3).filter(Boolean));
}

let said = 0;

// Tells those who do not see the page what has changed.
export function announce(text) {
  const region = document.getElementById("announcer");
  if (region) region.textContent = said++ % 2 ? text : `${text}\u00a0`; // the same words twice are told twice
}
