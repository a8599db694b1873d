/** Values that need protection among others that need none: these are disclosed, or send a cover report. */

import { INFINITE } from "../exact.js";
import { demand } from "../limits.js";
import { mostWords } from "./composition.js";
import { alignedSize, placesIn, samplerFor, setReport, SPACE, twoOfEach } from "./sampler.js";

/** @import { Bits } from "../reading.js" */
/** @import { Kind, Sampler } from "./sampler.js" */

/** The place of each value among those that are sensitive, or among the others. @param {Bits} sensitive */
const sides = ({ size, members }) => {
  const isOther = Array(size).fill(1);
  for (const x of members) isOther[x] = 0;
  return { isOther, ...placesIn(isOther, 2) };
};

/** @param {Sampler} inner @param {bigint} units @param {Bits} sensitive @param {number[][]} steps @returns {Sampler} */
const eitherSide = (inner, units, sensitive, steps) => {
  const { isOther, place, sizes } = sides(sensitive);
  demand(inner.unprotected && sizes[0] === inner.inputs);
  if (!sizes[1]) {
    demand(!units && !steps.length);
    return inner;
  }
  const [takes, ratio, cover] = inner.unprotected(units, steps);
  const base = inner.outputs <= SPACE / 2n ? inner.outputs : alignedSize(inner.outputs);
  return samplerFor(
    sensitive.size,
    mostWords([inner, { takes }]),
    base + BigInt(sizes[1]),
    twoOfEach(isOther, 2),
    (x, z) => (isOther[x] ? INFINITE : isOther[z] ? ratio : inner.maxRatio(place[x], place[z])),
    (x, words) => {
      const hidden = inner.write([place[x], 0][isOther[x]], words);
      const [isDisclosed, report] = cover(words);
      return [hidden, report, base + BigInt(place[x])][isOther[x] * (1 + +isDisclosed)];
    },
  );
};

/** @type {Kind<[inner: Sampler, units: bigint, sensitive: Bits, steps: number[][]]>} */
export const highLow = ["inner:l neutral sensitive:s steps:n**", eitherSide];

/** @type {Kind<[inner: Sampler, units: bigint, sensitive: Bits]>} */
export const utilityRappor = ["inner:l neutral sensitive:s", (inner, units, sensitive) => {
  const sampler = eitherSide(inner, units, sensitive, []);
  const { isOther, place } = sides(sensitive);
  const { size, members } = sensitive;
  demand(inner.bitwise);
  return {
    ...sampler,
    takes: inner.inputs + 1,
    outputs: 1n << BigInt(size),
    write: (x, words) => {
      const flags = new Uint8Array(size);
      const hidden = inner.write([place[x], -1][isOther[x]], words);
      members.forEach((bit, at) => (flags[bit] = Number((hidden >> BigInt(at)) & 1n)));
      flags[x] |= isOther[x] & +(words[inner.inputs] >= units);
      return setReport(flags);
    },
  };
}];
