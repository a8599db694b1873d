/** Contexts: how hard each value must be to tell from each other one, as the published law declares it. */

import { atMost, demand, demandSmall, epsilonOf, exactNumber, greatest, kept, larger, LIMITS, plus, spend, times } from "./exact.js";
import { entries, listed, range, whole } from "./reading.js";
import { alike, own, sum } from "./machine.js";

/** @import { Ratio } from "./exact.js" */
/** @typedef {(x: number) => string | number} Label */

/**
 * @typedef {object} Context
 * @property {any[]} values
 * @property {(x: number, z: number) => Ratio | null} at E between two different values; null where nothing is asked
 * @property {(label: Label) => Iterable<[number, number]>} pairs pairs that imply all others, where ratios depend on labels alone
 * @property {Ratio} largest the largest finite entry, or an upper bound of it; 0 if there is none
 * @property {boolean} shows whether some value may be told from another for certain
 * @property {Grid | null} [grid]
 */

/**
 * Values at the cells of a grid.
 * @typedef {object} Grid
 * @property {number[][]} cells the whole coordinates of each value, from 0 on
 * @property {(steps: number[]) => Ratio} apart E of a displacement, or less by at most `rounding`
 * @property {Ratio} rounding
 */

/** @type {Ratio} */
const NOTHING = [0n, 1n];

/** @param {any} data @returns {Ratio} */
function finite(data) {
  const found = epsilonOf(data);
  demand(found && found[0] > 0n);
  return found;
}

/** A value as a law may hold it: text, a whole number, or several of them. @param {any} value @returns {boolean} */
const isValue = (value) =>
  typeof value === "string" || Number.isSafeInteger(value) || (Array.isArray(entries(value, "tuple").tuple) && value.tuple.every(isValue));

/** What tells a value from all others. @param {any} value */
export const textual = (value) => JSON.stringify(value);

/** The values of a domain. @param {any} data @returns {any[]} */
function valuesOf(data) {
  if ("size" in data) {
    demandSmall(whole(entries(data, "size").size), LIMITS.values);
    return range(data.size);
  }
  const values = listed(entries(data, "values").values);
  demandSmall(values.length, LIMITS.values);
  demand(values.every(isValue) && new Set(values.map(textual)).size === values.length);
  return values;
}

/** @template T @param {T[]} list @returns {Generator<[T, T]>} */
function* everyTwo(list) {
  for (const c of list) for (const d of list) yield [c, d];
}

/**
 * A context in which E depends only on the classes of two values.
 * @param {any[]} values
 * @param {any[]} classOf
 * @param {Context["at"]} at
 * @param {(classes: any[]) => Iterable<[any, any]>} [protectedPairs] those with a finite entry, at least
 * @returns {Context}
 */
function byClass(values, classOf, at, protectedPairs = everyTwo) {
  demand(classOf.length === values.length);
  /** The values of every class. @type {Map<any, number[]>} */
  const members = new Map(classOf.map((c) => [c, []]));
  classOf.forEach((c, x) => members.get(c)?.push(x));
  const of = (/** @type {any} */ c) => members.get(c) ?? [];
  const classes = [...members.keys()];
  let [largest, hidden] = [NOTHING, 0];
  for (const [c, d] of protectedPairs(classes)) {
    spend(4);
    const count = of(c).length * (of(d).length - +(c === d));
    const level = count ? at(of(c)[0], of(d)[of(d).length - 1]) : null;
    if (level) [largest, hidden] = [larger(largest, level), hidden + count];
  }
  return {
    values,
    at,
    *pairs(label) {
      /** Of a class, the first two values with every label. */
      const some = kept((c) => {
        const found = kept((_) => /** @type {number[]} */ ([]));
        return [...new Set(of(c).map((x) => {
          const two = found(label(x));
          if (two.length < 2) two.push(x);
          return two;
        }))];
      });
      for (const [c, d] of protectedPairs(classes))
        for (const left of some(c))
          for (const right of some(d)) {
            const z = right[left === right ? right.length - 1 : 0];
            if (z !== left[0]) yield [left[0], z];
          }
    },
    largest,
    shows: hidden < values.length * (values.length - 1),
  };
}

/** Whole numbers below a limit. @param {any} data @param {number} below @returns {number[]} */
function numbers(data, below) {
  demand(listed(data).every((number) => whole(number) < below));
  return data;
}

/** @param {any} data @param {any[]} values */
function uniformContext(data, values) {
  const level = finite(entries(data, "epsilon form").epsilon);
  return byClass(values, new Array(values.length).fill(0), () => level);
}

/** @param {any} data @param {any[]} values */
function blocksContext(data, values) {
  const isEven = "epsilon" in data;
  entries(data, `block_of epsilon${isEven ? "" : "s"} form`, "names");
  const levels = isEven ? new Array(values.length).fill(finite(data.epsilon)) : listed(data.epsilons).map(finite);
  const blockOf = numbers(data.block_of, levels.length);
  demand(isEven || new Set(blockOf).size === levels.length);
  return byClass(values, blockOf, (x, z) => (blockOf[x] === blockOf[z] ? levels[blockOf[x]] : null), (blocks) => blocks.map((b) => [b, b]));
}

/** @param {any} data @param {any[]} values */
function highLowContext(data, values) {
  const level = finite(entries(data, "epsilon form sensitive").epsilon);
  const names = new Set(listed(data.sensitive).map(textual));
  demand(names.size && names.size === data.sensitive.length);
  const isOther = values.map((value) => !names.delete(textual(value)));
  demand(!names.size);
  return byClass(values, isOther, (x) => (isOther[x] ? null : level), () => [[false, false], [false, true]]);
}

/** @param {any} data @param {any[]} values */
function binaryContext(data, values) {
  const [there, back, ...more] = listed(entries(data, "epsilon form").epsilon);
  demand(!more.length);
  return matrixContext({ E: [["0", there], [back, "0"]], form: "" }, values);
}

/** @param {any} data @param {any[]} values */
function gradedContext(data, values) {
  const levels = listed(entries(data, "epsilons form").epsilons).map(epsilonOf);
  return byClass(values, data.epsilons, (x) => levels[x]);
}

/** @param {any} data @param {any[]} values */
function nestedContext(data, values) {
  entries(data, "block_of epsilons form");
  const levels = listed(data.epsilons).map(epsilonOf);
  demand(levels.every((level, l) => !l || (levels[l - 1] && !(level && atMost(level, levels[l - 1] ?? NOTHING)))));
  /** The block of every value, from the innermost blocks to the one of all values. */
  const columns = [...listed(data.block_of).map((column) => numbers(column, values.length)), new Array(values.length).fill(0)];
  demand(columns.length > 1 && columns.length === levels.length && columns.length <= 17);
  columns.slice(1).forEach((around, l) => {
    const found = new Map(columns[l].map((block, x) => [block, around[x]]));
    demand(columns[l].length === values.length && columns[l].every((block, x) => found.get(block) === around[x])); // each block is inside one
  });
  return byClass(values, columns[0], (x, z) => levels[columns.findIndex((column) => column[x] === column[z])]);
}

/** @param {any} data @param {any[]} values */
function matrixContext(data, values) {
  const rows = listed(entries(data, "E form").E).map((row) => listed(row).map(epsilonOf));
  demand(rows.length === values.length && rows.every((row, x) => row.length === values.length && row[x]?.[0] === 0n));
  return byClass(values, range(values.length), (x, z) => rows[x][z]);
}

/** Decimals as whole numbers of one unit. @param {any[]} written @returns {{whole: bigint[], scale: bigint}} */
function scaled(written) {
  const exact = written.map((one) => {
    const found = exactNumber(one);
    demand(found && !String(one).includes("/"));
    return found;
  });
  const scale = greatest(exact.map(([, bottom]) => bottom)); // all are powers of ten
  return { whole: exact.map(([top, bottom]) => top * (scale / bottom)), scale };
}

/** @param {bigint} a @param {bigint} b */
const ascending = (a, b) => (a < b ? -1 : +(a > b));

/** @param {bigint} a */
const absolute = (a) => (a < 0n ? -a : a);

/** Values at places on a line or around a ring, where neighbours imply all other pairs. @param {any} data @param {any[]} values @returns {Context} */
function placesContext(data, values) {
  const isRing = data.distance === "ring";
  entries(data, `${isRing ? "around " : ""}distance epsilon form`, "points");
  demand(isRing || data.distance === "line");
  const level = finite(data.epsilon);
  const { whole: at, scale } = scaled([...listed(data.points ?? values), data.around ?? 0]);
  let around = at.pop() ?? 0n;
  const count = values.length;
  const order = range(count).sort((x, z) => ascending(at[x], at[z]));
  const width = at[order[count - 1]] - at[order[0]];
  if (!isRing) around = 2n * width + 1n; // a line is a ring that nobody goes around
  demand(at.length === count && width < around);
  /** @param {bigint} apart @returns {Ratio} */
  const entry = (apart) => [level[0] * apart, level[1] * scale];
  /** The places in order, twice around the ring. */
  const turns = [...order.map((x) => at[x]), ...order.map((x) => at[x] + around)];
  let [farthest, opposite] = [0n, 0];
  for (const place of turns.slice(0, count)) {
    while (2n * (turns[opposite + 1] - place) <= around) opposite += 1;
    if (turns[opposite] - place > farthest) farthest = turns[opposite] - place;
  }
  return {
    values,
    at: (x, z) => {
      const apart = absolute(at[x] - at[z]);
      return entry(2n * apart > around ? around - apart : apart);
    },
    *pairs() {
      for (const [i, x] of order.entries()) {
        const z = order[i + 1] ?? (isRing ? order[0] : x);
        if (x !== z) yield* /** @type {[number, number][]} */ ([[x, z], [z, x]]);
      }
    },
    largest: entry(farthest),
    shows: false,
  };
}

/** The root of a whole number, rounded down. @param {bigint} square */
function root(square) {
  let [found, next] = [square, (square + 1n) / 2n];
  while (next < found) [found, next] = [next, (next + square / next) / 2n];
  return found;
}

/** Values at points, of several coordinates each. @param {any} data @param {any[]} values @returns {Context} */
function pointsContext(data, values) {
  entries(data, "epsilon form norm points");
  const level = finite(data.epsilon);
  const rows = listed(data.points).map(listed);
  const sides = rows[0].length;
  demand(rows.length === values.length && sides && rows.every((row) => row.length === sides));
  const { whole: flat, scale } = scaled(rows.flat());
  /** @type {Map<string, (steps: bigint[]) => Ratio>} */
  const norms = new Map([
    ["l1", (steps) => [sum(steps), scale]],
    ["l2", (steps) =>
      sides > 1 ? [root((sum(steps.map((step) => step * step)) * 10n ** 60n) / scale ** 2n), 10n ** 30n] : [steps[0], scale]],
    ["linf", (steps) => [greatest(steps), scale]],
  ]);
  const norm = norms.get(data.norm);
  demand(norm);
  const entry = kept((/** @type {string} */ steps) => times(level, norm(steps.split(",").map(BigInt))));
  const at = rows.map((_, x) => flat.slice(x * sides, (x + 1) * sides));
  /** @param {bigint[]} from @param {bigint[]} to */
  const distance = (from, to) => entry(String(from.map((c, i) => absolute(c - to[i]))));
  const columns = rows[0].map((_, i) => at.map((point) => point[i]).sort(ascending));
  let step = 0n; // the greatest by which all coordinates are whole
  for (const point of at)
    point.forEach((c, i) => {
      for (let rest = c - columns[i][0]; rest; ) [step, rest] = [rest, step % rest];
    });
  const cells = at.map((point) => point.map((c, i) => Number((c - columns[i][0]) / (step || 1n))));
  const valueAt = new Map(cells.map((cell, x) => [String(cell), x]));
  // what doubles hold exactly, in different cells: only then the shortcuts for grids are taken
  const isGrid = valueAt.size === values.length && cells.flat().every((c) => c < 2 ** 31);
  return {
    values,
    at: (x, z) => distance(at[x], at[z]),
    *pairs(label) {
      // where all values are alike, two that are one step apart imply all others
      if (isGrid && label === alike)
        for (const x of range(values.length))
          for (const i of range(sides)) {
            const z = valueAt.get(String(cells[x].map((c, j) => c + Number(i === j))));
            if (z !== undefined) return void (yield [x, z]);
          }
      spend(4 * values.length ** 2);
      for (const [x, z] of everyTwo(range(values.length))) if (x !== z) yield [x, z];
    },
    // across the box around all points
    largest: distance(columns.map((column) => column[0]), columns.map((column) => column[column.length - 1])),
    shows: false,
    grid: isGrid ? { cells, apart: (steps) => entry(String(steps.map((c) => BigInt(c) * step))), rounding: times(level, [1n, 10n ** 30n]) } : null,
  };
}

/** @param {any} data @param {any[]} values */
const metricContext = (data, values) => ("distance" in data ? placesContext : pointsContext)(data, values);

/** A question of a product: its context, over a domain of its own or over those of its own questions. @param {any} data @returns {Context} */
function factor(data) {
  entries(data, "context", "domain");
  return contextOf(data.context, data.domain ? valuesOf(data.domain) : null);
}

/** Two questions: pairs of values that differ in one answer imply all others. @param {any} data @param {any[] | null} values @returns {Context} */
function productContext(data, values) {
  entries(data, "first form second");
  const [first, second] = [factor(data.first), factor(data.second)];
  const k = second.values.length;
  demandSmall(first.values.length * k, LIMITS.values);
  /** @param {Context} part @param {any} side @returns {any[][]} */
  const tuples = (part, side) => part.values.map((value) => (side.context.form === "product" ? value.tuple : [value]));
  const others = tuples(second, data.second);
  spend(first.values.length * k * (textual(data).length / 16));
  const made = tuples(first, data.first).flatMap((a) => others.map((b) => ({ tuple: [...a, ...b] })));
  demand(!values || textual(values) === textual(made));
  /** @param {Context} part @param {number} x @param {number} z */
  const entry = (part, x, z) => (x === z ? NOTHING : part.at(x, z));
  return {
    values: made,
    at: (x, z) => {
      const one = entry(first, Math.floor(x / k), Math.floor(z / k));
      const two = entry(second, x % k, z % k);
      return one && two && plus(one, two);
    },
    *pairs() {
      for (const [x, z] of first.pairs(own)) for (let i = 0; i < k; i += 1) yield [x * k + i, z * k + i];
      for (const [x, z] of second.pairs(own)) for (let i = 0; i < made.length; i += k) yield [i + x, i + z];
    },
    largest: plus(first.largest, second.largest),
    shows: first.shows || second.shows,
  };
}

/** @type {Map<string, (data: any, values: any[]) => Context>} */
const FORMS = new Map([
  ["binary", binaryContext],
  ["blocks", blocksContext],
  ["graded", gradedContext],
  ["high_low", highLowContext],
  ["matrix", matrixContext],
  ["metric", metricContext],
  ["nested", nestedContext],
  ["product", productContext],
  ["uniform", uniformContext],
]);

/** @param {any} data @param {any} values @returns {Context} */
function contextOf(data, values) {
  const form = FORMS.get(data?.form);
  demand(form && (values || data.form === "product"), "its context is of no known form, or has no values");
  return form(data, values);
}

/** The context of a published law, over its domain. @param {any} data @param {any} domain */
export const readContext = (data, domain) => contextOf(data, valuesOf(domain));
