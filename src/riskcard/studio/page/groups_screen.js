// Risk groups and thresholds, and what an approval limit does.

import { read } from "/page/api.js";
import { button, count, field, fixed, h, numbersOf, percent, say, short, show, table } from "/page/dom.js";
import { plane } from "/page/pictures.js";

export function groupsScreen(studio) {
  if (!studio.state.card) return [h("p", { class: "note" }, say("no_card"))];
  const place = h("div", { id: "group-tables" });
  const text = h("input", { type: "text", value: studio.state.groups.map(one => short(100 * one, 10)).join("; "), id: "group-risks", "data-key": "group-risks" });
  const set = () => studio.act("set_groups", { groups: numbersOf(text.value).map(one => (typeof one === "number" ? Number((one / 100).toPrecision(12)) : one)) });
  read("/api/groups").then(found => show(place, tables(found)), studio.fail);
  return [h("section", { "aria-labelledby": "groups-title" }, h("h2", { id: "groups-title" }, say("groups_title")), h("p", {}, say("groups_words")),
    h("div", { class: "row" }, field(say("group_risks"), text, say("group_hint")), button(say("set_groups"), set, { id: "set-groups", "data-key": "set-groups" })), place)];
}

const figure = (one, digits = 1) => ({ number: one.value === null ? "–"
  : percent(one.value, digits) + (one.interval ? ` (${fixed(100 * one.interval[0], digits)}–${fixed(100 * one.interval[1], digits)})` : "") });

function tables(found) {
  const range = one => say("group_range", { low: one.low === null ? "0 %" : percent(one.low, 1), high: one.high === null ? "100 %" : percent(one.high, 1) });
  const number = name => ({ number: say(name) });
  return [h("p", { id: "group-rows" }, say(`groups_on_${found.rows}`, { rows: count(found.number) })),
    table(say("groups_table"), [say("group"), number("line_rows"), number("events"), number("mean_risk"), number("observed")],
      found.groups.map(one => [range(one), { number: count(one.rows) }, { number: count(one.events) }, { number: one.expected === null ? "–" : percent(one.expected) }, figure(one.observed)]), { id: "groups" }),
    h("p", { class: "facts" }, say("intervals")),
    table(say("thresholds_table"), [say("from_risk"), number("flagged"), number("sensitivity"), number("specificity"), number("positive"), number("negative")],
      found.thresholds.map(one => [percent(one.at), figure(one.flagged), figure(one.sensitivity), figure(one.specificity), figure(one.positive_value), figure(one.negative_value)]), { id: "thresholds" }),
    h("details", { "data-key": "approvals" }, h("summary", {}, say("approvals_title")), h("p", {}, say("approvals_words")),
      found.totals.length > 1 ? plane(found.totals.map(one => ({ x: 100 * one.approved, y: 100 * one.bad, title: say("approval_point", { total: one.total, approved: percent(one.approved), bad: percent(one.bad) }) })),
        { x: say("approved_percent"), y: say("bad_percent"), isFromZero: true, label: say("approvals_title") }) : null,
      table(say("approvals_title"), [number("up_to_total"), number("risk"), number("approved"), number("bad")],
        found.totals.map(one => [{ number: one.total }, { number: percent(one.risk) }, { number: percent(one.approved) }, { number: percent(one.bad) }]), { id: "approvals" }))];
}
