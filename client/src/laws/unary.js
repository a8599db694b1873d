/** Unary encoding: a bit for every value, which is on more often where it is the own one; the same odds for all values, or by grade. */

import { ascending, times } from "../exact.js";
import { BITS, demand, demandSmall, spend } from "../limits.js";
import { demandRoom } from "./pure.js";
import { exchangeable, pick, samplerFor, setReport, SPACE } from "./sampler.js";

/** @import { Ratio } from "../exact.js" */
/** @import { Kind, Sampler } from "./sampler.js" */

/** @param {number[]} gradeOf @param {bigint[]} other @param {bigint[]} own @returns {Sampler} */
const gradedBits = (gradeOf, other, own) => {
  const size = gradeOf.length;
  spend(4 * size);
  demandSmall(size, BITS);
  // the own bit is on more often
  demand(own.length === other.length && gradeOf.every((grade) => grade < own.length) && own.every((a, grade) => other[grade] && other[grade] < a && a < SPACE));
  /** How much likelier a bit is on for its own value, and off for another one. @type {Ratio[][]} */
  const factors = [own.map((a, grade) => [a, other[grade]]), own.map((a, grade) => [SPACE - other[grade], SPACE - a])];
  return samplerFor(
    size,
    size,
    1n << BigInt(size),
    // the two with the largest factors of each kind
    (values) => factors.flatMap((factor) => {
      spend(32 * values.length);
      return [...values].sort((x, z) => ascending(factor[gradeOf[z]], factor[gradeOf[x]])).slice(0, 2);
    }),
    (x, z) => times(factors[0][gradeOf[x]], factors[1][gradeOf[z]]),
    // for nobody's value, -1, no bit is the own one
    (x, words) => setReport(Uint8Array.from(gradeOf, (g, bit) => +(words[bit] < pick(bit === x, own[g], other[g])))),
  );
};

/** @type {Kind<[gradeOf: number[], other: bigint[], own: bigint[]]>} */
export const gradedUnary = ["grade_of:r other:b* own:b* word_bits:w", gradedBits];

/** @type {Kind<[other: bigint, own: bigint, size: number]>} */
export const unary = ["other own size:n word_bits:w", (other, own, size) => {
  const sampler = gradedBits(Array(size).fill(0), [other], [own]);
  return {
    ...sampler,
    few: exchangeable,
    bitwise: true,
    unprotected: (units, steps) => {
      demandRoom(units, SPACE, steps);
      return [size + 1, [own * SPACE, other * units], (words) => [words[size] >= units, sampler.write(-1, words)]];
    },
  };
}];
