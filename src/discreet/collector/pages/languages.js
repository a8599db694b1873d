/** The language of a page: its sentences from one catalogue, its numbers, lists and dates, and which way it is read. */

import { turn } from "./page.js";

/** The languages of which there is a catalogue in `languages/`. */
export const CATALOGUES = ["en", "de", "fr", "es", "ar"];

/** Languages that are written from right to left. */
const RIGHT_TO_LEFT = /^(ar|arc|ckb|dv|fa|ha-Arab|he|khw|ks|ku-Arab|ps|sd|ug|ur|yi)(-|$)/;

/** Letters of scripts that run to the left. */
const LEFTWARD = /[\u0590-\u08ff\u200f\ufb1d-\ufdff\ufe70-\ufefc\u{10800}-\u{10fff}\u{1e800}-\u{1efff}]/u;

/** Characters that could pass for the quotes around a text. */
const QUOTES = /["\u201c-\u201f\u2033\u2036\uff02\u00ab\u00bb]/g;

/** @type {Record<string, any>} */
let catalogue = {};
let language = "en";
let plural = new Intl.PluralRules(language);

/** Whether a text is the name of a language. @param {string} name */
export function isLanguage(name) {
  try {
    return Intl.getCanonicalLocales(name).length === 1;
  } catch {
    return false;
  }
}

/** @param {string} name */
export const directionOf = (name) => (RIGHT_TO_LEFT.test(name) ? "rtl" : "ltr");

/** A language by its own name. @param {string} name */
export function nameOf(name) {
  try {
    const found = new Intl.DisplayNames([name], { type: "language" }).of(name) ?? name;
    return found.charAt(0).toLocaleUpperCase(name) + found.slice(1);
  } catch {
    return name;
  }
}

/**
 * The first of the wanted languages that is there, by its full name or, failing that, by what stands before the first hyphen.
 * @param {readonly string[]} wanted
 * @param {readonly string[]} there
 * @returns {string | undefined}
 */
export function fitting(wanted, there) {
  const root = (/** @type {string} */ name) => name.toLowerCase().split("-")[0];
  for (const one of wanted) {
    const found = there.find((name) => name.toLowerCase() === one.toLowerCase()) ?? there.find((name) => root(name) === root(one));
    if (found) return found;
  }
  return undefined;
}

/**
 * Speak a language from now on: the whole page is in it, read in its direction.
 * @param {string} name of a catalogue, perhaps with a region, such as de or de-AT
 * @param {string} [part] the folder of the sentences that a page has beside those of all
 */
export async function speak(name, part = "") {
  const found = fitting([name], CATALOGUES) ?? "en";
  const paths = [`./languages/${found}.js`, ...(part ? [`./languages/${part}/${found}.js`] : [])]; // names of their own, so that no bundle takes them all in
  catalogue = Object.assign({}, ...(await Promise.all(paths.map(async (path) => (await import(path)).default))));
  language = isLanguage(name) ? name : found;
  plural = new Intl.PluralRules(found);
  turn(language, directionOf(language));
}

/** A number for people; a text that is no decimal number, such as 1/3, stays as it is. @param {number | string} given */
export function number(given) {
  const text = String(given);
  return /^-?\d+(\.\d+)?$/.test(text) ? new Intl.NumberFormat(language, { maximumFractionDigits: 20 }).format(/** @type {any} */ (text)) : text;
}

/** Digits of any script, and the marks of the language, as a number is written in programs. @param {string} text */
export function digits(text) {
  const parts = new Intl.NumberFormat(language).formatToParts(-1234567.5);
  const mark = (/** @type {string} */ type) => parts.find((part) => part.type === type)?.value ?? "";
  const western = (/** @type {number} */ zero) => (/** @type {string} */ digit) => String(digit.charCodeAt(0) - zero);
  let plain = text.replace(/[\u0660-\u0669]/g, western(0x660)).replace(/[\u06f0-\u06f9]/g, western(0x6f0)).replace(/[\u061c\u200e\u200f\s]/g, "");
  plain = plain.replace("\u2212", "-").replace("\u066b", ".").replaceAll("\u066c", "");
  const [group, decimal] = [mark("group"), mark("decimal")];
  const [whole, ...rest] = plain.split(decimal || ".");
  const isGrouped = whole.includes(group) && whole.replace("-", "").split(group).every((three, at) => (at ? three.length === 3 : three.length > 0 && three.length < 4));
  if (isGrouped) return [whole.replaceAll(group, ""), ...rest].join(".");
  return decimal === "," ? plain.replace(",", ".") : plain;
}

/** A number as people type it, without marks between its thousands; `digits` reads it back. @param {number | string} given */
export const typable = (given) => (Number.isFinite(Number(given)) ? new Intl.NumberFormat(language, { maximumFractionDigits: 20, useGrouping: false }).format(/** @type {any} */ (given)) : "");

/** Words as alternatives: a or b. @param {string[]} words */
export const either = (words) => new Intl.ListFormat(language, { type: "disjunction" }).format(words);

/** Words together: a and b. @param {string[]} words */
export const every = (words) => new Intl.ListFormat(language, { type: "conjunction" }).format(words);

/** A sentence after a colon: where the language has it so, with a small letter. @param {string} text */
export const continued = (text) => (/^de(-|$)/.test(language) ? text : text.charAt(0).toLocaleLowerCase(language) + text.slice(1));

/** A day and time as people write them, in their own time zone. @param {string} moment */
export const dated = (moment) => new Intl.DateTimeFormat(language, { dateStyle: "long", timeStyle: "short" }).format(new Date(moment));

/** A text of others with its own direction, whatever is around it. @param {string} text */
export const isolated = (text) => ((directionOf(language) === "rtl" ? /\p{L}|\^/u.test(text) : LEFTWARD.test(text)) ? `\u2068${text}\u2069` : text);

/**
 * A sentence of the catalogue, by its key: of its forms that for the number `n`, with what is given in place of `{...}`.
 * @param {string} key such as "send" or "promise.near"
 * @param {Record<string, string | number>} [given]
 * @returns {string}
 */
export function say(key, given = {}) {
  const found = key.split(".").reduce((at, name) => at?.[name], catalogue);
  const text = typeof found === "object" ? (found[plural.select(Number(given.n))] ?? found.other) : (found ?? key);
  return text.replace(/\{(\w+)\}/g, (/** @type {string} */ _, /** @type {string} */ name) => {
    const entry = given[name];
    return isolated(typeof entry === "number" ? number(entry) : String(entry));
  });
}

/** Whether the catalogue has a sentence. @param {string} key */
export const hasSentence = (key) => key.split(".").reduce((at, name) => at?.[name], catalogue) !== undefined;

/** A text in the quotes of the language, which it cannot end itself. @param {string} text */
export const quote = (text) => say("quote", { text: text.replace(QUOTES, "'") });

/** A number with its unit, in the direction of the page. @param {string} amount @param {string} unit */
export const measured = (amount, unit) => `${directionOf(language) === "rtl" ? "\u200f" : ""}${number(amount)} ${quote(unit)}`;

/** Things one after the other, and how many more there are. @param {string[]} texts @param {number} [count] of all of them */
export const listed = (texts, count = texts.length) => texts.join(say("comma")) + (count > texts.length ? say("more", { n: count - texts.length }) : "");
