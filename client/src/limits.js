/** What is refused, with a reason, and how much a law may ask for. */

import { Refused } from "./refused.js";

export { Refused };

/** @param {string} message @param {string} code @returns {never} */
export const refuse = (message, code) => {
  throw new Refused(message, code);
};

/**
 * Refuse a law unless something holds of it.
 * @type {(holds: unknown, reason?: string) => asserts holds}
 */
export const demand = (holds, reason = "its numbers do not agree") => {
  if (!holds) refuse(reason, "law");
};

/** The most characters of a published law; more is refused before it is read. */
export const LAW_BYTES = 1 << 26;

/** The most values. */
export const VALUES = 1 << 20;

/** The most bits of a report. */
export const BITS = 1 << 16;

/** The most work, in steps of about 0.1 microseconds. */
export const WORK = 1 << 25;

let spent = 0;

/** Start to count the work that a law asks for. @param {number} from */
export const begin = (from) => (spent = from);

/** Count work that is about to be done. @param {number} work */
export const spend = (work) => {
  spent += work;
  demand(spent <= WORK, "it takes too much work to check");
};

/** Refuse what is empty or beyond a limit. @param {number} size @param {number} most */
export const demandSmall = (size, most) => demand(size > 0 && size <= most, "it is too large, or empty");
