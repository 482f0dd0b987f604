// The first screen: open a table, look at its columns, choose the outcome and the rows to keep apart.

import { button, choice, count, field, fixed, h, heard, numbersOf, say, short } from "/page/dom.js";
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
  return h("section", { class: "drop", "aria-labelledby": "open-title" },
    h("h2", { id: "open-title" }, say("open_title")),
    h("p", {}, say("open_words")),
    h("div", { class: "row" }, h("label", { class: "file" }, h("span", {}, say("open_file")), input),
      button(say("open_example"), () => studio.open(null), { "data-key": "example", id: "example" })));
}

function tableFacts({ state }) {
  const { table } = state;
  return h("section", {}, h("h2", { id: "table-name" }, table.name),
    h("p", {}, say("table_facts", { rows: count(table.rows), columns: count(table.names.length) })),
    state.parts ? h("ul", { id: "read", class: "facts" }, state.parts.read.map(one => heard("li", one))) : remarks(table.remarks));
}

/** Remarks: texts of the server, or words of the page with what fills their places. */
const remarks = list => (list.length ? h("ul", { class: "remarks" }, list.map(one => (one.name ? h("li", {}, say(one.name, one.parts)) : heard("li", one)))) : null);

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
  const without = state.table.rows - values.reduce((sum, one) => sum + one.rows, 0);
  return h("section", { "aria-labelledby": "outcome-title" }, h("h2", { id: "outcome-title" }, say("outcome_title")),
    field(say("outcome_column"), list, say("outcome_hint")),
    choices.target && !isTwo ? h("p", { class: "note" }, say("not_two_values", { target: choices.target })) : null,
    isTwo && without ? h("p", { class: "note", id: "without-outcome" }, say("without_outcome", { rows: count(without) })) : null,
    isTwo ? h("fieldset", { class: "events" }, h("legend", {}, say("which_event")), values.map(one => button(
      [h("strong", {}, one.value), h("span", {}, say("rows", { rows: count(one.rows) }))],
      () => studio.act("choose", { changes: { event: one.value, skip_missing_target: without > 0 } }),
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
      { id: "hold-out", "data-key": "hold-out", disabled: isOpened || choices.later !== null }), say("hold_hint")),
    moreAboutRows(studio, isOpened),
    h("p", { id: "parts" }, told, " ", say("events_in_training", { events: count(parts.training.events) })),
    h("p", {}, button(say("find_card"), async () => { if (await studio.act("fit")) studio.go("card"); },
      { class: "main", id: "find", "data-key": "find" })));
}

/** Columns that say something about the rows: their times, whose they are, how much they count. */
function moreAboutRows(studio, isOpened) {
  const { choices, table } = studio.state;
  const pairs = [["", say("no_column")], ...table.names.filter(name => name !== choices.target).map(name => [name, name])];
  const pick = (key, value, changes) => choice(pairs, value ?? "", name => studio.act("choose", { changes: changes(name || null) }), { id: key, "data-key": key, disabled: isOpened });
  const [time, moment] = choices.later ?? [null, ""];
  const setMoment = event => studio.act("choose", { changes: { later: [time, event.target.value.trim()] } });
  return h("details", { "data-key": "more-rows", open: Boolean(choices.weights || choices.groups || time) }, h("summary", {}, say("more_rows")),
    h("div", { class: "row" },
      field(say("groups_column"), pick("groups", choices.groups, groups => ({ groups })), say("groups_column_hint")),
      field(say("weights_column"), pick("weights", choices.weights, weights => ({ weights })), say("weights_column_hint")),
      field(say("time_column"), pick("later", time, name => ({ later: name && [name, ""] })), say("time_column_hint")),
      time ? field(say("time_from"), h("input", { type: "text", value: moment, id: "later-from", "data-key": "later-from", disabled: isOpened, onchange: setMoment }), say("time_from_hint")) : null));
}

/** What a column is for other than to learn from; null for most. */
function roleOf(name, choices) {
  if (name === choices.target) return "is_outcome";
  if (name === choices.groups) return "is_groups";
  if (name === choices.weights) return "is_weights";
  return choices.later?.[0] === name ? "is_time" : null;
}

function tiles(studio) {
  const { state, columns } = studio;
  return h("section", { "aria-labelledby": "columns-title" }, h("h2", { id: "columns-title" }, say("columns_title")),
    h("p", {}, say(state.parts ? "columns_words_events" : "columns_words")),
    h("div", { class: "tiles" }, columns.map(column => tile(studio, column))));
}

function tile(studio, column) {
  const { choices } = studio.state;
  const role = roleOf(column.name, choices);
  const missing = column.missing ? say("missing", { rows: count(column.missing), share: fixed(100 * column.missing / column.rows, 1) }) : say("no_missing");
  return h("article", { class: `tile${role ? " target" : ""}`, "data-column": column.name },
    h("h3", {}, column.name),
    h("p", { class: "facts" }, [say(`kind_${column.kind}`), ...(column.kind === "unread" ? [] : [rangeOf(column), missing])].join(" · ")),
    bars(column), column.range ? h("p", { class: "ends", "aria-hidden": "true" }, column.range.map(one => h("span", {}, short(one)))) : null,
    column.apart?.length ? h("p", { class: "facts" }, column.apart.map(one => say("rows_with_code", { rows: count(one.rows), code: short(one.code) })).join("; ")) : null,
    levelNames(column),
    remarks(column.remarks),
    oddWords(studio, column),
    role ? h("p", { class: "note" }, say(role)) : isFeature(column) ? [use(studio, column), codes(studio, column), labels(studio, column)] : null);
}

/** Whether a column can be learned from as it is. */
const isFeature = column => column.kind !== "date" && column.kind !== "unread";

function rangeOf(column) {
  const ends = column.range ? column.range.map(one => short(one)) : column.first_and_last ?? [];
  return ends.length ? say("range", { low: ends[0], high: ends[1] }) : say("levels", { levels: count(column.different) });
}

function levelNames(column) {
  if (!column.levels) return null;
  const names = column.levels.slice(0, 6).join(", ");
  return h("p", { class: "facts" }, names + (column.different > 6 ? " …" : ""));
}

function use(studio, column) {
  const { choices } = studio.state;
  const isLeftOut = column.remarks.length > 0 && !column.is_used && !choices.dropped.includes(column.name) && !choices.kept.includes(column.name);
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

/** A column of numbers but for a few words, which may mean that the number is missing. */
function oddWords(studio, { name, odd_words: words }) {
  const { state: { choices, parts } } = studio;
  if (!parts || !words || words.every(one => choices.missing.includes(one))) return null;
  const take = () => studio.act("choose", { changes: { missing: [...new Set([...choices.missing, ...words])], dropped: choices.dropped.filter(one => one !== name) } });
  return button(say("as_missing", { words: words.map(one => `“${one}”`).join(", ") }), take, { "data-key": `missing-${name}`, disabled: studio.state.is_test_opened });
}

function codes(studio, column) {
  if (!column.codes?.length) return null;
  const all = studio.state.choices.codes, { [column.name]: own, ...others } = all;
  const set = isOn => studio.act("choose", { changes: { codes: isOn ? { ...all, [column.name]: column.codes } : others } });
  return h("label", { class: "check" }, h("input", { type: "checkbox", checked: Boolean(own), "data-key": `codes-${column.name}`, "data-codes": column.name,
    onchange: event => set(event.target.checked) }), say("is_code", { codes: column.codes.join(", ") }));
}

/** Codes that nobody remarked on, such as -9 next to 0 and 1. */
function ownCodes(studio, column) {
  const all = studio.state.choices.codes, { [column.name]: own, ...others } = all;
  const set = text => {
    const codes = numbersOf(text);
    return studio.act("choose", { changes: { codes: codes.length ? { ...all, [column.name]: codes } : others } });
  };
  return field(say("label_codes"), h("input", { type: "text", value: (own ?? []).map(one => short(one, 12)).join("; "), "data-key": `own-codes-${column.name}`,
    onchange: event => set(event.target.value) }), say("label_codes_hint"));
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
    h("div", { class: "fields" }, keys.map(([key, type]) => input(key, type)), column.levels ? null : ownCodes(studio, column)));
}
