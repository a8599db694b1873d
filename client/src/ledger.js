/** The ledger: one person's budget over all collections, and the report that each value has had. */

import { balanceOf, budgetOf, checkBudgets, isCounted, isLower, isShort, isWritten, partsOf, sharedWith, termsOf } from "./budgets.js";
import { hexOf, utf8 } from "./bytes.js";
import { randomWords, Refused } from "./discreet.js";
import { atMost, exactNumber, plus, textOf } from "./exact.js";
import { Journal } from "./journal.js";
import { checkInvitation, seal, unseal } from "./invitations.js";
import { keptOf } from "./numbers.js";
import { canonical } from "./plain.js";
import { randomHex } from "./stores.js";

/** @import { Account, Entry, Upload } from "./account.js" */
/** @import { Written } from "./budgets.js" */
/** @import { Law } from "./check.js" */
/** @import { Answering } from "./form.js" */
/** @import { Store } from "./journal.js" */

/**
 * An answer that is about to be given: nothing of it is written but the report.
 * @typedef {object} Order
 * @property {string} name of the collection
 * @property {Answering} law of one question, or of a form with the answers to it
 * @property {number} x the number of the value, or the position of a number
 * @property {Record<string, string>} labels
 * @property {string} [period] the label under each text of which the report may be sent once; without it, it is sent once in all
 * @property {string} changes
 * @property {string} url that takes uploads
 * @property {string} [access] "invitation" where a new upload needs one
 * @property {string} [invitation]
 * @property {string} [wording] the hash of what was asked, in words; without it the report is for this collection alone
 */

/**
 * What was spent, as exact texts.
 * @typedef {object} Summary
 * @property {string} cap the most that all answers together may spend
 * @property {string} spent
 * @property {string} left
 * @property {{collection: string, fingerprint: string, epsilon: string, reports: number, shows: boolean}[]} collections
 * @property {(Written & {tightest: {x: any, z: any, budget: string, spent: string} | null})[]} budgets each with the two values between which
 *   least is left of it
 * @property {Upload[]} queued the uploads that were neither accepted nor refused yet
 * @property {Entry[]} entries every entry, in order
 */

/** The laws that an answer is about: those of a form, or the one. @param {Answering} law */
const lawsOf = (law) => law.parts ?? [/** @type {Law} */ (law)];

/**
 * A collection whose answers were also answers to this one: so many of so many, and the number of the question in a form.
 * @typedef {{other: string, count: number, size: number, question?: number}} Related
 */

/** How often an entry is tried that others are always faster with. */
const ROUNDS = 1000;

/** Wait a random while, at most as long as has passed since `begun`. @param {number} begun */
function pause(begun) {
  const now = performance.now();
  const until = now + ((now - begun) * Number(randomWords(1)[0] >> 48n)) / 65536;
  while (performance.now() < until);
}

/** The report of an answer, drawn now. @param {Order} order */
function reportOf({ law, x }) {
  const words = randomWords(law.words);
  const begun = performance.now();
  const report = law.written(law.draw(x, words));
  pause(begun);
  return report;
}

/**
 * The entry that an answer needs next, or the upload that carries it, if nothing is missing.
 * @param {Account} account
 * @param {Order} order with its invitation sealed
 * @param {string} tag
 * @param {{collection: string, report: number | string} | undefined} elsewhere the report that the value has had in another collection with this law
 *   and wording
 * @param {string} [upload] the number of a new upload, if its invitation was sealed for one
 * @returns {Entry | Upload}
 */
function nextOf(account, order, tag, elsewhere, upload) {
  const { name: collection, law, url, labels } = order;
  const { fingerprint, epsilon, shows } = law;
  const under = canonical(labels);
  const known = account.collections.get(collection);
  if (known && known.fingerprint !== fingerprint)
    throw new Refused("This collection was answered under another law, and must keep it; no report was made.", "fingerprint");
  if (order.wording && known?.reports.some(({ wording }) => wording && wording !== order.wording))
    throw new Refused("This collection asked something else when it was answered, and must keep its question; no report was made.", "wording");
  const kept = known?.reports.find((report) => report.tag === tag);
  const sent = known && kept && account.sent(known, kept, labels, order.period);
  if (sent) return sent;
  if (!kept && known?.reports.length && order.changes !== "spend")
    throw new Refused("This collection was answered with another value, and takes no change; no report was made.", "answered");
  const { invitation } = order;
  if (order.access === "invitation" && !invitation)
    throw new Refused("This collection needs an invitation, and none was given; no report was made.", "invitation");
  if (known && kept) {
    const reports = invitation ? [kept.report] : account.batch(known, kept, under);
    const body = canonical({ version: 1, fingerprint, reports, ...(under === "{}" ? {} : { labels }) });
    return { kind: "upload", upload: upload || randomHex(16), collection, url, body, ...(invitation ? { invitation } : {}) };
  }
  const drawn = { kind: "report", collection, tag, labels, ...(order.wording && { wording: order.wording }) };
  if (elsewhere) return { ...drawn, report: elsewhere.report, source: elsewhere.collection };
  // a debit without a report: nothing was released under it
  if (known?.owed) return { ...drawn, report: reportOf(order) };
  const cost = exactNumber(epsilon);
  if (!cost || !atMost(plus(account.spent, cost), account.cap))
    throw new Refused(`This answer would spend ${epsilon}, and only ${leftOf(account)} is left; no report was made.`, "overspent");
  const { budgets, terms, parts } = account;
  const laws = lawsOf(law);
  checkBudgets(budgets, account, fingerprint, laws);
  for (const one of laws) {
    const written = termsOf(one);
    if (!terms.has(one.fingerprint) && (isCounted(budgets, one.E()) || isShort(written))) return { kind: "terms", fingerprint: one.fingerprint, ...written };
  }
  if (law.parts && !parts.has(fingerprint)) return { kind: "parts", fingerprint, parts: laws.map((one) => one.fingerprint) };
  return { kind: "debit", collection, fingerprint, epsilon, shows };
}

/** @param {Account} account */
const leftOf = ({ cap, spent }) => (atMost(spent, cap) ? textOf(plus(cap, [-spent[0], spent[1]])) : "0");

/** The ledger in a store. */
export class Ledger {
  #journal;
  #cap;
  #budgets;
  /** @type {Promise<any>} */
  #last = Promise.resolve();

  /**
   * @param {Store} store
   * @param {string | number} [cap] what all answers together may spend: needed for a new ledger, lowered for one that
   *   is there, never raised
   * @param {Written[]} [budgets] contexts, with their domains as laws publish them, that limit it pair by pair: answers to questions that have all
   *   values of one spend theirs of it; lowered for values that have one, never raised
   */
  constructor(store, cap, budgets = []) {
    this.#journal = new Journal(store);
    this.#budgets = budgets;
    this.#cap = cap === undefined ? null : exactNumber(cap);
    if (cap !== undefined && !(this.#cap && this.#cap[0] >= 0n)) throw new Refused("A cap must be an exact number.", "cap");
  }

  /** Let only one work at a time read the journal and add to it. @template T @param {() => Promise<T>} work @returns {Promise<T>} */
  #alone(work) {
    const done = this.#last.then(work);
    this.#last = done.catch(() => {});
    return done;
  }

  /**
   * Add entries, each durable before the next, until none is missing; whoever else adds some is taken into account.
   * @param {(account: Account) => Entry | undefined | Promise<Entry | undefined>} missing
   */
  async #until(missing) {
    for (let round = 0; round < ROUNDS; round += 1) {
      const account = await this.#journal.read();
      const next = await missing(account);
      if (!next) return account;
      await this.#journal.append(next);
    }
    throw new Refused("The ledger cannot be written; nothing was sent.", "store");
  }

  /** The account, with the cap that was asked for. */
  async #open() {
    const account = await this.#until((found) => {
      const asked = this.#cap;
      const isNew = !found.entries.length;
      if (!asked) {
        if (isNew) throw new Refused("A new ledger needs a cap: what all answers together may spend.", "cap");
      } else if (isNew || !atMost(found.cap, asked)) return { kind: "cap", version: 1, epsilon: textOf(asked) };
      else if (!atMost(asked, found.cap)) throw new Refused(`The cap is ${textOf(found.cap)}, and a cap is never raised.`, "cap");
      return this.#budgetOver(found);
    });
    this.#cap = null; // others may lower it from now on
    this.#budgets = [];
    return account;
  }

  /** The entry of the next budget that was asked for and is not there yet. @param {Account} account @returns {Entry | undefined} */
  #budgetOver(account) {
    const { budgets, collections } = account;
    for (const { context, domain } of this.#budgets) {
      const budget = budgetOf({ context, domain }, account);
      if (!budget) throw new Refused("A budget must be a context over at most 256 values, written as laws publish it.", "budget");
      if (!isLower(budget, budgets)) continue;
      const isFirst = !budgets.some(({ before }) => before === budget.before);
      if (isFirst && [...collections.values()].some(({ shows, fingerprint }) => shows && !isWritten(account, fingerprint)))
        throw new Refused("A budget must be set before answers that may show values.", "budget");
      return { kind: "budget", context, domain };
    }
    return undefined;
  }

  /** What stands for a value in the journal. @param {string} name of the collection @param {Order} order */
  async #tag(name, { law, x }) {
    return hexOf(await this.sign([name, keptOf(law, x)]));
  }

  /**
   * The report that a value has had in another collection with the same law and wording. By the law alone, two questions would get equal reports
   * for equal answers, and show whether these differ.
   * @param {Account} account
   * @param {Order} order
   */
  async #elsewhere(account, order) {
    for (const { collection, tag, report } of account.reportsTo(order.law.fingerprint, order.wording))
      if (tag === (await this.#tag(collection, order))) return { collection, report };
    return undefined;
  }

  /**
   * Each collection that was answered and whose answers are among those of this one: how many of them, and of which question of a form.
   * Whether both ask the same, the ledger cannot know. There is none for a question that was answered already, here or with the same law and
   * wording.
   * @param {string} name
   * @param {{fingerprint: string}} law
   * @param {readonly Law[]} laws of its parts, where it is a form, else itself
   * @param {string} [wording]
   * @returns {Promise<Related[]>}
   */
  related(name, { fingerprint: asked }, laws, wording) {
    return this.#alone(async () => {
      const account = await this.#journal.read();
      const { collections, terms } = account;
      if (collections.has(name) || account.reportsTo(asked, wording).length) return [];
      return laws.flatMap(({ values, size }, i) => {
        const names = new Set(values.map((value) => canonical(value)));
        return [...collections].flatMap(([other, { fingerprint }]) => {
          const count = Math.max(...partsOf(account, fingerprint).map((part) => sharedWith(terms.get(part) ?? null, names)));
          return count ? [{ other, count, size, ...(laws.length > 1 && { question: i }) }] : [];
        });
      });
    });
  }

  /** What HMAC-SHA256 with the key of this ledger makes of data. @param {any} data @returns {Promise<ArrayBuffer>} */
  async sign(data) {
    return crypto.subtle.sign("HMAC", await this.#journal.store.key(), utf8(canonical(data)));
  }

  /** The upload that carries the report of a value, stored with all that it rests on. @param {Order} order @returns {Promise<Upload>} */
  submit(order) {
    return this.#alone(async () => {
      await this.#open();
      const key = await this.#journal.store.key();
      const tag = await this.#tag(order.name, order);
      const number = order.invitation && randomHex(16);
      const invitation = number && (await seal(key, number, checkInvitation(order.invitation)));
      let next = /** @type {Entry} */ ({ kind: "" });
      await this.#until(async (account) => {
        next = nextOf(account, { ...order, invitation }, tag, await this.#elsewhere(account, order), number);
        return account.uploads.has(next.upload) ? undefined : next;
      });
      return /** @type {Upload} */ (next);
    });
  }

  /**
   * The invitation that goes along with an upload; undefined if it has none, or the key is lost.
   * @param {Upload} upload
   * @returns {Promise<string | undefined>}
   */
  async invitation({ upload, invitation }) {
    return invitation === undefined ? undefined : unseal(await this.#journal.store.key(), upload, invitation);
  }

  /**
   * Note how an upload ended; only the first time counts.
   * @param {Upload} upload
   * @param {string} state
   * @param {number} status
   */
  settle({ upload }, state, status) {
    return this.#alone(() =>
      this.#until((account) => (account.outcomes.has(upload) ? undefined : { kind: "outcome", upload, state, status })),
    );
  }

  /** How an upload ended, if it has. @param {Upload} upload */
  outcome({ upload }) {
    return this.#alone(async () => (await this.#open()).outcomes.get(upload));
  }

  /** What a collection has cost so far, as exact text. @param {string} collection */
  spentOn(collection) {
    return this.#alone(async () => textOf((await this.#open()).collections.get(collection)?.spent ?? [0n, 1n]));
  }

  /** What was spent, on what, and every entry. @returns {Promise<Summary>} */
  summary() {
    return this.#alone(async () => {
      const account = await this.#open();
      const collections = [...account.collections].map(([collection, { fingerprint, spent: cost, reports, shows }]) => ({
        collection,
        fingerprint,
        epsilon: textOf(cost),
        reports: reports.length,
        shows,
      }));
      const { cap, spent: total, queued, entries: all } = account;
      const budgets = account.budgets.map((budget) => balanceOf(budget, account));
      return { cap: textOf(cap), spent: textOf(total), left: leftOf(account), collections, budgets, queued, entries: structuredClone(all) };
    });
  }

  /** The journal as text: neither answers nor the key are in it, and invitations are sealed. @returns {Promise<string>} */
  export() {
    return this.#alone(async () => {
      await this.#open();
      return this.#journal.text;
    });
  }
}
