/** What is promised, in the language of the page: from the facts of the client, never from its English sentences. */

import { continued, every, listed, measured, number, quote, say } from "./languages.js";
import { textOfValue, wordsFor } from "./made/participant.js";

/** A value by its own text, and the words that it is shown by. @param {any} value @param {Record<string, string>} words */
function named(value, words) {
  const text = textOfValue(value);
  const word = wordsFor(value, words);
  return word === undefined || word === text ? quote(text) : say("shownAs", { value: quote(text), word: quote(word) });
}

/** What begins a sentence about some of the questions. */
const BEGINNING = /^(questions?|unchanged)/;

/**
 * One sentence of a promise.
 * @param {{key: string, given: Record<string, any>}[]} parts what it says, part by part
 * @param {Record<string, string>[]} words of every question
 * @param {string[]} [units] of their numbers
 */
export const promised = (parts, words, units = []) =>
  parts
    .map(({ key, given: { values, count, numbers, question = 0, places, several, everything, unit = "", ...exact } }, i) => {
      const text = say(`promise.${key}`, {
        ...Object.fromEntries(Object.entries(exact).map(([name, entry]) => [name, number(entry)])),
        ...(unit && units[question] && { distance: measured(exact.distance, units[question]) }),
        ...(count && { n: count, count }),
        ...(numbers && { places: every(numbers.map(number)) }),
        ...(values && { values: listed(values.map((/** @type {any} */ value) => named(value, key === "groups" ? {} : words[question])), count) }),
      });
      return i > 0 && BEGINNING.test(parts[i - 1].key) ? continued(text) : text;
    })
    .join(" ");
