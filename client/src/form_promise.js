/** What a questionnaire promises, in words that a person can check: by its strategy, and question by question. */

import { textOf } from "./exact.js";
import { ENGLISH, inEnglish, likelier, promised, promiseFor, protection, smallestOf } from "./promise.js";

/** @import { Law } from "./check.js" */
/** @import { Document } from "./document.js" */
/** @import { Form } from "./form.js" */
/** @import { Fact, Promised } from "./promise.js" */

/** The sentences in English, by their keys. @type {Record<string, string>} */
export const SENTENCES = {
  ...ENGLISH,
  askedOne:
    "You are asked one of the {several} questions, drawn at random on this device, and only your randomized answer to it is sent. Which question it is can be seen.",
  askedEach: "You are asked {everything}, and for each of them a randomized report is sent.",
  askedTogether: "You are asked {everything}, and one randomized report of all your answers together is sent.",
  question: "Question {places}:",
  questions: "Questions {places}:",
  unchanged: "With your other answers as they are:",
  questionUnchanged: "Question {places}, with your other answers as they are:",
  questionsUnchanged: "Questions {places}, with your other answers as they are:",
  evenTogether: "Compared with any other set of answers, your report makes yours at most {likelier} times as likely as before, whatever was known of you (epsilon {level}).",
  evenEach:
    "What the reports show adds up. Compared with any other set of answers, they make yours at most {likelier} times as likely as before, whatever was known of you (epsilon {level}).",
  addsEach: "What the reports show of you adds up over the questions.",
  addsTogether: "Where answers to several questions differ, what the report shows adds up.",
  costsRefuse: "Answering uses {epsilon} of your privacy budget. The same answers again use nothing; different ones are not accepted.",
  costsSpend: "Answering uses {epsilon} of your privacy budget. The same answers again use nothing; different ones use as much again.",
};

/** Small numbers as they are written in a sentence. */
const NUMBERS = ["zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten"];

/** Whether every answer is hidden from every other one alike. @param {Pick<Law, "E" | "epsilon" | "shows">} law */
function isEven({ E, epsilon, shows }) {
  const smallest = shows ? undefined : smallestOf(E());
  return smallest !== undefined && textOf(smallest) === epsilon;
}

/** Whether one report about all answers hides each set of them from any other alike. @param {Form} form */
const isEvenTogether = ({ strategy, laws }) => strategy === "together" && isEven(laws[0]);

/** @param {string} text */
const lowered = (text) => text[0].toLowerCase() + text.slice(1);

/** How far answers are hidden, question by question, those together that promise the same. @param {Form} form @param {Document["texts"]} texts */
function protections({ strategy, questions }, texts) {
  /** @type {Map<string, {facts: Fact[], text: string, places: number[]}>} */
  const found = new Map();
  questions.forEach((law, question) => {
    const facts = protection(law, texts.questions[question].unit);
    const said = facts.map((parts) => parts.map((fact) => inEnglish(fact, texts.questions[question].words)).join(" "));
    const key = JSON.stringify(said);
    const places = [...(found.get(key)?.places ?? []), question + 1];
    found.set(key, { places, text: said.join(" "), facts: found.get(key)?.facts ?? facts.flat().map((fact) => ({ ...fact, given: { ...fact.given, question } })) });
  });
  return [...found.values()].map(({ facts, text, places }) => {
    const [last, ...first] = places.toReversed();
    const which = found.size === 1 ? "" : first.length ? "questions" : "question";
    const key = strategy === "together" ? (which ? `${which}Unchanged` : "unchanged") : which;
    if (!key) return { facts, sentence: text };
    const prefix = /** @type {Fact} */ ({ key, given: { numbers: places, places: first.length ? `${first.reverse().join(", ")} and ${last}` : `${last}` } });
    return { facts: [prefix, ...facts], sentence: `${inEnglish(prefix, {}, SENTENCES)} ${lowered(text)}` };
  });
}

/**
 * What a collection with several questions promises.
 * @param {Form} form
 * @param {Pick<Document, "changes" | "access" | "texts">} document
 * @returns {Promised}
 */
export function promiseOfForm(form, document) {
  const { strategy, questions, epsilon } = form;
  const isOne = strategy === "one at random";
  const isEach = strategy === "each";
  const several = NUMBERS[questions.length] ?? String(questions.length);
  const everything = questions.length === 2 ? "both questions" : `all ${several} questions`;
  /** @param {string} key @param {Record<string, any>} [given] */
  const say = (key, given = {}) => {
    const fact = { key, given };
    return { facts: [fact], sentence: inEnglish(fact, {}, SENTENCES) };
  };
  const all = { likelier: likelier(epsilon), level: epsilon };
  const hidden = isEvenTogether(form)
    ? [say("evenTogether", all)]
    : [
        ...protections(form, document.texts),
        ...(isOne ? [] : [isEach && questions.every(isEven) ? say("evenEach", all) : say(isEach ? "addsEach" : "addsTogether")]),
      ];
  return promised(strategy, form, [
    say(isOne ? "askedOne" : isEach ? "askedEach" : "askedTogether", { count: questions.length, several, everything }),
    ...hidden,
    ...(document.access === "invitation" ? [say("invited")] : []),
    say(`${isOne ? "cost" : "costs"}${document.changes === "spend" ? "Spend" : "Refuse"}`, { epsilon }),
  ]);
}

/** A sentence that says how far one answer, value number x of a question, is hidden; it does not repeat the answer. @param {Form} form @param {number} question @param {number} x @param {string} unit */
export function promiseForForm(form, question, x, unit) {
  const sentence = promiseFor(form.questions[question], x, unit);
  return form.strategy === "together" && !isEvenTogether(form) ? `${SENTENCES.unchanged} ${lowered(sentence)}` : sentence;
}

