/** Blocks that are told by randomized response, and inside them a report that is a cover wherever the block is not the own one. */

import { ceilDivide, larger, ONE, times } from "../exact.js";
import { demand, spend } from "../limits.js";
import { partsOf } from "./blocks.js";
import { mostWords } from "./composition.js";
import { pick, position, rank, samplerFor, SPACE, sum, sums } from "./sampler.js";

/** @import { Ratio } from "../exact.js" */
/** @import { Cover, Kind, Sampler } from "./sampler.js" */

/** @type {Kind<[blockOf: number[], kindOf: number[], kinds: Sampler[], units: bigint[]]>} */
export const nested = ["block_of:r kind_of:n* kinds:l* units:b*", (blockOf, kindOf, kinds, units) => {
  const { parts, place, offsets, outputs, few, ratio } = partsOf(blockOf, kindOf, kinds);
  const count = parts.length;
  const size = blockOf.length;
  const truth = SPACE - sum(units);
  demand(units.length === count && count > 1 && units.every(Boolean) && truth > 0n && parts.every((part) => part.cover));
  const covers = parts.map((part) => /** @type {Cover} */ (part.cover));
  const bounds = sums(units);
  /** Of blocks that are exchangeable, one. */
  const sorts = [...new Map(units.map((unit, b) => [`${kindOf[b]}/${unit}`, b])).values()];
  spend(128 * sorts.length);
  /** What the values of a block and others can give away: the largest of everything that `find` finds for a block. @param {(b: number) => Ratio[]} find */
  const most = (find) => sorts.flatMap(find).reduce(larger);
  /** The words with which a block is shown by its own values. @param {number} b */
  const mine = (b) => units[b] + truth;
  /** The words with which a cover report shows a block, in units of 2^-64. @param {number} b @param {bigint} part that of a value */
  const covered = (b, part) => units[b] * SPACE + BigInt(parts[b].inputs) * part * truth;
  const [least, greater] = [SPACE / BigInt(size), ceilDivide(SPACE, BigInt(size))];
  /** The report of a value, or a cover report of its block. @param {number} x @param {boolean} isCover @param {BigUint64Array} words */
  const drawn = (x, isCover, words) => {
    const found = rank(bounds, words[0]);
    const block = pick(found === count, blockOf[x], found);
    return offsets[block] + covers[block].write(place[x], pick(block === blockOf[x], isCover, true), words.subarray(1));
  };
  const words = 1 + mostWords(covers);
  return samplerFor(
    size,
    words,
    outputs,
    few,
    // one bound for all values of different blocks; it is that of values in one block too, if that is larger: of 0 and nobody, -1
    ratio(most((b) => {
      const [above, below] = covers[b].ratios;
      return [times([mine(b), units[b]], above), times([units[b], mine(b)], below), parts[b].maxRatio(0, -1)];
    })),
    (x, from) => drawn(x, false, from),
    { cover: {
      places: size,
      takes: 1 + words,
      write: (x, isCover, from) => drawn(pick(isCover, position(from[0], size), x), isCover, from.subarray(1)),
      ratios: [
        most((b) => [ONE, times([mine(b) * SPACE, covered(b, least)], covers[b].ratios[0])]),
        most((b) => [[covered(b, greater), units[b] * SPACE], times([covered(b, greater), mine(b) * SPACE], covers[b].ratios[1])]),
      ],
    } },
  );
}];
