/** The law of blocks inside blocks: marks on some of the nodes of a tree, down to the values. */

import { demand, larger, ONE, times } from "./exact.js";
import { LIMITS, spend } from "./reading.js";
import { bitsOf, machineFor, pick, position } from "./machine.js";

/** @import { Ratio } from "./exact.js" */
/** @import { Held, Machine, Marks } from "./machine.js" */

/**
 * Nodes of one depth with the same marks above them and on them; `sides` are the states of their children, unmarked and marked.
 * @typedef {{depth: number, part: (Machine & {held: Held & {marks: Marks}}) | null, sides: number[]}} State
 */

/**
 * A node in the layout of a report: child number `rank` among the marked or unmarked children of `parent`.
 * @typedef {{state: State, parent: number, side: number, rank: number, at: bigint, word: number, leads: boolean}} Slot
 */

/** @param {number[]} branches @param {Machine[]} inners @param {Uint32Array} leaves @param {number[][]} shown @returns {Machine} */
export function levels(branches, inners, leaves, shown) {
  const height = branches.length;
  /** How many leaves are below a node of each depth. */
  const spans = branches.map((_, depth) => branches.slice(depth).reduce((a, b) => a * b));
  demand(height && height <= 64 && height === shown.length && branches.every((branch) => branch > 1));
  demand(spans[0] <= 16 * leaves.length && leaves.every((leaf) => leaf < spans[0]));
  const span = (/** @type {number} */ depth) => spans[depth] ?? 1;
  /** @type {State[]} */
  const states = [];
  for (let [depth, expected] = [0, 1]; depth <= height; depth += 1) {
    const row = shown[depth] ?? new Array(expected).fill(0);
    demand(row.length === expected && expected <= 4096);
    let next = states.length + expected;
    expected = 0;
    for (const entry of row) {
      const part = entry ? inners[entry - 1] : null;
      demand(!part || (part.held?.marks && part.size === branches[depth] && part.size > 1));
      demand(!entry || part);
      const sides = depth === height ? [] : entry ? [next, next + 1] : [next];
      states.push({ depth, part: /** @type {State["part"]} */ (part), sides });
      next += sides.length;
      expected += sides.length;
    }
  }
  /** The states of a node's children with how many there are in each, marked ones first. @param {State} state @returns {[number, number, number][]} */
  const children = ({ depth, part, sides }) =>
    part
      ? [[sides[1], part.held.marks.members, 1], [sides[0], part.held.places - part.held.marks.members, 0]]
      : sides.map((side) => [side, branches[depth], 0]);
  const counts = new Array(states.length).fill(0);
  /** @type {Ratio[]} */
  const above = new Array(states.length).fill(ONE);
  const below = [...above];
  /** The largest ratio of values that part below a node of each depth. @type {Ratio[]} */
  const ratios = new Array(height).fill(ONE);
  for (let number = states.length - 1; number >= 0; number -= 1) {
    const { depth, part, sides } = states[number];
    for (const [child, often] of children(states[number])) counts[number] += often * counts[child];
    if (part || counts[number]) counts[number] += 1;
    const marks = part?.held.marks;
    sides.forEach((child, mark) => {
      const up = marks ? times(above[child], marks.above[mark]) : above[child];
      const down = marks ? times(below[child], marks.below[mark]) : below[child];
      above[number] = mark ? larger(above[number], up) : up;
      below[number] = mark ? larger(below[number], down) : down;
      sides.forEach((sibling, other) => {
        const both = times(above[child], below[sibling]);
        ratios[depth] = larger(ratios[depth], marks ? times(both, marks.between[mark - other + 1]) : both);
      });
    });
  }
  for (let depth = height - 1; depth; depth -= 1) ratios[depth - 1] = larger(ratios[depth - 1], ratios[depth]);
  spend(64 * counts[0]);
  /** @type {Slot[]} */
  const slots = [];
  let [bits, words] = [0, 0];
  let outputs = 1n;
  /** @param {number} number @param {number} parent @param {number} side @param {number} rank */
  const layOutSlots = (number, parent, side, rank) => {
    const state = states[number];
    const following = children(state).filter(([child]) => counts[child]);
    const mine = slots.push({ state, parent, side, rank, at: BigInt(bits), word: words, leads: following.length > 0 }) - 1;
    if (state.part) {
      outputs = state.part.outputs << BigInt(bits);
      bits += bitsOf(state.part.outputs);
      words += state.part.words + Number(parent >= 0);
      demand(bits <= LIMITS.bits, "its reports are too large");
    }
    for (const [child, often, mark] of following) for (let j = 0; j < often; j += 1) layOutSlots(child, mine, mark, j);
  };
  layOutSlots(0, -1, 0, 0);
  const last = branches[height - 1];
  return machineFor(
    leaves.length,
    words,
    outputs,
    (x) => Math.floor(leaves[x] / last),
    (x, z) => ratios[spans.filter((_, depth) => Math.floor(leaves[x] / span(depth)) === Math.floor(leaves[z] / span(depth))).length - 1],
    (x, from) => {
      const digits = branches.map((branch, depth) => Math.floor(leaves[x] / span(depth + 1)) % branch);
      /** @type {{own: number, side: number, rank: number}[]} */
      const standing = [];
      let report = 0n;
      for (const { state, parent, side, rank, at, word, leads } of slots) {
        let place = digits[state.depth];
        const up = standing[parent];
        const own = up ? up.own & Number(up.side === side) & Number(up.rank === rank) : 1;
        let [mark, before] = [0, 0];
        if (state.part) {
          const { held, draw, words: taken } = state.part;
          let begin = word;
          if (up) place = pick(own === 1, place, position(from[begin++], held.places));
          const y = draw(place, from.subarray(begin, begin + taken));
          report += y << at;
          if (leads)
            for (let z = 0; z < held.places; z += 1) {
              const has = Number(held.marks.has(y, z));
              before += has & Number(z < place);
              mark += has & Number(z === place);
            }
        }
        standing.push({ own, side: mark, rank: pick(mark === 1, before, place - before) });
      }
      return report;
    },
  );
}
