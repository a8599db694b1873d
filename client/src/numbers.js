/**
 * Numbers between two bounds, whose values are the nodes of a grid: read exactly, and rounded to a node by one random word. It is loaded with the
 * first law over them.
 *
 * A number lies t units of its last decimal above the lowest node. With d units in a step, t = d j + r, and a word u makes it node j + 1 if
 * u < floor(2^64 r / d), else node j: on average the number itself.
 */

import { exactNumber, greatest, textOf } from "./exact.js";
import { demand, demandSmall, refuse, VALUES } from "./limits.js";
import { entries, range, whole } from "./reading.js";

/** @import { Law } from "./check.js" */
/** @import { Question } from "./form.js" */
/** @import { Ratio } from "./exact.js" */

/** What becomes of an answer as a person writes it: whether it counts as it is, as the nearest bound, or not at all. @typedef {"accepted" | "clipped" | "refused"} Standing */

/**
 * A domain of numbers. What people hold has a *position*, how many units it lies above the lowest node, or after these the values outside the scale.
 * @typedef {object} Numbers
 * @property {any} domain as it is published
 * @property {string} low
 * @property {string} high
 * @property {string} step between two nodes
 * @property {number} decimals to which numbers are read
 * @property {boolean} clip whether numbers beyond the bounds count as the nearest bound, else they are refused
 * @property {"at random" | "nearest"} rounding how a number between two nodes becomes one of them
 * @property {readonly any[]} outside values that are not on the scale
 * @property {any[]} values the nodes, and then those outside
 * @property {number} positions how many there are
 * @property {number} draws how many random words it takes to make a position a value
 * @property {bigint} units how many of the last decimal a step has
 * @property {(value: any) => number | undefined} position of a number, as text or as what it prints, or of a value outside the scale
 * @property {(position: number, word: bigint) => number} nodeAt the number of the value that a position becomes, by a word if it is rounded at random
 * @property {(position: number) => number[]} beside the numbers of the values that a position may become
 * @property {(position: number) => any} kept what a person holds in the one way that it is kept: a number as text
 * @property {(value: any) => Standing} standing
 */

const ROUNDINGS = ["at random", "nearest"];

/** The largest numerator and denominator, as in Python. */
const MOST = 10n ** 600n;

/** @param {bigint} a @param {bigint} b */
const divided = (a, b) => (a - (((a % b) + b) % b)) / b;

/** @param {bigint} a */
const absolute = (a) => (a < 0n ? -a : a);

/** The shortest text of a decimal. @param {Ratio} number */
const written = ([top, bottom]) => (top < 0n ? "-" : "") + textOf([absolute(top), bottom]);

/** The decimal that a text says, or that a number prints; null if it says none. @param {any} value */
const decimalOf = (value) => {
  const found = ["string", "number"].includes(typeof value) && !String(value).includes("/") ? exactNumber(value) : null;
  if (!found) return null;
  let [common, rest] = [absolute(found[0]), found[1]];
  while (rest) [common, rest] = [rest, common % rest];
  return greatest([absolute(found[0]), found[1]]) <= MOST * common ? found : null;
};

/** A text that says a number, or a part of one. @param {any} value */
export const isNumber = (value) => decimalOf(value) !== null || /^[+-]?\d+\/0*[1-9]\d*$/.test(value);

/**
 * The domain of numbers that a law publishes, or a refusal.
 * @param {any} data
 * @param {(data: any) => any[]} valuesOf reads listed values
 * @returns {Numbers}
 */
export const numbersOf = (data, valuesOf) => {
  const { low, high, step, decimals, clip, rounding, outside } = entries(data, "clip decimals high low rounding step", "outside");
  demand(whole(decimals) < 16 && typeof clip === "boolean" && ROUNDINGS.includes(rounding));
  const unit = 10n ** BigInt(decimals);
  const [first, last, units] = [low, high, step].map((text) => {
    const found = typeof text === "string" && decimalOf(text);
    demand(found && written(found) === text && !((found[0] * unit) % found[1]));
    return (found[0] * unit) / found[1];
  });
  const span = last - first;
  demand(span > 0n && units > 0n && !(span % units) && !(span >> 32n) && greatest([-first, last]) <= 10n ** 15n);
  const beside = outside === undefined ? [] : valuesOf({ values: outside });
  const [most, nodes] = [Number(span), Number(span / units) + 1];
  demandSmall(nodes + beside.length, VALUES);
  demand(!beside.some(isNumber));
  const numbers = new Map(beside.map((value, i) => [JSON.stringify(value), most + 1 + i]));
  /** How many units a number has; undefined if it is none. @param {any} value */
  const unitsOf = (value) => {
    const found = decimalOf(value);
    return found ? divided(2n * found[0] * unit + found[1], 2n * found[1]) : undefined;
  };
  const isAtRandom = rounding === ROUNDINGS[0];
  const isBeyond = (/** @type {bigint} */ at) => at < first || at > last;
  /** @type {Numbers["position"]} */
  const position = (value) => {
    const at = unitsOf(value);
    if (at === undefined) return numbers.get(JSON.stringify(value));
    if (isBeyond(at)) return clip ? (at > last ? most : 0) : undefined;
    return Number(at - first);
  };
  /** @type {Numbers["nodeAt"]} */
  const nodeAt = (at, word) => {
    const inside = BigInt(Math.min(at, most));
    const rest = inside % units;
    const up = isAtRandom ? word < (rest << 64n) / units : 2n * rest >= units;
    return [Number(inside / units) + Number(up), nodes + at - most - 1][Number(at > most)];
  };
  return Object.freeze({
    domain: data,
    low,
    high,
    step,
    decimals,
    clip,
    rounding,
    outside: Object.freeze(beside),
    values: [...range(nodes).map((j) => (Number(first) + Number(units) * j) / 10 ** decimals), ...beside],
    positions: most + 1 + beside.length,
    draws: Number(isAtRandom),
    units,
    position,
    nodeAt,
    beside: (at) => [...new Set([0n, ~(-1n << 64n)].map((word) => nodeAt(at, word)))],
    kept: (at) => (at > most ? beside[at - most - 1] : written([first + BigInt(at), unit])),
    standing: (value) => (position(value) === undefined ? "refused" : isBeyond(unitsOf(value) ?? first) ? "clipped" : "accepted"),
  });
};

/** How a law is checked: `read` finds its values in its domain. @typedef {(read: (domain: any) => any[], text: string, fingerprint: string) => Law} Check */

/**
 * A law over numbers is checked for the nodes: what is between them is as well hidden. A number becomes a node by the first word of its report.
 * @param {Check} check
 * @returns {Check} one that is given what reads listed values
 */
export const overNumbers = (check) => (valuesOf, text, fingerprint) => {
  /** @type {any} */
  let numbers;
  const law = check((domain) => (numbers = numbersOf(domain, valuesOf)).values, text, fingerprint);
  const { draws, positions, position, nodeAt } = /** @type {Numbers} */ (numbers);
  demand(!draws || !law.shows, "a report may show between which nodes a number is");
  const cannot = () => refuse("This answer cannot be given.", "value"); // never repeats it
  return Object.freeze({
    ...law,
    numbers,
    words: draws + law.words,
    index: (value) => position(value) ?? cannot(),
    draw: (x, words) => (Number.isInteger(x) && x >= 0 && x < positions && words.length === draws + law.words ? law.draw(nodeAt(x, words[0]), words.subarray(draws)) : cannot()),
  });
};

/** What a person holds, by its number, in the one way that it is kept. @param {Pick<Question, "numbers" | "values">} law @param {number} x */
export const keptOf = ({ numbers, values }, x) => (numbers ? numbers.kept(x) : values[x]);
