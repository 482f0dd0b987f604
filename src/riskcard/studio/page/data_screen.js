// The first screen: open a table, look at its columns, choose the outcome and the rows to keep apart.

import { post } from "/page/api.js";
import { button, choice, count, field, h, say, short } from "/page/dom.js";
import { bars } from "/page/pictures.js";

const FILES = ".csv,.tsv,.txt,.xlsx,.xlsm,.parquet,.pq,.sav,.zsav,.por,.dta,.sas7bdat,.xpt,.json";

export function dataScreen(studio) {
  const { state } = studio;
  return [
    opening(studio),
    state.waiting ? h("p", { class: "note" }, say("waiting", { name: state.waiting.name }), " ",
      button(say("forget_waiting"), () => studio.act("forget_waiting"), { "data-key": "forget-waiting" })) : null,
    state.table ? [tableFacts(studio), outcome(studio), state.parts ? rowParts(studio) : null, tiles(studio)] : null,
  ];
}

function opening(studio) {
  const input = h("input", { type: "file", id: "file", accept: FILES, "data-key": "file",
    onchange: event => { if (event.target.files[0]) studio.open(event.target.files[0]); } });
  const place = h("section", { class: "drop", "aria-labelledby": "open-title" },
    h("h2", { id: "open-title" }, say("open_title")),
    h("p", {}, say("open_words")),
    h("div", { class: "row" }, h("label", { class: "file" }, h("span", {}, say("open_file")), input),
      button(say("open_example"), () => studio.change(() => post("/api/example", {})), { "data-key": "example", id: "example" })));
  place.addEventListener("dragover", event => { event.preventDefault(); place.classList.add("over"); });
  place.addEventListener("dragleave", () => place.classList.remove("over"));
  place.addEventListener("drop", event => {
    event.preventDefault();
    if (event.dataTransfer.files[0]) studio.open(event.dataTransfer.files[0]);
  });
  return place;
}

function tableFacts({ state }) {
  const { table } = state;
  return h("section", {}, h("h2", { id: "table-name" }, table.name),
    h("p", {}, say("table_facts", { rows: count(table.rows), columns: count(table.columns.length) })),
    state.parts ? h("ul", { id: "read", class: "facts" }, state.parts.read.map(one => h("li", {}, one))) : remarks(table.remarks));
}

const remarks = list => (list.length ? h("ul", { class: "remarks" }, [...new Set(list)].map(one => h("li", {}, one))) : null);

function outcome(studio) {
  const { state, columns } = studio;
  const { choices } = state;
  const likely = columns.filter(one => one.two_values).map(one => one.name);
  const names = [...likely, ...state.table.columns.filter(name => !likely.includes(name)), ...state.table.unread];
  const pairs = [["", say("choose")], ...names.map(name => [name, name])];
  const list = choice(pairs, choices.target ?? "", target => studio.act("choose", { changes: { target: target || null, event: null } }),
    { id: "target", "data-key": "target" });
  const values = state.outcome ?? [];
  const isTwo = values.length === 2;
  return h("section", { "aria-labelledby": "outcome-title" }, h("h2", { id: "outcome-title" }, say("outcome_title")),
    field(say("outcome_column"), list, say("outcome_hint")),
    choices.target && !isTwo ? h("p", { class: "note" }, say("not_two_values", { target: choices.target })) : null,
    isTwo ? h("fieldset", { class: "events" }, h("legend", {}, say("which_event")), values.map(one => button(
      [h("strong", {}, one.value), h("span", {}, say("rows", { rows: count(one.rows) }))],
      () => studio.act("choose", { changes: { event: one.value } }),
      { class: "large", "data-key": `event-${one.value}`, "data-event": one.value, "aria-pressed": String(choices.event === one.value) }))) : null);
}

function rowParts(studio) {
  const { choices, parts, is_test_opened: isOpened } = studio.state;
  const shares = [["0", say("hold_none")], ...[0.2, 0.3, 0.4, 0.5].map(one => [String(one), say("hold_share", { share: 100 * one })])];
  const told = parts.check
    ? say("parts_held", { training: count(parts.training.rows), check: count(parts.check.rows), sealed: count(parts.sealed.rows) })
    : say("parts_all", { training: count(parts.training.rows) });
  return h("section", { "aria-labelledby": "rows-title" }, h("h2", { id: "rows-title" }, say("rows_title")),
    field(say("hold_out"), choice(shares, String(choices.hold_out), share => studio.act("choose", { changes: { hold_out: Number(share) } }),
      { id: "hold-out", "data-key": "hold-out", disabled: isOpened }), say("hold_hint")),
    h("p", { id: "parts" }, told, " ", say("events_in_training", { events: count(parts.training.events) })),
    h("p", {}, button(say("find_card"), async () => { if (await studio.act("fit")) studio.go("card"); },
      { class: "main", id: "find", "data-key": "find" })));
}

function tiles(studio) {
  const { state, columns } = studio;
  return h("section", { "aria-labelledby": "columns-title" }, h("h2", { id: "columns-title" }, say("columns_title")),
    h("p", {}, say(state.parts ? "columns_words_events" : "columns_words")),
    h("div", { class: "tiles" }, columns.map(column => tile(studio, column))));
}

function tile(studio, column) {
  const { choices } = studio.state;
  const isTarget = column.name === choices.target;
  const range = column.range ? say("range", { low: short(column.range[0]), high: short(column.range[1]) })
    : say("levels", { levels: count(column.different) });
  const missing = column.missing ? say("missing", { rows: count(column.missing), share: (100 * column.missing / column.rows).toFixed(1) }) : say("no_missing");
  return h("article", { class: `tile${isTarget ? " target" : ""}`, "data-column": column.name },
    h("h3", {}, column.name),
    h("p", { class: "facts" }, say(`kind_${column.kind}`), " · ", range, " · ", missing),
    bars(column), levelNames(column),
    remarks(column.remarks), isTarget ? h("p", { class: "note" }, say("is_outcome")) : use(studio, column),
    isTarget ? null : codes(studio, column), isTarget ? null : labels(studio, column));
}

function levelNames(column) {
  if (!column.levels) return null;
  const names = column.levels.slice(0, 6).join(", ");
  return h("p", { class: "facts" }, names + (column.different > 6 ? " …" : ""));
}

function use(studio, column) {
  const { choices } = studio.state;
  const isLeftOut = column.remarks.length > 0 && !column.is_used && !choices.dropped.includes(column.name);
  const set = isUsed => {
    const dropped = choices.dropped.filter(name => name !== column.name), kept = choices.kept.filter(name => name !== column.name);
    if (!isUsed) dropped.push(column.name);
    else if (isLeftOut) kept.push(column.name);
    return studio.act("choose", { changes: { dropped, kept } });
  };
  const isUsed = !choices.dropped.includes(column.name) && !isLeftOut;
  return h("label", { class: "check" }, h("input", { type: "checkbox", checked: isUsed, "data-key": `use-${column.name}`,
    onchange: event => set(event.target.checked) }), say("use_column"));
}

function codes(studio, column) {
  if (!column.codes?.length) return null;
  const all = studio.state.choices.codes, { [column.name]: own, ...others } = all;
  const set = isOn => studio.act("choose", { changes: { codes: isOn ? { ...all, [column.name]: column.codes } : others } });
  return h("label", { class: "check" }, h("input", { type: "checkbox", checked: Boolean(own), "data-key": `codes-${column.name}`, "data-codes": column.name,
    onchange: event => set(event.target.checked) }), say("is_code", { codes: column.codes.join(", ") }));
}

function labels(studio, column) {
  const all = studio.state.labels, own = all.features?.[column.name] ?? {};
  const set = (key, text) => {
    const value = text.trim() === "" ? undefined : key === "lowest" || key === "highest" ? Number(text) : text.trim();
    const entry = { ...own, [key]: value };
    const features = { ...all.features, [column.name]: Object.fromEntries(Object.entries(entry).filter(pair => pair[1] !== undefined)) };
    if (!Object.keys(features[column.name]).length) delete features[column.name];
    return studio.act("set_labels", { labels: { ...all, features } });
  };
  const input = (key, type) => field(say(`label_${key}`), h("input", { type, step: "any", value: own[key] ?? "", "data-key": `${key}-${column.name}`,
    onchange: event => set(key, event.target.value) }));
  const keys = column.kind === "number" ? [["name", "text"], ["unit", "text"], ["lowest", "number"], ["highest", "number"]] : [["name", "text"]];
  return h("details", { "data-key": `labels-${column.name}` }, h("summary", {}, say("label_title")),
    h("div", { class: "fields" }, keys.map(([key, type]) => input(key, type))));
}
