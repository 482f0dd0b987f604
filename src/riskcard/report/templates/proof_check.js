"use strict";
(() => {
  // The checker, the card and its proof, and all words; see proof_on_page.py for what is in it.
  const data = JSON.parse(document.getElementById("proof-data").textContent);
  const find = (id) => document.getElementById(id);
  const say = (key, parts = {}) =>
    data.words[key].replace(/\{(\w+)\}/g, (place, name) => (name in parts ? String(parts[name]) : place));

  // The checker works apart from the page, which stays usable meanwhile. It reads the rows, too.
  const work = `${data.checker}
self.onmessage = ({ data: { card, text, proof, target, weights, sha256 } }) => {
  const answer = {};
  try {
    answer.sha256 = ProofChecker.sha256(proof);
    if (answer.sha256 === sha256) {
      const rows = ProofChecker.readCsv(text, card, ProofChecker.open(proof).header, target, weights);
      answer.found = ProofChecker.check(card, rows, proof);
    }
  } catch (error) {
    answer.reason = error.message;
    answer.isRefused = error instanceof ProofChecker.Refused;
  }
  self.postMessage(answer);
};`;

  function show(kind, sentence, given = []) {
    find("proof-verdict").textContent = sentence;
    find("proof-verdict").dataset.kind = kind;
    find("proof-given").replaceChildren(...given.map((words) => {
      const item = document.createElement("li");
      item.textContent = words;
      return item;
    }));
    find("proof-given-title").textContent = given.length ? say("given") : "";
  }

  // a number with all its digits, and the signs of the language
  function written(number) {
    const [whole, rest] = String(number).split(".");
    const grouped = whole.replace(/\B(?=(\d{3})+$)/g, data.signs.thousands);
    return rest === undefined ? grouped : `${grouped}${data.signs.decimal}${rest}`;
  }

  function tell(answer) {
    if (answer.sha256 !== undefined && answer.sha256 !== data.sha256) {
      show("refused", say("other_file", { digits: answer.sha256 }));
    } else if (answer.found) {
      const { bound, loss, closed, sentences } = answer.found;
      const parts = { bound: written(bound), loss: written(loss), closed: written(closed), checker: data.called };
      show("accepted", say("accepted", parts), sentences);
    } else {
      show("refused", say(answer.isRefused ? "refused" : "unreadable", { reason: answer.reason }));
    }
  }

  const decoded = (text) => Uint8Array.from(atob(text), (letter) => letter.charCodeAt(0));

  async function check() {
    const chosen = find("proof-rows").files[0], file = data.proof === null ? find("proof-file").files[0] : null;
    if (!chosen || file === undefined) { show("open", say("choose")); return; }
    find("proof-start").disabled = true;
    show("open", say("working"));
    const place = URL.createObjectURL(new Blob([work], { type: "text/javascript" }));
    let worker;
    const end = () => { URL.revokeObjectURL(place); if (worker) worker.terminate(); find("proof-start").disabled = false; };
    try {
      // wrong bytes are an error: a sign in their place would make different levels one
      const text = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(await chosen.arrayBuffer());
      const proof = file === null ? decoded(data.proof) : new Uint8Array(await file.arrayBuffer());
      worker = new Worker(place);
      worker.onmessage = (message) => { tell(message.data); end(); };
      worker.onerror = (error) => { show("refused", say("failed", { reason: error.message })); end(); };
      const { card, target, weights, sha256 } = data;
      worker.postMessage({ card, text, proof, target, weights, sha256 });
    } catch (error) {
      show("refused", say("failed", { reason: error.message }));
      end();
    }
  }

  find("proof-start").addEventListener("click", check);
  find("proof-check").hidden = false;
})();
