/** The laws that are made of other laws, and tables, which are made of none. */

import { BITS, ceilDivide, demand, demandSmall, greatest, INFINITE, larger, ONE, spend, times, VALUES } from "./exact.js";
import { quotient } from "./reading.js";
import { aligned, alike, bitsOf, demandFull, everyone, largest, layOut, machineFor, pick, placed, position, rank, setReport, SPACE, sum, sums, twoOfEach } from "./machine.js";

/** @import { Ratio } from "./exact.js" */
/** @import { Held, Machine, Few } from "./machine.js" */
/** @import { Bits } from "./reading.js" */

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
export const blocks = (blockOf, kindOf, kinds) => {
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
export const highLow = (inner, units, sensitive, steps) => {
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
export const utilityRappor = (inner, units, sensitive) => {
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
export const mixture = (parts, units) => {
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
export const product = (first, second) => sequence(first, [second], () => second);

/** @param {number[]} choice @param {Machine} first @param {Machine[]} seconds */
export const adaptive = (choice, first, seconds) => {
  demand(BigInt(choice.length) === first.outputs && choice.every((kind) => kind < seconds.length));
  return sequence(first, seconds, (report) => seconds[choice[Number(report)]]);
};

/** @param {Machine} first @param {Machine} second */
export const paired = (first, second) => {
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
export const postProcessed = (inner, weights) => {
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
