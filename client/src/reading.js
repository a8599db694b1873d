/** Published laws as data: strict, within limits, each number written in one way only. */

import { Refused, demand } from "./exact.js";

/** What a published law may ask for; more is refused before it is expanded. */
export const LIMITS = { bytes: 1 << 26, values: 1 << 20, bits: 1 << 16, work: 1 << 25, depth: 8 };

let spent = 0;

/** Start to count the work that a law asks for. */
export const begin = () => void (spent = 0);

/** Count work that is about to be done. @param {number} work */
export function spend(work) {
  spent += work;
  if (!(spent <= LIMITS.work)) throw new Refused("This law takes too much work to check.", "limits");
}

/**
 * A set of numbers below `size`.
 * @typedef {{size: number, members: number[]}} Bits
 */

/**
 * The data of a JSON text that is written in the canonical way, or at least in no way that readers could take differently.
 * @param {string} text
 */
export function strictJson(text) {
  let data;
  try {
    data = JSON.parse(text);
  } catch {
    data = undefined;
  }
  // white space, repeated keys, 1.0 for 1 and the like do not survive the round trip
  demand(data !== undefined && JSON.stringify(data) === text, "it is not canonical JSON");
  return data;
}

/**
 * The entries of an object that has exactly these keys, in order.
 * @param {any} data
 * @param {string} keys separated by spaces, sorted; those that may be missing end with a question mark
 * @param {string} name
 */
export function entries(data, keys, name) {
  const found = data && typeof data === "object" && !Array.isArray(data) ? Object.keys(data) : [];
  const wanted = keys.split(" ").filter((key) => !key.endsWith("?") || found.includes(key.slice(0, -1)));
  demand(found.join(" ") === wanted.join(" ").replaceAll("?", ""), `${name} must have ${keys} and nothing else`);
  return data;
}

/** A whole number that is small enough to count with. @param {any} data @returns {number} */
export function whole(data) {
  demand(Number.isSafeInteger(data) && data >= 0, "a number in it must be whole and not negative");
  return data;
}

/** A whole number of any size: a JSON number below 2^53, decimal text from there on. @param {any} data */
function big(data) {
  if (typeof data !== "string") return BigInt(whole(data));
  demand(/^[1-9]\d{15,599}$/.test(data) && BigInt(data) >= 1n << 53n, "a number in it is not written canonically");
  return BigInt(data);
}

/** @param {any} data @returns {any[]} */
export function listed(data) {
  demand(Array.isArray(data), "something in it must be a list");
  return data;
}

/** @param {any} data @returns {Bits} */
function bits(data) {
  entries(data, "bits size", "a set");
  const size = whole(data.size);
  let bytes = "";
  try {
    bytes = atob(data.bits);
  } catch {}
  demand(bytes.length === Math.ceil(size / 8) && btoa(bytes) === data.bits, "a set must be the base64 of its bits");
  const members = [];
  for (let at = 0; at < bytes.length; at += 1)
    for (let bit = 0; bit < 8; bit += 1) if ((bytes.charCodeAt(at) >> bit) & 1) members.push(8 * at + bit);
  demand(!members.length || members[members.length - 1] < size, "a set must have no bits beyond its size");
  return { size, members };
}

/** @param {any} data */
function row(data) {
  entries(data, "runs", "a row");
  let [count, last] = [0, -1];
  for (const run of listed(data.runs)) {
    const fits = listed(run).length === 2 && whole(run[1]) > 0 && whole(run[0]) < 2 ** 32 && run[0] !== last;
    demand(fits, "a row must be runs of [number, how often]");
    last = run[0];
    spend(run[1]);
    count += run[1];
  }
  const found = new Uint32Array(count);
  let at = 0;
  for (const [number, often] of data.runs) found.fill(number, at, (at += often));
  return found;
}

/**
 * The readers of what a law can hold, by one letter: n a small number, b any number, w the width of words, s a set,
 * r a row. A star after it is a list of them, two a list of lists.
 * @type {Record<string, (data: any) => any>}
 */
const READERS = {
  n: whole,
  b: big,
  w: (data) => demand(data === 64, "its words must have 64 bits"),
  s: bits,
  r: row,
};

/**
 * The entries of a law as its shape says, such as "high:b kinds:l* size:n".
 * @param {any} data
 * @param {string} shape
 * @param {(data: any) => any} law reads the laws inside it, of the letter l
 * @returns {any}
 */
export function shaped(data, shape, law) {
  const fields = shape.split(" ").map((field) => field.split(":"));
  entries(data, fields.map(([name]) => name).concat("kind").sort().join(" "), `a law of the kind ${data.kind}`);
  /** @param {any} entry @param {string} type @returns {any} */
  const read = (entry, type) =>
    type.endsWith("*") ? listed(entry).map((part) => read(part, type.slice(0, -1))) : (READERS[type] ?? law)(entry);
  return Object.fromEntries(fields.map(([name, type]) => [name, read(data[name], type)]));
}
