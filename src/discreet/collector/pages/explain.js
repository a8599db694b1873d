/** What the collector can conclude from the report of one answer: the odds, and a hundred people. */

import { el, show } from "./dom.js";
import { hundred } from "./people.js";
import { above, power, sureAtMost } from "./words.js";

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
 * The explanation of one answer, by what was checked.
 * @param {any} collection
 * @param {number} x
 * @param {Float64Array} entries E between it and every value
 * @param {(value: any) => string} word
 */
export function explain(collection, x, entries, word) {
  const { likelier, hiddenFrom, shownFrom } = meaning(entries, x);
  const own = `“${word(collection.values[x])}”`;
  const among = shownFrom.length ? ", among the answers that it is hidden among," : "";
  if (hiddenFrom.length === 0) {
    return [
      el(
        "section",
        { class: "card alarm", "aria-label": "What your report can show" },
        el("h2", {}, "This answer is not hidden"),
        el("p", {}, `The question does not protect ${own}: whoever gets your report may learn it for certain.`),
      ),
    ];
  }
  const others = hiddenFrom.map((z) => word(collection.values[z]));
  const picture = el("div", { class: "two" });
  const draw = (/** @type {number} */ share) => {
    const most = sureAtMost(share, likelier);
    show(
      picture,
      el("figure", {}, hundred(share, `${share} of 100 people`), el("figcaption", { class: "small" }, `Before: ${share} of 100 people${shownFrom.length ? " among whom you are hidden" : ""} hold ${own}.`)),
      el("figure", {}, hundred(most, `at most ${most} of 100 people`), el("figcaption", { class: "small" }, `Of 100 who send your very report, at most ${most} hold it.`)),
    );
  };
  const start = 10;
  draw(start);
  return [
    el(
      "section",
      { class: "card", "aria-label": "What your report can show" },
      el("h2", {}, "What your report can show"),
      el(
        "p",
        {},
        el("strong", {}, `The odds that you hold ${own}${among} grow by at most ${above(likelier)} times`),
        `, whatever anybody knew before: a report that you send is at most ${above(likelier)} times as likely from you as from somebody with ${hiddenFrom.length === 1 ? "the other answer" : "another answer"}${shownFrom.length ? " that it is hidden among" : ""}.`,
      ),
      shownFrom.length
        ? el(
            "p",
            {},
            `It may show for certain that your answer is not ${listed(shownFrom.map((z) => word(collection.values[z])))}. It is hidden among ${listed([...others, word(collection.values[x])])}.`,
          )
        : null,
      el(
        "label",
        { class: "field" },
        el("span", {}, `If so many of 100 ${shownFrom.length ? "people among whom you are hidden" : "people"} hold ${own}`),
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
