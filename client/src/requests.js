/** How a collector is asked: over https, at one origin, with nothing that tells who asks. */

import { Refused } from "./discreet.js";

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

/** An address as all parsers read it: host, path and query, with their characters escaped. */
const ADDRESS =
  /^https?:\/\/(\[[0-9a-f:]+\]|[\w-]{1,63}(?:\.[\w-]{1,63})*)(?::\d{1,5})?(?=[/?#]|$)((?:[\w.~!$&'()*+,;=:@/-]|%[0-9a-f]{2})*)(?:\?(?:[\w.~!$&()*+,;=:@/?-]|%[0-9a-f]{2})*)?(?:#.*)?$/is;

/** An address beside another: a path and a query, as above. */
const BESIDE = /^((?:[\w.~!$&'()*+,;=:@/-]|%[0-9a-f]{2})*)(?:\?(?:[\w.~!$&()*+,;=:@/?-]|%[0-9a-f]{2})*)?(?:#[^\\]*)?$/is;

/** Segments that parsers leave out, or keep: dots, some of them escaped, and nothing at all. */
const UNCLEAR = /\/(?:\.|%2e){1,2}(?=\/|$)|\/\//i;

/** Such a segment of a relative path, where plain dots are clear. */
const ESCAPED_DOTS = /(?:^|\/)(?=[^/]*%2e)(?:\.|%2e){1,2}(?:\/|$)/i;

/** What an address says that every parser reads alike; null or an error for any other text. @param {string} text */
function plainAddress(text) {
  const [, host, path] = ADDRESS.exec(text) ?? [];
  if (host === undefined || text.length > LONGEST_ADDRESS || host.length > 253 || UNCLEAR.test(path)) return null;
  const found = new URL(text);
  found.hash = "";
  // a host that is a number in disguise is written in another way now
  const isSame = host.startsWith("[") ? !found.hostname.startsWith("[::ffff:") : found.hostname === host.toLowerCase();
  return isSame && found.port !== "0" ? found : null;
}

/** The text of an address beside another one, resolved. @param {string} text @param {string} base */
function besideOf(text, base) {
  if (/^https?:\/\//i.test(text)) return text;
  if (text.startsWith("//")) return new URL(base).protocol + text;
  const [, path] = BESIDE.exec(text) ?? [];
  return path === undefined || text.length > LONGEST_ADDRESS || ESCAPED_DOTS.test(path) || path.includes("//") ? "" : new URL(text, base).href;
}

/**
 * An address in one form, without fragment, the same as in Python; `Refused` unless it is https, or http on this machine.
 * On a page it may be relative to that.
 * @param {string | URL} url
 * @param {string} [base] whose origin it must have
 */
export function addressOf(url, base) {
  const beside = base ?? globalThis.location?.href;
  let found;
  try {
    found = plainAddress(beside === undefined ? String(url) : besideOf(String(url), beside));
  } catch {}
  if (!found || !(found.protocol === "https:" || LOOPBACK.test(found.hostname)))
    throw new Refused("An address must begin with https://, or be on this machine, and be written plainly.", "address");
  if (base && found.origin !== new URL(base).origin)
    throw new Refused("The addresses of a collection must all have the same origin.", "address");
  return found.href;
}

/**
 * The answer to a request that says nothing of who sends it; it is not sent elsewhere, and fails rather than wait for long.
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
    redirect: "manual",
    referrerPolicy: "no-referrer",
    signal: AbortSignal.timeout(ways.timeout),
  });

/** Whether an answer leads elsewhere; a browser says no more of it. @param {Response} response */
const isRedirect = ({ type, status }) => type === "opaqueredirect" || (status >= 300 && status < 400);

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
  if (isRedirect(response)) throw new Refused("The collection is said to be elsewhere, and redirects are not followed.", "document");
  if (text === false) throw new Refused(`The collector does not give what it should (status ${response.status}).`, "document");
  if (text === null) throw new Refused(`The collector gives what is no text, or more than ${limit} bytes.`, "limits");
  return text;
}
