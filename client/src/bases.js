/** The laws that treat all values alike: response, hadamard, general_hadamard, cyclic, subset, unary. */

import { ceilDivide, demand, ONE, over, times } from "./exact.js";
import { spend } from "./reading.js";
import { alike, fraction, pick, position, setReport, SPACE } from "./machine.js";

/** @import { Ratio } from "./exact.js" */
/** @import { Machine } from "./machine.js" */
/** @import { Held } from "./machine.js" */

/** Whether an odd number of bits is set, of a number below 2^32. @param {number} bits */
function odd(bits) {
  for (let half = 16; half; half >>= 1) bits ^= bits >>> half;
  return bits & 1;
}

/** Neutral reports that are all equally likely, `units` words each. @param {bigint} outputs @param {bigint} likeliest words of any report */
const evenly = (outputs, likeliest) => (/** @type {bigint} */ units, /** @type {number[][]} */ steps) => {
  demand(units > 0n && units * outputs <= SPACE && !steps.length, "its neutral reports do not fit the words");
  return {
    words: 1,
    ratio: /** @type {Ratio} */ ([likeliest, units]),
    /** @param {BigUint64Array} words @returns {[boolean, bigint]} */
    draw: ([u]) => {
      const passes = u >= outputs * units;
      return [passes, pick(passes, 0n, u / units)];
    },
  };
};

/**
 * Reports of a place of `places`, each supported by `members` of them, which write it `odds` times as often as the others do,
 * up to a factor `even`. The parts of a word that places take are uneven by at most one, and counted so.
 * @param {number} places @param {number} members @param {Ratio} odds @param {Machine} machine @param {Ratio} [even]
 * @returns {Held}
 */
function holding(places, members, odds, machine, even = ONE) {
  /** 1 + (odds - 1) times the chance of a member. @param {bigint} part @returns {Ratio} */
  const mean = (part) => [odds[1] * SPACE + (odds[0] - odds[1]) * BigInt(members) * part, odds[1] * SPACE];
  const all = BigInt(places);
  /** @type {[Ratio, Ratio]} */
  const ratios = [over(over(odds, mean(SPACE / all)), even), over(mean(ceilDivide(SPACE, all)), even)];
  return {
    places,
    words: 1 + machine.words,
    ratios: () => ratios,
    draw: (x, blank, words) => machine.draw(pick(blank, position(words[0], places), x), words.subarray(1)),
  };
}

/** @param {{size: number, low: bigint, high: bigint, spare: bigint}} law @returns {Machine} */
export function response({ size, low, high, spare }) {
  const k = BigInt(size);
  const lies = (k - 1n) * low;
  demand(size > 1 ? 0n < low && low < high : size === 1 && !low, "its own value must be the likeliest");
  demand(spare < k && lies + high + spare === SPACE, "its words must add up to all words");
  const unit = low || 1n;
  /** @type {Machine} */
  const machine = {
    size,
    words: 1,
    outputs: k,
    label: alike,
    ratio: () => (size > 1 ? [high, low] : ONE),
    draw: (x, [u]) => {
      const other = u / unit;
      const report = pick(u < lies, other + BigInt(other >= x), BigInt(x));
      return pick(u < SPACE - spare, report, u - SPACE + spare);
    },
    neutral: evenly(k, high + BigInt(spare > 0n)),
  };
  return { ...machine, held: holding(size, 1, size > 1 ? [high, low] : ONE, machine) };
}

/** @param {{size: number, true: bigint}} law @returns {Machine} */
export function hadamard({ size, true: truths }) {
  demand(size > 0, "it must have a value");
  const width = BigInt(64 - size.toString(2).length);
  const space = 1n << width;
  demand(space < 2n * truths && truths < space, "its truths must be more than half of the words, but not all");
  return {
    size,
    words: 1,
    outputs: SPACE >> width,
    label: alike,
    ratio: () => [truths, space - truths],
    draw: (x, [u]) => {
      const row = x + 1;
      const column = Number(u >> width);
      const lie = Number((u & (space - 1n)) >= truths);
      return BigInt(column ^ ((odd(row & column) ^ lie) * (row & -row)));
    },
    neutral: (units, steps) => {
      demand(units > 0n && units <= space && !steps.length, "its neutral reports do not fit the words");
      return { words: 1, ratio: [2n * truths, units], draw: ([u]) => [(u & (space - 1n)) >= units, u >> width] };
    },
  };
}

/** @param {{size: number, parts: number, columns: number, low: bigint, high: bigint, spare: bigint}} law @returns {Machine} */
export function generalHadamard({ size, parts, columns, low, high, spare }) {
  const half = BigInt(columns / 2);
  const outputs = BigInt(parts) * BigInt(columns);
  const few = outputs - half;
  const room = columns > 1 && columns < 2 ** 31 && !(columns & (columns - 1)) && size > 0 && size <= parts * (columns - 1);
  demand(room, "its columns must be a power of two with one row per value");
  demand(0n < low && low < high && spare < outputs, "its own columns must be the likeliest");
  demand(few * low + half * high + spare === SPACE, "its words must add up to all words");
  return {
    size,
    words: 1,
    outputs,
    label: alike,
    ratio: () => [high, low],
    draw: (x, [u]) => {
      const part = Math.floor(x / (columns - 1));
      const row = x - part * (columns - 1) + 1;
      const lowest = row & -row;
      const begin = BigInt(part) * BigInt(columns);
      const lies = u < few * low;
      const lie = u / low;
      const index = Number(pick(lies, lie, (u - few * low) / high) & (half - 1n));
      const spread = 2 * index - (index & (lowest - 1));
      const column = spread + lowest * (odd(row & spread) ^ Number(lies));
      const away = lie - half + BigInt(columns) * BigInt(lie >= begin + half);
      const report = pick(Boolean(Number(lies) & Number(lie >= half)), away, begin + BigInt(column));
      return pick(u < SPACE - spare, report, u - SPACE + spare);
    },
  };
}

/**
 * @param {{size: number, modulus: number, low: bigint, high: bigint, spare: bigint, shifts: import("./reading.js").Bits}} law
 * @returns {Machine}
 */
export function cyclic({ size, modulus, low, high, spare, shifts }) {
  const outputs = shifts.size;
  const many = shifts.members.length;
  const few = BigInt(outputs - many);
  demand(size > 0 && size <= modulus && outputs % modulus === 0 && 0 < many && many < outputs, "its shifts must lie in whole cycles");
  demand(0n < low && low < high && spare < outputs, "its own reports must be the likeliest");
  demand(few * low + BigInt(many) * high + spare === SPACE, "its words must add up to all words");
  spend(outputs);
  const table = new Uint32Array(outputs);
  const cycles = new Array(outputs / modulus).fill(0);
  let at = 0;
  let next = 0;
  for (let shift = 0; shift < outputs; shift += 1) {
    if (shift === shifts.members[next]) {
      cycles[Math.floor(shift / modulus)] += 1;
      next += 1;
    } else table[at++] = shift;
  }
  table.set(shifts.members, at);
  /** @type {Machine} */
  const machine = {
    size,
    words: 1,
    outputs: BigInt(outputs),
    label: alike,
    ratio: () => [high, low],
    draw: (x, [u]) => {
      const isSpare = u >= SPACE - spare;
      const j = pick(u < few * low, u / low, few + (u - few * low) / high);
      const shift = table[Number(pick(isSpare, 0n, j))];
      const begin = shift - (shift % modulus);
      const moved = x + shift - begin;
      return pick(isSpare, u - SPACE + spare, BigInt(begin + moved - Number(moved >= modulus) * modulus));
    },
    neutral: evenly(BigInt(outputs), high + BigInt(spare > 0n)),
  };
  const even = cycles.every((members) => members === cycles[0]);
  return even ? { ...machine, held: holding(modulus, cycles[0], [high, low], machine) } : machine;
}

/** Whether steps make d draws: up to 64 of them from one word, or a single one from two. @param {number[][]} steps @param {number} d */
function isPlan(steps, d) {
  let draws = 0;
  for (const step of steps) {
    const [count, words] = step;
    if (step.length !== 2 || count < 1 || count > 64 || !(words === 1 || (words === 2 && count === 1))) return false;
    draws += count;
  }
  return draws === d;
}

/** The words that steps take. @param {number[][]} steps */
const wordsOf = (steps) => steps.reduce((total, [, words]) => total + words, 0);

/** At most the smallest part of a word over the largest, over all draws. @param {number} first @param {number[][]} steps @returns {Ratio} */
function evenness(first, steps) {
  const space = SPACE * SPACE;
  let uneven = 0n;
  for (const [count, words] of steps) {
    let parts = 1n;
    for (let draw = 0; draw < count; draw += 1) parts *= BigInt(first++);
    if (parts & (parts - 1n) || parts > SPACE ** BigInt(words)) uneven += parts << BigInt(64 * (2 - words));
  }
  demand(uneven < space, "its draws are too uneven");
  return [space - uneven, space];
}

/**
 * Each draw's range and outcome, from the words in turn.
 * @param {number} first @param {number[][]} steps @param {BigUint64Array} words @param {(range: number, t: number) => void} use
 */
function draws(first, steps, words, use) {
  let used = 0;
  for (const [count, taken] of steps) {
    let u = words[used];
    if (taken === 2) use(first, Number((((u << 64n) | words[used + 1]) * BigInt(first++)) >> 128n));
    else
      for (let draw = 0; draw < count; draw += 1) {
        use(first, position(u, first));
        u = fraction(u, first++);
      }
    used += taken;
  }
}

/** @param {{size: number, d: number, true: bigint, steps: number[][]}} law @returns {Machine} */
export function subset({ size, d, true: truths, steps }) {
  demand(0 < d && d < size && isPlan(steps, d), "its steps must make as many draws as its sets have values");
  const [many, others] = [BigInt(d), BigInt(size - d)];
  demand(truths < SPACE && truths * others > (SPACE - truths) * many, "its own value must be the likeliest");
  const even = evenness(size - d, steps);
  /** @type {Ratio} */
  const odds = [truths * others, (SPACE - truths) * many];
  const ratio = over(odds, even);
  /** @type {Machine} */
  const machine = {
    size,
    words: 1 + wordsOf(steps),
    outputs: 1n << BigInt(size),
    label: alike,
    ratio: () => ratio,
    possible: (y) => y.toString(2).replaceAll("0", "").length === d,
    draw: (x, words) => {
      const truth = Number(words[0] < truths);
      const flags = new Uint8Array(size);
      let first = 1;
      draws(size - d, steps, words.subarray(1), (range, t) => {
        const at = t + Number(t >= x);
        const last = range - 1 + Number(range - 1 >= x);
        flags[[at, last][flags[at]]] = 1 - first * truth;
        first = 0;
      });
      flags[x] |= truth;
      return setReport(flags);
    },
    neutral: (units, plan) => {
      demand(units > 0n && units <= SPACE && isPlan(plan, d), "its neutral reports do not fit the words");
      const fair = times(even, evenness(size - d + 1, plan));
      return {
        words: 1 + wordsOf(plan),
        ratio: over([truths * BigInt(size), many * units], fair),
        draw: (words) => {
          const flags = new Uint8Array(size);
          draws(size - d + 1, plan, words.subarray(1), (range, t) => {
            flags[[t, range - 1][flags[t]]] = 1;
          });
          return [words[0] >= units, setReport(flags)];
        },
      };
    },
  };
  return { ...machine, held: holding(size, d, odds, machine, even) };
}

/** @param {{size: number, own: bigint, other: bigint}} law @returns {Machine} */
export function unary({ size, own, other }) {
  demand(size > 0 && 0n < other && other < own && own < SPACE, "its own bit must be the likeliest");
  return {
    size,
    words: size,
    outputs: 1n << BigInt(size),
    label: alike,
    ratio: () => [own * (SPACE - other), other * (SPACE - own)],
    bits: { own, other },
    draw: (x, words) => setReport(Uint8Array.from({ length: size }, (_, bit) => Number(words[bit] < pick(bit === x, own, other)))),
    neutral: (units, steps) => {
      demand(units > 0n && units <= SPACE && !steps.length, "its neutral reports do not fit the words");
      return {
        words: size + 1,
        ratio: [own * SPACE, other * units],
        draw: (words) => [
          words[size] >= units,
          setReport(Uint8Array.from({ length: size }, (_, bit) => Number(words[bit] < other))),
        ],
      };
    },
  };
}
