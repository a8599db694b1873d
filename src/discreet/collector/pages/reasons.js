/** Why something was refused. */

import { el } from "./dom.js";
import { hasSentence, say } from "./languages.js";
import { language } from "./page.js";

/** What the client refused, with a reason for a person and a code for programs. */
export class Refused extends Error {
  /** @param {string} message @param {string} code */
  constructor(message, code) {
    super(message);
    this.code = code;
  }
}

/** Why something was refused, as elements: in the language of the page, with the client's own words, which are English. @param {any} problem */
export function reasonOf(problem) {
  const message = problem instanceof Error ? problem.message : "";
  if (language().split("-")[0] === "en" && message) return el("p", {}, message);
  const key = `codes.${problem instanceof Refused && hasSentence(`codes.${problem.code}`) ? problem.code : "other"}`;
  return el("div", {}, el("p", {}, say(key)), message ? el("p", { class: "small soft", lang: "en", dir: "ltr" }, message) : null);
}
