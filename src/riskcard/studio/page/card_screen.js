// The card: found live with its proof, changed by hand, with its price at every move.

import { post } from "/page/api.js";
import { around, atMost, button, choice, count, field, find, fixed, h, heard, percent, say, short, show } from "/page/dom.js";
import { bars, gapPicture, plane } from "/page/pictures.js";

export function cardScreen(studio) {
  const { card } = studio.state;
  const place = h("div", { class: card ? "two" : null },
    h("div", {}, h("section", { "aria-labelledby": "fit-title" }, h("h2", { id: "fit-title" }, say("fit_title")), size(studio),
      h("div", { id: "work" })), card ? cardPart(studio, card) : null),
    card ? h("aside", { id: "price", "aria-labelledby": "price-title" }, priceParts(studio, card)) : null);
  queueMicrotask(() => showWork(studio));
  return [place];
}

// --- the fit ---

function size(studio) {
  const { choices, work } = studio.state;
  const set = key => event => studio.act("choose", { changes: { [key]: Number(event.target.value) } });
  const number = (key, low, high) => h("input", { type: "number", min: low, max: high, value: choices[key], id: key, "data-key": key, onchange: set(key) });
  const isBusy = work.state === "running";
  return [
    h("div", { class: "row" }, field(say("max_terms"), number("max_terms", 1, 20)), field(say("max_points"), number("max_points", 1, 100)),
      field(say("seconds"), number("seconds", 1, 3600))),
    h("div", { class: "row" }, button(say("find_card"), () => studio.act("fit"), { class: "main", id: "fit", "data-key": "fit", disabled: isBusy }),
      button(say("find_sizes"), () => studio.act("find_sizes", { most: 8 }), { "data-key": "sizes", id: "sizes", disabled: isBusy })),
    sizesPicture(studio)];
}

function sizesPicture(studio) {
  const { sizes } = studio.state;
  if (!sizes) return null;
  const choose = terms => studio.act("choose", { changes: { max_terms: terms } });
  const points = sizes.terms.map((terms, i) => ({ x: terms, y: sizes.loss[i], title: say("size_point", { terms, loss: fixed(sizes.loss[i], 4), auc: fixed(sizes.auc[i], 3) }),
    isChosen: terms === sizes.chosen, choose: () => terms && choose(terms) }));
  return h("details", { open: true, "data-key": "sizes-shown" }, h("summary", {}, say("sizes_title", { terms: sizes.chosen })),
    plane(points, { x: say("terms"), y: say("mean_loss_new"), isWhole: true, label: say("sizes_title", { terms: sizes.chosen }) }),
    h("p", { class: "facts" }, say("sizes_words")),
    h("div", { class: "row" }, sizes.terms.filter(terms => terms > 0).map(terms => button(String(terms), () => choose(terms),
      { "aria-label": say("take_size", { terms }), "aria-pressed": String(terms === studio.state.choices.max_terms), "data-key": `size-${terms}` }))));
}

/** Whether the bound has not risen for seconds, which a person may take for a halt. */
function isStill(moments) {
  const last = moments[moments.length - 1], since = moments.findIndex(one => one[2] === last[2]);
  return last[0] - moments[since][0] > 1.5;
}

/** Milliseconds between two prices that a rising bound changes: a screen reader reads each of them. */
const BETWEEN_PRICES = 1500;
let lastPrice = 0;

/** Hold the price against what is proven by now. */
function followBound(studio, bound) {
  const place = find("figures"), figures = studio.state.card?.figures, now = performance.now();
  if (!place || around().dataset.held || bound === null || bound <= figures.bound || now - lastPrice < BETWEEN_PRICES) return;
  lastPrice = now;
  Object.assign(figures, { bound, above_bound: figures.loss / bound - 1 });
  show(place, figureParts(studio, figures));
}

/** How far the work is; drawn by itself, so that nobody who types is disturbed. */
export function showWork(studio) {
  const place = find("work");
  const work = studio.heard ?? studio.state.work;
  if (!place) return;
  followBound(studio, work.bound);
  const isBusy = work.state === "running", moments = work.moments ?? [], last = moments[moments.length - 1];
  const gap = last && last[2] > 0 ? Math.max(0, (last[1] - last[2]) / last[1]) : null;
  const told = isBusy ? say(work.is_ready ? `busy_${work.kind}` : "preparing") : work.state === "cancelled" ? say("cancelled") : "";
  show(place,
    work.state === "failed" ? heard("p", work.reason, { class: "note bad", id: "work-words" }) : null,
    told ? h("p", { class: "note", id: "work-words" }, told,
      isBusy && work.seconds > 2 ? ` ${say("elapsed", { seconds: count(Math.floor(work.seconds)) })}` : null) : null,
    last && (work.kind === "free" || work.kind === "pinned") ? [gapPicture(moments),
      h("p", { id: "gap" }, gap === null ? say("no_bound_yet", { loss: short(last[1], 6) })
        : say(isBusy && isStill(moments) ? "gap_still" : "gap_words", { nodes: count(last[3] ?? 0), loss: short(last[1], 6), bound: short(last[2], 6), gap: atMost(gap), seconds: fixed(last[0], 1) }))] : null,
    isBusy ? h("div", { class: "row" },
      work.is_ready && (work.kind === "free" || work.kind === "pinned") ? button(say("stop"), () => post("/api/stop", {}).catch(studio.fail), { "data-key": "stop", id: "stop" }) : null,
      button(say("cancel"), () => post("/api/stop", { cancel: true }).catch(studio.fail), { "data-key": "cancel", id: "cancel" })) : null);
}

// --- the price ---

/** What a card costs, in words that are true of it. */
export function priceWords(figures) {
  if (figures.above_bound === null || figures.above_bound === undefined || figures.bound <= 0) return say("price_unproven");
  if (figures.above_bound < 0) return say("price_below", { share: percent(-figures.above_bound, 2) });
  return say("price_above", { share: atMost(figures.above_bound) });
}

/** What the kind of cards of the bound is made from. */
function candidateWords(figures) {
  return say(figures.has_every_cut ? "kind_of_every_cut" : "kind_of_candidates", { candidates: figures.candidates });
}

function againstBest(figures) {
  const share = figures.above_best;
  if (Math.abs(share) < 5e-7) return say("same_as_best");
  return say(share > 0 ? "above_best" : "below_best", { share: percent(Math.abs(share), 2) });
}

function priceParts(studio, card) {
  return [h("h2", { id: "price-title" }, say("price_title")), h("div", { id: "figures", "aria-live": "polite" }, figureParts(studio, card.figures)),
    proofParts(studio, card)];
}

function figureParts(studio, figures) {
  const fact = (name, words, value, exact) => [h("dt", {}, words), h("dd", { "data-figure": name, "data-value": exact }, value)];
  const rows = figures.check ?? figures.training, part = figures.check ? "check" : "training";
  const { observed, expected } = rows;
  return [
    h("p", { class: "price", id: "price-words", "data-value": figures.above_bound }, priceWords(figures)),
    h("p", { id: "against-best", "data-value": figures.above_best }, againstBest(figures)),
    figures.is_larger ? h("p", { class: "note" }, say("larger")) : null,
    h("dl", {},
      fact("loss", say("loss"), short(figures.loss, 7), figures.loss),
      fact("bound", say("bound"), figures.bound > 0 ? short(figures.bound, 7) : "–", figures.bound),
      fact("auc", say(`auc_${part}`), rows.auc === null ? "–" : fixed(rows.auc, 3), rows.auc),
      fact("slope", say(`slope_${part}`), rows.slope === null ? "–" : fixed(rows.slope, 2), rows.slope),
      fact("expected", say(`expected_${part}`), say("expected_of", { expected: fixed(expected, 1), observed: count(observed) }), expected),
      fact("moved", say("moved"), say("moved_of", { moved: count(figures.moved), rows: count(figures.training.rows) }), figures.moved)),
    figures.check ? null : h("p", { class: "facts" }, say("only_training")),
    figures.bound > 0 ? h("p", { class: "facts", id: "candidates" }, candidateWords(figures)) : null];
}

function proofParts(studio, card) {
  const { best } = studio.state;
  const own = card.is_edited ? [say("edited")] : card.proof;
  return h("section", {}, h("h3", {}, say("proof_title")), h("p", { id: "proof" }, own[0]),
    h("details", { "data-key": "proof" }, h("summary", {}, say("proof_details")),
      (card.is_edited ? best.proof : own.slice(1)).map(one => h("p", {}, one))));
}

/** Show the figures of a change that is not made yet. */
async function preview(studio, edit) {
  const began = performance.now();
  const card = await post("/api/preview", { edit });
  show(find("figures"), figureParts(studio, card.figures));
  noteTime(began);
}

/** How long it took from a move to its price, for whoever measures it. */
function noteTime(began) {
  (window.editTimes ??= []).push(performance.now() - began);
}

async function edit(studio, change) {
  const began = performance.now();
  if (await studio.act("edit", { edit: change })) noteTime(began);
}

// --- the card ---

function cardPart(studio, card) {
  const { pins } = studio.state;
  return h("section", { "aria-labelledby": "card-title" }, h("h2", { id: "card-title" }, card.title),
    h("div", { class: "row" },
      button(say("do_rest"), () => studio.act("fit", { with_pins: true }), { id: "do-rest", "data-key": "do-rest",
        disabled: !Object.keys(pins).length || studio.state.work.state === "running" }),
      button(say("back_to_best"), () => studio.act("take_best"), { "data-key": "take-best", id: "take-best", disabled: card.is_best })),
    h("p", { class: "facts" }, say("pins_words")),
    card.features.map(feature => featurePart(studio, feature)),
    card.features.length ? null : h("p", {}, say("empty_card")),
    addPart(studio, card), totalsPart(card));
}

function featurePart(studio, feature) {
  const pinned = studio.state.pins[feature.name] ?? [];
  return h("article", { class: "feature", "data-feature": feature.name, "aria-label": feature.heading },
    h("header", {}, h("h3", {}, feature.heading), pinPart(studio, feature, pinned),
      button(say("remove_feature"), () => edit(studio, { what: "remove", feature: feature.name }),
        { "data-key": `remove-${feature.name}`, "aria-label": say("remove_named", { name: feature.heading }) })),
    feature.handle ? cutsPart(studio, feature) : null,
    linesPart(studio, feature),
    feature.can_move_levels ? levelsPart(studio, feature) : null);
}

function pinPart(studio, feature, pinned) {
  const names = feature.cuts.length ? ["use", "cuts", "points", "rises", "falls"] : ["use"];
  const set = (name, isOn) => {
    const opposite = { rises: "falls", falls: "rises" }[name];
    const own = pinned.filter(one => one !== name && (!isOn || one !== opposite));
    return studio.act("set_pins", { pins: { ...studio.state.pins, [feature.name]: isOn ? [...own, name] : own } });
  };
  return h("details", { class: "pins", "data-key": `pins-${feature.name}` },
    h("summary", {}, pinned.length ? say("pinned", { pins: pinned.map(one => say(`pin_${one}`)).join(", ") }) : say("pin")),
    h("fieldset", {}, h("legend", { class: "unseen" }, say("pin_named", { name: feature.heading })), names.map(name => h("label", { class: "check" },
      h("input", { type: "checkbox", checked: pinned.includes(name), "data-key": `pin-${name}-${feature.name}`,
        onchange: event => set(name, event.target.checked) }), say(`pin_${name}`)))));
}

function cutsPart(studio, feature) {
  const { low, high, step } = feature.handle;
  const place = h("div", { class: "cuts" }), picture = h("div", { class: "picture" }, bars(feature, 64, [low, high]));
  const axis = h("p", { class: "ends", "aria-hidden": "true" }, [low, high].map(one => h("span", {}, short(one))));
  const decimals = Math.max(0, -Math.floor(Math.log10(step)));
  feature.cuts.forEach((cut, i) => {
    // a handle that is drawn past its neighbour stays next to it
    const least = i > 0 ? feature.cuts[i - 1] + step : -Infinity, most = i + 1 < feature.cuts.length ? feature.cuts[i + 1] - step : Infinity;
    const placed = text => (least > most ? cut : Number(Math.min(Math.max(Number(text), least), most).toFixed(decimals + 1)));
    const number = h("input", { type: "number", step: "any", value: cut, class: "cut-number", "data-key": `cut-number-${i}-${feature.name}`,
      "aria-label": say("cut_number", { name: feature.heading, place: i + 1 }),
      onchange: event => {
        // an empty field is no cut at 0
        if (event.target.value.trim() === "") event.target.value = cut;
        else edit(studio, { what: "cut", feature: feature.name, place: i, cut: Number(event.target.value) });
      } });
    let isBusy = false, next = null;
    const look = async value => {
      next = value;
      if (isBusy) return;
      isBusy = true;
      while (next !== null) {
        const now = next;
        next = null;
        try {
          await preview(studio, { what: "cut", feature: feature.name, place: i, cut: now });
        } catch (error) { if (error.isGone) studio.fail(error); }
      }
      isBusy = false;
    };
    const handle = h("input", { type: "range", min: low, max: high, step, value: cut, class: "handle", "data-key": `cut-${i}-${feature.name}`, "data-cut": i,
      "aria-label": say("cut_handle", { name: feature.heading, place: i + 1 }), "aria-valuetext": short(cut),
      oninput: event => {
        around().dataset.held = "yes";
        const value = placed(event.target.value);
        number.value = value;
        event.target.setAttribute("aria-valuetext", short(value));
        look(value);
      },
      onchange: event => {
        delete around().dataset.held;
        next = null;
        edit(studio, { what: "cut", feature: feature.name, place: i, cut: placed(event.target.value) });
      } });
    picture.append(handle);
    place.append(h("div", { class: "cut" }, number,
      button(say("remove_cut"), () => edit(studio, { what: "remove cut", feature: feature.name, place: i }),
        { "aria-label": say("remove_cut_named", { name: feature.heading, cut: short(cut) }), "data-key": `remove-cut-${i}-${feature.name}` })));
  });
  place.append(button(say("add_cut"), () => edit(studio, { what: "add cut", feature: feature.name }),
    { "data-key": `add-cut-${feature.name}`, "aria-label": say("add_cut_named", { name: feature.heading }) }));
  return [picture, axis, place];
}

function linesPart(studio, feature) {
  const set = (line, points) => edit(studio, { what: "points", feature: feature.name, line, points });
  const rows = feature.lines.map((line, i) => {
    const key = `${i}-${feature.name}`;
    const rate = line.rows ? percent(line.events / line.rows) : "–";
    return h("tr", { "data-line": i }, h("th", { scope: "row" }, line.label), h("td", { class: "number" }, count(line.rows ?? 0)), h("td", { class: "number" }, rate),
      h("td", { class: "stepper" },
        button("−", () => set(i, line.points - 1), { "data-key": `less-${key}`, class: "less", "aria-label": say("less", { line: line.label }) }),
        h("input", { type: "number", step: 1, value: line.points, "data-key": `points-${key}`, class: "points", "aria-label": say("points_of", { line: line.label }),
          onchange: event => {
            if (event.target.value.trim() === "") event.target.value = line.points;
            else set(i, Math.round(Number(event.target.value)));
          } }),
        button("+", () => set(i, line.points + 1), { "data-key": `more-${key}`, class: "more", "aria-label": say("more", { line: line.label }) })));
  });
  return h("table", { class: "lines" }, h("caption", { class: "unseen" }, feature.heading), h("thead", {}, h("tr", {},
    h("th", { scope: "col" }, say("line")), h("th", { scope: "col", class: "number" }, say("line_rows")),
    h("th", { scope: "col", class: "number" }, say("line_rate")), h("th", { scope: "col", class: "number" }, say("points")))), h("tbody", {}, rows));
}

function levelsPart(studio, feature) {
  const groups = feature.groups.map((levels, i) => [String(i), feature.lines[i].label]);
  const own = [...groups, [String(groups.length), say("own_group")]];
  return h("details", { "data-key": `levels-${feature.name}` }, h("summary", {}, say("move_levels")),
    feature.groups.flatMap((levels, i) => levels.map(level => field(level, choice(own, String(i),
      group => edit(studio, { what: "level", feature: feature.name, level, group: Number(group) }), { "data-key": `level-${level}-${feature.name}` })))));
}

function addPart(studio, card) {
  const used = card.features.map(one => one.name);
  const names = studio.columns.filter(one => one.is_used && !used.includes(one.name) && one.name !== studio.state.choices.target).map(one => one.name);
  let chosen = names[0];
  return h("div", { class: "row add" }, field(say("add_feature"), choice(names.map(name => [name, name]), chosen, name => { chosen = name; }, { id: "add-name", "data-key": "add-name" })),
    button(say("add"), () => edit(studio, { what: "add", feature: chosen }), { id: "add", "data-key": "add", disabled: !names.length }),
    button(say("never"), () => studio.act("set_pins", { pins: { ...studio.state.pins, [chosen]: ["never"] } }), { "data-key": "never", disabled: !names.length }),
    neverPart(studio));
}

function neverPart(studio) {
  const never = Object.entries(studio.state.pins).filter(([, own]) => own.includes("never")).map(([name]) => name);
  return never.length ? h("p", { class: "facts" }, say("never_used"), " ", never.map(name => button(`${name} ×`, () => {
    const { [name]: _, ...others } = studio.state.pins;
    return studio.act("set_pins", { pins: others });
  }, { "aria-label": say("allow_again", { name }), "data-key": `allow-${name}` }))) : null;
}

function totalsPart(card) {
  return h("details", { "data-key": "totals" }, h("summary", {}, say("totals_title")), h("table", { class: "totals" },
    h("thead", {}, h("tr", {}, [say("total"), say("risk"), say("line_rows"), say("line_rate")].map(one => h("th", { scope: "col", class: "number" }, one)))),
    h("tbody", {}, card.totals.map(line => h("tr", {}, h("td", { class: "number" }, line.label), h("td", { class: "number" }, line.risk),
      h("td", { class: "number" }, line.rows === null ? "–" : count(line.rows)),
      h("td", { class: "number" }, line.rows ? percent(line.events / line.rows) : "–"))))));
}
