// The studio: what is shown follows from the state of the server, and every change goes there first.

import { listen, post, put, read } from "/page/api.js";
import { cardScreen, showWork } from "/page/card_screen.js";
import { dataScreen } from "/page/data_screen.js";
import { button, h, say, show, speak } from "/page/dom.js";
import { groupsScreen } from "/page/groups_screen.js";
import { poolScreen } from "/page/pool_screen.js";
import { signScreen } from "/page/sign_screen.js";

const SCREENS = { data: dataScreen, card: cardScreen, pool: poolScreen, groups: groupsScreen, sign: signScreen };

/** What every screen knows and may do. */
const studio = { state: null, columns: [], screen: "data", heard: null, act, change, open, go, speak: announce, fail, draw };

let shownVersion = 0, columnsFor = null, isWaiting = false;

function announce(text) { document.getElementById("spoken").textContent = text; }

function fail(error) {
  const place = document.getElementById("message");
  place.textContent = error.isGone ? say("gone") : error.message;
  place.hidden = false;
}

function clearMessage() { document.getElementById("message").hidden = true; }

/** Do something that changes the state, and show what came of it; false where it was refused. */
async function change(work) {
  clearMessage();
  document.body.setAttribute("aria-busy", "true");
  try {
    await take(await work());
    return true;
  } catch (error) {
    if (error.isConflict) await refresh();
    else if (studio.state) draw();
    fail(error);
    return false;
  } finally { document.body.removeAttribute("aria-busy"); }
}

/** One action, based on the state that this page shows. */
function act(name, more = {}) {
  return change(() => post("/api/act", { act: name, version: studio.state.version, ...more }));
}

/** Open a table or a saved session. */
function open(file) {
  const isSession = file.name.toLowerCase().endsWith(".json");
  return change(() => put(isSession ? "/api/session" : `/api/table?name=${encodeURIComponent(file.name)}`, file));
}

async function take(state) {
  studio.state = state;
  shownVersion = state.version;
  studio.heard = state.work;
  const key = JSON.stringify([state.table?.sha256, state.choices.target, state.choices.event, state.choices.dropped, state.choices.codes,
    state.choices.kept, state.choices.hold_out, state.choices.skip_missing_target]);
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
  document.getElementById("screen").focus({ preventScroll: true });
  scrollTo(0, 0);
}

function draw() {
  const { state } = studio;
  const names = Object.keys(SCREENS);
  show(document.getElementById("top"),
    h("h1", {}, say("title")),
    h("nav", { "aria-label": say("screens") }, names.map((name, place) => button(`${place + 1} ${say(`screen_${name}`)}`, () => go(name), {
      "data-key": `go-${name}`, "aria-current": name === studio.screen ? "page" : null,
      disabled: name !== "data" && !state.parts,
    }))),
    h("div", { class: "tools" },
      button(say("undo"), () => act("undo"), { "data-key": "undo", disabled: !state.can_undo }),
      button(say("redo"), () => act("redo"), { "data-key": "redo", disabled: !state.can_redo })));
  show(document.getElementById("screen"), SCREENS[studio.screen](studio));
}

async function hear(news) {
  studio.heard = news.work;
  if (news.version === shownVersion) showWork(studio);
  else if (!isWaiting && document.body.getAttribute("aria-busy") !== "true" && !document.body.dataset.dragging) {
    isWaiting = true;
    try { await refresh(); } finally { isWaiting = false; }
  }
}

async function main() {
  speak(await (await fetch("/words.json")).json());
  document.addEventListener("keydown", event => {
    const isField = /^(INPUT|TEXTAREA|SELECT)$/.test(event.target.tagName) && event.target.type !== "range";
    if (!(event.ctrlKey || event.metaKey) || isField || event.key.toLowerCase() !== "z") return;
    event.preventDefault();
    if (event.shiftKey ? studio.state.can_redo : studio.state.can_undo) act(event.shiftKey ? "redo" : "undo");
  });
  try {
    await refresh();
    if (studio.state.card) go("card");
  } catch (error) { fail(error); return; }
  for (;;) {
    try { await listen(hear); } catch (error) { fail(error); }
    await new Promise(resolve => setTimeout(resolve, 1500));
    try { await refresh(); clearMessage(); } catch (error) { fail(error); }
  }
}

main();
