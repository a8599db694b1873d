/** The check of a published law, from its integers alone, before anybody answers. */

import { sha256 } from "./bytes.js";
import { atMost, expBelow, NOTHING, ONE, textOf } from "./exact.js";
import { begin, BITS, demand, demandSmall, LAW_BYTES, refuse, Refused, spend } from "./limits.js";
import { entries } from "./reading.js";
import { contextOf, textual, valuesOf } from "./context.js";
import { samplerOf } from "./laws/kinds.js";
import { bitsOf } from "./laws/sampler.js";

/** @import { Context } from "./context.js" */
/** @import { Numbers } from "./numbers.js" */
/** @import { Sampler } from "./laws/sampler.js" */

/**
 * A law that keeps its promise: every likelihood ratio that the context asks about is within e^E.
 * @typedef {object} Law
 * @property {string} fingerprint the SHA-256 of its text
 * @property {readonly any[]} values the answers that can be given
 * @property {number} size how many there are
 * @property {any} context the context that was checked, as published
 * @property {() => Context} E the same, as it was checked; `entriesOf` reads it
 * @property {string} epsilon the largest finite entry of E, or an upper bound of it, as exact text
 * @property {boolean} shows whether some values may be told from others for certain
 * @property {number} words how many 64-bit words a report takes
 * @property {number} bits how many bits hold a report
 * @property {Numbers} [numbers] what people hold, where values are the nodes of a scale and they may hold what is between
 * @property {(value: any) => number} index the number of what a person holds: of a value, or the position of a number
 * @property {(x: number, words: BigUint64Array) => bigint} draw the report of what has the number x
 * @property {(report: bigint) => number | string} written a report as it is sent
 */

/**
 * The law that a text publishes, once its promise has been checked; `Refused` with a reason if it does not hold.
 * @param {string} text the canonical JSON, exactly as published
 * @param {{fingerprint?: string, from?: number}} [expected] `from` is the work that is counted as done
 * @returns {Promise<Law>}
 */
export async function checkLaw(text, { fingerprint, from = 0 } = {}) {
  if (!(text?.length <= LAW_BYTES)) refuse("The law is too large.", "limits");
  const hash = await sha256(text);
  if (fingerprint !== undefined && fingerprint !== hash) refuse("This is not the law that was announced.", "fingerprint");
  const check = text.includes(NUMBERS) ? (await import("./numbers.js")).overNumbers(checked) : checked;
  try {
    begin(from);
    return check(valuesOf, text, hash);
  } catch (problem) {
    const reason = problem instanceof Refused ? problem.message : "it cannot be read";
    return refuse(`This collection is refused: ${reason}.`, "law");
  } finally {
    begin(-Infinity); // whoever reads the context later is not counted
  }
}

/** How a domain of numbers begins; no text in a law holds it. */
const NUMBERS = '{"clip"';

/** Check a law, whose values `read` finds in its domain. @param {(domain: any) => any[]} read @param {string} text @param {string} fingerprint @returns {Law} */
const checked = (read, text, fingerprint) => {
  const data = JSON.parse(text);
  // nothing that two readers could take differently: white space, repeated keys, 1.0 for 1 and the like do not survive the round trip, and
  // only half a character is written as \\ud...
  demand(textual(data) === text && !/[^\\](\\\\)*\\ud/.test(text), "it cannot be read");
  entries(data, "context domain law version");
  demand(data.version === 2);
  const context = contextOf(data.context, read(data.domain));
  const sampler = samplerOf(data.law);
  demand(sampler.inputs === context.values.length);
  const bits = bitsOf(sampler.outputs);
  demandSmall(bits, BITS);
  prove(context, sampler);
  const { values } = context;
  const cannot = () => refuse("This answer cannot be given.", "value"); // never repeats it
  /** @type {Map<string, number>} */
  const numbers = new Map(values.map((value, x) => [textual(value), x]));
  return Object.freeze({
    fingerprint,
    values: Object.freeze(values),
    size: values.length,
    context: data.context,
    E: () => context,
    epsilon: textOf(context.largest),
    shows: context.shows,
    words: sampler.takes,
    bits,
    index: (/** @type {any} */ value) => numbers.get(textual(value)) ?? cannot(),
    draw: (/** @type {number} */ x, /** @type {BigUint64Array} */ words) =>
      Number.isInteger(x) && x in values && words.length === sampler.takes ? sampler.write(x, words) : cannot(),
    written: (/** @type {bigint} */ report) => (bits <= 53 ? Number(report) : report.toString(16).padStart(Math.ceil(bits / 4), "0")),
  });
};

/**
 * Refuse a sampler that lets a pair of values be told apart more than the context allows. No floating-point number decides.
 * @param {Context} context
 * @param {Sampler} sampler
 */
const prove = (context, sampler) => {
  if (sampler.proves?.(context)) return;
  const named = (/** @type {number} */ x) => textual(context.values[x]).slice(0, 60);
  let known = NOTHING;
  let power = ONE; // at most e^known
  for (const [x, z, level] of context.claims(sampler.few)) {
    spend(8);
    const ratio = sampler.maxRatio(x, z);
    if (!(atMost(known, level) && atMost(ratio, power))) power = expBelow((known = level));
    if (!(ratio[0] >= ratio[1] && ratio[1] > 0n && atMost(ratio, power)))
      refuse(`a report would tell ${named(x)} from ${named(z)} more than epsilon ${textOf(level)} allows`, "law");
  }
};
