/** A questionnaire as it is designed: what each question is about, and the document that declares all of it. */

import { bandsOf, linesOf, numbersOf, pasted, specOf, wordsIn } from "./domain.js";
import { hasSentence, say } from "./languages.js";
import { language } from "./page.js";

/** Answers outside the scale that can be ticked, as values; the pages show them in the reader's language. */
export const BESIDE = ["prefer not to say", "other"];

/** The kinds of questions, in the order in which they are offered. */
export const KINDS = ["choice", "scale", "number", "yes/no", "box"];

/** The ways to ask several questions. */
export const STRATEGIES = ["each", "one at random", "together"];

/** Texts about the whole survey, besides its title. */
export const GENERAL = /** @type {const} */ (["asker", "introduction", "consent", "thanks"]);

/**
 * @typedef {{key: string, text: string, name: string, help: string, kind: string, answers: string, words: string, unit: string, from: number, to: number, width: number, clip: boolean, boxes: string,
 *   form: string, epsilon: number, outer: number, reach: number, sensitive: Set<string>, pairs: string, beside: Set<string>, besideEpsilon: number, given: any}} Question
 * @typedef {{key: string, text: string, name: string, help: string, answers: string}} Background
 * @typedef {{questions: Question[], strategy: string, whole: number | null, title: string, asker: string, introduction: string, consent: string, thanks: string, language: string,
 *   background: Background[], translations: Record<string, Record<string, string>>, minimum: number, changes: string, access: string, first: string, last: string, period: string, rest: Record<string, any>}} Model
 * @typedef {{name: string, spec: any, texts: any, values: string[], counts: number[] | null, outside: number, numbers?: {low: string, high: string, step: string, clip: boolean}, ids: Record<string, string>, number: number}} Flat
 */

let last = 0;
/** A key that no other part of this page has. */
const fresh = () => `k${++last}`;

/** A question with nothing in it yet. @param {Partial<Question>} [given] @returns {Question} */
export const newQuestion = (given = {}) => ({
  key: fresh(),
  text: "",
  name: "",
  help: "",
  kind: "choice",
  answers: "",
  words: "",
  unit: "",
  from: 18,
  to: 99,
  width: 1,
  clip: true,
  boxes: "",
  form: "uniform",
  epsilon: 1,
  outer: 3,
  reach: 1,
  sensitive: new Set(),
  pairs: "",
  beside: new Set(),
  besideEpsilon: 1,
  given: null,
  ...given,
});

/** A background question with nothing in it yet. @param {Partial<Background>} [given] @returns {Background} */
export const newBackground = (given = {}) => ({ key: fresh(), text: "", name: "", help: "", answers: "", ...given });

/** A questionnaire of one question. @param {Partial<Model>} [given] @returns {Model} */
export const newModel = (given = {}) => ({
  questions: [newQuestion()],
  strategy: "each",
  whole: null,
  title: "",
  asker: "",
  introduction: "",
  consent: "",
  thanks: "",
  language: "en",
  background: [],
  translations: {},
  minimum: 100,
  changes: "refuse",
  access: "open",
  first: "",
  last: "",
  period: "",
  rest: {},
  ...given,
});

/** Words that say little of what a question is about. */
const SMALL = new Set("a an and any are at be been by did do does for from had has have how in is it last many much of often on or that the there this to was were what when where which who why will with would you your yourself".split(" "));

/** A short name made from a text: "How old are you?" is "old". @param {string} text @param {string} otherwise */
export function nameOf(text, otherwise) {
  const all = text.normalize("NFKD").replace(/[\u0300-\u036f]/g, "").toLowerCase().match(/[a-z0-9]+/g) ?? [];
  const telling = all.filter((word) => !SMALL.has(word));
  const some = (telling.length ? telling : all.slice(-1)).slice(0, 3).join("_").slice(0, 24).replace(/_+$/, "");
  return /^[a-z]/.test(some) && !["report", "question", "discreet", "day", "days"].includes(some) ? some : some ? `q_${some}`.slice(0, 24) : otherwise;
}

/** A name that none of the others has. @param {string} name @param {Set<string>} taken */
function unique(name, taken) {
  let one = name;
  for (let number = 2; taken.has(one); number++) one = `${name}_${number}`;
  taken.add(one);
  return one;
}

/** Fill in only what is there. @param {Record<string, any>} entries */
const filled = (entries) => Object.fromEntries(Object.entries(entries).filter(([, entry]) => entry && (typeof entry !== "object" || Object.keys(entry).length)));

/** The questions as they are asked, boxes one by one; an error, in words, names the question that is not ready. @param {Model} model @returns {Flat[]} */
export function flat(model) {
  const taken = new Set(model.questions.filter(({ kind, name }) => name && kind !== "box").map(({ name }) => name));
  const several = model.questions.length > 1;
  return model.questions.flatMap((question, i) => {
    try {
      if (question.name && model.questions.some((other, j) => j < i && other.kind !== "box" && question.kind !== "box" && other.name === question.name)) throw new Error(say("designing.nameTwice", { text: question.name }));
      return question.kind === "box" ? boxesOf(question, model, i, taken) : [single(question, model, i, taken)];
    } catch (problem) {
      const { message } = /** @type {Error} */ (problem);
      throw new Error(several ? say("designing.ofQuestion", { number: i + 1, problem: message }) : message);
    }
  });
}

/** @param {Question} question @param {Model} model @param {number} number @param {Set<string>} taken @returns {Flat} */
function single(question, model, number, taken) {
  const { key } = question;
  const name = question.name || unique(nameOf(question.text, `question_${number + 1}`), taken);
  const { values, counts, spec, outside } = specFor(question, model);
  const numbers = isAny(question) ? { step: String((question.to - question.from) / 32), ...spec.domain } : undefined;
  const kind = question.kind === "number" && question.width > 1 ? "scale" : question.kind;
  const words = { ...besideWords(question, model), ...(["choice", "scale"].includes(question.kind) ? wordsIn(question.words) : {}) };
  const texts = filled({ question: question.text.trim(), help: question.help.trim(), words, unit: ["number", "scale"].includes(question.kind) ? question.unit.trim() : "", kind: kind === "choice" ? "" : kind });
  return { name, spec, texts, values, counts, outside, numbers, number, ids: { question: `${key}/question`, help: `${key}/help`, unit: `${key}/unit`, words: `${key}/words/` } };
}

/** Words for the answers outside the scale, where the texts of the survey are in the language of this page, and that is not English. @param {Question} question @param {Model} model @returns {Record<string, string>} */
function besideWords({ beside, form }, model) {
  if (form === "given" || !beside.size) return {};
  const [own, page] = [model.language, language()].map((name) => name.split("-")[0].toLowerCase());
  if (own === "en" || own !== page) return {};
  return Object.fromEntries(BESIDE.filter((value) => beside.has(value) && hasSentence(`designing.beside.${value}`)).map((value) => [value, say(`designing.beside.${value}`)]));
}

/** @param {Question} question @param {Model} model @param {number} number @param {Set<string>} taken @returns {Flat[]} */
function boxesOf(question, model, number, taken) {
  const lines = linesOf(question.boxes);
  if (lines.length < 2) throw new Error(say("designing.twoBoxes"));
  if (!question.text.trim()) throw new Error(say("designing.heading"));
  const { key } = question;
  return lines.map((line) => {
    const { values, spec } = specFor(question, model);
    const texts = filled({ question: line, help: question.help.trim(), group: question.text.trim(), kind: "box" });
    const name = unique(nameOf(line, `box_${number + 1}`), taken);
    return { name, spec, texts, values, counts: null, outside: 0, number, ids: { question: `${key}/box/${line}`, help: `${key}/help`, group: `${key}/question`, words: "" } };
  });
}

/** The spec of one question, its values as text, and how many people give them, if that is known. @param {Question} question @param {Model} model */
function specFor(question, model) {
  if (question.form === "given") {
    const { values = [], ...spec } = question.given;
    return { values, counts: null, outside: spec.context?.outside?.length ?? 0, spec: model.whole === null ? spec : { domain: spec.domain } };
  }
  const numbers = [question.form === "nested" ? question.outer : 0, question.beside.size ? question.besideEpsilon : 0, model.whole ?? 0];
  if (!numbers.every(Number.isFinite)) throw new Error(say("notNumber"));
  const domain = domainOf(question);
  const asked = { ...question, epsilon: String(question.epsilon), outer: String(question.outer), besideEpsilon: String(question.besideEpsilon), beside: BESIDE.filter((value) => question.beside.has(value)) };
  const spec = specOf(domain, model.whole !== null && model.questions.length > 1 ? { ...asked, form: "uniform" } : asked);
  const values = [...domain.values.map(String), ...asked.beside];
  const counts = domain.counts && asked.beside.length === 0 && question.form !== "blocks" && question.form !== "nested" ? domain.counts : null;
  if (model.whole === null || model.questions.length < 2) return { values, counts, outside: asked.beside.length, spec };
  if (domain.numbers) return { values, counts, outside: asked.beside.length, spec: { domain: { ...domain.numbers, ...(asked.beside.length ? { outside: asked.beside } : {}) } } };
  return { values, counts, outside: asked.beside.length, spec: { domain: { values: [...domain.values, ...asked.beside] } } };
}

/** Whether any number between two bounds may be answered. @param {Question} question */
export const isAny = ({ kind, width, form }) => kind === "number" && width === 0 && form !== "given";

/** What may be answered. @param {Question} question @returns {import("./domain.js").Pasted} */
export function domainOf(question) {
  if (question.kind === "yes/no") return { values: ["yes", "no"], groups: null, counts: null };
  if (question.kind === "box") return { values: ["no", "yes"], groups: null, counts: null };
  if (isAny(question)) return numbersOf(question.from, question.to, question.clip);
  if (question.kind === "number") return bandsOf(question.from, question.to, question.width);
  return pasted(question.answers);
}

/** The forms of context that fit a kind of question. @param {Question} question */
export function formsFor({ kind, width, given }) {
  const own = { choice: ["uniform", "high_low", "blocks", "nested", "metric", "matrix"], scale: ["metric", "uniform", "high_low", "blocks", "nested", "matrix"], number: width > 1 ? ["metric", "uniform", "high_low"] : width ? ["metric", "uniform"] : ["uniform", "metric"] };
  return [...(given ? ["given"] : []), .../** @type {Record<string, string[]>} */ ((own)[/** @type {"choice"} */ (kind)] ?? ["uniform", "high_low"])];
}

/** What is asked of the collector about a design: a spec or a form, and how many people are known to give each answer. @param {Model} model */
export function draftOf(model) {
  const all = flat(model);
  const units = filled({ units: filled(Object.fromEntries(all.map(({ name, texts }) => [all.length === 1 ? "" : name, texts.unit]))) });
  if (all.length === 1) return { spec: all[0].spec, ...units, ...(all[0].counts ? { counts: all[0].counts } : {}) };
  const counts = Object.fromEntries(all.filter((one) => one.counts).map((one) => [one.name, one.counts]));
  return { spec: formOf(model, all), ...units, ...(Object.keys(counts).length ? { counts } : {}) };
}

/** @param {Model} model @param {Flat[]} all */
const formOf = (model, all) => ({ form: { strategy: model.strategy, ...(model.whole === null ? {} : { epsilon: String(model.whole) }) }, ...model.rest, questions: all.map(({ name, spec }) => ({ name, ...spec })) });

/** The whole questionnaire as its file says it, texts and specs side by side. @param {Model} model */
export function documentOf(model) {
  const all = flat(model);
  if (!Number.isFinite(model.minimum)) throw new Error(say("notNumber"));
  const general = filled({ title: model.title.trim(), ...Object.fromEntries(GENERAL.map((name) => [name, model[name].trim()])), language: model.language === "en" && !Object.keys(model.translations).length ? "" : model.language });
  const { labels, background, ids } = backgroundOf(model);
  const settings = { ...filled({ labels, background, period: model.period in labels ? model.period : "" }), ...daysOf(model), minimum: model.minimum, changes: model.changes, access: model.access };
  const others = filled(Object.fromEntries(Object.keys(model.translations).map((language) => [language, translationOf(model, language, all, ids)])));
  const translations = Object.keys(others).length ? { translations: others } : {};
  if (all.length === 1) return { ...general, ...all[0].texts, ...settings, ...all[0].spec, ...translations };
  const { form, questions: specs, ...rest } = formOf(model, all);
  return { ...general, ...settings, ...rest, form, questions: specs.map((spec, i) => ({ ...spec, ...all[i].texts })), ...translations };
}

/** What `POST /collections` takes. @param {Model} model */
export function declarationOf(model) {
  const missing = model.questions.findIndex(({ text }) => !text.trim());
  if (missing >= 0) throw new Error(model.questions.length > 1 ? say("designing.noText", { number: missing + 1 }) : say("designing.noQuestion"));
  if (!model.title.trim()) throw new Error(say("designing.noTitle"));
  const { domain, context, mechanism, law, form, questions, ...about } = /** @type {any} */ (documentOf(model));
  if (!form) return { ...about, spec: filled({ domain, context, mechanism, law }) };
  const all = flat(model);
  return { ...about, spec: formOf(model, all), questions: all.map(({ name, texts }) => ({ name, ...texts })) };
}

/** Public labels and how they are asked for. @param {Model} model */
function backgroundOf(model) {
  /** @type {Record<string, string[]>} */
  const labels = {};
  const taken = new Set(model.background.map(({ name }) => name).filter(Boolean));
  /** @type {Record<string, string>} */
  const ids = {};
  const background = model.background.map((one, i) => {
    const name = one.name || unique(nameOf(one.text, `background_${i + 1}`), taken);
    const rows = linesOf(one.answers).map((line) => line.split(/\s+=\s+/));
    if (!one.text.trim()) throw new Error(say("designing.backgroundNoText", { number: i + 1 }));
    if (rows.length < 2) throw new Error(say("designing.backgroundAnswers", { number: i + 1 }));
    labels[name] = rows.map(([text]) => text);
    ids[name] = one.key;
    return filled({ name, question: one.text.trim(), help: one.help.trim(), words: Object.fromEntries(rows.filter(([, words]) => words)) });
  });
  return { labels, background, ids };
}

/** @param {Model} model @param {string} language @param {Flat[]} all @param {Record<string, string>} backgrounds keys of background questions by name */
function translationOf(model, language, all, backgrounds) {
  const said = model.translations[language];
  const of = (/** @type {string} */ id) => (said[id] ?? "").trim();
  const words = (/** @type {string} */ prefix) => (prefix ? Object.fromEntries(Object.entries(said).filter(([id, text]) => id.startsWith(prefix) && text.trim()).map(([id, text]) => [id.slice(prefix.length), text.trim()])) : {});
  const question = (/** @type {Flat} */ { ids, values }) => {
    const own = Object.fromEntries(Object.entries(words(ids.words)).filter(([value]) => values.includes(value)));
    return filled({ ...Object.fromEntries(Object.entries(ids).filter(([name]) => name !== "words").map(([name, id]) => [name, of(id)])), words: own });
  };
  const general = filled({ title: of("title"), ...Object.fromEntries(GENERAL.map((name) => [name, of(name)])) });
  const background = filled(Object.fromEntries(Object.entries(backgrounds).map(([name, key]) => [name, filled({ question: of(`${key}/question`), help: of(`${key}/help`), words: words(`${key}/words/`) })])));
  const own = all.length === 1 ? question(all[0]) : filled({ questions: filled(Object.fromEntries(all.map((one) => [one.name, question(one)]))) });
  return { ...general, ...own, ...filled({ background }) };
}

/** When it opens and closes, by its first and last day in UTC. @param {{first: string, last: string}} days */
function daysOf({ first, last: final }) {
  const after = final && new Date(Date.parse(`${final}T00:00:00Z`) + 86400000).toISOString().slice(0, 10);
  if (first && final && first > final) throw new Error(say("designing.days"));
  return { ...(first ? { opens: `${first}T00:00:00Z` } : {}), ...(after ? { closes: `${after}T00:00:00Z` } : {}) };
}
