/** What a checked promise means for one answer, in odds and in a hundred people; rounded against the collector. */

/** @typedef {{likelier: number, hiddenFrom: number[], shownFrom: number[]}} Meaning */

/** @param {string} epsilon exact text: "0.5", "1/3" or "inf" */
export function power(epsilon) {
  if (epsilon === "inf") return Infinity;
  const [top, bottom = "1"] = epsilon.split("/");
  return Math.exp(Number(top) / Number(bottom)) * (1 + 1e-12);
}

/** Three digits, rounded up. @param {number} number */
export function above(number) {
  if (!(number < 1e6)) return "more than a million";
  const step = 10 ** (Math.floor(Math.log10(number)) - 2);
  return String(Number((Math.ceil(number / step - 1e-9) * step).toPrecision(3)));
}

/**
 * How far the report of value x can tell it from each other value.
 * @param {{size: number, allowed: (x: number, z: number) => string}} law
 * @param {number} x
 * @returns {Meaning}
 */
export function meaning(law, x) {
  const hiddenFrom = [];
  const shownFrom = [];
  let likelier = 1;
  for (let z = 0; z < law.size; z++) {
    if (z === x) continue;
    const ratio = power(law.allowed(x, z));
    if (ratio === Infinity) shownFrom.push(z);
    else {
      hiddenFrom.push(z);
      likelier = Math.max(likelier, ratio);
    }
  }
  return { likelier, hiddenFrom, shownFrom };
}

/**
 * Of a hundred people who send one report, at most so many hold the value, if `share` of a hundred hold it before:
 * p r / (p r + 1 - p), rounded up.
 * @param {number} share
 * @param {number} likelier
 */
export const sureAtMost = (share, likelier) => Math.min(100, Math.ceil((100 * share * likelier) / (share * likelier + 100 - share) - 1e-9));
