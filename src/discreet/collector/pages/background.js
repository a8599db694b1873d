/** The participant's side, which works in `worker.js`, as functions that give promises. */

import { Refused } from "./reasons.js";

export { reasonOf, Refused } from "./reasons.js";

const worker = new Worker(new URL("worker.js", import.meta.url), { type: "module" });
/** Who waits for an answer, by its number. @type {{resolve: (found: any) => void, reject: (problem: Error) => void}[]} */
const waiting = [];

worker.addEventListener("message", ({ data: { number, found, problem } }) => {
  if (!problem) waiting[number].resolve(found);
  else waiting[number].reject(problem.kind === "Refused" ? new Refused(problem.message, problem.code) : new Error(problem.message));
});
worker.addEventListener("error", () => waiting.forEach(({ reject }) => reject(new Error("The check could not be started."))));

/** @param {string} name @returns {(...given: any[]) => Promise<any>} */
const call =
  (name) =>
  (...given) =>
    new Promise((resolve, reject) => {
      worker.postMessage({ number: waiting.push({ resolve, reject }) - 1, name, given });
    });

/** The collection at an address, checked, as data. @type {(url: string) => Promise<any>} */
export const open = call("open");
/** What a collection says of when it takes answers. @type {(url: string) => Promise<any>} */
export const about = call("about");
/** E between an answer to a question, a number in a text or the number of a value, and every value. @type {(name: string, held: number | string) => Promise<Float64Array>} */
export const row = call("row");
/** What became of answers, numbers of values or texts of numbers by the names of questions. @type {(chosen: Record<string, number | string>, more: {labels: Record<string, string>, invitation?: string}) => Promise<any>} */
export const answer = call("answer");
/** What became of what was queued. @type {() => Promise<any[]>} */
export const flush = call("flush");
/** What was spent; null before a budget was set. @type {() => Promise<any>} */
export const summary = call("summary");
/** Set the budget of this browser, once. @type {(cap: string) => Promise<void>} */
export const begin = call("begin");
