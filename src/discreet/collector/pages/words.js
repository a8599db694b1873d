/** Odds, and answers, in words and numbers for people; rounded against the collector. */

import { wordsFor } from "./made/participant.js";

/** How many times likelier a report may be. @param {number} epsilon */
export const power = (epsilon) => Math.exp(epsilon) * (1 + 1e-12);

/** Three digits, rounded up. @param {number} number */
export function above(number) {
  if (!(number < 1e6)) return "a million or more";
  const step = 10 ** (Math.floor(Math.log10(number)) - 2);
  return String(Number((Math.ceil(number / step - 1e-9) * step).toPrecision(3)));
}

/**
 * Of a hundred people who send one report, at most so many hold the value, if `share` of a hundred hold it before:
 * p r / (p r + 1 - p), rounded up.
 * @param {number} share
 * @param {number} likelier
 */
export const sureAtMost = (share, likelier) => (!(likelier < 1e12) ? 100 : Math.min(100, Math.ceil((100 * share * likelier) / (share * likelier + 100 - share) - 1e-9)));

/** How a value is shown: the collection's words for it, or its own text. @param {any} value @param {Record<string, string>} words */
export const valueText = (value, words) => wordsFor(value, words) ?? plain(value);

/** A value for people: the answers of a tuple one after the other. @param {any} value @returns {string} */
function plain(value) {
  const parts = value?.tuple ?? value;
  return Array.isArray(parts) ? parts.map(plain).join(", ") : String(parts);
}
