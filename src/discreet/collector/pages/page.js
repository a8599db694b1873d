/** What the modules need of the page around them; inside another page, the client's `element/page.js` is in place of this. */

/** The title of the page. @param {string} text */
export const entitle = (text) => {
  document.title = text;
};

/** The language that the page is in. */
export const language = () => document.documentElement.lang;

/** From now on the page is in a language, read in a direction. @param {string} name @param {string} direction */
export function turn(name, direction) {
  if (typeof document === "undefined") return;
  document.documentElement.lang = name;
  document.documentElement.dir = direction;
}

/** The element with an id. @param {string} id @returns {any} */
export const find = (id) => document.getElementById(id);

/** The name of an element here: inside another page, headings are below those of that. @param {string} name */
export const tagOf = (name) => name;
