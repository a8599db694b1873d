/** A questionnaire file, or a spec, as a design that can go on being changed; what the page cannot say is kept as it is. */

import { bandsOf, exactly, isMore, numberSpec } from "./domain.js";
import { BESIDE, GENERAL, newBackground, newModel, newQuestion } from "./design-model.js";
import { say } from "./languages.js";

/** The most answers whose list can be edited here. */
const MOST = 5000;

/** @param {any} document of a file @returns {import("./design-model.js").Model} */
export function modelOf(document) {
  if (typeof document !== "object" || document === null || Array.isArray(document)) throw new Error(say("designing.fileNothing"));
  const entries = document.spec && typeof document.spec === "object" ? { ...document, ...withTexts(document) } : document;
  if (!entries.form && !entries.context) throw new Error(say("designing.fileNeither"));
  const listed = entries.form ? entries.questions ?? [] : [entries];
  const { questions, ids } = merged(listed, Boolean(entries.form));
  const translations = entries.translations ?? {};
  const background = backgroundOf(entries);
  return newModel({
    questions,
    strategy: entries.form?.strategy ?? "each",
    whole: entries.form?.epsilon === undefined ? null : numberOf(entries.form.epsilon),
    title: entries.title ?? "",
    ...Object.fromEntries(GENERAL.map((name) => [name, entries[name] ?? ""])),
    language: entries.language ?? "en",
    background: background.map(({ one }) => one),
    translations: Object.fromEntries(Object.entries(translations).map(([language, texts]) => [language, translated(texts, entries, ids, background)])),
    minimum: entries.minimum ?? 100,
    changes: entries.changes ?? "refuse",
    access: entries.access ?? "open",
    period: entries.period ?? "",
    first: dayOf(entries.opens, 0),
    last: dayOf(entries.closes, -1),
    rest: entries.form && entries.mechanism ? { mechanism: entries.mechanism } : {},
  });
}

/** The body of a declaration, with the texts of its questions beside their specs. @param {any} document */
function withTexts({ spec, questions }) {
  if (!spec.questions) return spec;
  return { ...spec, questions: spec.questions.map((/** @type {any} */ one, /** @type {number} */ i) => ({ ...one, ...questions?.[i] })) };
}

/** A number that may be a fraction. @param {unknown} text */
function numberOf(text) {
  const [top, bottom = 1] = String(text).split("/").map(Number);
  return Number((top / bottom).toPrecision(12));
}

/** @param {string | undefined} moment @param {number} days */
const dayOf = (moment, days) => (moment ? new Date(Date.parse(moment) + days * 86400000).toISOString().slice(0, 10) : "");

/** Questions, boxes of one heading as one, and where the translations of each entry belong. @param {any[]} entries @param {boolean} named */
function merged(entries, named) {
  /** @type {import("./design-model.js").Question[]} */
  const questions = [];
  /** @type {Map<string, Record<string, string>>} */
  const ids = new Map();
  let heading = "";
  let mark = "";
  for (const entry of entries) {
    const question = questionOf(entry, named);
    const own = entry.kind === "box" ? JSON.stringify([entry.context, entry.domain, entry.help, entry.mechanism]) : "";
    const before = questions[questions.length - 1];
    if (entry.kind === "box" && before?.kind === "box" && heading === entry.group && mark === own) before.boxes += `\n${entry.question}`;
    else questions.push(question);
    const { key } = questions[questions.length - 1];
    ids.set(named ? entry.name : "", entry.kind === "box" ? { question: `${key}/box/${entry.question}`, help: `${key}/help`, group: `${key}/question`, words: "" } : { question: `${key}/question`, help: `${key}/help`, unit: `${key}/unit`, words: `${key}/words/` });
    [heading, mark] = [entry.group ?? "", own];
  }
  if (!questions.length) throw new Error(say("designing.fileEmpty"));
  return { questions, ids };
}

/** @param {any} entry @param {boolean} named */
function questionOf(entry, named) {
  const { kind = "choice", domain, context, mechanism, law, words = {} } = entry;
  const outside = context?.form === "outside" && context.outside.every((/** @type {any} */ value) => BESIDE.includes(value)) ? context : null;
  const inner = outside ? outside.scale : (context ?? { form: "uniform", epsilon: "1" });
  const listed = valuesOf(domain, inner);
  const all = listed && outside ? listed.filter((value) => !outside.outside.includes(value)) : listed;
  const bands = !outside && kind === "scale" && inner.form === "metric" ? bandsIn(listed ?? [], inner) : null;
  const isPlain = !law && (!mechanism || (typeof mechanism === "object" && mechanism.name === "auto"));
  const given = { domain, context, mechanism, law, values: (listed ?? []).map(String) };
  const question = newQuestion({
    text: kind === "box" ? (entry.group ?? "") : (entry.question ?? (named ? entry.name : "")),
    name: named && kind !== "box" ? entry.name : "",
    help: entry.help ?? "",
    unit: entry.unit ?? "",
    kind,
    boxes: kind === "box" ? entry.question : "",
    words: Object.entries(words).map(([value, text]) => `${value} = ${text}`).join("\n"),
    beside: new Set(outside?.outside ?? []),
    besideEpsilon: outside ? numberOf(outside.epsilon) : 1,
  });
  const numbers = isPlain ? numbersIn(entry, inner, outside) : null;
  if (numbers) return Object.assign(question, { kind: "number", width: 0 }, numbers);
  if (bands && isPlain) return Object.assign(question, { kind: "number", form: "metric" }, bands);
  const read = isPlain && all && all.length <= MOST ? formOf(inner, all) : null;
  const fits = read && fitted(question, all ?? [], read, domain?.values);
  return fits ? Object.assign(question, read, fits) : Object.assign(question, { form: "given", beside: new Set(), given: Object.fromEntries(Object.entries(given).filter(([, one]) => one !== undefined)) });
}

/** Any numbers between two bounds, if the page would write the same of them; else null. @param {any} entry @param {any} inner the context of the scale @param {any} outside @returns {any} */
function numbersIn({ domain = {}, context }, inner, outside) {
  const { low, high, clip = false, outside: beside = [] } = domain;
  if (low === undefined || high === undefined || (context && inner.form !== "numbers") || (context && beside.length) || !beside.every((/** @type {any} */ value) => BESIDE.includes(value))) return null;
  const isNear = inner.distance === "line";
  const [top, bottom = "1"] = String(inner.epsilon).split("/");
  const [one, reach] = !isNear || bottom !== "1" ? [Number(top), Number(bottom)] : nearOne(Number(top));
  const numbers = { low: String(low), high: String(high), clip };
  const same = numberSpec(numbers, isNear ? "metric" : "uniform", String(one), reach, Boolean(outside));
  const plain = (/** @type {any} */ entries) => JSON.stringify(Object.entries(entries).map(([name, value]) => [name, String(value)]).sort());
  const own = { clip, ...domain };
  delete own.outside;
  const isSame = plain(same.domain) === plain(own) && (!context || plain(same.context) === plain(inner));
  return isSame ? { from: Number(low), to: Number(high), clip, form: isNear ? "metric" : "uniform", epsilon: one, reach, ...(beside.length ? { beside: new Set(beside) } : {}) } : null;
}

/** Bands of whole numbers of one width, whose points are where each begins; else null. @param {any[]} values @param {any} context */
function bandsIn(values, { points, distance, epsilon }) {
  const ends = values.map((value) => /^(-?[0-9]+)(?:–(-?[0-9]+))?$/.exec(String(value)));
  if (values.length < 2 || distance !== "line" || ends.some((found) => !found)) return null;
  const starts = ends.map((found) => Number(found?.[1]));
  const [from, to] = [starts[0], Number(ends[ends.length - 1]?.[2] ?? starts[starts.length - 1])];
  const width = starts[1] - from;
  if (width < 2 || points?.some((/** @type {any} */ point, /** @type {number} */ i) => Number(point) !== starts[i]) || points?.length !== starts.length) return null;
  const same = bandsOf(from, to, width).values;
  const [top, bottom = "1"] = String(epsilon).split("/");
  const [one, reach] = bottom === "1" ? nearOne(Number(top)) : [Number(top), Number(bottom)];
  return same.length === values.length && same.every((value, i) => value === values[i]) && exactly(one, reach) === String(epsilon) ? { from, to, width, epsilon: one, reach } : null;
}

/** How the answers are written on the page; null if its kind cannot say them. @param {any} question @param {any[]} all @param {any} read @param {any} listed */
function fitted({ kind }, all, read, listed) {
  const texts = all.map(String);
  const same = (/** @type {string[]} */ other) => texts.length === other.length && texts.every((text, i) => text === other[i]);
  if (kind === "yes/no") return same(["yes", "no"]) && ["uniform", "high_low"].includes(read.form) ? {} : null;
  if (kind === "box") return same(["no", "yes"]) && ["uniform", "high_low"].includes(read.form) ? {} : null;
  if (kind === "number") return typeof listed === "object" && !Array.isArray(listed) && (listed.step ?? 1) === 1 ? { from: listed.from, to: listed.to } : null;
  if (all.some((value) => typeof value !== "string") || texts.some(isMore)) return null;
  return { answers: (read.lines ?? texts).join("\n") };
}

/** What must be hidden, in the page's own terms; null for a form that it has no words for. @param {any} context @param {any[]} all @returns {any} */
function formOf(context, all) {
  const { form, epsilon, ...more } = context;
  if (form !== "metric" && String(epsilon ?? more.epsilons).includes("/")) return null;
  if (form === "uniform") return { form, epsilon: numberOf(epsilon) };
  if (form === "high_low") return { form, epsilon: numberOf(epsilon), sensitive: new Set(more.sensitive.map(String)) };
  if ((form === "blocks" || form === "nested") && more.blocks && !Array.isArray(more.blocks)) {
    if (Object.entries(more.blocks).some(([group, values]) => /** @type {any[]} */ (values).some((value) => !String(value).startsWith(`${group}: `)))) return null;
    const lines = Object.values(more.blocks).flat();
    if (form === "blocks") return { form, epsilon: numberOf(epsilon), lines };
    return more.epsilons?.length === 2 ? { form, epsilon: numberOf(more.epsilons[0]), outer: numberOf(more.epsilons[1]), lines } : null;
  }
  if (form === "metric" && more.distance === "line" && (!more.points || more.points.every((/** @type {any} */ point, /** @type {number} */ i) => Number(point) === i)) && (more.points || all.every(Number.isInteger))) {
    const [top, bottom = "1"] = String(epsilon).split("/");
    const [one, reach] = bottom === "1" ? nearOne(Number(top)) : [Number(top), Number(bottom)];
    return Number.isInteger(reach) && Math.abs(one * 100 - Math.round(one * 100)) < 1e-9 ? { form, epsilon: one, reach } : null;
  }
  return null;
}

/** An epsilon for each step as one of about 1 for so many steps, exactly. @param {number} epsilon */
function nearOne(epsilon) {
  const steps = [1, 2, 5, 10, 20, 50, 100].find((reach) => epsilon * reach >= 0.5) ?? 100;
  return [Number((epsilon * steps).toPrecision(12)), steps];
}

/** @param {any} domain @param {any} context @returns {any[] | null} */
function valuesOf(domain, context) {
  const values = domain?.values;
  if (Array.isArray(values)) return values;
  if (values && Number.isInteger(values.from) && values.to - values.from < MOST) return Array.from({ length: Math.floor((values.to - values.from) / (values.step ?? 1)) + 1 }, (_, i) => values.from + i * (values.step ?? 1));
  if (Number.isInteger(domain?.size) && domain.size <= MOST) return Array.from({ length: domain.size }, (_, i) => i);
  if (!domain && context.blocks && !Array.isArray(context.blocks)) return Object.values(context.blocks).flat();
  return null;
}

/** @param {any} entries */
function backgroundOf({ labels = {}, background = [] }) {
  const asked = new Map(background.map((/** @type {any} */ one) => [one.name, one]));
  const names = [...asked.keys(), ...Object.keys(labels).filter((name) => !asked.has(name))];
  return names.map((name) => {
    const { question = name, help = "", words = {} } = asked.get(name) ?? {};
    const answers = (labels[name] ?? []).map((/** @type {string} */ text) => (words[text] ? `${text} = ${words[text]}` : text)).join("\n");
    return { name, one: newBackground({ name, text: question, help, answers }) };
  });
}

/** The texts of another language by where they belong. @param {any} texts @param {any} entries @param {Map<string, Record<string, string>>} ids @param {{name: string, one: {key: string}}[]} background */
function translated(texts, entries, ids, background) {
  /** @type {Record<string, string>} */
  const said = {};
  for (const name of ["title", ...GENERAL]) if (texts[name]) said[name] = texts[name];
  const put = (/** @type {any} */ one, /** @type {Record<string, string>} */ where) => {
    for (const [name, id] of Object.entries(where)) if (name !== "words" && one?.[name]) said[id] = one[name];
    for (const [value, text] of Object.entries(one?.words ?? {})) if (where.words) said[where.words + value] = /** @type {string} */ (text);
  };
  for (const [name, where] of ids) put(entries.form ? texts.questions?.[name] : texts, where);
  for (const { name, one } of background) put(texts.background?.[name], { question: `${one.key}/question`, help: `${one.key}/help`, words: `${one.key}/words/` });
  return said;
}
