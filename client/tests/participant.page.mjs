/** The participant's side in a page: the ledger in IndexedDB, tabs that race, reloads, and coming online again. */

import { IndexedStore, Participant } from "../dist/participant.min.js";

/** @param {string} name of a database @param {object} [more] */
const someone = (name, more) => new Participant({ cap: "0.5", store: new IndexedStore(name), sleep: async () => {}, ...more });

/** Answer a collection. @param {string} database @param {string} url @param {any} value @param {string} [cap] */
export async function answer(database, url, value, cap = "0.5") {
  try {
    return await (await someone(database, { cap }).open(url)).answer(value);
  } catch (problem) {
    return { code: /** @type {any} */ (problem).code, message: String(problem) };
  }
}

/** What a ledger adds up to, and its text. @param {string} database */
export async function summary(database) {
  const { ledger } = someone(database, { cap: undefined });
  return { ...(await ledger.summary()), text: await ledger.export() };
}

/** Line n is written once, whoever tries; the key is one, and stays inside. @param {string} database */
export async function store(database) {
  const stores = Array.from({ length: 8 }, () => new IndexedStore(database));
  const before = await stores[0].read();
  const keys = await Promise.all(stores.map((one) => one.key()));
  const tags = await Promise.all(keys.map(async (key) => String(new Uint8Array(await crypto.subtle.sign("HMAC", key, new Uint8Array(3))))));
  const taken = [];
  for (let n = 0; n < 20; n += 1) taken.push(await Promise.all(stores.map((one, i) => one.append(n, `${n} ${i}\n`))));
  const text = (await stores[1].read()) ?? "";
  return {
    before,
    tags: new Set(tags).size,
    extractable: keys.some((key) => key.extractable),
    once: taken.every((found) => found.filter(Boolean).length === 1),
    kept: text.split("\n").slice(0, -1).every((line, n) => line === `${n} ${taken[n].indexOf(true)}`),
    lines: text.split("\n").length - 1,
  };
}

/** Participants that race for one budget: two collections can be paid, and three are answered. @param {string} database @param {string[]} urls */
export async function race(database, urls) {
  const given = await Promise.all([0, 1, 2].flatMap(() => urls.map((url, value) => answer(database, url, value))));
  const { spent, entries } = await summary(database);
  const sent = new Map(urls.map((url) => [url, new Set()]));
  for (const receipt of given) if ("sent" in receipt) sent.get(receipt.collection)?.add(receipt.sent);
  const debits = entries.filter(({ kind }) => kind === "debit").length;
  return { spent, debits, most: Math.max(...[...sent.values()].map((texts) => texts.size)), refused: given.filter((one) => one.code === "overspent").length };
}

/** What stays queued while the collector is away is sent when the browser is online again. @param {string} database @param {string} url */
export async function online(database, url) {
  let isAway = true;
  const bodies = /** @type {any[]} */ ([]);
  const fetch = async (/** @type {any} */ asked, /** @type {any} */ init) => {
    if (init.method !== "POST") return globalThis.fetch(asked, init);
    if (isAway) throw new TypeError("no network");
    bodies.push(init.body);
    return new Response(null, { status: 204 });
  };
  const one = someone(database, { fetch });
  const receipt = await (await one.open(url)).answer(3);
  const stop = one.flushWhenOnline();
  isAway = false;
  dispatchEvent(new Event("online"));
  while ((await one.ledger.summary()).queued.length) await new Promise((resolve) => setTimeout(resolve, 10));
  stop();
  return { state: receipt.state, same: bodies.length === 1 && bodies[0] === receipt.sent };
}
