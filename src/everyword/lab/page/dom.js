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
  element.append(...children.flat().filter((child) => child !== null && child !== undefined && child !== false));
  return element;
}

function setAttribute(element, name, value) {
  if (name === "style")
    element.style.cssText = value; // an attribute would be against the page's own policy
  else if (typeof value === "function") element.addEventListener(name.slice(2), value);
  else if (value !== null && value !== undefined && value !== false)
    element.setAttribute(name, value === true ? "" : value);
}

// Change only what differs, so that focus and screen readers are not disturbed.
export function setText(element, text) {
  if (element.textContent !== text) element.textContent = text;
}

export function panel(id, title, ...children) {
  const heading = h("h2", { id: `${id}-title` }, title);
  return h(
    "section",
    { id, class: "panel", "aria-labelledby": `${id}-title` },
    h("div", { class: "head" }, heading),
    ...children,
  );
}
