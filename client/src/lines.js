/** The laws of values that lie along a line, around a ring or on a torus. */

import { atMost, demand, expBelow, kept, plus, times } from "./exact.js";
import { spend } from "./reading.js";
import { demandFull, doubles, largest, machineFor, own, pick, rank, SPACE, sums } from "./machine.js";

/** @import { Ratio } from "./exact.js" */
/** @import { Grid } from "./context.js" */
/** @import { Machine } from "./machine.js" */

/**
 * A value at a place, with `units[d]` words for d steps either way and `flat` words for every place.
 * @param {bigint} flat @param {Uint32Array} places @param {number} size @param {bigint[]} units
 * @param {number} most the most distances it may have
 * @param {(steps: number) => Ratio | null} ratio of values so many steps apart
 * @param {(place: number) => number} bring a number of steps from place 0 to the place that is reported
 * @returns {Machine}
 */
function fading(flat, places, size, units, most, ratio, bring) {
  demand(units.length > 1 && units.length <= most && flat > 0n);
  const all = BigInt(size) * flat;
  demandFull([all, ...units, ...units.slice(1)]);
  demand(!places.length || (places.length === size && places.every((place) => place < size)));
  const bounds = sums([all, ...[...units].reverse(), ...units.slice(1)]);
  const at = (/** @type {number} */ x) => (places.length ? places[x] : x);
  const ratioOf = kept(ratio);
  return machineFor(
    size,
    1,
    BigInt(size),
    own,
    (x, z) => ratioOf(Math.abs(at(x) - at(z))),
    (x, [u]) => {
      const number = rank(bounds, u);
      return pick(number === 0, u / flat, BigInt(bring(at(x) + number - units.length)));
    },
  );
}

/** @param {bigint} flat @param {Uint32Array} places @param {number} size @param {bigint[]} units @returns {Machine} */
export function geometric(flat, places, size, units) {
  /** The words that lead so many steps away: to an end, with all that go beyond it, or to a place between. */
  const ends = sums([flat, ...[...units].reverse()]).reverse().slice(0, -1);
  const between = units.slice(0, size - 1).map((unit) => unit + flat);
  return fading(
    flat,
    places,
    size,
    units,
    size,
    (steps) => {
      spend(4 * (units.length + steps));
      const far = new Array(steps).fill(flat);
      const toEnd = [...ends, ...far].slice(0, size);
      const rest = far.slice(0, Math.max(0, size - 1 - between.length));
      const around = size > 2 ? [...rest, ...[...between].reverse().slice(0, -1), ...between, ...rest] : [];
      const moved = around.slice(steps);
      const stay = around.slice(0, moved.length);
      return largest([...toEnd.slice(0, toEnd.length - steps), ...stay, ...moved], [...toEnd.slice(steps), ...moved, ...stay]);
    },
    (place) => Math.min(Math.max(place, 0), size - 1),
  );
}

/** @param {bigint} flat @param {Uint32Array} places @param {number} size @param {bigint[]} units @returns {Machine} */
export function ring(flat, places, size, units) {
  demand(size > 2);
  return fading(
    flat,
    places,
    size,
    units,
    Math.floor(size / 2) + 1,
    (steps) => {
      spend(2 * size);
      const noise = new Array(size).fill(flat);
      units.forEach((unit, distance) => {
        noise[distance] += unit;
        if (distance) noise[size - distance] += unit;
      });
      const moved = [...noise.slice(steps), ...noise.slice(0, steps)];
      return largest([...noise, ...moved], [...moved, ...noise]);
    },
    (place) => (place + size) % size,
  );
}

/** @param {Uint32Array} cells @param {number[]} shape @param {bigint} spare @param {bigint[]} units @returns {Machine} */
export function torus(cells, shape, spare, units) {
  const outputs = units.length;
  demand(shape.every(Boolean) && shape.reduce((cells, side) => cells * side, 1) === outputs);
  demand(units.every(Boolean) && spare < outputs);
  demandFull([...units, spare]);
  demand(cells.length && cells.every((cell) => cell < outputs));
  /**
   * Two cells or displacements put together, coordinate by coordinate.
   * @param {number} a @param {number} b @param {(a: number, b: number, side: number) => number} join
   */
  const joined = (a, b, join) => {
    let [left, found] = [outputs, 0];
    for (const side of shape) {
      left /= side;
      found += join(Math.floor(a / left) % side, Math.floor(b / left) % side, side) * left;
    }
    return found;
  };
  /** The number of a cell, each coordinate taken modulo its side. @param {number[]} cell */
  const number = (cell) => cell.reduce((found, c, i) => found * shape[i] + (c % shape[i]), 0);
  /** @param {number} t */
  const coordinates = (t) => {
    let left = outputs;
    return shape.map((side) => Math.floor(t / (left /= side)) % side);
  };
  /** The displacement with every coordinate taken the shorter way round. @param {number} t */
  const folded = (t) => joined(t, 0, (c, _, side) => Math.min(c, side - c));
  demand(units.every((unit, t) => unit === units[folded(t)]));
  const bounds = sums(units);
  const rough = doubles(units);
  /** Whether units follow e^-E closely enough to keep every ratio within e^E. @param {Grid} grid */
  const follows = (grid) => {
    // With K W + c - s <= u <= K W + c for the units u of every displacement, W its e^-E, and E(z) <= E(y) + E(t) for the step t
    // from y to z, u(y) / u(z) <= (K W + c) / (K W e^-E(t) + c - s). That is at most e^E(t) if e^E(t) (c - s) >= c, which holds
    // for all steps if it does for the least E. What rounds W moves K W by a part of at most 2^-190 and twice the rounding of E.
    const fine = 320n;
    /** @type {[bigint, bigint][]} units and e^-E in units of 2^-320, of every displacement the shorter way round */
    const all = [];
    let [least, first] = [SPACE ** 8n, 0n];
    /** @type {Ratio | null} */
    let nearest = null;
    units.forEach((unit, t) => {
      if (folded(t) !== t) return;
      const entry = grid.apart(coordinates(t));
      const [top, bottom] = expBelow(entry);
      const weight = (bottom << fine) / top;
      all.push([unit, weight]);
      if (weight < least) least = weight;
      if (weight > first) first = weight;
      if (t && (!nearest || atMost(entry, nearest))) nearest = entry;
    });
    if (!nearest || first === least) return false;
    /** @param {bigint} weight */
    const unitOf = (weight) => all.find((one) => one[1] === weight)?.[0] ?? 0n;
    const slope = ((unitOf(first) - unitOf(least)) << fine) / (first - least);
    let [most, floor] = [-SPACE, SPACE];
    for (const [unit, weight] of all) {
      const above = unit - ((slope * weight) >> fine);
      const under = unit - ((slope * (weight + 1n)) >> fine) - 1n;
      if (above > most) most = above;
      if (under < floor) floor = under;
    }
    const part = plus([1n, 1n << 190n], times([2n, 1n], grid.rounding));
    const right = plus([most, 1n], times(part, [slope, 1n]));
    return slope > 0n && floor > 0n && atMost(right, times(expBelow(nearest), [floor, 1n]));
  };
  const ratioOf = kept((/** @type {number} */ apart) => {
    spend(outputs);
    const further = units.map((_, t) => joined(t, apart, (a, b, side) => (a + b) % side));
    return largest(units, further.map((t) => units[t]), rough, Float64Array.from(further, (t) => rough[t]));
  });
  return machineFor(
    cells.length,
    1,
    BigInt(outputs),
    own,
    (x, z) => ratioOf(folded(joined(cells[x], cells[z], (a, b, side) => (a - b + side) % side))),
    (x, [u]) => {
      const number = rank(bounds, u);
      const isSpare = number === outputs;
      const moved = joined(cells[x], pick(isSpare, 0, number), (a, b, side) => a + b - side * Number(a + b >= side));
      return pick(isSpare, u - SPACE + spare, BigInt(moved));
    },
    { proves: ({ grid }) => {
      if (!grid || outputs <= 512 || grid.shape.length !== shape.length) return false;
      // the values lie as the cells of the grid do, up to a displacement that all have in common
      const moved = new Set(grid.cells.map((cell, x) => joined(cells[x], number(cell), (a, b, side) => (a - b + side) % side)));
      return moved.size === 1 && follows(grid);
    } },
  );
}
