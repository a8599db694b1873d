/** A collection's own texts, and its answers, in the language of the reader as far as they are there. */

import { fitting, say } from "./languages.js";
import { valueText } from "./words.js";

/** The texts of a question, a label or the whole, over which those of a translation go; words are put together one by one. @param {any} own @param {any} other */
const over = (own, other) => ({ ...own, ...other, ...(other?.words ? { words: { ...own.words, ...other.words } } : {}) });

/** What a translation has under a name. @param {Record<string, any> | undefined} from @param {string} name */
const under = (from, name) => (from && Object.hasOwn(from, name) ? from[name] : {});

/**
 * The document of a collection with its texts in a language; as it is where it has no translation.
 * @param {any} document @param {string} language
 */
export function translated(document, language) {
  const { translations = {}, questions, background } = document;
  const own = document.language ?? "en";
  const found = fitting([language], [own, ...Object.keys(translations)]);
  if (found === undefined || found === own) return document;
  const { questions: asked, background: labels, ...whole } = translations[found];
  return {
    ...over(document, whole),
    language: found,
    ...(questions && { questions: questions.map((/** @type {any} */ one) => over(one, under(asked, one.name))) }),
    ...(background && { background: background.map((/** @type {any} */ one) => over(one, under(labels, one.name))) }),
  };
}

/** An answer as people read it; yes and no in the language of the page. @param {any} value @param {{kind?: string, words?: Record<string, string>}} question */
export function answerText(value, { kind = "", words = {} }) {
  const text = valueText(value, words);
  return ["yes/no", "box"].includes(kind) && ["yes", "no"].includes(text) ? say(text) : text;
}

/** The same with its unit, if it is a number. @param {any} value @param {{kind?: string, unit?: string, words?: Record<string, string>}} question */
export function amountText(value, question) {
  const text = answerText(value, question);
  return question.unit && /^-?\d/.test(text) ? `${text}\u00a0${question.unit}` : text;
}

/** Whether the answers of a question have an order of their own. @param {{kind?: string}} question */
export const isOrdered = ({ kind = "" }) => kind === "scale" || kind === "number";
