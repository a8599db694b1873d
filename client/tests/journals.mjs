/**
 * Journals in files, for programs in other languages to compare; prints JSON.
 *
 * `node journals.mjs summary PATH`: what the ledger in a file adds up to, and its text.
 * `node journals.mjs tags KEY`: the tag of every [collection, value] of the JSON on standard input, under a key in hex.
 * `node journals.mjs invitations PATH`: the invitation of every queued upload, by its number.
 * `node journals.mjs answer PATH LAW NAME VALUE [CHANGES]`: answers the collection at the address NAME, with the law in
 * a file and a value as JSON, where the collector takes everything; with a cap of 4 if the ledger is new.
 * `node journals.mjs asked PATH LAW NAME`: the names of the questions that are asked of the owner of a ledger.
 * `node journals.mjs many PATH LAW NAME COUNT`: answers so many collections of that kind, each with another value, and says how many were answered.
 */

import { existsSync, readFileSync } from "node:fs";
import { hexOf, utf8 } from "../src/bytes.js";
import { FileStore, Participant } from "../dist/node.min.js";
import { checkForm, tagKey } from "../dist/participant.min.js";
import { canonical } from "../src/plain.js";
import { documentOf, documentOfForm } from "./collector.mjs";

const [what, path, law, name, value, changes = "refuse"] = process.argv.slice(2);

async function tags() {
  const key = await tagKey(Buffer.from(path, "hex"));
  const pairs = JSON.parse(readFileSync(0, "utf8"));
  return Promise.all(pairs.map(async (/** @type {any} */ pair) => hexOf(await crypto.subtle.sign("HMAC", key, utf8(canonical(pair))))));
}

async function summary() {
  const { ledger } = new Participant({ store: new FileStore(path) });
  return { ...(await ledger.summary()), text: await ledger.export() };
}

async function invitations() {
  const { ledger } = new Participant({ store: new FileStore(path) });
  const { queued } = await ledger.summary();
  return Object.fromEntries(await Promise.all(queued.map(async (upload) => [upload.upload, (await ledger.invitation(upload)) ?? null])));
}

/** The document of the law of a question or of a questionnaire. @param {string} text @param {object} more */
async function describe(text, more) {
  if (!text.startsWith('{"form"')) return documentOf(text, more);
  const { fingerprint, names } = await checkForm(text);
  return documentOfForm(fingerprint, names, more);
}

/** The collection at an address, opened with the ledger in the file. @param {string} name @returns {Promise<any>} */
async function opened(name) {
  const text = readFileSync(law, "utf8");
  const pages = new Map([
    [name, JSON.stringify(await describe(text, { law: `${name}/law`, reports: `${name}/reports`, changes }))],
    [`${name}/law`, text],
  ]);
  const fetch = async (/** @type {any} */ url) => new Response(pages.get(url) ?? null);
  const cap = existsSync(path) ? undefined : "4";
  const one = new Participant({ cap, store: new FileStore(path), fetch: /** @type {any} */ (fetch) });
  return one.open(name);
}

/** @param {string} name @param {any} value */
const answer = async (name, value) => (await opened(name)).answer(value);

async function many() {
  const done = { answered: 0, refused: 0 };
  for (let number = 0; number < Number(value); number += 1) {
    try {
      await answer(`${name}&number=${number}`, 199 - number);
      done.answered += 1;
    } catch (problem) {
      if (/** @type {any} */ (problem).code !== "overspent") throw problem;
      done.refused += 1;
    }
  }
  return done;
}

/** @type {Record<string, () => Promise<any>>} */
const tasks = { tags, summary, invitations, many, answer: () => answer(name, JSON.parse(value)), asked: async () => (await opened(name)).asked };
const done = tasks[what]();
console.log(JSON.stringify(await done.catch((problem) => ({ code: problem.code, message: problem.message }))));
