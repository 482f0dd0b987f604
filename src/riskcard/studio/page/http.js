// Talking to the server of this page: every request has the token of this tab; nothing is asked for elsewhere.

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

/** Requests by HTTP, with an answer that has a status, headers and bytes. */
export function overHttp() {
  const token = findToken();
  const ask = (path, options) => fetch(path, { ...options, headers: { "X-Riskcard-Token": token } });
  return {
    async ask(method, path, body) {
      const answer = await ask(path, { method, body });
      return { status: answer.status, headers: Object.fromEntries(answer.headers), bytes: await answer.arrayBuffer() };
    },
    async listen(path, hear) {
      const answer = await ask(path, {});
      const reader = answer.body.getReader();
      for (;;) {
        const { value, done } = await reader.read();
        if (done) return;
        hear(value);
      }
    },
  };
}
