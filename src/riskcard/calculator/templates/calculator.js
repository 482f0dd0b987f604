"use strict";
(() => {
  // The card, its questions and all words; see page.py for what is in it.
  const data = JSON.parse(document.getElementById("data").textContent);
  const questions = data.questions;
  const blocks = questions.map((_, i) => document.querySelector(`[data-question="${i}"]`));
  const find = (id) => document.getElementById(id);
  // one answer a question: {row, text} when it is known, {problem} when it is refused, or null
  const answers = questions.map(() => null);
  const timers = questions.map(() => 0);
  let announcing = 0;

  // --- words and numbers ------------------------------------------------------------------------

  const say = (key, parts = {}) =>
    data.words[key].replace(/\{(\w+)\}/g, (place, name) => (name in parts ? parts[name] : place));

  const written = (text) => text.replace(/-/g, "−").replace(".", data.words.decimal);

  function percent(risk) {
    if (risk < 0.0001) return say("percent", { number: say("below", { number: written("0.01") }) });
    if (risk > 0.9999) return say("percent", { number: say("beyond", { number: written("99.99") }) });
    const places = risk < 0.01 || risk > 0.99 ? 2 : 1;
    return say("percent", { number: written((100 * risk).toFixed(places)) });
  }

  // where the card gives a rate or a number, how it is written
  const amount = data.amount || null;

  function amountWords(value) {
    if (amount.decimals === null) return written(String(Number(value.toPrecision(3))));
    const [whole, part] = value.toFixed(amount.decimals).split(".");
    const grouped = whole.replace(/\B(?=(\d{3})+$)/g, amount.thousands).replace("-", "−");
    return part ? grouped + data.words.decimal + part : grouped;
  }

  // what a risk, a rate or a number is written as
  const figureWords = (value) => (amount ? amountWords(value) : percent(value));

  // where the card has horizons, the risk by the one that is chosen
  const horizon = () => (data.horizons ? data.horizons[Number(find("horizon").value)] : null);

  function riskOf(total) {
    const logOdds = total / data.multiplier + data.offset;
    if (data.horizons) return -Math.expm1(-horizon().hazard * Math.exp(logOdds));
    if (amount) return amount.is_log ? Math.exp(logOdds) : logOdds;
    if (logOdds >= 0) return 1 / (1 + Math.exp(-logOdds));
    return Math.exp(logOdds) / (1 + Math.exp(logOdds));
  }

  // A number with a point or a comma; what could be read in two ways is refused.
  function readNumber(entered) {
    const text = entered.trim().replace(/^−/, "-").replace(/([eE])−/, "$1-");
    const example = written("61.5");
    if (!/^[+-]?(\d+([.,]\d*)?|[.,]\d+)([eE][+-]?\d+)?$/.test(text))
      return { problem: say("not_a_number", { text: entered.trim(), example }) };
    const other = data.words.decimal === "." ? "," : ".";
    const groups = text.match(/^([+-]?[1-9]\d{0,2})([.,])(\d{3})$/);
    if (groups && groups[2] === other) {
      const sign = data.words.decimal;
      const [first, second] = [groups[1] + groups[3], `${groups[1]}${sign}${groups[3]}0`];
      return { problem: say("ambiguous", { text: entered.trim(), first, second }) };
    }
    const value = Number(text.replace(",", "."));
    if (!Number.isFinite(value)) return { problem: say("too_large", { text: entered.trim() }) };
    return { value };
  }

  // --- answers ----------------------------------------------------------------------------------

  function answerNumber(question, entered) {
    const { value, problem } = readNumber(entered);
    if (problem) return { problem };
    const special = question.choices.find((one) => one.key !== "missing" && Number(one.key) === value);
    if (special) return { row: special.row, text: entered.trim() };
    const range = outOfRange(question, value);
    if (range) return { problem: range };
    const place = question.cuts.findIndex((cut) => value <= cut);
    const row = place < 0 ? question.cuts.length : place;
    return { row, text: entered.trim(), remark: unseen(question, value) };
  }

  // a value that no training row came near is scored, but not without a word
  function unseen(question, value) {
    if (!question.seen || (question.seen[0] <= value && value <= question.seen[1])) return "";
    const [lowest, highest] = question.seen.map((end) => written(String(end)));
    return say("unseen", { lowest, highest });
  }

  function outOfRange(question, value) {
    const { lowest, highest } = question;
    const isLow = lowest !== null && value < lowest;
    const isHigh = highest !== null && value > highest;
    if (!isLow && !isHigh) return "";
    const parts = { lowest: written(String(lowest)), highest: written(String(highest)) };
    if (lowest !== null && highest !== null) return say("out_of_range", parts);
    return say(isLow ? "too_low" : "too_high", parts);
  }

  function read(i) {
    const question = questions[i];
    if (question.kind === "none") return { row: 0, text: "" };
    if (question.kind === "number") {
      const pressed = blocks[i].querySelector('.special[aria-pressed="true"]');
      const field = find(`value-${i}`);
      if (pressed && field.value.trim() === "") {
        const choice = question.choices[pressed.dataset.choice];
        return { row: choice.row, text: choice.label, key: choice.key };
      }
      if (field.value.trim() !== "") return answerNumber(question, field.value);
      const tapped = blocks[i].querySelector(".row input:checked");
      if (!tapped) return null;
      return { row: Number(tapped.value), text: question.labels[tapped.value], key: `~${tapped.value}` };
    }
    const chosen =
      question.kind === "list" ? find(`value-${i}`) : blocks[i].querySelector("input:checked");
    if (!chosen || chosen.value === "") return null;
    const choice = question.choices[chosen.value];
    return { row: choice.row, text: choice.label, key: choice.key };
  }

  function update(i) {
    answers[i] = read(i);
    showQuestion(i);
    showResult();
  }

  // --- what is shown of a question ----------------------------------------------------------------

  function showQuestion(i) {
    const answer = answers[i];
    const row = answer && !answer.problem ? answer.row : -1;
    const isButtons = questions[i].kind === "buttons";
    for (const element of blocks[i].querySelectorAll(".row")) {
      const applies = isButtons
        ? Boolean(element.querySelector("input").checked)
        : Number(element.dataset.row) === row;
      element.classList.toggle("lit", applies);
      element.querySelector(".applies").hidden = !applies || isButtons;
      if (questions[i].kind === "number") element.querySelector("input").checked = applies;
    }
    const isWrong = Boolean(answer && answer.problem);
    if (find(`remark-${i}`)) find(`remark-${i}`).textContent = (answer && answer.remark) || "";
    if (!isWrong) showProblem(i, "");
    window.clearTimeout(timers[i]);
    // nobody is corrected in the middle of a number
    if (isWrong) timers[i] = window.setTimeout(() => showProblem(i, answers[i].problem || ""), 900);
  }

  function showProblem(i, words) {
    window.clearTimeout(timers[i]);
    const place = find(`error-${i}`);
    if (!place || place.textContent === words) return;
    place.textContent = words;
    const field = find(`value-${i}`);
    if (words) field.setAttribute("aria-invalid", "true");
    else field.removeAttribute("aria-invalid");
  }

  // --- the result ---------------------------------------------------------------------------------

  function sums() {
    let [low, high] = [data.base, data.base];
    questions.forEach((question, i) => {
      const answer = answers[i];
      const known = answer && !answer.problem ? [question.points[answer.row]] : question.points;
      low += Math.min(...known);
      high += Math.max(...known);
    });
    return [low, high];
  }

  function showResult() {
    const open = questions.filter((_, i) => !answers[i] || answers[i].problem);
    const [low, high] = sums();
    const total = open.length ? null : low;
    const [totalPlace, riskPlace] = [find("total"), find("risk")];
    const isKnown = total !== null;
    totalPlace.textContent = isKnown ? written(String(total)) : "–";
    riskPlace.textContent = isKnown ? figureWords(riskOf(total)) : "–";
    if (data.horizons) find("risk-name").textContent = horizon().words;
    totalPlace.dataset.total = isKnown ? String(total) : "";
    riskPlace.dataset.risk = isKnown ? String(riskOf(total)) : "";
    document.body.classList.toggle("complete", isKnown);
    const words = isKnown ? "" : openWords(open, low, high);
    find("open").textContent = words;
    find("meaning").textContent = isKnown ? meaningOf(total) : "";
    showReasons(isKnown);
    showSum(total);
    showTable(total);
    drawCurve(low, high, total);
    find("linked").textContent = "";
    announce(
      isKnown ? say("announcement", { total: written(String(total)), risk: riskWords(total) }) : words,
    );
  }

  // what is shown where it is not one risk
  const figureName = () => (amount ? amount.words : data.horizons ? horizon().words : "");

  const riskWords = (total) =>
    figureName() ? `${figureWords(riskOf(total))} (${figureName()})` : figureWords(riskOf(total));

  function openWords(open, low, high) {
    const features = open.map((question) => question.name).join(data.words.separator);
    const [least, most] = [riskOf(low), riskOf(high)].sort((one, other) => one - other);
    const parts = { low: figureWords(least), high: figureWords(most) };
    const range = open.length === questions.length ? "" : ` ${say("possible_risk", parts)}`;
    return say("still_to_enter", { features }) + range;
  }

  // the risk in people, and what was counted in training
  function meaningOf(total) {
    if (amount) return "";
    const hundredths = 100 * riskOf(total);
    const number = String(Math.round(hundredths));
    const key =
      hundredths < 1 ? "fewer_than_one" : hundredths > 99 ? "more_than_ninety_nine" : "of_hundred";
    const here = data.observed.find((one) => one.low <= total && total <= one.high);
    if (data.horizons) return `${horizon().words}: ${say(key, { number })}`;
    if (!here) return say(key, { number });
    const [low, high] = [written(String(here.low)), written(String(here.high))];
    const parts = {
      total: low === high ? low : say("range", { low, high }),
      rows: String(here.rows),
      events: String(here.events),
    };
    const counted = here.rows > 1 ? "counted" : here.rows ? "counted_one" : "counted_none";
    return `${say(key, { number })} ${say(counted, parts)}`;
  }

  // the features that cost most points against the answer with the lowest risk
  function showReasons(isKnown) {
    const place = find("reasons");
    if (!place) return;
    const lost = (question, i) =>
      (question.points[answers[i].row] - question.best) * Math.sign(data.multiplier);
    const found = isKnown
      ? questions.map((question, i) => ({ reason: question.reason, lost: lost(question, i) }))
      : [];
    const worst = found.filter((one) => one.lost > 0).sort((one, other) => other.lost - one.lost);
    const items = worst.slice(0, data.most_reasons).map((one) => {
      const item = document.createElement("li");
      item.textContent = one.reason;
      return item;
    });
    place.hidden = items.length === 0;
    place.querySelector("ol").replaceChildren(...items);
  }

  function announce(words) {
    window.clearTimeout(announcing);
    announcing = window.setTimeout(() => {
      if (find("said").textContent !== words) find("said").textContent = words;
    }, 600);
  }

  function showSum(total) {
    questions.forEach((question, i) => {
      const [, value, points] = document.querySelector(`[data-sum="${i}"]`).children;
      const answer = answers[i];
      const isKnown = Boolean(answer && !answer.problem);
      value.textContent = isKnown ? answer.text : data.words.not_entered;
      value.classList.toggle("pale", !isKnown);
      points.textContent = isKnown ? written(String(question.points[answer.row])) : "";
    });
    find("sum").textContent = total === null ? "–" : written(String(total));
  }

  function showTable(total) {
    for (const row of document.querySelectorAll(".totals tbody tr")) {
      const isHere =
        total !== null && Number(row.dataset.low) <= total && total <= Number(row.dataset.high);
      row.classList.toggle("lit", isHere);
      if (isHere) row.setAttribute("aria-current", "true");
      else row.removeAttribute("aria-current");
    }
  }

  // --- the curve ------------------------------------------------------------------------------------

  const FRAME = { left: 44, right: 350, top: 28, bottom: 200 };

  function drawCurve(low, high, total) {
    const svg = find("curve");
    svg.replaceChildren();
    const ends = [data.totals[0], data.totals[data.totals.length - 1]];
    const margin = ends[0] === ends[1] ? 1 : 0.03 * (ends[1] - ends[0]);
    const [first, last] = [ends[0] - margin, ends[1] + margin];
    const x = (value) =>
      FRAME.left + ((value - first) / (last - first)) * (FRAME.right - FRAME.left);
    const [bottom, top] = amount ? [amount.ticks[0], amount.ticks[amount.ticks.length - 1]] : [0, 1];
    const share = (risk) => Math.min(Math.max((risk - bottom) / (top - bottom), 0), 1);
    const y = (risk) => FRAME.bottom - share(risk) * (FRAME.bottom - FRAME.top);
    drawAxes(svg, x, y, ends);
    const isOpen = total === null && answers.some((answer) => answer && !answer.problem);
    if (isOpen)
      add(svg, "rect", {
        class: "possible", x: x(low) - 2, y: FRAME.top,
        width: Math.max(x(high) - x(low), 0) + 4, height: FRAME.bottom - FRAME.top,
      });
    for (const one of data.observed) {
      if (one.rate === null) continue;
      const at = x((one.low + one.high) / 2);
      const [lowest, highest] = one.interval || [one.rate, one.rate];
      add(svg, "line", { class: "seen", x1: at, x2: at, y1: y(lowest), y2: y(highest) });
      add(svg, "rect", { class: "seen", x: at - 2, y: y(one.rate) - 2, width: 4, height: 4 });
    }
    const steps = Array.from({ length: 121 }, (_, i) => first + ((last - first) * i) / 120);
    const path = steps.map((value) => `${x(value).toFixed(1)},${y(riskOf(value)).toFixed(1)}`);
    add(svg, "polyline", { class: "line", points: path.join(" ") });
    if (data.has_all_totals)
      for (const value of data.totals)
        add(svg, "circle", { class: "dot", cx: x(value), cy: y(riskOf(value)), r: 2.2 });
    const label = [figureName() || data.words.curve];
    if (total !== null) {
      drawPlace(svg, x(total), y(riskOf(total)), figureWords(riskOf(total)));
      label.push(`${data.words.total} ${written(String(total))}, ${figureWords(riskOf(total))}`);
    }
    svg.setAttribute("aria-label", label.join(": "));
  }

  function drawAxes(svg, x, y, ends) {
    for (const tick of amount ? amount.ticks : [0, 0.25, 0.5, 0.75, 1]) {
      add(svg, "line", { class: "grid", x1: FRAME.left, x2: FRAME.right, y1: y(tick), y2: y(tick) });
      const words = amount ? tickWords(tick) : say("percent", { number: String(100 * tick) });
      add(svg, "text", { x: FRAME.left - 5, y: y(tick) + 4, "text-anchor": "end" }, words);
    }
    const span = ends[1] - ends[0];
    const power = 10 ** Math.floor(Math.log10(Math.max(span, 1) / 4));
    const step = Math.max(1, [1, 2, 5, 10].map((n) => n * power).find((n) => span / n <= 8));
    for (let tick = Math.ceil(ends[0] / step) * step; tick <= ends[1]; tick += step) {
      add(svg, "line", { class: "tick", x1: x(tick), x2: x(tick), y1: FRAME.bottom, y2: FRAME.bottom + 4 });
      add(svg, "text", { x: x(tick), y: FRAME.bottom + 17, "text-anchor": "middle" }, written(String(tick)));
    }
    const middle = (FRAME.left + FRAME.right) / 2;
    add(svg, "text", { x: middle, y: FRAME.bottom + 36, "text-anchor": "middle" }, data.words.total);
  }

  // there is room for about seven signs
  const tickWords = (tick) => {
    const long = Math.abs(tick) >= 1e6 || (tick !== 0 && Math.abs(tick) < 1e-3);
    return written(long ? tick.toExponential() : String(tick));
  };

  function drawPlace(svg, x, y, words) {
    add(svg, "line", { class: "place", x1: x, x2: x, y1: y, y2: FRAME.bottom });
    add(svg, "line", { class: "place", x1: FRAME.left, x2: x, y1: y, y2: y });
    add(svg, "circle", { class: "place", cx: x, cy: y, r: 6 });
    // there is room above the curve: to the left of a place where it rises, to the right where it falls
    const isRising = data.multiplier > 0;
    const hasRoom = isRising ? x > FRAME.left + 70 : x < FRAME.right - 70;
    const side = isRising ? x - 4 : x + 4;
    const end = isRising ? FRAME.left + 4 : FRAME.right - 4;
    const place = { class: "words", x: hasRoom ? side : end, y: y - 11 };
    add(svg, "text", { ...place, "text-anchor": hasRoom === isRising ? "end" : "start" }, words);
  }

  function add(parent, name, attributes, text) {
    const element = document.createElementNS("http://www.w3.org/2000/svg", name);
    for (const [key, value] of Object.entries(attributes)) element.setAttribute(key, value);
    if (text !== undefined) element.textContent = text;
    parent.append(element);
  }

  // --- the address: values that someone wants to share ----------------------------------------------

  function hash() {
    const parts = new URLSearchParams();
    questions.forEach((question, i) => {
      const answer = answers[i];
      if (!answer || answer.problem || question.kind === "none") return;
      parts.set(question.feature, answer.key === undefined ? answer.text : answer.key);
    });
    return parts.toString();
  }

  function fill(parts) {
    questions.forEach((question, i) => {
      const given = parts.get(question.feature);
      const place = question.choices.findIndex((choice) => choice.key === given);
      if (question.kind === "number") {
        press(i, place);
        const line = /^~(\d+)$/.exec(given || "");
        tap(i, line ? Number(line[1]) : -1);
        find(`value-${i}`).value = place < 0 && given !== null && !line ? given : "";
      } else if (question.kind === "list") {
        find(`value-${i}`).value = place < 0 ? "" : String(place);
      } else if (question.kind === "buttons") {
        blocks[i].querySelectorAll("input").forEach((one, k) => (one.checked = k === place));
      }
      update(i);
      if (answers[i] && answers[i].problem) showProblem(i, answers[i].problem);
    });
    showResult(); // a card without features asks nothing
  }

  function press(i, place) {
    blocks[i].querySelectorAll(".special").forEach((button, k) => {
      button.setAttribute("aria-pressed", String(k === place));
    });
  }

  function tap(i, row) {
    blocks[i].querySelectorAll(".row input").forEach((one) => (one.checked = Number(one.value) === row));
  }

  // --- what happens when ------------------------------------------------------------------------------

  function listen(i) {
    const question = questions[i];
    if (question.kind === "number") {
      const field = find(`value-${i}`);
      field.addEventListener("input", () => {
        press(i, -1);
        tap(i, -1);
        update(i);
      });
      blocks[i].querySelector(".rows").addEventListener("change", (event) => {
        const row = Number(event.target.value);
        field.value = "";
        press(i, question.choices.findIndex((choice) => choice.row === row));
        update(i);
      });
      field.addEventListener("change", () => {
        if (answers[i] && answers[i].problem) showProblem(i, answers[i].problem);
      });
      blocks[i].querySelectorAll(".special").forEach((button, k) => {
        button.addEventListener("click", () => {
          const isOn = button.getAttribute("aria-pressed") === "true";
          field.value = "";
          press(i, isOn ? -1 : k);
          tap(i, -1);
          update(i);
        });
      });
    } else if (question.kind !== "none") {
      blocks[i].addEventListener("change", () => update(i));
    }
  }

  questions.forEach((_, i) => listen(i));
  if (data.horizons) find("horizon").addEventListener("change", showResult);
  find("inputs").addEventListener("submit", (event) => event.preventDefault());
  find("print").addEventListener("click", () => window.print());
  find("again").addEventListener("click", () => {
    window.history.replaceState(null, "", window.location.pathname + window.location.search);
    fill(new URLSearchParams());
    const first = document.querySelector("#inputs input, #inputs select");
    if (first) first.focus();
  });
  find("link").addEventListener("click", () => {
    window.history.replaceState(null, "", `#${hash()}`);
    find("linked").textContent = data.words.link_made;
  });
  // on paper everything is open
  window.addEventListener("beforeprint", () => {
    for (const part of document.querySelectorAll("details")) part.dataset.was = part.open ? "open" : "";
    find("table").open = false;
    find("about").open = true;
  });
  window.addEventListener("afterprint", () => {
    for (const part of document.querySelectorAll("details")) part.open = part.dataset.was === "open";
  });
  const fromAddress = () => fill(new URLSearchParams(window.location.hash.slice(1)));
  window.addEventListener("hashchange", fromAddress);
  fromAddress();
})();
