/** A collector for tests: collections at https://collector.example, and everything that was asked of it. */

import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { canonical } from "../src/plain.js";

export const ORIGIN = "https://collector.example";
export const LAWS = JSON.parse(readFileSync(new URL("participant.laws.json", import.meta.url), "utf8"));

/** @param {string} text */
export const hash = (text) => createHash("sha256").update(text).digest("hex");

/** Numbers from a seed, the same each time: mulberry32. @param {number} seed */
export function seeded(seed) {
  let state = seed >>> 0;
  const next = () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
  return {
    next,
    below: (/** @type {number} */ count) => Math.floor(next() * count),
    pick: (/** @type {any[]} */ list) => list[Math.floor(next() * list.length)],
  };
}

/** The document of a collection. @param {string} law its text @param {object} [more] */
export const documentOf = (law, more = {}) => ({
  version: 1,
  title: "A survey",
  question: "Which of these?",
  fingerprint: hash(law),
  law: "law",
  reports: "reports",
  changes: "refuse",
  ...more,
});

/** The law file of a form, and its fingerprint. @param {string[]} laws @param {string[]} names @param {string} strategy */
export const formOf = (laws, names, strategy) => ({
  text: `{"form":{"laws":[${laws}],"questions":${JSON.stringify(names)},"strategy":${JSON.stringify(strategy)}},"version":1}`,
  fingerprint: hash(canonical({ fingerprints: laws.map(hash), questions: names, strategy, version: 1 })),
});

/** The document of a collection with several questions. @param {string} fingerprint @param {string[]} names @param {object} [more] */
export function documentOfForm(fingerprint, names, more = {}) {
  const { question, ...document } = documentOf("");
  const questions = names.map((name) => ({ name, question: `What about ${name}?` }));
  return { ...document, fingerprint, questions, ...more };
}

/**
 * A collector that answers what `pages` says, by path, and to uploads what `answers` gives.
 * @param {Record<string, string | Response | (() => Response)>} pages
 * @param {(number: number, url: string) => Response | Promise<Response>} [answers]
 */
export function collector(pages, answers = () => new Response(null, { status: 204 })) {
  /** @type {{url: string, init: any}[]} */
  const asked = [];
  const posts = () => asked.filter(({ init }) => init.method === "POST");
  /** @param {any} url @param {any} init */
  const fetch = async (url, init) => {
    asked.push({ url: String(url), init });
    if (init.method === "POST") return answers(posts().length, String(url));
    const found = pages[String(url).slice(ORIGIN.length)];
    if (found === undefined) return new Response("none", { status: 404 });
    if (typeof found === "function") return found();
    return typeof found === "string" ? new Response(found) : found.clone();
  };
  return { asked, posts, fetch: /** @type {typeof globalThis.fetch} */ (fetch) };
}

/** The pages of one collection at /c/. @param {string} law @param {object} [more] */
export const pagesOf = (law, more) => ({ "/c/": JSON.stringify(documentOf(law, more)), "/c/law": law });
