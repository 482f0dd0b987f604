// The end: look at the sealed rows once, sign the card off, and take it along with its recipe.

import { download } from "/page/api.js";
import { button, clock, count, field, fixed, h, say, short, table } from "/page/dom.js";
import { priceWords } from "/page/card_screen.js";

const FILES = ["all", "card", "page", "calculator", "report", "recipe", "rules", "log", "session", "python", "sql", "javascript", "xlsx", "pmml"];
const typed = { name: "", role: "", reason: "" };

export function signScreen(studio) {
  if (!studio.state.card) return [h("p", { class: "note" }, say("no_card"))];
  return [testPart(studio), signPart(studio), filesPart(studio), logPart(studio)];
}

function testPart(studio) {
  const { parts, is_test_opened: isOpened, log } = studio.state;
  if (!parts.sealed) return h("section", {}, h("h2", {}, say("test_title")), h("p", {}, say("no_sealed")));
  const { choices } = studio.state;
  const isSpent = log.some(one => one.what === "fitted" && one.hold_out !== choices.hold_out);
  const entry = log.findLast(one => one.what === "test opened");
  return h("section", { "aria-labelledby": "test-title" }, h("h2", { id: "test-title" }, say("test_title")),
    isSpent ? h("p", { class: "note", id: "spent" }, say("test_spent")) : null,
    isOpened && entry ? h("p", { id: "test" }, say("test_words", { rows: count(entry.rows), events: count(entry.events), auc: entry.auc === null ? "–" : fixed(entry.auc, 3),
      slope: entry.slope === null ? "–" : fixed(entry.slope, 2), expected: fixed(entry.expected, 1), time: clock(entry.time) }))
      : [h("p", {}, say("sealed_words", { rows: count(parts.sealed.rows) })),
        button(say("open_test"), () => studio.act("open_test"), { id: "open-test", "data-key": "open-test" })]);
}

function signPart(studio) {
  const { card, log, is_signed: isSigned } = studio.state;
  const input = key => h("input", { type: "text", id: `sign-${key}`, value: typed[key], "data-key": `sign-${key}`, oninput: event => { typed[key] = event.target.value; } });
  const signed = log.filter(one => one.what === "signed").at(-1);
  return h("section", { "aria-labelledby": "sign-title" }, h("h2", { id: "sign-title" }, say("sign_title")),
    h("p", {}, card.is_edited ? say("sign_edited") : say("sign_proven"), " ", priceWords(card.figures)),
    h("div", { class: "row" }, field(say("sign_name"), input("name")), field(say("sign_role"), input("role")), field(say("sign_reason"), input("reason"))),
    button(say("sign"), () => studio.act("sign", { ...typed }), { class: "main", id: "sign", "data-key": "sign" }),
    signed && !isSigned ? h("p", { id: "signed-other", class: "note bad" }, say("signed_other")) : null,
    signed ? h("p", { id: "signed", class: "note" }, say("signed_words", { name: signed.name, role: signed.role || "–", time: clock(signed.time), hash: signed.hash.slice(0, 16) })) : null);
}

function filesPart(studio) {
  const { command, rules } = studio.state;
  const get = async (kind, event) => {
    const own = event.currentTarget;
    own.disabled = true;
    studio.speak(say("making_file"));
    try { await download(kind); studio.speak(say("file_saved")); } catch (error) { studio.fail(error); } finally { own.disabled = false; }
  };
  return h("section", { "aria-labelledby": "files-title" }, h("h2", { id: "files-title" }, say("files_title")),
    h("div", { class: "row" }, FILES.filter(kind => kind !== "rules" || rules).map(kind => button(say(`file_${kind}`), event => get(kind, event), { "data-key": `file-${kind}`, id: `file-${kind}`, class: kind === "all" ? "main" : "" }))),
    h("h3", {}, say("recipe_title")), h("p", {}, say(studio.state.card.is_edited ? "recipe_edited" : studio.state.card.is_finished ? "recipe_words" : "recipe_unfinished")), h("pre", { id: "command", tabindex: "0" }, command));
}

/** From what to what a change was made, as far as the log knows. */
function stepOf({ before, after }) {
  const ends = [before, after].filter(one => one !== undefined).map(one => short(one, 12));
  return ends.length ? `: ${ends.join(" → ")}` : "";
}

function logPart(studio) {
  const { log } = studio.state;
  const told = one => {
    if (one.what === "edited") return `${say(`edit_${one.edit.what.replace(" ", "_")}`)}: ${[one.edit.feature, one.line, one.edit.level].filter(Boolean).join(", ")}${stepOf(one)}`;
    if (one.what === "fitted") return one.command;
    if (one.what === "signed") return `${one.name}: ${one.reason}`;
    return one.name ?? "";
  };
  return h("section", { "aria-labelledby": "log-title" }, h("h2", { id: "log-title" }, say("log_title")), h("p", {}, say("log_words")),
    table(say("log_title"), [say("time"), say("what"), say("particulars"), { number: say("loss") }, say("hash")],
      log.map(one => [clock(one.time), say(`log_${one.what.replace(" ", "_")}`), h("span", { class: "long" }, told(one)), { number: one.loss ? short(one.loss, 6) : "" }, h("code", {}, one.hash.slice(0, 10))]), { id: "log" }));
}
