/**
 * The participant's side of one element, as functions that give promises: in a worker where the page allows one, else on its thread. It begins with
 * the first call, and again after it was ended.
 */

import { Refused } from "discreet-pages/reasons.js";

export { reasonOf, Refused } from "discreet-pages/reasons.js";

/** @typedef {{call: (name: string, given: any[]) => Promise<any>, end: () => void}} Place */

/** Where the other modules are. */
let base = "";
/** The address that was opened, and what was said there: all that the person has read. */
let opened = "";
let said = "";
/** @type {Promise<Place> | null} */
let place = null;
/** How many calls are under way; what is ended in between ends after the last. */
let busy = 0;
let isEnding = false;

/** @param {string} given the address of the element's module */
export function settle(given) {
  base = given;
}

/** @param {Worker} worker @returns {Promise<Place>} once it works */
const ready = (worker) =>
  new Promise((resolve, reject) => {
    /** @type {Map<number, {resolve: (found: any) => void, reject: (problem: Error) => void}>} */
    const waiting = new Map();
    let last = 0;
    const call = (/** @type {string} */ name, /** @type {any[]} */ given) =>
      new Promise((done, failed) => {
        waiting.set((last += 1), { resolve: done, reject: failed });
        worker.postMessage({ number: last, name, given });
      });
    worker.addEventListener("message", ({ data: { number, found, problem, isReady } }) => {
      if (isReady) return resolve({ call, end: () => worker.terminate() });
      if (isReady === false) return reject(new Error("no worker"));
      const asked = waiting.get(number);
      waiting.delete(number);
      if (!problem) asked?.resolve(found);
      else asked?.reject(problem.kind === "Refused" ? new Refused(problem.message, problem.code) : new Error(problem.message));
    });
    worker.addEventListener("error", (event) => {
      event.preventDefault();
      reject(new Error("no worker"));
      waiting.forEach((asked) => asked.reject(new Error("The check could not be started.")));
    });
  });

/**
 * A worker: of the page's own origin, or else a script of the page that imports it, which a strict policy may forbid. It imports it when it runs, for
 * what is imported before is a worker to the policy, and no script.
 * @param {string} url
 */
function worker(url) {
  if (new URL(url).origin === location.origin) return new Worker(url, { type: "module" });
  const script = URL.createObjectURL(new Blob([`import(${JSON.stringify(url)}).catch(() => postMessage({ isReady: false }));`], { type: "text/javascript" }));
  return new Worker(script, { type: "module" });
}

/** On the thread of the page. @param {string} url @returns {Promise<Place>} */
async function here(url) {
  await new Promise((resolve) => setTimeout(resolve, 50)); // what was said so far is seen first
  const calls = (await import(url)).begin();
  const call = async (/** @type {string} */ name, /** @type {any[]} */ given) => {
    try {
      return await calls[name](...given);
    } catch (problem) {
      const { name: kind, message, code } = /** @type {any} */ (problem);
      throw kind === "Refused" ? new Refused(message, code) : problem;
    }
  };
  return { call, end: () => {} };
}

/** What a collection says, but for what the ledger knows beside it. @param {any} found */
const textOf = (found) => JSON.stringify({ ...found, related: null });

/** What is left to do where the collection says something else than the person has read: what they gave before is sent. @param {Place} place @returns {Place} */
const changed = ({ call, end }) => ({
  call: async (name, given) => {
    if (name === "flush" || name === "summary") return call(name, given);
    throw new Refused("The collection describes itself in another way than when it was opened: open it again.", "document");
  },
  end,
});

async function begin() {
  const url = new URL("element_worker.min.js", base).href;
  /** @type {Worker | undefined} */
  let made;
  let found;
  try {
    made = worker(url);
    found = await ready(made);
  } catch {
    made?.terminate();
    found = await here(url);
  }
  return opened && textOf(await found.call("open", [opened])) !== said ? changed(found) : found;
}

/** End the worker, once nothing is under way. */
export function end() {
  isEnding = busy > 0;
  if (isEnding) return;
  place?.then((found) => found.end(), () => {});
  place = null;
}

/** Go on, if it was to be ended. */
export function resume() {
  isEnding = false;
}

/** @param {string} name @returns {(...given: any[]) => Promise<any>} */
const call =
  (name) =>
  async (...given) => {
    busy += 1;
    try {
      place ??= begin().catch((problem) => {
        place = null;
        throw problem;
      });
      return await (await place).call(name, given);
    } finally {
      busy -= 1;
      if (isEnding) end();
    }
  };

const first = call("open");
/** The collection at an address, checked, as data. @param {string} url */
export async function open(url) {
  const found = await first(url);
  opened = url;
  said = textOf(found);
  return found;
}
export const about = call("about");
export const row = call("row");
export const answer = call("answer");
export const flush = call("flush");
export const summary = call("summary");
export const begins = call("begin");
export { begins as begin };
