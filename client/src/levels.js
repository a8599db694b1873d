/** The law of blocks inside blocks: marks on some of the nodes of a tree, down to the values. */

import { demand, demandSmall, larger, LIMITS, ONE, spend, times } from "./exact.js";
import { bitsOf, machineFor, pick, position } from "./machine.js";

/** @import { Ratio } from "./exact.js" */
/** @import { Machine, Marks } from "./machine.js" */

/**
 * Nodes of one depth with the same marks above them and on them.
 * @typedef {object} State
 * @property {number} depth
 * @property {Machine} [part] what they write, if they mark their children
 * @property {number} places
 * @property {Marks} marks
 * @property {State[]} sides the states of their children, unmarked and marked
 * @property {number[]} often how many there are of each
 * @property {number} count how many nodes a report lays out for one of them, itself included
 * @property {Ratio} above how much likelier their reports are for a value below them than for none, at most
 * @property {Ratio} below how much less likely
 */

/**
 * A node in the layout of a report: child number `rank` among the marked or unmarked children of `parent`.
 * @typedef {{state: State, parent: number, side: number, rank: number, at: bigint, word: number}} Slot
 */

/** @type {Marks} */
const UNMARKED = { members: 0, has: () => false, above: [ONE, ONE], below: [ONE, ONE], between: [ONE, ONE] };

/** @param {number[]} branches @param {Machine[]} inners @param {number[]} leaves @param {number[][]} shown @returns {Machine} */
export function levels(branches, inners, leaves, shown) {
  const height = branches.length;
  /** How many leaves are below a node of each depth. */
  const spans = [...branches, 1].map((_, depth) => branches.slice(depth).reduce((a, b) => a * b, 1));
  demand(height && height <= 64 && height === shown.length && branches.every((branch) => branch > 1));
  demand(spans[0] <= 16 * leaves.length && leaves.every((leaf) => leaf < spans[0]));
  /** The largest ratio of values that part below a node of each depth. @type {Ratio[]} */
  const ratios = new Array(height).fill(ONE);
  const rows = shown.map((row) => row.values());
  /** The next state of a depth: each row of `shown` has them in the order in which they are reached. @param {number} depth @returns {State} */
  const grow = (depth) => {
    spend(256);
    const entry = depth < height ? /** @type {number} */ (rows[depth].next().value) : 0;
    const part = inners[entry - 1];
    demand(part ? part.held?.marks && part.size === branches[depth] : entry === 0);
    const { marks = UNMARKED, places = branches[depth] } = part?.held ?? {};
    const sides = depth === height ? [] : part ? [grow(depth + 1), grow(depth + 1)] : [grow(depth + 1)];
    const often = [places - marks.members, marks.members];
    const inside = sides.reduce((total, side, mark) => total + often[mark] * side.count, 0);
    sides.forEach((side, mark) =>
      sides.forEach((other, also) => {
        ratios[depth] = larger(ratios[depth], times(times(side.above, other.below), marks.between[mark - also + 1]));
      }),
    );
    return {
      depth,
      part,
      places,
      marks,
      sides,
      often,
      count: part || inside ? inside + 1 : 0,
      above: sides.map((side, mark) => times(side.above, marks.above[mark])).reduce(larger, ONE),
      below: sides.map((side, mark) => times(side.below, marks.below[mark])).reduce(larger, ONE),
    };
  };
  const top = grow(0);
  demand(rows.every((row) => row.next().done));
  for (let depth = height - 1; depth; depth -= 1) ratios[depth - 1] = larger(ratios[depth - 1], ratios[depth]);
  spend(64 * top.count);
  /** @type {Slot[]} */
  const slots = [];
  let [bits, words, outputs] = [0, 0, 1n];
  /** @param {State} state @param {number} parent @param {number} side @param {number} rank */
  const place = (state, parent, side, rank) => {
    const { part, sides, often } = state;
    const mine = slots.push({ state, parent, side, rank, at: BigInt(bits), word: words }) - 1;
    if (part) {
      spend(state.places);
      outputs = part.outputs << BigInt(bits);
      bits += bitsOf(part.outputs);
      words += part.words + +(parent >= 0);
      demandSmall(bits, LIMITS.bits);
    }
    for (const mark of [1, 0]) if (sides[mark]?.count) for (let j = 0; j < often[mark]; j += 1) place(sides[mark], mine, mark, j);
  };
  place(top, -1, 0, 0);
  /** The node above a leaf at a depth. @param {number} x @param {number} depth */
  const node = (x, depth) => Math.floor(leaves[x] / spans[depth]);
  return machineFor(
    leaves.length,
    words,
    outputs,
    // the first and the last leaf part highest
    (values) => [values.reduce((x, z) => (leaves[z] < leaves[x] ? z : x)), values.reduce((x, z) => (leaves[z] < leaves[x] ? x : z))],
    (x, z) => ratios[branches.filter((_, depth) => node(x, depth) === node(z, depth)).length - 1],
    (x, from) => {
      /** @type {{own: number, side: number, rank: number}[]} */
      const standing = [];
      let report = 0n;
      for (const { state, parent, side, rank, at, word } of slots) {
        const { depth, part, places, marks } = state;
        const up = standing[parent];
        const own = up ? up.own & +(up.side === side) & +(up.rank === rank) : 1;
        let [digit, mark, before] = [node(x, depth + 1) % branches[depth], 0, 0];
        if (part) {
          let begin = word;
          if (up) digit = pick(own === 1, digit, position(from[begin++], places));
          const y = part.draw(digit, from.subarray(begin, begin + part.words));
          report += y << at;
          for (let z = 0; z < places; z += 1) {
            const has = +marks.has(y, z);
            before += has & +(z < digit);
            mark += has & +(z === digit);
          }
        }
        standing.push({ own, side: mark, rank: [digit - before, before][mark] });
      }
      return report;
    },
  );
}
