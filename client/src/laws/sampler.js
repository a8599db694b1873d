/** What every law becomes: a sampler that draws reports, and bounds what the reports of any two values can give away. */

import { bitLength, greatest, memoized, ONE } from "../exact.js";
import { demand, spend } from "../limits.js";

/** @import { Context } from "../context.js" */
/** @import { Ratio } from "../exact.js" */

/**
 * A kind of law: its entries, each with a letter that says how to `read` it, and what makes a sampler of them in that order, or refuses.
 * @template {any[]} [Entries=any[]]
 * @typedef {[entries: string, samplerOf: (...entries: Entries) => Sampler]} Kind
 */

/**
 * Reports of values that need no protection, inside a high-low law:
 * how many words they take, the largest Q(y|x) / Pr(y) for a protected x, and
 * whether the value is disclosed, with the cover report if not.
 * @typedef {[takes: number, ratio: Ratio, write: (words: BigUint64Array) => [isDisclosed: boolean, report: bigint]]} Unprotected
 */

/**
 * Reports of a place, and cover reports that say nothing of any value; for blocks and types that others may show as well.
 * @typedef {object} Cover
 * @property {number} takes how many words
 * @property {number} places the places that a cover report is drawn from
 * @property {(x: number, isCover: boolean, words: BigUint64Array) => bigint} write
 * @property {[Ratio, Ratio]} ratios the largest Q(y|x) / Pr(cover y) of any x, and the other way round
 * @property {Subsets} [subsets]
 */

/**
 * Reports that are subsets of their places, all of one size.
 * @typedef {object} Subsets
 * @property {number} members how many places they hold
 * @property {(y: bigint, place: number) => boolean} holds whether a report holds a place
 * @property {[Ratio, Ratio]} above the most that a report is likelier from x than as a cover, where it does not hold x and where it does
 * @property {[Ratio, Ratio]} below the most that it is likelier as a cover than from x
 * @property {Ratio[]} between the most that it is likelier from x than from z, where holds(x) - holds(z) is -1, 0, 1
 */

/**
 * Of some values, few that stand for all of them: whatever other value they are compared with, either way, one of the few has a ratio
 * to it, or from it, that is as large as that of any of the values.
 * @typedef {(values: number[]) => number[]} Few
 */

/**
 * @typedef {object} Sampler
 * @property {number} inputs how many values it has
 * @property {number} takes how many 64-bit words a report takes, whatever the value
 * @property {bigint} outputs reports are below this
 * @property {Few} few
 * @property {(x: number, z: number) => Ratio} maxRatio a certain bound on Q(y|x) / Q(y|z) over all reports y
 * @property {(x: number, words: BigUint64Array) => bigint} write the report of value number x
 * @property {(context: Context) => boolean} [proves] true if all that a context asks is proved at once
 * @property {(units: bigint, steps: number[][]) => Unprotected} [unprotected]
 * @property {Cover} [cover]
 * @property {boolean} [bitwise] true for unary encoding, which draws for nobody's value, -1, too
 */

/**
 * A sampler; `more` is what some have besides.
 * @param {number} inputs @param {number} takes @param {bigint} outputs @param {Few} few @param {Sampler["maxRatio"]} maxRatio
 * @param {Sampler["write"]} write @param {Partial<Sampler>} [more]
 * @returns {Sampler}
 */
export const samplerFor = (inputs, takes, outputs, few, maxRatio, write, more) => ({ inputs, takes, outputs, few, maxRatio, write, ...more });

/** How many states a word has. */
export const SPACE = 1n << 64n;
const MASK = SPACE - 1n;

/** Where any two values have one ratio. @type {Few} */
export const exchangeable = (values) => values.slice(0, 2);

/** Where no value is like another. @type {Few} */
export const everyone = (values) => values;

/**
 * The members of groups: the place of every value in its group, and how many each has.
 * @param {number[]} groupOf @param {number} count
 */
export const placesIn = (groupOf, count) => {
  const sizes = Array(count).fill(0);
  demand(groupOf.every((group) => group < count));
  return { place: groupOf.map((group) => sizes[group]++), sizes };
};

/** Where the values of a group are exchangeable. @param {number[]} groupOf @param {number} count @returns {Few} */
export const twoOfEach = (groupOf, count) => (values) => {
  spend(count + values.length);
  const { place } = placesIn(values.map((x) => groupOf[x]), count);
  return values.filter((_, i) => place[i] < 2);
};

/**
 * `a` if the flag holds, else `b`; both have been computed.
 * @template T
 * @param {boolean} flag @param {T} a @param {T} b @returns {T}
 */
export const pick = (flag, a, b) => [b, a][+flag];

/** floor(u below / 2^64). @param {bigint} u @param {number} below */
export const position = (u, below) => Number((u * BigInt(below)) >> 64n);

/** u below mod 2^64. @param {bigint} u @param {number} below */
export const fraction = (u, below) => (u * BigInt(below)) & MASK;

/** How many of the increasing bounds are at most u. @param {readonly bigint[]} bounds @param {bigint} u */
export const rank = (bounds, u) => {
  let count = 0;
  for (const bound of bounds) count += +(bound <= u);
  return count;
};

/** The sums of the first one, two, ... numbers. @param {readonly bigint[]} numbers */
export const sums = (numbers) => {
  let total = 0n;
  return numbers.map((number) => (total += number));
};

/** @param {readonly bigint[]} numbers */
export const sum = (numbers) => numbers.reduce((total, number) => total + number, 0n);

/** How many bits hold any report. @param {bigint} outputs */
export const bitsOf = (outputs) => bitLength(outputs - 1n);

/** The least power of 2^64 that any report is below. @param {bigint} outputs */
export const alignedSize = (outputs) => 1n << BigInt(64 * Math.ceil(bitsOf(outputs) / 64));

/** A set, given by a flag for each number, as the number with those bits. @param {Uint8Array} flags */
export const setReport = (flags) => BigInt(`0b${flags.reverse().join("")}`);

/**
 * Where the reports of parts begin that lie one after the other, and where they end; from 2^64 reports on, the number of
 * the part stands in a word of its own above its report.
 * @param {bigint[]} outputs
 */
export const layOut = (outputs) => {
  const total = sum(outputs);
  if (total <= SPACE) return { offsets: sums([0n, ...outputs]), outputs: total };
  const stride = greatest(outputs.map(alignedSize));
  return { offsets: outputs.map((_, part) => stride * BigInt(part)), outputs: stride * BigInt(Math.max(outputs.length, 2)) };
};

/** Numbers of fewer than 1,000 bits as doubles, each within 2^-53 of its own. */
const doubles = memoized((/** @type {readonly bigint[]} */ numbers) => Float64Array.from(numbers, Number), new WeakMap());

/**
 * The largest of a[i] / b[i], or 1. Quotients of doubles, each within 2^-50 of the
 * true one, sort out those that are too far from the largest; the others are compared as whole numbers.
 * @param {readonly bigint[]} a
 * @param {readonly bigint[]} b
 * @returns {Ratio}
 */
export const largest = (a, b) => {
  const others = doubles(b);
  const quotients = doubles(a).map((top, i) => top / others[i]);
  const most = quotients.reduce((most, one) => (one > most ? one : most), 0);
  /** @type {Ratio} */
  let worst = ONE;
  quotients.forEach((one, i) => {
    if (one >= most * (1 - 2 ** -48) && a[i] * worst[1] > worst[0] * b[i]) worst = [a[i], b[i]];
  });
  return worst;
};

/** Refuse units that do not add up to all words. @param {readonly bigint[]} units */
export const demandFull = (units) => demand(sum(units) === SPACE);
