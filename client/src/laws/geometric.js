/** Two-sided geometric noise for values along a line or around a ring. */

import { memoized } from "../exact.js";
import { demand, spend } from "../limits.js";
import { quotient, range } from "../reading.js";
import { demandFull, everyone, largest, pick, rank, samplerFor, sums } from "./sampler.js";

/** @import { Ratio } from "../exact.js" */
/** @import { Kind, Sampler } from "./sampler.js" */

/** The largest ratio of two lists, either way. @param {bigint[]} a @param {bigint[]} b */
const eitherWay = (a, b) => largest([...a, ...b], [...b, ...a]);

/**
 * A value at a place, with `units[d]` words for d steps either way and `flat` words for every place.
 * @param {bigint} flat @param {number[]} places @param {number} size @param {bigint[]} units
 * @param {number} most the most distances it may have
 * @param {(steps: number) => Ratio} ratio of values so many steps apart
 * @param {(place: number) => number} bring a number of steps from place 0 to the place that is reported
 * @returns {Sampler}
 */
const geometricNoise = (flat, places, size, units, most, ratio, bring) => {
  const all = BigInt(size) * flat;
  const stages = [all, ...[...units].reverse(), ...units.slice(1)];
  demandFull(stages);
  demand(units.length > 1 && units.length <= most && flat);
  demand(!places.length || (places.length === size && places.every((place) => place < size)));
  const bounds = sums(stages);
  const at = (/** @type {number} */ x) => places[x] ?? x;
  const ratioOf = memoized(ratio);
  return samplerFor(
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

/** @type {Kind<[flat: bigint, places: number[], size: number, units: bigint[]]>} */
export const geometric = ["flat places:r size:n units:b* word_bits:w", (flat, places, size, units) => {
  /** The words that lead to an end so many steps away, with all that go beyond it. */
  const ends = sums([flat, ...[...units].reverse()]).reverse();
  return geometricNoise(
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
}];

/** @type {Kind<[flat: bigint, places: number[], size: number, units: bigint[]]>} */
export const ring = ["flat places:r size:n units:b* word_bits:w", (flat, places, size, units) => {
  demand(size > 2);
  return geometricNoise(
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
}];
