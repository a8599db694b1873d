/** Subsets along a tree of blocks: nodes report a subset of their children, down to the values. */

import { larger, ONE, times } from "../exact.js";
import { BITS, demand, demandSmall, spend } from "../limits.js";
import { quotient } from "../reading.js";
import { bitsOf, pick, position, samplerFor } from "./sampler.js";

/** @import { Ratio } from "../exact.js" */
/** @import { Kind, Sampler, Subsets } from "./sampler.js" */

/**
 * Nodes of one depth whose reports, and those above them, are of the same kind.
 * @typedef {object} PathState
 * @property {number} depth
 * @property {Sampler} [part] what they write, if they report a subset of their children
 * @property {number} places
 * @property {Subsets} subsets
 * @property {PathState[]} sides the states of their children, outside and inside the subset
 * @property {number[]} often how many of each a report lays out
 * @property {number} count how many nodes a report lays out for one of them, itself included
 * @property {Ratio} above how much likelier their reports are for a value below them than for none, at most
 * @property {Ratio} below how much less likely
 */

/** @type {Subsets} */
const NO_SUBSETS = { members: 0, holds: () => false, above: [ONE, ONE], below: [ONE, ONE], between: [ONE, ONE] };

/** @type {Kind<[branches: number[], inners: Sampler[], leaves: number[], shown: number[][]]>} */
export const treeSubsets = ["branches:n* inners:l* leaves:r shown:n** word_bits:w", (branches, inners, leaves, shown) => {
  const height = branches.length;
  /** How many leaves are below a node of each depth. */
  const spans = [...branches, 1].map((_, depth) => branches.slice(depth).reduce((a, b) => a * b, 1));
  demand(height && height <= 64 && height === shown.length && branches.every((branch) => branch > 1) && spans[0] <= 16 * leaves.length && leaves.every((leaf) => leaf < spans[0]));
  /** The largest ratio of values that part below a node of each depth, or deeper. @type {Ratio[]} */
  const ratios = Array(height + 1).fill(ONE);
  const rows = shown.map((row) => row.values());
  /** The next state of a depth: each row of `shown` has them in the order in which they are reached. @param {number} depth @returns {PathState} */
  const grow = (depth) => {
    spend(256);
    const entry = depth < height ? /** @type {number} */ (rows[depth].next().value) : 0;
    const part = inners[entry - 1];
    demand(part ? part.cover?.subsets && part.inputs === branches[depth] : entry === 0);
    const { subsets = NO_SUBSETS, places = branches[depth] } = part?.cover ?? {};
    const sides = depth === height ? [] : part ? [grow(depth + 1), grow(depth + 1)] : [grow(depth + 1)];
    const often = sides.map(({ count }, inside) => count && [places - subsets.members, subsets.members][inside]);
    const below = sides.reduce((total, { count }, inside) => total + often[inside] * count, 0);
    const apart = sides.flatMap((side, inside) => sides.map((other, alsoInside) => times(times(side.above, other.below), subsets.between[inside - alsoInside + 1])));
    ratios[depth] = [...apart, ...ratios.slice(depth)].reduce(larger);
    return {
      depth,
      part,
      places,
      subsets,
      sides,
      often,
      count: part || below ? below + 1 : 0,
      above: sides.map((side, inside) => times(side.above, subsets.above[inside])).reduce(larger, ONE),
      below: sides.map((side, inside) => times(side.below, subsets.below[inside])).reduce(larger, ONE),
    };
  };
  const top = grow(0);
  demand(rows.every((row) => row.next().done));
  spend(64 * top.count);
  /** The node above a leaf at a depth. @param {number} x @param {number} depth */
  const node = (x, depth) => quotient(leaves[x], spans[depth]);
  /**
   * Go through the nodes that a report lays out, one after the other, and below a node first through the children in the subset. `write` gives
   * the place for which a node draws its subset, from the one where x is below it and whether x is, and what it writes.
   * @param {number} x
   * @param {(part: Sampler, state: PathState, place: number, isOwn: boolean) => [number, bigint]} write
   */
  const walk = (x, write) => {
    /** @param {PathState} state @param {number} own 1 if x is below it */
    const visit = (state, own) => {
      const { depth, part, places, subsets, sides, often } = state;
      let [place, report] = [node(x, depth + 1) % branches[depth], 0n];
      let [inside, before] = [0, 0];
      if (part) {
        [place, report] = write(part, state, place, own > 0);
        for (let z = 0; z < places; z++) {
          const has = +subsets.holds(report, z);
          before += has & +(z < place);
          inside += has & +(z === place);
        }
      }
      const rank = [place - before, before][inside];
      for (const side of [1, 0]) for (let j = 0; j < often[side]; j++) visit(sides[side], own & +(side === inside) & +(j === rank));
    };
    visit(top, 1);
  };
  let [bits, words, outputs] = [0, 0, 1n];
  walk(0, (part, { depth, places }) => {
    spend(places);
    outputs = part.outputs << BigInt(bits);
    bits += bitsOf(part.outputs);
    words += part.takes + +(depth > 0);
    demandSmall(bits, BITS);
    return [0, 0n];
  });
  return samplerFor(
    leaves.length,
    words,
    outputs,
    // the first and the last leaf part highest
    (values) => [values.reduce((x, z) => (leaves[z] < leaves[x] ? z : x)), values.reduce((x, z) => (leaves[z] < leaves[x] ? x : z))],
    (x, z) => ratios[branches.filter((_, depth) => node(x, depth) === node(z, depth)).length - 1],
    (x, from) => {
      let [report, word, at] = [0n, 0, 0n];
      walk(x, (part, { depth, places }, place, isOwn) => {
        if (depth) place = pick(isOwn, place, position(from[word++], places));
        const y = part.write(place, from.subarray(word, (word += part.takes)));
        report += y << at;
        at += BigInt(bitsOf(part.outputs));
        return [place, y];
      });
      return report;
    },
  );
}];
