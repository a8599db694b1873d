/** Random histories of one person's answers, with crashes anywhere, and what must never happen in them. */

import { createHash, createHmac } from "node:crypto";
import { collector, documentOf, documentOfForm, formOf, LAWS, ORIGIN, seeded } from "./collector.mjs";

/** A process that ended here. */
export class Crash extends Error {}

/**
 * A disk that loses what was not synced, in part or whole, when its process ends.
 *
 * `lazy` are kinds of entries that it says it has before they are synced: a planted fault.
 */
export class LossyDisk {
  /** @param {ReturnType<typeof seeded>} chance @param {string[]} lazy */
  constructor(chance, lazy) {
    this.chance = chance;
    this.lazy = lazy;
    this.durable = "";
    this.pending = "";
    this.bytes = new Uint8Array(32).fill(7);
    this.life = 0;
    this.left = Infinity;
  }

  /** The process ends; a piece of what was not synced may stay, never more than a piece of its last line. */
  end() {
    const kept = this.pending.slice(0, this.chance.below(this.pending.length + 1));
    // the first line is made whole or not at all; a line that lacks its line feed is no line
    if (this.durable && !this.lazy.length) this.durable += kept.slice(0, Math.max(kept.length - 1, 0));
    this.pending = "";
    this.life += 1;
    this.left = Infinity;
    return new Crash();
  }

  /** A store for one process; once that has ended, it does nothing. */
  store() {
    const { life } = this;
    const step = async () => {
      if (this.chance.below(2)) await null;
      if (life !== this.life) throw new Crash();
      this.left -= 1;
      if (this.left < 0) throw this.end();
    };
    return {
      step,
      read: async () => {
        await step();
        const text = this.durable + this.pending;
        return text === "" ? null : text;
      },
      append: async (/** @type {number} */ number, /** @type {string} */ line) => {
        await step();
        const there = (this.durable + this.pending).split("\n").length - 1;
        if (there !== number) return false;
        if (!this.pending) this.durable = this.durable.slice(0, this.durable.lastIndexOf("\n") + 1); // a torn line is cut off
        this.pending += line;
        await step();
        if (!this.lazy.includes(JSON.parse(line).kind)) {
          this.durable += this.pending;
          this.pending = "";
        }
        await step();
        return true;
      },
      key: async () => {
        await step();
        return /** @type {any} */ (this.bytes);
      },
    };
  }

  /** The entries that survive a loss of power now. @param {string} [text] */
  entries(text = this.durable) {
    return text.slice(0, text.lastIndexOf("\n") + 1).split("\n").filter(Boolean).map((line) => JSON.parse(line));
  }

  /** Those of some values that a report of a collection stands for, by its tag, synced or not. @param {string} collection @param {any} report @param {any[]} values */
  valuesOf(collection, report, values) {
    const tags = this.entries(this.durable + this.pending).flatMap((entry) => (entry.collection === collection && entry.report === report ? [entry.tag] : []));
    return values.filter((value) => tags.includes(createHmac("sha256", this.bytes).update(JSON.stringify([collection, value])).digest("hex")));
  }
}

const NAMES = ["/a/", "/b/", "/c/", "/d/"];
const OTHER = "/d/"; // has another question than the rest, under their law
const LAW = LAWS.subset; // 1.3 million reports: two draws of one value are hardly ever the same

/**
 * Collections that are answered with one of some answers: what may stand for these in a journal, what one spends (a half and sums of it are exact), and how
 * many words a report takes; nothing else draws so many.
 * @typedef {{pages: Record<string, string>, answers: any[], values: any[], epsilon: number, words: number}} World
 */

/** @param {string} law @param {(more: object) => object} describe @param {object} other */
const pagesOf = (law, describe, other) =>
  Object.fromEntries(NAMES.flatMap((name, i) => [[name, JSON.stringify(describe({ changes: i ? "spend" : "refuse", ...(name === OTHER && other) }))], [`${name}law`, law]]));

/** One question. @type {World} */
const SINGLE = {
  pages: pagesOf(LAW, (more) => documentOf(LAW, more), { question: "Which of those?" }),
  answers: ["v0", "v7"],
  values: ["v0", "v7"],
  epsilon: 0.5,
  words: 3,
};

const QUESTIONS = ["a", "b"];

/** Two questions under one law. @param {string} strategy @param {Omit<World, "pages">} more @returns {World} */
function several(strategy, more) {
  const { text, fingerprint } = formOf([LAW, LAW], QUESTIONS, strategy);
  return { pages: pagesOf(text, (entries) => documentOfForm(fingerprint, QUESTIONS, entries), { title: "Another survey" }), ...more };
}

/** Both of them are asked. */
export const EACH = several("each", { answers: [{ a: "v0", b: "v7" }, { a: "v7", b: "v7" }], values: [["v0", "v7"], ["v7", "v7"]], epsilon: 1, words: 6 });

/** One of them is asked, as the key of the disk says. */
export const ONE = several("one at random", {
  answers: [{ a: "v0", b: "v0" }, { a: "v7", b: "v7" }],
  values: QUESTIONS.flatMap((name) => [[name, "v0"], [name, "v7"]]),
  epsilon: 0.5,
  words: 3,
});

// the same hashes without a detour through another thread, which takes most of the time of a history
crypto.subtle.digest = async (_, bytes) => new Uint8Array(createHash("sha256").update(/** @type {any} */ (bytes)).digest()).buffer;
const sign = crypto.subtle.sign.bind(crypto.subtle);
crypto.subtle.sign = async (/** @type {any} */ algorithm, /** @type {any} */ key, /** @type {any} */ bytes) =>
  key instanceof Uint8Array ? new Uint8Array(createHmac("sha256", key).update(bytes).digest()).buffer : sign(algorithm, key, bytes);

/** What is told where a draw is looked at. @type {() => void} */
let drawn = () => {};
let drawnWords = 0;
const random = crypto.getRandomValues.bind(crypto);
crypto.getRandomValues = (/** @type {any} */ array) => {
  if (array instanceof BigUint64Array && array.length === drawnWords) drawn();
  return random(array);
};

/**
 * One random history: what went wrong in it, and how often what happened.
 * @param {number} seed
 * @param {{Participant: any}} client
 * @param {string[]} [lazy]
 * @param {World} [world]
 */
export async function history(seed, { Participant }, lazy = [], { pages, answers, values, epsilon, words } = SINGLE) {
  const chance = seeded(seed);
  const disk = new LossyDisk(chance, lazy);
  const cap = chance.pick([1, 2, 3, 4]) * epsilon;
  drawnWords = words;
  /** @type {Set<string>} */
  const wrong = new Set();
  const counts = { answers: 0, crashes: 0, reloads: 0, refused: 0, posts: 0 };
  /** The reports that have left the device, by question and value: all collections have one law. @type {Map<string, Set<string>>} */
  const told = new Map();
  /** The bytes of each upload. @type {Map<string, string>} */
  const bodies = new Map();
  let answering = { name: "" };

  drawn = () => {
    const entries = disk.entries().filter(({ collection }) => collection === ORIGIN + answering.name);
    const count = (/** @type {string} */ kind) => entries.filter((entry) => entry.kind === kind && entry.source === undefined).length;
    if (count("debit") <= count("report")) wrong.add("drawn before it was paid for");
  };

  const site = collector(pages);
  /** @param {() => Promise<void>} step @returns {(url: any, init: any) => Promise<Response>} */
  const fetchOf = (step) => async (url, init) => {
    if (init.method !== "POST") return site.fetch(url, init);
    await step();
    counts.posts += 1;
    const number = init.headers["idempotency-key"];
    const entries = disk.entries();
    if (!entries.some((entry) => entry.upload === number && entry.body === init.body)) wrong.add("sent before the upload was stored");
    if ((bodies.get(number) ?? init.body) !== init.body) wrong.add("one upload with two texts");
    const { reports } = JSON.parse(init.body);
    const stored = entries.filter(({ kind }) => kind === "report").map(({ report }) => report);
    if (reports.some((/** @type {any} */ report) => !stored.includes(report))) wrong.add("released before it was stored");
    const collection = String(url).replace(/reports$/, "");
    for (const report of reports)
      for (const value of disk.valuesOf(collection, report, values)) {
        const key = `${collection.endsWith(OTHER)} ${JSON.stringify(value)}`;
        told.set(key, (told.get(key) ?? new Set()).add(JSON.stringify(report)));
      }
    bodies.set(number, init.body);
    const response = chance.pick([() => new Response(null, { status: 200 }), () => new Response(null, { status: 503 }), () => null])();
    await step();
    if (!response) throw new TypeError("no network");
    return response;
  };

  for (let visit = 0; visit < 4; visit += 1) {
    disk.left = chance.below(4) ? chance.below(30) : Infinity;
    const store = disk.store();
    const one = new Participant({ cap, store, fetch: fetchOf(store.step), sleep: async () => {} });
    counts.reloads += 1;
    try {
      for (let more = 1 + chance.below(3); more; more -= 1) {
        answering = { name: chance.pick(NAMES) };
                const collection = await one.open(ORIGIN + answering.name);
        try {
          await collection.answer(chance.pick(answers));
          counts.answers += 1;
        } catch (problem) {
          if (problem instanceof Crash || !["overspent", "answered"].includes(/** @type {any} */ (problem).code)) throw problem;
          counts.refused += 1;
        }
        answering = { name: "" };
        if (!chance.below(3)) await one.flush();
      }
    } catch (problem) {
      if (/** @type {any} */ (problem).code === "damaged") wrong.add("damaged");
      else if (!(problem instanceof Crash)) throw problem;
      counts.crashes += 1;
    }
    if (disk.left !== Infinity) disk.end();
  }

  const spent = epsilon * disk.entries().filter(({ kind }) => kind === "debit").length;
  const released = [...told.values()].reduce((sum, reports) => sum + reports.size, 0);
  if ([...told.values()].some((reports) => reports.size > 1)) wrong.add("a second report for one value");
  if (new Set([...told.values()].flatMap((reports) => [...reports])).size < released) wrong.add("one report for two questions");
  if (spent > cap) wrong.add("debited more than the cap");
  if (epsilon * released > Math.min(spent, cap)) wrong.add("told more than was debited");
  return { wrong: [...wrong], counts };
}
