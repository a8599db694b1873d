/** The laws that treat all values alike: response, hadamard, general_hadamard, cyclic, subset, unary; and graded_unary. */

import { ascending, bitLength, BITS, ceilDivide, demand, demandSmall, ONE, over, spend, times } from "./exact.js";
import { quotient, range } from "./reading.js";
import { alike, fraction, machineFor, pick, position, setReport, SPACE } from "./machine.js";

/** @import { Ratio } from "./exact.js" */
/** @import { Held, Machine } from "./machine.js" */
/** @import { Bits } from "./reading.js" */

/** Whether an odd number of bits is set, of a number below 2^32. @param {number} bits */
const odd = (bits) => {
  for (let half = 16; half; half >>= 1) bits ^= bits >>> half;
  return bits & 1;
};

/** Refuse neutral reports that the words have no room for. @param {bigint} units @param {bigint} most @param {number[][]} [steps] */
const demandRoom = (units, most, steps = []) => demand(units && units <= most && !steps.length);

/**
 * Reports of a place of `places`, each marking `members` of them, which write it `odds` times as often as the others do, up to
 * a factor `even`. The parts of a word that places take are uneven by at most one, and counted so. A spare word adds a unit to
 * both sides of a ratio, which brings one below 1 nearer to 1: by `spare`, at most.
 * @param {number} places @param {number} members @param {Ratio} odds @param {Machine} machine
 * @param {(y: bigint, place: number) => boolean} marked @param {Ratio} even @param {Ratio} spare
 * @returns {Held}
 */
const holding = (places, members, odds, machine, marked, even, spare) => {
  /** 1 + (odds - 1) times the chance of a member. @param {bigint} part @returns {Ratio} */
  const mean = (part) => [odds[1] * SPACE + (odds[0] - odds[1]) * BigInt(members) * part, odds[1] * SPACE];
  const all = BigInt(places);
  /** @type {[Ratio, Ratio]} */
  const ratios = [over(over(odds, mean(SPACE / all)), even), over(mean(ceilDivide(SPACE, all)), even)];
  const [up, down] = ratios.map((ratio) => times(ratio, spare));
  const fair = over(spare, even);
  return {
    places,
    takes: 1 + machine.takes,
    ratios,
    marks: { members, marked, above: [over(up, odds), up], below: [down, over(down, odds)], between: [over(fair, odds), fair, times(fair, odds)] },
    write: (x, blank, words) => machine.write(pick(blank, position(words[0], places), x), words.subarray(1)),
  };
};

/**
 * One word for `outputs` reports: those that do not support the value come first, `low` words each, then `many` that do, `high`
 * words each; the last `spare` words go to reports 0, 1, ... whatever the value.
 * @param {number} size @param {number} outputs @param {number} many @param {bigint} high @param {bigint} low @param {bigint} spare
 * @param {(x: number, j: number) => number} located the j-th report of a value
 * @returns {Machine}
 */
const twoLevels = (size, outputs, many, high, low, spare, located) => {
  const [all, few] = [BigInt(outputs), BigInt(outputs - many)];
  // the own reports are the likeliest
  demand(size && spare < outputs && (few ? low && low < high : !low) && few * low + BigInt(many) * high + spare === SPACE);
  return machineFor(
    size,
    1,
    all,
    alike,
    () => (few ? [high, low] : ONE),
    (x, [u]) => {
      const isSpare = u >= SPACE - spare;
      const j = pick(u < few * low, u / (low || 1n), few + (u - few * low) / high);
      return pick(isSpare, u - SPACE + spare, BigInt(located(x, Number(pick(isSpare, 0n, j)))));
    },
    { neutral: (units, steps) => {
      demandRoom(units * all, SPACE, steps);
      return {
        takes: 1,
        ratio: [spare ? high + 1n : high, units],
        write: ([u]) => {
          const passes = u >= all * units;
          return [passes, pick(passes, 0n, u / units)];
        },
      };
    } },
  );
};

/** What a spare word may add to a ratio below 1. @param {bigint} spare @param {bigint} low @returns {Ratio} */
const spared = (spare, low) => (spare ? [low + 1n, low] : ONE);

/** @param {bigint} high @param {bigint} low @param {number} size @param {bigint} spare @returns {Machine} */
export const response = (high, low, size, spare) => {
  const machine = twoLevels(size, size, 1, high, low, spare, (x, j) => pick(j < size - 1, j + +(j >= x), x));
  return { ...machine, held: holding(size, 1, low ? [high, low] : ONE, machine, (y, place) => y === BigInt(place), ONE, spared(spare, low)) };
};

/** @param {number} columns @param {bigint} high @param {bigint} low @param {number} parts @param {number} size @param {bigint} spare @returns {Machine} */
export const generalHadamard = (columns, high, low, parts, size, spare) => {
  const half = columns / 2;
  demand(parts && parts * columns <= 2 ** 30 && columns > 1 && !(columns & (columns - 1)) && size <= parts * (columns - 1));
  const few = parts * columns - half;
  const machine = twoLevels(size, parts * columns, half, high, low, spare, (x, j) => {
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
  return { ...machine, neutral: undefined };
};

/** @param {bigint} high @param {bigint} low @param {number} modulus @param {Bits} shifts @param {number} size @param {bigint} spare @returns {Machine} */
export const cyclic = (high, low, modulus, shifts, size, spare) => {
  const { size: outputs, members } = shifts;
  demand(size <= modulus && outputs % modulus === 0 && members.length && members.length < outputs);
  spend(outputs);
  const inside = new Set(members);
  const table = range(outputs).filter((shift) => !inside.has(shift)).concat(members);
  const machine = twoLevels(size, outputs, members.length, high, low, spare, (x, j) => {
    const shift = table[j];
    const begin = shift - (shift % modulus);
    return begin + ((x + shift) % modulus);
  });
  /** @param {bigint} y @param {number} place */
  const marked = (y, place) => {
    const at = Number(y) % modulus;
    return inside.has(Number(y) - at + ((at - place + modulus) % modulus));
  };
  const cycles = outputs / modulus;
  const each = members.length / cycles;
  /** Whether every cycle has as many shifts; they are in increasing order. */
  const isEven = Number.isInteger(each) && members.every((shift, i) => quotient(shift, modulus) === quotient(i, each));
  return isEven ? { ...machine, held: holding(modulus, each, [high, low], machine, marked, ONE, spared(spare, low)) } : machine;
};

/** @param {number} size @param {bigint} truths @returns {Machine} */
export const hadamard = (size, truths) => {
  const width = 64n - BigInt(bitLength(BigInt(size)));
  const space = 1n << width;
  demand(size && space < 2n * truths && truths < space); // more truths than lies, but not all
  return machineFor(
    size,
    1,
    SPACE >> width,
    alike,
    () => [truths, space - truths],
    (x, [u]) => {
      const row = x + 1;
      const column = Number(u >> width);
      const lie = +((u & (space - 1n)) >= truths);
      return BigInt(column ^ ((odd(row & column) ^ lie) * (row & -row)));
    },
    { neutral: (units, steps) => {
      demandRoom(units, space, steps);
      return { takes: 1, ratio: [2n * truths, units], write: ([u]) => [(u & (space - 1n)) >= units, u >> width] };
    } },
  );
};

/** Whether steps make d draws: up to 64 of them from one word, or a single one from two. @param {number[][]} steps @param {number} d */
const isPlan = (steps, d) =>
  steps.every(([count, words, ...more]) => !more.length && 0 < count && count < 65 && (words === 1 || (words === 2 && count === 1))) &&
  steps.reduce((draws, [count]) => draws + count, 0) === d;

/** The words that steps take. @param {number[][]} steps */
const wordsOf = (steps) => steps.reduce((total, [, words]) => total + words, 0);

/** At most the smallest part of a word over the largest, over all draws. @param {number} first @param {number[][]} steps @returns {Ratio} */
const evenness = (first, steps) => {
  const space = SPACE * SPACE;
  let even = space;
  for (const [count, words] of steps) {
    let parts = 1n;
    for (let draw = 0; draw < count; draw += 1) parts *= BigInt(first++);
    if (parts & (parts - 1n) || parts > SPACE ** BigInt(words)) even -= parts << BigInt(64 * (2 - words));
  }
  demand(even > 0n);
  return [even, space];
};

/**
 * A set by Floyd's algorithm: each draw adds its outcome, or the last of its range if that is in already.
 * @param {number} size @param {number} first the range of the first draw, each of the next has one more
 * @param {number[][]} steps @param {BigUint64Array} words
 * @param {(t: number) => number} moved a number of the others as a number of all
 * @param {number} skipped 1 if the first draw is left out
 */
const drawSet = (size, first, steps, words, moved, skipped) => {
  const flags = new Uint8Array(size);
  let [used, add] = [0, 1 - skipped];
  for (const [count, taken] of steps) {
    let u = words[used];
    for (let draw = 0; draw < count; draw += 1) {
      const t = taken > 1 ? Number((((u << 64n) | words[used + 1]) * BigInt(first)) >> 128n) : position(u, first);
      u = fraction(u, first++);
      flags[[moved(t), moved(first - 2)][flags[moved(t)]]] = add;
      add = 1;
    }
    used += taken;
  }
  return flags;
};

/** @param {number} d @param {number} size @param {number[][]} steps @param {bigint} truths @returns {Machine} */
export const subset = (d, size, steps, truths) => {
  const [many, others] = [BigInt(d), BigInt(size - d)];
  demandSmall(size, BITS);
  // the own value is in more often than any other
  demand(0 < d && d < size && isPlan(steps, d) && truths < SPACE && truths * others > (SPACE - truths) * many);
  const even = evenness(size - d, steps);
  /** @type {Ratio} */
  const odds = [truths * others, (SPACE - truths) * many];
  const ratio = over(odds, even);
  /** @type {Machine} */
  const machine = machineFor(
    size,
    1 + wordsOf(steps),
    1n << BigInt(size),
    alike,
    () => ratio,
    (x, words) => {
      const truth = +(words[0] < truths);
      const flags = drawSet(size, size - d, steps, words.subarray(1), (t) => t + +(t >= x), truth);
      flags[x] |= truth;
      return setReport(flags);
    },
    { neutral: (units, plan) => {
      demandRoom(units, SPACE);
      demand(isPlan(plan, d));
      return {
        takes: 1 + wordsOf(plan),
        ratio: over([truths * BigInt(size), many * units], times(even, evenness(size - d + 1, plan))),
        write: (words) => [words[0] >= units, setReport(drawSet(size, size - d + 1, plan, words.subarray(1), (t) => t, 0))],
      };
    } },
  );
  return { ...machine, held: holding(size, d, odds, machine, (y, place) => Boolean((y >> BigInt(place)) & 1n), even, ONE) };
};

/** @param {number[]} gradeOf @param {bigint[]} other @param {bigint[]} own @returns {Machine} */
export const gradedUnary = (gradeOf, other, own) => {
  const size = gradeOf.length;
  spend(4 * size);
  demandSmall(size, BITS);
  // the own bit is on more often
  demand(own.length === other.length && gradeOf.every((grade) => grade < own.length) && own.every((a, grade) => other[grade] && other[grade] < a && a < SPACE));
  /** How much likelier a bit is on for its own value, and off for another one. @type {Ratio[][]} */
  const factors = [own.map((a, grade) => [a, other[grade]]), own.map((a, grade) => [SPACE - other[grade], SPACE - a])];
  return machineFor(
    size,
    size,
    1n << BigInt(size),
    // the two with the largest factors of each kind
    (values) => factors.flatMap((factor) => {
      spend(32 * values.length);
      return [...values].sort((x, z) => ascending(factor[gradeOf[z]], factor[gradeOf[x]])).slice(0, 2);
    }),
    (x, z) => times(factors[0][gradeOf[x]], factors[1][gradeOf[z]]),
    // for nobody's value, -1, no bit is the own one
    (x, words) => setReport(Uint8Array.from(gradeOf, (g, bit) => +(words[bit] < pick(bit === x, own[g], other[g])))),
  );
};

/** @param {bigint} other @param {bigint} own @param {number} size @returns {Machine} */
export const unary = (other, own, size) => {
  const machine = gradedUnary(Array(size).fill(0), [other], [own]);
  return {
    ...machine,
    few: alike,
    bitwise: true,
    neutral: (units, steps) => {
      demandRoom(units, SPACE, steps);
      return { takes: size + 1, ratio: [own * SPACE, other * units], write: (words) => [words[size] >= units, machine.write(-1, words)] };
    },
  };
};
