/** Reports of a law, changed at random without a look at the value. */

import { demand } from "../limits.js";
import { boundsOf } from "./composition.js";
import { rank, samplerFor } from "./sampler.js";

/** @import { Kind, Sampler } from "./sampler.js" */

/** @type {Kind<[inner: Sampler, weights: bigint[][]]>} */
export const postProcessed = ["inner:l weights:b**", (inner, weights) => {
  demand(BigInt(weights.length) === inner.outputs);
  const bounds = boundsOf(weights);
  return samplerFor(
    inner.inputs,
    inner.takes + 1,
    BigInt(weights[0].length),
    inner.few,
    inner.maxRatio,
    (x, words) => BigInt(rank(bounds[Number(inner.write(x, words.subarray(0, inner.takes)))], words[inner.takes])),
  );
}];
