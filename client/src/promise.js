/** What a collection promises, in words that a person can check: the same sentences as in Python, and the facts that they say. */

import { atMost, ceilDivide, exactNumber, expBelow, larger, NOTHING, ONE, over, plus, textOf, times } from "./exact.js";
import { keptOf } from "./numbers.js";
import { quoted, textOfValue } from "./words.js";

/** @import { Law } from "./check.js" */
/** @import { Document } from "./document.js" */
/** @import { Question } from "./form.js" */
/** @import { Context } from "./context.js" */
/** @import { Ratio } from "./exact.js" */

/**
 * What one sentence says: which one it is, and what is filled in. Numbers are exact texts, rounded against the collection; `values` are the
 * first of `count`, or the names of groups, and `question` is the number of the question that they answer, from 0 on; `distance` has the `unit` in
 * which the collection speaks first, if there is one; `from` and `to` are the bounds of a scale. `numbers` are those of
 * questions, from 1 on, and `places` the same in English, as `several` and `everything` are of `count`.
 * @typedef {{key: string, given: Record<string, any>}} Fact
 */

/**
 * What was checked, and sentences that say it.
 * @typedef {object} Promised
 * @property {string} form of the context, or the strategy of a questionnaire
 * @property {string} epsilon what an answer spends
 * @property {boolean} shows whether some answers may be told from others for certain
 * @property {string} fingerprint
 * @property {readonly string[]} sentences in English
 * @property {readonly Fact[][]} facts the same for other languages: for each sentence what it says, part by part
 */

/** The sentences in English, by their keys. @type {Record<string, string>} */
export const ENGLISH = {
  nothing: "Nothing is hidden here: whoever gets your report may learn your answer from it.",
  near: "The nearer another answer is to yours, the better yours is hidden: compared with an answer at a distance of {distance}, your report makes yours at most {likelier} times as likely as before (epsilon {level}, in proportion to the distance).",
  nearest:
    "The nearer another answer is to yours, the better yours is hidden: compared with the nearest answers, your report makes yours at most {likelier} times as likely as before (epsilon {level}, in proportion to the distance).",
  beside: "Compared with {values}, any other answer becomes at most {likelier} times as likely as before, and the other way round (epsilon {level}).",
  any: "Compared with any other answer, your report makes yours at most {likelier} times as likely as before, whatever was known of you (epsilon {level}).",
  anyRange:
    "Compared with any other answer, your report makes yours at most {least} to {likelier} times as likely as before, whatever was known of you (epsilon {low} to {level}, depending on the two answers).",
  anyNumber:
    "Compared with any other number from {from} to {to}, your report makes yours at most {likelier} times as likely as before, whatever was known of you (epsilon {level}).",
  anyNumberRange:
    "Compared with any other number from {from} to {to}, your report makes yours at most {least} to {likelier} times as likely as before, whatever was known of you (epsilon {low} to {level}, depending on the two numbers).",
  some: "Compared with an answer that it is hidden from, your report makes yours at most {likelier} times as likely as before, whatever was known of you (epsilon {level}).",
  someRange:
    "Compared with an answer that it is hidden from, your report makes yours at most {least} to {likelier} times as likely as before, whatever was known of you (epsilon {low} to {level}, depending on the two answers).",
  groups: "Your report shows which of {count} groups your answer is in, but not which one there: {values}.",
  somewhere: "Every answer is hidden from some of the others only. Your report may rule out the rest for certain.",
  protected: "Protected: {values}.",
  partly: "Protected against some answers only: {values}.",
  rest: "All other answers are not protected.",
  clipped: "Numbers above {to} count as {to}, and numbers below {from} as {from}.",
  invited: "Your invitation is sent along with your report: whoever noted who got it can tell that the report is yours.",
  costRefuse: "Answering uses {epsilon} of your privacy budget. The same answer again uses nothing; a different one is not accepted.",
  costSpend: "Answering uses {epsilon} of your privacy budget. The same answer again uses nothing; a different one uses as much again.",
};

/** The most values or blocks that a sentence lists. */
const LISTED = 8;

/** The most values whose entries are compared for a sentence about one of them. */
const MAX_ROW = 10000;

/** The most values of which every two are compared for a sentence about all, or whose numbers are compared with distances. */
const MAX_COMPARED = 300;

/** The fewest answers that a scale with others outside it has. */
const LEAST_SCALE = 3;

/** e to the power of epsilon in three digits, rounded up; as a power where that means nothing to a reader. @param {string} epsilon */
export function likelier(epsilon) {
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
export function smallestOf({ values, sets, at, factors }) {
  const least = (/** @type {Ratio[]} */ all) => (all.length ? all.reduce((a, b) => (atMost(a, b) ? a : b)) : undefined);
  if (factors) {
    const known = factors.filter((one) => one.values.length > 1).map(smallestOf);
    return known.includes(undefined) ? undefined : least(/** @type {Ratio[]} */ (known));
  }
  if (at && values.length > MAX_COMPARED) return undefined;
  return least(at ? values.flatMap((_, x) => values.slice(0, x).map((_, z) => at(x, z))) : (sets ?? []).map(([, , level]) => level));
}

/** A distance with its unit, which is the collection's own word. @param {Record<string, any>} given */
const far = ({ distance, unit }) => (unit ? `${distance} ${quoted(unit, {})}` : distance);

/** @param {Fact} fact @param {Record<string, string>} words @param {Record<string, string>} [english] the sentences by their keys @returns {string} */
export const inEnglish = ({ key, given }, words, english = ENGLISH) =>
  english[key].replace(/\{(\w+)\}/g, (_, name) =>
    name === "values" ? list(given.values.map((/** @type {any} */ value) => quoted(value, key === "groups" ? {} : words)), given.count) : name === "distance" ? far(given) : String(given[name]),
  );

/** The number that a value begins with: 18 of 18, and of the band "18 to 27". */
const NUMBER = /^-?\d+(\.\d+)?/;

/** The same as text; "" of a value that begins with none. @param {any} value */
const leadingNumber = (value) => textOfValue(value).match(NUMBER)?.[0] ?? "";

/** True if distances are differences of the numbers that the values begin with, and so have their unit. @param {Context} context @param {Ratio} each */
function isNumeric({ values, at }, [top, bottom]) {
  if (!at || values.length > MAX_COMPARED) return false;
  const numbers = values.map((value) => Number(leadingNumber(value) || NaN));
  return numbers.every((number, x) => {
    const [own, whole] = x ? at(0, x) : NOTHING;
    const apart = (Number(own) * Number(bottom)) / (Number(whole) * Number(top));
    return Math.abs(apart - Math.abs(number - numbers[0])) <= 1e-9 * apart;
  });
}

/** An epsilon to six digits, rounded up. @param {Ratio} number @returns {Ratio} */
function roundedUp([top, bottom]) {
  let scale = 10n ** 6n;
  while (top * scale < 10n ** 5n * bottom) scale *= 10n;
  return [ceilDivide(top * scale, bottom), scale];
}

/**
 * The epsilon of a unit of distance; undefined for a context that does not go by distance alone. Numbers between the nodes of a line differ by less than
 * a step, and Q(y|x) is a line from node to node: with a ratio of e^E from one to the next, log Q has slopes of at most (e^E - 1) / step.
 * @param {Question} law @returns {Ratio | undefined}
 */
function distanceEpsilon({ context, numbers }) {
  if (context.form !== "metric") return undefined;
  const each = /** @type {Ratio} */ (exactNumber(context.epsilon));
  if (!numbers) return each;
  if (!numbers.draws || numbers.outside.length || context.distance !== "line" || context.points) return undefined;
  return slopeBound(numbers, each);
}

/** The same where nodes are hidden by `each` times their distance. @param {NonNullable<Question["numbers"]>} numbers @param {Ratio} each */
function slopeBound(numbers, each) {
  const step = /** @type {Ratio} */ (exactNumber(numbers.step));
  const steep = plus(times(expBelow(times(each, step)), [2n ** 190n + 1n, 2n ** 190n]), [-1n, 1n]);
  return roundedUp(over(over(steep, step), [2n ** 64n - numbers.units, 2n ** 64n]));
}

/**
 * The first values of a context, between which E is `each` times a distance, and at one `level` from any value outside.
 * @typedef {object} Scale
 * @property {number} size
 * @property {Ratio} each
 * @property {Ratio} [smallest] the least E between two of them; undefined if it was not looked for
 * @property {Ratio} largest
 * @property {() => boolean} isNumeric whether distances are differences of the numbers that the values begin with, and so have their unit
 * @property {Ratio} [level]
 */

/** The scale by which a context is explained: all values of a metric, or a line with some values outside it. @param {Question} law @returns {Scale | undefined} */
function scaleOf(law) {
  const { E, context, epsilon, numbers, shows } = law;
  const largest = /** @type {Ratio} */ (exactNumber(epsilon));
  if (shows || !largest[0]) return undefined;
  if (context.form === "matrix") return scaleBeside(E(), numbers);
  const each = distanceEpsilon(law);
  if (!each) return undefined;
  const size = E().values.length;
  return { size, each, smallest: numbers || size > MAX_COMPARED ? undefined : smallestOf(E()), largest, isNumeric: () => Boolean(numbers) || isNumeric(E(), each) };
}

/** @param {number} a @param {number} b */
const isClose = (a, b) => Math.abs(a - b) <= 1e-9 * b;

/**
 * The line or ring that a matrix is beside values outside it, all of them at one level from every other value.
 * @param {Context} context @param {Question["numbers"]} grid @returns {Scale | undefined}
 */
function scaleBeside({ values, sets = [] }, grid) {
  const count = values.length;
  if (count > MAX_COMPARED || count <= LEAST_SCALE) return undefined;
  const place = (/** @type {number} */ x, /** @type {number} */ z) => x * (count - 1) + z - (z > x ? 1 : 0); // row by row, without the diagonal
  const at = (/** @type {number} */ x, /** @type {number} */ z) => sets[place(x, z)][2];
  const entries = sets.map(([, , [top, bottom]]) => Number(top) / Number(bottom));
  const entry = (/** @type {number} */ x, /** @type {number} */ z) => entries[place(x, z)];
  const level = at(count - 1, 0);
  const across = entry(count - 1, 0);
  let size = count;
  while (size && values.every((_, z) => z === size - 1 || (isClose(entry(size - 1, z), across) && isClose(entry(z, size - 1), across)))) size--;
  if (size < LEAST_SCALE || size === count || (grid && (!grid.draws || size !== count - grid.outside.length))) return undefined;
  const numbers = values.slice(0, size).map(leadingNumber);
  const steps = numbers.map((_, x) => `${x}`);
  for (const texts of grid || numbers.includes("") ? [steps] : [numbers, steps]) {
    const places = texts.map(Number);
    const order = [...places.keys()].sort((x, z) => places[x] - places[z]);
    const [first, second] = order.map((x) => /** @type {Ratio} */ (exactNumber(texts[x])));
    const gap = plus(second, times(first, [-1n, 1n]));
    if (new Set(places).size < size || !at(order[0], order[1])[0]) continue;
    const each = over(at(order[0], order[1]), gap);
    const unit = Number(each[0]) / Number(each[1]);
    const smallest = order.slice(1).map((z, i) => at(order[i], z)).reduce((a, b) => (atMost(a, b) ? a : b));
    const largest = order.slice(1).map((z) => at(order[0], z)).reduce(larger);
    if (atMost(largest, smallest)) continue;
    const isAlong = (/** @type {number} */ found, /** @type {number} */ apart) => isClose(found, apart) || isClose(found, Math.min(apart, 2 * across));
    for (const around of size > LEAST_SCALE && !grid ? [Infinity, (size * Number(gap[0])) / Number(gap[1])] : [Infinity]) {
      const apart = (/** @type {number} */ x, /** @type {number} */ z) => unit * Math.min(places[z] - places[x], around - places[z] + places[x]);
      if (!order.every((x, i) => order.slice(i + 1).every((z) => [entry(x, z), entry(z, x)].every((found) => isAlong(found, apart(x, z)))))) continue;
      if (grid) return { size, each: slopeBound(grid, over(each, /** @type {Ratio} */ (exactNumber(grid.step)))), largest, isNumeric: () => true, level };
      return { size, each, smallest, largest, isNumeric: () => texts === numbers, level };
    }
  }
  return undefined;
}

/** What a report shows against an answer at a round distance: the largest one with an epsilon of 1 or less, or the nearest answers. @param {Scale} scale @param {string} unit @returns {Fact} */
function byDistance({ each, smallest, largest, isNumeric: isCounted }, unit) {
  const most = over(atMost(largest, ONE) ? largest : ONE, each);
  /** @type {Ratio} */
  let power = [10n, 1n];
  while (atMost(power, most)) power = times(power, [10n, 1n]);
  /** @type {Ratio | undefined} */
  let distance;
  while (!distance) {
    power = over(power, [10n, 1n]);
    distance = [5n, 2n, 1n].map((digit) => times(power, [digit, 1n])).find((step) => atMost(step, most));
  }
  const isFar = smallest && !atMost(smallest, times(each, distance));
  const level = textOf(isFar ? smallest : times(each, distance));
  return { key: isFar ? "nearest" : "near", given: { distance: textOf(distance), likelier: likelier(level), level, ...(unit && isCounted() && { unit }) } };
}

/** What a report shows of the answers outside a scale. @param {Scale} scale @param {any[]} values @returns {Fact[]} */
function beside({ size, level }, values) {
  if (!level) return [];
  const outside = values.slice(size);
  return [{ key: "beside", given: { values: outside.slice(0, LISTED), count: outside.length, likelier: likelier(textOf(level)), level: textOf(level) } }];
}

/** @param {Question} law @param {number[]} counts from how many others each answer is hidden @param {string} unit @returns {Fact[]} */
function hiding(law, counts, unit) {
  const { E, epsilon, numbers, shows } = law;
  if (!counts.some(Boolean)) return [{ key: "nothing", given: {} }];
  const scale = scaleOf(law);
  if (scale) return [byDistance(scale, unit), ...beside(scale, E().values)];
  const smallest = smallestOf(E());
  const low = smallest && textOf(smallest);
  const isNumber = numbers && !shows && !numbers.outside.length;
  const key = shows ? "some" : isNumber ? "anyNumber" : "any";
  const given = { likelier: likelier(epsilon), level: epsilon, ...(isNumber && { from: numbers.low, to: numbers.high }) };
  if (low === undefined || low === epsilon) return [{ key, given }];
  return [{ key: `${key}Range`, given: { ...given, least: likelier(low), low } }];
}

/** @param {Question} law @param {number[]} counts @returns {Fact[][]} */
function showing(law, counts) {
  const { context, shows } = law;
  if (!shows || !counts.some(Boolean)) return [];
  if (context.form === "blocks") {
    const count = new Set(context.block_of).size;
    const names = context.names ?? [...Array(count).keys()];
    return [[{ key: "groups", given: { values: names.slice(0, LISTED), count } }]];
  }
  const values = law.numbers ? law.values.map((value) => keptOf(law, law.index(value))) : law.values;
  const others = values.length - 1;
  const among = (/** @type {(count: number) => boolean} */ isSo) => values.filter((_, x) => isSo(counts[x]));
  const everywhere = among((count) => count === others);
  const somewhere = among((count) => count > 0 && count < others);
  if (somewhere.length === values.length) return [[{ key: "somewhere", given: {} }]];
  const told = (/** @type {"protected" | "partly"} */ key, /** @type {any[]} */ hidden) =>
    hidden.length ? [{ key, given: { values: hidden.slice(0, LISTED), count: hidden.length } }] : [];
  const isRest = everywhere.length + somewhere.length < values.length;
  return [[...told("protected", everywhere), ...told("partly", somewhere), ...(isRest ? [{ key: /** @type {const} */ ("rest"), given: {} }] : [])]];
}

/** What counts as a bound; nothing where numbers beyond it are refused. @param {Question} law @returns {Fact[][]} */
const clipping = ({ numbers }) => (numbers?.clip ? [[{ key: "clipped", given: { from: numbers.low, to: numbers.high } }]] : []);

/** What is said of one question: how far its answers are hidden, and what may show. @param {Question} law @param {string} unit of its numbers @returns {Fact[][]} */
export function protection(law, unit) {
  const counts = hiddenCounts(law.E());
  return [hiding(law, counts, unit), ...showing(law, counts), ...clipping(law)];
}

/**
 * What a collection with one question promises.
 * @param {Law} law
 * @param {Pick<Document, "changes" | "access">} document
 * @param {Record<string, string>} words
 * @param {string} [unit]
 * @returns {Promised}
 */
export function promiseOf(law, document, words, unit = "") {
  const { changes } = document;
  const cost = /** @type {Fact} */ ({ key: changes === "spend" ? "costSpend" : "costRefuse", given: { epsilon: law.epsilon } });
  const said = [...protection(law, unit), ...invited(document), [cost]].map((facts) => ({ facts, sentence: facts.map((fact) => inEnglish(fact, words)).join(" ") }));
  return promised(law.context.form, law, said);
}

/** @param {Pick<Document, "access">} document @returns {Fact[][]} */
export const invited = ({ access }) => (access === "invitation" ? [[{ key: "invited", given: {} }]] : []);

/**
 * @param {string} form
 * @param {{epsilon: string, shows: boolean, fingerprint: string}} law
 * @param {{facts: Fact[], sentence: string}[]} said
 * @returns {Promised}
 */
export const promised = (form, { epsilon, shows, fingerprint }, said) =>
  Object.freeze({ form, epsilon, shows, fingerprint, sentences: Object.freeze(said.map(({ sentence }) => sentence)), facts: Object.freeze(said.map(({ facts }) => facts)) });

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

/** A sentence that says how far one answer, with the number x, is hidden; it does not repeat the answer. @param {Question} law @param {number} x @param {string} unit */
export function promiseFor(law, x, unit) {
  const { E, epsilon, numbers, size } = law;
  const context = E();
  const own = numbers ? numbers.beside(x) : [x];
  const hidden = hiddenCounts(context)[own[0]];
  if (!hidden) return "This answer is not protected: whoever gets your report may learn it for certain.";
  const scale = scaleOf(law);
  if (scale && Math.max(...own) < scale.size) {
    const near = byDistance(scale, unit);
    const { likelier: most, level: at } = near.given;
    const other = near.key === "nearest" ? "the nearest answers" : `an answer at a distance of ${far(near.given)}`;
    return `This answer is protected best against answers near it: compared with ${other}, your report makes it at most ${most} times as likely as before (epsilon ${at}, in proportion to the distance).`;
  }
  const level = size > MAX_ROW ? epsilon : textOf(own.map((value) => largestAt(context, value)).reduce(larger));
  const most = `your report makes it at most ${likelier(level)} times as likely as before (epsilon ${level})`;
  return hidden === size - 1
    ? `This answer is protected: compared with any other, ${most}.`
    : `This answer is partly protected: compared with ${hidden} of the ${size - 1} other answers, ${most}. It may rule out the rest for certain.`;
}
