/**
 * A domain as it is pasted: an answer a line, perhaps with its group before a colon and a count after a comma or tab;
 * "18..99" stands for the whole numbers from 18 to 99.
 */

/** The most answers of a design. */
const MOST = 5000;

/** The lines that a line stands for: the numbers of a range, or itself. @param {string} line */
function unfolded(line) {
  const range = /^(-?[0-9]{1,9})\s*\.\.\s*(-?[0-9]{1,9})$/.exec(line);
  if (!range) return [line];
  const [first, last] = [Number(range[1]), Number(range[2])];
  if (first > last) throw new Error(`“${line}” must begin with the smaller number.`);
  return Array.from({ length: Math.min(last - first, MOST) + 1 }, (_, i) => String(first + i));
}

/**
 * @typedef {{values: string[], groups: string[] | null, counts: number[] | null}} Pasted
 * @param {string} text
 * @returns {Pasted}
 */
export function pasted(text) {
  const lines = text
    .split(/\r?\n/)
    .map((line) => line.trim())
    .filter(Boolean)
    .flatMap(unfolded);
  const rows = lines.map((line) => {
    const counted = /^(.*?)[\t;,]\s*([0-9]+(?:\.[0-9]+)?)$/.exec(line);
    const name = (counted ? counted[1] : line).trim();
    const grouped = /^([^:]+):\s*(.+)$/.exec(name);
    return { value: name, group: grouped ? grouped[1].trim() : null, count: counted ? Number(counted[2]) : null };
  });
  const values = rows.map(({ value }) => value);
  if (values.length > MOST) throw new Error("This page takes up to 5,000 answers; larger specs are written as files.");
  const twice = values.find((value, i) => values.indexOf(value) !== i);
  if (twice !== undefined) throw new Error(`“${twice}” appears twice; each answer must appear once.`);
  if (values.length < 2) throw new Error("There must be at least two answers, one per line.");
  return {
    values,
    groups: rows.every(({ group }) => group !== null) ? rows.map(({ group }) => /** @type {string} */ (group)) : null,
    counts: rows.every(({ count }) => count !== null) && rows.some(({ count }) => count) ? rows.map(({ count }) => /** @type {number} */ (count)) : null,
  };
}

/** Values that must be hidden from each other, "a - b" a line. @param {string} text @param {string[]} values */
export function pairsIn(text, values) {
  return text
    .split(/\r?\n/)
    .map((line) => line.trim())
    .filter(Boolean)
    .map((line) => {
      const pair = line.split(/\s+[-–]\s+/);
      const strange = pair.find((value) => !values.includes(value));
      if (pair.length !== 2) throw new Error(`“${line}” must be two answers with a dash between them.`);
      if (strange !== undefined) throw new Error(`“${strange}” is not one of the answers.`);
      return pair.map((value) => values.indexOf(value));
    });
}

/**
 * The spec of a design.
 * @param {Pasted} domain
 * @param {{form: string, epsilon: string, outer: string, sensitive: Set<string>, pairs: string}} asked
 */
export function specOf(domain, { form, epsilon, outer, sensitive, pairs }) {
  const values = { domain: { values: domain.values } };
  if (form === "blocks" || form === "nested") {
    if (!domain.groups) throw new Error("Write the group of every answer before it, with a colon: “Aldermoor: Harbour”.");
    /** @type {Record<string, string[]>} */
    const blocks = {};
    domain.values.forEach((value, i) => (blocks[/** @type {string[]} */ (domain.groups)[i]] ??= []).push(value));
    return { context: { form, blocks, ...(form === "blocks" ? { epsilon } : { epsilons: [epsilon, outer] }) } };
  }
  if (form === "high_low") {
    const chosen = domain.values.filter((value) => sensitive.has(value));
    if (!chosen.length) throw new Error("Mark at least one answer as sensitive.");
    return { ...values, context: { form, epsilon, sensitive: chosen } };
  }
  if (form === "metric") return { ...values, context: { form, epsilon, distance: "line", points: domain.values.map((_, i) => i) } };
  if (form === "matrix") {
    const E = domain.values.map((_, x) => domain.values.map((__, z) => (x === z ? "0" : "inf")));
    const hidden = pairsIn(pairs, domain.values);
    if (!hidden.length) throw new Error("Write at least one pair of answers that must be hard to tell apart.");
    for (const [x, z] of hidden) E[x][z] = E[z][x] = epsilon;
    return { ...values, context: { form, E } };
  }
  return { ...values, context: { form, epsilon } };
}

/** Rows such as "name = text". @param {string} text @param {string} sign @param {string} example */
function pairsOf(text, sign, example) {
  const rows = text
    .split(/\r?\n/)
    .map((line) => line.trim())
    .filter(Boolean)
    .map((line) => {
      const at = line.indexOf(sign);
      const row = [line.slice(0, at).trim(), line.slice(at + 1).trim()];
      if (at < 0 || !row[0] || !row[1]) throw new Error(`“${line}” must be written like “${example}”.`);
      return row;
    });
  const twice = rows.find(([name], i) => rows.findIndex(([other]) => other === name) !== i);
  if (twice) throw new Error(`“${twice[0]}” appears twice.`);
  return rows;
}

/** How answers are shown, "answer = words" per line. @param {string} text @returns {Record<string, string>} */
export const wordsIn = (text) => Object.fromEntries(pairsOf(text, "=", "HIV = an HIV infection"));

/** Public labels, "name: choice, choice" per line. @param {string} text @returns {Record<string, string[]>} */
export const labelsIn = (text) =>
  Object.fromEntries(
    pairsOf(text, ":", "region: north, south").map(([name, texts]) => [
      name,
      texts
        .split(",")
        .map((one) => one.trim())
        .filter(Boolean),
    ]),
  );

/** When a collection opens and closes, by its first and last day in UTC; an empty text is no bound. @param {string} first @param {string} last */
export function daysIn(first, last) {
  const after = last && new Date(Date.parse(`${last}T00:00:00Z`) + 86400000).toISOString().slice(0, 10);
  if (first && last && first > last) throw new Error("The last day must not be before the first.");
  return { ...(first ? { opens: `${first}T00:00:00Z` } : {}), ...(after ? { closes: `${after}T00:00:00Z` } : {}) };
}
