/** The top of the pages of whoever asks: the ways to the others, and the language. */

import { el, place, show } from "./dom.js";
import { CATALOGUES, fitting, say, speak } from "./languages.js";
import { asked, chooser, wanted } from "./wanted.js";

const { root } = place();

/** The address of another page, in the language that was asked for here. @param {string} path below the collector */
export const leading = (path) => `${root}/${path}${asked() && `?lang=${encodeURIComponent(asked())}`}`;

/**
 * Draw a page in the language of the reader, and anew with each change of it.
 * @param {string} part the folder of its sentences
 * @param {string} here its own address below the collector, if it is one of those that the header names
 * @param {() => Promise<void>} draw
 */
export async function spoken(part, here, draw) {
  const page = fitting(wanted(), CATALOGUES) ?? "en";
  await speak(asked() && fitting([asked()], CATALOGUES) ? asked() : page, part);
  const way = (/** @type {string} */ path, /** @type {string} */ key) => el("a", { href: leading(path), "aria-current": path === here ? "page" : null }, say(key));
  show(
    /** @type {Element} */ (document.querySelector("header")),
    el("strong", {}, "discreet"),
    el("nav", { "aria-label": say("pages") }, way("", "collections"), way("design", "design")),
    chooser(CATALOGUES, page, () => spoken(part, here, draw)),
  );
  const skip = document.querySelector(".skip");
  if (skip) skip.textContent = say("skip");
  await draw();
}
