/** What the collector can conclude from the report of one answer: the odds, and a hundred people. */

import { el, show } from "./dom.js";
import { either, listed, number, quote, say } from "./languages.js";
import { hundred } from "./people.js";
import { above, power, sureAtMost } from "./words.js";

/** The entry of E at which answers by distance are explained, or the next one below. */
const NOTABLE = 1;

/** How many of a hundred people might hold an answer; the person picks one. */
const SHARES = [1, 5, 10, 25, 50, 90];
/** The most answers that are named in a sentence. */
const NAMED = 5;

/** Words in quotes as a list in a sentence, the rest counted. @param {string[]} words */
const named = (words) => listed(words.slice(0, NAMED).map(quote), words.length);

/** A sentence about odds, of which a million says as much as any more. @param {"main" | "revealsShort" | "revealsNear"} key @param {number} likelier @param {Record<string, string>} [given] */
const odds = (key, likelier, given = {}) => (likelier < 1e6 ? say(key, { ...given, times: number(above(likelier)) }) : say(key === "main" ? "mainMillion" : "revealsMillion", given));

/**
 * How far the report of value x can tell it from each other value.
 * @param {Float64Array} entries E between it and every value, of the law that was checked
 * @param {number} x
 * @returns {{likelier: number, hiddenFrom: number[], shownFrom: number[]}}
 */
export function meaning(entries, x) {
  const row = [...entries];
  const others = row.map((_, z) => z).filter((z) => z !== x);
  const hiddenFrom = others.filter((z) => row[z] < Infinity);
  const shownFrom = others.filter((z) => row[z] === Infinity);
  return { likelier: power(hiddenFrom.reduce((most, z) => Math.max(most, row[z]), 0)), hiddenFrom, shownFrom };
}

/**
 * The answers by which one is explained in a context of distances: the farthest ones that are well hidden from it, else the nearest.
 * @param {Float64Array} entries
 * @param {number} x
 */
function near(entries, x) {
  const others = [...entries].filter((_, z) => z !== x);
  const most = others.reduce((found, entry) => (entry <= NOTABLE + 1e-9 ? Math.max(found, entry) : found), others.reduce((a, b) => Math.min(a, b)));
  return [...entries.keys()].filter((z) => z !== x && Math.abs(entries[z] - most) < 1e-9).slice(0, 2);
}

/**
 * Whether an answer is on a scale, with some outside it, on which the farther of two answers is told from it at least as easily.
 * @param {{values: any[], outside?: number}} question @param {number} x @param {Float64Array} entries
 */
function isScale({ values, outside = 0 }, x, entries) {
  const count = values.length - outside;
  const isOrdered = [...entries.subarray(0, count)].every((entry, z, row) => (z < x ? z === 0 || row[z - 1] >= entry : z === count - 1 || row[z + 1] >= entry));
  const isEven = new Set([...entries.subarray(0, count)].filter((_, z) => z !== x)).size < 2;
  return outside > 0 && count > 2 && x < count && isOrdered && !isEven;
}

/** The end of the sentence, which says what an answer is compared with. @param {number} hidden @param {number} shown @param {boolean} isOneOfMany */
function comparison(hidden, shown, isOneOfMany) {
  if (isOneOfMany) return say(shown ? "mainKnownSome" : "mainKnown");
  return say(hidden === 1 && !shown ? "mainTwo" : shown ? "mainSome" : "mainAny");
}

/** Before and after, as two pictures of a hundred people. @param {string} own @param {string} people @param {number} likelier */
function pictures(own, people, likelier) {
  const picture = el("div", { class: "two" });
  const draw = (/** @type {number} */ share) => {
    const after = sureAtMost(share, likelier);
    show(
      picture,
      el("figure", {}, hundred(share, say("picture", { share })), el("figcaption", { class: "small" }, say("before", { people, share, value: own }))),
      el("figure", {}, hundred(after, say("pictureMost", { share: after })), el("figcaption", { class: "small" }, say("after", { share: after, value: own }))),
    );
  };
  const start = 10;
  draw(start);
  return [
    el(
      "label",
      { class: "field" },
      el("span", {}, say("suppose", { people, value: own })),
      el(
        "select",
        { onchange: (/** @type {any} */ event) => draw(Number(event.target.value)) },
        SHARES.map((share) => el("option", { value: String(share), selected: share === start }, say("share", { share }))),
      ),
    ),
    picture,
  ];
}

/**
 * The explanation of one answer, by what was checked.
 * @param {{values: any[], form: string, outside?: number}} question `outside` is how many of the last values are outside a scale
 * @param {number} x
 * @param {Float64Array} entries E between it and every value
 * @param {(value: any) => string} word
 * @param {{isOneOfMany?: boolean, title?: string}} [more] whether other answers are sent along, so that the explanation is in a detail, and about this one,
 *   and what it is called there
 */
export function explain(question, x, entries, word, { isOneOfMany = false, title = "" } = {}) {
  const { outside = 0 } = question;
  const { likelier: most, hiddenFrom, shownFrom } = meaning(entries, x);
  const own = word(question.values[x]);
  if (hiddenFrom.length === 0) {
    return el(
      "section",
      { class: "card alarm", "aria-label": say("reveals") },
      el(isOneOfMany ? "h3" : "h2", {}, say("openTitle")),
      el("p", {}, say("openText", { value: own })),
    );
  }
  const others = hiddenFrom.map((z) => word(question.values[z]));
  const compared = !shownFrom.length && (question.form === "metric" || isScale(question, x, entries)) ? near(entries.subarray(0, question.values.length - outside), x) : null;
  const likelier = compared ? power(entries[compared[0]]) : most;
  const people = compared
    ? say("peopleTwo", { value: own, other: word(question.values[compared[0]]) })
    : say(shownFrom.length ? "peopleSome" : "people");
  const nearby = compared && either(compared.map((z) => quote(word(question.values[z]))));
  const told = [
    el(
      "p",
      {},
      el("strong", {}, odds("main", likelier, { value: own })),
      nearby ? say("mainNear", { others: nearby }) : comparison(hiddenFrom.length, shownFrom.length, isOneOfMany),
    ),
    shownFrom.length ? el("p", {}, say("ruledOut", { shown: named(shownFrom.map((z) => word(question.values[z]))), hidden: named([...others, own]) })) : null,
    ...pictures(own, people, likelier),
  ];
  if (!isOneOfMany) return el("section", { class: "card", "aria-label": say("reveals") }, el("h2", {}, say("reveals")), ...told);
  return el("details", { class: "reveals small" }, el("summary", {}, title ? `${title}: ` : "", nearby ? odds("revealsNear", likelier, { others: nearby }) : odds("revealsShort", likelier)), ...told);
}
