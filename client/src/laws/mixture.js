/** One of several laws, drawn by a word of its own and shown. */

import { demand } from "../limits.js";
import { areExchangeable, boundsOf, mostWords, widest } from "./composition.js";
import { exchangeable, layOut, rank, samplerFor } from "./sampler.js";

/** @import { Kind, Sampler } from "./sampler.js" */

/** @type {Kind<[parts: Sampler[], units: bigint[]]>} */
export const mixture = ["parts:l* units:b*", (parts, units) => {
  const [bounds] = boundsOf([units]);
  demand(units.every(Boolean) && units.length === parts.length && parts.every((part) => part.inputs === parts[0].inputs));
  const { offsets, outputs } = layOut(parts.map((part) => part.outputs));
  return samplerFor(
    parts[0].inputs,
    1 + mostWords(parts),
    outputs,
    areExchangeable(parts) ? exchangeable : (values) => [...new Set(parts.flatMap((part) => part.few(values)))],
    (x, z) => widest(parts, x, z),
    (x, words) => {
      const part = rank(bounds, words[0]);
      return offsets[part] + parts[part].write(x, words.subarray(1));
    },
  );
}];
