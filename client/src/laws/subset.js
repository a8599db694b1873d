/** Subset selection: a set of d values, which holds the own one more often than any other. */

import { ONE, over, times } from "../exact.js";
import { BITS, demand, demandSmall } from "../limits.js";
import { coverFor, demandRoom } from "./pure.js";
import { exchangeable, fraction, position, samplerFor, setReport, SPACE } from "./sampler.js";

/** @import { Ratio } from "../exact.js" */
/** @import { Kind, Sampler } from "./sampler.js" */

/** Whether steps make d draws: up to 64 of them from one word, or a single one from two. @param {number[][]} steps @param {number} d */
const isPlan = (steps, d) =>
  steps.every(([count, words, ...more]) => !more.length && 0 < count && count < 65 && (words === 1 || (words === 2 && count === 1))) &&
  steps.reduce((draws, [count]) => draws + count, 0) === d;

/** The words that steps take. @param {number[][]} steps */
const wordsOf = (steps) => steps.reduce((total, [, words]) => total + words, 0);

/** At most the smallest part of a word over the largest, over all draws. @param {number} first @param {number[][]} steps @returns {Ratio} */
const evenness = (first, steps) => {
  const space = SPACE * SPACE;
  let even = space;
  for (const [count, words] of steps) {
    let parts = 1n;
    for (let draw = 0; draw < count; draw++) parts *= BigInt(first++);
    if (parts & (parts - 1n) || parts > SPACE ** BigInt(words)) even -= parts << BigInt(64 * (2 - words));
  }
  demand(even > 0n);
  return [even, space];
};

/**
 * A set by Floyd's algorithm: each draw adds its outcome, or the last of its range if that is in already.
 * @param {number} size @param {number} first the range of the first draw, each of the next has one more
 * @param {number[][]} steps @param {BigUint64Array} words
 * @param {(t: number) => number} moved a number of the others as a number of all
 * @param {number} skipped 1 if the first draw is left out
 */
const drawSet = (size, first, steps, words, moved, skipped) => {
  const flags = new Uint8Array(size);
  let [used, add] = [0, 1 - skipped];
  for (const [count, taken] of steps) {
    let u = words[used];
    for (let draw = 0; draw < count; draw++) {
      const t = taken > 1 ? Number((((u << 64n) | words[used + 1]) * BigInt(first)) >> 128n) : position(u, first);
      u = fraction(u, first++);
      flags[[moved(t), moved(first - 2)][flags[moved(t)]]] = add;
      add = 1;
    }
    used += taken;
  }
  return flags;
};

/** @type {Kind<[d: number, size: number, steps: number[][], truths: bigint]>} */
export const subset = ["d:n size:n steps:n** true word_bits:w", (d, size, steps, truths) => {
  const [many, others] = [BigInt(d), BigInt(size - d)];
  demandSmall(size, BITS);
  // the own value is in more often than any other
  demand(0 < d && d < size && isPlan(steps, d) && truths < SPACE && truths * others > (SPACE - truths) * many);
  const even = evenness(size - d, steps);
  /** @type {Ratio} */
  const odds = [truths * others, (SPACE - truths) * many];
  const ratio = over(odds, even);
  /** @type {Sampler} */
  const sampler = samplerFor(
    size,
    1 + wordsOf(steps),
    1n << BigInt(size),
    exchangeable,
    () => ratio,
    (x, words) => {
      const truth = +(words[0] < truths);
      const flags = drawSet(size, size - d, steps, words.subarray(1), (t) => t + +(t >= x), truth);
      flags[x] |= truth;
      return setReport(flags);
    },
    { unprotected: (units, plan) => {
      demandRoom(units, SPACE);
      demand(isPlan(plan, d));
      return [
        1 + wordsOf(plan),
        over([truths * BigInt(size), many * units], times(even, evenness(size - d + 1, plan))),
        (words) => [words[0] >= units, setReport(drawSet(size, size - d + 1, plan, words.subarray(1), (t) => t, 0))],
      ];
    } },
  );
  return { ...sampler, cover: coverFor(size, d, odds, sampler, (y, place) => Boolean((y >> BigInt(place)) & 1n), even, ONE) };
}];
