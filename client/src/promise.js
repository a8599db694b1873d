/** What a collection promises, in words that a person can check: the same sentences as in Python. */

import { atMost, exactNumber, larger, NOTHING, ONE, over, plus, textOf, times } from "./exact.js";
import { quoted } from "./words.js";

/** @import { Law } from "./check.js" */
/** @import { Context } from "./context.js" */
/** @import { Ratio } from "./exact.js" */

/**
 * What was checked, and sentences that say it.
 * @typedef {object} Promised
 * @property {string} form of the context
 * @property {string} epsilon what an answer spends
 * @property {boolean} shows whether some answers may be told from others for certain
 * @property {string} fingerprint
 * @property {readonly string[]} sentences
 */

/** The most values or blocks that a sentence lists. */
const LISTED = 8;

/** The most values whose entries are compared for a sentence about one of them. */
const MAX_ROW = 10000;

/** The most values of which every two are compared for a sentence about all. */
const MAX_COMPARED = 300;

/** e to the power of epsilon in three digits, rounded up; as a power where that means nothing to a reader. @param {string} epsilon */
function likelier(epsilon) {
  const [top, bottom = 1] = epsilon.split("/").map(Number);
  const power = Math.exp(top / bottom) * (1 + 1e-12);
  if (!(top / bottom < 14)) return `e^${epsilon}`;
  const step = 10 ** (Math.floor(Math.log10(power)) - 2);
  return String(Number((Math.ceil(power / step - 1e-9) * step).toPrecision(3)));
}

/** The first of so many things, and how many more there are. @param {string[]} texts @param {number} count */
const list = (texts, count) => texts.slice(0, LISTED).join(", ") + (count > LISTED ? ` and ${count - LISTED} more` : "");

/** For each value, from how many others it is hidden: those with a finite entry. @param {Context} context @returns {number[]} */
function hiddenCounts({ values, sets, factors }) {
  if (factors) {
    const [first, second] = factors.map(hiddenCounts);
    return first.flatMap((a) => second.map((b) => (a + 1) * (b + 1) - 1));
  }
  const counts = values.map(() => (sets ? 0 : values.length - 1));
  // sets of one value are entries of a matrix; any other one holds the value itself, and those of one value lie inside each other
  for (const [left, right] of sets ?? [])
    for (const x of left) counts[x] = right.length === 1 ? counts[x] + 1 : Math.max(counts[x], right.length - 1);
  return counts;
}

/** The smallest entry of a context; undefined if it is not known. @param {Context} context @returns {Ratio | undefined} */
function smallestOf({ values, sets, at, factors }) {
  const least = (/** @type {Ratio[]} */ all) => (all.length ? all.reduce((a, b) => (atMost(a, b) ? a : b)) : undefined);
  if (factors) {
    const known = factors.filter((one) => one.values.length > 1).map(smallestOf);
    return known.includes(undefined) ? undefined : least(/** @type {Ratio[]} */ (known));
  }
  if (at && values.length > MAX_COMPARED) return undefined;
  return least(at ? values.flatMap((_, x) => values.slice(0, x).map((_, z) => at(x, z))) : (sets ?? []).map(([, , level]) => level));
}

/**
 * What a report shows against an answer at a round distance: the largest one with an epsilon of 1 or less. Undefined for a context that does not
 * go by distance alone, or has one answer.
 * @param {Law} law @param {string} what
 */
function byDistance({ E, context, epsilon, shows }, what) {
  const largest = /** @type {Ratio} */ (exactNumber(epsilon));
  if (context.form !== "metric" || shows || !largest[0]) return undefined;
  const unit = /** @type {Ratio} */ (exactNumber(context.epsilon));
  const most = over(atMost(largest, ONE) ? largest : ONE, unit);
  /** @type {Ratio} */
  let power = [10n, 1n];
  while (atMost(power, most)) power = times(power, [10n, 1n]);
  /** @type {Ratio | undefined} */
  let distance;
  while (!distance) {
    power = over(power, [10n, 1n]);
    distance = [5n, 2n, 1n].map((digit) => times(power, [digit, 1n])).find((step) => atMost(step, most));
  }
  const smallest = E().values.length > MAX_COMPARED ? undefined : smallestOf(E());
  const isFar = smallest && !atMost(smallest, times(unit, distance));
  const level = textOf(isFar ? smallest : times(unit, distance));
  const other = isFar ? "the nearest answers" : `an answer at a distance of ${textOf(distance)}`;
  return `compared with ${other}, your report makes ${what} at most ${likelier(level)} times as likely as before (epsilon ${level}, ${textOf(unit)} for every 1 of distance).`;
}

/** @param {Law} law @param {number[]} counts from how many others each answer is hidden */
function hiding(law, counts) {
  const { E, epsilon, shows } = law;
  if (!counts.some(Boolean)) return "Nothing is hidden here: whoever gets your report may learn your answer from it.";
  const near = byDistance(law, "yours");
  if (near) return `The nearer another answer is to yours, the better yours is hidden: ${near}`;
  const smallest = smallestOf(E());
  const least = smallest && textOf(smallest);
  const isOne = least === undefined || least === epsilon;
  const other = shows ? "an answer that it is hidden from" : "any other answer";
  const most = isOne ? likelier(epsilon) : `${likelier(least)} to ${likelier(epsilon)}`;
  const levels = isOne ? epsilon : `${least} to ${epsilon}, depending on the two answers`;
  return `Compared with ${other}, your report makes yours at most ${most} times as likely as before, whatever was known of you (epsilon ${levels}).`;
}

/** @param {Law} law @param {number[]} counts @param {Record<string, string>} words @returns {string[]} */
function showing({ context, shows, values }, counts, words) {
  if (!shows || !counts.some(Boolean)) return [];
  if (context.form === "blocks") {
    const count = new Set(context.block_of).size;
    const names = context.names ?? [...Array(count).keys()];
    return [`Your report shows which of ${count} groups your answer is in, but not which one there: ${list(names.slice(0, LISTED).map((/** @type {any} */ name) => quoted(name)), count)}.`];
  }
  const others = values.length - 1;
  const among = (/** @type {(count: number) => boolean} */ isSo) => values.filter((_, x) => isSo(counts[x]));
  const everywhere = among((count) => count === others);
  const somewhere = among((count) => count > 0 && count < others);
  if (somewhere.length === values.length) return ["Every answer is hidden from some of the others only. Your report may rule out the rest for certain."];
  const told = (/** @type {string} */ isProtected, /** @type {any[]} */ hidden) =>
    hidden.length ? [`${isProtected}: ${list(hidden.slice(0, LISTED).map((value) => quoted(value, words)), hidden.length)}.`] : [];
  const rest = everywhere.length + somewhere.length < values.length ? ["All other answers are not protected."] : [];
  return [[...told("Protected", everywhere), ...told("Protected against some answers only", somewhere), ...rest].join(" ")];
}

/**
 * @param {Law} law
 * @param {{changes: string, words: Record<string, string>, access: string}} document
 * @returns {Promised}
 */
export function promiseOf(law, { changes, words, access }) {
  const { context, epsilon, shows, fingerprint } = law;
  const counts = hiddenCounts(law.E());
  const again = changes === "spend" ? "uses as much again" : "is not accepted";
  const sentences = [
    hiding(law, counts),
    ...showing(law, counts, words),
    ...(access === "invitation" ? ["Your invitation is sent along with your report: whoever noted who got it can tell that the report is yours."] : []),
    `Answering uses ${epsilon} of your privacy budget. The same answer again uses nothing; a different one ${again}.`,
  ];
  return Object.freeze({ form: context.form, epsilon, shows, fingerprint, sentences: Object.freeze(sentences) });
}

/** The largest finite entry between a value and any other. @param {Context} context @param {number} x @returns {Ratio} */
function largestAt({ values, sets, at, factors }, x) {
  if (factors) {
    const k = factors[1].values.length;
    return plus(largestAt(factors[0], Math.floor(x / k)), largestAt(factors[1], x % k));
  }
  if (at) return values.map((_, z) => (z === x ? NOTHING : at(x, z))).reduce(larger, NOTHING);
  /** @type {(Ratio | undefined)[]} of several levels for a pair, the least */
  const row = [];
  for (const [left, right, level] of sets ?? [])
    if (left.includes(x)) for (const z of right) if (z !== x && !(row[z] && atMost(/** @type {Ratio} */ (row[z]), level))) row[z] = level;
  return /** @type {Ratio[]} */ (row.filter(Boolean)).reduce(larger, NOTHING);
}

/** A sentence that says how far one answer, value number x, is hidden; it does not repeat the answer. @param {Law} law @param {number} x */
export function promiseFor(law, x) {
  const { E, epsilon, size } = law;
  const context = E();
  const hidden = hiddenCounts(context)[x];
  if (!hidden) return "This answer is not protected: whoever gets your report may learn it for certain.";
  const near = byDistance(law, "it");
  if (near) return `This answer is protected best against answers near it: ${near}`;
  const level = size > MAX_ROW ? epsilon : textOf(largestAt(context, x));
  const most = `your report makes it at most ${likelier(level)} times as likely as before (epsilon ${level})`;
  return hidden === size - 1
    ? `This answer is protected: compared with any other, ${most}.`
    : `This answer is partly protected: compared with ${hidden} of the ${size - 1} other answers, ${most}. It may rule out the rest for certain.`;
}
