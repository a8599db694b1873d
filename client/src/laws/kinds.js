/** Every kind of law by its name, and from the data of a law to its sampler. */

import { BITS, demand, demandSmall, VALUES } from "../limits.js";
import { entries, read } from "../reading.js";
import { blocks } from "./blocks.js";
import { classwiseMixture } from "./classwise_mixture.js";
import { cyclic } from "./cyclic.js";
import { geometric, ring } from "./geometric.js";
import { generalHadamard, hadamard } from "./hadamard.js";
import { highLow, utilityRappor } from "./high_low.js";
import { mixture } from "./mixture.js";
import { nested } from "./nested.js";
import { postProcessed } from "./post_processed.js";
import { adaptive, paired, product } from "./product.js";
import { response } from "./response.js";
import { subset } from "./subset.js";
import { table } from "./table.js";
import { torus } from "./torus.js";
import { treeSubsets } from "./tree_subsets.js";
import { gradedUnary, unary } from "./unary.js";

/** @import { Kind, Sampler } from "./sampler.js" */

/** The file of each kind is imported above. @type {Record<string, Kind>} */
const KINDS = {
  table,
  mixture,
  nested,
  blocks,
  paired,
  product,
  adaptive,
  post_processed: postProcessed,
  geometric,
  ring,
  torus,
  types: classwiseMixture,
  levels: treeSubsets,
  response,
  general_hadamard: generalHadamard,
  cyclic,
  subset,
  hadamard,
  graded_unary: gradedUnary,
  unary,
  high_low: highLow,
  utility_rappor: utilityRappor,
};

/**
 * The sampler of a law, as JSON data says it.
 * @param {any} data
 * @param {number} [depth] how many laws may be inside each other
 * @returns {Sampler}
 */
export const samplerOf = (data, depth = 8) => {
  demand(Object.hasOwn(KINDS, data?.kind) && depth, "its law is not known");
  demandSmall(data.size ?? 1, VALUES);
  const [shape, make] = KINDS[data.kind];
  const fields = shape.split(" ").map((field) => field.split(":"));
  entries(data, "kind", ...fields.map(([name]) => name)); // what is missing, its reader refuses
  const sampler = make(...fields.map(([name, type]) => read(data[name], (inner) => samplerOf(inner, depth - 1), type)));
  demandSmall(sampler.inputs, VALUES);
  demandSmall(sampler.takes, BITS + 2);
  return sampler;
};
