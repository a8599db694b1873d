/** What the modules of the answer page need of what is around them, where that is the shadow root of an element: nothing outside it is touched. */

/** @type {ShadowRoot} */
let root;
let now = "en";

/** Where questions are shown. @param {ShadowRoot} given */
export function settle(given) {
  root = given;
}

/** The title of the page is that of those who embed. */
export const entitle = () => {};

/** The language that the element speaks. */
export const language = () => now;

/** @param {string} name @param {string} direction */
export function turn(name, direction) {
  now = name;
  const box = /** @type {HTMLElement} */ (root.firstElementChild);
  box.lang = name;
  box.dir = direction;
}

/** @param {string} id */
export const find = (id) => root.getElementById(id);

/** Headings are one level lower: the first one is of the page. @param {string} name */
export const tagOf = (name) => name.replace(/^h([1-5])$/, (_, level) => `h${Number(level) + 1}`);
