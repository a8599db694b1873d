/** The privacy budget of this browser: what it means, how it is set once, and what was used of it. */

import { el, show } from "./dom.js";

/** The budget that most people will keep, and what else is offered. */
export const USUAL = 12;
const CHOICES = [
  [4, "strict"],
  [USUAL, "usual"],
  [40, "generous"],
];

const MEANING = "Each question uses up as much budget as it could reveal at most (epsilon). An ordinary question uses about 1. Once the budget is used up, this page sends no more answers.";

/**
 * The choice of a budget, for a browser that has none; `chosen` gives it as text, or "" while it is too small or no number.
 * @param {string} needed what the question uses
 * @param {() => void} changed
 */
export function choice(needed, changed) {
  const need = numberOf(needed);
  const other = el("input", { type: "number", min: "0.1", max: "1000000", step: "any", hidden: true, "aria-label": "Your own number", oninput: () => turn() });
  const pick = el(
    "select",
    { onchange: () => turn() },
    CHOICES.map(([cap, name]) => el("option", { value: String(cap), selected: cap === USUAL }, `${cap} (${name})`)),
    el("option", { value: "" }, "another number"),
  );
  const said = el("p", { class: "small", role: "alert" });
  const text = () => pick.value || other.value;
  const look = () => {
    other.hidden = pick.value !== "";
    show(said, text() && Number(text()) < need ? `This question uses ${needed}, so you could not answer it with this budget.` : null);
  };
  const turn = () => {
    look();
    changed();
  };
  const element = el(
    "fieldset",
    { class: "card" },
    el("legend", { class: "inside" }, "Your privacy budget"),
    el("p", { class: "small" }, `How much may all questions of this site together learn about you, in this browser? This question uses ${needed}. ${MEANING} It is set once and cannot be raised later.`),
    el("p", { class: "row" }, el("label", { class: "row" }, "Budget ", pick), other),
    said,
  );
  look();
  return { element, chosen: () => (Number(text()) >= need && Number(text()) > 0 ? text() : "") };
}

/** An exact number, which may be a fraction, as a float to compare with. @param {string} text */
function numberOf(text) {
  const [top, bottom = 1] = text.split("/").map(Number);
  return top / bottom;
}

/** What this browser has used of its budget. @param {any} summary */
export function used(summary) {
  if (!summary) return [el("p", {}, "No budget has been set in this browser yet."), el("p", { class: "small soft" }, MEANING)];
  const rows = summary.collections.map((/** @type {any} */ one) =>
    el("tr", {}, el("td", {}, one.collection.replace(/^https?:\/\//, "")), el("td", { class: "number" }, one.epsilon), el("td", { class: "number" }, String(one.reports))),
  );
  return [
    el("p", {}, `Privacy budget used: ${summary.spent} of ${summary.cap}. Remaining: ${summary.left}, for all questions of this site in this browser.`),
    rows.length
      ? el(
          "div",
          { class: "scroll" },
          el("table", { class: "wrap" }, el("thead", {}, el("tr", {}, el("th", {}, "question"), el("th", { class: "number" }, "used"), el("th", { class: "number" }, "reports"))), el("tbody", {}, rows)),
        )
      : null,
    el("p", { class: "small soft" }, MEANING),
  ];
}

/** What is said before a question that needs more than is left; null if it can be answered. @param {any} summary @param {string} needed */
export function lacking(summary, needed) {
  if (!summary || summary.isPaid || numberOf(needed) <= numberOf(summary.left)) return null;
  return el(
    "div",
    { class: "card alarm", role: "alert" },
    el("h2", {}, "Your privacy budget is too small for this question"),
    el("p", {}, `It uses ${needed}, and ${summary.left} of ${summary.cap} remain, so this page will not send an answer.`),
    el("p", { class: "small" }, "You need not do anything. You can tell whoever asks that their question needs too much. If you clear the data of this site in your browser, you can set a new budget; but then your browser also forgets what you have answered here, and what was learned before still counts."),
  );
}
