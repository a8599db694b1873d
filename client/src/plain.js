/** Plain data as text: one canonical way to write it, and a strict way to read it. */

/** @param {any} found @returns {found is string} */
export const isText = (found) => typeof found === "string";

/** Whether something is so many lowercase hexadecimal digits. @param {number} count @returns {(found: any) => boolean} */
export const isDigits = (count) => (found) => isText(found) && found.length === count && !/[^0-9a-f]/.test(found);

/** Whether something is an object whose entries all fit. @param {any} found @param {(inside: any) => unknown} isFit */
export const isTable = (found, isFit) => found && typeof found === "object" && !Array.isArray(found) && Object.values(found).every(isFit);

/** The order of two texts by their characters, not by the halves that UTF-16 makes of some. @param {string} a @param {string} b */
function byCharacter(a, b) {
  const [left, right] = [[...a], [...b]];
  const at = left.findIndex((character, i) => character !== right[i]);
  return at < 0 ? left.length - right.length : (left[at].codePointAt(0) ?? 0) - (right[at]?.codePointAt(0) ?? -1);
}

/**
 * The canonical JSON text of plain data: keys sorted, no spaces.
 * @param {any} data
 * @returns {string}
 */
export function canonical(data) {
  if (Array.isArray(data)) return `[${data.map(canonical)}]`;
  if (!data || typeof data !== "object") return JSON.stringify(data);
  const parts = Object.keys(data).sort(byCharacter).map((key) => `${JSON.stringify(key)}:${canonical(data[key])}`);
  return `{${parts}}`;
}

/** How many keys all objects in plain data have together. @param {any} data @returns {number} */
const keysIn = (data) =>
  data && typeof data === "object"
    ? Object.values(data).reduce((count, inside) => count + keysIn(inside), Array.isArray(data) ? 0 : Object.keys(data).length)
    : 0;

/**
 * The data of a JSON text in which no key appears twice; undefined for any other text.
 * @param {string} text
 */
export function readPlain(text) {
  try {
    const data = JSON.parse(text);
    // of a text that is JSON, these are all its strings; those before a colon are its keys
    const keys = [...text.matchAll(/"(?:[^"\\]|\\.)*"(\s*:)?/g)].filter(([, colon]) => colon);
    return keys.length === keysIn(data) ? data : undefined;
  } catch {
    return undefined;
  }
}
