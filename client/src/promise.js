/** What a collection promises, in words that a person can check. */

/** @import { Law } from "./check.js" */

/**
 * What was checked, and sentences that say it.
 * @typedef {object} Promised
 * @property {string} form of the context
 * @property {string} epsilon what an answer spends
 * @property {boolean} shows whether some answers may be told from others for certain
 * @property {string} fingerprint
 * @property {readonly string[]} sentences
 */

/** e to the power of epsilon in three digits, rounded up; as a power where that means nothing to a reader. @param {string} epsilon */
function likelier(epsilon) {
  const [top, bottom = 1] = epsilon.split("/").map(Number);
  const power = Math.exp(top / bottom) * (1 + 1e-12);
  if (!(power < 1e6)) return `e^${epsilon}`;
  const step = 10 ** (Math.floor(Math.log10(power)) - 2);
  return String(Number((Math.ceil(power / step - 1e-9) * step).toPrecision(3)));
}

/** @param {Law} law @param {string} changes @param {string} [access] @returns {Promised} */
export function promiseOf({ context, epsilon, shows, fingerprint }, changes, access) {
  const hidden = shows ? "one that it is hidden from" : "any other";
  const again = changes === "spend" ? "spends as much again" : "is not taken";
  const sentences = [
    shows && epsilon === "0"
      ? "Nothing is hidden here: whoever gets your report may learn your answer from it."
      : `Your report is at most ${likelier(epsilon)} times as likely with your answer as with ${hidden} (epsilon ${epsilon}).`,
    `This answer spends ${epsilon} of your budget. The same answer again costs nothing; a changed one ${again}.`,
  ];
  if (context.form === "blocks" && shows) sentences.splice(1, 0, "It shows which group your answer is in, and hides it inside.");
  else if (shows) sentences.splice(1, 0, "Some answers may be told from some others for certain.");
  if (access === "invitation")
    sentences.splice(-1, 0, "Your invitation goes along with your report: whoever noted who got it can tell that the report is yours.");
  return Object.freeze({ form: context.form, epsilon, shows, fingerprint, sentences: Object.freeze(sentences) });
}
