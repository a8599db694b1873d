/**
 * `node invited.mjs LEDGER URL VALUE [INVITATION] [--lost]`: answers a collection that needs an invitation, from a ledger in a
 * file with a cap of 4, and prints the receipt as JSON; with --lost every upload arrives, and its answer is lost.
 * `node invited.mjs LEDGER --flush`: sends what is queued, and prints the receipts.
 */

import { existsSync } from "node:fs";
import { FileStore, Participant } from "../dist/node.min.js";

const isLost = process.argv.includes("--lost");
const [path, url, value, invitation] = process.argv.slice(2).filter((argument) => argument !== "--lost");
const fetch = async (/** @type {any} */ asked, /** @type {any} */ init) => {
  const found = await globalThis.fetch(asked, init);
  if (isLost && init.method === "POST") throw new TypeError("the answer was lost");
  return found;
};
const one = new Participant({
  cap: existsSync(path) ? undefined : "4",
  store: new FileStore(path),
  fetch: /** @type {any} */ (fetch),
  sleep: async () => {},
});
const done = url === "--flush" ? one.flush() : one.open(url).then((collection) => collection.answer(value, { invitation }));
console.log(JSON.stringify(await done.catch((problem) => ({ code: problem.code, message: problem.message }))));
