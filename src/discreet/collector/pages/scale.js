/** A slider over the values of a scale, with its answer in words, and buttons for single steps. */

import { el } from "./dom.js";
import { say } from "./languages.js";

/** @import { Pick, Shown } from "./controls.js" */

/**
 * Nothing is chosen before the slider or a button was used: where it stands first is no answer.
 * @param {Shown} question
 * @param {(question: Shown, value: any) => string} wordOf
 * @param {number} count how many values are on the scale
 * @param {number} chosen
 * @param {Pick} pick
 */
export function slider(question, wordOf, count, chosen, pick) {
  const word = (/** @type {number} */ x) => wordOf(question, question.values[x]);
  const said = el("output", { ...question.marks, class: "said", for: `${question.id}-range` });
  const range = el("input", {
    type: "range",
    id: `${question.id}-range`,
    min: "0",
    max: String(count - 1),
    step: "1",
    "aria-labelledby": `${question.id}-text`,
    oninput: () => set(Number(range.value)),
    onclick: () => set(Number(range.value)),
    onkeyup: (/** @type {KeyboardEvent} */ event) => [" ", "Enter"].includes(event.key) && set(Number(range.value)),
  });
  const look = (/** @type {number} */ x) => {
    said.textContent = x < 0 ? say("noAnswer") : `${word(x)}${question.unit ? `\u00a0${question.unit}` : ""}`;
    said.classList.toggle("soft", x < 0);
    range.classList.toggle("unset", x < 0);
    range.setAttribute("aria-valuetext", said.textContent);
  };
  let isSet = chosen >= 0;
  const set = (/** @type {number} */ x) => {
    isSet = true;
    range.value = String(x);
    look(x);
    pick(x);
  };
  const by = (/** @type {number} */ step) => set(Math.max(0, Math.min(count - 1, Number(range.value) + (isSet ? step : 0))));
  range.value = String(chosen >= 0 ? chosen : Math.floor((count - 1) / 2));
  look(chosen);
  const button = (/** @type {string} */ sign, /** @type {string} */ name, /** @type {number} */ step) =>
    el("button", { type: "button", class: "plain step", "aria-label": name, onclick: () => by(step) }, sign);
  const element = el(
    "div",
    { class: "scale" },
    said,
    el("div", { class: "row slider" }, button("−", say("lower"), -1), range, button("+", say("higher"), 1)),
    el("div", { class: "ends small soft", "aria-hidden": "true" }, el("span", question.marks, word(0)), el("span", question.marks, word(count - 1))),
    el("p", { class: "small soft" }, say("slide")),
  );
  return {
    element,
    clear: () => {
      isSet = false;
      look(-1);
    },
  };
}
