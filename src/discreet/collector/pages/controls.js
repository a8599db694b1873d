/** What a question is answered with, by its kind: each gives an element, and tells the number of the value that was chosen. */

import { el, show } from "./dom.js";
import { number, say } from "./languages.js";
import { map } from "./map.js";
import { anyNumber, numberField } from "./number.js";
import { slider } from "./scale.js";
import { wordsFor } from "./made/participant.js";
import { valueText } from "./words.js";

/** More answers than these are searched instead of listed. */
const MANY = 12;
/** More steps than these make a scale a slider. */
const STEPS = 7;

/**
 * A question as it is shown.
 * @typedef {object} Shown
 * @property {string} name
 * @property {string} id of its element
 * @property {string} question
 * @property {string} help
 * @property {string} unit
 * @property {string} group
 * @property {string} kind
 * @property {Record<string, string>} words
 * @property {any[]} values
 * @property {string} form of the context
 * @property {number} outside how many of the last values are outside the scale
 * @property {{low: string, high: string, step: string, clip: boolean}} [numbers] the numbers that can be answered, of which the values are some
 * @property {string} [typed] the number that was typed already
 * @property {[number, number][] | null} [points] where the values are, if they are places on a plane
 * @property {Record<string, string>} marks the language and direction of its texts, where they are not those of the page
 */

/** Takes the number of the value that was chosen, -1 for none; of a number that was typed that of the value next to it, and its text. @typedef {(x: number, text?: string) => void} Pick */

const YES = /^(yes|true|1)$/i;
const NO = /^(no|false|0)$/i;

/** Which of the two values of a yes/no question means yes. @param {any[]} values */
export const yesOf = (values) => (YES.test(String(values[0])) || NO.test(String(values[1])) ? 0 : 1);

/** Whether the values are yes and no, so that everybody knows what a tick means. @param {any[]} values */
export const isPlain = (values) => values.length === 2 && YES.test(String(values[yesOf(values)])) && NO.test(String(values[1 - yesOf(values)]));

/** How a value of a question is shown. @param {Shown} question @param {any} value */
export function wordOf({ kind, words, values, numbers }, value) {
  const text = String(value);
  if ((kind === "yes/no" || kind === "box") && isPlain(values) && wordsFor(value, words) === undefined) return say(YES.test(text) ? "yes" : "no");
  return (kind === "number" || numbers) && wordsFor(value, words) === undefined ? number(text) : valueText(value, words);
}

/** The same with its unit, where it is on the scale. @param {Shown} question @param {any} value */
export function withUnit(question, value) {
  const { unit, values, outside } = question;
  return unit && values.indexOf(value) < values.length - outside ? `${wordOf(question, value)}\u00a0${unit}` : wordOf(question, value);
}

/** One of the answers. @param {Shown} question @param {number} x @param {number} chosen @param {Pick} pick @param {string} [as] class */
export const radio = (question, x, chosen, pick, as = "choice") =>
  el(
    "label",
    { class: as },
    el("input", { type: "radio", name: `of-${question.id}`, value: String(x), checked: x === chosen, onchange: () => pick(x) }),
    el("span", question.marks, wordOf(question, question.values[x])),
  );

/** Answers that are searched, and pressed on a map too where they are places. @param {Shown} question @param {number} chosen @param {Pick} pick */
function search(question, chosen, pick) {
  let now = chosen;
  const picked = (/** @type {number} */ x) => {
    now = x;
    places?.mark(x);
    pick(x);
  };
  const words = question.values.map((value) => wordOf(question, value));
  const matching = el("div", { role: "radiogroup", "aria-label": say("matching") });
  const list = (/** @type {string} */ sought) => {
    const found = words.map((_, x) => x).filter((x) => words[x].toLowerCase().includes(sought.toLowerCase()));
    const fitting = found.includes(now) ? [now, ...found.filter((x) => x !== now)] : found;
    show(
      matching,
      ...fitting.slice(0, MANY).map((x) => radio(question, x, now, picked)),
      fitting.length > MANY && el("p", { class: "soft small" }, say("moreMatch", { n: fitting.length - MANY })),
      fitting.length === 0 && el("p", { class: "soft small" }, say("noMatch")),
    );
  };
  const sought = el("input", { type: "search", autocomplete: "off", value: chosen < 0 ? "" : words[chosen], oninput: () => list(sought.value) });
  const places =
    question.points &&
    map(question.points, words, (x) => {
      sought.value = words[x];
      picked(x);
      list(words[x]);
    });
  places?.mark(chosen);
  list(sought.value);
  return [
    places ? el("p", { class: "soft small" }, say("map")) : null,
    places && places.element,
    el("label", { class: "field" }, el("span", {}, say("search", { n: words.length })), sought),
    matching,
  ];
}

/**
 * A scale or a number with answers outside it: one or the other.
 * @param {Shown} question @param {number} chosen @param {Pick} pick
 * @param {(count: number, chosen: number, pick: Pick) => {element: Element, clear: () => void}} make what is on the scale
 */
function besides(question, chosen, pick, make) {
  const count = question.values.length - question.outside;
  const { element, clear } = make(count, chosen < count ? chosen : -1, (x, text) => {
    others.forEach((one) => (/** @type {any} */ (one.firstChild).checked = false));
    pick(x, text);
  });
  const others = [...Array(question.outside).keys()].map((i) =>
    radio(question, count + i, chosen, (x) => {
      clear();
      pick(x);
    }),
  );
  return [element, others.length ? el("p", { class: "small soft" }, say("instead")) : null, ...others];
}

/** A scale of few steps side by side, and apart from them what is outside. @param {Shown} question @param {number} chosen @param {Pick} pick */
function steps(question, chosen, pick) {
  const count = question.values.length - question.outside;
  const all = question.values.map((_, x) => radio(question, x, chosen, pick, x < count ? "choice step" : "choice"));
  return [el("div", { class: "steps" }, ...all.slice(0, count)), question.outside ? el("p", { class: "small soft" }, say("instead")) : null, ...all.slice(count)];
}

/**
 * What a question is answered with.
 * @param {Shown} question
 * @param {number} chosen the number of the value that is chosen already, or -1
 * @param {Pick} pick
 * @returns {(Element | null)[]}
 */
export function control(question, chosen, pick) {
  const { kind, values, outside } = question;
  const count = values.length - outside;
  if (kind === "scale" && count > STEPS) return besides(question, chosen, pick, (...given) => slider(question, wordOf, ...given));
  if (kind === "scale") return steps(question, chosen, pick);
  if (kind === "number" && count > 0) return besides(question, chosen, pick, (...given) => (question.numbers ? anyNumber : numberField)(question, ...given));
  if ((kind === "yes/no" || kind === "box") && values.length === 2) {
    const yes = yesOf(values);
    return [el("div", { class: "steps" }, radio(question, yes, chosen, pick, "choice step large"), radio(question, 1 - yes, chosen, pick, "choice step large"))];
  }
  if (values.length > MANY) return search(question, chosen, pick);
  return values.map((_, x) => radio(question, x, chosen, pick));
}

