/** Columns of Hadamard matrices that agree with the value's row, on one word; several matrices side by side for many values. */

import { bitLength } from "../exact.js";
import { demand } from "../limits.js";
import { quotient } from "../reading.js";
import { demandRoom, pureProtocol } from "./pure.js";
import { exchangeable, samplerFor, SPACE } from "./sampler.js";

/** @import { Kind } from "./sampler.js" */

/** Whether an odd number of bits is set, of a number below 2^32. @param {number} bits */
const odd = (bits) => {
  for (let half = 16; half; half >>= 1) bits ^= bits >>> half;
  return bits & 1;
};

/** @type {Kind<[columns: number, high: bigint, low: bigint, parts: number, size: number, spare: bigint]>} */
export const generalHadamard = ["columns:n high low parts:n size:n spare word_bits:w", (columns, high, low, parts, size, spare) => {
  const half = columns / 2;
  demand(parts && parts * columns <= 2 ** 30 && columns > 1 && !(columns & (columns - 1)) && size <= parts * (columns - 1));
  const few = parts * columns - half;
  const sampler = pureProtocol(size, parts * columns, half, high, low, spare, (x, j) => {
    const part = quotient(x, columns - 1);
    const row = x - part * (columns - 1) + 1;
    const lowest = row & -row;
    const lies = +(j < few);
    const index = (j - few * (1 - lies)) & (half - 1);
    const spread = 2 * index - (index & (lowest - 1));
    const column = part * columns + spread + lowest * (odd(row & spread) ^ lies);
    const away = j - half + columns * +(j >= part * columns + half);
    return [column, away][lies & +(j >= half)];
  });
  return { ...sampler, unprotected: undefined };
}];

/** @type {Kind<[size: number, truths: bigint]>} */
export const hadamard = ["size:n true word_bits:w", (size, truths) => {
  const width = 64n - BigInt(bitLength(BigInt(size)));
  const space = 1n << width;
  demand(size && space < 2n * truths && truths < space); // more truths than lies, but not all
  return samplerFor(
    size,
    1,
    SPACE >> width,
    exchangeable,
    () => [truths, space - truths],
    (x, [u]) => {
      const row = x + 1;
      const column = Number(u >> width);
      const lie = +((u & (space - 1n)) >= truths);
      return BigInt(column ^ ((odd(row & column) ^ lie) * (row & -row)));
    },
    { unprotected: (units, steps) => {
      demandRoom(units, space, steps);
      return [1, [2n * truths, units], ([u]) => [(u & (space - 1n)) >= units, u >> width]];
    } },
  );
}];
