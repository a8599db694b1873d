/** How uploads are sent: again when that may help, and with the same bytes each time. */

import { randomWords } from "./discreet.js";
import { readPlain } from "./plain.js";
import { addressOf, ask, isTransient, textIn } from "./requests.js";

/** @import { Upload } from "./account.js" */
/** @import { Ways } from "./requests.js" */

/**
 * How an upload went, with the collector's status and code, and the reason why it is queued or what can be done. The status is 0 where a browser
 * hides that of a redirect.
 * @typedef {{state: "accepted" | "refused" | "queued", status: number | null, code: string | null, reason: string | null}} Sent
 */

/** How often an upload is tried in one call. */
const TRIES = 5;

/** The most seconds that one call waits for its next try; what would take longer stays queued. */
const PATIENCE = 60;

/** The most seconds that a collector can ask for. */
const LONGEST_ASKED = 3600;

/** The most bytes that are read of the answer to an upload. */
const PROBLEM = 65536;

/** Codes of refusals that people should understand, and what they mean or what can be done. @type {Map<string | null, string>} */
const REASONS = new Map([
  ["closed", "The collection was closed before the report came, and did not count it; what it spent stays spent."],
  ["not_invited", "The invitation is missing, unknown or used up; the report is kept, and the same answer with another invitation sends it at no further cost."],
]);

/** The code that a collector gives for its refusal, if it gives one. @param {Response} response */
async function problemOf(response) {
  if (!/^application\/problem\+json *(;|$)/i.test(response.headers.get("content-type") ?? "")) return null;
  const code = readPlain((await textIn(response, PROBLEM).catch(() => null)) ?? "")?.code;
  return typeof code === "string" && /^[\x20-\x7e]{1,100}$/.test(code) ? code : null;
}

/** The seconds until the next try. @param {number} attempt @param {string | null | undefined} asked @param {number} now */
function waitFor(attempt, asked, now) {
  const seconds = asked && /^\d+$/.test(asked) ? Number(asked) : (Date.parse(asked ?? "") - now) / 1000;
  if (seconds === seconds) return Math.min(Math.max(seconds, 0), LONGEST_ASKED); // not NaN
  return Math.min(2 ** attempt, PATIENCE) * (0.5 + Number(randomWords(1)[0] >> 32n) / 2 ** 33);
}

/**
 * Send an upload, with as many tries as are allowed in one call.
 * @param {Ways} ways
 * @param {Upload} upload
 * @param {string} [invitation] that goes along
 * @returns {Promise<Sent>}
 */
export async function sendUpload(ways, { upload, url, body }, invitation) {
  const headers = { "content-type": "application/json", "idempotency-key": upload, ...(invitation && { invitation }) };
  for (let attempt = 1; ; attempt += 1) {
    const response = await ask(ways, addressOf(url), { method: "POST", headers, body }).catch(() => null);
    const status = response && response.status;
    if (response && status !== null && !isTransient(status)) {
      const isTaken = status >= 200 && status < 300;
      const code = isTaken ? null : await problemOf(response);
      return { state: isTaken ? "accepted" : "refused", status, code, reason: REASONS.get(code) ?? null };
    }
    const wait = waitFor(attempt - 1, response?.headers.get("retry-after"), ways.now());
    const reason = response ? `The collector answered with status ${status}.` : "The collector cannot be reached.";
    if (attempt === TRIES || wait > PATIENCE) return { state: "queued", status, code: null, reason };
    await ways.sleep(1000 * wait);
  }
}
