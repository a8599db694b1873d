/** The laws that are made of other laws, and tables, which are made of none. */

import { ceilDivide, demand, larger, ONE, over, plus, times } from "./exact.js";
import { spend } from "./reading.js";
import { alike, bitsOf, demandFull, doubles, inside, largest, layOut, own, pick, position, rank, setReport, SPACE, sum, sums } from "./machine.js";

/** @import { Ratio } from "./exact.js" */
/** @import { Machine } from "./machine.js" */
/** @import { Bits } from "./reading.js" */

/** The product of two bounds; null where one of them is missing. @param {Ratio | null} a @param {Ratio | null} b */
const both = (a, b) => (a && b ? times(a, b) : null);

/** The larger of two bounds; null where one of them is missing. @param {Ratio | null} a @param {Ratio | null} b */
const either = (a, b) => (a && b ? larger(a, b) : null);

/** @param {Machine[]} parts */
const mostWords = (parts) => Math.max(...parts.map((part) => part.words));

/** @param {Machine} machine @param {bigint} y */
const canWrite = (machine, y) => y < machine.outputs && (machine.possible?.(y) ?? true);

/** Numbers for anything that can be a key, in order of first appearance. */
function numbering() {
  /** @type {Map<unknown, number>} */
  const known = new Map();
  return (/** @type {unknown} */ key) => known.get(key) ?? (known.set(key, known.size), known.size - 1);
}

/**
 * The members of groups: the place of every value in its group, and how many each has.
 * @param {Uint32Array} groupOf @param {number} count
 */
function placed(groupOf, count) {
  const sizes = new Array(count).fill(0);
  demand(groupOf.every((group) => group < count), "its values must be in blocks or classes that it has");
  return { place: Uint32Array.from(groupOf, (group) => sizes[group]++), sizes };
}

/** @param {{block_of: Uint32Array, kind_of: number[], kinds: Machine[]}} law @returns {Machine} */
export function blocks({ block_of, kind_of, kinds }) {
  demand(kind_of.length && kind_of.every((kind) => kind < kinds.length), "each block must be of one of its kinds");
  const parts = kind_of.map((kind) => kinds[kind]);
  const { place, sizes } = placed(block_of, parts.length);
  demand(parts.every((part, block) => part.size === sizes[block]), "each block must have a law for as many values");
  const { offsets, outputs } = layOut(parts.map((part) => part.outputs));
  const number = numbering();
  const labels = Array.from(block_of, (block, x) => number(`${block}/${parts[block].label(place[x])}`));
  return {
    size: block_of.length,
    words: mostWords(kinds),
    outputs,
    label: (x) => labels[x],
    ratio: (x, z) => (block_of[x] === block_of[z] ? parts[block_of[x]].ratio(place[x], place[z]) : null),
    possible: (y) => {
      const [block, report] = inside(offsets, y);
      return canWrite(parts[block], report);
    },
    draw: (x, words) => offsets[block_of[x]] + parts[block_of[x]].draw(place[x], words),
  };
}

/** The place of each value among those that are sensitive, or among the others. @param {Bits} sensitive */
function sides({ size, members }) {
  const isOther = new Uint8Array(size).fill(1);
  for (const x of members) isOther[x] = 0;
  const counts = [0, 0];
  return { isOther, place: Uint32Array.from(isOther, (side) => counts[side]++), others: size - members.length };
}

/** @param {{sensitive: Bits, inner: Machine, neutral: bigint, steps: number[][]}} law @returns {Machine} */
export function highLow({ sensitive, inner, neutral: units, steps }) {
  const { isOther, place, others } = sides(sensitive);
  demand(inner.neutral && sensitive.members.length === inner.size, "its inner law must be for its sensitive values, and have neutral reports");
  if (!others) {
    demand(!units && !steps.length, "without others nothing is neutral");
    return inner;
  }
  const neutral = inner.neutral(units, steps);
  const base = inner.outputs <= SPACE / 2n ? inner.outputs : 1n << BigInt(64 * Math.ceil(bitsOf(inner.outputs) / 64));
  return {
    size: sensitive.size,
    words: Math.max(inner.words, neutral.words),
    outputs: base + BigInt(others),
    label: (x) => isOther[x],
    ratio: (x, z) => (isOther[x] ? null : isOther[z] ? neutral.ratio : inner.ratio(place[x], place[z])),
    possible: (y) => y >= base || canWrite(inner, y),
    draw: (x, words) => {
      const other = isOther[x] === 1;
      const hidden = inner.draw(pick(other, 0, place[x]), words);
      const [passes, report] = neutral.draw(words);
      return pick(Boolean(Number(passes) & isOther[x]), base + BigInt(place[x]), pick(other, report, hidden));
    },
  };
}

/** @param {{sensitive: Bits, inner: Machine, neutral: bigint}} law @returns {Machine} */
export function utilityRappor({ sensitive, inner, neutral: units }) {
  const { isOther, place } = sides(sensitive);
  const { size, members } = sensitive;
  demand(inner.bits && inner.neutral && members.length === inner.size, "its inner law must be unary, with a bit for each sensitive value");
  const { own, other } = inner.bits;
  const { ratio } = inner.neutral(units, []);
  return {
    size,
    words: inner.size + 1,
    outputs: 1n << BigInt(size),
    label: (x) => isOther[x],
    ratio: (x, z) => (isOther[x] ? null : isOther[z] ? ratio : inner.ratio(place[x], place[z])),
    possible: (y) => isOther.reduce((seen, side, bit) => seen + side * Number((y >> BigInt(bit)) & 1n), 0) < 2,
    draw: (x, words) => {
      const flags = new Uint8Array(size);
      members.forEach((bit, at) => (flags[bit] = Number(words[at] < pick(bit === x, own, other))));
      flags[x] |= isOther[x] & Number(words[words.length - 1] >= units);
      return setReport(flags);
    },
  };
}

/** @param {{grade_of: Uint32Array, own: bigint[], other: bigint[]}} law @returns {Machine} */
export function gradedUnary({ grade_of, own, other }) {
  const size = grade_of.length;
  demand(size && own.length === other.length && grade_of.every((grade) => grade < own.length), "each bit must have a grade");
  demand(own.every((a, grade) => 0n < other[grade] && other[grade] < a && a < SPACE), "its own bit must be the likeliest");
  return {
    size,
    words: size,
    outputs: 1n << BigInt(size),
    label: (x) => grade_of[x],
    ratio: (x, z) => {
      const [g, h] = [grade_of[x], grade_of[z]];
      return [own[g] * (SPACE - other[h]), other[g] * (SPACE - own[h])];
    },
    draw: (x, words) => setReport(Uint8Array.from(grade_of, (g, bit) => Number(words[bit] < pick(bit === x, own[g], other[g])))),
  };
}

/** @param {{units: bigint[], parts: Machine[]}} law @returns {Machine} */
export function mixture({ units, parts }) {
  demand(units.every(Boolean) && units.length === parts.length, "each part must have words");
  demandFull(units, "the words of its parts");
  demand(parts.every((part) => part.size === parts[0].size), "its parts must be for the same values");
  const { offsets, outputs } = layOut(parts.map((part) => part.outputs));
  const bounds = sums(units);
  return {
    size: parts[0].size,
    words: 1 + mostWords(parts),
    outputs,
    label: parts.every((part) => part.label === alike) ? alike : (x) => parts.map((part) => part.label(x)).join(),
    ratio: (x, z) => parts.map((part) => part.ratio(x, z)).reduce(either),
    possible: (y) => {
      const [part, report] = inside(offsets, y);
      return canWrite(parts[part], report);
    },
    draw: (x, words) => {
      const part = rank(bounds, words[0]);
      return offsets[part] + parts[part].draw(x, words.subarray(1));
    },
  };
}

/** @param {{block_of: Uint32Array, kind_of: number[], kinds: Machine[], units: bigint[]}} law @returns {Machine} */
export function nested({ block_of, kind_of, kinds, units }) {
  const shown = blocks({ block_of, kind_of, kinds });
  const [count, size] = [kind_of.length, shown.size];
  const truth = SPACE - sum(units);
  demand(units.length === count && count > 1 && units.every(Boolean) && truth > 0n, "each of several blocks must have words, and the own one more");
  const parts = kind_of.map((kind) => kinds[kind]);
  const helds = parts.map((part) => {
    demand(part.held, "its kinds must have blank reports");
    return part.held;
  });
  const { place, sizes } = placed(block_of, count);
  const { offsets } = layOut(parts.map((part) => part.outputs));
  const bounds = sums(units);
  /** @param {number} b @returns {Ratio} */
  const odds = (b) => [units[b] + truth, units[b]];
  /** The report of a value at a place of the block `mine`, or a blank one of that block. @param {number} mine @param {number} at @param {boolean} blank @param {BigUint64Array} words */
  const drawn = (mine, at, blank, words) => {
    const found = rank(bounds, words[0]);
    const block = pick(found === count, mine, found);
    return offsets[block] + helds[block].draw(at, pick(block === mine, blank, true), words.subarray(1));
  };
  /** The words with which a blank report shows each block, at least and at most, in units of 2^-64. @param {(a: bigint, b: bigint) => bigint} divide */
  const blanks = (divide) => units.map((unit, b) => unit * SPACE + BigInt(sizes[b]) * divide(SPACE, BigInt(size)) * truth);
  const least = blanks((a, b) => a / b);
  const most = blanks(ceilDivide);
  const mostBlank = units.map((unit, b) => /** @type {Ratio} */ ([most[b], unit * SPACE])).reduce(larger);
  const words = 1 + Math.max(...helds.map((held) => held.words));
  return {
    ...shown,
    words,
    ratio: (x, z) => {
      const [b, d] = [block_of[x], block_of[z]];
      if (b === d) return shown.ratio(x, z);
      return larger(times(odds(b), helds[b].ratios(place[x])[0]), over(helds[d].ratios(place[z])[1], odds(d)));
    },
    draw: (x, from) => drawn(block_of[x], place[x], false, from),
    held: {
      places: size,
      words: 1 + words,
      draw: (x, blank, from) => {
        const at = pick(blank, position(from[0], size), x);
        return drawn(block_of[at], place[at], blank, from.subarray(1));
      },
      ratios: (x) => {
        const b = block_of[x];
        const [above, below] = helds[b].ratios(place[x]);
        const mine = (units[b] + truth) * SPACE;
        return [larger(times([mine, least[b]], above), ONE), larger(times([most[b], mine], below), mostBlank)];
      },
    },
  };
}

/**
 * @param {{class_of: Uint32Array, units: bigint[][], marks: number[][], inners: Machine[]}} law
 * @returns {Machine}
 */
export function types({ class_of, units, marks, inners }) {
  const classes = units.length;
  const { place, sizes } = placed(class_of, classes);
  demand(sizes.every(Boolean) && marks.length, "each class must have values");
  for (const row of units) demandFull(row, "the words of each class");
  demand(units.every((row) => row.length === marks.length) && marks.every((row) => row.length === classes), "it must have units and a mark for each type and class");
  spend(marks.length * classes * classes);
  const fine = 1n << 128n;
  /** @type {Ratio[]} */
  const inner = new Array(classes).fill(ONE);
  const most = units.map((row) => row.map((unit) => unit * fine));
  const least = units.map((row) => row.map((unit) => unit * fine));
  let words = 0;
  const shown = marks.map((row, type) => {
    let [at, taken] = [0, 0];
    const found = row.flatMap((mark, group) => {
      if (!mark) return [];
      const part = inners[mark - 1];
      demand(part?.held && part.neutral && part.size === sizes[group] && part.size > 1, "a class that is marked must have several values, and a law for as many");
      const [above, below] = part.held.ratios(0);
      least[group][type] = (least[group][type] * below[1]) / below[0];
      most[group][type] = ceilDivide(most[group][type] * above[0], above[1]);
      if (most[group][type]) inner[group] = larger(inner[group], part.ratio(0, 1) ?? ONE);
      const begin = at;
      at += bitsOf(part.outputs);
      taken += 1 + part.words;
      return [{ group, part, held: part.held, at: BigInt(begin) }];
    });
    words = Math.max(words, taken);
    return found;
  });
  const { offsets, outputs } = layOut(shown.map((found) => (found.length ? found[found.length - 1].part.outputs << found[found.length - 1].at : 1n)));
  const bounds = units.map(sums);
  /** @type {Map<number, Ratio | null>} */
  const known = new Map();
  return {
    size: class_of.length,
    words: 1 + words,
    outputs,
    label: (x) => class_of[x],
    ratio: (x, z) => {
      const [c, d] = [class_of[x], class_of[z]];
      if (c === d) return inner[c];
      const key = c * classes + d;
      if (!known.has(key)) known.set(key, largest(most[c], least[d]));
      return known.get(key) ?? null;
    },
    possible: (y) => {
      const [type, report] = inside(offsets, y);
      const found = shown[type];
      if (!found.length) return !report;
      return found.every(({ part, at }, i) => {
        const left = report >> at;
        return canWrite(part, i < found.length - 1 ? left & ((1n << BigInt(bitsOf(part.outputs))) - 1n) : left);
      });
    },
    draw: (x, from) => {
      const type = rank(bounds[class_of[x]], from[0]);
      let [report, used] = [0n, 1];
      for (const { group, part, held, at } of shown[type]) {
        const end = used + 1 + part.words;
        report += held.draw(place[x], group !== class_of[x], from.subarray(used, end)) << at;
        used = end;
      }
      return offsets[type] + report;
    },
  };
}

/** @param {{rows: bigint[][]}} law @returns {Machine} */
export function table({ rows }) {
  const outputs = rows[0]?.length;
  demand(outputs && rows.every((row) => row.length === outputs), "its rows must have one length");
  for (const row of rows) demandFull(row, "each of its rows");
  const bounds = rows.map(sums);
  const rough = rows.map(doubles);
  return {
    size: rows.length,
    words: 1,
    outputs: BigInt(outputs),
    label: own,
    ratio: (x, z) => {
      spend(outputs / 8);
      return largest(rows[x], rows[z], rough[x], rough[z]);
    },
    possible: (y) => rows.some((row) => row[Number(y)]),
    draw: (x, [u]) => BigInt(rank(bounds[x], u)),
  };
}

/** @param {{first: Machine, second: Machine}} law @returns {Machine} */
export function paired({ first, second }) {
  const k = second.size;
  const split = (/** @type {number} */ x) => [Math.floor(x / k), x % k];
  return {
    size: first.size * k,
    words: first.words + second.words,
    outputs: first.outputs * second.outputs,
    label: own,
    ratio: (x, z) => {
      const [[a, b], [c, d]] = [split(x), split(z)];
      return both(a === c ? ONE : first.ratio(a, c), b === d ? ONE : second.ratio(b, d));
    },
    possible: (y) => canWrite(first, y / second.outputs) && canWrite(second, y % second.outputs),
    draw: (x, words) => {
      const [a, b] = split(x);
      return first.draw(a, words.subarray(0, first.words)) * second.outputs + second.draw(b, words.subarray(first.words));
    },
  };
}

/** @param {{first: Machine, seconds: Machine[], choice: number[]}} law @returns {Machine} */
export function adaptive({ first, seconds, choice }) {
  demand(BigInt(choice.length) === first.outputs && choice.every((kind) => kind < seconds.length), "each first report must choose a second law");
  demand(seconds.every((second) => second.size === first.size), "its laws must be for the same values");
  const width = seconds.map((second) => second.outputs).reduce((a, b) => (a > b ? a : b));
  return {
    size: first.size,
    words: first.words + mostWords(seconds),
    outputs: first.outputs * width,
    label: (x) => [first, ...seconds].map((part) => part.label(x)).join(),
    ratio: (x, z) => both(first.ratio(x, z), seconds.map((second) => second.ratio(x, z)).reduce(either)),
    possible: (y) => canWrite(first, y / width) && canWrite(seconds[choice[Number(y / width)]], y % width),
    draw: (x, words) => {
      const report = first.draw(x, words.subarray(0, first.words));
      return report * width + seconds[choice[Number(report)]].draw(x, words.subarray(first.words));
    },
  };
}

/** @param {{first: Machine, second: Machine}} law @returns {Machine} */
export const product = ({ first, second }) => {
  demand(first.outputs < 1 << 20, "its first law has too many reports");
  return adaptive({ first, seconds: [second], choice: new Array(Number(first.outputs)).fill(0) });
};

/** @param {{inner: Machine, weights: bigint[][]}} law @returns {Machine} */
export function postProcessed({ inner, weights }) {
  demand(inner.outputs <= 4096n && weights.length, "it has too many reports to replace");
  const outputs = weights[0].length;
  for (const row of weights) {
    demand(row.length === outputs, "its weights must have one length");
    demandFull(row, "its weights");
  }
  let next = 0;
  const rows = Array.from({ length: Number(inner.outputs) }, (_, y) => (canWrite(inner, BigInt(y)) ? next++ : 0));
  demand(next === weights.length, "it must have weights for each report");
  const bounds = weights.map(sums);
  return {
    size: inner.size,
    words: inner.words + 1,
    outputs: BigInt(outputs),
    label: inner.label,
    ratio: inner.ratio,
    possible: (v) => weights.some((row) => row[Number(v)]),
    draw: (x, words) => BigInt(rank(bounds[rows[Number(inner.draw(x, words.subarray(0, inner.words)))]], words[inner.words])),
  };
}
