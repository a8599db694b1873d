// discreet 0.1.0, the client: joined from src/ by build.mjs, so do not edit it here.
// SPDX-License-Identifier: Apache-2.0

// -- src/bytes.js --------------------------------------------------------------------------------------------

/** Bytes, their hash, and how they are written. */

/** @param {string} text */
const utf8 = (text) => new TextEncoder().encode(text);

/** Bytes as lowercase hexadecimal digits. @param {ArrayBuffer} bytes */
const hexOf = (bytes) => [...new Uint8Array(bytes)].map((byte) => byte.toString(16).padStart(2, "0")).join("");

/** The SHA-256 of a text, as UTF-8. @param {string} text */
const sha256 = async (text) => hexOf(await crypto.subtle.digest("SHA-256", utf8(text)));

// -- src/exact.js --------------------------------------------------------------------------------------------

/** Exact numbers: decimals as whole numbers, and a rational that is certainly at most e to the epsilon. */

/**
 * A rational number: numerator and denominator, which is positive.
 * @typedef {readonly [bigint, bigint]} Ratio
 */

/** What must not be used, with a reason that a person can read. */
class Refused extends Error {
  /**
   * @param {string} message
   * @param {string} code the reason in one word, for programs
   */
  constructor(message, code) {
    super(message);
    this.name = "Refused";
    this.code = code;
  }
}

/** @param {string} message @param {string} code @returns {never} */
const refuse = (message, code) => {
  throw new Refused(message, code);
};

/**
 * Refuse a law unless something holds of it.
 * @type {(holds: unknown, reason?: string) => asserts holds}
 */
const demand = (holds, reason = "its numbers contradict each other") => {
  if (!holds) refuse(reason, "law");
};

/** What a published law may ask for; more is refused before it is expanded. */
const LIMITS = { bytes: 1 << 26 };

/** The most values. */
const VALUES = 1 << 20;

/** The most bits of a report. */
const BITS = 1 << 16;

/** The most work, in steps of about 0.1 microseconds. */
const WORK = 1 << 25;

let spent = 0;

/** Start to count the work that a law asks for. */
const begin = () => void (spent = 0);

/** Count work that is about to be done. @param {number} work */
const spend = (work) => {
  spent += work;
  demand(spent <= WORK, "it takes too much work to check");
};

/** Refuse what is empty or beyond a limit. @param {number} size @param {number} most */
const demandSmall = (size, most) => demand(size > 0 && size <= most, "it is too large, or empty");

/** @type {Ratio} */
const NOTHING = [0n, 1n];

/** @type {Ratio} */
const ONE = [1n, 1n];

/** The bound of what has none: its denominator is 0, and it is larger than any number. @type {Ratio} */
const INFINITE = [1n, 0n];

const FRACTION = /^(\d+)\/(0*[1-9]\d*)$/;
const DECIMAL = /^([+-]?(?=\.?\d)\d*)\.?(\d*)(?:e([+-]?\d{1,3}))?$/i;
const LONGEST = 1200;

/**
 * The number that a decimal or a fraction says, exactly; null if it says none.
 * @param {unknown} written
 * @returns {Ratio | null}
 */
const exactNumber = (written) => {
  const text = String(written);
  if (typeof written === "object" || text.length > LONGEST) return null;
  const [, top, bottom] = FRACTION.exec(text) ?? [];
  if (bottom) return [BigInt(top), BigInt(bottom)];
  const [, whole, part, power = 0] = DECIMAL.exec(text) ?? [];
  if (whole === undefined) return null;
  const places = Number(power) - part.length;
  const digits = BigInt(whole + part);
  return places < 0 ? [digits, 10n ** BigInt(-places)] : [digits * 10n ** BigInt(places), 1n];
};

/**
 * The epsilon that a text says; null for "inf", no protection.
 * @param {unknown} written
 * @returns {Ratio | null}
 */
const epsilonOf = (written) => {
  if (written === "inf") return null;
  spend(8 + String(written).length ** 2 / 64);
  const found = exactNumber(written);
  demand(found && found[0] >= 0n && textOf(found) === written, "an epsilon is no exact number");
  return found;
};

/** @param {Ratio} a @param {Ratio} b @returns {Ratio} */
const times = (a, b) => [a[0] * b[0], a[1] * b[1]];

/** @param {Ratio} a @param {Ratio} b @returns {Ratio} */
const over = (a, b) => [a[0] * b[1], a[1] * b[0]];

/** @param {Ratio} a @param {Ratio} b @returns {Ratio} */
const plus = (a, b) => [a[0] * b[1] + b[0] * a[1], a[1] * b[1]];

/** @param {Ratio} a @param {Ratio} b */
const atMost = (a, b) => a[0] * b[1] <= b[0] * a[1];

/** The order of two numbers, as `sort` takes it. @param {Ratio} a @param {Ratio} b */
const ascending = (a, b) => +atMost(b, a) - +atMost(a, b);

/** @param {Ratio} a @param {Ratio} b @returns {Ratio} */
const larger = (a, b) => (atMost(a, b) ? b : a);

/** @param {readonly bigint[]} numbers */
const greatest = (numbers) => numbers.reduce((a, b) => (a > b ? a : b));

/** @param {bigint} a @param {bigint} b */
const ceilDivide = (a, b) => (a + b - 1n) / b;

/** The number of binary digits; 0 has one. @param {bigint} number */
const bitLength = (number) => number.toString(2).length;

/**
 * The shortest exact text of a number: "0.5" or "1/3".
 * @param {Ratio} number
 */
const textOf = (number) => {
  let [common, rest] = number;
  while (rest) [common, rest] = [rest, common % rest];
  const [top, bottom] = number.map((part) => part / common);
  const places = bitLength(bottom); // enough for every decimal with this denominator
  const digits = 10n ** BigInt(places);
  if (digits % bottom) return `${top}/${bottom}`;
  const text = String((top * digits) / bottom).padStart(places + 1, "0");
  return `${text.slice(0, -places)}.${text.slice(-places)}`.replace(/\.?0+$/, "");
};

/**
 * A function that keeps what it found for a key.
 * @template K, V
 * @param {(key: K) => V} find
 * @param {{has(key: K): boolean, get(key: K): V | undefined, set(key: K, found: V): unknown}} [known] where it is kept
 * @returns {(key: K) => V}
 */
const kept = (find, known = new Map()) => {
  return (key) => {
    if (!known.has(key)) known.set(key, find(key));
    return /** @type {V} */ (known.get(key));
  };
};

/** The e^epsilon of `expBelow` for an epsilon written as a fraction. */
const powerBelow = kept((/** @type {string} */ epsilon) => {
  const [top, bottom] = epsilon.split("/").map(BigInt);
  const squarings = BigInt(bitLength(ceilDivide(top, bottom)) + 8);
  const scale = 272n + squarings + 2n * ceilDivide(3n * top, 2n * bottom);
  spend(Number(scale) ** 2 / 1024);
  const reduced = (top << scale) / (bottom << squarings);
  let [term, total] = [1n << scale, 1n << scale];
  for (let index = 1n; term; index += 1n) {
    term = ((term * reduced) >> scale) / index;
    total += term;
  }
  for (let square = 0n; square < squarings; square += 1n) total = (total * total) >> scale;
  return /** @type {Ratio} */ ([total, 1n << scale]);
});

/**
 * A rational at most e^epsilon, within a relative 2^-200 of it up to epsilon 4096: the Taylor series of
 * e^(epsilon / 2^s) and s squarings, every term and every square rounded down, which can only lower the result.
 * @param {Ratio} epsilon
 * @returns {Ratio}
 */
const expBelow = ([top, bottom]) => powerBelow(top > 4096n * bottom ? "4096/1" : `${top}/${bottom}`);

// -- src/reading.js ------------------------------------------------------------------------------------------

/** Published laws as data: strict, within limits, each number written in one way only. */


/** Whole numbers divided, rounded down. @param {number} a @param {number} b */
const quotient = (a, b) => (a - (a % b)) / b;

/** The numbers from 0 on, so many. @param {number} count */
const range = (count) => [...Array(count).keys()];

/**
 * A set of numbers below `size`.
 * @typedef {{size: number, members: number[]}} Bits
 */

/**
 * The entries of an object that has exactly these keys, in order.
 * @param {any} data
 * @param {string} keys separated by spaces
 * @param {string[]} optional keys that may be missing
 */
const entries = (data, keys, ...optional) => {
  const wanted = [...keys.split(" "), ...optional.filter((key) => key in data)].sort();
  demand(Object.keys(data).join(" ") === wanted.join(" "));
  return data;
};

/** A whole number that is small enough to count with. @param {any} data @returns {number} */
const whole = (data) => {
  demand(Number.isSafeInteger(data) && data >= 0);
  return data;
};

/** A whole number of any size: a JSON number below 2^53, decimal text from there on. @param {any} data */
const big = (data) => {
  demand(typeof data === "string" ? /^[1-9]\d{15,599}$/.test(data) && BigInt(data) >> 53n : whole(data) >= 0);
  return BigInt(data);
};

/** @param {any} data @returns {any[]} */
const listed = (data) => {
  demand(Array.isArray(data));
  return data;
};

/** @param {any} data @returns {Bits} */
const bits = (data) => {
  const size = whole(entries(data, "bits size").size);
  spend(size);
  const bytes = atob(data.bits);
  const beyond = bytes.charCodeAt(bytes.length - 1) >> (size % 8 || 8);
  demand(bytes.length === Math.ceil(size / 8) && btoa(bytes) === data.bits && !beyond);
  return { size, members: range(size).filter((i) => (bytes.charCodeAt(i >> 3) >> (i & 7)) & 1) };
};

/** @param {any} data @returns {number[]} */
const row = (data) => {
  let last = -1;
  return listed(entries(data, "runs").runs).flatMap((run) => {
    const [number, count] = listed(run).map(whole);
    demand(run.length === 2 && count && number !== last);
    spend(4 * count);
    last = number;
    return Array(count).fill(number);
  });
};

/** How an entry of a law is read, by a letter. @type {Record<string, (data: any) => any>} */
const READERS = { n: whole, b: big, s: bits, r: row, w: (width) => demand(width === 64) };

/**
 * An entry of a law: n a small number, b one of any size, s a set, r a row, l a law, w the width of words. A star after the letter
 * is a list of them, two a list of lists.
 * @param {any} entry
 * @param {(data: any) => any} law reads the laws inside it
 * @param {string} [type]
 * @returns {any}
 */
const read = (entry, law, type = "b") =>
  type.endsWith("*") ? listed(entry).map((part) => read(part, law, type.slice(0, -1))) : (READERS[type] ?? law)(entry);

// -- src/machine.js ------------------------------------------------------------------------------------------

/** What every law becomes: a machine that draws reports, and says what any two values' reports can give away. */



/**
 * Reports of values that need no protection, inside a high-low law.
 * @typedef {object} Neutral
 * @property {number} takes how many words
 * @property {Ratio} ratio the largest Q(y|x) / Pr(y) for a protected x
 * @property {(words: BigUint64Array) => [boolean, bigint]} write whether the value passes, and the report if not
 */

/**
 * Reports of a place, and blank ones that say nothing of any value; for blocks and types that others may show as well.
 * @typedef {object} Held
 * @property {number} takes how many words
 * @property {number} places the places that a blank report is drawn from
 * @property {(x: number, blank: boolean, words: BigUint64Array) => bigint} write
 * @property {[Ratio, Ratio]} ratios the largest Q(y|x) / Pr(blank y) of any x, and the other way round
 * @property {Marks} [marks]
 */

/**
 * Reports that mark some of their places, all as many.
 * @typedef {object} Marks
 * @property {number} members how many they mark
 * @property {(y: bigint, place: number) => boolean} marked whether a report marks a place
 * @property {[Ratio, Ratio]} above the most that a report is likelier from x than blank, where it does not mark x and where it does
 * @property {[Ratio, Ratio]} below the most that it is likelier blank than from x
 * @property {Ratio[]} between the most that it is likelier from x than from z, where marked(x) - marked(z) is -1, 0, 1
 */

/**
 * Of some values, few that stand for all of them: whatever other value they are compared with, either way, one of the few has a ratio
 * to it, or from it, that is as large as that of any of the values.
 * @typedef {(values: number[]) => number[]} Few
 */

/**
 * @typedef {object} Machine
 * @property {number} inputs how many values it has
 * @property {number} takes how many 64-bit words a report takes, whatever the value
 * @property {bigint} outputs reports are below this
 * @property {Few} few
 * @property {(x: number, z: number) => Ratio} ratio a certain bound on Q(y|x) / Q(y|z) over all reports y
 * @property {(x: number, words: BigUint64Array) => bigint} write
 * @property {(context: Context) => boolean} [proves] true if all that a context asks is proved at once
 * @property {(units: bigint, steps: number[][]) => Neutral} [neutral]
 * @property {Held} [held]
 * @property {boolean} [bitwise] true for unary encoding, which draws for nobody's value, -1, too
 */

/**
 * A machine; `more` is what some have besides.
 * @param {number} inputs @param {number} takes @param {bigint} outputs @param {Few} few @param {Machine["ratio"]} ratio
 * @param {Machine["write"]} write @param {Partial<Machine>} [more]
 * @returns {Machine}
 */
const machineFor = (inputs, takes, outputs, few, ratio, write, more) => ({ inputs, takes, outputs, few, ratio, write, ...more });

/** How many states a word has. */
const SPACE = 1n << 64n;
const MASK = SPACE - 1n;

/** Where any two values have one ratio. @type {Few} */
const alike = (values) => values.slice(0, 2);

/** Where no value is like another. @type {Few} */
const everyone = (values) => values;

/**
 * The members of groups: the place of every value in its group, and how many each has.
 * @param {number[]} groupOf @param {number} count
 */
const placed = (groupOf, count) => {
  const sizes = Array(count).fill(0);
  demand(groupOf.every((group) => group < count));
  return { place: groupOf.map((group) => sizes[group]++), sizes };
};

/** Where the values of a group are alike. @param {number[]} groupOf @param {number} count @returns {Few} */
const twoOfEach = (groupOf, count) => (values) => {
  spend(count + values.length);
  const { place } = placed(values.map((x) => groupOf[x]), count);
  return values.filter((_, i) => place[i] < 2);
};

/**
 * `a` if the flag holds, else `b`; both have been computed.
 * @template T
 * @param {boolean} flag @param {T} a @param {T} b @returns {T}
 */
const pick = (flag, a, b) => [b, a][+flag];

/** floor(u below / 2^64). @param {bigint} u @param {number} below */
const position = (u, below) => Number((u * BigInt(below)) >> 64n);

/** u below mod 2^64. @param {bigint} u @param {number} below */
const fraction = (u, below) => (u * BigInt(below)) & MASK;

/** How many of the increasing bounds are at most u. @param {readonly bigint[]} bounds @param {bigint} u */
const rank = (bounds, u) => {
  let found = 0;
  for (const bound of bounds) found += +(bound <= u);
  return found;
};

/** The sums of the first one, two, ... numbers. @param {readonly bigint[]} numbers */
const sums = (numbers) => {
  let total = 0n;
  return numbers.map((number) => (total += number));
};

/** @param {readonly bigint[]} numbers */
const sum = (numbers) => numbers.reduce((total, number) => total + number, 0n);

/** How many bits hold any report. @param {bigint} outputs */
const bitsOf = (outputs) => bitLength(outputs - 1n);

/** The least power of 2^64 that any report is below. @param {bigint} outputs */
const aligned = (outputs) => 1n << BigInt(64 * Math.ceil(bitsOf(outputs) / 64));

/** A set, given by a flag for each number, as the number with those bits. @param {Uint8Array} flags */
const setReport = (flags) => BigInt(`0b${flags.reverse().join("")}`);

/**
 * Where the reports of parts begin that lie one after the other, and where they end; from 2^64 reports on, the number of
 * the part stands in a word of its own above its report.
 * @param {bigint[]} outputs
 */
const layOut = (outputs) => {
  const total = sum(outputs);
  if (total <= SPACE) return { offsets: sums([0n, ...outputs]), outputs: total };
  const stride = greatest(outputs.map(aligned));
  return { offsets: outputs.map((_, part) => stride * BigInt(part)), outputs: stride * BigInt(Math.max(outputs.length, 2)) };
};

/** Numbers of fewer than 1,000 bits as doubles, each within 2^-53 of its own. */
const doubles = kept((/** @type {readonly bigint[]} */ numbers) => Float64Array.from(numbers, Number), new WeakMap());

/**
 * The largest of a[i] / b[i], or 1. Quotients of doubles, each within 2^-50 of the
 * true one, sort out those that are too far from the largest; the others are compared as whole numbers.
 * @param {readonly bigint[]} a
 * @param {readonly bigint[]} b
 * @returns {Ratio}
 */
const largest = (a, b) => {
  const others = doubles(b);
  const quotients = doubles(a).map((top, i) => top / others[i]);
  const most = quotients.reduce((found, one) => (one > found ? one : found), 0);
  /** @type {Ratio} */
  let worst = ONE;
  quotients.forEach((one, i) => {
    if (one >= most * (1 - 2 ** -48) && a[i] * worst[1] > worst[0] * b[i]) worst = [a[i], b[i]];
  });
  return worst;
};

/** Refuse units that do not add up to all words. @param {readonly bigint[]} units */
const demandFull = (units) => demand(sum(units) === SPACE);

// -- src/context.js ------------------------------------------------------------------------------------------

/** Contexts: how hard each value must be to tell from each other one, as the published law declares it. */



/** That value x may be told from value z by so much. @typedef {[x: number, z: number, level: Ratio]} Claim */
/** The same of all pairs of different values, one of the left ones and one of the right ones. @typedef {[left: number[], right: number[], level: Ratio]} Claims */

/**
 * @typedef {object} Context
 * @property {any[]} values
 * @property {(few: Few) => Iterable<Claim>} claims those that imply all others, where few values stand for all
 * @property {Ratio} largest the largest finite entry, or an upper bound of it; 0 if there is none
 * @property {boolean} shows whether some value may be told from another for certain
 * @property {Grid | null} [grid]
 */

/**
 * Values at the cells of a grid.
 * @typedef {object} Grid
 * @property {number[][]} cells the whole coordinates of each value, from 0 on
 * @property {(steps: number[]) => Ratio} apart E of a displacement, or less by at most `rounding`
 * @property {Ratio} rounding
 */

/** An epsilon that is not 0; null for none. @param {any} data */
const positive = (data) => {
  const found = epsilonOf(data);
  demand(!found || found[0]);
  return found;
};

/** @param {any} data @returns {Ratio} */
const finite = (data) => {
  const found = positive(data);
  demand(found);
  return found;
};

/** A value as a law may hold it: text, a whole number, or several of them. @param {any} value @returns {boolean} */
const isValue = (value) => typeof value === "string" || Number.isSafeInteger(value) || listed(entries(value, "tuple").tuple).every(isValue);

/** What tells a value from all others. @param {any} value */
const textual = (value) => JSON.stringify(value);

/** The values of a domain. @param {any} data @returns {any[]} */
const valuesOf = (data) => {
  const count = "size" in data ? whole(entries(data, "size").size) : listed(entries(data, "values").values).length;
  demandSmall(count, VALUES);
  const values = data.values ?? range(count);
  demand(values.every(isValue) && new Set(values.map(textual)).size === count);
  return values;
};

/** @param {any[]} values @param {Claims[]} sets @param {boolean} shows @returns {Context} */
const bySets = (values, sets, shows) => ({
  values,
  *claims(few) {
    const found = kept(few);
    for (const [left, right, level] of sets) for (const x of found(left)) for (const z of found(right)) if (x !== z) yield [x, z, level];
  },
  largest: sets.map(([, , level]) => level).reduce(larger, NOTHING),
  shows,
});

/**
 * Values in blocks inside each other, where E depends on the smallest block that holds both.
 * @param {any[]} values
 * @param {number[][]} columns the block of every value, from the innermost blocks outwards; all values are in one around these
 * @param {(column: number, block: number) => Ratio | null} levelOf
 */
const byBlocks = (values, columns, levelOf) => {
  /** @type {Claims[]} */
  const sets = [];
  let shows = false;
  columns = [...columns, values.map(() => 0)];
  spend(2 * values.length * columns.length);
  columns.forEach((column, l) => {
    /** @type {number[][]} */
    const blocks = [];
    column.forEach((block, x) => (blocks[block] ??= []).push(x));
    blocks.forEach((members, block) => {
      const isOne = (/** @type {any[]} */ around) => members.every((x) => around[x] === around[members[0]]);
      demand(isOne(columns[l + 1] ?? column)); // each block is inside one
      if (isOne(columns[l - 1] ?? values)) return; // and says nothing if it has one inside
      const level = levelOf(l, block);
      if (level) sets.push([members, members, level]);
      else shows = true;
    });
  });
  return bySets(values, sets, shows);
};

/** Each value hidden among all others at an epsilon of its own. @param {any[]} values @param {string[]} texts */
const byGrades = (values, texts) => {
  const all = range(values.length);
  /** @type {Map<string, number[]>} */
  const groups = new Map(texts.map((text) => [text, []]));
  demand(texts.length === all.length);
  texts.forEach((text, x) => groups.get(text)?.push(x));
  const sets = [...groups].flatMap(([text, members]) => {
    const found = positive(text);
    return found ? [/** @type {Claims} */ ([members, all, found])] : [];
  });
  demand(sets.length);
  return bySets(values, values.length > 1 ? sets : [], groups.has("inf"));
};

/** The blocks of all values, by number. @param {any} data @param {any[]} values @param {number} below @returns {number[]} */
const numbers = (data, values, below) => {
  demand(listed(data).length === values.length && data.every((/** @type {any} */ number) => whole(number) < below));
  return data;
};

/** @param {any} data @param {any[]} values */
const uniformContext = (data, values) => {
  const level = finite(entries(data, "epsilon form").epsilon);
  return byBlocks(values, [], () => level);
};

/** @param {any} data @param {any[]} values */
const blocksContext = (data, values) => {
  const isEven = "epsilon" in data;
  entries(data, `block_of epsilon${isEven ? "" : "s"} form`, "names");
  const levels = listed(isEven ? values.map(() => data.epsilon) : data.epsilons).map(kept(finite));
  const blockOf = numbers(data.block_of, values, levels.length);
  demand(isEven || new Set(blockOf).size === levels.length);
  return byBlocks(values, [blockOf], (l, block) => (l ? null : levels[block]));
};

/** @param {any} data @param {any[]} values */
const highLowContext = (data, values) => {
  finite(entries(data, "epsilon form sensitive").epsilon);
  const names = new Set(listed(data.sensitive).map(textual));
  demand(names.size === data.sensitive.length);
  const texts = values.map((value) => (names.delete(textual(value)) ? data.epsilon : "inf"));
  demand(!names.size);
  return byGrades(values, texts);
};

/** @param {any} data @param {any[]} values */
const gradedContext = (data, values) => byGrades(values, listed(entries(data, "epsilons form").epsilons));

/** @param {any} data @param {any[]} values */
const nestedContext = (data, values) => {
  const levels = listed(entries(data, "block_of epsilons form").epsilons).map(positive);
  const columns = listed(data.block_of).map((column) => numbers(column, values, values.length));
  demand(columns.length && columns.length < 17 && columns.length === levels.length - 1);
  levels.reduce((inner, level) => {
    demand(inner && !(level && atMost(level, inner)));
    return level;
  });
  return byBlocks(values, columns, (l) => levels[l]);
};

/** @param {any} data @param {any[]} values */
const matrixContext = (data, values) => {
  const rows = listed(entries(data, "E form").E);
  spend(64 * rows.length ** 2);
  const levels = rows.map((row) => listed(row).map(epsilonOf));
  demand(levels.length === values.length && levels.every((row, x) => row.length === values.length && row[x]?.[0] === 0n));
  const sets = levels.flatMap((row, x) => row.flatMap((level, z) => (level && x !== z ? [/** @type {Claims} */ ([[x], [z], level])] : [])));
  return bySets(values, sets, levels.some((row) => row.includes(null)));
};

/** @param {any} data @param {any[]} values */
const binaryContext = (data, values) => {
  const [there, back, ...more] = listed(entries(data, "epsilon form").epsilon);
  demand(!more.length);
  return matrixContext({ E: [["0", there], [back, "0"]], form: "" }, values);
};

/** Decimals as whole numbers of one unit. @param {any[]} written @returns {{whole: bigint[], scale: bigint}} */
const scaled = (written) => {
  const exact = written.map((one) => {
    const found = exactNumber(one);
    spend(String(found).length);
    demand(found && !String(one).includes("/"));
    return found;
  });
  const scale = greatest(exact.map(([, bottom]) => bottom)); // all are powers of ten
  return { whole: exact.map(([top, bottom]) => top * (scale / bottom)), scale };
};

/** @param {bigint} a */
const absolute = (a) => greatest([a, -a]);

/** Numbers of values in the order of their places. @param {bigint[]} at */
const ordered = (at) => range(at.length).sort((x, z) => ascending([at[x], 1n], [at[z], 1n]));

/** @param {number} x @param {number} z @param {Ratio} level @returns {Claim[]} */
const bothWays = (x, z, level) => [[x, z, level], [z, x, level]];

/** Values at places on a line or around a ring, where neighbours imply all other pairs. @param {any} data @param {any[]} values @returns {Context} */
const placesContext = (data, values) => {
  const isRing = "around" in data;
  entries(data, "distance epsilon form", "around", "points");
  demand(data.distance === (isRing ? "ring" : "line"));
  const level = finite(data.epsilon);
  const { whole: places, scale } = scaled([...listed(data.points ?? values), data.around ?? 0]);
  let around = /** @type {bigint} */ (places.pop());
  const count = values.length;
  const order = ordered(places);
  const width = places[order[count - 1]] - places[order[0]];
  if (!isRing) around = 2n * width + 1n; // a line is a ring that nobody goes around
  demand(places.length === count && width < around && new Set(places).size === count);
  /** @param {number} x @param {number} z @returns {Ratio} */
  const at = (x, z) => {
    const apart = absolute(places[x] - places[z]);
    return [level[0] * (2n * apart > around ? around - apart : apart), level[1] * scale];
  };
  let largest = NOTHING;
  let opposite = 0;
  order.forEach((x, i) => {
    const away = (/** @type {number} */ far) => at(x, order[far % count]);
    while (opposite < i + count && atMost(away(opposite), away(opposite + 1))) opposite += 1;
    largest = larger(largest, away(opposite));
  });
  return {
    values,
    *claims() {
      for (const [i, x] of order.entries()) {
        const z = order[i + 1] ?? (isRing ? order[0] : x);
        if (x !== z) yield* bothWays(x, z, at(x, z));
      }
    },
    largest,
    shows: false,
  };
};

/** The root of a whole number, rounded down. @param {bigint} square */
const root = (square) => {
  let found = 1n << BigInt(square.toString(16).length * 2); // more than it
  for (let next; (next = (found + square / (found || 1n)) / 2n) < found; ) found = next;
  return found;
};

/** Values at points, of several coordinates each. @param {any} data @param {any[]} values @returns {Context} */
const pointsContext = (data, values) => {
  const { epsilon, norm } = entries(data, "epsilon form norm points");
  const level = finite(epsilon);
  const rows = listed(data.points).map(listed);
  const sides = rows[0].length;
  demand(/^l([12]|inf)$/.test(norm) && rows.length === values.length && sides && rows.every((row) => row.length === sides));
  if (sides < 2) return placesContext({ distance: "line", epsilon, form: "", points: rows.flat() }, values);
  const { whole: flat, scale } = scaled(rows.flat());
  /** @type {Ratio} */
  const rounding = [level[0], level[1] * 10n ** 30n];
  /** @param {bigint} apart @returns {Ratio} */
  const along = (apart) => [level[0] * apart, level[1] * scale];
  const entry = kept((/** @type {string} */ key) => {
    spend(64 + key.length ** 2 / 16);
    const steps = key.split(",").map(BigInt);
    if (norm === "l2") return times(rounding, [root((sum(steps.map((step) => step * step)) * 10n ** 60n) / scale ** 2n), 1n]);
    return along(norm === "l1" ? sum(steps) : greatest(steps));
  });
  const points = rows.map((_, x) => flat.slice(x * sides, (x + 1) * sides));
  /** @param {bigint[]} from @param {bigint[]} to */
  const distance = (from, to) => entry(String(from.map((c, i) => absolute(c - to[i]))));
  /** @param {number} x @param {number} z */
  const at = (x, z) => distance(points[x], points[z]);
  const columns = rows[0].map((_, i) => points.map((point) => point[i]));
  const high = columns.map(greatest);
  const low = columns.map((column) => -greatest(column.map((c) => -c)));
  let step = 0n; // the greatest by which all coordinates are whole
  for (const point of points)
    point.forEach((c, i) => {
      for (let rest = c - low[i]; rest; ) [step, rest] = [rest, step % rest];
    });
  const cells = points.map((point) => point.map((c, i) => Number((c - low[i]) / (step || 1n))));
  // what doubles hold exactly, in different cells: only then the shortcuts for grids are taken
  const isGrid = new Set(cells.map(String)).size === values.length && cells.flat().every((c) => c < 2 ** 31);
  const largest = distance(low, high); // across the box around all points
  return {
    values,
    *claims(few) {
      const [side] = columns;
      const order = ordered(side);
      let nearest = largest;
      for (const [i, x] of order.entries())
        for (let j = i + 1; j < order.length; j += 1) {
          const z = order[j];
          if (atMost(plus(nearest, rounding), along(side[z] - side[x]))) break; // and further on none is nearer
          const level = at(x, z);
          spend(16);
          if (atMost(level, nearest)) yield* bothWays(x, z, level);
          // of values that are alike, two as near to each other as any imply all others
          if (few === alike) nearest = atMost(level, nearest) ? level : nearest;
          if (few === alike && isGrid && atMost(nearest, along(step))) return;
        }
    },
    largest,
    shows: false,
    grid: isGrid ? { cells, apart: (steps) => entry(String(steps.map((c) => BigInt(c) * step))), rounding } : null,
  };
};

/** @param {any} data @param {any[]} values */
const metricContext = (data, values) => ("distance" in data ? placesContext : pointsContext)(data, values);

/** A question of a product: its context, over a domain of its own or over those of its own questions. @param {any} data @returns {Context} */
const factor = (data) => {
  entries(data, "context", "domain");
  return contextOf(data.context, data.domain ? valuesOf(data.domain) : null);
};

/** Two questions: pairs of values that differ in one answer imply all others. @param {any} data @param {any[] | null} values @returns {Context} */
const productContext = (data, values) => {
  entries(data, "first form second");
  const first = factor(data.first);
  const second = factor(data.second);
  const count = first.values.length;
  const k = second.values.length;
  demandSmall(count * k, VALUES);
  /** @param {Context} part @param {any} side @returns {any[][]} */
  const tuples = (part, side) => part.values.map((value) => (side.context.form === "product" ? value.tuple : [value]));
  const others = tuples(second, data.second);
  spend(count * k * (textual(data).length / 16));
  const made = tuples(first, data.first).flatMap((a) => others.map((b) => ({ tuple: [...a, ...b] })));
  demand(!values || textual(values) === textual(made));
  return {
    values: made,
    *claims(few) {
      // what each question asks, at every answer to the other one
      for (const [part, step, end, next] of /** @type {[Context, number, number, number][]} */ ([[first, k, k, 1], [second, 1, count * k, k]]))
        for (let begin = 0; begin < end; begin += next) {
          const at = (/** @type {number} */ x) => begin + x * step;
          for (const [x, z, level] of part.claims((members) => few(members.map(at)).map((one) => (one - begin) / step))) yield [at(x), at(z), level];
        }
    },
    largest: plus(first.largest, second.largest),
    shows: first.shows || second.shows,
  };
};

/** @type {Record<string, (data: any, values: any[]) => Context>} */
const FORMS = {
  matrix: matrixContext,
  binary: binaryContext,
  metric: metricContext,
  nested: nestedContext,
  blocks: blocksContext,
  uniform: uniformContext,
  graded: gradedContext,
  high_low: highLowContext,
  product: productContext,
};

/** The context that a law publishes, over these values. @param {any} data @param {any} values @returns {Context} */
const contextOf = (data, values) => {
  demand(Object.hasOwn(FORMS, data?.form) && (values || data.form === "product"), "its context is not known");
  return FORMS[data.form](data, values);
};

// -- src/bases.js --------------------------------------------------------------------------------------------

/** The laws that treat all values alike: response, hadamard, general_hadamard, cyclic, subset, unary; and graded_unary. */



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
const response = (high, low, size, spare) => {
  const machine = twoLevels(size, size, 1, high, low, spare, (x, j) => pick(j < size - 1, j + +(j >= x), x));
  return { ...machine, held: holding(size, 1, low ? [high, low] : ONE, machine, (y, place) => y === BigInt(place), ONE, spared(spare, low)) };
};

/** @param {number} columns @param {bigint} high @param {bigint} low @param {number} parts @param {number} size @param {bigint} spare @returns {Machine} */
const generalHadamard = (columns, high, low, parts, size, spare) => {
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
const cyclic = (high, low, modulus, shifts, size, spare) => {
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
const hadamard = (size, truths) => {
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
const subset = (d, size, steps, truths) => {
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
const gradedUnary = (gradeOf, other, own) => {
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
const unary = (other, own, size) => {
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

// -- src/levels.js -------------------------------------------------------------------------------------------

/** The law of blocks inside blocks: marks on some of the nodes of a tree, down to the values. */



/**
 * Nodes of one depth with the same marks above them and on them.
 * @typedef {object} State
 * @property {number} depth
 * @property {Machine} [part] what they write, if they mark their children
 * @property {number} places
 * @property {Marks} marks
 * @property {State[]} sides the states of their children, unmarked and marked
 * @property {number[]} often how many of each a report lays out
 * @property {number} count how many nodes a report lays out for one of them, itself included
 * @property {Ratio} above how much likelier their reports are for a value below them than for none, at most
 * @property {Ratio} below how much less likely
 */

/** @type {Marks} */
const UNMARKED = { members: 0, marked: () => false, above: [ONE, ONE], below: [ONE, ONE], between: [ONE, ONE] };

/** @param {number[]} branches @param {Machine[]} inners @param {number[]} leaves @param {number[][]} shown @returns {Machine} */
const levels = (branches, inners, leaves, shown) => {
  const height = branches.length;
  /** How many leaves are below a node of each depth. */
  const spans = [...branches, 1].map((_, depth) => branches.slice(depth).reduce((a, b) => a * b, 1));
  demand(height && height <= 64 && height === shown.length && branches.every((branch) => branch > 1) && spans[0] <= 16 * leaves.length && leaves.every((leaf) => leaf < spans[0]));
  /** The largest ratio of values that part below a node of each depth, or deeper. @type {Ratio[]} */
  const ratios = Array(height + 1).fill(ONE);
  const rows = shown.map((row) => row.values());
  /** The next state of a depth: each row of `shown` has them in the order in which they are reached. @param {number} depth @returns {State} */
  const grow = (depth) => {
    spend(256);
    const entry = depth < height ? /** @type {number} */ (rows[depth].next().value) : 0;
    const part = inners[entry - 1];
    demand(part ? part.held?.marks && part.inputs === branches[depth] : entry === 0);
    const { marks = UNMARKED, places = branches[depth] } = part?.held ?? {};
    const sides = depth === height ? [] : part ? [grow(depth + 1), grow(depth + 1)] : [grow(depth + 1)];
    const often = sides.map(({ count }, mark) => count && [places - marks.members, marks.members][mark]);
    const inside = sides.reduce((total, { count }, mark) => total + often[mark] * count, 0);
    const apart = sides.flatMap((side, mark) => sides.map((other, also) => times(times(side.above, other.below), marks.between[mark - also + 1])));
    ratios[depth] = [...apart, ...ratios.slice(depth)].reduce(larger);
    return {
      depth,
      part,
      places,
      marks,
      sides,
      often,
      count: part || inside ? inside + 1 : 0,
      above: sides.map((side, mark) => times(side.above, marks.above[mark])).reduce(larger, ONE),
      below: sides.map((side, mark) => times(side.below, marks.below[mark])).reduce(larger, ONE),
    };
  };
  const top = grow(0);
  demand(rows.every((row) => row.next().done));
  spend(64 * top.count);
  /** The node above a leaf at a depth. @param {number} x @param {number} depth */
  const node = (x, depth) => quotient(leaves[x], spans[depth]);
  /**
   * Go through the nodes that a report lays out, one after the other, and below a node first through the marked children. `write` gives
   * the place for which a node marks its children, from the one where x is below it and whether x is, and what it writes.
   * @param {number} x
   * @param {(part: Machine, state: State, place: number, isOwn: boolean) => [number, bigint]} write
   */
  const walk = (x, write) => {
    /** @param {State} state @param {number} own 1 if x is below it */
    const visit = (state, own) => {
      const { depth, part, places, marks, sides, often } = state;
      let [place, report] = [node(x, depth + 1) % branches[depth], 0n];
      let [mark, before] = [0, 0];
      if (part) {
        [place, report] = write(part, state, place, own > 0);
        for (let z = 0; z < places; z += 1) {
          const has = +marks.marked(report, z);
          before += has & +(z < place);
          mark += has & +(z === place);
        }
      }
      const rank = [place - before, before][mark];
      for (const side of [1, 0]) for (let j = 0; j < often[side]; j += 1) visit(sides[side], own & +(side === mark) & +(j === rank));
    };
    visit(top, 1);
  };
  let [bits, words, outputs] = [0, 0, 1n];
  walk(0, (part, { depth, places }) => {
    spend(places);
    outputs = part.outputs << BigInt(bits);
    bits += bitsOf(part.outputs);
    words += part.takes + +(depth > 0);
    demandSmall(bits, BITS);
    return [0, 0n];
  });
  return machineFor(
    leaves.length,
    words,
    outputs,
    // the first and the last leaf part highest
    (values) => [values.reduce((x, z) => (leaves[z] < leaves[x] ? z : x)), values.reduce((x, z) => (leaves[z] < leaves[x] ? x : z))],
    (x, z) => ratios[branches.filter((_, depth) => node(x, depth) === node(z, depth)).length - 1],
    (x, from) => {
      let [report, word, at] = [0n, 0, 0n];
      walk(x, (part, { depth, places }, place, isOwn) => {
        if (depth) place = pick(isOwn, place, position(from[word++], places));
        const y = part.write(place, from.subarray(word, (word += part.takes)));
        report += y << at;
        at += BigInt(bitsOf(part.outputs));
        return [place, y];
      });
      return report;
    },
  );
};

// -- src/lines.js --------------------------------------------------------------------------------------------

/** The laws of values that lie along a line, around a ring or on a torus. */



/** The largest ratio of two lists, either way. @param {bigint[]} a @param {bigint[]} b */
const eitherWay = (a, b) => largest([...a, ...b], [...b, ...a]);

/**
 * A value at a place, with `units[d]` words for d steps either way and `flat` words for every place.
 * @param {bigint} flat @param {number[]} places @param {number} size @param {bigint[]} units
 * @param {number} most the most distances it may have
 * @param {(steps: number) => Ratio} ratio of values so many steps apart
 * @param {(place: number) => number} bring a number of steps from place 0 to the place that is reported
 * @returns {Machine}
 */
const fading = (flat, places, size, units, most, ratio, bring) => {
  const all = BigInt(size) * flat;
  const stages = [all, ...[...units].reverse(), ...units.slice(1)];
  demandFull(stages);
  demand(units.length > 1 && units.length <= most && flat);
  demand(!places.length || (places.length === size && places.every((place) => place < size)));
  const bounds = sums(stages);
  const at = (/** @type {number} */ x) => places[x] ?? x;
  const ratioOf = kept(ratio);
  return machineFor(
    size,
    1,
    BigInt(size),
    everyone,
    (x, z) => ratioOf(Math.abs(at(x) - at(z))),
    (x, [u]) => {
      const number = rank(bounds, u);
      return pick(!number, u / flat, BigInt(bring(at(x) + number - units.length)));
    },
  );
};

/** @param {bigint} flat @param {number[]} places @param {number} size @param {bigint[]} units @returns {Machine} */
const geometric = (flat, places, size, units) => {
  /** The words that lead to an end so many steps away, with all that go beyond it. */
  const ends = sums([flat, ...[...units].reverse()]).reverse();
  return fading(
    flat,
    places,
    size,
    units,
    size,
    (steps) => {
      const reach = units.length + steps;
      spend(4 * reach);
      const toEnd = range(Math.min(reach, size)).map((d) => ends[d] ?? flat);
      const most = Math.min(reach, size - 1) - 1; // steps to a place between the ends
      const between = range(2 * most + 1).map((d) => flat + (units[Math.abs(d - most)] ?? 0n));
      return eitherWay([...toEnd.slice(0, -steps), ...between.slice(0, -steps)], [...toEnd.slice(steps), ...between.slice(steps)]);
    },
    (place) => Math.min(Math.max(place, 0), size - 1),
  );
};

/** @param {bigint} flat @param {number[]} places @param {number} size @param {bigint[]} units @returns {Machine} */
const ring = (flat, places, size, units) => {
  demand(size > 2);
  return fading(
    flat,
    places,
    size,
    units,
    quotient(size, 2) + 1,
    (steps) => {
      spend(2 * size);
      const noise = range(size).map((d) => flat + (units[d] ?? 0n) + (units[size - d] ?? 0n));
      return eitherWay(noise, [...noise.slice(steps), ...noise.slice(0, steps)]);
    },
    (place) => (place + size) % size,
  );
};

/** @param {number[]} cells @param {number[]} shape @param {bigint} spare @param {bigint[]} units @returns {Machine} */
const torus = (cells, shape, spare, units) => {
  const outputs = units.length;
  demand(shape.every(Boolean) && shape.reduce((a, b) => a * b, 1) === outputs);
  demand(units.every(Boolean) && spare < outputs);
  demandFull([...units, spare]);
  demand(cells.length && cells.every((cell) => cell < outputs));
  /** @param {number} t */
  const coordinates = (t) => {
    let left = outputs;
    return shape.map((side) => quotient(t, (left /= side)) % side);
  };
  spend(outputs * shape.length);
  const steps = range(outputs).map(coordinates);
  /** The number of a cell by its coordinates. @param {(side: number, i: number) => number} at */
  const cellAt = (at) => shape.reduce((found, side, i) => found * side + at(side, i), 0);
  /** The cell at a displacement from a cell, each coordinate modulo its side. @param {number} cell @param {number} t */
  const moved = (cell, t) => cellAt((side, i) => (steps[cell][i] + steps[t][i]) % side);
  /** The displacement between two cells, with every coordinate taken the shorter way round. @param {number} a @param {number} b */
  const between = (a, b) =>
    cellAt((side, i) => {
      const apart = Math.abs(steps[a][i] - steps[b][i]);
      return Math.min(apart, side - apart);
    });
  const bounds = sums(units);
  demand(units.every((unit, t) => unit === units[between(0, t)])); // as many words either way
  const ratioOf = kept((/** @type {number} */ apart) => {
    spend(outputs);
    return largest(units, range(outputs).map((t) => units[moved(t, apart)]));
  });
  /**
   * A proof for all displacements of a large torus at once. With K W + c - s <= u <= K W + c for the units u of every one, W its
   * e^-E, and E(z) <= E(y) + E(t) for the step t from y to z, u(y) / u(z) <= (K W + c) / (K W e^-E(t) + c - s). That is at most
   * e^E(t) if e^E(t) (c - s) >= c, which holds for all steps if it does for the least E. What rounds E and W moves K W by a part
   * of at most 2^-190 and twice the rounding of E. Whole numbers decide.
   * @param {Context} context
   */
  const proves = ({ grid }) => {
    if (!grid || outputs <= 512 || grid.cells[0].length !== shape.length) return false;
    // the values lie as the cells of the grid do, up to a displacement that all have in common
    const apart = grid.cells.map((cell, x) => cellAt((side, i) => (side + ((steps[cells[x]][i] - cell[i]) % side)) % side));
    if (new Set(apart).size > 1) return false;
    const fine = 320n;
    const shorter = range(outputs).filter((t) => between(0, t) === t);
    spend(256 * shorter.length);
    const entries = shorter.map((t) => grid.apart(steps[t]));
    const weights = entries.map(expBelow).map(([top, bottom]) => (bottom << fine) / top);
    const last = weights.indexOf(-greatest(weights.map((weight) => -weight)));
    const slope = ((units[0] - units[shorter[last]]) << fine) / (weights[0] - weights[last]);
    const most = greatest(shorter.map((t, i) => units[t] - ((slope * weights[i]) >> fine)));
    const least = -greatest(shorter.map((t, i) => ((slope * (weights[i] + 1n)) >> fine) + 1n - units[t]));
    const nearest = entries.slice(1).sort(ascending)[0];
    const part = plus([1n, 1n << 190n], times([2n, 1n], grid.rounding));
    return slope > 0n && least > 0n && atMost(plus([most, 1n], times(part, [slope, 1n])), times(expBelow(nearest), [least, 1n]));
  };
  return machineFor(
    cells.length,
    1,
    BigInt(outputs),
    everyone,
    (x, z) => ratioOf(between(cells[x], cells[z])),
    (x, [u]) => {
      const t = rank(bounds, u);
      const isSpare = t === outputs;
      return pick(isSpare, u - SPACE + spare, BigInt(moved(cells[x], pick(isSpare, 0, t))));
    },
    { proves },
  );
};

// -- src/composed.js -----------------------------------------------------------------------------------------

/** The laws that are made of other laws, and tables, which are made of none. */



/** @param {{takes: number}[]} parts */
const mostWords = (parts) => Math.max(...parts.map((part) => part.takes));

/** The largest ratio that any of several laws has. @param {Machine[]} parts @param {number} x @param {number} z */
const widest = (parts, x, z) => {
  spend(4 * parts.length);
  return parts.map((part) => part.ratio(x, z)).reduce(larger);
};

/** @param {Machine[]} parts */
const areAlike = (parts) => parts.every(({ few }) => few === alike);

/** The bounds of rows of units, each of which takes all words. @param {bigint[][]} rows */
const bounded = (rows) => {
  demand(rows.every((row) => row.length === rows[0].length));
  rows.forEach(demandFull);
  return rows.map(sums);
};

/** Values in blocks, with a law for each. @param {number[]} blockOf @param {number[]} kindOf @param {Machine[]} kinds */
const divided = (blockOf, kindOf, kinds) => {
  demandSmall(kindOf.length, VALUES);
  demand(kindOf.every((kind) => kind < kinds.length));
  const parts = kindOf.map((kind) => kinds[kind]);
  const { place, sizes } = placed(blockOf, parts.length);
  spend(16 * sizes.length);
  demand(parts.every((part, block) => part.inputs === sizes[block]));
  return {
    parts,
    place,
    ...layOut(parts.map((part) => part.outputs)),
    /** Two values of different blocks, or what the only block compares. @type {Few} */
    few: (values) => {
      spend(4 * values.length);
      const [x] = values;
      const other = values.findIndex((z) => blockOf[z] !== blockOf[x]);
      if (other > 0) return [x, values[other]];
      /** @type {number[]} */
      const valueAt = [];
      for (const z of values) valueAt[place[z]] = z;
      return parts[blockOf[x]].few(values.map((z) => place[z])).map((at) => valueAt[at]);
    },
    /** The ratio of two values, which is `across` if they are in different blocks. @param {Ratio} across @returns {Machine["ratio"]} */
    ratio: (across) => (x, z) => (blockOf[x] === blockOf[z] ? parts[blockOf[x]].ratio(place[x], place[z]) : across),
  };
};

/** @param {number[]} blockOf @param {number[]} kindOf @param {Machine[]} kinds @returns {Machine} */
const blocks = (blockOf, kindOf, kinds) => {
  const { parts, place, offsets, outputs, few, ratio } = divided(blockOf, kindOf, kinds);
  return machineFor(
    blockOf.length,
    mostWords(kinds),
    outputs,
    few,
    ratio(INFINITE),
    (x, words) => offsets[blockOf[x]] + parts[blockOf[x]].write(place[x], words),
  );
};

/** The place of each value among those that are sensitive, or among the others. @param {Bits} sensitive */
const sides = ({ size, members }) => {
  const isOther = Array(size).fill(1);
  for (const x of members) isOther[x] = 0;
  return { isOther, ...placed(isOther, 2) };
};

/** @param {Machine} inner @param {bigint} units @param {Bits} sensitive @param {number[][]} steps @returns {Machine} */
const highLow = (inner, units, sensitive, steps) => {
  const { isOther, place, sizes } = sides(sensitive);
  demand(inner.neutral && sizes[0] === inner.inputs);
  if (!sizes[1]) {
    demand(!units && !steps.length);
    return inner;
  }
  const neutral = inner.neutral(units, steps);
  const base = inner.outputs <= SPACE / 2n ? inner.outputs : aligned(inner.outputs);
  return machineFor(
    sensitive.size,
    mostWords([inner, neutral]),
    base + BigInt(sizes[1]),
    twoOfEach(isOther, 2),
    (x, z) => (isOther[x] ? INFINITE : isOther[z] ? neutral.ratio : inner.ratio(place[x], place[z])),
    (x, words) => {
      const hidden = inner.write([place[x], 0][isOther[x]], words);
      const [passes, report] = neutral.write(words);
      return [hidden, report, base + BigInt(place[x])][isOther[x] * (1 + +passes)];
    },
  );
};

/** @param {Machine} inner @param {bigint} units @param {Bits} sensitive @returns {Machine} */
const utilityRappor = (inner, units, sensitive) => {
  const machine = highLow(inner, units, sensitive, []);
  const { isOther, place } = sides(sensitive);
  const { size, members } = sensitive;
  demand(inner.bitwise);
  return {
    ...machine,
    takes: inner.inputs + 1,
    outputs: 1n << BigInt(size),
    write: (x, words) => {
      const flags = new Uint8Array(size);
      const hidden = inner.write([place[x], -1][isOther[x]], words);
      members.forEach((bit, at) => (flags[bit] = Number((hidden >> BigInt(at)) & 1n)));
      flags[x] |= isOther[x] & +(words[inner.inputs] >= units);
      return setReport(flags);
    },
  };
};

/** @param {Machine[]} parts @param {bigint[]} units @returns {Machine} */
const mixture = (parts, units) => {
  const [bounds] = bounded([units]);
  demand(units.every(Boolean) && units.length === parts.length && parts.every((part) => part.inputs === parts[0].inputs));
  const { offsets, outputs } = layOut(parts.map((part) => part.outputs));
  return machineFor(
    parts[0].inputs,
    1 + mostWords(parts),
    outputs,
    areAlike(parts) ? alike : (values) => [...new Set(parts.flatMap((part) => part.few(values)))],
    (x, z) => widest(parts, x, z),
    (x, words) => {
      const part = rank(bounds, words[0]);
      return offsets[part] + parts[part].write(x, words.subarray(1));
    },
  );
};

/** @param {number[]} blockOf @param {number[]} kindOf @param {Machine[]} kinds @param {bigint[]} units @returns {Machine} */
const nested = (blockOf, kindOf, kinds, units) => {
  const { parts, place, offsets, outputs, few, ratio } = divided(blockOf, kindOf, kinds);
  const count = parts.length;
  const size = blockOf.length;
  const truth = SPACE - sum(units);
  demand(units.length === count && count > 1 && units.every(Boolean) && truth > 0n && parts.every((part) => part.held));
  const helds = parts.map((part) => /** @type {Held} */ (part.held));
  const bounds = sums(units);
  /** Of blocks that are alike, one. */
  const sorts = [...new Map(units.map((unit, b) => [`${kindOf[b]}/${unit}`, b])).values()];
  spend(128 * sorts.length);
  /** What the values of a block and others can give away: the largest of everything that `find` finds for a block. @param {(b: number) => Ratio[]} find */
  const most = (find) => sorts.flatMap(find).reduce(larger);
  /** The words with which a block is shown by its own values. @param {number} b */
  const mine = (b) => units[b] + truth;
  /** The words with which a blank report shows a block, in units of 2^-64. @param {number} b @param {bigint} part that of a value */
  const blank = (b, part) => units[b] * SPACE + BigInt(parts[b].inputs) * part * truth;
  const [least, greater] = [SPACE / BigInt(size), ceilDivide(SPACE, BigInt(size))];
  /** The report of a value, or a blank one of its block. @param {number} x @param {boolean} isBlank @param {BigUint64Array} words */
  const drawn = (x, isBlank, words) => {
    const found = rank(bounds, words[0]);
    const block = pick(found === count, blockOf[x], found);
    return offsets[block] + helds[block].write(place[x], pick(block === blockOf[x], isBlank, true), words.subarray(1));
  };
  const words = 1 + mostWords(helds);
  return machineFor(
    size,
    words,
    outputs,
    few,
    // one bound for all values of different blocks; it is that of values in one block too, if that is larger: of 0 and nobody, -1
    ratio(most((b) => {
      const [above, below] = helds[b].ratios;
      return [times([mine(b), units[b]], above), times([units[b], mine(b)], below), parts[b].ratio(0, -1)];
    })),
    (x, from) => drawn(x, false, from),
    { held: {
      places: size,
      takes: 1 + words,
      write: (x, isBlank, from) => drawn(pick(isBlank, position(from[0], size), x), isBlank, from.subarray(1)),
      ratios: [
        most((b) => [ONE, times([mine(b) * SPACE, blank(b, least)], helds[b].ratios[0])]),
        most((b) => [[blank(b, greater), units[b] * SPACE], times([blank(b, greater), mine(b) * SPACE], helds[b].ratios[1])]),
      ],
    } },
  );
};

/** @param {number[]} classOf @param {Machine[]} inners @param {number[][]} marks @param {bigint[][]} units @returns {Machine} */
const types = (classOf, inners, marks, units) => {
  const classes = units.length;
  const { place, sizes } = placed(classOf, classes);
  const bounds = bounded(units);
  demand(sizes.every(Boolean) && units[0].length === marks.length && marks.every((row) => row.length === classes));
  /** The largest ratio inside each class. @type {Ratio[]} */
  const inner = Array(classes).fill(ONE);
  /** For each class, the words of every type's reports over those of blank ones, at most and at least, in units of 2^-128. */
  const [most, least] = [1, 2].map(() => units.map((row) => row.map((unit) => unit << 128n)));
  const shown = marks.map((row, type) => {
    let [bits, takes, last] = [0, 1, 1n];
    const parts = row.flatMap((mark, group) => {
      if (!mark) return [];
      const part = inners[mark - 1];
      demand(part?.held && part.neutral && part.inputs === sizes[group] && part.inputs > 1);
      const { held, outputs } = part;
      const [above, below] = held.ratios;
      least[group][type] = (least[group][type] * below[1]) / below[0];
      most[group][type] = ceilDivide(most[group][type] * above[0], above[1]);
      if (most[group][type]) inner[group] = larger(inner[group], part.ratio(0, 1));
      last = outputs << BigInt(bits);
      bits += bitsOf(outputs);
      takes += held.takes;
      demandSmall(bits, BITS);
      return [{ group, held, outputs }];
    });
    return { parts, takes, last };
  });
  const { offsets, outputs } = layOut(shown.map(({ last }) => last));
  return machineFor(
    classOf.length,
    mostWords(shown),
    outputs,
    twoOfEach(classOf, classes),
    (x, z) => {
      spend(marks.length);
      return classOf[x] === classOf[z] ? inner[classOf[x]] : largest(most[classOf[x]], least[classOf[z]]);
    },
    (x, from) => {
      const type = rank(bounds[classOf[x]], from[0]);
      let [report, word, at] = [offsets[type], 1, 0n];
      for (const { group, held, outputs } of shown[type].parts) {
        report += held.write(place[x], group !== classOf[x], from.subarray(word, (word += held.takes))) << at;
        at += BigInt(bitsOf(outputs));
      }
      return report;
    },
  );
};

/** @param {bigint[][]} rows @returns {Machine} */
const table = (rows) => {
  const bounds = bounded(rows);
  const outputs = rows[0].length;
  return machineFor(
    rows.length,
    1,
    BigInt(outputs),
    everyone,
    (x, z) => {
      spend(outputs / 8);
      return largest(rows[x], rows[z]);
    },
    (x, [u]) => BigInt(rank(bounds[x], u)),
  );
};

/**
 * A report by one law, and beside it one by another, which the first report may choose.
 * @param {Machine} first @param {Machine[]} seconds @param {(report: bigint) => Machine} chosen
 */
const sequence = (first, seconds, chosen) => {
  demand(seconds.every((second) => second.inputs === first.inputs));
  const width = greatest(seconds.map((second) => second.outputs));
  return machineFor(
    first.inputs,
    first.takes + mostWords(seconds),
    first.outputs * width,
    areAlike([first, ...seconds]) ? alike : everyone,
    (x, z) => times(first.ratio(x, z), widest(seconds, x, z)),
    (x, words) => {
      const report = first.write(x, words.subarray(0, first.takes));
      return report * width + chosen(report).write(x, words.subarray(first.takes));
    },
  );
};

/** @param {Machine} first @param {Machine} second */
const product = (first, second) => sequence(first, [second], () => second);

/** @param {number[]} choice @param {Machine} first @param {Machine[]} seconds */
const adaptive = (choice, first, seconds) => {
  demand(BigInt(choice.length) === first.outputs && choice.every((kind) => kind < seconds.length));
  return sequence(first, seconds, (report) => seconds[choice[Number(report)]]);
};

/** @param {Machine} first @param {Machine} second */
const paired = (first, second) => {
  const k = second.inputs;
  /** The law of a part of every value. @param {Machine} machine @param {(x: number) => number} part @returns {Machine} */
  const lifted = (machine, part) => ({
    ...machine,
    inputs: first.inputs * k,
    few: everyone,
    ratio: (x, z) => (part(x) === part(z) ? ONE : machine.ratio(part(x), part(z))),
    write: (x, words) => machine.write(part(x), words),
  });
  return product(lifted(first, (x) => quotient(x, k)), lifted(second, (x) => x % k));
};

/** @param {Machine} inner @param {bigint[][]} weights @returns {Machine} */
const postProcessed = (inner, weights) => {
  demand(BigInt(weights.length) === inner.outputs);
  const bounds = bounded(weights);
  return machineFor(
    inner.inputs,
    inner.takes + 1,
    BigInt(weights[0].length),
    inner.few,
    inner.ratio,
    (x, words) => BigInt(rank(bounds[Number(inner.write(x, words.subarray(0, inner.takes)))], words[inner.takes])),
  );
};

// -- src/kinds.js --------------------------------------------------------------------------------------------

/** From the data of a law to the machine that draws by it. */



/**
 * Every kind of law: its entries, with a letter for each that says how to `read` it, and what makes its machine of them in that order.
 * Those that are like each other stand together, which compresses better.
 * @type {Record<string, [string, (...entries: any[]) => Machine]>}
 */
const KINDS = {
  table: ["rows:b** word_bits:w", table],
  mixture: ["parts:l* units:b*", mixture],
  nested: ["block_of:r kind_of:n* kinds:l* units:b*", nested],
  blocks: ["block_of:r kind_of:n* kinds:l*", blocks],
  paired: ["first:l second:l", paired],
  product: ["first:l second:l", product],
  adaptive: ["choice:n* first:l seconds:l*", adaptive],
  post_processed: ["inner:l weights:b**", postProcessed],
  geometric: ["flat places:r size:n units:b* word_bits:w", geometric],
  ring: ["flat places:r size:n units:b* word_bits:w", ring],
  torus: ["cells:r shape:n* spare units:b* word_bits:w", torus],
  types: ["class_of:r inners:l* marks:n** units:b** word_bits:w", types],
  levels: ["branches:n* inners:l* leaves:r shown:n** word_bits:w", levels],
  response: ["high low size:n spare word_bits:w", response],
  general_hadamard: ["columns:n high low parts:n size:n spare word_bits:w", generalHadamard],
  cyclic: ["high low modulus:n shifts:s size:n spare word_bits:w", cyclic],
  subset: ["d:n size:n steps:n** true word_bits:w", subset],
  hadamard: ["size:n true word_bits:w", hadamard],
  graded_unary: ["grade_of:r other:b* own:b* word_bits:w", gradedUnary],
  unary: ["other own size:n word_bits:w", unary],
  high_low: ["inner:l neutral sensitive:s steps:n**", highLow],
  utility_rappor: ["inner:l neutral sensitive:s", utilityRappor],
};

/**
 * The machine of a law, as JSON data says it.
 * @param {any} data
 * @param {number} [depth] how many laws may be inside each other
 * @returns {Machine}
 */
const machineOf = (data, depth = 8) => {
  demand(Object.hasOwn(KINDS, data?.kind) && depth, "its law is not known, or too deep");
  demandSmall(data.size ?? 1, VALUES);
  const [shape, make] = KINDS[data.kind];
  const fields = shape.split(" ").map((field) => field.split(":"));
  entries(data, "kind", ...fields.map(([name]) => name)); // what is missing, its reader refuses
  const machine = make(...fields.map(([name, type]) => read(data[name], (inner) => machineOf(inner, depth - 1), type)));
  demandSmall(machine.inputs, VALUES);
  demandSmall(machine.takes, BITS + 2);
  return machine;
};

// -- src/check.js --------------------------------------------------------------------------------------------

/** The check of a published law, from its integers alone, before anybody answers. */



/**
 * A law that keeps its promise: every likelihood ratio that the context asks about is within e^E.
 * @typedef {object} Law
 * @property {string} fingerprint the SHA-256 of its text
 * @property {readonly any[]} values the answers that can be given
 * @property {number} size how many there are
 * @property {any} context the context that was checked, as published
 * @property {string} epsilon the largest finite entry of E, or an upper bound of it, as exact text
 * @property {boolean} shows whether some values may be told from others for certain
 * @property {number} words how many 64-bit words a report takes
 * @property {number} bits how many bits hold a report
 * @property {(value: any) => number} index the number of a value
 * @property {(x: number, words: BigUint64Array) => bigint} draw the report of value number x
 * @property {(report: bigint) => number | string} written a report as it is sent
 */

/**
 * The law that a text publishes, once its promise has been checked; `Refused` with a reason if it does not hold.
 * @param {string} text the canonical JSON, exactly as published
 * @param {{fingerprint?: string}} [expected]
 * @returns {Promise<Law>}
 */
async function checkLaw(text, { fingerprint } = {}) {
  if (typeof text !== "string" || text.length > LIMITS.bytes) refuse("The law is no text, or too long.", "limits");
  const hash = await sha256(text);
  if (fingerprint !== undefined && fingerprint !== hash)
    refuse("The law is not the one that was announced.", "fingerprint");
  try {
    begin();
    return checked(text, hash);
  } catch (problem) {
    const reason = problem instanceof Refused ? problem.message : "it cannot be read";
    return refuse(`This collection is refused: ${reason}.`, "law");
  }
}

/** @param {string} text @param {string} fingerprint @returns {Law} */
const checked = (text, fingerprint) => {
  const data = JSON.parse(text);
  // nothing that two readers could take differently: white space, repeated keys, 1.0 for 1 and the like do not survive the round trip
  demand(textual(data) === text, "it is not canonical JSON");
  entries(data, "context domain law version");
  demand(data.version === 2, "its version is not known");
  const context = contextOf(data.context, valuesOf(data.domain));
  const machine = machineOf(data.law);
  demand(machine.inputs === context.values.length);
  const bits = bitsOf(machine.outputs);
  demandSmall(bits, BITS);
  prove(context, machine);
  const { values } = context;
  /** @type {Map<string, number>} */
  const numbers = new Map(values.map((value, x) => [textual(value), x]));
  return Object.freeze({
    fingerprint,
    values: Object.freeze(values),
    size: values.length,
    context: data.context,
    epsilon: textOf(context.largest),
    shows: context.shows,
    words: machine.takes,
    bits,
    index: (/** @type {any} */ value) => numbers.get(textual(value)) ?? refuse("This answer cannot be given.", "value"), // never repeats it
    draw: (/** @type {number} */ x, /** @type {BigUint64Array} */ words) =>
      Number.isInteger(x) && x in values && words.length === machine.takes ? machine.write(x, words) : refuse("A report takes its words.", "value"),
    written: (/** @type {bigint} */ report) => (bits <= 53 ? Number(report) : report.toString(16).padStart(Math.ceil(bits / 4), "0")),
  });
};

/**
 * Refuse a machine that lets a pair of values be told apart more than the context allows. No floating-point number decides.
 * @param {Context} context
 * @param {Machine} machine
 */
const prove = (context, machine) => {
  if (machine.proves?.(context)) return;
  const named = (/** @type {number} */ x) => textual(context.values[x]).slice(0, 60);
  let known = NOTHING;
  let power = ONE; // at most e^known
  for (const [x, z, level] of context.claims(machine.few)) {
    spend(8);
    const ratio = machine.ratio(x, z);
    if (!(atMost(known, level) && atMost(ratio, power))) power = expBelow((known = level));
    if (!(ratio[0] >= ratio[1] && ratio[1] > 0n && atMost(ratio, power)))
      demand(false, `a report would tell ${named(x)} from ${named(z)} more than epsilon ${textOf(level)} allows`);
  }
};

// -- src/random.js -------------------------------------------------------------------------------------------

/** Random words from the system; without them there is no report. */


/**
 * So many random 64-bit words.
 * @param {number} count
 */
const randomWords = (count) => {
  const words = new BigUint64Array(count);
  // at most 65,536 bytes a call; whatever it throws ends the report
  for (let at = 0; at < count; at += 8192) crypto.getRandomValues(words.subarray(at, at + 8192));
  if (count && words.every((word) => !word)) refuse("There is no randomness, so no report.", "random");
  return words;
};

/** So many random bytes, a multiple of eight, as lowercase hexadecimal digits. @param {number} count */
const randomHex = (count) => hexOf(randomWords(count / 8).buffer);

export { LIMITS, Refused, atMost, checkLaw, exactNumber, hexOf, plus, randomHex, randomWords, sha256, textOf, utf8 };
