/** Contexts: how hard each value must be to tell from each other one, as the published law declares it. */

import { atMost, epsilonOf, exactNumber, greatest, larger, least, memoized, NOTHING, plus, times } from "./exact.js";
import { demand, demandSmall, spend, VALUES } from "./limits.js";
import { entries, listed, range, whole } from "./reading.js";
import { exchangeable, sum } from "./laws/sampler.js";

/** @import { Ratio } from "./exact.js" */
/** @import { Few } from "./laws/sampler.js" */

/** That value x may be told from value z by so much. @typedef {[x: number, z: number, level: Ratio]} Claim */
/** The same of all pairs of different values, one of the left ones and one of the right ones. @typedef {[left: number[], right: number[], level: Ratio]} Claims */

/**
 * @typedef {object} Context
 * @property {any[]} values
 * @property {(few: Few) => Iterable<Claim>} claims those that imply all others, where few values stand for all
 * @property {Ratio} largest the largest finite entry, or an upper bound of it; 0 if there is none
 * @property {boolean} shows whether some value may be told from another for certain
 * @property {Grid | null} [grid]
 * @property {Claims[]} [sets] all that it asks, as sets of pairs; of several levels for a pair, the least
 * @property {(x: number, z: number) => Ratio} [at] the entry for two values
 * @property {Context[]} [factors] the two questions of a product, whose entries add up
 */

/**
 * Values at the cells of a grid.
 * @typedef {object} Grid
 * @property {number[][]} cells the whole coordinates of each value, from 0 on
 * @property {(steps: number[]) => Ratio} apart E of a displacement, or less by at most `rounding`
 * @property {Ratio} rounding
 */

/** An epsilon that is not 0; null for none. @param {any} data */
const positive = (data) => {
  const found = epsilonOf(data);
  demand(!found || found[0]);
  return found;
};

/** @param {any} data @returns {Ratio} */
const finite = (data) => {
  const found = positive(data);
  demand(found);
  return found;
};

/** A value as a law may hold it: text, a whole number, or several of them. @param {any} value @returns {any} */
const isValue = (value) => typeof value === "string" || Number.isSafeInteger(value) || (entries(value, "tuple").tuple.every(isValue) && value.tuple.length);

/** What tells a value from all others. @param {any} value */
export const textual = (value) => JSON.stringify(value);

/** The values of a domain. @param {any} data @returns {any[]} */
export const valuesOf = (data) => {
  const count = "size" in data ? whole(entries(data, "size").size) : listed(entries(data, "values").values).length;
  demandSmall(count, VALUES);
  const values = data.values ?? range(count);
  // they differ as text: 1 is not beside "1"
  demand(values.every(isValue) && new Set(values.map((/** @type {any} */ value) => textual(value.tuple ?? `${value}`))).size === count);
  return values;
};

/** @param {any[]} values @param {Claims[]} sets @param {boolean} shows @returns {Context} */
const bySets = (values, sets, shows) => ({
  values,
  sets,
  *claims(few) {
    const found = memoized(few);
    for (const [left, right, level] of sets) for (const x of found(left)) for (const z of found(right)) if (x !== z) yield [x, z, level];
  },
  largest: sets.map(([, , level]) => level).reduce(larger, NOTHING),
  shows,
});

/**
 * Values in blocks inside each other, where E depends on the smallest block that holds both.
 * @param {any[]} values
 * @param {number[][]} columns the block of every value, from the innermost blocks outwards; all values are in one around these
 * @param {(column: number, block: number) => Ratio | null} levelOf
 */
const byBlocks = (values, columns, levelOf) => {
  /** @type {Claims[]} */
  const sets = [];
  let shows = false;
  columns = [...columns, values.map(() => 0)];
  spend(2 * values.length * columns.length);
  columns.forEach((column, l) => {
    /** @type {number[][]} */
    const blocks = [];
    column.forEach((block, x) => (blocks[block] ??= []).push(x));
    blocks.forEach((members, block) => {
      const isOne = (/** @type {any[]} */ around) => members.every((x) => around[x] === around[members[0]]);
      demand(isOne(columns[l + 1] ?? column)); // each block is inside one
      if (isOne(columns[l - 1] ?? values)) return; // and says nothing if it has one inside
      const level = levelOf(l, block);
      if (level) sets.push([members, members, level]);
      else shows = true;
    });
  });
  return bySets(values, sets, shows);
};

/** Each value hidden among all others at an epsilon of its own. @param {any[]} values @param {string[]} texts */
const byGrades = (values, texts) => {
  const all = range(values.length);
  /** @type {Map<string, number[]>} */
  const groups = new Map(texts.map((text) => [text, []]));
  demand(texts.length === all.length);
  texts.forEach((text, x) => groups.get(text)?.push(x));
  const sets = [...groups].flatMap(([text, members]) => {
    const found = positive(text);
    return found ? [/** @type {Claims} */ ([members, all, found])] : [];
  });
  demand(sets.length);
  return bySets(values, values.length > 1 ? sets : [], groups.has("inf"));
};

/** The blocks of all values, by number. @param {any} data @param {any[]} values @param {number} below @returns {number[]} */
const numbers = (data, values, below) => {
  demand(listed(data).length === values.length && data.every((/** @type {any} */ number) => whole(number) < below));
  return data;
};

/** @param {any} data @param {any[]} values */
const uniformContext = (data, values) => {
  const level = finite(entries(data, "epsilon form").epsilon);
  return byBlocks(values, [], () => level);
};

/** @param {any} data @param {any[]} values */
const blocksContext = (data, values) => {
  const count = new Set(data.block_of).size;
  const { epsilon, epsilons = range(count).map(() => epsilon), names = range(count) } = entries(data, `block_of epsilon${data.epsilon ? "" : "s"} form`, "names");
  const levels = listed(epsilons).map(memoized(finite));
  demand(levels.length === count && valuesOf({ values: names }).length === count);
  return byBlocks(values, [numbers(data.block_of, values, count)], (l, block) => (l ? null : levels[block]));
};

/** @param {any} data @param {any[]} values */
const highLowContext = (data, values) => {
  finite(entries(data, "epsilon form sensitive").epsilon);
  const names = new Set(listed(data.sensitive).map(textual));
  demand(names.size === data.sensitive.length);
  const texts = values.map((value) => (names.delete(textual(value)) ? data.epsilon : "inf"));
  demand(!names.size);
  return byGrades(values, texts);
};

/** @param {any} data @param {any[]} values */
const gradedContext = (data, values) => byGrades(values, listed(entries(data, "epsilons form").epsilons));

/** @param {any} data @param {any[]} values */
const nestedContext = (data, values) => {
  const levels = listed(entries(data, "block_of epsilons form").epsilons).map(positive);
  const columns = listed(data.block_of).map((column) => numbers(column, values, values.length));
  demand(columns.length && columns.length < 17 && columns.length === levels.length - 1);
  levels.reduce((inner, level) => {
    demand(inner && !(level && atMost(level, inner)));
    return level;
  });
  return byBlocks(values, columns, (l) => levels[l]);
};

/** @param {any} data @param {any[]} values */
const matrixContext = (data, values) => {
  const rows = listed(entries(data, "E form").E);
  spend(64 * rows.length ** 2);
  const levels = rows.map((row) => listed(row).map(epsilonOf));
  demand(levels.length === values.length && levels.every((row, x) => row.length === values.length && row[x]?.[0] === 0n));
  const sets = levels.flatMap((row, x) => row.flatMap((level, z) => (level && x !== z ? [/** @type {Claims} */ ([[x], [z], level])] : [])));
  return bySets(values, sets, levels.some((row) => row.includes(null)));
};

/** @param {any} data @param {any[]} values */
const binaryContext = (data, values) => {
  const [there, back, ...more] = listed(entries(data, "epsilon form").epsilon);
  demand(!more.length);
  return matrixContext({ E: [["0", there], [back, "0"]], form: "" }, values);
};

/** Decimals as whole numbers of one unit. @param {any[]} written @returns {{whole: bigint[], scale: bigint}} */
const scaled = (written) => {
  const exact = written.map((one) => {
    const found = exactNumber(one);
    spend(String(found).length);
    demand(found && !String(one).includes("/"));
    return found;
  });
  const scale = greatest(exact.map(([, bottom]) => bottom)); // all are powers of ten
  return { whole: exact.map(([top, bottom]) => top * (scale / bottom)), scale };
};

/** @param {bigint} a */
const absolute = (a) => greatest([a, -a]);

/** Numbers of values in the order of their places. @param {bigint[]} at */
const ordered = (at) => range(at.length).sort((x, z) => Number(at[x] - at[z]));

/** @param {number} x @param {number} z @param {Ratio} level @returns {Claim[]} */
const bothWays = (x, z, level) => [[x, z, level], [z, x, level]];

/** Values at places on a line or around a ring, where neighbours imply all other pairs. @param {any} data @param {any[]} values @returns {Context} */
const placesContext = (data, values) => {
  const isRing = "around" in data;
  entries(data, "distance epsilon form", "around", "points");
  demand(data.distance === (isRing ? "ring" : "line"));
  const level = finite(data.epsilon);
  const { whole: places, scale } = scaled([...listed(data.points ?? values), data.around ?? 0]);
  let around = /** @type {bigint} */ (places.pop());
  const count = values.length;
  const order = ordered(places);
  const width = places[order[count - 1]] - places[order[0]];
  if (!isRing) around = 2n * width + 1n; // a line is a ring that nobody goes around
  demand(places.length === count && width < around && new Set(places).size === count);
  /** @param {number} x @param {number} z @returns {Ratio} */
  const at = (x, z) => {
    const apart = absolute(places[x] - places[z]);
    return [level[0] * (2n * apart > around ? around - apart : apart), level[1] * scale];
  };
  let largest = NOTHING;
  let opposite = 0;
  order.forEach((x, i) => {
    const away = (/** @type {number} */ far) => at(x, order[far % count]);
    while (opposite < i + count && atMost(away(opposite), away(opposite + 1))) opposite++;
    largest = larger(largest, away(opposite));
  });
  return {
    values,
    at,
    *claims() {
      for (const [i, x] of order.entries()) {
        const z = order[i + 1] ?? (isRing ? order[0] : x);
        if (x !== z) yield* bothWays(x, z, at(x, z));
      }
    },
    largest,
    shows: false,
  };
};

/** The root of a whole number, rounded down. @param {bigint} square */
const root = (square) => {
  let found = 1n << BigInt(square.toString(16).length * 2); // more than it
  for (let next; (next = (found + square / (found || 1n)) / 2n) < found; ) found = next;
  return found;
};

/** Values at points, of several coordinates each. @param {any} data @param {any[]} values @returns {Context} */
const pointsContext = (data, values) => {
  const { epsilon, norm } = entries(data, "epsilon form norm points");
  const level = finite(epsilon);
  const rows = listed(data.points).map(listed);
  const sides = rows[0].length;
  demand(/^l([12]|inf)$/.test(norm) && rows.length === values.length && sides && rows.every((row) => row.length === sides));
  if (sides < 2) return placesContext({ distance: "line", epsilon, form: "", points: rows.flat() }, values);
  const { whole: flat, scale } = scaled(rows.flat());
  /** @type {Ratio} */
  const rounding = [level[0], level[1] * 10n ** 30n];
  /** @param {bigint} apart @returns {Ratio} */
  const along = (apart) => [level[0] * apart, level[1] * scale];
  const entry = memoized((/** @type {string} */ key) => {
    spend(64 + key.length ** 2 / 16);
    const steps = key.split(",").map(BigInt);
    if (norm === "l2") return times(rounding, [root((sum(steps.map((step) => step * step)) * 10n ** 60n) / scale ** 2n), 1n]);
    return along(norm === "l1" ? sum(steps) : greatest(steps));
  });
  const points = rows.map((_, x) => flat.slice(x * sides, (x + 1) * sides));
  /** @param {bigint[]} from @param {bigint[]} to */
  const distance = (from, to) => entry(String(from.map((c, i) => absolute(c - to[i]))));
  /** @param {number} x @param {number} z */
  const at = (x, z) => distance(points[x], points[z]);
  const columns = rows[0].map((_, i) => points.map((point) => point[i]));
  const high = columns.map(greatest);
  const low = columns.map(least);
  let step = 0n; // the greatest by which all coordinates are whole
  for (const point of points)
    point.forEach((c, i) => {
      for (let rest = c - low[i]; rest; ) [step, rest] = [rest, step % rest];
    });
  const cells = points.map((point) => point.map((c, i) => Number((c - low[i]) / (step || 1n))));
  // what doubles hold exactly, in different cells: only then the shortcuts for grids are taken
  const isGrid = new Set(cells.map(String)).size === values.length && cells.flat().every((c) => c < 2 ** 31);
  const largest = distance(low, high); // across the box around all points
  return {
    values,
    at,
    *claims(few) {
      const [side] = columns;
      const order = ordered(side);
      let nearest = largest;
      for (const [i, x] of order.entries())
        for (let j = i + 1; j < order.length; j++) {
          const z = order[j];
          if (atMost(plus(nearest, rounding), along(side[z] - side[x]))) break; // and further on none is nearer
          const level = at(x, z);
          spend(16);
          if (!atMost(level, nearest)) continue;
          yield* bothWays(x, z, level);
          // of values that are exchangeable, two as near to each other as any imply all others
          if (few !== exchangeable) continue;
          nearest = level;
          if (isGrid && atMost(level, along(step))) return;
        }
    },
    largest,
    shows: false,
    grid: isGrid ? { cells, apart: (steps) => entry(String(steps.map((c) => BigInt(c) * step))), rounding } : null,
  };
};

/** @param {any} data @param {any[]} values */
const metricContext = (data, values) => ("distance" in data ? placesContext : pointsContext)(data, values);

/** A question of a product: its context, over a domain of its own or over those of its own questions. @param {any} data @returns {Context} */
const factor = (data) => {
  entries(data, "context", "domain");
  return contextOf(data.context, data.domain ? valuesOf(data.domain) : null);
};

/** Two questions: pairs of values that differ in one answer imply all others. @param {any} data @param {any[] | null} values @returns {Context} */
const productContext = (data, values) => {
  entries(data, "first form second");
  const first = factor(data.first);
  const second = factor(data.second);
  const count = first.values.length;
  const k = second.values.length;
  demandSmall(count * k, VALUES);
  /** @param {Context} part @param {any} side @returns {any[][]} */
  const tuples = (part, side) => part.values.map((value) => (side.context.form === "product" ? value.tuple : [value]));
  const others = tuples(second, data.second);
  spend(count * k * (textual(data).length / 16));
  const made = tuples(first, data.first).flatMap((a) => others.map((b) => ({ tuple: [...a, ...b] })));
  demand(!values || textual(values) === textual(made));
  return {
    values: made,
    factors: [first, second],
    *claims(few) {
      // what each question asks, at every answer to the other one
      for (const [part, step, end, next] of /** @type {[Context, number, number, number][]} */ ([[first, k, k, 1], [second, 1, count * k, k]]))
        for (let begin = 0; begin < end; begin += next) {
          const at = (/** @type {number} */ x) => begin + x * step;
          for (const [x, z, level] of part.claims((members) => few(members.map(at)).map((one) => (one - begin) / step))) yield [at(x), at(z), level];
        }
    },
    largest: plus(first.largest, second.largest),
    shows: first.shows || second.shows,
  };
};

/** @type {Record<string, (data: any, values: any[]) => Context>} */
const FORMS = {
  matrix: matrixContext,
  binary: binaryContext,
  metric: metricContext,
  nested: nestedContext,
  blocks: blocksContext,
  uniform: uniformContext,
  graded: gradedContext,
  high_low: highLowContext,
  product: productContext,
};

/** The context that a law publishes, over these values. @param {any} data @param {any} values @returns {Context} */
export const contextOf = (data, values) => {
  demand(Object.hasOwn(FORMS, data?.form) && (values || data.form === "product"));
  return FORMS[data.form](data, values);
};
