/** The laws of values that lie along a line, around a ring or on a torus. */

import { atMost, demand, expBelow, kept, plus, times } from "./exact.js";
import { range, spend } from "./reading.js";
import { demandFull, largest, machineFor, own, pick, rank, SPACE, sums } from "./machine.js";

/** @import { Ratio } from "./exact.js" */
/** @import { Machine } from "./machine.js" */

/** The largest ratio of two lists, either way. @param {bigint[]} a @param {bigint[]} b */
const eitherWay = (a, b) => largest([...a, ...b], [...b, ...a]);

/**
 * A value at a place, with `units[d]` words for d steps either way and `flat` words for every place.
 * @param {bigint} flat @param {number[]} places @param {number} size @param {bigint[]} units
 * @param {number} most the most distances it may have
 * @param {(steps: number) => Ratio | null} ratio of values so many steps apart
 * @param {(place: number) => number} bring a number of steps from place 0 to the place that is reported
 * @returns {Machine}
 */
function fading(flat, places, size, units, most, ratio, bring) {
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
    own,
    (x, z) => ratioOf(Math.abs(at(x) - at(z))),
    (x, [u]) => {
      const number = rank(bounds, u);
      return pick(!number, u / flat, BigInt(bring(at(x) + number - units.length)));
    },
  );
}

/** @param {bigint} flat @param {number[]} places @param {number} size @param {bigint[]} units @returns {Machine} */
export function geometric(flat, places, size, units) {
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
}

/** @param {bigint} flat @param {number[]} places @param {number} size @param {bigint[]} units @returns {Machine} */
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
      const noise = range(size).map((d) => flat + (units[d] ?? 0n) + (units[size - d] ?? 0n));
      return eitherWay(noise, [...noise.slice(steps), ...noise.slice(0, steps)]);
    },
    (place) => (place + size) % size,
  );
}

/** The binary places of e^-E in `isSmooth`. */
const FINE = 320n;

/**
 * Whether units, by displacement, follow e^-E closely enough to keep every ratio within e^E.
 *
 * Let f < u - K W <= c for the units u of every displacement, W its e^-E and some K. As E(z) <= E(y) + E(t) for the step t from
 * y to z, u(y) / u(z) < (K W + c) / (K W e^-E(t) + f). That is at most e^E(t) if e^E(t) f >= c, which holds for all steps if it
 * does for the least E. What rounds W moves K W by a part of at most 2^-190 and twice the rounding of E.
 * @param {bigint[]} units @param {Ratio[]} entries E, or less by at most `rounding` @param {Ratio} rounding
 */
function isSmooth(units, entries, rounding) {
  /** W in units of 2^-320, rounded down. */
  const weights = entries.map((entry) => {
    const [top, bottom] = expBelow(entry);
    return (bottom << FINE) / top;
  });
  const [most, ...others] = weights;
  const least = weights.reduce((a, b) => (a < b ? a : b));
  const nearest = others.reduce((a, b) => (a > b ? a : b));
  if (most === least) return false;
  const slope = ((units[0] - units[weights.indexOf(least)]) << FINE) / (most - least);
  /** u - K W, or more by less than 2. */
  const rest = units.map((unit, t) => unit - ((slope * weights[t]) >> FINE));
  const floor = rest.reduce((a, b) => (a < b ? a : b)) - 2n;
  const top = rest.reduce((a, b) => (a > b ? a : b));
  const part = plus([1n, 1n << 190n], times([2n, 1n], rounding));
  const right = plus([top, 1n], times(part, [slope, 1n]));
  return slope > 0n && floor > 0n && atMost(times(right, [nearest + 1n, 1n << FINE]), [floor, 1n]);
}

/** @param {number[]} cells @param {number[]} shape @param {bigint} spare @param {bigint[]} units @returns {Machine} */
export function torus(cells, shape, spare, units) {
  const outputs = units.length;
  demand(shape.every(Boolean) && shape.reduce((a, b) => a * b, 1) === outputs);
  demand(units.every(Boolean) && spare < outputs);
  demandFull([...units, spare]);
  demand(cells.length && cells.every((cell) => cell < outputs));
  /** @param {number} t */
  const coordinates = (t) => {
    let left = outputs;
    return shape.map((side) => Math.floor(t / (left /= side)) % side);
  };
  /** The number of a cell, each coordinate taken modulo its side. @param {number[]} cell */
  const number = (cell) => cell.reduce((found, c, i) => found * shape[i] + ((c + shape[i]) % shape[i]), 0);
  /** @param {number[]} from @param {number[]} to */
  const difference = (from, to) => number(from.map((c, i) => c - to[i]));
  /** The displacement with every coordinate taken the shorter way round. @param {number} t */
  const folded = (t) => coordinates(t).map((c, i) => Math.min(c, shape[i] - c));
  const bounds = sums(units);
  const places = cells.map(coordinates);
  const steps = units.map((_, t) => coordinates(t));
  demand(units.every((unit, t) => unit === units[number(folded(t))]));
  const ratioOf = kept((/** @type {number} */ apart) => {
    spend(outputs);
    return largest(units, steps.map((step) => units[number(step.map((c, i) => c + steps[apart][i]))]));
  });
  return machineFor(
    cells.length,
    1,
    BigInt(outputs),
    own,
    (x, z) => ratioOf(number(folded(difference(places[x], places[z])))),
    (x, [u]) => {
      const t = rank(bounds, u);
      const isSpare = t === outputs;
      const step = steps[pick(isSpare, 0, t)];
      return pick(isSpare, u - SPACE + spare, BigInt(number(step.map((c, i) => c + places[x][i]))));
    },
    { proves: ({ grid }) => {
      if (!grid || outputs <= 512 || grid.sides !== shape.length) return false;
      // the values lie as the cells of the grid do, up to a displacement that all have in common
      const moved = new Set(grid.cells.map((cell, x) => difference(places[x], cell.map((c, i) => c % shape[i]))));
      return moved.size === 1 && isSmooth(units, units.map((_, t) => grid.apart(folded(t))), grid.rounding);
    } },
  );
}
