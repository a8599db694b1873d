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
import { inLanguage, wordingOf } from "./texts.js";
import { checkWords, looksLikeNumber } from "./words.js";

export { checkLaw, randomWords, Refused } from "./discreet.js";
export { entriesOf } from "./entries.js";
export { IndexedStore, MemoryStore } from "./stores.js";
export { inLanguage } from "./texts.js";
export { textOfValue, wordsFor } from "./words.js";
export { KEY_BYTES, keyBytes, randomHex, tagKey } from "./stores.js"; // for the ledger in a file

/** @import { Upload } from "./account.js" */
/** @import { Written } from "./budgets.js" */
/** @import { Law } from "./check.js" */
/** @import { Document } from "./document.js" */
/** @import { Answering, Form, Question, Strategy } from "./form.js" */
/** @import { Store } from "./journal.js" */
/** @import { Numbers } from "./numbers.js" */
/** @import { Related } from "./ledger.js" */
/** @import { Promised } from "./promise.js" */
/** @import { Ways } from "./requests.js" */
/** @import { Sent } from "./sending.js" */
/** @import { LabelTexts, QuestionTexts, Texts } from "./texts.js" */

/** What several questions need, which is loaded with the first of them. */
const questionnaire = () => import("./questionnaire.js");

/**
 * The form that a text publishes, once the promises of all its laws have been checked; `Refused` with a reason if one does not hold.
 * @param {string} text the canonical JSON, exactly as published
 * @param {{fingerprint?: string}} [expected]
 * @returns {Promise<Form>}
 */
export const checkForm = async (text, expected) => (await questionnaire()).checkForm(text, expected);

/**
 * What became of an answer: "accepted", "queued" until the collector can be reached, or "refused" by it. `sent` is the
 * exact text that leaves, or left, this device; `epsilon` is what the collection has cost so far.
 * @typedef {{collection: string, upload: string, sent: string, epsilon: string} & Sent} Receipt
 */

/**
 * A question as it is asked, in the main language; a single one is called "". `numbers` says what can be answered where that is a number between
 * bounds: `values` are the nodes then that it is rounded to, and those outside the scale.
 * @typedef {{name: string, values: readonly any[], numbers?: Numbers, E: Question["E"], promiseFor: (value: any) => string} & QuestionTexts} Asked
 */

/**
 * What collections with one question and with several have in common.
 * @typedef {object} Opened
 * @property {string} name its address, as ledgers call it
 * @property {string} title
 * @property {Texts} texts all that people read; `inLanguage` gives them in another language
 * @property {readonly Asked[]} questions
 * @property {readonly string[]} asked the names of the questions to ask: all, or the one that was drawn for this ledger before anything is answered
 * @property {Record<string, string[]>} labels public labels that an answer may carry
 * @property {readonly ({name: string} & LabelTexts)[]} background how labels are asked for, in order
 * @property {Promised} promise what was checked
 * @property {string[]} warnings what the ledger knows that speaks against answering: questions with the same answers that were answered before
 * @property {Related[]} related the same for other languages
 * @property {boolean} needsInvitation whether an answer needs an invitation, and the link that was opened held none
 */

/**
 * A collection with one question, whose law was fetched, compared with its fingerprint and checked from its integers.
 * @typedef {object} OfOne
 * @property {string} question
 * @property {Record<string, string>} words how values are shown to people, by their text; for display only
 * @property {readonly any[]} values the answers that can be given
 * @property {Numbers} [numbers] the numbers that can be answered, where they lie between two bounds
 * @property {(value: any) => string} promiseFor what is promised of one answer, in a sentence that does not repeat it
 * @property {Law} law
 * @property {undefined} [strategy]
 * @property {undefined} [form]
 * @property {(value: any, more?: Beside) => Promise<Receipt>} answer with a value, which stays here
 */

/**
 * A collection with several questions, all of whose laws were checked so.
 * @typedef {object} OfSeveral
 * @property {Strategy} strategy
 * @property {Form} form
 * @property {undefined} [question]
 * @property {undefined} [words]
 * @property {undefined} [values]
 * @property {undefined} [numbers]
 * @property {undefined} [promiseFor]
 * @property {undefined} [law]
 * @property {(answers: Record<string, any>, more?: Beside) => Promise<Receipt>} answer with values by the names of the questions that are asked
 */

/** @typedef {Opened & OfOne} Collection */
/** @typedef {Opened & OfSeveral} Questionnaire */

/**
 * What goes along with a report: public labels, and an invitation where the collection asks for one, else that of the link.
 * @typedef {{labels?: Record<string, string>, invitation?: string}} Beside
 */

/** The number of a value; nothing that is thrown repeats it. @param {Question} law @param {any} value */
function numberOf(law, value) {
  try {
    return law.index(value);
  } catch {
    throw new Refused("This is not one of the answers that can be given.", "value");
  }
}

/**
 * The questions of a collection, whose words are checked in every language, as are those for public labels.
 * @param {Document} document
 * @param {readonly Question[]} laws
 * @param {(question: number, x: number, unit: string) => string} promise
 * @returns {Asked[]}
 */
function questionsOf({ texts, labels }, laws, promise) {
  for (const language of texts.languages) {
    const read = inLanguage(texts, language);
    read.questions.forEach(({ words }, i) => checkWords(laws[i].numbers?.outside ?? laws[i].values, words, laws[i].context?.names, laws[i].numbers && looksLikeNumber));
    read.background.forEach(({ name, words }) => checkWords(labels[name], words));
  }
  return texts.questions.map((one, i) => ({
    ...one,
    kind: one.kind || (laws[i].numbers ? "number" : ""),
    values: laws[i].values,
    numbers: laws[i].numbers,
    E: laws[i].E,
    promiseFor: (value) => promise(i, numberOf(laws[i], value), one.unit),
  }));
}

/** Sentences about related collections. @param {Related[]} related */
const warningsOf = (related) => ({
  related,
  warnings: related.map(({ other, count, size, question }) => {
    const those = `${size} answers${question === undefined ? "" : ` to question ${question + 1}`}`;
    return `${count} of these ${those} were also answers to ${other}, which you answered before: if both ask the same of you, what they show adds up.`;
  }),
});

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
   * @returns {Promise<Collection | Questionnaire>}
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
    const { texts, labels, period, changes, reports, access } = document;
    const published = await textAt(ways, document.law, LAW_BYTES);
    const wording = await sha256(canonical(wordingOf(texts)));
    /** @param {{fingerprint: string}} law @param {readonly Law[]} laws @param {readonly Question[]} questions @param {(question: number, x: number, unit: string) => string} promise */
    const opened = async (law, laws, questions, promise) => ({
      name,
      title: texts.title,
      texts,
      questions: questionsOf(document, questions, promise),
      labels,
      background: texts.background,
      ...warningsOf(await this.ledger.related(name, law, laws, wording).catch(() => [])), // without a ledger there is no answer either
      needsInvitation: access === "invitation" && linked === undefined,
    });
    /** @param {() => [law: Answering, x: number]} chosen @param {Beside} more */
    const send = async (chosen, more) => {
      checkOpen(document, ways.now());
      const told = checkLabels(document, more.labels ?? {});
      const invitation = checkInvited(document, more.invitation ?? linked);
      const [law, x] = chosen();
      // it may have been closed since, and nothing is spent then; one that is away is as it was
      const now = await describe().catch((problem) => {
        if (problem.code === "unreachable") return document;
        throw problem;
      });
      checkSame(document, now);
      return this.#deliver(await this.ledger.submit({ name, law, x, labels: told, period, changes, url: reports, access, invitation, wording }));
    };
    const [{ name: first, question, words, unit }] = texts.questions;
    if (first === "") {
      const law = await checkLaw(published, document);
      const common = await opened(law, [law], [law], (_, x, unit) => promiseFor(law, x, unit));
      return Object.freeze({
        ...common,
        asked: [""],
        question,
        words,
        values: law.values,
        numbers: law.numbers,
        promise: promiseOf(law, document, words, unit),
        promiseFor: common.questions[0].promiseFor,
        law,
        answer: (/** @type {any} */ value, /** @type {Beside} */ more = {}) => send(() => [law, numberOf(law, value)], more),
      });
    }
    const { answering, askedOf, promiseForForm, promiseOfForm, ...several } = await questionnaire();
    const form = await several.checkForm(published, document);
    if (canonical(form.names) !== canonical(texts.questions.map((one) => one.name)))
      throw new Refused("The laws of the collection are not about the questions that it asks.", "document");
    const common = await opened(form, form.laws, form.questions, (question, x, unit) => promiseForForm(form, question, x, unit));
    const asked = await askedOf(form, (data) => this.ledger.sign(data), wording);
    return Object.freeze({
      ...common,
      asked,
      strategy: form.strategy,
      promise: promiseOfForm(form, document),
      form,
      answer: (/** @type {Record<string, any>} */ answers, /** @type {Beside} */ more = {}) => send(() => [answering(form, answers, asked), 0], more),
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
