/** Boxes under one heading, each a yes/no question: a box without a tick is an answer only once the person has said so. */

import { isPlain, yesOf } from "./controls.js";
import { el } from "./dom.js";
import { say } from "./languages.js";

/** @import { Shown } from "./controls.js" */

/** Whether a tick is "yes" and none is "no": other answers are shown as such, since nobody could see which of them a tick gives. @param {Shown} question */
export const isBox = ({ kind, values }) => kind === "box" && isPlain(values);

/** Questions that are shown together: boxes that follow each other under one heading. @param {Shown[]} questions @returns {Shown[][]} */
export function grouped(questions) {
  /** @type {Shown[][]} */
  const groups = [];
  for (const one of questions) {
    const last = groups.at(-1);
    if (last && isBox(one) && isBox(last[0]) && last[0].group === one.group) last.push(one);
    else groups.push([one]);
  }
  return groups;
}

/**
 * The names of the boxes that are ticked, and of those that the person has gone through, whatever their headings are in a language.
 * @typedef {{ticked: Set<string>, done: Set<string>}} Ticks
 */

/**
 * @param {Shown[]} questions
 * @param {Ticks} ticks which are changed here
 * @param {(answers: Record<string, number>) => void} answer takes the numbers of all values by names; -1 for those that were not given
 */
export function boxes(questions, ticks, answer) {
  const isDone = () => questions.every(({ name }) => ticks.done.has(name));
  const tell = () => {
    const entries = questions.map(({ name, values }) => {
      const yes = yesOf(values);
      return [name, isDone() ? (ticks.ticked.has(name) ? yes : 1 - yes) : -1];
    });
    answer(Object.fromEntries(entries));
  };
  const [{ id }] = questions;
  return [
    el("p", { class: "small soft" }, say("boxes")),
    ...questions.map((one) =>
      el(
        "label",
        { class: "choice" },
        el("input", {
          type: "checkbox",
          checked: ticks.ticked.has(one.name),
          "aria-describedby": one.help ? `${one.id}-help` : null,
          onchange: (/** @type {any} */ event) => {
            if (event.target.checked) ticks.ticked.add(one.name);
            else ticks.ticked.delete(one.name);
            tell();
          },
        }),
        el("span", one.marks, one.question, one.help ? el("span", { class: "small soft help", id: `${one.id}-help` }, one.help) : null),
      ),
    ),
    el(
      "label",
      { class: "choice confirm" },
      el("input", {
        type: "checkbox",
        id: `${id}-done`,
        checked: isDone(),
        onchange: (/** @type {any} */ event) => {
          questions.forEach(({ name }) => (event.target.checked ? ticks.done.add(name) : ticks.done.delete(name)));
          tell();
        },
      }),
      el("span", {}, say("boxesDone")),
    ),
  ];
}
