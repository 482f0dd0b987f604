// Cards about as good as the best: a list and a map with filters, and two cards side by side.

import { post } from "/page/api.js";
import { atMost, button, choice, count, field, fixed, h, percent, say, share, short, show, table } from "/page/dom.js";
import { plane } from "/page/pictures.js";
import { priceWords } from "/page/card_screen.js";

const filters = { without: "", questions: 99, isRound: false, tolerance: "0.02", first: "best", second: "now" };

export function poolScreen(studio) {
  const { pool, work, card } = studio.state;
  if (!card) return [h("p", { class: "note" }, say("no_card"))];
  const isBusy = work.state === "running";
  const tolerances = ["0.005", "0.01", "0.02", "0.05"].map(one => [one, percent(Number(one))]);
  return [h("section", { "aria-labelledby": "pool-title" }, h("h2", { id: "pool-title" }, say("pool_title")), h("p", {}, say("pool_words")),
    h("div", { class: "row" }, field(say("tolerance"), choice(tolerances, filters.tolerance, value => { filters.tolerance = value; }, { "data-key": "tolerance" })),
      button(say("find_pool"), () => studio.act("find_pool", { tolerance: Number(filters.tolerance), size: 100 }), { class: "main", id: "find-pool", "data-key": "find-pool", disabled: isBusy })),
    h("div", { id: "work" }), isBusy ? h("p", { class: "note" }, say(`busy_${work.kind}`), " ",
      button(say("cancel"), () => post("/api/stop", { cancel: true }).catch(studio.fail), { "data-key": "cancel" })) : null,
    pool ? poolPart(studio, pool) : null), comparePart(studio)];
}

const names = pool => [...new Set(pool.cards.flatMap(one => one.features))].sort();

function kept(pool) {
  return pool.cards.filter(one => !one.features.includes(filters.without) && one.features.length <= filters.questions && (!filters.isRound || one.digits <= 2));
}

function poolPart(studio, pool) {
  const set = (key, value) => { filters[key] = value; studio.draw(); };
  const cards = kept(pool);
  const take = place => studio.act("take_from_pool", { place });
  const points = cards.map(one => ({ x: one.features.length, y: 100 * one.above_best, isChosen: one.place === 0,
    title: `${one.terms.join("; ")} (${percent(one.above_best, 2)})`, choose: () => { filters.second = one.place; studio.draw(); } }));
  return [h("p", { id: "pool-summary" }, pool.summary),
    h("fieldset", { class: "row" }, h("legend", {}, say("filters")),
      field(say("without"), choice([["", say("any")], ...names(pool).map(name => [name, name])], filters.without, value => set("without", value), { id: "without", "data-key": "without" })),
      field(say("questions"), h("input", { type: "number", min: 1, value: filters.questions === 99 ? "" : filters.questions, "data-key": "questions",
        onchange: event => set("questions", Number(event.target.value) || 99) })),
      h("label", { class: "check" }, h("input", { type: "checkbox", checked: filters.isRound, "data-key": "round", onchange: event => set("isRound", event.target.checked) }), say("round_cuts"))),
    points.length ? plane(points, { x: say("map_x"), y: say("map_y"), isWhole: true, isFromZero: true, label: say("map_label") }) : null,
    h("p", { id: "pool-count" }, say("pool_count", { shown: cards.length, all: pool.cards.length })),
    h("p", { class: "facts" }, say("pool_order")),
    table(say("pool_title"), [{ number: say("place") }, say("pool_terms"), { number: say("loss") }, { number: say("above") }, ""], cards.map(one => [{ number: count(1 + pool.cards.indexOf(one)) },
      h("ul", { class: "terms" }, one.terms.map(term => h("li", {}, term))), { number: short(one.loss, 6) }, { number: atMost(one.above_best) },
      button(say("take_card"), () => take(one.place), { "data-key": `take-${one.place}`, "data-place": one.place, "aria-label": say("take_named", { terms: one.terms.join("; ") }) })]), { id: "pool" })];
}

function comparePart(studio) {
  const { pool } = studio.state;
  const cards = [["now", say("card_now")], ["best", say("card_best")], ...(pool?.cards ?? []).map((one, i) => [String(one.place), `${i + 1}: ${one.terms.join("; ")}`])];
  const pick = key => choice(cards, String(filters[key]), value => { filters[key] = value; }, { "data-key": key, id: key });
  const place = h("div", { id: "compared" });
  const named = one => (one === "now" || one === "best" ? one : Number(one));
  const compare = async () => {
    try { show(place, compared(studio, await post("/api/compare", { first: named(filters.first), second: named(filters.second) }))); } catch (error) { studio.fail(error); }
  };
  return h("section", { "aria-labelledby": "compare-title" }, h("h2", { id: "compare-title" }, say("compare_title")),
    h("div", { class: "row" }, field(say("first_card"), pick("first")), field(say("second_card"), pick("second")), button(say("compare"), compare, { id: "compare", "data-key": "compare" })), place);
}

function compared({ state }, found) {
  const ends = [0, ...state.groups, 1];
  const group = i => say("group_range", { low: share(ends[i]), high: share(ends[i + 1]) });
  const figures = found.cards.map(card => card.figures);
  const row = (words, one) => [words, ...figures.map(own => ({ number: one(own) }))];
  const part = figures[0].check ? "check" : "training";
  return [
    h("div", { class: "sides" }, found.cards.map((card, i) => h("div", {}, h("h3", {}, say(i ? "second_card" : "first_card")), h("ul", {}, card.features.flatMap(feature =>
      feature.lines.map(line => h("li", {}, `${feature.heading} ${line.label}: ${line.points}`))))))),
    table(say("compare_figures"), ["", { number: say("first_card") }, { number: say("second_card") }], [
      row(say("loss"), own => short(own.loss, 7)), row(say("price_title"), priceWords), row(say(`auc_${part}`), own => own[part].auc === null ? "–" : fixed(own[part].auc, 3))]),
    h("p", { id: "apart" }, say("apart", { apart: count(found.apart), rows: count(found.rows) })),
    table(say("cross_title"), [say("cross_corner"), ...found.table.map((_, i) => ({ number: group(i) }))], found.table.map((own, i) => [group(i), ...own.map(number => ({ number: count(number) }))])),
    found.shown.length ? table(say("rows_apart"), [...found.names, { number: say("first_card") }, { number: say("second_card") }, say("event")],
      found.shown.map(one => [...one.values, { number: percent(one.risks[0]) }, { number: percent(one.risks[1]) }, one.is_event ? say("yes") : say("no")])) : null];
}
