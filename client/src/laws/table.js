/** A table of all probabilities. */

import { spend } from "../limits.js";
import { boundsOf } from "./composition.js";
import { everyone, largest, rank, samplerFor } from "./sampler.js";

/** @import { Kind } from "./sampler.js" */

/** @type {Kind<[rows: bigint[][]]>} */
export const table = ["rows:b** word_bits:w", (rows) => {
  const bounds = boundsOf(rows);
  const outputs = rows[0].length;
  spend(rows.length ** 2 * (outputs + 50)); // as Python counts it, before any pair is compared
  return samplerFor(
    rows.length,
    1,
    BigInt(outputs),
    everyone,
    (x, z) => largest(rows[x], rows[z]),
    (x, [u]) => BigInt(rank(bounds[x], u)),
  );
}];
