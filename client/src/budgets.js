/** Budgets that are contexts: what answers may tell of each two values together, and what they have told. */

import { contextOf, valuesOf } from "./context.js";
import { Refused } from "./discreet.js";
import { atMost, plus, textOf, times } from "./exact.js";
import { begin } from "./limits.js";
import { numbersOf } from "./numbers.js";
import { canonical } from "./plain.js";

/** @import { Context } from "./context.js" */
/** @import { Ratio } from "./exact.js" */
/** @import { Numbers } from "./numbers.js" */

/** A context with its domain, as laws publish them and lines hold them. @typedef {{context: any, domain: any}} Written */
/** What the debits under one law come to. @typedef {{debits: number, epsilon: Ratio, shows: boolean}} Payments */
/** An entry of E: null where values may be told apart for certain. @typedef {Ratio | null} Entry */

/**
 * What was paid under each law, and what laws are known to promise, by their fingerprints: their contexts, null for one that cannot be read here,
 * and of a form the laws of its parts.
 * @typedef {{paid: Map<string, Payments>, terms: Map<string, Context | null>, parts: Map<string, readonly string[]>}} Known
 */

/** A law, or the part of a form. @typedef {{fingerprint: string, E: () => Context, context: any, values: readonly any[]}} Part */

/**
 * A budget as a journal has it: the texts of its values, its entries by pairs of their numbers, row by row, and what was paid under
 * each law before it was first set.
 * @typedef {{written: Written, names: string[], levels: Entry[], before: Map<string, Payments>}} Budget
 */

/** The most values of a budget: each pair of them is looked at. */
const MOST_VALUES = 256;

/** The most values of a matrix in which paths are followed; in a larger one every pair counts as it stands, which is never less. */
const MOST_CLOSED = 64;

/** The most characters of a context that is written only to find questions with the same values later. */
const LONGEST_TERMS = 65536;

/** A context that was written; null if it cannot be read. @param {Written} written @returns {Context | null} */
export function contextIn({ context, domain }) {
  try {
    begin(-Infinity); // one's own lines are not limited
    return contextOf(context, "low" in domain ? numbersOf(domain, valuesOf).values : valuesOf(domain));
  } catch {
    return null;
  }
}

/** The domain of values as Python writes it. @param {readonly any[]} values @param {Numbers} [numbers] */
const domainOf = (values, numbers) => numbers?.domain ?? (values.every((value, x) => value === x) ? { size: values.length } : { values });

/** The context of a law as lines hold it. @param {{context: any, values: readonly any[], numbers?: Numbers}} law @returns {Written} */
export const termsOf = ({ context, values, numbers }) => ({ context, domain: domainOf(values, numbers) });

/** The laws that a debit under this one is about: those of the parts of a form, or itself. @param {Pick<Known, "parts">} known @param {string} fingerprint @returns {readonly string[]} */
export const partsOf = ({ parts }, fingerprint) => parts.get(fingerprint) ?? [fingerprint];

/** Whether what a law promises, or every part of a form, was written down. @param {Pick<Known, "terms" | "parts">} known @param {string} fingerprint */
export const isWritten = (known, fingerprint) => partsOf(known, fingerprint).every((part) => known.terms.has(part));

/** Whether a context is written down although no budget counts it. @param {Written} written */
export const isShort = (written) => canonical(written).length <= LONGEST_TERMS;

/** @param {Entry} a @param {Entry} b */
const added = (a, b) => a && b && plus(a, b);

/** @param {Entry} a @param {Entry} b */
const isAtMost = (a, b) => !b || (a !== null && atMost(a, b));

/** Pairs of numbers below `count`, by their place in a list. @param {number} count */
function* pairs(count) {
  for (let x = 0; x < count; x += 1) for (let z = 0; z < count; z += 1) if (x !== z) yield /** @type {[number, number, number]} */ ([x * count + z, x, z]);
}

/**
 * The entries of a context between values that are given by their numbers in it, row by row; 0 for a value and itself.
 * @param {Context} context
 * @param {number[]} members
 * @returns {Entry[]}
 */
function entriesBetween({ sets, at, factors }, members) {
  const count = members.length;
  if (factors) {
    const k = factors[1].values.length;
    const first = entriesBetween(factors[0], members.map((x) => Math.floor(x / k)));
    const second = entriesBetween(factors[1], members.map((x) => x % k));
    return first.map((entry, place) => added(entry, second[place]));
  }
  /** @type {Entry[]} */
  const levels = Array(count ** 2).fill(null);
  /** Where each number stands among the members. @type {Map<number, number[]>} */
  const places = new Map();
  members.forEach((x, i) => places.set(x, [...(places.get(x) ?? []), i]));
  const among = (/** @type {number[]} */ numbers) => numbers.flatMap((x) => places.get(x) ?? []);
  for (const [left, right, level] of sets ?? []) {
    const ends = among(right);
    for (const i of among(left)) for (const j of ends) if (!isAtMost(levels[i * count + j] ?? null, level)) levels[i * count + j] = level;
  }
  for (const [place, i, j] of pairs(count)) if (at) levels[place] = at(members[i], members[j]);
  members.forEach((x, i) => (places.get(x) ?? []).forEach((j) => (levels[i * count + j] = [0n, 1n])));
  return levels;
}

/** The entries of a small matrix, where each path of values implies the pair of its ends; those of other forms do so already. @param {Context} context */
function closedEntries(context) {
  const count = context.values.length;
  if (!context.sets || context.sets.length <= count || count > MOST_CLOSED) return null;
  const levels = entriesBetween(context, context.values.map((_, x) => x));
  for (let y = 0; y < count; y += 1)
    for (const [place, x, z] of pairs(count)) {
      const around = added(levels[x * count + y], levels[y * count + z]);
      if (!isAtMost(levels[place], around)) levels[place] = around;
    }
  return levels;
}

/** A context among values that are given by their texts; null if it lacks one of them. @param {Context} context @param {string[]} names */
function among(context, names) {
  const numbers = new Map(context.values.map((value, x) => [canonical(value), x]));
  const members = names.map((name) => numbers.get(name) ?? -1);
  if (members.includes(-1)) return null;
  const closed = closedEntries(context);
  return closed ? members.flatMap((x) => members.map((z) => closed[x * context.values.length + z])) : entriesBetween(context, members);
}

/**
 * What an answer tells of values that are given by their texts; null if it has not all of them. Several answers may be one value, a tuple: then it is
 * what they tell of each answer that has all of the values. In a product that is the sum over the factors that do, and where all tuples are alike what
 * they tell of any two.
 * @param {Context} context
 * @param {string[]} names
 * @returns {Entry[] | null}
 */
function toldOf(context, names) {
  const found = among(context, names);
  if (found) return found;
  const { factors, values, sets, shows } = context;
  if (factors) {
    const told = factors.flatMap((factor) => [toldOf(factor, names) ?? []]).filter((levels) => levels.length);
    return told.length ? told.reduce((one, other) => one.map((entry, place) => added(entry, other[place]))) : null;
  }
  const level = sets?.[0]?.[2];
  if (!level || !values[0].tuple || shows || sets?.some(([, , other]) => textOf(other) !== textOf(level))) return null;
  const places = values[0].tuple.map((/** @type {any} */ _, /** @type {number} */ i) => new Set(values.map((value) => canonical(value.tuple?.[i] ?? null))));
  return places.some((/** @type {Set<string>} */ answers) => names.every((name) => answers.has(name))) ? Array(names.length ** 2).fill(level) : null;
}

/**
 * A budget that was written; null if it cannot be read here, or has too many values.
 * @param {Written} written
 * @param {{budgets: Budget[], paid: Map<string, Payments>}} account the budgets that were set before, and what was paid
 * @returns {Budget | null}
 */
export function budgetOf(written, { budgets: others, paid }) {
  const context = contextIn(written);
  if (!context || context.values.length > MOST_VALUES) return null;
  const names = context.values.map(canonical);
  const levels = /** @type {Entry[]} */ (among(context, names));
  const first = others.find((other) => isOver(other, names));
  return { written, names, levels, before: first ? first.before : new Map(paid) };
}

/** Whether a budget is over just these values, in any order. @param {Budget} budget @param {string[]} names */
const isOver = (budget, names) => budget.names.length === names.length && names.every((name) => budget.names.includes(name));

/** The entries of a budget in the order of other texts of its values. @param {Budget} budget @param {string[]} names */
const inOrder = ({ names: own, levels }, names) => names.flatMap((a) => names.map((b) => levels[own.indexOf(a) * own.length + own.indexOf(b)]));

/**
 * Whether a budget must be written: false if those over the same values ask for as much already; `Refused` if they ask for more.
 * @param {Budget} budget
 * @param {Budget[]} others
 */
export function isLower(budget, others) {
  const before = others.filter((other) => isOver(other, budget.names)).map((other) => inOrder(other, budget.names));
  const least = budget.levels.map((_, place) => before.map((levels) => levels[place]).reduce((a, b) => (isAtMost(a, b) ? a : b), null));
  if (!budget.levels.every((level, place) => isAtMost(level, least[place])))
    throw new Refused("A budget over these values is there already, and is never raised.", "budget");
  return !before.length || !least.every((level, place) => isAtMost(level, budget.levels[place]));
}

/**
 * What debits have spent of a budget, and one more answer under the contexts that are `asked`. A debit counts exactly for each part whose context is
 * known, if its question has all values of the budget; one of which a context is not known, or cannot be read, may have been about these values.
 * @param {Budget} budget
 * @param {Known} known
 * @param {Entry[][]} [asked]
 */
function spentOf({ names, before }, known, asked = []) {
  /** @type {Entry[]} */
  const sums = Array(names.length ** 2).fill([0n, 1n]);
  const add = (/** @type {Entry[]} */ levels, /** @type {number} */ often) => {
    for (const [place] of pairs(names.length)) sums[place] = added(sums[place], levels[place] && times(/** @type {Ratio} */ (levels[place]), [BigInt(often), 1n]));
  };
  for (const [fingerprint, payments] of known.paid) {
    const contexts = partsOf(known, fingerprint).map((part) => known.terms.get(part));
    for (const context of contexts) {
      const levels = context && toldOf(context, names);
      if (levels) add(levels, payments.debits);
    }
    const unknown = contexts.includes(null) ? payments : contexts.includes(undefined) ? before.get(fingerprint) : undefined;
    if (unknown) add(Array(names.length ** 2).fill(unknown.shows ? null : unknown.epsilon), 1);
  }
  for (const levels of asked) add(levels, 1);
  return sums;
}

/** The value of a budget as sentences name it. @param {string} name */
const shown = (name) => name.slice(0, 60);

/** Whether a budget counts the answers under a context: it has all its values. @param {Budget[]} budgets @param {Context} context */
export const isCounted = (budgets, context) => budgets.some(({ names }) => toldOf(context, names));

/**
 * Refuse one more answer under some laws, unless every budget allows it; what is said names the pair of values that is furthest beyond.
 * @param {Budget[]} budgets
 * @param {Known} account
 * @param {string} fingerprint of the law, or of the form
 * @param {readonly Part[]} laws its parts
 */
export function checkBudgets(budgets, account, fingerprint, laws) {
  const terms = new Map([...account.terms, ...laws.map((law) => /** @type {const} */ ([law.fingerprint, law.E()]))]);
  const parts = new Map([...account.parts, /** @type {const} */ ([fingerprint, laws.map((law) => law.fingerprint)])]);
  const known = { paid: account.paid, terms, parts };
  for (const budget of budgets) {
    const levels = laws.flatMap((law) => {
      const found = toldOf(law.E(), budget.names);
      return found ? [found] : [];
    });
    if (!levels.length) continue;
    const after = spentOf(budget, known, levels);
    const place = worst(budget, after);
    if (place < 0 || isAtMost(after[place], budget.levels[place])) continue;
    const asked = levels.map((found) => found[place]).reduce(added);
    const count = budget.names.length;
    const [a, b] = [budget.names[Math.floor(place / count)], budget.names[place % count]].map(shown);
    const allowed = textOf(/** @type {Ratio} */ (budget.levels[place]));
    throw new Refused(
      asked
        ? `This answer would spend ${textOf(asked)} on telling ${a} from ${b}, and the budget of ${allowed} does not allow it; no report was made.`
        : `This answer may tell ${a} from ${b} for certain, where the budget allows ${allowed} only; no report was made.`,
      "overspent",
    );
  }
}

/** The pair that is furthest above a budget, or nearest to it, by its place; -1 if no pair is limited. @param {Budget} budget @param {Entry[]} spent */
function worst({ names, levels }, spent) {
  let found = -1;
  /** @type {Entry} */
  let most = [-1n, 0n];
  for (const [place] of pairs(names.length)) {
    const [level, gone] = [levels[place], spent[place]];
    if (!level) continue;
    const over = gone && plus(gone, [-level[0], level[1]]);
    if (found < 0 || !isAtMost(over, most)) [found, most] = [place, over];
  }
  return found;
}

/** What is said of a budget: the two values between which least is left, and what was spent there. @param {Budget} budget @param {Known} known */
export function balanceOf(budget, known) {
  const spent = spentOf(budget, known);
  const place = worst(budget, spent);
  const text = (/** @type {Entry} */ entry) => (entry ? textOf(entry) : "inf");
  const count = budget.names.length;
  const tightest =
    place < 0
      ? null
      : {
          x: JSON.parse(budget.names[Math.floor(place / count)]),
          z: JSON.parse(budget.names[place % count]),
          budget: text(budget.levels[place]),
          spent: text(spent[place]),
        };
  return { ...structuredClone(budget.written), tightest };
}

/**
 * How many values two contexts share.
 * @param {Context | null} context
 * @param {Set<string>} names the texts of the values of the other one
 */
export const sharedWith = (context, names) => (context ? context.values.filter((value) => names.has(canonical(value))).length : 0);
