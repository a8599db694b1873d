/** What people read of a collection, in one language or several: the same limits and refusals as in Python (`wire/texts.py`). */

import { Refused } from "./discreet.js";
import { isTable, isText } from "./plain.js";

/** How a public label is asked for; its texts may be shown in other `words`. @typedef {{question: string, help: string, words: Record<string, string>}} LabelTexts */
/** A question as people read it; of a box, `group` is the heading that it shares with others. @typedef {LabelTexts & {unit: string, group: string, kind: string}} QuestionTexts */

/**
 * The texts about the whole collection; those that are not there are empty.
 * @typedef {{title: string, asker: string, introduction: string, consent: string, thanks: string}} GeneralTexts
 */

/**
 * What a translation has of the texts; a single question is called "".
 * @typedef {GeneralTexts & {questions: Record<string, QuestionTexts>, background: Record<string, LabelTexts>}} Translation
 */

/**
 * All that people read, in the main language; a single question is called "".
 * @typedef {object} Texts
 * @property {string} title
 * @property {string} asker
 * @property {string} introduction
 * @property {string} consent
 * @property {string} thanks
 * @property {string} language as it was given, empty for English
 * @property {string[]} languages in which it can be read, its own first
 * @property {({name: string} & QuestionTexts)[]} questions
 * @property {({name: string} & LabelTexts)[]} background how public labels are asked for, in order
 * @property {Record<string, Translation>} translations
 */

const GENERAL = /** @type {const} */ (["asker", "introduction", "consent", "thanks"]);
/** Those of them that are read before an answer. */
const BEFORE = ["asker", "introduction", "consent"];
const OF_LABEL = /** @type {const} */ (["question", "help", "words"]);
const OF_QUESTION = /** @type {const} */ ([...OF_LABEL, "unit", "group", "kind"]);

/** The keys of a document that hold texts, of a single question and of several. */
export const SINGLE_KEYS = ["title", ...GENERAL, "language", "background", "translations", ...OF_QUESTION];
export const FORM_KEYS = ["title", ...GENERAL, "language", "background", "translations", "questions"];

const KINDS = ["choice", "scale", "number", "yes/no", "box"];
const MAX = { languages: 20, questions: 64, name: 64, title: 200, line: 2000, text: 4000, words: 200 };

/** The form of the name of a language, such as en, de or pt-BR. */
const LANGUAGE = /^[a-z]{2,3}(-[A-Za-z0-9]{2,8}){0,3}$/;

/** Something else than white space. */
const INK = /[^\s\x85]|\ufeff/;

/** Characters that control a terminal, and those that turn the direction in which the text after them is shown. */
const UNWANTED = /[\0-\x09\x0b-\x1f\u202a-\u202e\u2066-\u2069]/;

/** Characters that nobody prints, but for a space. */
const UNPRINTABLE = /[\p{C}\p{Zl}\p{Zp}\p{Zs}]/u;

/** Refuse a document unless something holds of an entry. @param {unknown} holds @param {string} path */
export function demandEntry(holds, path) {
  if (!holds) throw new Refused(`The collection does not describe itself as it must: see ${JSON.stringify(path.slice(0, 50))}.`, "document");
}

/** @param {any} found @param {string} path @param {number} most @returns {string} */
function line(found, path, most) {
  demandEntry(isText(found) && INK.test(found) && [...found].length <= most && !UNWANTED.test(found), path);
  return found;
}

/** @param {any} data @param {string} key @param {string} path @param {number} most */
const optionalLine = (data, key, path, most) => (data[key] ?? null) === null ? "" : line(data[key], path + key, most);

/** A table with no other keys than these. @param {any} data @param {string} path @param {readonly string[]} keys */
function table(data, path, keys) {
  demandEntry(isTable(data, () => true), path);
  for (const key of Object.keys(data)) demandEntry(keys.includes(key), `${path}.${key}`);
  return data;
}

/** Each entry of a table, read. @template T @param {any} data @param {string} path @param {(found: any, path: string, key: string) => T} read @returns {Record<string, T>} */
function each(data, path, read) {
  demandEntry(isTable(data, () => true), path);
  return Object.fromEntries(Object.entries(data).map(([key, found]) => [key, read(found, `${path}.${key}`, key)]));
}

/** @param {any} data @param {string} path @returns {LabelTexts} */
const labelTexts = (data, path) => ({
  question: optionalLine(data, "question", path, MAX.line),
  help: optionalLine(data, "help", path, MAX.line),
  words: each("words" in data ? data.words : {}, `${path}words`, (found, at) => line(found, at, MAX.words)),
});

/** What a translation has of a question. @param {any} data @param {string} path @returns {QuestionTexts} */
const otherQuestion = (data, path) => ({
  ...labelTexts(data, path),
  unit: optionalLine(data, "unit", path, MAX.words),
  group: optionalLine(data, "group", path, MAX.line),
  kind: "",
});

/** A question in the main language. @param {any} data @param {string} path @returns {QuestionTexts} */
function mainQuestion(data, path) {
  const { kind } = data;
  demandEntry((kind ?? null) === null || KINDS.includes(kind), `${path}kind`);
  const found = { ...otherQuestion(data, path), kind: kind ?? "" };
  demandEntry(found.question, `${path}question`);
  demandEntry((found.group !== "") === (kind === "box"), `${path}group`);
  return found;
}

/** Whether this can be the name of a question: it heads columns, and stands in messages. @param {any} name */
export const isName = (name) =>
  isText(name) && name !== "" && [...name].length <= MAX.name && name === name.trim() && !UNPRINTABLE.test(name.replaceAll(" ", "")) &&
  !name.includes(" * ") && !["report", "question", "discreet"].includes(name) && !name.startsWith("#");

/** Whether these can be the questions of a form. @param {any} names @returns {names is string[]} */
export const areNames = (names) =>
  Array.isArray(names) && names.length > 1 && names.length <= MAX.questions && names.every(isName) && new Set(names).size === names.length;

/**
 * The tables of a list, each with a name of its own.
 * @template T @param {any} data @param {string} path @param {readonly string[]} keys @param {(data: any, path: string) => T} read
 * @returns {({name: string} & T)[]}
 */
function named(data, path, keys, read) {
  demandEntry(Array.isArray(data), path);
  const seen = new Set();
  return data.map((/** @type {any} */ entry, /** @type {number} */ place) => {
    const at = `${path}[${place}]`;
    const { name } = table(entry, at, ["name", ...keys]);
    demandEntry(isName(name) && !seen.has(name), `${at}.name`);
    seen.add(name);
    return { name, ...read(entry, `${at}.`) };
  });
}

/** @param {any} data @param {string} path @returns {GeneralTexts} */
const general = (data, path) =>
  /** @type {GeneralTexts} */ ({ title: optionalLine(data, "title", path, MAX.title), ...Object.fromEntries(GENERAL.map((key) => [key, optionalLine(data, key, path, MAX.text)])) });

/** @param {any} data @param {string} path @param {readonly string[]} questions @param {readonly string[]} labels @returns {Translation} */
function translation(data, path, questions, labels) {
  const isSingle = questions.includes("");
  const own = isSingle ? OF_QUESTION.filter((key) => key !== "kind") : ["questions"];
  table(data, path, ["title", ...GENERAL, "background", ...own]);
  /** @template T @param {string} key @param {readonly string[]} keys @param {readonly string[]} names @param {(data: any, path: string) => T} read */
  const tables = (key, keys, names, read) =>
    each(key in data ? data[key] : {}, `${path}.${key}`, (found, at, name) => {
      demandEntry(names.includes(name), at);
      return read(table(found, at, keys), `${at}.`);
    });
  return {
    ...general(data, `${path}.`),
    questions: isSingle ? { "": otherQuestion(data, `${path}.`) } : tables("questions", OF_QUESTION.filter((key) => key !== "kind"), questions, otherQuestion),
    background: tables("background", OF_LABEL, labels, labelTexts),
  };
}

/**
 * The texts among the entries of a document, whose other entries are not looked at.
 * @param {any} data
 * @param {readonly string[]} labels the public ones
 * @returns {Texts}
 */
export function readTexts(data, labels) {
  const questions = "questions" in data ? named(data.questions, "questions", OF_QUESTION, mainQuestion) : [{ name: "", ...mainQuestion(data, "") }];
  const names = questions.map(({ name }) => name);
  demandEntry(!("questions" in data) || areNames(names), "questions");
  const background = named("background" in data ? data.background : [], "background", OF_LABEL, labelTexts);
  for (const { name } of background) demandEntry(labels.includes(name), "background");
  const language = data.language ?? "";
  demandEntry(language === "" ? (data.language ?? null) === null : isText(language) && LANGUAGE.test(language), "language");
  const first = language || "en";
  const translations = each("translations" in data ? data.translations : {}, "translations", (found, at, name) => {
    demandEntry(LANGUAGE.test(name) && name !== first, at);
    return translation(found, at, names, labels);
  });
  const others = Object.keys(translations).sort();
  demandEntry(others.length <= MAX.languages, "translations");
  line(data.title, "title", MAX.title);
  return { ...general(data, ""), language, languages: [first, ...others], questions, background, translations };
}

/** Texts with those of another language in their place, where it has them. @template {Record<string, any>} T @param {T} texts @param {Record<string, any>} [other] @returns {T} */
const merged = (texts, other = {}) => ({
  ...texts,
  ...Object.fromEntries(Object.entries(other).filter(([, found]) => found !== "" && isText(found))),
  ...("words" in texts && { words: { ...texts.words, ...other.words } }),
});

/**
 * The texts in one of their languages; what a translation lacks is as in the main texts.
 * @param {Texts} texts
 * @param {string} language
 * @returns {Texts}
 */
export function inLanguage(texts, language) {
  if (!texts.languages.includes(language)) throw new Refused("The collection is not there in this language.", "language");
  const other = Object.hasOwn(texts.translations, language) ? texts.translations[language] : undefined;
  const found = (/** @type {Record<string, any> | undefined} */ from, /** @type {string} */ name) => (from && Object.hasOwn(from, name) ? from[name] : undefined);
  return {
    ...merged(texts, other),
    language,
    questions: texts.questions.map((one) => merged(one, found(other?.questions, one.name))),
    background: texts.background.map((one) => merged(one, found(other?.background, one.name))),
    translations: {},
  };
}

/** What is there: neither an empty text nor a table without entries. @param {Record<string, any>} texts @param {readonly string[]} keys */
const filled = (texts, keys) =>
  Object.fromEntries(keys.filter((key) => texts[key] !== "" && Object.keys(texts[key]).length).map((key) => [key, texts[key]]));

/** A translation as documents hold it. @param {Translation} texts */
function translationData(texts) {
  const tables = (/** @type {Record<string, any>} */ all, /** @type {readonly string[]} */ keys) =>
    Object.fromEntries(Object.entries(all).map(([name, one]) => [name, filled(one, keys)]));
  const { "": single, ...questions } = texts.questions;
  return {
    ...filled(texts, ["title", ...GENERAL]),
    ...(single && filled(single, OF_QUESTION)),
    ...filled({ questions: tables(questions, OF_QUESTION), background: tables(texts.background, OF_LABEL) }, ["questions", "background"]),
  };
}

/** What is read before an answer beside the title, the questions and the words for their answers. @param {Texts} texts */
function besideOf(texts) {
  /** @param {({name: string} & LabelTexts)[]} all @param {readonly string[]} keys */
  const tables = (all, keys) => Object.fromEntries(all.map((one) => /** @type {const} */ ([one.name, filled(one, keys)])).filter(([, one]) => Object.keys(one).length));
  const found = { ...texts, questions: tables(texts.questions, ["help", "unit", "group"]), background: tables(texts.background, OF_LABEL) };
  return filled(found, [...BEFORE, "questions", "background"]);
}

/**
 * What was asked, in every language: by its hash, ledgers know whether two collections ask the same. A heading, a unit or an introduction can turn a
 * question into another one, so all that is read before an answer is in it, but for what nobody has written.
 * @param {Texts} texts
 */
export function wordingOf(texts) {
  const { title, questions, translations } = texts;
  const others = Object.fromEntries(Object.entries(translations).map(([name, one]) => [name, translationData(one)]));
  const beside = besideOf(texts);
  const last = Object.keys(beside).length ? [beside] : [];
  const [{ name, question, words }] = questions;
  if (name === "") return [title, question, words, ...(Object.keys(others).length || last.length ? [others] : []), ...last];
  return [title, questions.map((one) => [one.name, one.question, one.words]), others, ...last];
}
