/** What a collection says of itself, read strictly; nothing in it is believed before the law is checked. */

import { Refused } from "./discreet.js";
import { canonical, isDigits, isTable, isText, readPlain } from "./plain.js";
import { addressOf } from "./requests.js";

/**
 * @typedef {object} Document
 * @property {string} title
 * @property {string} question
 * @property {Record<string, string>} words how values are shown to people, by their text
 * @property {string} fingerprint of its law
 * @property {string} law the address of its law
 * @property {string} reports the address that takes uploads
 * @property {"refuse" | "spend"} changes
 * @property {Record<string, string[]>} labels public labels, each with the texts that it may have
 * @property {string} [period] the label whose texts are times at which the same people may answer again
 * @property {"open" | "invitation"} access
 * @property {string} [opens]
 * @property {string} [closes]
 * @property {"waiting" | "open" | "closed"} state how far it is: not open yet, open for answers, or closed for good
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

/** What each key must hold. @type {Map<string, (found: any, data: any) => unknown>} */
const PARTS = new Map([
  ["version", (/** @type {any} */ found) => found === 1],
  ["title", isLine],
  ["question", isLine],
  ["fingerprint", isDigits(64)],
  ["law", isLine],
  ["reports", isLine],
  ["changes", (/** @type {any} */ found) => ["refuse", "spend"].includes(found)],
  ["words", (/** @type {any} */ found) => isTable(found, isLine)],
  ["labels", (/** @type {any} */ found) => isTable(found, isAllowed)],
  ["period", (/** @type {any} */ found, /** @type {any} */ { labels }) => isText(found) && isTable(labels, isAllowed) && Object.hasOwn(labels, found)],
  ["access", (/** @type {any} */ found) => ["open", "invitation"].includes(found)],
  ["opens", isMoment],
  ["closes", isMoment],
  ["state", (/** @type {any} */ found) => ["waiting", "open", "closed"].includes(found)],
]);

/** How many of them must be there. */
const NEEDED = 7;

/**
 * The document of the collection at an address.
 * @param {string} text
 * @param {string} address
 * @returns {Document}
 */
export function readDocument(text, address) {
  const data = readPlain(text);
  const keys = isTable(data, () => true) ? Object.keys(data) : [];
  const wrong = [...PARTS.keys()].slice(0, NEEDED).find((key) => !keys.includes(key)) ?? keys.find((key) => !PARTS.get(key)?.(data[key], data));
  if (wrong !== undefined)
    throw new Refused(`The collection does not describe itself as it must: see ${JSON.stringify(wrong.slice(0, 50))}.`, "document");
  return { words: {}, labels: {}, access: "open", state: "open", ...data, law: addressOf(data.law, address), reports: addressOf(data.reports, address) };
}

/** Refuse a collection that takes no answers now, by its own word or by the time. @param {Document} document @param {number} now */
export function checkOpen({ opens, closes, state }, now) {
  if (opens && now < Date.parse(opens)) throw new Refused(`This collection opens at ${opens}.`, "closed");
  if (closes && now >= Date.parse(closes)) throw new Refused(`This collection was closed at ${closes}.`, "closed");
  if (state === "open") return;
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
