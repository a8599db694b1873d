/** The privacy budget of this browser: what it means, how it is set once, and what was used of it. */

import { el, show } from "./dom.js";
import { number, say } from "./languages.js";

/** The budget that most people will keep, and what else is offered. */
export const USUAL = 12;
/** @type {[number, string][]} */
const CHOICES = [
  [4, "strict"],
  [USUAL, "usual"],
  [40, "generous"],
];

/**
 * The choice of a budget, for a browser that has none; `chosen` gives it as text, or "" while it is too small or no number.
 * @param {string} needed what the answer uses
 * @param {boolean} isForm whether several questions are asked
 * @param {{pick: string, other: string}} kept what was chosen before, which is changed here
 * @param {() => void} changed
 */
export function choice(needed, isForm, kept, changed) {
  const need = numberOf(needed);
  const form = isForm ? "Form" : "";
  const other = el("input", { type: "number", min: "0.1", max: "1000000", step: "any", hidden: true, value: kept.other, "aria-label": say("ownNumber"), oninput: () => turn() });
  const pick = el(
    "select",
    { onchange: () => turn() },
    CHOICES.map(([cap, name]) => el("option", { value: String(cap), selected: String(cap) === kept.pick }, say(name, { cap }))),
    el("option", { value: "", selected: kept.pick === "" }, say("otherNumber")),
  );
  const said = el("p", { class: "small", role: "alert" });
  const text = () => pick.value || other.value;
  const look = () => {
    other.hidden = pick.value !== "";
    show(said, text() && Number(text()) < need ? say(`budgetSmall${form}`, { needed: number(shortened(needed, Math.ceil)) }) : null);
  };
  const turn = () => {
    Object.assign(kept, { pick: pick.value, other: other.value });
    look();
    changed();
  };
  const element = el(
    "fieldset",
    { class: "card" },
    el("legend", { class: "inside" }, say("budget")),
    el("p", { class: "small" }, say(`budgetAsk${form}`, { needed: number(shortened(needed, Math.ceil)), meaning: say("budgetMeaning") })),
    el("p", { class: "row" }, el("label", { class: "row" }, `${say("budgetLabel")} `, pick), other),
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

/** What this browser has used of its budget. @param {any} summary @param {string} title of this collection */
export function used(summary, title) {
  if (!summary) return [el("p", {}, say("budgetUnset")), el("p", { class: "small soft" }, say("budgetMeaning"))];
  const rows = summary.collections.map((/** @type {any} */ one) =>
    el("tr", {}, el("td", {}, el("bdi", {}, one.isThis ? title : one.collection.replace(/^https?:\/\//, ""))), el("td", { class: "number" }, number(shortened(one.epsilon, Math.ceil))), el("td", { class: "number" }, number(one.reports))),
  );
  const column = (/** @type {string} */ key) => el("th", { class: "number" }, say(key));
  return [
    el("p", {}, say("budgetUsed", { spent: number(shortened(summary.spent, Math.ceil)), cap: number(summary.cap), left: number(shortened(summary.left, Math.floor)) })),
    rows.length
      ? el(
          "div",
          { class: "scroll" },
          el(
            "table",
            { class: "wrap" },
            el("thead", {}, el("tr", {}, el("th", {}, say("budgetQuestion")), column("budgetUsedColumn"), column("budgetReports"))),
            el("tbody", {}, rows),
          ),
        )
      : null,
    el("p", { class: "small soft" }, say("budgetMeaning")),
  ];
}

/** An amount of many decimals, to a thousandth. @param {string} amount @param {(number: number) => number} round up what is spent, down what is left */
const shortened = (amount, round) => (/^\d+\.\d{5,}$/.test(amount) ? String(round(Number(amount) * 1000) / 1000) : amount);

/** What is said before an answer that needs more than is left; null if it can be given. @param {any} summary @param {string} needed @param {boolean} isForm */
export function lacking(summary, needed, isForm) {
  if (!summary || summary.isPaid || numberOf(needed) <= numberOf(summary.left)) return null;
  return el(
    "div",
    { class: "card alarm", role: "alert" },
    el("h2", {}, say(isForm ? "lackingForm" : "lacking")),
    el("p", {}, say("lackingText", { needed: number(shortened(needed, Math.ceil)), left: number(shortened(summary.left, Math.floor)), cap: number(summary.cap) })),
    el("p", { class: "small" }, say("lackingMore")),
  );
}
