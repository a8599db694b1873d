/** The laws of values that lie along a line, around a ring or on a torus. */

import { ascending, atMost, demand, expBelow, greatest, kept, plus, spend, times } from "./exact.js";
import { quotient, range } from "./reading.js";
import { demandFull, everyone, largest, machineFor, pick, rank, SPACE, sums } from "./machine.js";

/** @import { Context } from "./context.js" */
/** @import { Ratio } from "./exact.js" */
/** @import { Machine } from "./machine.js" */

/** The largest ratio of two lists, either way. @param {bigint[]} a @param {bigint[]} b */
const eitherWay = (a, b) => largest([...a, ...b], [...b, ...a]);

/**
 * A value at a place, with `units[d]` words for d steps either way and `flat` words for every place.
 * @param {bigint} flat @param {number[]} places @param {number} size @param {bigint[]} units
 * @param {number} most the most distances it may have
 * @param {(steps: number) => Ratio} ratio of values so many steps apart
 * @param {(place: number) => number} bring a number of steps from place 0 to the place that is reported
 * @returns {Machine}
 */
const fading = (flat, places, size, units, most, ratio, bring) => {
  const all = BigInt(size) * flat;
  const stages = [all, ...[...units].reverse(), ...units.slice(1)];
  demandFull(stages);
  demand(units.length > 1 && units.length <= most && flat);
  demand(!places.length || (places.length === size && places.every((place) => place < size)));
  const bounds = sums(stages);
  const at = (/** @type {number} */ x) => places[x] ?? x;
  const ratioOf = kept(ratio);
  return machineFor(
    size,
    1,
    BigInt(size),
    everyone,
    (x, z) => ratioOf(Math.abs(at(x) - at(z))),
    (x, [u]) => {
      const number = rank(bounds, u);
      return pick(!number, u / flat, BigInt(bring(at(x) + number - units.length)));
    },
  );
};

/** @param {bigint} flat @param {number[]} places @param {number} size @param {bigint[]} units @returns {Machine} */
export const geometric = (flat, places, size, units) => {
  /** The words that lead to an end so many steps away, with all that go beyond it. */
  const ends = sums([flat, ...[...units].reverse()]).reverse();
  return fading(
    flat,
    places,
    size,
    units,
    size,
    (steps) => {
      const reach = units.length + steps;
      spend(4 * reach);
      const toEnd = range(Math.min(reach, size)).map((d) => ends[d] ?? flat);
      const most = Math.min(reach, size - 1) - 1; // steps to a place between the ends
      const between = range(2 * most + 1).map((d) => flat + (units[Math.abs(d - most)] ?? 0n));
      return eitherWay([...toEnd.slice(0, -steps), ...between.slice(0, -steps)], [...toEnd.slice(steps), ...between.slice(steps)]);
    },
    (place) => Math.min(Math.max(place, 0), size - 1),
  );
};

/** @param {bigint} flat @param {number[]} places @param {number} size @param {bigint[]} units @returns {Machine} */
export const ring = (flat, places, size, units) => {
  demand(size > 2);
  return fading(
    flat,
    places,
    size,
    units,
    quotient(size, 2) + 1,
    (steps) => {
      spend(2 * size);
      const noise = range(size).map((d) => flat + (units[d] ?? 0n) + (units[size - d] ?? 0n));
      return eitherWay(noise, [...noise.slice(steps), ...noise.slice(0, steps)]);
    },
    (place) => (place + size) % size,
  );
};

/** @param {number[]} cells @param {number[]} shape @param {bigint} spare @param {bigint[]} units @returns {Machine} */
export const torus = (cells, shape, spare, units) => {
  const outputs = units.length;
  demand(shape.every(Boolean) && shape.reduce((a, b) => a * b, 1) === outputs);
  demand(units.every(Boolean) && spare < outputs);
  demandFull([...units, spare]);
  demand(cells.length && cells.every((cell) => cell < outputs));
  /** @param {number} t */
  const coordinates = (t) => {
    let left = outputs;
    return shape.map((side) => quotient(t, (left /= side)) % side);
  };
  spend(outputs * shape.length);
  const steps = range(outputs).map(coordinates);
  /** The number of a cell by its coordinates. @param {(side: number, i: number) => number} at */
  const cellAt = (at) => shape.reduce((found, side, i) => found * side + at(side, i), 0);
  /** The cell at a displacement from a cell, each coordinate modulo its side. @param {number} cell @param {number} t */
  const moved = (cell, t) => cellAt((side, i) => (steps[cell][i] + steps[t][i]) % side);
  /** The displacement between two cells, with every coordinate taken the shorter way round. @param {number} a @param {number} b */
  const between = (a, b) =>
    cellAt((side, i) => {
      const apart = Math.abs(steps[a][i] - steps[b][i]);
      return Math.min(apart, side - apart);
    });
  const bounds = sums(units);
  demand(units.every((unit, t) => unit === units[between(0, t)])); // as many words either way
  const ratioOf = kept((/** @type {number} */ apart) => {
    spend(outputs);
    return largest(units, range(outputs).map((t) => units[moved(t, apart)]));
  });
  /**
   * A proof for all displacements of a large torus at once. With K W + c - s <= u <= K W + c for the units u of every one, W its
   * e^-E, and E(z) <= E(y) + E(t) for the step t from y to z, u(y) / u(z) <= (K W + c) / (K W e^-E(t) + c - s). That is at most
   * e^E(t) if e^E(t) (c - s) >= c, which holds for all steps if it does for the least E. What rounds E and W moves K W by a part
   * of at most 2^-190 and twice the rounding of E. Whole numbers decide.
   * @param {Context} context
   */
  const proves = ({ grid }) => {
    if (!grid || outputs <= 512 || grid.cells[0].length !== shape.length) return false;
    // the values lie as the cells of the grid do, up to a displacement that all have in common
    const apart = grid.cells.map((cell, x) => cellAt((side, i) => (side + ((steps[cells[x]][i] - cell[i]) % side)) % side));
    if (new Set(apart).size > 1) return false;
    const fine = 320n;
    const shorter = range(outputs).filter((t) => between(0, t) === t);
    spend(256 * shorter.length);
    const entries = shorter.map((t) => grid.apart(steps[t]));
    const weights = entries.map(expBelow).map(([top, bottom]) => (bottom << fine) / top);
    const last = weights.indexOf(-greatest(weights.map((weight) => -weight)));
    const slope = ((units[0] - units[shorter[last]]) << fine) / (weights[0] - weights[last]);
    const most = greatest(shorter.map((t, i) => units[t] - ((slope * weights[i]) >> fine)));
    const least = -greatest(shorter.map((t, i) => ((slope * (weights[i] + 1n)) >> fine) + 1n - units[t]));
    const nearest = entries.slice(1).sort(ascending)[0];
    const part = plus([1n, 1n << 190n], times([2n, 1n], grid.rounding));
    return slope > 0n && least > 0n && atMost(plus([most, 1n], times(part, [slope, 1n])), times(expBelow(nearest), [least, 1n]));
  };
  return machineFor(
    cells.length,
    1,
    BigInt(outputs),
    everyone,
    (x, z) => ratioOf(between(cells[x], cells[z])),
    (x, [u]) => {
      const t = rank(bounds, u);
      const isSpare = t === outputs;
      return pick(isSpare, u - SPACE + spare, BigInt(moved(cells[x], pick(isSpare, 0, t))));
    },
    { proves },
  );
};
