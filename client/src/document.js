/** What a collection says of itself, read strictly; nothing in it is believed before the law is checked. */

import { Refused } from "./discreet.js";
import { canonical, isDigits, isTable, isText, readPlain } from "./plain.js";
import { addressOf } from "./requests.js";
import { demandEntry, FORM_KEYS, readTexts, SINGLE_KEYS } from "./texts.js";

/** @import { Texts } from "./texts.js" */

/**
 * @typedef {object} Document
 * @property {Texts} texts all that people read
 * @property {string} fingerprint of its law
 * @property {string} law the address of its law
 * @property {string} reports the address that takes uploads
 * @property {"refuse" | "spend"} changes
 * @property {Record<string, string[]>} labels public labels, each with the texts that it may have
 * @property {string} [period] the label whose texts are times at which the same people may answer again
 * @property {"open" | "invitation"} access
 * @property {string} [opens]
 * @property {string} [closes]
 * @property {"waiting" | "open" | "full" | "closed"} state how far it is: not open yet, open for answers, open without room for them, or closed for good
 */

/** The most bytes of a collection document. */
export const DOCUMENT_BYTES = 65536;

/** @param {any} found */
const isLine = (found) => isText(found) && found.trim() !== "";

/** A time in UTC such as 2026-11-17T00:00:00Z. @param {any} found */
function isMoment(found) {
  try {
    return new Date(found).toISOString() === found.replace("Z", ".000Z");
  } catch {
    return false;
  }
}

/** @param {any} found */
const isAllowed = (found) => Array.isArray(found) && found.length && found.every(isText) && new Set(found).size === found.length;

/** What each key must hold besides texts; the first ones must be there. @type {Map<string, (found: any, data: any) => unknown>} */
const PARTS = new Map([
  ["version", (/** @type {any} */ found) => found === 1],
  ["fingerprint", isDigits(64)],
  ["law", isLine],
  ["reports", isLine],
  ["changes", (/** @type {any} */ found) => ["refuse", "spend"].includes(found)],
  ["labels", (/** @type {any} */ found) => isTable(found, isAllowed)],
  ["period", (/** @type {any} */ found, /** @type {any} */ { labels }) => isText(found) && isTable(labels, isAllowed) && Object.hasOwn(labels, found)],
  ["access", (/** @type {any} */ found) => ["open", "invitation"].includes(found)],
  ["opens", isMoment],
  ["closes", isMoment],
  ["state", (/** @type {any} */ found) => ["waiting", "open", "full", "closed"].includes(found)],
]);

/** How many of them must be there. */
const NEEDED = 5;

/** Half a character, which no text in UTF-8 holds, as `JSON.stringify` writes it. */
const HALF = /[^\\](\\\\)*\\ud/;

/**
 * The document of the collection at an address.
 * @param {string} text
 * @param {string} address
 * @returns {Document}
 */
export function readDocument(text, address) {
  const data = readPlain(text);
  demandEntry(isTable(data, () => true) && !HALF.test(JSON.stringify(data)), "version");
  const keys = Object.keys(data);
  const ofTexts = "questions" in data ? FORM_KEYS : SINGLE_KEYS;
  for (const key of [...[...PARTS.keys()].slice(0, NEEDED), "title"]) demandEntry(keys.includes(key), key);
  for (const key of keys) demandEntry(ofTexts.includes(key) || PARTS.get(key)?.(data[key], data), key);
  const texts = readTexts(data, Object.keys(data.labels ?? {}));
  const { law, reports } = data;
  const found = Object.fromEntries(keys.filter((key) => PARTS.has(key)).map((key) => [key, data[key]]));
  return /** @type {any} */ ({ labels: {}, access: "open", state: "open", ...found, texts, law: addressOf(law, address), reports: addressOf(reports, address) });
}

/** Refuse a collection that takes no answers now, by its own word or by the time. @param {Document} document @param {number} now */
export function checkOpen({ opens, closes, state }, now) {
  if (opens && now < Date.parse(opens)) throw new Refused(`This collection opens at ${opens}.`, "closed");
  if (closes && now >= Date.parse(closes)) throw new Refused(`This collection was closed at ${closes}.`, "closed");
  if (state === "open") return;
  if (state === "full") throw new Refused("This collection has no room for answers now; try again later.", "full");
  throw new Refused(`This collection ${state === "waiting" ? "is not open yet" : "was closed by its owner"}, and takes no answers.`, "closed");
}

/** Refuse what a collection says of itself now, unless it is what it said before, but for its state. @param {Document} before @param {Document} now */
export function checkSame(before, now) {
  if (canonical({ ...now, state: before.state }) !== canonical(before))
    throw new Refused("The collection describes itself in another way than when it was opened: open it again.", "document");
}

/** The labels of an answer, all of them declared. @param {Document} document @param {Record<string, string>} given */
export function checkLabels({ labels }, given) {
  for (const [name, text] of Object.entries(given))
    if (!Object.hasOwn(labels, name) || !labels[name].includes(text))
      throw new Refused("A label must be one that the collection declares, with a text that it lists.", "label");
  return { ...given };
}

/** Refuse an invitation that is not asked for: it would tell who answers. @param {Document} document @param {string | undefined} invitation */
export function checkInvited({ access }, invitation) {
  if (access === "open" && invitation !== undefined)
    throw new Refused("This collection is open, and an invitation would only tell who answers: leave it out.", "invitation");
  return invitation;
}
