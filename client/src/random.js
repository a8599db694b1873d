/** Random words from the system; without them there is no report. */

import { refuse } from "./limits.js";

/**
 * So many random 64-bit words.
 * @param {number} count
 */
export const randomWords = (count) => {
  const words = new BigUint64Array(count);
  // at most 65,536 bytes a call; whatever it throws ends the report
  for (let at = 0; at < count; at += 8192) crypto.getRandomValues(words.subarray(at, at + 8192));
  if (count && words.every((word) => !word)) refuse("There is no randomness.", "random");
  return words;
};
