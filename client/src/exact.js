/** Exact numbers: decimals as whole numbers, and a rational that is certainly at most e to the epsilon. */

/**
 * A rational number: numerator and positive denominator.
 * @typedef {readonly [bigint, bigint]} Ratio
 */

/** What must not be used, with a reason that a person can read. */
export class Refused extends Error {
  /**
   * @param {string} message
   * @param {string} [code] the reason in one word, for programs
   */
  constructor(message, code = "refused") {
    super(message);
    this.name = "Refused";
    this.code = code;
  }
}

/**
 * @param {unknown} holds
 * @param {string} reason
 * @returns {asserts holds}
 */
export function demand(holds, reason) {
  if (!holds) throw new Refused(reason, "law");
}

/** @type {Ratio} */
export const ONE = [1n, 1n];

const DECIMAL = /^([+-]?)(\d*)(?:\.(\d*))?(?:[eE]([+-]?\d{1,3}))?$/;
const DIGITS = 600;

/**
 * The number that a decimal or a fraction says, exactly; null if it says none.
 * @param {unknown} written
 * @returns {Ratio | null}
 */
export function exactNumber(written) {
  const text = String(written);
  if (!["string", "number"].includes(typeof written) || text.length > 2 * DIGITS) return null;
  const halves = /^(\d+)\/(\d+)$/.exec(text);
  if (halves) return /[1-9]/.test(halves[2]) ? [BigInt(halves[1]), BigInt(halves[2])] : null;
  const [, sign, whole = "", part = "", power = "0"] = DECIMAL.exec(text) ?? ["", "", "", ""];
  if (!(whole + part)) return null;
  const places = Number(power) - part.length;
  const digits = BigInt(sign + whole + part);
  return places < 0 ? [digits, 10n ** BigInt(-places)] : [digits * 10n ** BigInt(places), 1n];
}

/**
 * The epsilon that a text says; null for "inf", no protection.
 * @param {unknown} written
 * @returns {Ratio | null}
 */
export function epsilonOf(written) {
  if (written === "inf") return null;
  const found = typeof written === "string" ? exactNumber(written) : null;
  demand(found && found[0] >= 0n && textOf(found) === written, "an epsilon is no exact number");
  return found;
}

/** @param {Ratio} a @param {Ratio} b @returns {Ratio} */
export const times = (a, b) => [a[0] * b[0], a[1] * b[1]];

/** @param {Ratio} a @param {Ratio} b @returns {Ratio} */
export const over = (a, b) => [a[0] * b[1], a[1] * b[0]];

/** @param {Ratio} a @param {Ratio} b @returns {Ratio} */
export const plus = (a, b) => [a[0] * b[1] + b[0] * a[1], a[1] * b[1]];

/** @param {Ratio} a @param {Ratio} b */
export const atMost = (a, b) => a[0] * b[1] <= b[0] * a[1];

/** @param {Ratio} a @param {Ratio} b @returns {Ratio} */
export const larger = (a, b) => (atMost(a, b) ? b : a);

/** @param {bigint} a @param {bigint} b */
export const ceilDivide = (a, b) => (a + b - 1n) / b;

/** The number of binary digits. @param {bigint} number */
export const bitLength = (number) => (number ? number.toString(2).length : 0);

/**
 * The shortest exact text of a number: "0.5", "1/3", or "inf" for null.
 * @param {Ratio | null} number
 */
export function textOf(number) {
  if (!number) return "inf";
  let [top, bottom] = number;
  for (let [a, b] = [top, bottom]; ; [a, b] = [b, a % b]) {
    if (!b) {
      [top, bottom] = [top / a, bottom / a];
      break;
    }
  }
  let places = 0;
  for (let power = 1n; power % bottom && places <= bitLength(bottom); power *= 10n) places += 1;
  const digits = 10n ** BigInt(places);
  if (digits % bottom) return `${top}/${bottom}`;
  const text = String((top * digits) / bottom).padStart(places + 1, "0");
  return places ? `${text.slice(0, -places)}.${text.slice(-places)}` : text;
}

/** @type {Map<string, Ratio>} */
const known = new Map();

/**
 * A rational at most e^epsilon, within a relative 2^-200 of it up to epsilon 4096: the Taylor series of
 * e^(epsilon / 2^s) and s squarings, every term and every square rounded down, which can only lower the result.
 * @param {Ratio} epsilon
 * @returns {Ratio}
 */
export function expBelow([top, bottom]) {
  if (top > 4096n * bottom) [top, bottom] = [4096n, 1n];
  const key = `${top}/${bottom}`;
  let found = known.get(key);
  if (!found) {
    const squarings = BigInt(bitLength(ceilDivide(top, bottom)) + 8);
    const scale = 272n + squarings + 2n * ceilDivide(3n * top, 2n * bottom);
    const reduced = (top << scale) / (bottom << squarings);
    let term = 1n << scale;
    let total = term;
    for (let index = 1n; term; index += 1n) {
      term = ((term * reduced) >> scale) / index;
      total += term;
    }
    for (let square = 0n; square < squarings; square += 1n) total = (total * total) >> scale;
    found = [total, 1n << scale];
    known.set(key, found);
  }
  return found;
}
