/** What laws that are made of others have in common. */

import { larger } from "../exact.js";
import { demand, spend } from "../limits.js";
import { demandFull, exchangeable, sums } from "./sampler.js";

/** @import { Sampler } from "./sampler.js" */

/** @param {{takes: number}[]} parts */
export const mostWords = (parts) => Math.max(...parts.map((part) => part.takes));

/** The largest ratio that any of several laws has. @param {Sampler[]} parts @param {number} x @param {number} z */
export const widest = (parts, x, z) => {
  spend(4 * parts.length);
  return parts.map((part) => part.maxRatio(x, z)).reduce(larger);
};

/** @param {Sampler[]} parts */
export const areExchangeable = (parts) => parts.every(({ few }) => few === exchangeable);

/** The bounds of rows of units, each of which takes all words. @param {bigint[][]} rows */
export const boundsOf = (rows) => {
  demand(rows.every((row) => row.length === rows[0].length));
  rows.forEach(demandFull);
  return rows.map(sums);
};
