// Risk groups and thresholds, figures by the values of a column, and what an approval limit does.

import { read } from "/page/api.js";
import { button, choice, count, field, fixed, h, numbersOf, percent, say, share, short, show, table } from "/page/dom.js";
import { plane } from "/page/pictures.js";

/** The column that rows are divided by; empty for none. */
let by = "";

export function groupsScreen(studio) {
  if (!studio.state.card) return [h("p", { class: "note" }, say("no_card"))];
  const place = h("div", { id: "group-tables" });
  const text = h("input", { type: "text", value: studio.state.groups.map(one => short(100 * one, 10)).join("; "), id: "group-risks", "data-key": "group-risks" });
  const set = () => studio.act("set_groups", { groups: numbersOf(text.value).map(one => (typeof one === "number" ? Number((one / 100).toPrecision(12)) : one)) });
  const names = studio.columns.filter(one => one.is_used && one.name !== studio.state.choices.target).map(one => one.name);
  if (!names.includes(by)) by = "";
  read(`/api/groups${by ? `?by=${encodeURIComponent(by)}` : ""}`).then(found => show(place, tables(studio, names, found)), error => { by = ""; studio.fail(error); });
  return [h("section", { "aria-labelledby": "groups-title" }, h("h2", { id: "groups-title" }, say("groups_title")), h("p", {}, say("groups_words")),
    h("div", { class: "row" }, field(say("group_risks"), text, say("group_hint")), button(say("set_groups"), set, { id: "set-groups", "data-key": "set-groups" })), place)];
}

const figure = (one, digits = 1) => ({ number: one.value === null ? "–"
  : percent(one.value, digits) + (one.interval ? ` (${fixed(100 * one.interval[0], digits)}–${fixed(100 * one.interval[1], digits)})` : "") });
const number = name => ({ number: say(name) });
const shown = (one, write) => ({ number: one === null ? "–" : write(one) });

function tables(studio, names, found) {
  const range = one => say("group_range", { low: share(one.low ?? 0), high: share(one.high ?? 1) });
  return [h("p", { id: "group-rows" }, say(`groups_on_${found.rows}`, { rows: count(found.number) })),
    table(say("groups_table"), [say("group"), number("line_rows"), number("events"), number("mean_risk"), number("observed")],
      found.groups.map(one => [range(one), { number: count(one.rows) }, { number: count(one.events) }, shown(one.expected, percent), figure(one.observed)]), { id: "groups" }),
    h("p", { class: "facts" }, say("intervals")),
    calibration(found.groups),
    table(say("thresholds_table"), [say("from_risk"), number("flagged"), number("sensitivity"), number("specificity"), number("positive"), number("negative")],
      found.thresholds.map(one => [share(one.at), figure(one.flagged), figure(one.sensitivity), figure(one.specificity), figure(one.positive_value), figure(one.negative_value)]), { id: "thresholds" }),
    columnPart(studio, names, found.parts), approvals(found.totals)];
}

/** Mean risk against what was observed, where there are rows. */
function calibration(groups) {
  const points = groups.filter(one => one.rows && one.observed.value !== null).map(one => ({ x: 100 * one.expected, y: 100 * one.observed.value, ends: one.observed.interval?.map(end => 100 * end),
    title: say("calibration_point", { risk: percent(one.expected), observed: percent(one.observed.value), rows: count(one.rows) }) }));
  return points.length ? h("figure", { id: "calibration" }, h("figcaption", {}, say("calibration_title")), plane(points, { x: say("mean_risk_percent"), y: say("observed_percent"), isFromZero: true, isEqual: true, label: say("calibration_title") }),
    h("p", { class: "facts" }, say("calibration_words"))) : null;
}

function columnPart(studio, names, parts) {
  const named = one => (one === null ? say("missing_value") : one.level ?? (one.low === one.high ? short(one.low, 12) : say("range", { low: short(one.low, 12), high: short(one.high, 12) })));
  return h("div", { id: "by" }, field(say("by_column"), choice([["", say("no_column")], ...names.map(name => [name, name])], by, name => { by = name; studio.draw(); }, { id: "by-column", "data-key": "by-column" }), say("by_column_hint")),
    parts ? table(by, [by, number("line_rows"), number("events"), number("mean_risk"), number("observed"), number("auc")],
      parts.map(one => [named(one.name), { number: count(one.rows) }, { number: count(one.events) }, shown(one.mean_risk, percent), figure(one.base_rate), shown(one.auc, area => fixed(area.value, 3))]), { id: "parts-table" }) : null);
}

function approvals(totals) {
  return h("details", { "data-key": "approvals" }, h("summary", {}, say("approvals_title")), h("p", {}, say("approvals_words")),
    totals.length > 1 ? plane(totals.map(one => ({ x: 100 * one.approved, y: 100 * one.bad, title: say("approval_point", { total: one.total, approved: percent(one.approved), bad: percent(one.bad) }) })),
      { x: say("approved_percent"), y: say("bad_percent"), isFromZero: true, label: say("approvals_title") }) : null,
    table(say("approvals_title"), [number("up_to_total"), number("risk"), number("approved"), number("bad")],
      totals.map(one => [{ number: one.total }, { number: percent(one.risk) }, { number: percent(one.approved) }, { number: percent(one.bad) }]), { id: "approvals" }));
}
