/** The participant's side of the answer page, in a worker: to check a law may take seconds, in which the page stays alive. */

import { entriesOf, Participant } from "./made/participant.js";

/** The cap of its ledger is the person's choice, which comes with the first answer. */
const participant = new Participant();
/** @type {any} */
let collection;

/** What the page may ask for. @type {Record<string, (...given: any[]) => any>} */
const calls = {
  async open(/** @type {string} */ url) {
    collection = await participant.open(url);
    const { title, question, words, values, labels, promise, warnings } = collection;
    return { title, question, words, values, labels, promise, warnings };
  },
  /** What was spent, or null before a budget was set; `isPaid` if this law was paid for, so that an answer may cost nothing more. */
  async summary() {
    const summary = await participant.ledger.summary().catch((problem) => {
      if (problem.code === "cap") return null;
      throw problem;
    });
    const isPaid = summary?.entries.some(({ kind, fingerprint }) => kind === "debit" && fingerprint === collection?.promise.fingerprint);
    return summary && { ...summary, isPaid };
  },
  /** Set the budget of this browser, once. */
  async begin(/** @type {string} */ cap) {
    await new Participant({ cap }).ledger.summary().catch((problem) => {
      if (problem.code !== "cap") throw problem; // another tab was first, and no cap is raised
    });
  },
  row: (/** @type {number} */ x) => entriesOf(collection.law)(x),
  answer: (/** @type {number} */ x, /** @type {any} */ more) => collection.answer(collection.values[x], more),
  flush: () => participant.flush(),
};

addEventListener("message", async ({ data: { number, name, given } }) => {
  try {
    postMessage({ number, found: await calls[name](...given) });
  } catch (problem) {
    const { name: kind, message, code } = /** @type {any} */ (problem);
    postMessage({ number, problem: { kind, message, code } });
  }
});
