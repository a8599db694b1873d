/** One person's side of every collection: check the law, keep the ledger, randomize here, send the report. */

import { sha256 } from "./bytes.js";
import { checkLaw, LAW_BYTES, Refused } from "./discreet.js";
import { checkInvited, checkLabels, checkOpen, checkSame, DOCUMENT_BYTES, readDocument } from "./document.js";
import { invitationIn } from "./invitations.js";
import { Ledger } from "./ledger.js";
import { canonical } from "./plain.js";
import { promiseFor, promiseOf } from "./promise.js";
import { addressOf, textAt } from "./requests.js";
import { sendUpload } from "./sending.js";
import { IndexedStore } from "./stores.js";
import { checkWords } from "./words.js";

export { checkLaw, randomWords, Refused } from "./discreet.js";
export { entriesOf } from "./entries.js";
export { IndexedStore, MemoryStore } from "./stores.js";
export { wordsFor } from "./words.js";
export { KEY_BYTES, keyBytes, randomHex, tagKey } from "./stores.js"; // for the ledger in a file

/** @import { Upload } from "./account.js" */
/** @import { Written } from "./budgets.js" */
/** @import { Law } from "./check.js" */
/** @import { Store } from "./journal.js" */
/** @import { Promised } from "./promise.js" */
/** @import { Ways } from "./requests.js" */
/** @import { Sent } from "./sending.js" */

/**
 * What became of an answer: "accepted", "queued" until the collector can be reached, or "refused" by it. `sent` is the
 * exact text that leaves, or left, this device; `epsilon` is what the collection has cost so far.
 * @typedef {{collection: string, upload: string, sent: string, epsilon: string} & Sent} Receipt
 */

/**
 * A collection whose law was fetched, compared with its fingerprint and checked from its integers.
 * @typedef {object} Collection
 * @property {string} name its address, as ledgers call it
 * @property {string} title
 * @property {string} question
 * @property {Record<string, string>} words how values are shown to people, by their text; for display only
 * @property {readonly any[]} values the answers that can be given
 * @property {Record<string, string[]>} labels public labels that an answer may carry
 * @property {Promised} promise what was checked
 * @property {string[]} warnings what the ledger knows that speaks against answering: questions with the same answers under another law
 * @property {(value: any) => string} promiseFor what is promised of one answer, in a sentence that does not repeat it
 * @property {Law} law
 * @property {boolean} needsInvitation whether an answer needs an invitation, and the link that was opened held none
 * @property {(value: any, more?: Beside) => Promise<Receipt>} answer with a value, which stays here
 */

/**
 * What goes along with a report: public labels, and an invitation where the collection asks for one, else that of the link.
 * @typedef {{labels?: Record<string, string>, invitation?: string}} Beside
 */

/** The number of a value; nothing that is thrown repeats it. @param {Law} law @param {any} value */
function numberOf(law, value) {
  try {
    return law.index(value);
  } catch {
    throw new Refused("This is not one of the answers that can be given.", "value");
  }
}

/** One person, with one ledger for all collections. */
export class Participant {
  #ways;

  /**
   * @param {object} [options]
   * @param {string | number} [options.cap] what all answers together may spend: needed for a new ledger, lowered for
   *   one that is there, never raised
   * @param {Written[]} [options.budgets] contexts that limit it pair by pair, each `{context, domain}` as laws publish them
   * @param {Store} [options.store] where the ledger is kept: the IndexedDB of this origin unless told otherwise
   * @param {typeof globalThis.fetch} [options.fetch]
   * @param {() => number} [options.now] the time in milliseconds
   * @param {(milliseconds: number) => Promise<unknown>} [options.sleep]
   * @param {number} [options.timeout] the most milliseconds that a collector may take to answer
   */
  constructor({ cap, budgets, store = new IndexedStore(), fetch, now = Date.now, sleep, timeout = 30000 } = {}) {
    /** @type {Ways} */
    this.#ways = {
      fetch: fetch ?? ((...asked) => globalThis.fetch(...asked)),
      now,
      sleep: sleep ?? ((milliseconds) => new Promise((resolve) => setTimeout(resolve, milliseconds))),
      timeout,
    };
    this.ledger = new Ledger(store, cap, budgets);
  }

  /**
   * The collection at an address, fetched and checked; `Refused`, with the reason, if it cannot be trusted. A link that ends
   * in `#invitation=...` holds an invitation, which is kept for the answer.
   * @param {string | URL} url
   * @returns {Promise<Collection>}
   */
  async open(url) {
    const ways = this.#ways;
    const name = addressOf(url);
    const linked = invitationIn(url);
    const describe = async () => {
      const found = readDocument(await textAt(ways, name, DOCUMENT_BYTES), name);
      checkOpen(found, ways.now());
      return found;
    };
    const document = await describe();
    const law = await checkLaw(await textAt(ways, document.law, LAW_BYTES), document);
    const { title, question, words, labels, period, changes, reports, access } = document;
    checkWords(law.values, words);
    const wording = await sha256(canonical([title, question, words]));
    return Object.freeze({
      name,
      title,
      question,
      words,
      values: law.values,
      labels,
      promise: promiseOf(law, document),
      warnings: await this.ledger.warnings(name, law, wording).catch(() => []), // without a ledger there is no answer either
      promiseFor: (/** @type {any} */ value) => promiseFor(law, numberOf(law, value)),
      law,
      needsInvitation: access === "invitation" && linked === undefined,
      answer: async (/** @type {any} */ value, /** @type {Beside} */ more = {}) => {
        checkOpen(document, ways.now());
        const told = checkLabels(document, more.labels ?? {});
        const invitation = checkInvited(document, more.invitation ?? linked);
        const x = numberOf(law, value);
        // it may have been closed since, and nothing is spent then; one that is away is as it was
        const now = await describe().catch((problem) => {
          if (problem.code === "unreachable") return document;
          throw problem;
        });
        checkSame(document, now);
        return this.#deliver(await this.ledger.submit({ name, law, x, labels: told, period, changes, url: reports, access, invitation, wording }));
      },
    });
  }

  /** Send an upload that has no outcome yet, and note what becomes of it. @param {Upload} upload @returns {Promise<Receipt>} */
  async #deliver(upload) {
    const { collection, upload: number, body: sent } = upload;
    const ended = await this.ledger.outcome(upload);
    const { state, status, code, reason } = ended
      ? { code: null, reason: null, ...ended }
      : await sendUpload(this.#ways, upload, await this.ledger.invitation(upload));
    if (!ended && state !== "queued" && status !== null) await this.ledger.settle(upload, state, status);
    const epsilon = await this.ledger.spentOn(collection);
    return Object.freeze({ collection, state, status, code, reason, epsilon, upload: number, sent });
  }

  /** Send what is queued, oldest first; a collector that is away is not tried twice. */
  async flush() {
    const receipts = [];
    const away = new Set();
    for (const upload of (await this.ledger.summary()).queued) {
      const { origin } = new URL(upload.url);
      if (away.has(origin)) continue;
      const receipt = await this.#deliver(upload);
      if (receipt.state === "queued") away.add(origin);
      receipts.push(receipt);
    }
    return receipts;
  }

  /** Flush whenever the browser is online again; what this gives ends it. */
  flushWhenOnline() {
    const flush = () => void this.flush().catch(() => {}); // what fails stays queued
    addEventListener("online", flush);
    return () => removeEventListener("online", flush);
  }
}
