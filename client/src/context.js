/** Contexts: how hard each value must be to tell from each other one, as the published law declares it. */

import { atMost, demand, epsilonOf, exactNumber, kept, plus, times } from "./exact.js";
import { entries, listed, LIMITS, spend, whole } from "./reading.js";
import { alike, own } from "./machine.js";

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
 * Values in different cells of a grid, one in sixteen of them at least.
 * @typedef {object} Grid
 * @property {number[][]} cells the whole coordinates of each value, from 0 on
 * @property {number} sides how many coordinates there are
 * @property {(steps: number[]) => Ratio} apart E of a displacement, or less by at most `rounding`
 * @property {Ratio} rounding
 */

/** @type {Ratio} */
const NOTHING = [0n, 1n];

/** @param {(Ratio | null)[]} levels @returns {Ratio} */
const largestOf = (levels) => levels.reduce((/** @type {Ratio} */ most, one) => (one && !atMost(one, most) ? one : most), NOTHING);

/** @param {any} data @returns {Ratio} */
function finite(data) {
  const found = epsilonOf(data);
  demand(found && found[0] > 0n);
  return found;
}

/** A value as a law may hold it: text, a whole number, or several of them. @param {any} value @returns {boolean} */
const isValue = (value) =>
  typeof value === "string" || Number.isSafeInteger(value) || (Array.isArray(entries(value, "tuple").tuple) && value.tuple.every(isValue));

/** The values of a domain. @param {any} data @returns {any[]} */
function valuesOf(data) {
  if (data && "size" in data) {
    const size = whole(entries(data, "size").size);
    demand(size > 0 && size <= LIMITS.values, "it has no values, or too many");
    return Array.from({ length: size }, (_, x) => x);
  }
  const values = listed(entries(data, "values").values);
  demand(values.length && values.length <= LIMITS.values && values.every(isValue), "its values must be text or whole numbers");
  demand(new Set(values.map((value) => JSON.stringify(value))).size === values.length);
  return values;
}

/**
 * A context in which E depends only on the classes of two values.
 * @param {any[]} values
 * @param {ArrayLike<number>} classOf
 * @param {(c: number, d: number) => Ratio | null} between
 * @param {(count: number) => Iterable<[number, number]>} protectedPairs the pairs of classes with a finite entry
 * @param {(Ratio | null)[]} levels the entries that occur
 * @returns {Context}
 */
function byClass(values, classOf, between, protectedPairs, levels) {
  demand(classOf.length === values.length);
  /** @param {Label} label */
  function* pairs(label) {
    /** For every class and label, the first two values. @type {Map<string | number, number[]>[]} */
    const some = [];
    for (let x = 0; x < values.length; x += 1) {
      const of = (some[classOf[x]] ??= new Map());
      const name = label(x);
      const found = of.get(name);
      if (!found) of.set(name, [x]);
      else if (found.length < 2) found.push(x);
    }
    for (const [c, d] of protectedPairs(some.length))
      for (const [a, left] of some[c] ?? [])
        for (const [b, right] of some[d] ?? []) {
          const z = right[c === d && a === b ? right.length - 1 : 0];
          if (z !== left[0]) yield /** @type {[number, number]} */ ([left[0], z]);
        }
  }
  return {
    values,
    at: (x, z) => between(classOf[x], classOf[z]),
    pairs,
    largest: largestOf(levels),
    shows: levels.includes(null),
  };
}

/** @param {number} count @returns {Generator<[number, number]>} */
function* everyTwo(count) {
  for (let c = 0; c < count; c += 1) for (let d = 0; d < count; d += 1) yield [c, d];
}

/** Whole numbers below a limit. @param {any} data @param {number} below */
function numbers(data, below) {
  demand(listed(data).every((number) => whole(number) < below));
  return data;
}

/** @param {any} data @param {any[]} values */
function uniformContext(data, values) {
  const level = finite(entries(data, "epsilon form").epsilon);
  return byClass(values, new Uint8Array(values.length), () => level, everyTwo, values.length > 1 ? [level] : []);
}

/** @param {any} data @param {any[]} values */
function blocksContext(data, values) {
  entries(data, "block_of epsilon? epsilons? form names?");
  const blockOf = numbers(data.block_of, values.length);
  const count = blockOf.reduce((/** @type {number} */ most, /** @type {number} */ block) => Math.max(most, block + 1), 0);
  const levels = data.epsilons ? listed(data.epsilons).map(finite) : new Array(count).fill(finite(data.epsilon));
  demand(levels.length === count && !(data.epsilons && data.epsilon));
  const sizes = new Array(count).fill(0);
  for (const block of blockOf) sizes[block] += 1;
  const used = levels.filter((_, block) => sizes[block] > 1);
  return byClass(
    values,
    blockOf,
    (c, d) => (c === d ? levels[c] : null),
    function* (classes) {
      for (let c = 0; c < classes; c += 1) yield [c, c];
    },
    count > 1 ? [...used, null] : used,
  );
}

/** @param {any} data @param {any[]} values */
function highLowContext(data, values) {
  entries(data, "epsilon form sensitive");
  const level = finite(data.epsilon);
  const names = new Set(listed(data.sensitive).map((value) => JSON.stringify(value)));
  const count = names.size;
  const isOther = values.map((value) => Number(!names.delete(JSON.stringify(value))));
  demand(count && count === data.sensitive.length && !names.size);
  return byClass(values, isOther, (c) => (c ? null : level), () => [[0, 0], [0, 1]], values.length < 2 ? [] : isOther.includes(1) ? [level, null] : [level]);
}

/** @param {any} data @param {any[]} values */
function binaryContext(data, values) {
  const [there, back, ...more] = listed(entries(data, "epsilon form").epsilon);
  demand(!more.length);
  return matrixContext({ E: [["0", there], [back, "0"]], form: "" }, values);
}

/** @param {any} data @param {any[]} values */
function gradedContext(data, values) {
  const texts = listed(entries(data, "epsilons form").epsilons);
  const different = [...new Set(texts)];
  const levels = different.map(epsilonOf);
  const numbers = new Map(different.map((text, number) => [text, number]));
  return byClass(values, texts.map((text) => numbers.get(text) ?? 0), (c) => levels[c], everyTwo, values.length > 1 ? levels : []);
}

/** @param {any} data @param {any[]} values */
function nestedContext(data, values) {
  entries(data, "block_of epsilons form");
  /** @type {number[][]} */
  const columns = listed(data.block_of).map((column) => numbers(column, values.length));
  const levels = listed(data.epsilons).map(epsilonOf);
  demand(columns.length && columns.length + 1 === levels.length && columns.length <= 16);
  levels.forEach((level, l) => demand(!l || (levels[l - 1] && (!level || !atMost(level, levels[l - 1] ?? NOTHING))), "its epsilons must increase outwards"));
  columns.forEach((column) => demand(column.length === values.length, "each value must be in a block of every level"));
  /** For every level, the block of the next one around each of its blocks. @type {Map<number, number>[]} */
  const around = columns.map((column, l) => {
    const above = columns[l + 1] ?? new Uint8Array(values.length);
    const found = new Map();
    column.forEach((block, x) => {
      if (!found.has(block)) found.set(block, above[x]);
      demand(found.get(block) === above[x]);
    });
    return found;
  });
  const several = [new Set(columns[0]).size < values.length, ...around.map((of) => new Set(of.values()).size < of.size)];
  /** @param {number} c @param {number} d */
  const between = (c, d) => {
    for (let l = 0; l < around.length; l += 1) {
      if (c === d) return levels[l];
      [c, d] = [around[l].get(c) ?? 0, around[l].get(d) ?? 0];
    }
    return levels[levels.length - 1];
  };
  return byClass(values, columns[0], between, everyTwo, levels.filter((_, l) => several[l]));
}

/** @param {any} data @param {any[]} values */
function matrixContext(data, values) {
  const rows = listed(entries(data, "E form").E).map((row) => listed(row).map(epsilonOf));
  demand(rows.length === values.length && rows.every((row) => row.length === values.length));
  demand(rows.every((row, x) => row[x]?.[0] === 0n));
  return byClass(values, values.map((_, x) => x), (x, z) => rows[x][z], everyTwo, rows.flatMap((row, x) => row.filter((_, z) => z !== x)));
}

/** Decimals as whole numbers of one unit. @param {any[]} written @returns {{whole: bigint[], scale: bigint}} */
function scaled(written) {
  const exact = written.map((one) => (String(one).includes("/") ? null : exactNumber(one)));
  let scale = 1n;
  for (const one of exact) {
    demand(one);
    if (one[1] > scale) scale = one[1]; // all are powers of ten
  }
  return { whole: exact.map((one) => (one ? one[0] * (scale / one[1]) : 0n)), scale };
}

/** @param {bigint} a */
const absolute = (a) => (a < 0n ? -a : a);

/** Values at places on a line or around a ring, where neighbours imply all other pairs. @param {any} data @param {any[]} values @returns {Context} */
function placesContext(data, values) {
  entries(data, "around? distance epsilon form points?");
  const isRing = data.distance === "ring";
  demand(isRing ? data.around : data.distance === "line" && !data.around, "its distance must be a line or a ring");
  const level = finite(data.epsilon);
  const { whole: at, scale } = scaled([...listed(data.points ?? values), ...(isRing ? [data.around] : [])]);
  const around = isRing ? at.pop() ?? 0n : 0n;
  demand(at.length === values.length && (!isRing || around > 0n));
  const order = values.map((_, x) => x).sort((x, z) => (at[x] < at[z] ? -1 : Number(at[x] > at[z])));
  demand(!isRing || at[order[order.length - 1]] - at[order[0]] < around);
  /** @param {bigint} apart @returns {Ratio} */
  const entry = (apart) => [level[0] * apart, level[1] * scale];
  /** @param {number} x @param {number} z */
  const distance = (x, z) => {
    const apart = absolute(at[x] - at[z]);
    return isRing && 2n * apart > around ? around - apart : apart;
  };
  const count = values.length;
  const last = order[count - 1];
  /** The largest distance: on a ring, from each place to those beside the one opposite. */
  const widest = () => {
    if (!isRing) return distance(order[0], last);
    let [most, other] = [0n, 0];
    for (let i = 0; i < count; i += 1) {
      other = Math.max(other, i);
      while (other < i + count - 1 && 2n * ((at[order[other % count]] - at[order[i]] + around) % around) < around) other += 1;
      for (const z of [other, other - 1]) {
        const apart = distance(order[i], order[(z + count) % count]);
        if (apart > most) most = apart;
      }
    }
    return most;
  };
  return {
    values,
    at: (x, z) => entry(distance(x, z)),
    *pairs() {
      for (let i = 0; i < count; i += 1) {
        const [x, z] = [order[i], order[(i + 1) % count]];
        if (x !== z && (isRing || i + 1 < count)) yield* /** @type {[number, number][]} */ ([[x, z], [z, x]]);
      }
    },
    largest: count > 1 ? entry(widest()) : NOTHING,
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
  const sides = rows[0]?.length;
  demand(rows.length === values.length && sides && rows.every((row) => row.length === sides));
  const { whole: flat, scale } = scaled(rows.flat());
  const at = rows.map((_, x) => flat.slice(x * sides, (x + 1) * sides));
  /** @type {Record<string, (steps: bigint[]) => Ratio>} */
  const norms = {
    l1: (steps) => [steps.reduce((a, b) => a + b), scale],
    l2: (steps) =>
      sides > 1 ? [root((steps.reduce((a, b) => a + b * b, 0n) * 10n ** 60n) / scale ** 2n), 10n ** 30n] : [steps[0], scale],
    linf: (steps) => [steps.reduce((a, b) => (a > b ? a : b)), scale],
  };
  demand(Object.hasOwn(norms, data.norm));
  const entry = kept((/** @type {string} */ steps) => times(level, norms[data.norm](steps.split(",").map(BigInt))));
  /** @param {bigint[]} from @param {bigint[]} to */
  const distance = (from, to) => entry(from.map((c, i) => absolute(c - to[i])).join());
  /** The lowest or highest coordinates. @param {(a: bigint, b: bigint) => boolean} better */
  const corner = (better) => at.reduce((best, point) => best.map((c, i) => (better(point[i], c) ? point[i] : c)));
  const [low, high] = [corner((a, b) => a < b), corner((a, b) => a > b)];
  let step = 0n;
  for (const point of at)
    point.forEach((c, i) => {
      for (let rest = c - low[i]; rest; ) [step, rest] = [rest, step % rest];
    });
  step ||= 1n;
  const shape = high.map((c, i) => Number((c - low[i]) / step) + 1);
  const cells = at.map((point) => point.map((c, i) => Number((c - low[i]) / step)));
  /** @type {Map<string, number>} */
  const valueAt = new Map(cells.map((cell, x) => [cell.join(), x]));
  const isDense = sides > 1 && valueAt.size === values.length && shape.reduce((a, b) => a * b) <= 16 * values.length;
  return {
    values,
    at: (x, z) => distance(at[x], at[z]),
    *pairs(label) {
      // where all values are alike, two neighbours on the grid imply all others
      if (isDense && label === alike)
        for (let x = 0; x < values.length; x += 1)
          for (let i = 0; i < sides; i += 1) {
            const z = valueAt.get(cells[x].map((c, j) => c + Number(i === j)).join());
            if (z !== undefined) return void (yield [x, z]);
          }
      spend(values.length ** 2 * 4);
      for (const [x, z] of everyTwo(values.length)) if (x !== z) yield [x, z];
    },
    largest: distance(low, high),
    shows: false,
    grid: isDense
      ? {
          cells,
          sides,
          apart: (steps) => distance(steps.map((c) => BigInt(c) * step), steps.map(() => 0n)),
          rounding: times(level, [1n, 10n ** 30n]),
        }
      : null,
  };
}

/** @param {any} data @param {any[]} values */
const metricContext = (data, values) => ("distance" in data ? placesContext : pointsContext)(data, values);

/** A question of a product: its context, over a domain of its own or over those of its own questions. @param {any} data @returns {Context} */
function factor(data) {
  entries(data, "context domain?");
  return contextOf(data.context, data.domain ? valuesOf(data.domain) : null);
}

/** Two questions: pairs of values that differ in one answer imply all others. @param {any} data @param {any[] | null} values @returns {Context} */
function productContext(data, values) {
  entries(data, "first form second");
  const [first, second] = [factor(data.first), factor(data.second)];
  const k = second.values.length;
  demand(first.values.length * k <= LIMITS.values, "it has too many values");
  /** @param {Context} part @param {any} side @returns {any[][]} */
  const tuples = (part, side) => part.values.map((value) => (side.context.form === "product" ? value.tuple : [value]));
  const others = tuples(second, data.second);
  const made = tuples(first, data.first).flatMap((a) => others.map((b) => ({ tuple: [...a, ...b] })));
  demand(!values || JSON.stringify(values) === JSON.stringify(made));
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
