/** Values in blocks that show, with a law inside each. */

import { INFINITE } from "../exact.js";
import { demand, demandSmall, spend, VALUES } from "../limits.js";
import { mostWords } from "./composition.js";
import { layOut, placesIn, samplerFor } from "./sampler.js";

/** @import { Ratio } from "../exact.js" */
/** @import { Few, Kind, Sampler } from "./sampler.js" */

/** Values in blocks, with a law for each. @param {number[]} blockOf @param {number[]} kindOf @param {Sampler[]} kinds */
export const partsOf = (blockOf, kindOf, kinds) => {
  demandSmall(kindOf.length, VALUES);
  demand(kindOf.every((kind) => kind < kinds.length));
  const parts = kindOf.map((kind) => kinds[kind]);
  const { place, sizes } = placesIn(blockOf, parts.length);
  spend(16 * sizes.length);
  demand(parts.every((part, block) => part.inputs === sizes[block]));
  return {
    parts,
    place,
    ...layOut(parts.map((part) => part.outputs)),
    /** Two values of different blocks, or what the only block compares. @type {Few} */
    few: (values) => {
      spend(4 * values.length);
      const [x] = values;
      const other = values.findIndex((z) => blockOf[z] !== blockOf[x]);
      if (other > 0) return [x, values[other]];
      /** @type {number[]} */
      const valueAt = [];
      for (const z of values) valueAt[place[z]] = z;
      return parts[blockOf[x]].few(values.map((z) => place[z])).map((at) => valueAt[at]);
    },
    /** The ratio of two values, which is `across` if they are in different blocks. @param {Ratio} across @returns {Sampler["maxRatio"]} */
    ratio: (across) => (x, z) => (blockOf[x] === blockOf[z] ? parts[blockOf[x]].maxRatio(place[x], place[z]) : across),
  };
};

/** @type {Kind<[blockOf: number[], kindOf: number[], kinds: Sampler[]]>} */
export const blocks = ["block_of:r kind_of:n* kinds:l*", (blockOf, kindOf, kinds) => {
  const { parts, place, offsets, outputs, few, ratio } = partsOf(blockOf, kindOf, kinds);
  return samplerFor(
    blockOf.length,
    mostWords(kinds),
    outputs,
    few,
    ratio(INFINITE),
    (x, words) => offsets[blockOf[x]] + parts[blockOf[x]].write(place[x], words),
  );
}];
