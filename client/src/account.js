/** What the entries of a journal add up to, one entry at a time. */

import { budgetOf, contextIn } from "./budgets.js";
import { atMost, exactNumber, plus, textOf } from "./exact.js";
import { isSealed } from "./invitations.js";
import { canonical, isDigits, isTable, isText, readPlain } from "./plain.js";

/** @import { Budget, Payments } from "./budgets.js" */
/** @import { Context } from "./context.js" */
/** @import { Ratio } from "./exact.js" */

/**
 * A stored report, and for the labels that it was sent under, as text, the number of the upload that carries it. `source` is the collection
 * whose report of the same value it is, under the same law and wording, unless it was drawn for this one; `wording` is the hash of what was
 * answered, and without it the report is for this collection alone.
 * @typedef {{tag: string, report: number | string, labels: string, source?: string, wording?: string, carried: Map<string, string>}} Kept
 */

/**
 * What is known of one collection; `owed` is how many debits have no report: nothing was released under them, and one may be drawn.
 * @typedef {{fingerprint: string, shows: boolean, spent: Ratio, owed: number, reports: Kept[]}} Answered
 */

/** @typedef {{kind: string} & Record<string, any>} Entry */
/**
 * What is sent, byte for byte, and where to; `invitation` is the one that goes along, sealed, if there is one.
 * @typedef {{kind: "upload", upload: string, collection: string, url: string, body: string, invitation?: string}} Upload
 */
/** @typedef {{kind: "outcome", upload: string, state: "accepted" | "refused", status: number}} Outcome */

/** The most laws of a form. */
const MOST_PARTS = 64;

/** The most reports of one upload. */
const BATCH = 1000;

/** @param {any} found */
function isExact(found) {
  const number = isText(found) ? exactNumber(found) : null;
  return number && number[0] >= 0n && textOf(number) === found;
}

/** @param {any} found */
const isObject = (found) => isTable(found, () => true);

/** @typedef {Record<string, (found: any) => any>} Forms */

/** What every key of every kind of entry must hold. @type {Map<string, Forms>} */
const ENTRIES = new Map(
  Object.entries(/** @type {Record<string, Forms>} */ ({
    cap: { epsilon: isExact, version: (found) => found === 1 },
    budget: { context: isObject, domain: isObject },
    terms: { context: isObject, domain: isObject, fingerprint: isDigits(64) },
    parts: { fingerprint: isDigits(64), parts: (found) => Array.isArray(found) && found.length && found.length <= MOST_PARTS && found.every(isDigits(64)) },
    debit: { collection: isText, epsilon: isExact, fingerprint: isDigits(64), shows: (found) => typeof found === "boolean" },
    report: {
      collection: isText,
      labels: (found) => isTable(found, isText),
      report: (found) => isText(found) || Number.isSafeInteger(found),
      source: (found) => found === undefined || isText(found),
      tag: isDigits(64),
      wording: (found) => found === undefined || isDigits(64)(found),
    },
    upload: {
      body: (found) => Array.isArray(readPlain(found)?.reports),
      collection: isText,
      invitation: (found) => found === undefined || isSealed(found),
      upload: isDigits(32),
      url: isText,
    },
    outcome: { state: (found) => ["accepted", "refused"].includes(found), status: Number.isSafeInteger, upload: isDigits(32) },
  })),
);

/** True for the kinds of entries that this client keeps to. @param {any} kind */
export const isKnown = (kind) => ENTRIES.has(kind);

/** @param {unknown} holds */
function follows(holds) {
  if (!holds) throw new Error("this entry cannot follow");
}

/** Cap, budgets, debits, reports, uploads and outcomes of a journal. */
export class Account {
  constructor() {
    /** @type {Entry[]} */
    this.entries = [];
    /** @type {Ratio} */
    this.cap = [0n, 1n];
    /** @type {Ratio} */
    this.spent = [0n, 1n];
    /** Every one of them holds, so that none is ever raised. @type {Budget[]} */
    this.budgets = [];
    /** Contexts by the fingerprints of their laws; null for one that cannot be read here. @type {Map<string, Context | null>} */
    this.terms = new Map();
    /** The fingerprints of the laws of each form, by its own. @type {Map<string, string[]>} */
    this.parts = new Map();
    /** What was paid under each law. @type {Map<string, Payments>} */
    this.paid = new Map();
    /** @type {Map<string, Answered>} */
    this.collections = new Map();
    /** @type {Map<string, Upload>} */
    this.uploads = new Map();
    /** @type {Map<string, Outcome>} */
    this.outcomes = new Map();
  }

  /** Take the next entry into account; an error, and no change, if it cannot follow. @param {Entry} entry */
  add(entry) {
    const { kind, ...rest } = entry;
    const forms = ENTRIES.get(kind);
    follows(forms && Object.keys(rest).every((key) => Object.hasOwn(forms, key)));
    for (const key in forms) follows(forms[key](rest[key]));
    const amount = /** @type {Ratio} */ (exactNumber(rest.epsilon));
    const answered = this.collections.get(rest.collection);
    follows(kind === "cap" || this.entries.length);
    if (kind === "cap") {
      follows(!this.entries.length || atMost(amount, this.cap));
      this.cap = amount;
    } else if (kind === "debit") {
      const { fingerprint, shows } = rest;
      const known = answered ?? { fingerprint, shows, spent: [0n, 1n], owed: 0, reports: [] };
      follows(known.fingerprint === fingerprint);
      known.spent = plus(known.spent, amount);
      known.owed += 1;
      const paid = this.paid.get(fingerprint) ?? { debits: 0, epsilon: [0n, 1n], shows };
      this.paid.set(fingerprint, { debits: paid.debits + 1, epsilon: plus(paid.epsilon, amount), shows: paid.shows || shows });
      this.spent = plus(this.spent, amount);
      this.collections.set(rest.collection, known);
    } else if (kind === "budget") {
      const budget = budgetOf(/** @type {any} */ (rest), this);
      follows(budget);
      this.budgets.push(/** @type {Budget} */ (budget));
    } else if (kind === "terms") {
      if (!this.terms.has(rest.fingerprint)) this.terms.set(rest.fingerprint, contextIn(/** @type {any} */ (rest)));
    } else if (kind === "parts") {
      if (!this.parts.has(rest.fingerprint)) this.parts.set(rest.fingerprint, rest.parts);
    } else if (kind === "report") {
      const { tag, report, source, wording } = rest;
      const first = this.collections.get(source);
      follows(source === undefined ? answered?.owed : wording && first?.reports.some((kept) => kept.report === report && kept.wording === wording));
      const known = answered ?? { .../** @type {Answered} */ (first), spent: [0n, 1n], owed: 0, reports: [] };
      follows(!first || known.fingerprint === first.fingerprint);
      if (source === undefined) known.owed -= 1;
      known.reports.push({ tag, report, source, wording, labels: canonical(rest.labels), carried: new Map() });
      this.collections.set(rest.collection, known);
    } else if (kind === "upload") {
      follows(!this.uploads.has(rest.upload));
      this.uploads.set(rest.upload, /** @type {Upload} */ (entry));
      const { labels = {}, reports } = readPlain(rest.body);
      const under = canonical(labels);
      for (const report of reports) {
        const equal = (answered?.reports ?? []).filter((kept) => kept.report === report && !this.carrier(kept, under));
        (equal.find((kept) => !this.carriers(kept).length) ?? equal[0])?.carried.set(under, rest.upload);
      }
    } else {
      follows(this.uploads.has(rest.upload));
      if (!this.outcomes.has(rest.upload)) this.outcomes.set(rest.upload, /** @type {Outcome} */ (entry));
    }
    this.entries.push(entry);
  }

  /** The upload that carries a report under these labels, unless it was refused. @param {Kept} kept @param {string} labels */
  carrier(kept, labels) {
    const number = kept.carried.get(labels) ?? "";
    return this.outcomes.get(number)?.state === "refused" ? undefined : this.uploads.get(number);
  }

  /** The uploads that carry a report under any labels, but for those that were refused. @param {Kept} kept */
  carriers(kept) {
    return [...kept.carried.keys()].flatMap((labels) => this.carrier(kept, labels) ?? []);
  }

  /**
   * The first upload that carries a report in the period of these labels, or at all without periods. An upload does not say which of two equal
   * reports it carries: one that was sent before counts as sent with the other.
   * @param {Answered} answered
   * @param {Kept} kept
   * @param {Record<string, string>} labels
   * @param {string} [period]
   */
  sent({ reports }, kept, labels, period) {
    const [first] = this.carriers(kept);
    if (!first || period === undefined) return first;
    const timeOf = (/** @type {Record<string, string>} */ found) => (Object.hasOwn(found, period) ? found[period] : undefined);
    const equal = reports.filter(({ report }) => report === kept.report).flatMap((other) => this.carriers(other));
    return equal.find(({ body }) => timeOf(readPlain(body).labels ?? {}) === timeOf(labels));
  }

  /** The reports of all collections with this law and wording; none where the wording is not known. @param {string} law @param {string} [wording] */
  reportsTo(law, wording) {
    return [...this.collections].flatMap(([collection, { fingerprint, reports }]) =>
      wording && fingerprint === law ? reports.filter((kept) => kept.wording === wording).map(({ tag, report }) => ({ collection, tag, report })) : [],
    );
  }

  /**
   * The reports of one upload: this one, and others of its collection that were never sent, labelled alike.
   * @param {Answered} answered
   * @param {Kept} kept
   * @param {string} labels
   */
  batch(answered, kept, labels) {
    const others = answered.reports.filter((other) => other !== kept && !other.carried.size && other.labels === labels);
    return [...others.slice(0, BATCH - 1), kept].map(({ report }) => report);
  }

  /** The uploads without an outcome, in the order they were made. */
  get queued() {
    return [...this.uploads.values()].filter(({ upload }) => !this.outcomes.has(upload));
  }
}
