/** From the data of a law to the machine that draws by it. */

import { demand } from "./exact.js";
import { LIMITS, shaped, whole } from "./reading.js";
import { cyclic, generalHadamard, hadamard, response, subset, unary } from "./bases.js";
import { geometric, ring, torus } from "./lines.js";
import { adaptive, blocks, gradedUnary, highLow, mixture, nested, paired, postProcessed, product, table, types, utilityRappor } from "./composed.js";

/** @import { Machine } from "./machine.js" */

/**
 * Every kind of law: the shape of its data, as `shaped` reads it, and its machine.
 * @type {Map<string, [string, (law: any) => Machine]>}
 */
const KINDS = new Map([
  ["adaptive", ["choice:n* first:l seconds:l*", adaptive]],
  ["blocks", ["block_of:r kind_of:n* kinds:l*", blocks]],
  ["cyclic", ["high:b low:b modulus:n shifts:s size:n spare:b word_bits:w", cyclic]],
  ["general_hadamard", ["columns:n high:b low:b parts:n size:n spare:b word_bits:w", generalHadamard]],
  ["geometric", ["flat:b places:r size:n units:b* word_bits:w", geometric]],
  ["graded_unary", ["grade_of:r other:b* own:b* word_bits:w", gradedUnary]],
  ["hadamard", ["size:n true:b word_bits:w", hadamard]],
  ["high_low", ["inner:l neutral:b sensitive:s steps:n**", highLow]],
  ["mixture", ["parts:l* units:b*", mixture]],
  ["nested", ["block_of:r kind_of:n* kinds:l* units:b*", nested]],
  ["paired", ["first:l second:l", paired]],
  ["post_processed", ["inner:l weights:b**", postProcessed]],
  ["product", ["first:l second:l", product]],
  ["response", ["high:b low:b size:n spare:b word_bits:w", response]],
  ["ring", ["flat:b places:r size:n units:b* word_bits:w", ring]],
  ["subset", ["d:n size:n steps:n** true:b word_bits:w", subset]],
  ["table", ["rows:b** word_bits:w", table]],
  ["torus", ["cells:r shape:n* spare:b units:b* word_bits:w", torus]],
  ["types", ["class_of:r inners:l* marks:n** units:b** word_bits:w", types]],
  ["unary", ["other:b own:b size:n word_bits:w", unary]],
  ["utility_rappor", ["inner:l neutral:b sensitive:s", utilityRappor]],
]);

/**
 * The machine of a law, as JSON data says it.
 * @param {any} data
 * @param {number} [depth] how many laws may be inside each other
 * @returns {Machine}
 */
export function machineOf(data, depth = LIMITS.depth) {
  const [shape, make] = KINDS.get(data?.kind) ?? ["", null];
  demand(make && depth, "a law in it is of no known kind, or too deep inside others");
  if (data.size !== undefined) demand(whole(data.size) <= LIMITS.values, "it has too many values");
  const machine = make(shaped(data, shape, (inner) => machineOf(inner, depth - 1)));
  demand(machine.size > 0 && machine.size <= LIMITS.values && machine.words <= LIMITS.bits + 2, "it has no values, or too many");
  return machine;
}
