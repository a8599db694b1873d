/** Random histories of one person's answers, with crashes anywhere, and what must never happen in them. */

import { createHash, createHmac } from "node:crypto";
import { collector, documentOf, LAWS, ORIGIN, seeded } from "./collector.mjs";

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

  /** The value that a report of a collection stands for, by its tag, synced or not. @param {string} collection @param {any} report */
  valuesOf(collection, report) {
    const tags = this.entries(this.durable + this.pending).flatMap((entry) => (entry.collection === collection && entry.report === report ? [entry.tag] : []));
    return VALUES.filter((value) => tags.includes(createHmac("sha256", this.bytes).update(JSON.stringify([collection, value])).digest("hex")));
  }
}

const NAMES = ["/a/", "/b/", "/c/", "/d/"];
const OTHER = "/d/"; // has another question than the rest, under their law
const VALUES = ["v0", "v7"];
const EPSILON = 0.5; // a half and sums of it are exact
const LAW = LAWS.subset; // 1.3 million reports: two draws of one value are hardly ever the same
const WORDS = 3; // of one report; nothing else draws so many

const PAGES = Object.fromEntries(
  NAMES.flatMap((name, i) => [
    [name, JSON.stringify(documentOf(LAW, { changes: i ? "spend" : "refuse", ...(name === OTHER && { question: "Which of those?" }) }))],
    [`${name}law`, LAW],
  ]),
);

// the same hashes without a detour through another thread, which takes most of the time of a history
crypto.subtle.digest = async (_, bytes) => new Uint8Array(createHash("sha256").update(/** @type {any} */ (bytes)).digest()).buffer;
const sign = crypto.subtle.sign.bind(crypto.subtle);
crypto.subtle.sign = async (/** @type {any} */ algorithm, /** @type {any} */ key, /** @type {any} */ bytes) =>
  key instanceof Uint8Array ? new Uint8Array(createHmac("sha256", key).update(bytes).digest()).buffer : sign(algorithm, key, bytes);

/** What is told where a draw is looked at. @type {() => void} */
let drawn = () => {};
const random = crypto.getRandomValues.bind(crypto);
crypto.getRandomValues = (/** @type {any} */ array) => {
  if (array instanceof BigUint64Array && array.length === WORDS) drawn();
  return random(array);
};

/**
 * One random history: what went wrong in it, and how often what happened.
 * @param {number} seed
 * @param {{Participant: any}} client
 * @param {string[]} [lazy]
 */
export async function history(seed, { Participant }, lazy = []) {
  const chance = seeded(seed);
  const disk = new LossyDisk(chance, lazy);
  const cap = chance.pick([0.5, 1, 1.5, 2]);
  /** @type {Set<string>} */
  const wrong = new Set();
  const counts = { answers: 0, crashes: 0, reloads: 0, refused: 0, posts: 0 };
  /** The reports that have left the device, by question and value: all collections have one law. @type {Map<string, Set<string>>} */
  const told = new Map();
  /** The bytes of each upload. @type {Map<string, string>} */
  const bodies = new Map();
  let answering = { name: "", value: "" };

  drawn = () => {
    const entries = disk.entries().filter(({ collection }) => collection === ORIGIN + answering.name);
    const count = (/** @type {string} */ kind) => entries.filter((entry) => entry.kind === kind && entry.source === undefined).length;
    if (count("debit") <= count("report")) wrong.add("drawn before it was paid for");
  };

  const site = collector(PAGES);
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
      for (const value of disk.valuesOf(collection, report)) {
        const key = `${collection.endsWith(OTHER)} ${value}`;
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
      for (let answers = 1 + chance.below(3); answers; answers -= 1) {
        answering = { name: chance.pick(NAMES), value: chance.pick(VALUES) };
        const collection = await one.open(ORIGIN + answering.name);
        try {
          await collection.answer(answering.value);
          counts.answers += 1;
        } catch (problem) {
          if (problem instanceof Crash || !["overspent", "answered"].includes(/** @type {any} */ (problem).code)) throw problem;
          counts.refused += 1;
        }
        answering = { name: "", value: "" };
        if (!chance.below(3)) await one.flush();
      }
    } catch (problem) {
      if (/** @type {any} */ (problem).code === "damaged") wrong.add("damaged");
      else if (!(problem instanceof Crash)) throw problem;
      counts.crashes += 1;
    }
    if (disk.left !== Infinity) disk.end();
  }

  const spent = EPSILON * disk.entries().filter(({ kind }) => kind === "debit").length;
  const released = [...told.values()].reduce((sum, reports) => sum + reports.size, 0);
  if ([...told.values()].some((reports) => reports.size > 1)) wrong.add("a second report for one value");
  if (new Set([...told.values()].flatMap((reports) => [...reports])).size < released) wrong.add("one report for two questions");
  if (spent > cap) wrong.add("debited more than the cap");
  if (EPSILON * released > Math.min(spent, cap)) wrong.add("told more than was debited");
  return { wrong: [...wrong], counts };
}
