/** Parts of the design page: fields, and sentences with elements in them. */

import { el } from "./dom.js";
import { digits, number, say, typable } from "./languages.js";

/** A sentence with elements in place of some of its `{...}`. @param {string} key @param {Record<string, Node>} nodes @param {Record<string, string | number>} [given] */
export function woven(key, nodes, given = {}) {
  const all = Object.entries(nodes);
  const marks = Object.fromEntries(all.map(([name], i) => [name, `\0${i}\0`]));
  return say(key, { ...given, ...marks }).split("\0").map((part, i) => (i % 2 ? all[Number(part)][1] : part));
}

/** @param {string} text @param {Node} input @param {any} [more] */
export const field = (text, input, more = {}) => el("label", { class: "field", ...more }, el("span", {}, text), input);

/** A number that was typed: NaN where it is none. @param {string} text */
export const amountOf = (text) => Number(digits(text));

/** What a field for a number is made of, to be typed in the digits and with the marks of the language. @param {number} now @param {(amount: number) => void} given */
export const amount = (now, given) => ({
  type: "text",
  class: "amount",
  inputmode: "decimal",
  autocomplete: "off",
  value: typable(now),
  oninput: (/** @type {any} */ event) => {
    const read = amountOf(event.target.value);
    event.target.setAttribute("aria-invalid", String(!Number.isFinite(read)));
    given(read);
  },
});

/** A line, a text or a number that is kept in an object as it is typed. @param {any} owner @param {string} name @param {() => void} changed @param {Record<string, any>} [given] */
export function typed(owner, name, changed, given = {}) {
  const put = (/** @type {any} */ value) => {
    owner[name] = value;
    changed();
  };
  if (given.type === "number") return el("input", { ...given, ...amount(owner[name], put) });
  const isText = !given.type;
  return el(given.rows ? "textarea" : "input", { dir: isText ? "auto" : null, value: String(owner[name] ?? ""), oninput: (/** @type {any} */ event) => put(given.type === "range" ? Number(event.target.value) : event.target.value), ...given });
}

/** A count and what is counted, such as 10 years. @param {number} count @param {string} unit */
export const counted = (count, unit) => `${number(count)} ${unit}`.trim();
