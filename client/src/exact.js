/** Exact numbers: decimals as whole numbers, and a rational that is certainly at most e to the epsilon. */

import { demand, spend } from "./limits.js";

/**
 * A rational number: numerator and denominator, which is positive.
 * @typedef {readonly [bigint, bigint]} Ratio
 */

/** @type {Ratio} */
export const NOTHING = [0n, 1n];

/** @type {Ratio} */
export const ONE = [1n, 1n];

/** The bound of what has none: its denominator is 0, and it is larger than any number. @type {Ratio} */
export const INFINITE = [1n, 0n];

const FRACTION = /^(\d+)\/(0*[1-9]\d*)$/;
const DECIMAL = /^([+-]?(?=\.?\d)\d*)\.?(\d*)(?:e([+-]?\d{1,3}))?$/i;
const LONGEST = 1202;

/**
 * The number that a decimal or a fraction says, exactly; null if it says none.
 * @param {unknown} written
 * @returns {Ratio | null}
 */
export const exactNumber = (written) => {
  const text = String(written);
  if (typeof written === "object" || text.length > LONGEST) return null;
  const [, top, bottom] = FRACTION.exec(text) ?? [];
  if (bottom) return [BigInt(top), BigInt(bottom)];
  const [, whole, part, power = 0] = DECIMAL.exec(text) ?? [];
  if (whole === undefined) return null;
  const places = Number(power) - part.length;
  const digits = BigInt(whole + part);
  return places < 0 ? [digits, 10n ** BigInt(-places)] : [digits * 10n ** BigInt(places), 1n];
};

/**
 * The epsilon that a text says; null for "inf", no protection.
 * @param {unknown} written
 * @returns {Ratio | null}
 */
export const epsilonOf = (written) => {
  if (written === "inf") return null;
  spend(8 + String(written).length ** 2 / 64);
  const found = exactNumber(written);
  demand(found && found[0] >= 0n && textOf(found) === written);
  return found;
};

/** @param {Ratio} a @param {Ratio} b @returns {Ratio} */
export const times = (a, b) => [a[0] * b[0], a[1] * b[1]];

/** @param {Ratio} a @param {Ratio} b @returns {Ratio} */
export const over = (a, b) => [a[0] * b[1], a[1] * b[0]];

/** @param {Ratio} a @param {Ratio} b @returns {Ratio} */
export const plus = (a, b) => [a[0] * b[1] + b[0] * a[1], a[1] * b[1]];

/** @param {Ratio} a @param {Ratio} b */
export const atMost = (a, b) => a[0] * b[1] <= b[0] * a[1];

/** The order of two numbers, as `sort` takes it. @param {Ratio} a @param {Ratio} b */
export const ascending = (a, b) => Number(a[0] * b[1] - b[0] * a[1]);

/** @param {Ratio} a @param {Ratio} b @returns {Ratio} */
export const larger = (a, b) => (atMost(a, b) ? b : a);

/** @param {readonly bigint[]} numbers */
export const greatest = (numbers) => numbers.reduce((a, b) => (a > b ? a : b));

/** @param {readonly bigint[]} numbers */
export const least = (numbers) => -greatest(numbers.map((number) => -number));

/** @param {bigint} a @param {bigint} b */
export const ceilDivide = (a, b) => (a + b - 1n) / b;

/** The number of binary digits; 0 has one. @param {bigint} number */
export const bitLength = (number) => number.toString(2).length;

/**
 * The shortest exact text of a number: "0.5" or "1/3".
 * @param {Ratio} number
 */
export const textOf = (number) => {
  let [common, rest] = number;
  while (rest) [common, rest] = [rest, common % rest];
  const [top, bottom] = number.map((part) => part / common);
  const places = bitLength(bottom); // enough for every decimal with this denominator
  const digits = 10n ** BigInt(places);
  if (digits % bottom) return `${top}/${bottom}`;
  const text = String((top * digits) / bottom).padStart(places + 1, "0");
  return `${text.slice(0, -places)}.${text.slice(-places)}`.replace(/\.?0+$/, "");
};

/**
 * A function that keeps what it found for a key.
 * @template K, V
 * @param {(key: K) => V} find
 * @param {{has(key: K): boolean, get(key: K): V | undefined, set(key: K, found: V): unknown}} [known] where it is memoized
 * @returns {(key: K) => V}
 */
export const memoized = (find, known = new Map()) => {
  return (key) => {
    if (!known.has(key)) known.set(key, find(key));
    return /** @type {V} */ (known.get(key));
  };
};

/** The e^epsilon of `expBelow` for an epsilon written as a fraction. */
const powerBelow = /* @__PURE__ */ memoized((/** @type {string} */ epsilon) => {
  const [top, bottom] = epsilon.split("/").map(BigInt);
  const squarings = BigInt(bitLength(ceilDivide(top, bottom)) + 8);
  const scale = 272n + squarings + 2n * ceilDivide(3n * top, 2n * bottom);
  spend(Number(scale) ** 2 / 1024);
  const reduced = (top << scale) / (bottom << squarings);
  let [term, total] = [1n << scale, 1n << scale];
  for (let index = 1n; term; index++) {
    term = ((term * reduced) >> scale) / index;
    total += term;
  }
  for (let square = 0n; square < squarings; square++) total = (total * total) >> scale;
  return /** @type {Ratio} */ ([total, 1n << scale]);
});

/**
 * A rational at most e^epsilon, within a relative 2^-200 of it up to epsilon 4096: the Taylor series of
 * e^(epsilon / 2^s) and s squarings, every term and every square rounded down, which can only lower the result.
 * @param {Ratio} epsilon
 * @returns {Ratio}
 */
export const expBelow = ([top, bottom]) => powerBelow(top > 4096n * bottom ? "4096/1" : `${top}/${bottom}`);
