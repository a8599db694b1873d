/** What was refused, and how often, in words. */

import { hasSentence, listed, number, say } from "./languages.js";

/** @param {Record<string, number>} counts by code @returns {string} "" if nothing was */
export const refusals = (counts) => listed(Object.entries(counts).map(([code, n]) => say("counted", { count: number(n), what: hasSentence(`refusals.${code}`) ? say(`refusals.${code}`) : code })));
