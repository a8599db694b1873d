/** A field for a number: one of those that the survey lists, or any between two bounds. */

import { el } from "./dom.js";
import { digits, either, number, say, typable } from "./languages.js";

/** @import { Pick, Shown } from "./controls.js" */

/**
 * What is wrong with a text as a number; "" if it is one of the values.
 * @param {string} text as it was typed
 * @param {number[]} values in order
 */
export function wrong(text, values) {
  const given = digits(text);
  const [low, high] = [Math.min(...values), Math.max(...values)];
  if (given === "" || !Number.isFinite(Number(given))) return say("notNumber");
  const at = Number(given);
  if (at < low || at > high) return say("outOfBounds", { low, high });
  if (values.includes(at)) return "";
  const below = Math.max(...values.filter((value) => value < at));
  const above = Math.min(...values.filter((value) => value > at));
  return say("notListed", { value: at, near: either([number(below), number(above)]) });
}

/** What the text of a number must be like. */
const DECIMAL = /^[+-]?(\d{1,15}(\.\d{0,15})?|\.\d{1,15})$/;

/**
 * A field for any number between two bounds, beyond which it may count as the nearest bound.
 * @param {Shown} question
 * @param {number} count how many values are nodes
 * @param {number} chosen
 * @param {Pick} pick takes the node next to the number, and its text
 */
export function anyNumber(question, count, chosen, pick) {
  const { low, high, step, clip } = /** @type {NonNullable<Shown["numbers"]>} */ (question.numbers);
  const bounds = { low: number(low), high: number(high) };
  const ids = { hint: `${question.id}-hint`, said: `${question.id}-said` };
  const said = el("p", { class: "small", id: ids.said, role: "status" });
  const read = () => {
    const text = digits(input.value);
    if (!DECIMAL.test(text)) return { problem: say("notNumber") };
    const [at, first, last] = [text, low, high].map(Number);
    const beyond = at < first ? low : at > last ? high : null;
    if (beyond !== null && !clip) return { problem: say("outOfBounds", bounds) };
    return { text, beyond, x: Math.max(0, Math.min(count - 1, Math.round((at - first) / Number(step)))) };
  };
  const look = (/** @type {boolean} */ isDone) => {
    const { problem = "", text, beyond = null, x = -1 } = read();
    const isEmpty = !input.value.trim();
    if (isDone || !problem) said.textContent = isEmpty ? "" : problem || (beyond === null ? "" : say("countsAs", { bound: number(beyond) }));
    said.classList.toggle("wrong", Boolean(problem));
    input.setAttribute("aria-invalid", String(Boolean(isDone && problem && !isEmpty)));
    pick(x, text);
  };
  const input = el("input", {
    type: "text",
    inputmode: low.startsWith("-") ? "text" : "decimal", // keypads for decimals have no minus
    autocomplete: "off",
    class: "number",
    "aria-labelledby": `${question.id}-text`,
    "aria-describedby": `${ids.hint} ${ids.said}`,
    value: chosen < 0 || question.typed === undefined ? "" : typable(question.typed),
    oninput: () => look(false),
    onchange: () => look(true),
  });
  const element = el(
    "div",
    {},
    el("p", { class: "row" }, input, question.unit ? el("span", question.marks, question.unit) : null),
    el("p", { class: "small soft", id: ids.hint }, say("numeric", bounds), clip ? `. ${say("beyond", bounds)}` : ""),
    said,
  );
  return {
    element,
    clear: () => {
      input.value = said.textContent = "";
      input.removeAttribute("aria-invalid");
    },
  };
}

/**
 * @param {Shown} question
 * @param {number} count how many values are numbers
 * @param {number} chosen
 * @param {Pick} pick
 */
export function numberField(question, count, chosen, pick) {
  const values = question.values.slice(0, count).map(Number);
  const [low, high] = [Math.min(...values), Math.max(...values)];
  const ids = { hint: `${question.id}-hint`, said: `${question.id}-said` };
  const said = el("p", { class: "small wrong", id: ids.said, role: "status" });
  const look = (/** @type {boolean} */ isDone) => {
    const text = wrong(input.value, values);
    if (isDone || !text) said.textContent = input.value.trim() ? text : "";
    input.setAttribute("aria-invalid", String(Boolean(isDone && text && input.value.trim())));
    pick(text ? -1 : values.indexOf(Number(digits(input.value))));
  };
  const input = el("input", {
    type: "text",
    inputmode: values.every(Number.isInteger) && low >= 0 ? "numeric" : "decimal",
    autocomplete: "off",
    class: "number",
    "aria-labelledby": `${question.id}-text`,
    "aria-describedby": `${ids.hint} ${ids.said}`,
    value: chosen < 0 ? "" : number(values[chosen]),
    oninput: () => look(false),
    onchange: () => look(true),
  });
  const step = count > 1 ? values[1] - values[0] : 0;
  const isEven = step > 0 && values.every((value, i) => i === 0 || Math.abs(value - values[i - 1] - step) < 1e-9 * step);
  const hint = isEven && values.every(Number.isInteger) ? (step === 1 ? "whole" : "stepped") : "numeric";
  const element = el(
    "div",
    {},
    el("p", { class: "row" }, input, question.unit ? el("span", question.marks, question.unit) : null),
    el("p", { class: "small soft", id: ids.hint }, say(hint, { low, high, step })),
    said,
  );
  return {
    element,
    clear: () => {
      input.value = said.textContent = "";
      input.removeAttribute("aria-invalid");
    },
  };
}
