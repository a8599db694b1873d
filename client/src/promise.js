/** What a collection promises, in words that a person can check: the same sentences as in Python. */

import { atMost, larger, NOTHING, plus, textOf } from "./exact.js";
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

/** @param {Law} law @param {number[]} counts from how many others each answer is hidden */
function hiding({ E, epsilon, shows }, counts) {
  if (!counts.some(Boolean)) return "Nothing is hidden here: whoever gets your report may learn your answer from it.";
  const smallest = smallestOf(E());
  const least = smallest && textOf(smallest);
  const isOne = least === undefined || least === epsilon;
  const hidden = shows || !isOne ? "one that it is hidden from" : "any other";
  const times = isOne ? likelier(epsilon) : `${likelier(least)} to ${likelier(epsilon)}`;
  const levels = isOne ? epsilon : `${least} to ${epsilon}, by the two answers`;
  return `Your report is at most ${times} times as likely with your answer as with ${hidden} (epsilon ${levels}).`;
}

/** @param {Law} law @param {number[]} counts @param {Record<string, string>} words @returns {string[]} */
function showing({ context, shows, values }, counts, words) {
  if (!shows || !counts.some(Boolean)) return [];
  if (context.form === "blocks") {
    const count = new Set(context.block_of).size;
    const names = context.names ?? [...Array(count).keys()];
    return [`It shows which of ${count} groups your answer is in, and hides it inside: ${list(names.slice(0, LISTED).map((/** @type {any} */ name) => quoted(name)), count)}.`];
  }
  const others = values.length - 1;
  const among = (/** @type {(count: number) => boolean} */ isSo) => values.filter((_, x) => isSo(counts[x]));
  const everywhere = among((count) => count === others);
  const somewhere = among((count) => count > 0 && count < others);
  if (somewhere.length === values.length) return ["Every answer is hidden from some others only, and may be told from the rest for certain."];
  const told = (/** @type {string} */ whom, /** @type {any[]} */ hidden) =>
    hidden.length ? [`Hidden from ${whom} others: ${list(hidden.slice(0, LISTED).map((value) => quoted(value, words)), hidden.length)}.`] : [];
  const rest = everywhere.length + somewhere.length < values.length ? ["Every other answer may show."] : [];
  return [[...told("all", everywhere), ...told("some", somewhere), ...rest].join(" ")];
}

/**
 * @param {Law} law
 * @param {{changes: string, words: Record<string, string>, access: string}} document
 * @returns {Promised}
 */
export function promiseOf(law, { changes, words, access }) {
  const { context, epsilon, shows, fingerprint } = law;
  const counts = hiddenCounts(law.E());
  const again = changes === "spend" ? "spends as much again" : "is not taken";
  const sentences = [
    hiding(law, counts),
    ...showing(law, counts, words),
    ...(access === "invitation" ? ["Your invitation goes along with your report: whoever noted who got it can tell that the report is yours."] : []),
    `This answer spends ${epsilon} of your budget. The same answer again costs nothing; a changed one ${again}.`,
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
export function promiseFor({ E, epsilon, size }, x) {
  const context = E();
  const hidden = hiddenCounts(context)[x];
  if (!hidden) return "This answer is not hidden: whoever gets your report may learn it for certain.";
  const level = size > MAX_ROW ? epsilon : textOf(largestAt(context, x));
  const times = `your report is at most ${likelier(level)} times as likely with it as with`;
  return hidden === size - 1
    ? `This answer is hidden from every other one: ${times} another (epsilon ${level}).`
    : `This answer is hidden from ${hidden} of the ${size - 1} others: ${times} one of these (epsilon ${level}). That it is none of the rest may show for certain.`;
}
