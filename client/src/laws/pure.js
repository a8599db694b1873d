/** Pure protocols on one word: every value is supported by as many reports, all likelier than the others by the same odds (Wang 2017). */

import { ceilDivide, ONE, over, times } from "../exact.js";
import { demand } from "../limits.js";
import { exchangeable, pick, position, samplerFor, SPACE } from "./sampler.js";

/** @import { Ratio } from "../exact.js" */
/** @import { Cover, Sampler } from "./sampler.js" */

/** Refuse cover reports that the words have no room for. @param {bigint} units @param {bigint} most @param {number[][]} [steps] */
export const demandRoom = (units, most, steps = []) => demand(units && units <= most && !steps.length);

/**
 * Reports of a place of `places`, each of which holds `members` of them: those with the place are `odds` times as likely as the others, up
 * to a factor `even`. The parts of a word that places take are uneven by at most one, and counted so. A spare word adds a unit to
 * both sides of a ratio, which brings one below 1 nearer to 1: by `spare`, at most.
 * @param {number} places @param {number} members @param {Ratio} odds @param {Sampler} sampler
 * @param {(y: bigint, place: number) => boolean} holds @param {Ratio} even @param {Ratio} spare
 * @returns {Cover}
 */
export const coverFor = (places, members, odds, sampler, holds, even, spare) => {
  /** 1 + (odds - 1) times the chance of a member. @param {bigint} part @returns {Ratio} */
  const mean = (part) => [odds[1] * SPACE + (odds[0] - odds[1]) * BigInt(members) * part, odds[1] * SPACE];
  const all = BigInt(places);
  /** @type {[Ratio, Ratio]} */
  const ratios = [over(over(odds, mean(SPACE / all)), even), over(mean(ceilDivide(SPACE, all)), even)];
  const [up, down] = ratios.map((ratio) => times(ratio, spare));
  const fair = over(spare, even);
  return {
    places,
    takes: 1 + sampler.takes,
    ratios,
    subsets: { members, holds, above: [over(up, odds), up], below: [down, over(down, odds)], between: [over(fair, odds), fair, times(fair, odds)] },
    write: (x, isCover, words) => sampler.write(pick(isCover, position(words[0], places), x), words.subarray(1)),
  };
};

/**
 * One word for `outputs` reports: those that do not support the value come first, `low` words each, then `many` that do, `high`
 * words each; the last `spare` words go to reports 0, 1, ... whatever the value.
 * @param {number} size @param {number} outputs @param {number} many @param {bigint} high @param {bigint} low @param {bigint} spare
 * @param {(x: number, j: number) => number} reportAt the j-th report of a value
 * @returns {Sampler}
 */
export const pureProtocol = (size, outputs, many, high, low, spare, reportAt) => {
  const [all, few] = [BigInt(outputs), BigInt(outputs - many)];
  // the own reports are the likeliest
  demand(size && spare < outputs && (few ? low && low < high : !low) && few * low + BigInt(many) * high + spare === SPACE);
  return samplerFor(
    size,
    1,
    all,
    exchangeable,
    () => (few ? [high, low] : ONE),
    (x, [u]) => {
      const isSpare = u >= SPACE - spare;
      const j = pick(u < few * low, u / (low || 1n), few + (u - few * low) / high);
      return pick(isSpare, u - SPACE + spare, BigInt(reportAt(x, Number(pick(isSpare, 0n, j)))));
    },
    { unprotected: (units, steps) => {
      demandRoom(units * all, SPACE, steps);
      return [1, [spare ? high + 1n : high, units], ([u]) => {
        const isDisclosed = u >= all * units;
        return [isDisclosed, pick(isDisclosed, 0n, u / units)];
      }];
    } },
  );
};

/** What a spare word may add to a ratio below 1. @param {bigint} spare @param {bigint} low @returns {Ratio} */
export const spareRatio = (spare, low) => (spare ? [low + 1n, low] : ONE);
