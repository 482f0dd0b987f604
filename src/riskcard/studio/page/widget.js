// The studio in a cell of a notebook: in a shadow of its own, asking by the messages of the notebook.
// `newStudio` and `STYLE` are written before this text by riskcard/studio/bundle.py.

/** Bytes of one message: notebooks refuse long ones. */
const PIECE = 1 << 20;

/** Requests by messages; pieces of an answer arrive in their order. */
function overMessages(model) {
  const waiting = new Map(), prefix = crypto.randomUUID();
  let last = 0;
  const hear = (content, buffers) => waiting.get(content.id)?.(content, buffers.map(one => new Uint8Array(one.buffer, one.byteOffset, one.byteLength)));
  model.on("msg:custom", hear);

  async function begin(method, path, body, take) {
    const id = `${prefix}-${last++}`, bytes = body === undefined ? new ArrayBuffer(0) : await new Response(body).arrayBuffer();
    const answer = new Promise(resolve => waiting.set(id, (content, pieces) => { if (take(content, pieces)) resolve(waiting.delete(id)); }));
    for (let from = 0; from === 0 || from < bytes.byteLength; from += PIECE) {
      const hasMore = from + PIECE < bytes.byteLength;
      model.send({ id, method, path, has_more: hasMore }, undefined, [bytes.slice(from, from + PIECE)]);
    }
    return answer;
  }

  return {
    async ask(method, path, body) {
      const pieces = [];
      let start = null;
      await begin(method, path, body, (content, own) => {
        start ??= content;
        pieces.push(...own);
        return !content.has_more;
      });
      return { status: start.status, headers: start.headers, bytes: await new Blob(pieces).arrayBuffer() };
    },
    listen: (path, hear_) => begin("GET", path, undefined, (content, own) => { own.forEach(hear_); return !content.has_more; }),
    close() {
      model.off("msg:custom", hear);
      for (const id of waiting.keys()) model.send({ id, is_over: true });
      waiting.clear();
    },
  };
}

function render({ model, el }) {
  const home = document.createElement("div"), style = document.createElement("style"), studio = document.createElement("div");
  home.className = "riskcard-studio";
  studio.className = "studio";
  style.textContent = STYLE;
  const root = home.attachShadow({ mode: "open" });
  root.append(style, studio);
  el.append(home);
  const way = overMessages(model);
  let isOver = false;
  newStudio()(root, studio, way, () => isOver);
  return () => { isOver = true; way.close(); };
}

export default { render };
