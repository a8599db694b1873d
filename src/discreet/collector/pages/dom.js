/** Elements from data: nothing that comes from a collection is ever read as markup. */

import { tagOf } from "./page.js";

/** @typedef {string | number | Node | null | undefined | false} Child */

/**
 * An element with its attributes and children. `on...` are listeners, `class` and `for` are as in markup.
 * @param {string} name
 * @param {Record<string, any>} [given]
 * @param {...(Child | Child[])} children
 */
export function el(name, given = {}, ...children) {
  const element = document.createElement(tagOf(name));
  for (const [key, entry] of Object.entries(given)) {
    if (entry === null || entry === undefined || entry === false) continue;
    if (key.startsWith("on")) element.addEventListener(key.slice(2), entry);
    else if (key === "value" || key === "checked" || key === "disabled" || key === "textContent") element[key] = entry;
    else element.setAttribute(key, entry === true ? "" : String(entry));
  }
  element.append(...children.flat().filter((child) => child !== null && child !== undefined && child !== false));
  return element;
}

/** The element with an id. @param {string} id @returns {any} */
export const at = (id) => document.getElementById(id);

/** Show these instead of what is in an element. @param {Element} place @param {...Child} children */
export function show(place, ...children) {
  place.replaceChildren(...children.flat().filter((child) => child !== null && child !== undefined && child !== false));
}

/** The path of the collector, and what follows the name of a page in the address: "/answer/4f1d" gives "4f1d". */
export function place() {
  const parts = location.pathname.split("/");
  const last = parts.length - 2;
  const page = ["answer", "results"].includes(parts[last]) && parts[last + 1] && parts[last + 1] !== "design" ? last : -1;
  const root = page < 0 ? location.pathname.replace(/\/(design)?$/, "") : parts.slice(0, page).join("/");
  return { root, id: page < 0 ? "" : parts[page + 1] };
}

/** A file that is offered to keep. @param {string} name @param {string} type @param {BlobPart} content */
export function keep(name, type, content) {
  const url = URL.createObjectURL(new Blob([content], { type }));
  el("a", { href: url, download: name }).click();
  setTimeout(() => URL.revokeObjectURL(url), 60000);
}
