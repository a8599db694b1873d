/** E between two answers, read from a published context that was checked; for display, so in floating-point numbers. */

/** @param {string | number} epsilon exact text such as "0.5", "1/3" or "inf" */
export function numberOf(epsilon) {
  if (epsilon === "inf") return Infinity;
  const [top, bottom = "1"] = String(epsilon).split("/");
  return Number(top) / Number(bottom);
}

/** @typedef {(x: number, z: number) => number} Entries */

const NORMS = {
  l1: (/** @type {number[]} */ steps) => steps.reduce((sum, step) => sum + Math.abs(step), 0),
  l2: (/** @type {number[]} */ steps) => Math.hypot(...steps),
  linf: (/** @type {number[]} */ steps) => Math.max(...steps.map(Math.abs)),
};

/** How far apart values are, by their number. @param {any} context @param {readonly any[]} values @returns {Entries} */
function distance({ distance: word, around, points, norm }, values) {
  const at = (points ?? values).map((/** @type {any} */ point) => (Array.isArray(point) ? point : [point]).map(numberOf));
  if (word === "ring") {
    const whole = numberOf(around);
    return (x, z) => {
      const apart = Math.abs(at[x][0] - at[z][0]);
      return Math.min(apart, whole - apart);
    };
  }
  const measure = NORMS[/** @type {keyof typeof NORMS} */ (word in NORMS ? word : norm ?? "l1")];
  return (x, z) => measure(at[x].map((/** @type {number} */ part, /** @type {number} */ i) => part - at[z][i]));
}

/** The entries of each form. @type {Record<string, (context: any, values: readonly any[]) => Entries>} */
const FORMS = {
  uniform: ({ epsilon }) => () => numberOf(epsilon),
  blocks: ({ block_of: of, epsilon, epsilons }) => (x, z) => (of[x] === of[z] ? numberOf(epsilons ? epsilons[of[x]] : epsilon) : Infinity),
  high_low: ({ sensitive, epsilon }, values) => {
    const hidden = new Set(sensitive.map((/** @type {any} */ value) => JSON.stringify(value)));
    const own = values.map((value) => hidden.has(JSON.stringify(value)));
    return (x) => (own[x] ? numberOf(epsilon) : Infinity);
  },
  graded: ({ epsilons }) => (x) => numberOf(epsilons[x]),
  binary: ({ epsilon }) => (x) => numberOf(epsilon[x]),
  matrix: ({ E }) => (x, z) => numberOf(E[x][z]),
  nested: ({ block_of: levels, epsilons }) => (x, z) => {
    const level = levels.findIndex((/** @type {number[]} */ of) => of[x] === of[z]);
    return numberOf(epsilons[level < 0 ? levels.length : level]);
  },
  metric: (context, values) => {
    const [apart, unit] = [distance(context, values), numberOf(context.epsilon)];
    return (x, z) => unit * apart(x, z);
  },
  product: ({ first, second }) => {
    const [one, two] = [first, second].map((part) => entriesOf(part.context, part.domain ? domain(part.domain) : []));
    const count = sizeOf(second);
    return (x, z) => one(Math.floor(x / count), Math.floor(z / count)) + two(x % count, z % count);
  },
};

/** The values of a published domain. @param {any} data */
function domain({ values, size }) {
  if (size !== undefined) return Array.from({ length: size }, (_, x) => x);
  if (Array.isArray(values)) return values;
  return Array.from({ length: values.to - values.from + 1 }, (_, x) => values.from + x);
}

/** How many values a factor of a product has, which may be a product itself. @param {any} part @returns {number} */
const sizeOf = ({ context, domain: own }) => (own ? domain(own).length : sizeOf(context.first) * sizeOf(context.second));

/**
 * E[x, z] by the numbers of two answers, 0 for the same one.
 * @param {any} context as published
 * @param {readonly any[]} values
 * @returns {Entries}
 */
export function entriesOf(context, values) {
  const found = FORMS[context.form](context, values);
  return (x, z) => (x === z ? 0 : found(x, z));
}
