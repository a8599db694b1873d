/**
 * `node opened.mjs FILE`: what becomes of collections, each `{document, law}` as texts: what people read in every language, what is promised and what
 * the ledger knows the wording by, or why it is refused; prints JSON.
 */

import { readFileSync } from "node:fs";
import { inLanguage, MemoryStore, Participant } from "../dist/node.min.js";
import { sha256 } from "../src/bytes.js";
import { canonical } from "../src/plain.js";
import { wordingOf } from "../src/texts.js";
import { collector, ORIGIN } from "./collector.mjs";

/** @param {{document: string, law: string}} given */
async function opened({ document, law }) {
  const one = new Participant({ cap: "4", store: new MemoryStore(), fetch: collector({ "/c/": document, "/c/law": law }).fetch, now: () => Date.parse("2026-11-18T00:00:00Z") });
  try {
    const { texts, promise, questions } = /** @type {any} */ (await one.open(`${ORIGIN}/c/`));
    const read = texts.languages.map((/** @type {string} */ language) => {
      const { title, asker, introduction, consent, thanks, questions: asked, background } = inLanguage(texts, language);
      return { language, title, asker, introduction, consent, thanks, questions: asked, background };
    });
    const each = questions.map((/** @type {any} */ { values, promiseFor }) => values.map(promiseFor));
    return { read, sentences: promise.sentences, each, wording: await sha256(canonical(wordingOf(texts))) };
  } catch (problem) {
    const { code, message } = /** @type {any} */ (problem);
    return { code: code ?? "threw", message };
  }
}

/** @type {{document: string, law: string}[]} */
const all = JSON.parse(readFileSync(process.argv[2], "utf8"));
const done = [];
for (const given of all) done.push(await opened(given));
console.log(JSON.stringify(done));
