/**
 * A domain as it is pasted: an answer a line, perhaps with its group before a colon and a count after a comma or tab;
 * "18..99" stands for the whole numbers from 18 to 99.
 */

import { digits, say } from "./languages.js";

/** The most answers of a design. */
const MOST = 5000;

/** A digit as people type it. */
const DIGIT = "[0-9\u0660-\u0669\u06f0-\u06f9]";
const RANGE = new RegExp(`^(-?${DIGIT}{1,9})\\s*\\.\\.\\s*(-?${DIGIT}{1,9})$`);
const COUNTED = new RegExp(`^(.*?)[\\t;,\u060c]\\s*(${DIGIT}+(?:\\.${DIGIT}+)?)$`);

/** Whether a line would not be read as an answer alone. @param {string} text */
export const isMore = (text) => RANGE.test(text) || COUNTED.test(text) || text.includes("..") || text !== text.trim();

/** The lines that a line stands for: the numbers of a range, or itself. @param {string} line */
function unfolded(line) {
  const range = RANGE.exec(line);
  if (!range) return [line];
  const [first, last] = [Number(digits(range[1])), Number(digits(range[2]))];
  if (first > last) throw new Error(say("designing.smaller", { line }));
  return Array.from({ length: Math.min(last - first, MOST) + 1 }, (_, i) => String(first + i));
}

/**
 * @typedef {{values: string[], groups: string[] | null, counts: number[] | null, points?: number[] | null, range?: {from: number, to: number} | null, numbers?: {low: string, high: string, clip: boolean}}} Pasted
 * @param {string} text
 * @returns {Pasted}
 */
export function pasted(text) {
  const lines = text
    .split(/\r?\n/)
    .map((line) => line.trim())
    .filter(Boolean)
    .flatMap(unfolded);
  const rows = lines.map((line) => {
    const counted = COUNTED.exec(line);
    const name = (counted ? counted[1] : line).trim();
    const grouped = /^([^:]+):\s*(.+)$/.exec(name);
    return { value: name, group: grouped ? grouped[1].trim() : null, count: counted ? Number(counted[2].split(".").map(digits).join(".")) : null };
  });
  const values = rows.map(({ value }) => value);
  if (values.length > MOST) throw new Error(say("designing.mostAnswers", { most: MOST }));
  const twice = values.find((value, i) => values.indexOf(value) !== i);
  if (twice !== undefined) throw new Error(say("designing.answerTwice", { text: twice }));
  if (values.length < 2) throw new Error(say("designing.twoAnswers"));
  return {
    values,
    groups: rows.every(({ group }) => group !== null) ? rows.map(({ group }) => /** @type {string} */ (group)) : null,
    counts: rows.every(({ count }) => count !== null) && rows.some(({ count }) => count) ? rows.map(({ count }) => /** @type {number} */ (count)) : null,
  };
}

/** Values that must be hidden from each other, "a - b" a line. @param {string} text @param {string[]} values */
export function pairsIn(text, values) {
  return text
    .split(/\r?\n/)
    .map((line) => line.trim())
    .filter(Boolean)
    .map((line) => {
      const pair = line.split(/\s+[-–]\s+/);
      const strange = pair.find((value) => !values.includes(value));
      if (pair.length !== 2) throw new Error(say("designing.dash", { line }));
      if (strange !== undefined) throw new Error(say("designing.noAnswer", { text: strange }));
      return pair.map((value) => values.indexOf(value));
    });
}

/** The lines of a text that are not empty. @param {string} text */
export const linesOf = (text) =>
  text
    .split(/\r?\n/)
    .map((line) => line.trim())
    .filter(Boolean);

/**
 * Whole numbers, or bands of them: "18–24" where 7 are together. `values` are numbers in the first case, and `points` says where bands are.
 * @param {number} from @param {number} to @param {number} width
 * @returns {Pasted}
 */
export function bandsOf(from, to, width) {
  if (![from, to, width].every(Number.isInteger) || width < 1) throw new Error(say("designing.wholeNumbers"));
  if (from >= to) throw new Error(say("designing.smallerFirst"));
  if ((to - from + 1) / width > MOST) throw new Error(say("designing.mostBands", { most: MOST }));
  const starts = Array.from({ length: Math.ceil((to - from + 1) / width) }, (_, i) => from + i * width);
  if (starts.length < 2) throw new Error(say("designing.twoBands"));
  const values = width === 1 ? starts : starts.map((first) => (first === Math.min(to, first + width - 1) ? String(first) : `${first}–${Math.min(to, first + width - 1)}`));
  return { values: /** @type {any} */ (values), groups: null, counts: null, points: width === 1 ? null : starts, range: width === 1 ? { from, to } : null };
}

/** The most steps of numbers that are hidden by distance; fewer where the law lists every pair of them. */
const STEPS = 120;
const FEW = 30;

/**
 * Any number between two bounds; `values` are the bounds.
 * @param {number} from @param {number} to @param {boolean} clip
 * @returns {Pasted}
 */
export function numbersOf(from, to, clip) {
  if (![from, to].every(Number.isFinite)) throw new Error(say("designing.twoNumbers"));
  if (from >= to) throw new Error(say("designing.smallerFirst"));
  return { values: [String(from), String(to)], groups: null, counts: null, numbers: { low: String(from), high: String(to), clip } };
}

/** The step of numbers by distance: the longest round one that costs little accuracy, or the shortest there may be. @param {number} length @param {number} epsilon of two numbers one apart @param {number} most steps */
function stepOf(length, epsilon, most) {
  const steps = Array.from({ length: 13 }, (_, i) => 6 - i).flatMap((power) => [5, 2, 1].map((digit) => Number(`${digit}e${power}`)));
  const fitting = steps.filter((step) => length / step <= most && Math.abs(length / step - Math.round(length / step)) < 1e-9 && step < length);
  return fitting.find((step) => step * epsilon <= 0.01) ?? fitting[fitting.length - 1];
}

/** The spec of any number between two bounds. @param {{low: string, high: string, clip: boolean}} numbers @param {string} form @param {string} epsilon @param {number} reach @param {boolean} isLong whether the law lists every pair */
export function numberSpec(numbers, form, epsilon, reach, isLong) {
  if (form !== "metric") return { domain: numbers, context: { form: "numbers", epsilon } };
  const step = stepOf(Number(numbers.high) - Number(numbers.low), Number(epsilon) / reach, isLong ? FEW : STEPS);
  return { domain: { ...numbers, ...(step ? { step: String(step) } : {}) }, context: { form: "numbers", distance: "line", epsilon: exactly(Number(epsilon), reach) } };
}

/** A fraction as exact text. @param {number} top with two digits after the point @param {number} bottom */
export function exactly(top, bottom) {
  if (bottom === 1) return String(top);
  let [a, b] = [Math.round(top * 100), Math.round(bottom * 100)];
  const [whole, part] = [a, b];
  while (b) [a, b] = [b, a % b];
  return part === a ? String(whole / a) : `${whole / a}/${part / a}`;
}

/**
 * The spec of a design.
 * @param {Pasted} domain
 * @param {{form: string, epsilon: string, outer: string, sensitive: Set<string>, pairs: string, reach?: number, beside?: string[], besideEpsilon?: string}} asked
 */
export function specOf(domain, asked) {
  const { beside = [], besideEpsilon = "1" } = asked;
  const twice = beside.find((value) => domain.values.includes(value));
  if (twice) throw new Error(say("designing.besideTwice", { text: twice }));
  const spec = plainSpecOf(domain, asked);
  return beside.length ? { ...spec, context: { form: "outside", outside: beside, epsilon: besideEpsilon, scale: spec.context } } : spec;
}

/** @param {Pasted} domain @param {{form: string, epsilon: string, outer: string, sensitive: Set<string>, pairs: string, reach?: number, beside?: string[]}} asked @returns {any} */
function plainSpecOf(domain, { form, epsilon, outer, sensitive, pairs, reach = 1, beside = [] }) {
  if (domain.numbers) return numberSpec(domain.numbers, form, epsilon, reach, beside.length > 0);
  const values = { domain: { values: domain.range ?? domain.values } };
  if (form === "blocks" || form === "nested") {
    if (!domain.groups) throw new Error(say("designing.grouped"));
    /** @type {Record<string, string[]>} */
    const blocks = {};
    domain.values.forEach((value, i) => (blocks[/** @type {string[]} */ (domain.groups)[i]] ??= []).push(value));
    return { context: { form, blocks, ...(form === "blocks" ? { epsilon } : { epsilons: [epsilon, outer] }) } };
  }
  if (form === "high_low") {
    const chosen = domain.values.filter((value) => sensitive.has(String(value)));
    if (!chosen.length) throw new Error(say("designing.noneSensitive"));
    return { ...values, context: { form, epsilon, sensitive: chosen } };
  }
  if (form === "metric") {
    const points = domain.range ? {} : { points: domain.points ?? domain.values.map((_, i) => i) };
    return { ...values, context: { form, epsilon: exactly(Number(epsilon), reach), distance: "line", ...points } };
  }
  if (form === "matrix") {
    const E = domain.values.map((_, x) => domain.values.map((__, z) => (x === z ? "0" : "inf")));
    const hidden = pairsIn(pairs, domain.values);
    if (!hidden.length) throw new Error(say("designing.noPair"));
    for (const [x, z] of hidden) E[x][z] = E[z][x] = epsilon;
    return { ...values, context: { form, E } };
  }
  return { ...values, context: { form, epsilon } };
}

/** Rows such as "name = text". @param {string} text @param {string} sign @param {string} example */
function pairsOf(text, sign, example) {
  const rows = linesOf(text).map((line) => {
      const at = line.indexOf(sign);
      const row = [line.slice(0, at).trim(), line.slice(at + 1).trim()];
      if (at < 0 || !row[0] || !row[1]) throw new Error(say("designing.like", { line, example }));
      return row;
    });
  const twice = rows.find(([name], i) => rows.findIndex(([other]) => other === name) !== i);
  if (twice) throw new Error(say("designing.twice", { text: twice[0] }));
  return rows;
}

/** How answers are shown, "answer = words" per line. @param {string} text @returns {Record<string, string>} */
export const wordsIn = (text) => Object.fromEntries(pairsOf(text, "=", say("designing.wordsExample")));
