/** E between two answers as a number, for display; what decides is in whole numbers. */

/** @import { Law } from "./check.js" */
/** @import { Context } from "./context.js" */
/** @import { Ratio } from "./exact.js" */

/** E between an answer and every one, by number: Infinity where it may be told for certain, 0 for itself. @typedef {(x: number) => Float64Array} Row */

/** A number in binary, rounded down by less than 2^-64. @param {Ratio} number */
const floatOf = ([top, bottom]) => Number((top << 64n) / bottom) / 2 ** 64;

/** @param {Context} context @returns {Row} */
const rowsOf = ({ values, sets, at, factors }) => {
  if (factors) {
    const [first, second] = factors.map(rowsOf);
    const k = factors[1].values.length;
    return (x) => {
      const [outer, inner] = [first(Math.floor(x / k)), second(x % k)];
      return Float64Array.from(values, (_, z) => outer[Math.floor(z / k)] + inner[z % k]);
    };
  }
  return (x) => {
    const row = new Float64Array(values.length).fill(Infinity);
    if (at) row.forEach((_, z) => (row[z] = floatOf(at(x, z))));
    for (const [left, right, level] of sets ?? [])
      if (left.includes(x)) for (const z of right) row[z] = Math.min(row[z], floatOf(level));
    row[x] = 0;
    return row;
  };
};

/** E of a law that was checked, row by row. @param {Pick<Law, "E">} law */
export const entriesOf = ({ E }) => rowsOf(E());
