// Elements, words and numbers. Texts are always text nodes: a name with markup in it is only a name.

let words = {};

/** Take the words of the page. */
export function speak(all) { words = all; }

/** A text by its name, with its places filled in. */
export function say(name, parts = {}) {
  const text = words[name];
  if (text === undefined) throw new Error(`There are no words for ${name}`);
  return text.replace(/\{(\w+)\}/g, (place, key) => (key in parts ? String(parts[key]) : place));
}

function made(element, attributes, children) {
  for (const [name, value] of Object.entries(attributes ?? {})) {
    if (name.startsWith("on")) element.addEventListener(name.slice(2), value);
    else if (name in element && typeof value === "boolean") element[name] = value;
    else if (name === "value" && element.tagName !== "svg") element.value = value;
    else if (value !== null && value !== undefined && value !== false) element.setAttribute(name, value === true ? "" : value);
  }
  element.append(...children.flat(3).filter(child => child !== null && child !== undefined && child !== false));
  return element;
}

/** An element of the page. */
export const h = (tag, attributes, ...children) => made(document.createElement(tag), attributes, children);

/** An element of a picture. */
export const svg = (tag, attributes, ...children) =>
  made(document.createElementNS("http://www.w3.org/2000/svg", tag), attributes, children);

/** Replace what a place shows; the element with the same data-key has the focus again. */
export function show(place, ...nodes) {
  const key = document.activeElement?.dataset?.key;
  const open = new Set([...place.querySelectorAll("details[open][data-key]")].map(one => one.dataset.key));
  place.replaceChildren(...nodes.flat(3).filter(Boolean));
  for (const one of place.querySelectorAll("details[data-key]")) one.open = one.open || open.has(one.dataset.key);
  if (key) place.querySelector(`[data-key="${CSS.escape(key)}"]`)?.focus({ preventScroll: true });
}

/** A whole number with separators. */
export const count = number => number.toLocaleString("en");

/** A number with some digits that count. */
export const short = (number, digits = 4) => String(Number(number.toPrecision(digits)));

/** A share in per cent, rounded to the nearest. */
export const percent = (share, digits = 1) => `${(100 * share).toFixed(digits)}\u00a0%`;

/** A share in per cent with two digits that count, never less than the share itself. */
export function atMost(share) {
  if (share <= 0) return "0\u00a0%";
  if (share <= 1e-6) return "0.0001\u00a0%";
  const digits = 1 - Math.floor(Math.log10(100 * share));
  const scale = 10 ** digits;
  const up = Math.ceil(100 * share * scale * (1 - 1e-9)) / scale;
  return `${up.toFixed(Math.max(0, Math.min(digits, 8)))}\u00a0%`;
}

/** A moment of the log as people read it. */
export const clock = time => `${time.slice(0, 10)} ${time.slice(11, 19)} UTC`;

/** A button with a text. */
export const button = (text, onclick, attributes = {}) => h("button", { type: "button", onclick, ...attributes }, text);

/** A field with its label. */
export const field = (label, input, hint) =>
  h("label", { class: "field" }, h("span", {}, label), input, hint ? h("small", {}, hint) : null);

/** A drop-down list of [value, text] pairs. */
export function choice(pairs, value, onchange, attributes = {}) {
  const list = h("select", { onchange: event => onchange(event.target.value), ...attributes });
  for (const [one, text] of pairs) list.append(h("option", { value: one, selected: one === value }, text));
  return list;
}

/** A table with a heading for each column; numbers are given as {number: text}. */
export function table(caption, headings, rows, attributes = {}) {
  const cell = (tag, one) => one !== null && typeof one === "object" && "number" in one
    ? h(tag, { class: "number" }, one.number) : h(tag, {}, one);
  return h("div", { class: "wide" }, h("table", attributes, h("caption", {}, caption),
    h("thead", {}, h("tr", {}, headings.map(one => { const made = cell("th", one); made.scope = "col"; return made; }))),
    h("tbody", {}, rows.map(row => h("tr", {}, row.map(one => cell("td", one)))))));
}
