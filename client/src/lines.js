/** The laws of values that lie along a line, around a ring or on a torus. */

import { demand } from "./exact.js";
import { spend } from "./reading.js";
import { demandFull, doubles, largest, own, pick, rank, SPACE, sums } from "./machine.js";

/** @import { Ratio } from "./exact.js" */
/** @import { Machine } from "./machine.js" */
/** @typedef {{size: number, units: bigint[], flat: bigint, places: Uint32Array}} Fading */

/**
 * A value at a place, with `units[d]` words for d steps either way and `flat` words for every place.
 * @param {Fading} law
 * @param {number} most the most distances it may have
 * @param {(steps: number) => Ratio | null} ratio of values so many steps apart
 * @param {(place: number) => number} bring a number of steps from place 0 to the place that is reported
 * @returns {Machine}
 */
function fading({ size, units, flat, places }, most, ratio, bring) {
  demand(units.length > 1 && units.length <= most && flat > 0n, "it must have units for two distances or more, and flat words");
  const all = BigInt(size) * flat;
  demandFull([all, ...units, ...units.slice(1)], "its words");
  demand(!places.length || (places.length === size && places.every((place) => place < size)), "its places must be those of its values");
  const bounds = sums([all, ...[...units].reverse(), ...units.slice(1)]);
  const at = (/** @type {number} */ x) => (places.length ? places[x] : x);
  /** @type {Map<number, Ratio | null>} */
  const found = new Map();
  return {
    size,
    words: 1,
    outputs: BigInt(size),
    label: own,
    ratio: (x, z) => {
      const steps = Math.abs(at(x) - at(z));
      if (!found.has(steps)) found.set(steps, ratio(steps));
      return found.get(steps) ?? null;
    },
    draw: (x, [u]) => {
      const number = rank(bounds, u);
      return pick(number === 0, u / flat, BigInt(bring(at(x) + number - units.length)));
    },
  };
}

/** @param {Fading} law @returns {Machine} */
export function geometric(law) {
  const { size, units, flat } = law;
  /** The words that lead so many steps away: to an end, with all that go beyond it, or to a place between. */
  const ends = sums([flat, ...[...units].reverse()]).reverse().slice(0, -1);
  const between = units.slice(0, size - 1).map((unit) => unit + flat);
  return fading(
    law,
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

/** @param {Fading} law @returns {Machine} */
export function ring(law) {
  const { size, units, flat } = law;
  demand(size > 2, "a ring must have three places or more");
  return fading(
    law,
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

/** @param {{shape: number[], units: bigint[], spare: bigint, cells: Uint32Array}} law @returns {Machine} */
export function torus({ shape, units, spare, cells }) {
  const outputs = units.length;
  demand(shape.every(Boolean) && shape.reduce((cells, side) => cells * side, 1) === outputs, "it must have units for every cell of its shape");
  demand(units.every(Boolean) && spare < outputs, "every displacement must have words");
  demandFull([...units, spare], "its words");
  demand(cells.length && cells.every((cell) => cell < outputs), "its values must be in cells of its shape");
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
  /** The displacement with every coordinate taken the shorter way round. @param {number} t */
  const folded = (t) => joined(t, 0, (c, _, side) => Math.min(c, side - c));
  demand(units.every((unit, t) => unit === units[folded(t)]), "mirror images must have the same words");
  const bounds = sums(units);
  const rough = doubles(units);
  /** @type {Map<number, Ratio | null>} */
  const found = new Map();
  return {
    size: cells.length,
    words: 1,
    outputs: BigInt(outputs),
    label: own,
    ratio: (x, z) => {
      const apart = folded(joined(cells[x], cells[z], (a, b, side) => (a - b + side) % side));
      if (!found.has(apart)) {
        spend(outputs);
        const further = units.map((_, t) => joined(t, apart, (a, b, side) => (a + b) % side));
        found.set(apart, largest(units, further.map((t) => units[t]), rough, Float64Array.from(further, (t) => rough[t])));
      }
      return found.get(apart) ?? null;
    },
    draw: (x, [u]) => {
      const number = rank(bounds, u);
      const isSpare = number === outputs;
      const moved = joined(cells[x], pick(isSpare, 0, number), (a, b, side) => a + b - side * Number(a + b >= side));
      return pick(isSpare, u - SPACE + spare, BigInt(moved));
    },
  };
}
