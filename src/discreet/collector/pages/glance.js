/** All questions of a form at a glance: a sentence and a picture of each. */

import { intervals, percent, shownWithin, within } from "./charts.js";
import { el } from "./dom.js";
import { figuresOf, ranges } from "./figures.js";
import { say } from "./languages.js";
import { amountText, answerText, isOrdered } from "./translated.js";

/** The most answers that are drawn of one question, and of one whose answers are in order. */
const DRAWN = 8;
const DRAWN_IN_ORDER = 24;
/** An interval that is wider says hardly anything. */
const VAGUE = 0.5;

/** Whether an interval says hardly anything. @param {{low: number | null, high: number | null}} row */
export const isVague = ({ low, high }) => low !== null && high !== null && within(high) - within(low) > VAGUE;

/** The share of an answer in words. @param {{name: string, share: number, low: number | null, high: number | null}} row @param {boolean} isBox */
export function sentence({ name, ...row }, isBox) {
  const did = isBox ? "ticked" : "answered";
  const { share, low, high } = shownWithin(row.share, row.low, row.high);
  const about = { name, share: percent(share) };
  if (low === null || high === null) return say(`${did}.about`, about);
  return say(`${did}.${isVague({ low, high }) ? "vague" : "between"}`, { ...about, low: percent(low), high: percent(high) });
}

/** What the parts of an interval are. @param {...string} sentences what is said after it */
export const legend = (...sentences) =>
  el("p", { class: "small soft" }, el("span", { class: "key dark" }), ` ${say("keySample")}`, el("span", { class: "key pale" }), ` ${[say("keyPrivacy"), ...sentences].join(" ")}`);

/**
 * @param {any[]} questions their texts
 * @param {Record<string, any>} results the cells of each question by its name
 * @param {{width: number, open: boolean, choose: (name: string) => void}} more
 */
export function glance(questions, results, { width, open, choose }) {
  let heading = "";
  const parts = questions.flatMap((question) => {
    const [cell] = results[question.name]?.cells ?? [];
    const isNew = question.group && question.group !== heading;
    heading = question.group ?? "";
    const title = el("h3", { dir: "auto" }, question.question);
    const details = el("button", { class: "plain", type: "button", onclick: () => choose(question.name), "aria-label": say("moreAboutThis", { question: question.question }) }, say("moreAbout"));
    const above = isNew ? [el("h3", { class: "soft", dir: "auto" }, question.group)] : [];
    if (!cell?.result) return [...above, el("section", { class: "card" }, title, el("p", { class: "soft small" }, say("tooFewYet")))];
    const { values, shares, low, high, numbers } = cell.result;
    if (numbers) {
      const count = el("span", { class: "soft small" }, say("reports", { n: cell.n }));
      const told = [...figuresOf(numbers, question.unit ?? ""), ranges(numbers, { n: cell.n, width: Math.min(width - 40, 640) })];
      return [...above, el("section", { class: "card" }, title, ...told, el("p", { class: "row" }, count, details))];
    }
    const rows = values.map((/** @type {any} */ value, /** @type {number} */ i) => ({ name: answerText(value, question), value, ...shownWithin(shares[i], low?.[i], high?.[i]), estimate: shares[i], stderr: null }));
    const isBox = question.kind === "box" || question.kind === "yes/no";
    const yes = rows[values.indexOf("yes")];
    const sorted = [...rows].sort((a, b) => b.estimate - a.estimate);
    const largest = sorted.slice(0, DRAWN);
    const inOrder = rows.length <= DRAWN_IN_ORDER ? rows : rows.filter((/** @type {any} */ row) => largest.includes(row));
    const drawn = isBox && yes && rows.length === 2 ? [yes] : isOrdered(question) ? inOrder : largest;
    const first = isBox && yes ? yes : sorted[0];
    return [
      ...above,
      el(
        "section",
        { class: "card" },
        title,
        el("p", {}, sentence({ ...first, name: amountText(first.value, question) }, question.kind === "box")),
        intervals(drawn, { n: cell.n, width: Math.min(width - 40, 640), description: say("sharesOfAnswers", { question: question.question }), whole: true }),
        drawn.length < rows.length && !isBox ? el("p", { class: "soft small" }, say("mostFrequentOf", { shown: DRAWN, n: rows.length })) : null,
        el("p", { class: "row" }, el("span", { class: "soft small" }, say("reports", { n: cell.n })), details),
      ),
    ];
  });
  return [
    el("h2", {}, say("glance")),
    legend(say(open ? "glanceTruthOpen" : "glanceTruth"), say("drawnAtEnds")),
    ...parts,
  ];
}
