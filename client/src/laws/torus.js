/** Noise on a torus around the cells of a grid, by its displacement. */

import { ascending, atMost, expBelow, greatest, least, memoized, plus, times } from "../exact.js";
import { demand, spend } from "../limits.js";
import { quotient, range } from "../reading.js";
import { demandFull, everyone, largest, pick, rank, samplerFor, SPACE, sums } from "./sampler.js";

/** @import { Context } from "../context.js" */
/** @import { Kind } from "./sampler.js" */

/** @type {Kind<[cells: number[], shape: number[], spare: bigint, units: bigint[]]>} */
export const torus = ["cells:r shape:n* spare units:b* word_bits:w", (cells, shape, spare, units) => {
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
  const ratioOf = memoized((/** @type {number} */ apart) => {
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
    const last = weights.indexOf(least(weights));
    const slope = ((units[0] - units[shorter[last]]) << fine) / (weights[0] - weights[last]);
    const most = greatest(shorter.map((t, i) => units[t] - ((slope * weights[i]) >> fine)));
    const fewest = least(shorter.map((t, i) => units[t] - ((slope * (weights[i] + 1n)) >> fine) - 1n));
    const nearest = entries.slice(1).sort(ascending)[0];
    const part = plus([1n, 1n << 190n], times([2n, 1n], grid.rounding));
    return slope > 0n && fewest > 0n && atMost(plus([most, 1n], times(part, [slope, 1n])), times(expBelow(nearest), [fewest, 1n]));
  };
  return samplerFor(
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
}];
