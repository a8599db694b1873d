/** Randomized response: the value itself, or another one. */

import { ONE } from "../exact.js";
import { coverFor, pureProtocol, spareRatio } from "./pure.js";
import { pick } from "./sampler.js";

/** @import { Kind } from "./sampler.js" */

/** @type {Kind<[high: bigint, low: bigint, size: number, spare: bigint]>} */
export const response = ["high low size:n spare word_bits:w", (high, low, size, spare) => {
  const sampler = pureProtocol(size, size, 1, high, low, spare, (x, j) => pick(j < size - 1, j + +(j >= x), x));
  return { ...sampler, cover: coverFor(size, 1, low ? [high, low] : ONE, sampler, (y, place) => y === BigInt(place), ONE, spareRatio(spare, low)) };
}];
