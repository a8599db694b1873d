/** The language that the reader wants: that of the address, else those of the browser; and the menu to choose another. */

import { el } from "./dom.js";
import { directionOf, isLanguage, nameOf, say } from "./languages.js";

/** The language that the address asks for; "" if it is none. */
export function asked() {
  const name = new URLSearchParams(location.search).get("lang") ?? "";
  return isLanguage(name) ? name : "";
}

/** The languages that the reader wants, in order. */
export const wanted = () => [asked(), ...navigator.languages].filter((name) => name !== "");

/**
 * The menu of languages; the address keeps what is chosen.
 * @param {readonly string[]} names
 * @param {string | undefined} chosen
 * @param {() => Promise<void>} render the page anew
 */
export function chooser(names, chosen, render) {
  const change = async (/** @type {any} */ event) => {
    const query = new URLSearchParams(location.search);
    query.set("lang", event.target.value);
    history.replaceState(null, "", `${location.pathname}?${query}${location.hash}`);
    await render();
    document.getElementById("language")?.focus();
  };
  const option = (/** @type {string} */ name) => el("option", { value: name, lang: name, dir: directionOf(name), selected: name === chosen }, nameOf(name));
  return el("label", { class: "language" }, el("span", {}, say("language")), el("select", { id: "language", onchange: change }, names.map(option)));
}
