// Talking to the server: every request has the token of this tab; nothing is asked for elsewhere.

const KEY = "riskcard-studio-token";

/** The token from the address, which is then hidden, or from before this page was loaded again. */
function findToken() {
  const given = location.hash.slice(1);
  if (given) {
    sessionStorage.setItem(KEY, given);
    history.replaceState(null, "", location.pathname);
  }
  return sessionStorage.getItem(KEY) ?? "";
}

const token = findToken();

async function ask(path, options = {}) {
  let answer;
  try {
    answer = await fetch(path, { ...options, headers: { "X-Riskcard-Token": token, ...options.headers } });
  } catch {
    throw Object.assign(new Error("gone"), { isGone: true });
  }
  if (answer.ok) return answer;
  let content = {};
  try { content = await answer.json(); } catch { /* no words about it */ }
  throw Object.assign(new Error(content.error ?? answer.statusText), { isConflict: content.is_conflict === true });
}

const asJson = content => ({ method: "POST", headers: { "Content-Type": "application/json" }, body: JSON.stringify(content) });

export const read = async path => (await ask(path)).json();
export const post = async (path, content) => (await ask(path, asJson(content))).json();
export const put = async (path, body) => (await ask(path, { method: "PUT", body })).json();

/** Save a file of the server under its name. */
export async function download(kind) {
  const answer = await ask(`/api/file/${kind}`);
  const name = /filename="([^"]+)"/.exec(answer.headers.get("content-disposition") ?? "")?.[1] ?? kind;
  const address = URL.createObjectURL(await answer.blob());
  const link = document.createElement("a");
  Object.assign(link, { href: address, download: name });
  link.click();
  setTimeout(() => URL.revokeObjectURL(address), 10000);
}

/** Hear of every change until the server goes. */
export async function listen(hear) {
  const answer = await ask("/api/news");
  const reader = answer.body.pipeThrough(new TextDecoderStream()).getReader();
  for (let rest = ""; ;) {
    const { value, done } = await reader.read();
    if (done) return;
    const lines = (rest + value).split("\n");
    rest = lines.pop();
    for (const line of lines) if (line) hear(JSON.parse(line));
  }
}
