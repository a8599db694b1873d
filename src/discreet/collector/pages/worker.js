/** The participant's side of the answer page, in a worker: to check a law may take seconds, in which the page stays alive. */

import { entriesOf, Participant } from "./made/participant.js";

/** What all answers to this collector may spend together, in this browser. */
const CAP = "4";

const participant = new Participant({ cap: CAP });
/** @type {any} */
let collection;

/** What the page may ask for. @type {Record<string, (...given: any[]) => any>} */
const calls = {
  async open(/** @type {string} */ url) {
    collection = await participant.open(url);
    const { title, question, words, values, labels, promise, warnings } = collection;
    return { title, question, words, values, labels, promise, warnings };
  },
  row: (/** @type {number} */ x) => entriesOf(collection.law)(x),
  answer: (/** @type {number} */ x, /** @type {any} */ more) => collection.answer(collection.values[x], more),
  flush: () => participant.flush(),
  summary: () => participant.ledger.summary(),
};

addEventListener("message", async ({ data: { number, name, given } }) => {
  try {
    postMessage({ number, found: await calls[name](...given) });
  } catch (problem) {
    const { name: kind, message, code } = /** @type {any} */ (problem);
    postMessage({ number, problem: { kind, message, code } });
  }
});
