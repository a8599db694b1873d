/** `node answering.mjs LEDGER ORIGIN SEED`: answers some collections at random from a ledger in a file. */

import { FileStore, Participant } from "../dist/node.min.js";
import { seeded } from "./collector.mjs";

const [path, origin, seed] = process.argv.slice(2);
const chance = seeded(Number(seed));
const one = new Participant({ cap: "3", store: new FileStore(path) });
for (let answers = 0; answers < 8; answers += 1) {
  const collection = await one.open(`${origin}/${chance.below(4)}/`);
  await collection.answer(chance.below(40)).catch((problem) => {
    if (problem.code !== "overspent") throw problem;
  });
}
