/** The collector's own interface, with the tokens of this tab. */

import { place } from "./dom.js";

const { root } = place();

/** A problem that the collector named. */
export class Problem extends Error {
  /** @param {string} message @param {string} code */
  constructor(message, code) {
    super(message);
    this.code = code;
  }
}

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
    throw new Problem("The collector cannot be reached.", "away");
  }
  if (!response.ok) {
    const problem = await response.json().catch(() => ({}));
    throw new Problem(problem.detail ?? problem.title ?? "The collector did not answer as it should.", problem.code ?? "failed");
  }
  return response[as]();
}
