/** `node --test questionnaires.mjs`: several questions are one collection, with one check, one debit and one report. */

import assert from "node:assert/strict";
import { test } from "node:test";
import { checkForm, inLanguage, MemoryStore, Participant } from "../dist/node.min.js";
import { canonical } from "../src/plain.js";
import { collector, documentOfForm, formOf, hash, LAWS, ORIGIN } from "./collector.mjs";

const NAMES = ["first", "second"];

/** @param {{fetch: typeof fetch}} site @param {object} [more] */
const someone = (site, more = {}) =>
  new Participant({ cap: "4", store: new MemoryStore(), fetch: site.fetch, sleep: async () => {}, ...more });

/** @param {Promise<unknown>} promise @param {string} code */
const refused = (promise, code) => assert.rejects(promise, (/** @type {any} */ problem) => problem.name === "Refused" && problem.code === code);

/** The pages of a questionnaire at /c/. @param {{text: string, fingerprint: string}} form @param {object} [more] @param {string[]} [names] */
const pagesOf = ({ text, fingerprint }, more, names = NAMES) => ({
  "/c/": JSON.stringify(documentOfForm(fingerprint, names, more)),
  "/c/law": text,
});

/** @param {string} strategy @param {string[]} [laws] */
const siteOf = (strategy, laws = [LAWS.names, LAWS.wide], more = {}) => collector(pagesOf(formOf(laws, NAMES, strategy), more));

/** @param {Participant} one @param {string} [path] @returns {Promise<any>} */
const opened = (one, path = "/c/") => one.open(ORIGIN + path);

const EACH = { first: "é", second: 17 };

test("all questions are one debit, one report and one upload", async () => {
  const site = siteOf("each");
  const one = someone(site);
  const collection = await opened(one);
  assert.deepEqual(collection.asked, NAMES);
  assert.equal(collection.strategy, "each");
  assert.equal(collection.promise.epsilon, "7/12"); // 1/3 and 1/4
  const receipt = await collection.answer(EACH);
  assert.deepEqual([receipt.state, receipt.epsilon], ["accepted", "7/12"]);
  const { entries, spent } = await one.ledger.summary();
  assert.equal(spent, "7/12");
  assert.deepEqual(entries.map(({ kind }) => kind), ["cap", "terms", "terms", "parts", "debit", "report", "upload", "outcome"]);
  assert.deepEqual(entries[3], { kind: "parts", fingerprint: collection.form.fingerprint, parts: [hash(LAWS.names), hash(LAWS.wide)] });
  const sent = JSON.parse(receipt.sent);
  assert.deepEqual(Object.keys(sent), ["fingerprint", "reports", "version"]);
  assert.equal(sent.fingerprint, collection.form.fingerprint);
  assert.deepEqual(sent.reports, [entries[5].report]);
  assert.ok(sent.reports[0] < 2 ** collection.form.bits);
});

test("the same answers again cost and send nothing; changed ones are refused, or spend", async () => {
  for (const changes of ["refuse", "spend"]) {
    const site = siteOf("each", undefined, { changes });
    const one = someone(site, { cap: "7/6" });
    const collection = await opened(one);
    const first = await collection.answer(EACH);
    assert.deepEqual(await (await opened(one)).answer({ second: 17, first: "é" }), first);
    assert.equal(site.posts().length, 1);
    const other = collection.answer({ ...EACH, second: 18 });
    if (changes === "refuse") await refused(other, "answered");
    else assert.equal((await other).epsilon, "7/6");
    await refused(collection.answer({ ...EACH, second: 19 }), changes === "refuse" ? "answered" : "overspent");
  }
});

test("one question at random is the same whenever it is opened, and each is asked of some", async () => {
  const site = siteOf("one at random");
  const counts = new Map();
  for (let person = 0; person < 200; person += 1) {
    const store = new MemoryStore();
    const { asked, promise } = await opened(someone(site, { store }));
    assert.deepEqual((await opened(someone(site, { store }))).asked, asked);
    assert.equal(promise.epsilon, "1/3");
    counts.set(String(asked), (counts.get(String(asked)) ?? 0) + 1);
  }
  // false-alarm rate: 2 exp(-2 * 39^2 / 200) < 1e-6, by Hoeffding's inequality
  assert.ok([...counts.values()].every((count) => Math.abs(count - 100) < 39) && counts.size === 2, JSON.stringify([...counts]));
});

test("only the question that is asked is answered, and answers to others change nothing", async () => {
  const site = siteOf("one at random");
  const one = someone(site);
  const collection = await opened(one);
  const [asked] = collection.asked;
  const [other] = NAMES.filter((name) => name !== asked);
  await refused(collection.answer({ [other]: EACH[/** @type {"first"} */ (other)] }), "value");
  const first = await collection.answer(EACH);
  assert.equal(first.epsilon, "1/3");
  assert.deepEqual(await collection.answer({ [asked]: EACH[/** @type {"first"} */ (asked)] }), first);
  const { entries } = await one.ledger.summary();
  const { report } = /** @type {any} */ (entries.find(({ kind }) => kind === "report"));
  assert.equal(Math.floor(report / 2 ** Math.max(...collection.form.laws.map((/** @type {any} */ law) => law.bits))), NAMES.indexOf(asked));
});

test("what is no answer is refused without a debit, and not repeated", async () => {
  for (const strategy of ["each", "one at random"]) {
    const one = someone(siteOf(strategy));
    const collection = await opened(one);
    for (const wrong of [undefined, null, "é", [], {}, { ...EACH, third: 1 }, { first: "secret", second: "secret" }, { first: 17, second: "é" }, { __proto__: EACH }])
      await assert.rejects(collection.answer(wrong), (/** @type {any} */ problem) => problem.code === "value" && !problem.message.includes("secret"));
    assert.deepEqual((await one.ledger.summary()).entries.map(({ kind }) => kind), ["cap"]);
  }
});

test("questions may be called what objects have anyway", async () => {
  const names = ["__proto__", "constructor"];
  const form = formOf([LAWS.names, LAWS.wide], names, "each");
  const collection = await opened(someone(collector(pagesOf(form, {}, names))));
  await refused(collection.answer({ constructor: 17 }), "value"); // what every object has is no answer
  await refused(collection.answer({}), "value");
  assert.equal((await collection.answer(JSON.parse('{"__proto__": "é", "constructor": 17}'))).state, "accepted");
});

test("a questionnaire whose laws are not those of its document is refused", async () => {
  const { text, fingerprint } = formOf([LAWS.names, LAWS.wide], NAMES, "each");
  const leaky = LAWS.names.replace('"epsilon":"1/3"', '"epsilon":"1/4"');
  const changed = (/** @type {string} */ law, more = {}, names = NAMES) => collector({ ...pagesOf({ text: law, fingerprint }, more, names) });
  const honest = formOf([LAWS.names, LAWS.wide], NAMES, "each");
  assert.equal((await checkForm(honest.text)).fingerprint, fingerprint);
  const lie = formOf([leaky, LAWS.wide], NAMES, "each");
  /** @type {[site: any, code: string][]} */
  const cases = [
    [changed(text.replace('"each"', '"one at random"')), "fingerprint"],
    [changed(text.replace('["first","second"]', '["second","first"]')), "fingerprint"],
    [changed(formOf([LAWS.wide, LAWS.names], NAMES, "each").text), "fingerprint"],
    [changed(text, {}, ["second", "first"]), "document"],
    [changed(text, {}, ["first", "other"]), "document"],
    [changed(text, {}, ["first", "second", "third"]), "document"],
    [collector(pagesOf(lie)), "law"],
    [collector(pagesOf(formOf([LAWS.names], NAMES, "each"))), "law"],
    [collector(pagesOf(formOf([LAWS.names, LAWS.wide], NAMES, "together"))), "law"],
    [collector(pagesOf(formOf([LAWS.names], NAMES, "together"))), "law"],
    [collector(pagesOf(formOf([LAWS.names, LAWS.wide], NAMES, "every"))), "law"],
    [changed(text.replace(":", ": ")), "law"],
    [changed(`{"version":1,${text.slice(1, -'"version":1}'.length - 1)}}`), "law"],
    [changed(text.replace('"version":1}', '"version":1,"version":1}')), "law"],
    [changed(text.replace('"version":1}', '"version":1.0}')), "law"],
    [changed(LAWS.names), "law"],
    [changed("[]"), "law"],
    [changed("null"), "law"],
    [changed(`${"[".repeat(99999)}`), "law"],
  ];
  for (const [site, code] of cases) await refused(opened(someone(site)), code);
  // and the law of one question for a document with one is not one of several
  const single = { ...documentOfForm(hash(text), NAMES), question: "Which?", questions: undefined };
  await refused(opened(someone(collector({ "/c/": JSON.stringify(single), "/c/law": text }))), "law");
});

test("what all laws ask for is limited together", async () => {
  const rows = 150;
  const unit = (1n << 64n) / 100n;
  const row = [(1n << 64n) - 99n * unit, ...Array(99).fill(unit)].map((entry) => `"${entry}"`);
  const law = `{"context":{"epsilon":"1","form":"uniform"},"domain":{"size":${rows}},"law":{"kind":"table","rows":[${Array(rows).fill(`[${row}]`)}],"word_bits":64},"version":2}`;
  const names = (/** @type {number} */ count) => [...Array(count).keys()].map((i) => `q${i}`);
  const form = (/** @type {number} */ count) => formOf(Array(count).fill(law), names(count), "each").text;
  assert.equal((await checkForm(form(2))).laws.length, 2);
  await assert.rejects(checkForm(form(64)), /it takes too much work to check/);
});

test("a change of how a questionnaire describes itself is noticed before anything is spent", async () => {
  const pages = /** @type {any} */ (pagesOf(formOf([LAWS.names, LAWS.wide], NAMES, "each")));
  const one = someone(collector(pages));
  const collection = await opened(one);
  pages["/c/"] = pages["/c/"].replace("What about first?", "What about you?");
  await refused(collection.answer(EACH), "document");
  assert.deepEqual((await one.ledger.summary()).entries.length, 1);
});

test("words may not pass for other answers in any language", async () => {
  const texts = { questions: [{ name: "first", question: "A?", words: { é: "E" } }, { name: "second", question: "B?" }] };
  const others = { translations: { de: { questions: { first: { words: { "\uffee": "e" } } } } } };
  await opened(someone(siteOf("each", undefined, texts)));
  await refused(opened(someone(siteOf("each", undefined, { ...texts, ...others }))), "words");
});

test("texts are given in each language, and what a translation lacks is as in the main texts", async () => {
  const more = {
    asker: "The University",
    labels: { region: ["n", "s"] },
    background: [{ name: "region", question: "Where?", words: { n: "North" } }],
    questions: [{ name: "first", question: "A?", help: "Think.", words: { é: "E" } }, { name: "second", question: "B?", kind: "number", unit: "km" }],
    translations: { de: { title: "Umfrage", questions: { first: { question: "Ä?" } }, background: { region: { words: { n: "Norden" } } } } },
  };
  const { texts, questions, background } = await opened(someone(siteOf("each", undefined, more)));
  assert.deepEqual(texts.languages, ["en", "de"]);
  assert.deepEqual(background, [{ name: "region", question: "Where?", help: "", words: { n: "North" } }]);
  assert.deepEqual(questions.map((/** @type {any} */ { name, kind, unit, values }) => [name, kind, unit, values.length]), [["first", "", "", 4], ["second", "number", "km", 200]]);
  const german = inLanguage(texts, "de");
  assert.deepEqual([german.title, german.asker, german.language], ["Umfrage", "The University", "de"]);
  assert.deepEqual(german.questions.map(({ question, help }) => [question, help]), [["Ä?", "Think."], ["B?", ""]]);
  assert.deepEqual(german.background[0].words, { n: "Norden" });
  assert.throws(() => inLanguage(texts, "fr"), /language/);
});

test("another wording in any language is another question, whose answers are paid for", async () => {
  const form = formOf([LAWS.names, LAWS.wide], NAMES, "each");
  const at = (/** @type {string} */ path, more = {}) => ({ [path]: JSON.stringify(documentOfForm(form.fingerprint, NAMES, { law: "/c/law", ...more })) });
  const site = collector({ "/c/law": form.text, ...at("/a/"), ...at("/b/"), ...at("/d/", { translations: { de: { title: "Anders" } } }) });
  const one = someone(site);
  const sent = [];
  for (const path of ["/a/", "/b/", "/d/"]) sent.push(await (await opened(one, path)).answer(EACH));
  assert.deepEqual(sent.map(({ epsilon }) => epsilon), ["7/12", "0", "7/12"]);
  assert.equal(sent[0].sent, sent[1].sent);
});

test("budgets that are contexts count every part", async () => {
  const names = ["\uffee", "é", "\u{1f600}"];
  const budget = (/** @type {string} */ epsilon) => ({ context: { epsilon, form: "uniform" }, domain: { values: names } });
  const form = formOf([LAWS.names, LAWS.names], NAMES, "each");
  const again = formOf([LAWS.names, LAWS.wide], NAMES, "each");
  const site = collector({ ...pagesOf(form), "/d/": JSON.stringify(documentOfForm(again.fingerprint, NAMES)), "/d/law": again.text });
  const tight = someone(site, { budgets: [budget("0.5")] });
  await assert.rejects((await opened(tight)).answer({ first: "é", second: "é" }), /would spend 2\/3 on telling .* from .*, and the budget of 0.5 does not allow it/);
  const store = new MemoryStore();
  const one = someone(site, { store, budgets: [budget("1")] });
  await (await opened(one)).answer({ first: "é", second: "é" });
  assert.deepEqual((await one.ledger.summary()).budgets[0].tightest, { x: names[0], z: names[1], budget: "1", spent: "2/3" });
  await (await opened(one, "/d/")).answer(EACH);
  assert.equal((await one.ledger.summary()).budgets[0].tightest?.spent, "1");
  assert.deepEqual((await one.ledger.summary()).entries.map(({ kind }) => kind).filter((kind) => ["terms", "parts", "debit"].includes(kind)), ["terms", "parts", "debit", "terms", "parts", "debit"]);
  const late = someone(site, { store, cap: undefined, budgets: [budget("0.9")] });
  assert.equal((await late.ledger.summary()).budgets.at(-1)?.tightest?.spent, "1"); // what was spent stays spent
});

test("answers that another questionnaire has asked about are named by the place of the question", async () => {
  const [before, after] = [formOf([LAWS.response, LAWS.wide], NAMES, "each"), formOf([LAWS.blocks, LAWS.wide], NAMES, "each")];
  const site = collector({ ...pagesOf(before), "/d/": JSON.stringify(documentOfForm(after.fingerprint, NAMES)), "/d/law": after.text });
  const one = someone(site);
  assert.deepEqual((await opened(one, "/d/")).warnings, []);
  await (await opened(one)).answer({ first: "a", second: 1 });
  assert.deepEqual((await opened(one, "/d/")).warnings, [
    `3 of these 5 answers to question 1 were also answers to ${ORIGIN}/c/, which you answered before: if both ask the same of you, what they show adds up.`,
    `200 of these 200 answers to question 2 were also answers to ${ORIGIN}/c/, which you answered before: if both ask the same of you, what they show adds up.`,
  ]);
});

test("a report takes all its words, whatever the answers", async () => {
  const { answering } = await import("../src/form.js");
  const form = await checkForm(formOf([LAWS.names, LAWS.subset, LAWS.wide], ["a", "b", "c"], "each").text);
  const asked = form.names;
  const seen = new Set();
  for (const a of form.questions[0].values)
    for (const b of form.questions[1].values) {
      const law = answering(form, { a, b, c: 3 }, asked);
      const read = new Set();
      const words = new Proxy(new BigUint64Array(law.words), {
        get: (target, key) => {
          if (key === "subarray")
            return (/** @type {number} */ from, /** @type {number} */ to) => {
              for (let i = from; i < to; i += 1) read.add(i);
              return target.subarray(from, to);
            };
          return Reflect.get(target, key);
        },
      });
      law.draw(0, words);
      seen.add(`${law.words} ${read.size}`);
    }
  assert.equal(seen.size, 1);
  assert.equal([...seen][0], `${form.laws.reduce((sum, law) => sum + law.words, 0)} ${form.laws.reduce((sum, law) => sum + law.words, 0)}`);
});

test("two tabs that race for a questionnaire agree, and pay once", async () => {
  for (const strategy of ["each", "one at random"]) {
    const site = siteOf(strategy);
    const store = new MemoryStore();
    const shared = {
      read: async () => (await new Promise(setImmediate), store.read()),
      append: async (/** @type {number} */ n, /** @type {string} */ line) => (await new Promise(setImmediate), store.append(n, line)),
      key: async () => store.key(),
    };
    const tabs = [0, 1, 2].map(() => someone(site, { store: shared }));
    const given = await Promise.all(tabs.map(async (tab) => (await opened(tab)).answer(EACH)));
    assert.equal(new Set(given.map(({ sent }) => sent)).size, 1);
    const { entries } = await someone(site, { store, cap: undefined }).ledger.summary();
    for (const kind of ["debit", "report", "parts", "cap"]) assert.equal(entries.filter((entry) => entry.kind === kind).length, 1, kind);
  }
});

test("together is one law whose values are the answers to all questions", async () => {
  const values = ["a", "b"].flatMap((a) => [0, 1, 2].map((b) => ({ tuple: [a, b] })));
  const law = canonical({
    context: { epsilon: "1", form: "uniform" },
    domain: { values },
    law: { ...JSON.parse(LAWS.response).law, size: 6, high: "0", low: "0", spare: 0 },
    version: 2,
  });
  const [low, high] = (() => {
    const unit = (1n << 64n) / 8n;
    return [unit, (1n << 64n) - 5n * unit];
  })();
  const text = law.replace('"high":"0"', `"high":"${high}"`).replace('"low":"0"', `"low":"${low}"`);
  const form = formOf([text], NAMES, "together");
  const collection = await opened(someone(collector(pagesOf(form)))).catch((problem) => problem);
  assert.match(collection.message, /more than epsilon 1 allows/); // 3 to 1
  const weaker = formOf([text.replace('"epsilon":"1"', '"epsilon":"1.1"')], NAMES, "together");
  const one = someone(collector(pagesOf(weaker)));
  const found = await opened(one);
  assert.deepEqual(found.questions.map((/** @type {any} */ { values: own }) => own), [["a", "b"], [0, 1, 2]]);
  assert.equal((await found.answer({ first: "b", second: 1 })).state, "accepted");
  const { entries } = await one.ledger.summary();
  assert.ok(entries.some(({ kind, report }) => kind === "report" && report < 6));
  const shuffled = values.toReversed();
  const other = formOf([canonical({ ...JSON.parse(text.replace('"epsilon":"1"', '"epsilon":"1.1"')), domain: { values: [...shuffled.slice(1), shuffled[0]] } }).replace(/"(high|low)":(\d+)/g, '"$1":"$2"')], NAMES, "together");
  await refused(opened(someone(collector(pagesOf(other)))), "law");
});
