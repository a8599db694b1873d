/** Shifts of a set of residues, such as a difference set: the report is likelier where the value moves it into the set. */

import { ONE } from "../exact.js";
import { demand, spend } from "../limits.js";
import { quotient, range } from "../reading.js";
import { coverFor, pureProtocol, spareRatio } from "./pure.js";

/** @import { Bits } from "../reading.js" */
/** @import { Kind } from "./sampler.js" */

/** @type {Kind<[high: bigint, low: bigint, modulus: number, shifts: Bits, size: number, spare: bigint]>} */
export const cyclic = ["high low modulus:n shifts:s size:n spare word_bits:w", (high, low, modulus, shifts, size, spare) => {
  const { size: outputs, members } = shifts;
  demand(size <= modulus && outputs % modulus === 0 && members.length && members.length < outputs);
  spend(outputs);
  const inside = new Set(members);
  const table = range(outputs).filter((shift) => !inside.has(shift)).concat(members);
  const sampler = pureProtocol(size, outputs, members.length, high, low, spare, (x, j) => {
    const shift = table[j];
    const begin = shift - (shift % modulus);
    return begin + ((x + shift) % modulus);
  });
  /** @param {bigint} y @param {number} place */
  const holds = (y, place) => {
    const at = Number(y) % modulus;
    return inside.has(Number(y) - at + ((at - place + modulus) % modulus));
  };
  const cycles = outputs / modulus;
  const each = members.length / cycles;
  /** Whether every cycle has as many shifts; they are in increasing order. */
  const isEven = Number.isInteger(each) && members.every((shift, i) => quotient(shift, modulus) === quotient(i, each));
  return isEven ? { ...sampler, cover: coverFor(modulus, each, [high, low], sampler, holds, ONE, spareRatio(spare, low)) } : sampler;
}];
