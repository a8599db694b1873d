/** Published laws as data: strict, within limits, each number written in one way only. */

import { demand, spend } from "./exact.js";

/** The numbers from 0 on, so many. @param {number} count */
export const range = (count) => [...Array(count).keys()];

/**
 * A set of numbers below `size`.
 * @typedef {{size: number, members: number[]}} Bits
 */

/**
 * The data of a JSON text that no two readers could take differently: white space, repeated keys, 1.0 for 1 and the like do
 * not survive the round trip. Whatever is thrown here or below refuses the law.
 * @param {string} text
 */
export const strictJson = (text) => {
  const data = JSON.parse(text);
  demand(JSON.stringify(data) === text, "it is not canonical JSON");
  return data;
};

/**
 * The entries of an object that has exactly these keys, in order.
 * @param {any} data
 * @param {string} keys separated by spaces
 * @param {string[]} optional keys that may be missing
 */
export const entries = (data, keys, ...optional) => {
  const wanted = [...keys.split(" "), ...optional.filter((key) => key in data)].sort();
  demand(Object.keys(data).join(" ") === wanted.join(" "));
  return data;
};

/** A whole number that is small enough to count with. @param {any} data @returns {number} */
export const whole = (data) => {
  demand(Number.isSafeInteger(data) && data >= 0);
  return data;
};

/** A whole number of any size: a JSON number below 2^53, decimal text from there on. @param {any} data */
const big = (data) => {
  demand(typeof data === "string" ? /^[1-9]\d{15,599}$/.test(data) && BigInt(data) >> 53n : whole(data) >= 0);
  return BigInt(data);
};

/** @param {any} data @returns {any[]} */
export const listed = (data) => {
  demand(Array.isArray(data));
  return data;
};

/** @param {any} data @returns {Bits} */
const bits = (data) => {
  const size = whole(entries(data, "bits size").size);
  spend(size);
  const bytes = atob(data.bits);
  const beyond = bytes.charCodeAt(bytes.length - 1) >> (size % 8 || 8);
  demand(bytes.length === Math.ceil(size / 8) && btoa(bytes) === data.bits && !beyond);
  return { size, members: range(size).filter((i) => (bytes.charCodeAt(i >> 3) >> (i & 7)) & 1) };
};

/** @param {any} data @returns {number[]} */
const row = (data) => {
  let last = -1;
  return listed(entries(data, "runs").runs).flatMap((run) => {
    const [number, count] = listed(run).map(whole);
    demand(run.length === 2 && count && number !== last);
    spend(4 * count);
    last = number;
    return Array(count).fill(number);
  });
};

/**
 * The entries of a law in the order of its shape, such as "high kinds:l* size:n word_bits:w". A letter says how one is read:
 * n a small number, b one of any size, as without a letter, s a set, r a row, l a law, w the width of words. A star after it is
 * a list of them, two a list of lists.
 * @param {any} data
 * @param {string} shape
 * @param {(data: any) => any} law reads the laws inside it
 * @returns {any[]}
 */
export const shaped = (data, shape, law) => {
  const fields = shape.split(" ").map((field) => field.split(":"));
  // what is missing here, its reader refuses
  entries(data, "kind", ...fields.map(([name]) => name));
  /** @type {Record<string, (data: any) => any>} */
  const readers = { n: whole, b: big, s: bits, r: row, l: law, w: (width) => demand(width === 64) };
  /** @param {any} entry @param {string} [type] @returns {any} */
  const read = (entry, type = "b") =>
    type.endsWith("*") ? listed(entry).map((part) => read(part, type.slice(0, -1))) : readers[type](entry);
  return fields.map(([name, type]) => read(data[name], type));
};
