/**
 * `node numbers.mjs FILE`: of scales, each a law with what people may hold, how each is read; and what answers to a collection of each come to.
 */

import { readFileSync } from "node:fs";
import { checkLaw, MemoryStore, Participant } from "../dist/node.min.js";
import { collector, ORIGIN, pagesOf } from "./collector.mjs";

/** A number by its text, where it was written as a double. @param {any} held */
const heldOf = (held) => (held?.double ? Number(held.double) : held);

/** What the client makes of something that a person may hold. @param {any} law @param {any} held */
function read(law, held) {
  const { numbers } = law;
  const position = numbers.position(held) ?? null;
  try {
    if (law.index(held) !== position) throw new Error("another position");
  } catch (problem) {
    if (position !== null || /** @type {any} */ (problem).code !== "value") throw problem;
  }
  return [position, position === null ? null : numbers.kept(position), numbers.standing(held), position === null ? null : numbers.beside(position)];
}

/** The tags, reports and costs of answers that one person gives one after the other, or the code of why there is none. @param {string} law @param {any[]} answers @param {any[]} [budgets] */
async function answered(law, answers, budgets) {
  const one = new Participant({ cap: "4", budgets, store: new MemoryStore(), fetch: collector(pagesOf(law, { changes: "spend" })).fetch });
  const collection = await one.open(`${ORIGIN}/c/`);
  const said = [];
  for (const answer of answers)
    said.push(await collection.answer(answer).then(
      ({ upload, epsilon }) => [upload, epsilon],
      (/** @type {any} */ { code }) => code,
    ));
  const [{ kind, numbers, values }] = collection.questions;
  const { entries } = await one.ledger.summary();
  const left = (await one.ledger.summary()).budgets.map(({ tightest }) => tightest);
  return { said, left, kind, values, low: numbers?.low, terms: entries.find((entry) => entry.kind === "terms"), reports: entries.filter((entry) => entry.kind === "report").length };
}

const { scales, answers } = JSON.parse(readFileSync(process.argv[2], "utf8"));
const found = [];
for (const [text, held] of scales) {
  const law = await checkLaw(text);
  found.push({ values: law.values, positions: law.numbers.positions, words: law.words, read: held.map((/** @type {any} */ one) => read(law, heldOf(one))) });
}
console.log(JSON.stringify({ scales: found, answers: await Promise.all(answers.map((/** @type {[string, any[], any[]?]} */ given) => answered(...given))) }));
