/** `node promises.mjs FILE`: what is promised of collections, each a law, more entries of its document and perhaps what people hold, or why it is refused. */

import { readFileSync } from "node:fs";
import { MemoryStore, Participant } from "../dist/node.min.js";
import { collector, ORIGIN, pagesOf } from "./collector.mjs";

/** @param {[law: string, more: object, held?: any[]]} given */
const promised = async ([law, more, held]) => {
  const one = new Participant({ cap: "4", store: new MemoryStore(), fetch: collector(pagesOf(law, more)).fetch });
  try {
    const { promise, promiseFor, values } = await one.open(`${ORIGIN}/c/`);
    return { sentences: promise.sentences, each: (held ?? values).map((value) => promiseFor(value)) };
  } catch (problem) {
    return { code: /** @type {any} */ (problem).code };
  }
};

console.log(JSON.stringify(await Promise.all(JSON.parse(readFileSync(process.argv[2], "utf8")).map(promised))));
