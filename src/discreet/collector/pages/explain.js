/** What the collector can conclude from the report of one answer: the odds, and a hundred people. */

import { el, show } from "./dom.js";
import { hundred } from "./people.js";
import { above, power, sureAtMost } from "./words.js";

/** The entry of E at which answers by distance are explained, or the next one below. */
const NOTABLE = 1;

/** How many of a hundred people might hold an answer; the person picks one. */
const SHARES = [1, 5, 10, 25, 50, 90];
/** The most answers that are named in a sentence. */
const NAMED = 5;

/** Words as a list in a sentence, the rest counted. @param {string[]} words */
function listed(words) {
  const named = words.slice(0, NAMED).map((word) => `“${word}”`);
  const more = words.length - named.length;
  return [...named, ...(more > 0 ? [`${more} others`] : [])].join(", ");
}

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
 * The explanation of one answer, by what was checked.
 * @param {any} collection
 * @param {number} x
 * @param {Float64Array} entries E between it and every value
 * @param {(value: any) => string} word
 */
export function explain(collection, x, entries, word) {
  const { likelier: most, hiddenFrom, shownFrom } = meaning(entries, x);
  const own = `“${word(collection.values[x])}”`;
  if (hiddenFrom.length === 0) {
    return [
      el(
        "section",
        { class: "card alarm", "aria-label": "What your report can reveal" },
        el("h2", {}, "This answer is not protected"),
        el("p", {}, `This survey does not protect “${word(collection.values[x])}”: whoever gets your report may learn it for certain.`),
      ),
    ];
  }
  const others = hiddenFrom.map((z) => word(collection.values[z]));
  const compared = collection.promise.form === "metric" && !shownFrom.length ? near(entries, x) : null;
  const likelier = compared ? power(entries[compared[0]]) : most;
  const names = compared?.map((z) => `“${word(collection.values[z])}”`).join(" or ");
  const people = compared ? `people who answer ${own} or “${word(collection.values[compared[0]])}”` : shownFrom.length ? "people among whom you are hidden" : "people";
  const picture = el("div", { class: "two" });
  const draw = (/** @type {number} */ share) => {
    const after = sureAtMost(share, likelier);
    show(
      picture,
      el("figure", {}, hundred(share, `${share} of 100 people`), el("figcaption", { class: "small" }, `Before: of 100 ${people}, ${share} answer ${own}.`)),
      el("figure", {}, hundred(after, `at most ${after} of 100 people`), el("figcaption", { class: "small" }, `After: of 100 of them who send the same report as you, at most ${after} do.`)),
    );
  };
  const start = 10;
  draw(start);
  return [
    el(
      "section",
      { class: "card", "aria-label": "What your report can reveal" },
      el("h2", {}, "What your report can reveal"),
      el(
        "p",
        {},
        el("strong", {}, `Your report makes ${own} at most ${above(likelier)} times as likely as before`),
        compared
          ? `, compared with ${names}. Nearer answers are harder to tell from yours, and those farther away easier.`
          : `, compared with ${hiddenFrom.length === 1 && !shownFrom.length ? "the other answer" : shownFrom.length ? "an answer that it is hidden from" : "any other answer"}, whatever anybody knew of you.`,
      ),
      shownFrom.length
        ? el(
            "p",
            {},
            `It may rule out for certain: ${listed(shownFrom.map((z) => word(collection.values[z])))}. Your answer is hidden among: ${listed([...others, word(collection.values[x])])}.`,
          )
        : null,
      el(
        "label",
        { class: "field" },
        el("span", {}, `If, of 100 ${people}, this many answer ${own}`),
        el(
          "select",
          { onchange: (/** @type {any} */ event) => draw(Number(event.target.value)) },
          SHARES.map((share) => el("option", { value: String(share), selected: share === start }, `${share} of 100`)),
        ),
      ),
      picture,
    ),
  ];
}
