/** From the data of a law to the machine that draws by it. */

import { BITS, demand, demandSmall, VALUES } from "./exact.js";
import { entries, read } from "./reading.js";
import { cyclic, generalHadamard, gradedUnary, hadamard, response, subset, unary } from "./bases.js";
import { levels } from "./levels.js";
import { geometric, ring, torus } from "./lines.js";
import { adaptive, blocks, highLow, mixture, nested, paired, postProcessed, product, table, types, utilityRappor } from "./composed.js";

/** @import { Machine } from "./machine.js" */

/**
 * Every kind of law: its entries, with a letter for each that says how to `read` it, and what makes its machine of them in that order.
 * Those that are like each other stand together, which compresses better.
 * @type {Record<string, [string, (...entries: any[]) => Machine]>}
 */
const KINDS = {
  table: ["rows:b** word_bits:w", table],
  mixture: ["parts:l* units:b*", mixture],
  nested: ["block_of:r kind_of:n* kinds:l* units:b*", nested],
  blocks: ["block_of:r kind_of:n* kinds:l*", blocks],
  paired: ["first:l second:l", paired],
  product: ["first:l second:l", product],
  adaptive: ["choice:n* first:l seconds:l*", adaptive],
  post_processed: ["inner:l weights:b**", postProcessed],
  geometric: ["flat places:r size:n units:b* word_bits:w", geometric],
  ring: ["flat places:r size:n units:b* word_bits:w", ring],
  torus: ["cells:r shape:n* spare units:b* word_bits:w", torus],
  types: ["class_of:r inners:l* marks:n** units:b** word_bits:w", types],
  levels: ["branches:n* inners:l* leaves:r shown:n** word_bits:w", levels],
  response: ["high low size:n spare word_bits:w", response],
  general_hadamard: ["columns:n high low parts:n size:n spare word_bits:w", generalHadamard],
  cyclic: ["high low modulus:n shifts:s size:n spare word_bits:w", cyclic],
  subset: ["d:n size:n steps:n** true word_bits:w", subset],
  hadamard: ["size:n true word_bits:w", hadamard],
  graded_unary: ["grade_of:r other:b* own:b* word_bits:w", gradedUnary],
  unary: ["other own size:n word_bits:w", unary],
  high_low: ["inner:l neutral sensitive:s steps:n**", highLow],
  utility_rappor: ["inner:l neutral sensitive:s", utilityRappor],
};

/**
 * The machine of a law, as JSON data says it.
 * @param {any} data
 * @param {number} [depth] how many laws may be inside each other
 * @returns {Machine}
 */
export const machineOf = (data, depth = 8) => {
  demand(Object.hasOwn(KINDS, data?.kind) && depth, "its law is not known, or too deep");
  demandSmall(data.size ?? 1, VALUES);
  const [shape, make] = KINDS[data.kind];
  const fields = shape.split(" ").map((field) => field.split(":"));
  entries(data, "kind", ...fields.map(([name]) => name)); // what is missing, its reader refuses
  const machine = make(...fields.map(([name, type]) => read(data[name], (inner) => machineOf(inner, depth - 1), type)));
  demandSmall(machine.inputs, VALUES);
  demandSmall(machine.takes, BITS + 2);
  return machine;
};
