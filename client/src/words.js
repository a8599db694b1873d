/** The words that a collection shows for its values: none may pass for another answer. */

import { Refused } from "./discreet.js";

/** Characters that change the direction in which the text beside them is shown: with a mark, 1/2 is shown as 2/1. */
const TURNS = /[\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/;

/** Characters without a picture. */
const BLANKS = /[\p{Z}\p{Cc}\p{Cf}\p{DI}\u2065\u2800\ufff0-\ufff8]/gu;

/** Characters that could pass for the quotes around a text. */
const QUOTES = /["\u201c-\u201f\u2033\u2036\uff02]/g;

/** The text of a value as words are given by: that of Python. @param {any} value @returns {string} */
export function textOfValue(value) {
  const parts = value?.tuple ?? value;
  if (!Array.isArray(parts)) return String(parts);
  const inside = parts.map((part) => (typeof part === "string" ? (/^[^"]*'[^"]*$/.test(part) ? `"${part}"` : `'${part}'`) : textOfValue(part)));
  return `(${inside.join(", ")}${parts.length === 1 ? "," : ""})`;
}

/** The words for a value, if the collection has some. @param {any} value @param {Record<string, string>} words @returns {string | undefined} */
export const wordsFor = (value, words) => {
  const text = textOfValue(value);
  return Object.hasOwn(words, text) ? words[text] : undefined;
};

/** Letters of scripts that run to the left. */
const LEFTWARD = /[\u0590-\u08ff\u200f\ufb1d-\ufdff\ufe70-\ufefc\u{10800}-\u{10fff}\u{1e800}-\u{1efff}]/u;

/** A text in quotes, which changes places with nothing around it. @param {string} text */
function quote(text) {
  const inside = `"${text.replace(QUOTES, "'")}"`;
  return LEFTWARD.test(text) ? `\u2068${inside}\u2069` : inside;
}

/** A value in a sentence: its own text in quotes, which it cannot end itself, and the collection's words for it. @param {any} value @param {Record<string, string>} [words] */
export function quoted(value, words = {}) {
  const text = textOfValue(value);
  const word = wordsFor(value, words);
  return word === undefined || word === text ? quote(text) : `${quote(text)} (shown as ${quote(word)})`;
}

/** What can be seen of a text: its compatibility form without blank and invisible characters. @param {string} text */
const visible = (text) => text.normalize("NFKC").replace(BLANKS, "");

/** The same for all texts that a reader may take for each other: what is visible, without the case of letters. @param {string} text */
export const appearance = (text) => visible(text).toUpperCase().toLowerCase().normalize("NFKC");

/** Whether a reader may take a text for a number: there are digits in it and no letters. @param {string} text */
export const looksLikeNumber = (text) => /^\P{L}*\p{N}\P{L}*$/u.test(visible(text));

/** @param {string} text */
const isReadable = (text) => visible(text) !== "" && !TURNS.test(text);

/**
 * Refuse words that can be taken for another value or word, values that look alike, and names of blocks that cannot be read: a person picks an
 * answer, and reads what is promised of it, by these texts.
 * @param {readonly any[]} values
 * @param {Record<string, string>} words
 * @param {readonly any[]} [blocks]
 * @param {(text: string) => boolean} [isValue] whether a text that is not listed looks like a value
 */
export function checkWords(values, words, blocks = [], isValue = () => false) {
  /** @param {unknown} holds @param {string} text */
  const demand = (holds, text) => {
    if (!holds) throw new Refused(`The collection shows one answer as another: see ${JSON.stringify(text.slice(0, 50))}.`, "words");
  };
  /** @param {Map<string, string>} map @param {string} key @param {string} text */
  const isFirst = (map, key, text) => !map.has(key) && map.set(key, text);
  for (const name of blocks) demand(isReadable(textOfValue(name)), textOfValue(name));
  const looks = new Map();
  for (const [value, word] of Object.entries(words)) demand(isReadable(word) && !isValue(word) && isFirst(looks, appearance(word), value), word);
  const seen = new Map();
  for (const value of values) {
    if (typeof value === "number" && !looks.size) continue;
    const text = textOfValue(value);
    demand((looks.get(appearance(text)) ?? text) === text && isReadable(text) && !isValue(text) && isFirst(seen, visible(text), text), text);
  }
}
