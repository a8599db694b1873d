/** Published laws as data: strict, within limits, each number written in one way only. */

import { demand, spend } from "./limits.js";

/** Whole numbers divided, rounded down. @param {number} a @param {number} b */
export const quotient = (a, b) => (a - (a % b)) / b;

/** The numbers from 0 on, so many. @param {number} count */
export const range = (count) => [...Array(count).keys()];

/**
 * A set of numbers below `size`.
 * @typedef {{size: number, members: number[]}} Bits
 */

/**
 * The entries of an object that has exactly these keys, in order.
 * @param {any} data
 * @param {string} keys separated by spaces
 * @param {string[]} optional keys that may be missing
 */
export const entries = (data, keys, ...optional) => {
  const wanted = [...keys.split(" "), ...optional.filter((key) => key in data)].sort();
  demand(Object.keys(data).join() === wanted.join());
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

/** How an entry of a law is read, by a letter. @type {Record<string, (data: any) => any>} */
const READERS = { n: whole, b: big, s: bits, r: row, w: (width) => demand(width === 64) };

/**
 * An entry of a law: n a small number, b one of any size, s a set, r a row, l a law, w the width of words. A star after the letter
 * is a list of them, two a list of lists.
 * @param {any} entry
 * @param {(data: any) => any} law reads the laws inside it
 * @param {string} [type]
 * @returns {any}
 */
export const read = (entry, law, type = "b") =>
  type.endsWith("*") ? listed(entry).map((part) => read(part, law, type.slice(0, -1))) : (READERS[type] ?? law)(entry);
