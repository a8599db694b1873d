/** Vectors of whole questionnaires against the client, in Node and in a browser alike: see docs/reference/vectors.md for the file. */

import { hexOf, sha256, utf8 } from "../src/bytes.js";
import { answering, askedOf } from "../src/form.js";
import { canonical } from "../src/plain.js";
import { tagKey } from "../src/stores.js";
import { readTexts, wordingOf } from "../src/texts.js";
import { wordsOf } from "./checking.mjs";

/**
 * Check every questionnaire of a file: its wording, which question is asked, what stands for the answers, and the report that is drawn from the words.
 * @param {string[]} lines
 * @param {{checkForm: Function}} client
 * @returns {Promise<{forms: number, vectors: number, wrong: number, first: string | null}>} `first` is the first fault
 */
export async function checkForms(lines, { checkForm }) {
  const done = { forms: 0, vectors: 0, wrong: 0, first: /** @type {string | null} */ (null) };
  /** @type {any} */
  let told;
  /** @type {any} */
  let form;
  const [{ forms, vectors }, ...rest] = lines.map((line) => JSON.parse(line));
  for (const [number, line] of rest.entries()) {
    const check = (/** @type {boolean} */ holds, /** @type {string} */ what) => {
      if (holds) return;
      done.wrong += 1;
      done.first ??= `line ${number + 2}: ${what}`;
    };
    if ("law" in line) {
      done.forms += 1;
      [told, form] = [line, await checkForm(line.law, { fingerprint: line.fingerprint })];
      const wording = await sha256(canonical(wordingOf(readTexts(line.document, []))));
      check(wording === line.wording, `the wording is ${wording}`);
      continue;
    }
    done.vectors += 1;
    const key = await tagKey(Uint8Array.from(line.key.match(/../g), (digits) => parseInt(digits, 16)));
    const sign = (/** @type {any} */ data) => crypto.subtle.sign("HMAC", key, utf8(canonical(data)));
    const asked = await askedOf(form, sign, told.wording);
    check(canonical(asked) === canonical(line.asked), `asks ${asked}`);
    const law = answering(form, line.answers, asked);
    check(law.words === line.words.length / 16, `takes ${law.words} words`);
    const report = law.written(law.draw(0, wordsOf(line.words)));
    check(report === line.report, `writes ${report}, not ${line.report}`);
    const tag = hexOf(await sign([told.collection, law.values[0]]));
    check(tag === line.tag, `has the tag ${tag}`);
  }
  if (forms !== done.forms || vectors !== done.vectors) [done.wrong, done.first] = [done.wrong + 1, done.first ?? "the file is not complete"];
  return done;
}
