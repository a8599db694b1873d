/** The participant's side of one collection, as what a page may ask of it, in data alone. */

import { entriesOf, inLanguage, Participant } from "./made/participant.js";
import { pointsOf } from "./map.js";

/** The most values among which those outside a scale are looked for. */
const MAX_SCALE = 2000;

/**
 * How many of the last values are outside the scale that the others are on: each of them is as far from every other value.
 * @param {any} question @param {(x: number) => Float64Array} row
 */
function outsideOf({ values, kind }, row) {
  const count = values.length;
  if (kind === "number") {
    const words = values.findIndex((/** @type {any} */ value) => !Number.isFinite(Number(value)) || String(value).trim() === "");
    return words < 0 ? 0 : count - words;
  }
  if (kind !== "scale" || count > MAX_SCALE) return 0;
  let first = count;
  while (first > 0 && new Set([...row(first - 1)].filter((_, z) => z !== first - 1)).size <= 1) first -= 1;
  return first > 1 ? count - first : 0; // where all are alike, there is no scale to tell them from
}

/** What a collection that takes no answers says of it, for display alone. @param {string} url */
async function about(url) {
  const { opens, closes, state } = await (await fetch(url, { credentials: "omit" })).json();
  return { opens, closes, state };
}

/**
 * What a page may ask for, with a ledger whose cap is the person's choice, which comes with the first answer.
 * @param {object} [ways] to the network, as the client takes them
 */
export function tasks(ways = {}) {
  const participant = new Participant(ways);
  /** @type {any} */
  let collection;
  /** E of each question, row by row, by its name. @type {Map<string, (x: number) => Float64Array>} */
  let rows;

  const questionOf = (/** @type {string} */ name) => collection.questions.find((/** @type {any} */ one) => one.name === name);

  /** What the page may ask for. @type {Record<string, (...given: any[]) => any>} */
  return {
    async open(/** @type {string} */ url) {
      collection = await participant.open(url);
      const { title, texts, questions, asked, labels, promise, related, strategy, form, law } = collection;
      rows = new Map(questions.map((/** @type {any} */ one) => [one.name, entriesOf(one)]));
      const contexts = form ? form.questions.map((/** @type {any} */ one) => one.context) : [law.context];
      return {
        title,
        labels,
        promise,
        related,
        strategy,
        asked,
        languages: texts.languages,
        texts: Object.fromEntries(texts.languages.map((/** @type {string} */ name) => [name, inLanguage(texts, name)])),
        questions: questions.map((/** @type {any} */ { name, values, numbers, kind }, /** @type {number} */ i) => ({
          name,
          values,
          kind,
          numbers: numbers && { low: numbers.low, high: numbers.high, step: numbers.step, clip: numbers.clip },
          form: contexts[i].form,
          points: pointsOf(contexts[i], values.length),
          outside: numbers ? numbers.outside.length : outsideOf({ values, kind }, /** @type {any} */ (rows.get(name))),
        })),
      };
    },
    about,
    /**
     * What was spent, or null before a budget was set; `isPaid` if this law was paid for, so that an answer may cost nothing more, and `isAnswered` if
     * an answer to this collection was taken. Of the collections, `isThis` marks it.
     */
    async summary() {
      const summary = await participant.ledger.summary().catch((problem) => {
        if (problem.code === "cap") return null;
        throw problem;
      });
      const isPaid = summary?.entries.some(({ kind, fingerprint }) => kind === "debit" && fingerprint === collection?.promise.fingerprint);
      if (!summary) return null;
      const taken = new Set(summary.entries.filter(({ kind, state }) => kind === "outcome" && state === "accepted").map(({ upload }) => upload));
      const isAnswered = summary.entries.some(({ kind, collection: other, upload }) => kind === "upload" && other === collection?.name && taken.has(upload));
      return { ...summary, isPaid, isAnswered, collections: summary.collections.map((one) => ({ ...one, isThis: one.collection === collection?.name })) };
    },
    /** Set the budget of this browser, once. */
    async begin(/** @type {string} */ cap) {
      await new Participant({ ...ways, cap }).ledger.summary().catch((problem) => {
        if (problem.code !== "cap") throw problem; // another tab was first, and no cap is raised
      });
    },
    /** E between an answer and every value; of a number in a text, which may become one of several values, the largest. */
    row(/** @type {string} */ name, /** @type {number | string} */ held) {
      const row = /** @type {(x: number) => Float64Array} */ (rows.get(name));
      if (typeof held === "number") return row(held);
      const { numbers } = questionOf(name);
      const several = numbers.beside(numbers.position(held)).map(row);
      return several[0].map((/** @type {number} */ _, /** @type {number} */ z) => several.reduce((/** @type {number} */ most, /** @type {Float64Array} */ one) => Math.max(most, one[z]), 0));
    },
    /** With the numbers of the values by the names of the questions, or the texts of numbers; a single question is called "". */
    answer(/** @type {Record<string, number | string>} */ chosen, /** @type {any} */ more) {
      const valueOf = (/** @type {string} */ name) => (typeof chosen[name] === "string" ? chosen[name] : questionOf(name).values[chosen[name]]);
      return collection.answer("" in chosen ? valueOf("") : Object.fromEntries(Object.keys(chosen).map((name) => [name, valueOf(name)])), more);
    },
    flush: () => participant.flush(),
  };
}

/** Do them for whoever sends messages to this worker. @param {Record<string, (...given: any[]) => any>} calls */
export function serve(calls) {
  addEventListener("message", async ({ data: { number, name, given } }) => {
    try {
      postMessage({ number, found: await calls[name](...given) });
    } catch (problem) {
      const { name: kind, message, code } = /** @type {any} */ (problem);
      postMessage({ number, problem: { kind, message, code } });
    }
  });
}
