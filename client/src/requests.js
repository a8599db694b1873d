/** How a collector is asked: over https, at one origin, with nothing that tells who asks. */

import { Refused } from "./exact.js";

/**
 * The ways to the network and the clock.
 * @typedef {object} Ways
 * @property {typeof globalThis.fetch} fetch
 * @property {() => number} now the time in milliseconds, as `Date.now` gives it
 * @property {(milliseconds: number) => Promise<unknown>} sleep
 * @property {number} timeout the most milliseconds of one exchange
 */

/** The most characters of an address. */
const LONGEST_ADDRESS = 2048;

/** Hosts that are on this machine by their form. */
const LOOPBACK = /^(localhost|127\.\d+\.\d+\.\d+|\[::1\])$/;

/**
 * An address in one form, without fragment; `Refused` unless it is https, or http on this machine.
 * @param {string | URL} url
 * @param {string} [base] whose origin it must have
 */
export function addressOf(url, base) {
  let found;
  try {
    found = new URL(url, base ?? globalThis.location?.href);
    found.hash = "";
  } catch {}
  const isSafe = found?.protocol === "https:" || (found?.protocol === "http:" && LOOPBACK.test(found.hostname));
  if (!found || !isSafe || found.href.length > LONGEST_ADDRESS || found.username || found.password)
    throw new Refused("An address must begin with https://, or be on this machine.", "address");
  if (base && found.origin !== new URL(base).origin)
    throw new Refused("The addresses of a collection must all have the same origin.", "address");
  return found.href;
}

/**
 * The answer to a request that says nothing of who sends it; it fails rather than go elsewhere or wait for long.
 * @param {Ways} ways
 * @param {string} url
 * @param {RequestInit} [init]
 */
export const ask = (ways, url, init) =>
  ways.fetch(url, {
    ...init,
    headers: { accept: "application/json", "accept-language": "*", ...init?.headers },
    cache: "no-store",
    credentials: "omit",
    redirect: "error",
    referrerPolicy: "no-referrer",
    signal: AbortSignal.timeout(ways.timeout),
  });

/** Whether trying again may help. @param {number} status */
export const isTransient = (status) => [408, 425, 429].includes(status) || status >= 500;

/**
 * The text of an answer; null if it has more than so many bytes, which are not read, or is not UTF-8.
 * @param {Response} response
 * @param {number} limit
 */
export async function textIn(response, limit) {
  const reader = response.body?.getReader();
  const parts = [];
  for (let size = 0; ; ) {
    const { value, done } = (await reader?.read()) ?? {};
    if (!value || done) break;
    size += value.length;
    if (size > limit) {
      await reader?.cancel();
      return null;
    }
    parts.push(value);
  }
  try {
    return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(await new Blob(parts).arrayBuffer());
  } catch {
    return null;
  }
}

/**
 * The text at an address, all of it; `Refused` if the collector gives something else.
 * @param {Ways} ways
 * @param {string} url
 * @param {number} limit
 */
export async function textAt(ways, url, limit) {
  let response;
  let text;
  try {
    response = await ask(ways, url);
    text = response.status === 200 && (await textIn(response, limit));
  } catch {}
  if (!response || text === undefined || isTransient(response.status))
    throw new Refused("The collector cannot be reached; try again later.", "unreachable");
  if (text === false) throw new Refused(`The collector does not give what it should (status ${response.status}).`, "document");
  if (text === null) throw new Refused(`The collector gives what is no text, or more than ${limit} bytes.`, "limits");
  return text;
}
