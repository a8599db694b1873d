/** The laws of a questionnaire: checked one by one, answered together, and reported as one number. */

import { sha256 } from "./bytes.js";
import { contextOf, textual, valuesOf } from "./context.js";
import { checkLaw, Refused } from "./discreet.js";
import { atMost, bitLength, exactNumber, NOTHING, plus, textOf } from "./exact.js";
import { begin, VALUES, WORK } from "./limits.js";
import { keptOf } from "./numbers.js";
import { canonical } from "./plain.js";
import { entries, listed } from "./reading.js";
import { areNames } from "./texts.js";

/** @import { Law } from "./check.js" */
/** @import { Ratio } from "./exact.js" */

/** How several questions are asked: one that a person's own device draws, each with a report, or all as one value. @typedef {"one at random" | "each" | "together"} Strategy */

/** What is hidden of the answers to one question. @typedef {Pick<Law, "values" | "numbers" | "size" | "context" | "E" | "epsilon" | "shows" | "index">} Question */

/**
 * Laws that keep their promises, and how people are asked by them.
 * @typedef {object} Form
 * @property {string} fingerprint the SHA-256 of the strategy, the names and the fingerprints of the laws
 * @property {Strategy} strategy
 * @property {readonly string[]} names of the questions
 * @property {readonly Law[]} laws of each question, or the one of all answers together
 * @property {readonly Question[]} questions each by itself
 * @property {string} epsilon what an answer spends: the sum over the laws, or the largest where one question is asked
 * @property {boolean} shows whether some answers may be told from others for certain
 * @property {number} bits how many bits hold a report
 */

/**
 * An answer to a law or to a form as a ledger takes it: value number 0 of `values` is what stands for it.
 * @typedef {Pick<Law, "fingerprint" | "epsilon" | "shows" | "values" | "numbers" | "words" | "draw" | "written"> & {parts?: readonly Law[]}} Answering
 */

const ONE = "one at random";
const TOGETHER = "together";

/** @param {unknown} holds @param {string} reason @returns {asserts holds} */
function demand(holds, reason) {
  if (!holds) throw new Refused(`This collection is refused: ${reason}.`, "law");
}

/**
 * The names, the strategy and the texts of the laws of a form, each of them a piece of its text: put together again they are that text.
 * @param {string} text
 */
function piecesOf(text) {
  try {
    const { form } = entries(JSON.parse(text), "form version");
    const { laws, questions: names, strategy } = entries(form, "laws questions strategy");
    const pieces = listed(laws).map(textual);
    if (`{"form":{"laws":[${pieces}],"questions":${textual(names)},"strategy":${textual(strategy)}},"version":1}` === text)
      return { names, strategy: /** @type {Strategy} */ (strategy), pieces };
  } catch {}
  throw new Refused("This collection is refused: the laws of its questionnaire are not written as they must be.", "law");
}

/** A question whose context follows from that of all answers. @param {any} context as published @param {any} values @returns {Question} */
function questionOf(context, values) {
  const E = contextOf(context, values);
  const numbers = new Map(E.values.map((value, x) => [textual(value), x]));
  return {
    values: Object.freeze(E.values),
    size: E.values.length,
    context,
    E: () => E,
    epsilon: textOf(E.largest),
    shows: E.shows,
    index: (value) => numbers.get(textual(value)) ?? cannot(),
  };
}

/** @returns {never} */
function cannot() {
  throw new Refused("This is not one of the answers that can be given.", "value");
}

/** The questions whose answers are the values of one law, the last one's running fastest. @param {Law} law @param {number} count @returns {Question[]} */
function questionsOf({ context, values }, count) {
  /** @type {Question[]} */
  const questions = [];
  let left = context;
  begin(-Infinity); // they are pieces of what was checked
  if (left.form === "product") {
    for (let more = count - 1; more; more -= 1) {
      demand(left.form === "product", "its law is not about these questions");
      questions.unshift(questionOf(left.second.context, left.second.domain && valuesOf(left.second.domain)));
      left = more > 1 ? left.first.context : left.first;
    }
    questions.unshift(questionOf(left.context, left.domain && valuesOf(left.domain)));
  } else {
    demand(left.form === "uniform" && values.every((value) => value?.tuple?.length === count), "its law is not about these questions");
    for (let i = 0; i < count; i += 1) {
      const answers = [...new Map(values.map(({ tuple }) => [textual(tuple[i]), tuple[i]])).values()];
      questions.push(questionOf(context, answers));
    }
  }
  const isOne = (/** @type {Question} */ { values: own }) => own.every((value) => typeof value !== "object");
  demand(questions.every(isOne) && questions.reduce((product, { size }) => product * size, 1) === values.length, "its law is not about these questions");
  values.forEach(({ tuple }, x) => {
    let rest = x;
    for (let i = count - 1; i >= 0; i -= 1) {
      const { size, values: own } = questions[i];
      demand(tuple[i] === own[rest % size], "its answers are not in order");
      rest = Math.floor(rest / size);
    }
  });
  return questions;
}

/**
 * The form that a text publishes, once the promises of all its laws have been checked; `Refused` with a reason if one does not hold. What they ask for
 * is limited for all of them together, in equal shares.
 * @param {string} text the canonical JSON, exactly as published
 * @param {{fingerprint?: string}} [expected]
 * @returns {Promise<Form>}
 */
export async function checkForm(text, { fingerprint: expected } = {}) {
  const { names, strategy, pieces } = piecesOf(text);
  demand([ONE, "each", TOGETHER].includes(strategy), "its strategy is not known");
  demand(areNames(names), "its questions must have different names");
  demand(pieces.length === (strategy === TOGETHER ? 1 : names.length), "it must have a law for each of its parts");
  const fingerprints = await Promise.all(pieces.map(sha256));
  const fingerprint = await sha256(canonical({ fingerprints, questions: names, strategy, version: 1 }));
  if (expected !== undefined && expected !== fingerprint) throw new Refused("These are not the laws that were announced.", "fingerprint");
  /** @type {Law[]} */
  const laws = [];
  for (const piece of pieces) laws.push(await checkLaw(piece, { from: WORK - WORK / pieces.length, fingerprint: fingerprints[laws.length] }));
  demand(laws.reduce((count, { size }) => count + size, 0) <= VALUES, "it has too many answers");
  const levels = laws.map(({ epsilon }) => /** @type {Ratio} */ (exactNumber(epsilon)));
  const widths = laws.map(({ bits }) => bits);
  const most = Math.max(...widths);
  return Object.freeze({
    fingerprint,
    strategy,
    names: Object.freeze(names),
    laws: Object.freeze(laws),
    questions: Object.freeze(strategy === TOGETHER ? questionsOf(laws[0], names.length) : laws),
    epsilon: textOf(levels.reduce(strategy === ONE ? (a, b) => (atMost(a, b) ? b : a) : plus, NOTHING)),
    shows: laws.some(({ shows }) => shows),
    bits: strategy === ONE ? most + bitLength(BigInt(laws.length - 1)) : widths.reduce((sum, bits) => sum + bits, 0),
  });
}

/**
 * The names of the questions that a person is asked: all of them, or the one that their ledger's key says, whatever they answer.
 * @param {Form} form
 * @param {(data: any) => Promise<ArrayBuffer>} sign what HMAC-SHA256 with the key of the ledger makes of data
 * @param {string} wording
 * @returns {Promise<readonly string[]>}
 */
export async function askedOf({ strategy, fingerprint, names }, sign, wording) {
  if (strategy !== ONE) return names;
  const word = new DataView(await sign(["asked", fingerprint, wording])).getBigUint64(0);
  return [names[Number((word * BigInt(names.length)) >> 64n)]];
}

/**
 * Answers as the ledger takes them: one debit and one report, whose parts take words of their own, in order.
 * @param {Form} form
 * @param {Record<string, any>} answers by the names of the questions
 * @param {readonly string[]} asked
 * @returns {Answering}
 */
export function answering({ fingerprint, epsilon, shows, strategy, names, laws, questions, bits }, answers, asked) {
  if (!answers || typeof answers !== "object" || Object.keys(answers).some((name) => !names.includes(name)) || asked.some((name) => !Object.hasOwn(answers, name)))
    throw new Refused("There must be an answer to each question that is asked, and to no other.", "value");
  const numbers = asked.map((name) => questions[names.indexOf(name)].index(answers[name]));
  const values = asked.map((name, i) => keptOf(questions[names.indexOf(name)], numbers[i]));
  const first = names.indexOf(asked[0]);
  const parts = strategy === ONE ? [laws[first]] : laws;
  const places = strategy === TOGETHER ? [numbers.reduce((x, number, i) => x * questions[i].size + number, 0)] : numbers;
  const shift = strategy === ONE ? BigInt(Math.max(...laws.map((law) => law.bits))) : 0n;
  return {
    fingerprint,
    epsilon,
    shows,
    values: [strategy === ONE ? [asked[0], ...values] : values],
    parts: laws,
    words: parts.reduce((sum, { words }) => sum + words, 0),
    draw: (_, words) => {
      let [report, taken, at] = [strategy === ONE ? BigInt(first) << shift : 0n, 0, 0n];
      parts.forEach((law, i) => {
        report |= law.draw(places[i], words.subarray(taken, (taken += law.words))) << at;
        at += BigInt(law.bits);
      });
      return report;
    },
    written: (report) => (bits <= 53 ? Number(report) : report.toString(16).padStart(Math.ceil(bits / 4), "0")),
  };
}
