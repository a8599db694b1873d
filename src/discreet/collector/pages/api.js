/** The collector's own interface, with the tokens of this tab. */

import { el, place } from "./dom.js";
import { say } from "./languages.js";

const { root } = place();

/** What did not work. */
export class Problem extends Error {
  /** @param {string} message @param {string} code @param {boolean} [isSent] whether the collector worded it, which it does in English */
  constructor(message, code, isSent = false) {
    super(message);
    this.code = code;
    this.isSent = isSent;
  }
}

/** A sentence that the collector worded. @param {string} text */
export const sent = (text) => el("span", { lang: "en", dir: "ltr" }, text);

/** What did not work, for a person. @param {any} problem */
export const failure = (problem) => (problem?.isSent ? sent(problem.message) : problem instanceof Error ? problem.message : say("codes.other"));

/** Take tokens out of the address, where links put them, so that neither history nor screen keeps them. */
export function takeTokens() {
  const given = new URLSearchParams(location.hash.slice(1));
  for (const role of ["admin", "analyst"]) if (given.get(role)) sessionStorage.setItem(role, String(given.get(role)));
  if (given.has("admin") || given.has("analyst")) history.replaceState(null, "", location.pathname + location.search);
}

addEventListener("hashchange", () => {
  if (/[#&](admin|analyst)=/.test(location.hash)) location.reload();
});

/** @param {"admin" | "analyst"} role */
export const tokenOf = (role) => sessionStorage.getItem(role);

/** @param {"admin" | "analyst"} role @param {string} token */
export const setToken = (role, token) => sessionStorage.setItem(role, token);

/**
 * What the collector answers.
 * @param {string} path below the collector, such as "/collections"
 * @param {{role?: "admin" | "analyst", body?: unknown, as?: "json" | "text" | "blob"}} [more]
 */
export async function ask(path, { role, body, as = "json" } = {}) {
  /** @type {Record<string, string>} */
  const headers = {};
  if (role) headers.authorization = `Bearer ${tokenOf(role) ?? ""}`;
  if (body !== undefined) headers["content-type"] = "application/json";
  const options = { method: body === undefined ? "GET" : "POST", headers, body: body === undefined ? undefined : JSON.stringify(body), credentials: /** @type {const} */ ("omit") };
  let response;
  try {
    response = await fetch(root + path, options);
  } catch {
    throw new Problem(say("collectorAway"), "away");
  }
  if (!response.ok) {
    const problem = await response.json().catch(() => ({}));
    const worded = problem.detail ?? problem.title;
    throw new Problem(worded ?? say("collectorFailed"), problem.code ?? "failed", worded !== undefined);
  }
  return response[as]();
}
