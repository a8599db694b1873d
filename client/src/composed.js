/** The laws that are made of other laws, and tables, which are made of none. */

import { ceilDivide, demand, demandSmall, greatest, larger, LIMITS, ONE, spend, times } from "./exact.js";
import { aligned, alike, bitsOf, demandFull, everyone, largest, layOut, machineFor, pick, placed, position, rank, setReport, SPACE, sum, sums, twoOfEach } from "./machine.js";

/** @import { Ratio } from "./exact.js" */
/** @import { Held, Machine, Few } from "./machine.js" */
/** @import { Bits } from "./reading.js" */

/** The product of two bounds; null where one of them is missing. @param {Ratio | null} a @param {Ratio | null} b */
const both = (a, b) => (a && b ? times(a, b) : null);

/** The larger of two bounds; null where one of them is missing. @param {Ratio | null} a @param {Ratio | null} b */
const either = (a, b) => (a && b ? larger(a, b) : null);

/** @param {Machine[]} parts */
const mostWords = (parts) => Math.max(...parts.map((part) => part.words));

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
  demand(kindOf.length && kindOf.every((kind) => kind < kinds.length));
  const parts = kindOf.map((kind) => kinds[kind]);
  const { place, sizes } = placed(blockOf, parts.length);
  demand(parts.every((part, block) => part.size === sizes[block]));
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
      const inside = values.map((one) => place[one]);
      return parts[blockOf[x]].few(inside).map((at) => values[inside.indexOf(at)]);
    },
    /** The ratio of two values, which is `across` if they are in different blocks. @param {Ratio | null} across @returns {Machine["ratio"]} */
    ratio: (across) => (x, z) => (blockOf[x] === blockOf[z] ? parts[blockOf[x]].ratio(place[x], place[z]) : across),
  };
};

/** @param {number[]} blockOf @param {number[]} kindOf @param {Machine[]} kinds @returns {Machine} */
export const blocks = (blockOf, kindOf, kinds) => {
  const { parts, place, offsets, outputs, few, ratio } = divided(blockOf, kindOf, kinds);
  return machineFor(
    blockOf.length,
    mostWords(kinds),
    outputs,
    few,
    ratio(null),
    (x, words) => offsets[blockOf[x]] + parts[blockOf[x]].draw(place[x], words),
  );
};

/** The place of each value among those that are sensitive, or among the others. @param {Bits} sensitive */
const sides = ({ size, members }) => {
  const isOther = Array(size).fill(1);
  for (const x of members) isOther[x] = 0;
  return { isOther, ...placed(isOther, 2) };
};

/** @param {Machine} inner @param {bigint} units @param {Bits} sensitive @param {number[][]} steps @returns {Machine} */
export const highLow = (inner, units, sensitive, steps) => {
  const { isOther, place, sizes } = sides(sensitive);
  demand(inner.neutral && sizes[0] === inner.size);
  if (!sizes[1]) {
    demand(!units && !steps.length);
    return inner;
  }
  const neutral = inner.neutral(units, steps);
  const base = inner.outputs <= SPACE / 2n ? inner.outputs : aligned(inner.outputs);
  return machineFor(
    sensitive.size,
    Math.max(inner.words, neutral.words),
    base + BigInt(sizes[1]),
    twoOfEach(isOther, 2),
    (x, z) => (isOther[x] ? null : isOther[z] ? neutral.ratio : inner.ratio(place[x], place[z])),
    (x, words) => {
      const hidden = inner.draw([place[x], 0][isOther[x]], words);
      const [passes, report] = neutral.draw(words);
      return [hidden, report, base + BigInt(place[x])][isOther[x] * (1 + +passes)];
    },
  );
};

/** @param {Machine} inner @param {bigint} units @param {Bits} sensitive @returns {Machine} */
export const utilityRappor = (inner, units, sensitive) => {
  const machine = highLow(inner, units, sensitive, []);
  const { isOther, place } = sides(sensitive);
  const { size, members } = sensitive;
  demand(inner.bitwise);
  return {
    ...machine,
    words: inner.size + 1,
    outputs: 1n << BigInt(size),
    draw: (x, words) => {
      const flags = new Uint8Array(size);
      const hidden = inner.draw([place[x], -1][isOther[x]], words);
      members.forEach((bit, at) => (flags[bit] = Number((hidden >> BigInt(at)) & 1n)));
      flags[x] |= isOther[x] & +(words[inner.size] >= units);
      return setReport(flags);
    },
  };
};

/** @param {Machine[]} parts @param {bigint[]} units @returns {Machine} */
export const mixture = (parts, units) => {
  const [bounds] = bounded([units]);
  demand(units.every(Boolean) && units.length === parts.length && parts.every((part) => part.size === parts[0].size));
  const { offsets, outputs } = layOut(parts.map((part) => part.outputs));
  return machineFor(
    parts[0].size,
    1 + mostWords(parts),
    outputs,
    areAlike(parts) ? alike : (values) => [...new Set(parts.flatMap((part) => part.few(values)))],
    (x, z) => parts.map((part) => part.ratio(x, z)).reduce(either),
    (x, words) => {
      const part = rank(bounds, words[0]);
      return offsets[part] + parts[part].draw(x, words.subarray(1));
    },
  );
};

/** @param {number[]} blockOf @param {number[]} kindOf @param {Machine[]} kinds @param {bigint[]} units @returns {Machine} */
export const nested = (blockOf, kindOf, kinds, units) => {
  const { parts, place, offsets, outputs, few, ratio } = divided(blockOf, kindOf, kinds);
  const count = parts.length;
  const size = blockOf.length;
  const truth = SPACE - sum(units);
  demand(units.length === count && count > 1 && units.every(Boolean) && truth > 0n && parts.every((part) => part.held));
  const helds = parts.map((part) => /** @type {Held} */ (part.held));
  const bounds = sums(units);
  /** Of blocks that are alike, one. */
  const sorts = [...new Map(units.map((unit, b) => [`${kindOf[b]}/${unit}`, b])).values()];
  spend(16 * count + 128 * sorts.length);
  /** What the values of a block and others can give away: the largest of everything that `find` finds for a block. @param {(b: number) => Ratio[]} find */
  const most = (find) => sorts.flatMap(find).reduce(larger);
  /** The words with which a block is shown by its own values. @param {number} b */
  const mine = (b) => units[b] + truth;
  /** The words with which a blank report shows a block, in units of 2^-64. @param {number} b @param {bigint} part that of a value */
  const blank = (b, part) => units[b] * SPACE + BigInt(parts[b].size) * part * truth;
  const [least, greater] = [SPACE / BigInt(size), ceilDivide(SPACE, BigInt(size))];
  /** The report of a value at a place of the block `own`, or a blank one of that block. @param {number} x @param {boolean} isBlank @param {BigUint64Array} words */
  const drawn = (x, isBlank, words) => {
    const found = rank(bounds, words[0]);
    const block = pick(found === count, blockOf[x], found);
    return offsets[block] + helds[block].draw(place[x], pick(block === blockOf[x], isBlank, true), words.subarray(1));
  };
  const words = 1 + Math.max(...helds.map((held) => held.words));
  return machineFor(
    size,
    words,
    outputs,
    few,
    // one bound for all values of different blocks; it is that of values in one block too, if that is larger: of 0 and nobody, -1
    ratio(most((b) => {
      const [above, below] = helds[b].ratios;
      return [times([mine(b), units[b]], above), times([units[b], mine(b)], below), parts[b].ratio(0, -1) ?? ONE];
    })),
    (x, from) => drawn(x, false, from),
    { held: {
      places: size,
      words: 1 + words,
      draw: (x, isBlank, from) => drawn(pick(isBlank, position(from[0], size), x), isBlank, from.subarray(1)),
      ratios: [
        most((b) => [ONE, times([mine(b) * SPACE, blank(b, least)], helds[b].ratios[0])]),
        most((b) => [[blank(b, greater), units[b] * SPACE], times([blank(b, greater), mine(b) * SPACE], helds[b].ratios[1])]),
      ],
    } },
  );
};

/** @param {number[]} classOf @param {Machine[]} inners @param {number[][]} marks @param {bigint[][]} units @returns {Machine} */
export const types = (classOf, inners, marks, units) => {
  const classes = units.length;
  const { place, sizes } = placed(classOf, classes);
  const bounds = bounded(units);
  demand(sizes.every(Boolean) && units[0].length === marks.length && marks.every((row) => row.length === classes));
  /** The largest ratio inside each class. @type {Ratio[]} */
  const inner = Array(classes).fill(ONE);
  /** For each class, the words of every type's reports over those of blank ones, at most and at least, in units of 2^-128. */
  const [most, least] = [1, 2].map(() => units.map((row) => row.map((unit) => unit << 128n)));
  const shown = marks.map((row, type) => {
    let [at, words, last] = [0, 1, 1n];
    const parts = row.flatMap((mark, group) => {
      if (!mark) return [];
      const part = inners[mark - 1];
      demand(part?.held && part.neutral && part.size === sizes[group] && part.size > 1);
      const { held, outputs } = part;
      const [above, below] = held.ratios;
      least[group][type] = (least[group][type] * below[1]) / below[0];
      most[group][type] = ceilDivide(most[group][type] * above[0], above[1]);
      if (most[group][type]) inner[group] = larger(inner[group], part.ratio(0, 1) ?? ONE);
      const [first, bits] = [words, BigInt(at)];
      last = outputs << bits;
      at += bitsOf(outputs);
      demandSmall(at, LIMITS.bits);
      words += held.words;
      return [{ group, held, bits, first, end: words }];
    });
    return { parts, words, last };
  });
  const { offsets, outputs } = layOut(shown.map(({ last }) => last));
  return machineFor(
    classOf.length,
    Math.max(...shown.map(({ words }) => words)),
    outputs,
    twoOfEach(classOf, classes),
    (x, z) => {
      spend(marks.length);
      return classOf[x] === classOf[z] ? inner[classOf[x]] : largest(most[classOf[x]], least[classOf[z]]);
    },
    (x, from) => {
      const type = rank(bounds[classOf[x]], from[0]);
      let report = offsets[type];
      for (const { group, held, bits, first, end } of shown[type].parts)
        report += held.draw(place[x], group !== classOf[x], from.subarray(first, end)) << bits;
      return report;
    },
  );
};

/** @param {bigint[][]} rows @returns {Machine} */
export const table = (rows) => {
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

/** @param {Machine} first @param {Machine} second @returns {Machine} */
export const paired = (first, second) => {
  const k = second.size;
  const split = (/** @type {number} */ x) => [Math.floor(x / k), x % k];
  return machineFor(
    first.size * k,
    first.words + second.words,
    first.outputs * second.outputs,
    everyone,
    (x, z) => {
      const [[a, b], [c, d]] = [split(x), split(z)];
      return both(a === c ? ONE : first.ratio(a, c), b === d ? ONE : second.ratio(b, d));
    },
    (x, words) => {
      const [a, b] = split(x);
      return first.draw(a, words.subarray(0, first.words)) * second.outputs + second.draw(b, words.subarray(first.words));
    },
  );
};

/** @param {number[]} choice @param {Machine} first @param {Machine[]} seconds @returns {Machine} */
export const adaptive = (choice, first, seconds) => {
  demand(BigInt(choice.length) === first.outputs && choice.every((kind) => kind < seconds.length));
  demand(seconds.every((second) => second.size === first.size));
  const width = greatest(seconds.map((second) => second.outputs));
  return machineFor(
    first.size,
    first.words + mostWords(seconds),
    first.outputs * width,
    areAlike([first, ...seconds]) ? alike : everyone,
    (x, z) => both(first.ratio(x, z), seconds.map((second) => second.ratio(x, z)).reduce(either)),
    (x, words) => {
      const report = first.draw(x, words.subarray(0, first.words));
      return report * width + seconds[choice[Number(report)]].draw(x, words.subarray(first.words));
    },
  );
};

/** @param {Machine} first @param {Machine} second @returns {Machine} */
export const product = (first, second) => {
  demand(first.outputs < 1 << 20);
  spend(4 * Number(first.outputs));
  return adaptive(Array(Number(first.outputs)).fill(0), first, [second]);
};

/** @param {Machine} inner @param {bigint[][]} weights @returns {Machine} */
export const postProcessed = (inner, weights) => {
  demand(BigInt(weights.length) === inner.outputs);
  const bounds = bounded(weights);
  return machineFor(
    inner.size,
    inner.words + 1,
    BigInt(weights[0].length),
    inner.few,
    inner.ratio,
    (x, words) => BigInt(rank(bounds[Number(inner.draw(x, words.subarray(0, inner.words)))], words[inner.words])),
  );
};
