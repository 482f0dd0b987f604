// What the page asks for, however it reaches the studio: by HTTP, or by the messages of a notebook.

let way = null;

/** Ask in this way from now on. */
export function askBy(chosen) { way = chosen; }

const decoder = new TextDecoder();

async function ask(method, path, body) {
  let answer;
  try {
    answer = await way.ask(method, path, body);
  } catch {
    throw Object.assign(new Error("gone"), { isGone: true });
  }
  if (answer.status < 400) return answer;
  let content = {};
  try { content = JSON.parse(decoder.decode(answer.bytes)); } catch { /* no words about it */ }
  throw Object.assign(new Error(content.error ?? String(answer.status)), { isConflict: content.is_conflict === true, isEnglish: content.is_english === true });
}

const askJson = async (method, path, body) => JSON.parse(decoder.decode((await ask(method, path, body)).bytes));

export const read = path => askJson("GET", path);
export const post = (path, content) => askJson("POST", path, JSON.stringify(content));
export const put = (path, body) => askJson("PUT", path, body);

/** Save a file of the studio under its name. */
export async function download(kind) {
  const answer = await ask("GET", `/api/file/${kind}`);
  const name = /filename="([^"]+)"/.exec(answer.headers["content-disposition"] ?? "")?.[1] ?? kind;
  const address = URL.createObjectURL(new Blob([answer.bytes], { type: "application/octet-stream" }));
  const link = document.createElement("a");
  Object.assign(link, { href: address, download: name });
  link.click();
  setTimeout(() => URL.revokeObjectURL(address), 10000);
}

/** Hear of every change until the studio goes. */
export async function listen(hear) {
  const pieces = new TextDecoder();
  let rest = "";
  await way.listen("/api/news", bytes => {
    const lines = (rest + pieces.decode(bytes, { stream: true })).split("\n");
    rest = lines.pop();
    for (const line of lines) if (line) hear(JSON.parse(line));
  });
}
