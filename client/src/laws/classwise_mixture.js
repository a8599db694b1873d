/** A mixture by classes of values: every type of report shows some classes, each with a report or a cover report inside. */

import { ceilDivide, larger, ONE } from "../exact.js";
import { BITS, demand, demandSmall, spend } from "../limits.js";
import { boundsOf, mostWords } from "./composition.js";
import { bitsOf, largest, layOut, placesIn, rank, samplerFor, twoOfEach } from "./sampler.js";

/** @import { Ratio } from "../exact.js" */
/** @import { Kind, Sampler } from "./sampler.js" */

/** @type {Kind<[classOf: number[], inners: Sampler[], marks: number[][], units: bigint[][]]>} */
export const classwiseMixture = ["class_of:r inners:l* marks:n** units:b** word_bits:w", (classOf, inners, marks, units) => {
  const classes = units.length;
  const { place, sizes } = placesIn(classOf, classes);
  const bounds = boundsOf(units);
  demand(sizes.every(Boolean) && units[0].length === marks.length && marks.every((row) => row.length === classes));
  /** The largest ratio inside each class. @type {Ratio[]} */
  const inner = Array(classes).fill(ONE);
  /** For each class, the words of every type's reports over those of cover reports, at most and at least, in units of 2^-128. */
  const [most, least] = [1, 2].map(() => units.map((row) => row.map((unit) => unit << 128n)));
  const shown = marks.map((row, type) => {
    let [bits, takes, last] = [0, 1, 1n];
    const parts = row.flatMap((mark, group) => {
      if (!mark) return [];
      const part = inners[mark - 1];
      demand(part?.cover && part.unprotected && part.inputs === sizes[group] && part.inputs > 1);
      const { cover, outputs } = part;
      const [above, below] = cover.ratios;
      least[group][type] = (least[group][type] * below[1]) / below[0];
      most[group][type] = ceilDivide(most[group][type] * above[0], above[1]);
      if (most[group][type]) inner[group] = larger(inner[group], part.maxRatio(0, 1));
      last = outputs << BigInt(bits);
      bits += bitsOf(outputs);
      takes += cover.takes;
      demandSmall(bits, BITS);
      return [{ group, cover, outputs }];
    });
    return { parts, takes, last };
  });
  const { offsets, outputs } = layOut(shown.map(({ last }) => last));
  return samplerFor(
    classOf.length,
    mostWords(shown),
    outputs,
    twoOfEach(classOf, classes),
    (x, z) => {
      spend(marks.length);
      return classOf[x] === classOf[z] ? inner[classOf[x]] : largest(most[classOf[x]], least[classOf[z]]);
    },
    (x, from) => {
      const type = rank(bounds[classOf[x]], from[0]);
      let [report, word, at] = [offsets[type], 1, 0n];
      for (const { group, cover, outputs } of shown[type].parts) {
        report += cover.write(place[x], group !== classOf[x], from.subarray(word, (word += cover.takes))) << at;
        at += BigInt(bitsOf(outputs));
      }
      return report;
    },
  );
}];
