// The studio: what is shown follows from the state of the server, and every change goes there first.

import { askBy, listen, post, put, read } from "/page/api.js";
import { cardScreen, showWork } from "/page/card_screen.js";
import { dataScreen } from "/page/data_screen.js";
import { around, button, choice, find, h, heard, say, settle, show, speak } from "/page/dom.js";
import { groupsScreen } from "/page/groups_screen.js";
import { poolScreen } from "/page/pool_screen.js";
import { signScreen } from "/page/sign_screen.js";

const SCREENS = { data: dataScreen, card: cardScreen, pool: poolScreen, groups: groupsScreen, sign: signScreen };

/** What every screen knows and may do. */
const studio = { state: null, columns: [], screen: "data", heard: null, act, change, open, go, speak: announce, fail, draw };

let shownVersion = 0, heardVersion = 0, columnsFor = null, isWaiting = false, spoken = null;

function announce(text) { find("spoken").textContent = text; }

function fail(error) {
  const place = find("message");
  // without words there is nothing to say it with
  place.textContent = error.isGone && spoken ? say("gone") : error.message;
  place.lang = error.isEnglish ? "en" : "";
  place.hidden = false;
}

function clearMessage() { find("message").hidden = true; }

/** Do something that changes the state, and show what came of it; false where it was refused. */
async function change(work) {
  clearMessage();
  around().setAttribute("aria-busy", "true");
  try {
    await take(await work());
    return true;
  } catch (error) {
    if (error.isConflict) await refresh();
    else if (studio.state) draw();
    fail(error);
    return false;
  } finally {
    around().removeAttribute("aria-busy");
    catchUp();
  }
}

/** One action, based on the state that this page shows. */
function act(name, more = {}) {
  return change(() => post("/api/act", { act: name, version: studio.state.version, ...more }));
}

/** Open a table or a saved session; without a file the example. */
async function open(file) {
  if (studio.state.card && !confirm(say("replace_session"))) return false;
  if (!file) return change(() => post("/api/example", {}));
  const isSession = file.name.toLowerCase().endsWith(".json");
  return change(() => put(isSession ? "/api/session" : `/api/table?name=${encodeURIComponent(file.name)}`, file));
}

/** A file may be dropped anywhere: next to a small place, a browser would leave the page for it. */
function takeDrops(element) {
  const mark = isOver => element.classList.toggle("over", isOver);
  const hasFile = event => event.dataTransfer?.types.includes("Files");
  element.addEventListener("dragover", event => { if (hasFile(event)) { event.preventDefault(); mark(true); } });
  element.addEventListener("dragleave", event => { if (!element.contains(event.relatedTarget)) mark(false); });
  element.addEventListener("drop", event => {
    if (!hasFile(event)) return;
    event.preventDefault();
    mark(false);
    const file = event.dataTransfer.files[0];
    if (file && studio.state) open(file).then(isOpen => { if (isOpen) go("data"); });
  });
}

/** The words of the language that the session has. */
async function learn(language) {
  if (language === spoken) return;
  speak(await read(`/words/${language}.json`), language);
  spoken = language;
}

async function take(state) {
  await learn(state.language);
  studio.state = state;
  shownVersion = state.version;
  studio.heard = state.work;
  const key = `${state.table?.sha256} ${state.rows_key} ${state.language}`;
  if (key !== columnsFor) {
    studio.columns = state.table ? await read("/api/columns") : [];
    columnsFor = key;
  }
  draw();
}

async function refresh() { await take(await read("/api/state")); }

function go(screen) {
  clearMessage();
  studio.screen = screen;
  draw();
  find("screen").focus({ preventScroll: true });
  around().scrollIntoView({ block: "start" });
}

function draw() {
  const { state } = studio;
  const names = Object.keys(SCREENS);
  show(find("top"),
    h("h1", {}, say("title")),
    h("nav", { "aria-label": say("screens") }, names.map((name, place) => button(`${place + 1} ${say(`screen_${name}`)}`, () => go(name), {
      "data-key": `go-${name}`, "aria-current": name === studio.screen ? "page" : null,
      disabled: name !== "data" && !state.parts,
    }))),
    h("div", { class: "tools" },
      button(say("undo"), () => act("undo"), { "data-key": "undo", disabled: !state.can_undo }),
      button(say("redo"), () => act("redo"), { "data-key": "redo", disabled: !state.can_redo }),
      choice(Object.entries(state.languages), state.language, language => act("set_labels", { labels: { ...state.labels, language } }),
        { id: "language", "data-key": "language", "aria-label": say("language") })),
    state.not_saved ? heard("p", state.not_saved, { id: "not-saved", class: "note bad", role: "alert" }) : null);
  Object.assign(find("skip"), { textContent: say("skip"), hidden: false });
  show(find("screen"), SCREENS[studio.screen](studio));
}

function hear(news) {
  studio.heard = news.work;
  heardVersion = news.version;
  if (news.version === shownVersion) showWork(studio);
  else catchUp();
}

/** Show the newest state that was heard of, once the page is not busy: news that come meanwhile are not repeated. */
async function catchUp() {
  const isBusy = () => isWaiting || around().getAttribute("aria-busy") === "true" || around().dataset.held;
  while (heardVersion > shownVersion && !isBusy()) {
    isWaiting = true;
    try { await refresh(); } catch { return; /* the studio is gone, which the one who listens says */ } finally { isWaiting = false; }
  }
}

function undoByKey(event) {
  const isField = /^(INPUT|TEXTAREA|SELECT)$/.test(event.target.tagName) && event.target.type !== "range";
  if (!(event.ctrlKey || event.metaKey) || isField || event.key.toLowerCase() !== "z") return;
  event.preventDefault();
  if (event.shiftKey ? studio.state.can_redo : studio.state.can_undo) act(event.shiftKey ? "redo" : "undo");
}

/** Show the studio in an element of a document or of a shadow, until the studio is gone or `isOver` says so. */
export async function start(root, element, way, isOver = () => false) {
  settle(root, element);
  askBy(way);
  element.append(
    h("button", { id: "skip", class: "skip", type: "button", hidden: true, onclick: () => find("screen").focus() }),
    h("header", { id: "top" }), h("p", { id: "message", role: "alert", hidden: true }),
    h("main", { id: "screen", tabindex: "-1" }), h("p", { id: "spoken", class: "unseen", role: "status", "aria-live": "polite" }));
  element.addEventListener("keydown", undoByKey);
  takeDrops(element);
  try {
    await refresh();
    if (studio.state.card) go("card");
  } catch (error) { fail(error); return; }
  while (!isOver()) {
    try { await listen(hear); } catch (error) { fail(error); }
    await new Promise(resolve => setTimeout(resolve, 1500));
    try { await refresh(); clearMessage(); } catch (error) { fail(error); }
  }
}
