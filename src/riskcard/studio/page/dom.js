// Elements, words and numbers. Texts are always text nodes: a name with markup in it is only a name.

let words = {}, language = "en", root = document, home = null;

/** Where the page is: a document, or the shadow of an element of a notebook; and the element around all screens. */
export function settle(place, element) { root = place; home = element; }

/** An element by its id. */
export const find = id => root.getElementById(id);

/** The element around all screens, which says whether the page is busy. */
export const around = () => home;

/** Take the words of the page. */
export function speak(all, code) {
  words = all;
  language = code;
  home.lang = code;
}

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
  const key = root.activeElement?.dataset?.key;
  const open = new Set([...place.querySelectorAll("details[open][data-key]")].map(one => one.dataset.key));
  place.replaceChildren(...nodes.flat(3).filter(Boolean));
  for (const one of place.querySelectorAll("details[data-key]")) one.open = one.open || open.has(one.dataset.key);
  if (key) place.querySelector(`[data-key="${CSS.escape(key)}"]`)?.focus({ preventScroll: true });
}

/** A number as the language writes it. */
const written = (number, format) => number.toLocaleString(language, format);

/** A whole number with separators. */
export const count = number => written(number);

/** A number with some digits that count. */
export const short = (number, digits = 4) => written(Number(number.toPrecision(digits)), { maximumSignificantDigits: digits, useGrouping: false });

/** A number with some decimals. */
export const fixed = (number, decimals) => written(number, { minimumFractionDigits: decimals, maximumFractionDigits: decimals });

const inPercent = (number, decimals) => `${fixed(number, decimals)}\u00a0%`;

/** A share in per cent as it was given, such as a limit that somebody typed. */
export const share = one => `${short(100 * one, 10)}\u00a0%`;

/** A share in per cent, rounded to the nearest. */
export const percent = (share, decimals = 1) => inPercent(100 * share, decimals);

/** A share in per cent with two digits that count, never less than the share itself. */
export function atMost(share) {
  if (share <= 0) return inPercent(0, 0);
  if (share <= 1e-6) return inPercent(0.0001, 4);
  const digits = 1 - Math.floor(Math.log10(100 * share));
  const scale = 10 ** digits;
  const up = Math.ceil(100 * share * scale * (1 - 1e-9)) / scale;
  return inPercent(up, Math.max(0, Math.min(digits, 8)));
}

/** Numbers that a person typed, with the decimal sign of the language: "10; 30", or "10, 30"; what is none stays a text. */
export function numbersOf(text) {
  const isComma = written(0.5).includes(",");
  const parts = isComma ? text.split(/;|,\s|\s+/) : text.split(/[,;\s]+/);
  return parts.filter(Boolean).map(one => {
    const number = Number(isComma ? one.replace(",", ".") : one);
    return Number.isNaN(number) ? one : number;
  });
}

/** A moment of the log as people read it. */
export const clock = time => `${time.slice(0, 10)} ${time.slice(11, 19)} UTC`;

/** A button with a text. */
export const button = (text, onclick, attributes = {}) => h("button", { type: "button", onclick, ...attributes }, text);

/** An element with a text of the server, which may have no words for it but English ones. */
export const heard = (tag, one, attributes = {}) => h(tag, { ...attributes, lang: one.is_english ? "en" : null }, one.text);

/** A field with its label. */
export const field = (label, input, hint) =>
  h("label", { class: "field" }, h("span", {}, label), input, hint ? h("small", {}, hint) : null);

/** Milliseconds without a key after which a choice made by keys counts. */
const QUIET = 600;

/** A drop-down list of [value, text] pairs. While somebody types in it or walks through it by keys, nothing is drawn anew. */
export function choice(pairs, value, onchange, attributes = {}) {
  let isByKeys = false, waiting = null;
  const tell = () => {
    clearTimeout(waiting);
    waiting = null;
    delete home.dataset.held;
    onchange(list.value);
  };
  const wait = () => {
    clearTimeout(waiting);
    waiting = setTimeout(tell, QUIET);
    home.dataset.held = "yes";
  };
  const list = h("select", {
    onpointerdown: () => { isByKeys = false; },
    onkeydown: () => { isByKeys = true; if (waiting !== null) wait(); },
    onchange: () => (isByKeys ? wait() : tell()),
    onblur: () => { if (waiting !== null) tell(); },
    ...attributes,
  });
  for (const [one, text] of pairs) list.append(h("option", { value: one, selected: one === value }, text));
  return list;
}

/** A table with a heading for each column, that a phone shows row by row; numbers are given as {number: text}. */
export function table(caption, headings, rows, attributes = {}) {
  const text = one => (one !== null && typeof one === "object" && "number" in one ? one.number : one);
  const kind = one => (text(one) === one ? null : "number");
  return h("div", { class: "wide" }, h("table", { class: "stacked", role: "table", ...attributes }, h("caption", {}, caption),
    h("thead", { role: "rowgroup" }, h("tr", { role: "row" }, headings.map(one => (text(one) === "" ? h("td", { role: "cell" })
      : h("th", { scope: "col", role: "columnheader", class: kind(one) }, text(one)))))),
    h("tbody", { role: "rowgroup" }, rows.map(row => h("tr", { role: "row" }, row.map((one, i) =>
      h("td", { role: "cell", class: kind(one), "data-heading": text(headings[i]) }, text(one))))))));
}
