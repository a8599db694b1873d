/** Two reports side by side: of one value, of both halves of a pair, or the second by a law that the first report chooses. */

import { greatest, ONE, times } from "../exact.js";
import { demand } from "../limits.js";
import { quotient } from "../reading.js";
import { areExchangeable, mostWords, widest } from "./composition.js";
import { everyone, exchangeable, samplerFor } from "./sampler.js";

/** @import { Kind, Sampler } from "./sampler.js" */

/**
 * A report by one law, and beside it one by another, which the first report may choose.
 * @param {Sampler} first @param {Sampler[]} seconds @param {(report: bigint) => Sampler} chosen
 */
const sequence = (first, seconds, chosen) => {
  demand(seconds.every((second) => second.inputs === first.inputs));
  const width = greatest(seconds.map((second) => second.outputs));
  return samplerFor(
    first.inputs,
    first.takes + mostWords(seconds),
    first.outputs * width,
    areExchangeable([first, ...seconds]) ? exchangeable : everyone,
    (x, z) => times(first.maxRatio(x, z), widest(seconds, x, z)),
    (x, words) => {
      const report = first.write(x, words.subarray(0, first.takes));
      return report * width + chosen(report).write(x, words.subarray(first.takes));
    },
  );
};

/** @param {Sampler} first @param {Sampler} second */
const pair = (first, second) => sequence(first, [second], () => second);

/** @type {Kind<[first: Sampler, second: Sampler]>} */
export const product = ["first:l second:l", pair];

/** @type {Kind<[choice: number[], first: Sampler, seconds: Sampler[]]>} */
export const adaptive = ["choice:n* first:l seconds:l*", (choice, first, seconds) => {
  demand(BigInt(choice.length) === first.outputs && choice.every((kind) => kind < seconds.length));
  return sequence(first, seconds, (report) => seconds[choice[Number(report)]]);
}];

/** @type {Kind<[first: Sampler, second: Sampler]>} */
export const paired = ["first:l second:l", (first, second) => {
  const k = second.inputs;
  /** The law of a part of every value. @param {Sampler} sampler @param {(x: number) => number} part @returns {Sampler} */
  const lifted = (sampler, part) => ({
    ...sampler,
    inputs: first.inputs * k,
    few: everyone,
    maxRatio: (x, z) => (part(x) === part(z) ? ONE : sampler.maxRatio(part(x), part(z))),
    write: (x, words) => sampler.write(part(x), words),
  });
  return pair(lifted(first, (x) => quotient(x, k)), lifted(second, (x) => x % k));
}];
