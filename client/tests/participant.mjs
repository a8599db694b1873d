/** `node --test participant.mjs`: the participant's side, with collectors that lie, disks that fail and tabs that race. */

import assert from "node:assert/strict";
import { execFile, fork } from "node:child_process";
import { createHmac } from "node:crypto";
import { cpSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, utimesSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import { syncBuiltinESMExports } from "node:module";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, test } from "node:test";
import { fileURLToPath, pathToFileURL } from "node:url";
import { promisify } from "node:util";
import { FileStore, MemoryStore, Participant, Refused } from "../dist/node.min.js";
import { canonical, readPlain } from "../src/plain.js";
import { addressOf } from "../src/requests.js";
import { collector, documentOf, hash, LAWS, ORIGIN, pagesOf, seeded } from "./collector.mjs";
import { EACH, history, ONE } from "./histories.mjs";

const HISTORIES = Number(process.env.HISTORIES ?? 1000);
const SOURCES = fileURLToPath(new URL("../src", import.meta.url));
const folder = mkdtempSync(join(tmpdir(), "participant-"));
after(() => rmSync(folder, { recursive: true }));

/** A participant with a ledger in memory, who never waits. @param {{fetch: typeof fetch}} site @param {object} [more] */
const someone = (site, more = {}) =>
  new Participant({ cap: "4", store: new MemoryStore(), fetch: site.fetch, sleep: async () => {}, ...more });

/** @param {Promise<unknown>} promise @param {string} code */
const refused = (promise, code) => assert.rejects(promise, (/** @type {any} */ problem) => problem.name === "Refused" && problem.code === code);

// -- the ledger ---------------------------------------------------------------------------------

/** @param {number} count @param {import("./histories.mjs").World} [world] */
async function noFaults(count, world) {
  const all = { answers: 0, crashes: 0, reloads: 0, refused: 0, posts: 0 };
  for (let seed = 0; seed < count; seed += 1) {
    const { wrong, counts } = await history(seed, { Participant }, [], world);
    assert.deepEqual(wrong, [], `history ${seed}`);
    for (const key of /** @type {(keyof typeof all)[]} */ (Object.keys(all))) all[key] += counts[key];
  }
  console.log(`${count} histories: ${JSON.stringify(all)}`);
  assert.ok(all.reloads >= count && all.crashes > count && all.refused > count / 10 && all.answers > count);
}

test("no history with crashes overspends or tells a second report", () => noFaults(HISTORIES));

test("no history of questionnaires with crashes overspends or tells a second report", async () => {
  for (const world of [EACH, ONE]) await noFaults(HISTORIES / 2, world);
});

/** What goes wrong in histories with a client that has a fault. @param {any} client @param {string[]} [lazy] @param {import("./histories.mjs").World} [world] */
async function faults(client, lazy, world) {
  const found = new Map();
  for (let seed = 0; seed < 150; seed += 1)
    for (const wrong of (await history(seed, client, lazy, world)).wrong) found.set(wrong, (found.get(wrong) ?? 0) + 1);
  console.log(JSON.stringify(Object.fromEntries(found)));
  return found;
}

/** The client with one line of one module replaced. @param {string} name @param {string} module @param {string} old @param {string} planted */
async function plant(name, module, old, planted) {
  const place = join(folder, name);
  cpSync(SOURCES, place, { recursive: true });
  writeFileSync(join(place, "package.json"), '{"type": "module"}');
  const text = readFileSync(join(place, module), "utf8");
  assert.equal(text.split(old).length, 2, "the line to replace is there once");
  writeFileSync(join(place, module), text.replace(old, () => planted));
  return import(pathToFileURL(join(place, "participant.js")).href);
}

test("a release before storing is caught", async () => {
  const found = await faults({ Participant }, ["report", "upload"]);
  assert.ok(found.get("released before it was stored") > 100);
  assert.ok(found.get("a second report for one value") > 0);
});

test("a draw before the debit is caught", async () => {
  const line = "  const cost = exactNumber(epsilon);\n";
  const client = await plant("draw", "ledger.js", line, `  reportOf(order);\n${line}`);
  assert.ok(/** @type {number} */ ((await faults(client)).get("drawn before it was paid for")) > 100);
});

test("a second report to the same question elsewhere is caught", async () => {
  const client = await plant("elsewhere", "ledger.js", "if (elsewhere) return", "if (false) return");
  assert.ok(/** @type {number} */ ((await faults(client)).get("a second report for one value")) > 10);
});

test("one report for two questions under one law is caught", async () => {
  const client = await plant("shared", "participant.js", "sha256(canonical(wordingOf(texts)))", 'sha256("")');
  assert.ok(/** @type {number} */ ((await faults(client)).get("one report for two questions")) > 30);
});

test("what goes wrong with questionnaires is caught", async () => {
  const lost = await faults({ Participant }, ["report", "upload"], EACH);
  assert.ok(lost.get("released before it was stored") > 100);
  assert.ok(lost.get("a second report for one value") > 0);
  const line = "  const cost = exactNumber(epsilon);\n";
  const drawing = await plant("draw for all", "ledger.js", line, `  reportOf(order);\n${line}`);
  assert.ok(/** @type {number} */ ((await faults(drawing, [], EACH)).get("drawn before it was paid for")) > 100);
  const cheap = await plant("cheap", "form.js", "(atMost(a, b) ? b : a) : plus", "(atMost(a, b) ? b : a) : (a, b) => (atMost(a, b) ? b : a)");
  assert.ok(/** @type {number} */ ((await faults(cheap, [], EACH)).get("debited more than the cap")) > 10);
});

test("an upload that is sent and not stored is caught", async () => {
  const client = await plant("upload", "ledger.js", "account.uploads.has(next.upload)", 'next.kind === "upload"');
  assert.ok(/** @type {number} */ ((await faults(client)).get("sent before the upload was stored")) > 100);
});

test("budgets are exact, per collection and in all, and a cap is never raised", async () => {
  const pages = Object.fromEntries(
    Array.from("abcdefghijk", (name) => [
      [`/${name}`, JSON.stringify(documentOf(LAWS.names, { law: "/law" }))],
      ["/law", LAWS.names],
    ]).flat(),
  );
  const site = collector(pages);
  const store = new MemoryStore();
  const one = someone(site, { store, cap: "2/3" });
  const answers = ["é", "\uffee", "é", "\uffee", "é"]; // one law and one value have one report
  for (const [i, name] of [..."abcde"].entries()) assert.equal((await (await one.open(`${ORIGIN}/${name}`)).answer(answers[i])).state, "accepted");
  const { cap, spent, left, collections, queued } = await one.ledger.summary();
  assert.deepEqual([cap, spent, left, queued], ["2/3", "2/3", "0", []]);
  assert.deepEqual(collections[1], { collection: `${ORIGIN}/b`, fingerprint: hash(LAWS.names), epsilon: "1/3", reports: 1, shows: false });
  assert.deepEqual(collections[3], { collection: `${ORIGIN}/d`, fingerprint: hash(LAWS.names), epsilon: "0", reports: 1, shows: false });
  const posts = site.posts().length;
  await refused((await one.open(`${ORIGIN}/k`)).answer("\u{1f600}"), "overspent");
  assert.equal(site.posts().length, posts);

  await refused(someone(site, { store, cap: 4 }).ledger.summary(), "cap");
  assert.equal((await someone(site, { store, cap: "1/2" }).ledger.summary()).left, "0");
  assert.equal((await someone(site, { store, cap: undefined }).ledger.summary()).cap, "0.5");
  await refused(someone(site, { cap: undefined }).ledger.summary(), "cap");
  for (const wrong of ["inf", "", "-1", "1/0", "x", NaN]) assert.throws(() => someone(site, { cap: wrong }), Refused);
  const text = await one.ledger.export();
  assert.ok(text.endsWith("\n") && !text.split("\n").some((line) => line.includes("é") && !line.includes('"kind":"terms"')));
});

test("one question and one value have one report at every address, and a changed one is refused or spends", async () => {
  const names = [..."abcdefgh"];
  const document = (/** @type {string} */ name) => JSON.stringify(documentOf(LAWS.wide, { law: "/law", changes: name === "h" ? "spend" : "refuse" }));
  const site = collector({ ...Object.fromEntries(names.map((name) => [`/${name}`, document(name)])), "/law": LAWS.wide });
  const store = new MemoryStore();
  const sent = [];
  for (const name of names) sent.push(await (await someone(site, { store, cap: "1" }).open(`${ORIGIN}/${name}`)).answer(17));
  assert.equal(new Set(sent.map(({ sent: body }) => body)).size, 1);
  assert.equal(new Set(sent.map(({ upload }) => upload)).size, 8);
  assert.deepEqual(sent.map(({ epsilon }) => epsilon), ["0.25", ...Array(7).fill("0")]);
  const one = someone(site, { store, cap: undefined });
  await refused((await one.open(`${ORIGIN}/b`)).answer(18), "answered");
  assert.equal((await one.ledger.summary()).spent, "0.25");
  assert.equal((await (await one.open(`${ORIGIN}/h`)).answer(18)).epsilon, "0.25");
  const { spent, entries } = await one.ledger.summary();
  assert.equal(spent, "0.5");
  const reports = entries.filter(({ kind }) => kind === "report");
  assert.deepEqual(reports.map(({ source }) => source), [undefined, ...Array(7).fill(`${ORIGIN}/a`), undefined]);
  assert.deepEqual(new Set(reports.map(({ wording }) => wording)), new Set([hash('["A survey","Which of these?",{}]')]));
});

test("a collection must keep the question that was answered", async () => {
  const pages = pagesOf(LAWS.wide);
  const store = new MemoryStore();
  const first = await (await someone(collector(pages), { store, cap: "1" }).open(`${ORIGIN}/c/`)).answer(17);
  for (const other of [{ question: "Which?" }, { words: { 17: "seventeen" } }, { title: "Another" }]) {
    const site = collector({ ...pages, "/c/": JSON.stringify(documentOf(LAWS.wide, { law: "/c/law", ...other })) });
    await refused((await someone(site, { store, cap: undefined }).open(`${ORIGIN}/c/`)).answer(17), "wording");
  }
  const again = someone(collector(pages), { store, cap: undefined });
  assert.equal((await (await again.open(`${ORIGIN}/c/`)).answer(17)).upload, first.upload);
  assert.equal((await again.ledger.summary()).spent, "0.25");
});

/**
 * How many of 600 people, of whom all answer two questions under one law with the same value, send two different reports, and what they have spent.
 * @param {{Participant: any}} client
 */
async function differing(client) {
  const document = (/** @type {object} */ more) => JSON.stringify(documentOf(LAWS.response, { law: "/c/law", ...more }));
  const site = collector({ ...pagesOf(LAWS.response), "/d/": document({ question: "Which of these? " }), "/e/": document({ words: { a: "A" } }) });
  const spent = new Set();
  let count = 0;
  for (let person = 0; person < 600; person += 1) {
    const one = new client.Participant({ cap: "4", store: new MemoryStore(), fetch: site.fetch });
    const sent = [];
    for (const name of ["c", person % 2 ? "d" : "e"]) sent.push((await (await one.open(`${ORIGIN}/${name}/`)).answer("a")).sent);
    count += Number(sent[0] !== sent[1]);
    spent.add((await one.ledger.summary()).spent);
  }
  return { count, spent: [...spent] };
}

test("reports to two questions under one law are independent, and both are paid for", async () => {
  const { high, low } = JSON.parse(LAWS.response.replace(/"(high|low)":"(\d+)"/g, '"$1":$2')).law;
  const [own, other] = [high / 2 ** 64, low / 2 ** 64];
  const mean = 600 * (1 - own ** 2 - 2 * other ** 2);
  const chance = seeded(5);
  const random = crypto.getRandomValues;
  crypto.getRandomValues = (/** @type {any} */ array) => {
    const bytes = new Uint8Array(array.buffer, array.byteOffset, array.byteLength);
    bytes.forEach((_, i) => (bytes[i] = chance.below(256)));
    return array;
  };
  try {
    const { count, spent } = await differing({ Participant });
    // false-alarm rate: at most 2 exp(-2 * 66^2 / 600) < 1e-6, by Hoeffding's inequality
    assert.ok(Math.abs(count - mean) < 66, `${count} of 600 pairs differ, and ${mean} would`);
    assert.deepEqual(spent, ["2"]);
    const shared = await differing(await plant("by law", "participant.js", "sha256(canonical(wordingOf(texts)))", 'sha256("")'));
    assert.deepEqual(shared, { count: 0, spent: ["1"] }); // the control
  } finally {
    crypto.getRandomValues = random;
  }
});

test("a ledger without wordings is read, and shares none of its reports", async () => {
  const site = collector({ ...pagesOf(LAWS.wide), "/d/": JSON.stringify(documentOf(LAWS.wide, { law: "/c/law" })) });
  const made = new MemoryStore();
  const first = await (await someone(site, { store: made }).open(`${ORIGIN}/c/`)).answer(17);
  const { Journal } = await import("../src/journal.js");
  const old = new MemoryStore({ key: made.bytes });
  for (const entry of (await someone(site, { store: made, cap: undefined }).ledger.summary()).entries.filter(({ kind }) => kind !== "terms")) {
    const journal = new Journal(old);
    await journal.read();
    const { wording, ...without } = entry;
    assert.equal(wording !== undefined, entry.kind === "report");
    await journal.append(without);
  }
  const one = someone(site, { store: old, cap: undefined });
  assert.equal((await (await one.open(`${ORIGIN}/c/`)).answer(17)).upload, first.upload);
  assert.equal((await (await one.open(`${ORIGIN}/d/`)).answer(17)).epsilon, "0.25");
  const { spent, entries } = await one.ledger.summary();
  assert.equal(spent, "0.5");
  assert.ok(entries.every(({ source }) => source === undefined));
});

test("answers that were asked about before are named, under another law or in other words", async () => {
  const reworded = JSON.stringify(documentOf(LAWS.response, { law: "/c/law", question: "Which of these is yours, really?" }));
  const site = collector({ ...pagesOf(LAWS.response), "/d/": JSON.stringify(documentOf(LAWS.blocks)), "/d/law": LAWS.blocks, "/e/": reworded });
  const one = someone(site);
  assert.deepEqual((await one.open(`${ORIGIN}/d/`)).warnings, []);
  const first = await one.open(`${ORIGIN}/c/`);
  await first.answer("a");
  const { warnings, values } = await one.open(`${ORIGIN}/d/`);
  const shared = values.filter((value) => first.values.includes(value)).length;
  assert.ok(shared);
  assert.deepEqual(warnings, [
    `${shared} of these 5 answers were also answers to ${ORIGIN}/c/, which you answered before: if both ask the same of you, what they show adds up.`,
  ]);
  assert.equal((await one.open(`${ORIGIN}/e/`)).warnings.length, 1);
  assert.deepEqual((await one.open(`${ORIGIN}/c/`)).warnings, []);
});

test("budgets that are contexts count pair by pair, are lowered and never raised", async () => {
  const site = collector({ ...pagesOf(LAWS.names), "/d/": JSON.stringify(documentOf(LAWS.names, { law: "/c/law" })) });
  const names = ["\uffee", "é", "\u{1f600}"];
  const budget = (/** @type {string} */ epsilon, values = names) => ({ context: { epsilon, form: "uniform" }, domain: { values } });
  const store = new MemoryStore();
  const one = someone(site, { store, budgets: [budget("0.5"), budget("1", ["x", "y"])] });
  await (await one.open(`${ORIGIN}/c/`)).answer("é");
  const before = await store.read();
  const problem = await (await one.open(`${ORIGIN}/d/`)).answer("\uffee").catch((found) => found);
  assert.equal(problem.code, "overspent");
  assert.match(problem.message, /would spend 1\/3 on telling "\uffee" from "é", and the budget of 0.5 does not allow it/);
  assert.equal(await store.read(), before);
  assert.equal((await (await one.open(`${ORIGIN}/d/`)).answer("é")).state, "accepted"); // the stored report
  const { budgets, entries } = await one.ledger.summary();
  assert.deepEqual(entries.slice(0, 5).map(({ kind }) => kind), ["cap", "budget", "budget", "terms", "debit"]);
  assert.deepEqual(budgets[0], { ...budget("0.5"), tightest: { x: "\uffee", z: "é", budget: "0.5", spent: "1/3" } });
  assert.deepEqual(budgets[1].tightest, { x: "x", z: "y", budget: "1", spent: "0" });
  await someone(site, { store, budgets: [budget("0.5", names.toReversed())] }).ledger.summary(); // the same, in another order
  assert.equal((await one.ledger.summary()).budgets.length, 2);
  await refused(someone(site, { store, budgets: [budget("0.6")] }).ledger.summary(), "budget");
  await someone(site, { store, budgets: [budget("0.4")] }).ledger.summary();
  assert.equal((await one.ledger.summary()).budgets.at(-1)?.tightest?.budget, "0.4");
  for (const wrong of [budget("x"), budget("1", ["x", "x"]), { context: {}, domain: {} }, budget("1", Array.from({ length: 257 }, (_, i) => `${i}`))])
    await refused(someone(site, { budgets: [wrong] }).ledger.summary(), "budget");
  const open = { context: { epsilons: ["inf", "inf", "2"], form: "graded" }, domain: { values: names } };
  const shown = someone(collector(pagesOf(LAWS.blocks)), { budgets: [budget("5", ["a", "b", "c", "d", "e"])] });
  await assert.rejects((await shown.open(`${ORIGIN}/c/`)).answer("a"), /may tell ".*" from ".*" for certain, where the budget allows 5 only/);
  const wide = someone(site, { budgets: [open] });
  for (const [name, value] of [["c", "é"], ["d", "\uffee"]]) await (await wide.open(`${ORIGIN}/${name}/`)).answer(value);
  assert.deepEqual((await wide.ledger.summary()).budgets[0].tightest, { x: names[2], z: names[0], budget: "2", spent: "2/3" });
});

test("one value has one report, and a changed one is refused or spends", async () => {
  for (const changes of ["refuse", "spend"]) {
    const site = collector(pagesOf(LAWS.wide, { changes }));
    const one = someone(site, { cap: "0.5" });
    const collection = await one.open(`${ORIGIN}/c/`);
    const first = await collection.answer(17);
    assert.deepEqual(await collection.answer(17), first);
    assert.equal(site.posts().length, 1); // accepted, and not sent again
    if (changes === "refuse") await refused(collection.answer(18), "answered");
    else {
      assert.equal((await collection.answer(18)).state, "accepted");
      await refused(collection.answer(19), "overspent");
      assert.equal((await collection.answer(17)).upload, first.upload);
    }
    assert.equal((await one.ledger.summary()).spent, changes === "refuse" ? "0.25" : "0.5");
  }
});

test("one value has one report over 10^4 reloads", async () => {
  const site = collector(pagesOf(LAWS.wide));
  const law = await someone(site).open(`${ORIGIN}/c/`);
  const store = new MemoryStore();
  const { Ledger } = await import("../src/ledger.js");
  const seen = new Set();
  for (let reload = 0; reload < 10_000; reload += 1) {
    const order = { name: law.name, law: law.law, x: 5, labels: {}, changes: "spend", url: `${law.name}reports` };
    seen.add((await new Ledger(store, "1").submit(order)).body);
  }
  assert.equal(seen.size, 1);
});

test("two tabs that race write each line once, and agree", async () => {
  const chance = seeded(5);
  const pages = { ...pagesOf(LAWS.wide, { changes: "spend" }), "/d/": JSON.stringify(documentOf(LAWS.wide, { law: "/c/law" })) };
  for (let race = 0; race < 300; race += 1) {
    const site = collector(pages);
    const store = new MemoryStore();
    const slow = async () => {
      for (let ticks = chance.below(4); ticks; ticks -= 1) await new Promise(setImmediate);
    };
    const shared = {
      read: async () => (await slow(), store.read()),
      append: async (/** @type {number} */ n, /** @type {string} */ line) => {
        await slow();
        const done = await store.append(n, line);
        await slow();
        return done;
      },
      key: async () => (await slow(), store.key()),
    };
    const tabs = [0, 1, 2].map(() => someone(site, { store: shared, cap: "0.5" }));
    const given = await Promise.all(
      tabs.flatMap((tab) => [
        tab.open(`${ORIGIN}/c/`).then((found) => found.answer(3)),
        tab.open(`${ORIGIN}/d/`).then((found) => found.answer(chance.below(2))).catch((problem) => problem.code),
      ]),
    );
    assert.equal(new Set(given.filter((_, i) => i % 2 === 0).map((receipt) => receipt.sent)).size, 1);
    const { spent, entries, collections } = await someone(site, { store, cap: undefined }).ledger.summary();
    assert.equal(spent, "0.5");
    assert.deepEqual(collections.map(({ reports }) => reports), [1, 1]);
    assert.equal(entries.filter(({ kind }) => kind === "cap").length, 1);
    const bodies = new Map();
    for (const { init } of site.posts()) {
      const number = init.headers["idempotency-key"];
      assert.equal(bodies.get(number) ?? init.body, init.body);
      bodies.set(number, init.body);
    }
    assert.equal(bodies.size, 2);
  }
});

test("torn last lines are cut off, and any other change is noticed", async () => {
  const site = collector(pagesOf(LAWS.names, { words: { "é": "E" } }));
  const store = new MemoryStore();
  await (await someone(site, { store }).open(`${ORIGIN}/c/`)).answer("\u{1f600}");
  const path = join(folder, "flipped.jsonl");
  const text = /** @type {string} */ (await store.read());
  const bytes = Buffer.from(text);
  /** @param {Buffer | string} content */
  const read = (content) => {
    writeFileSync(path, content);
    return new Participant({ store: new FileStore(path) }).ledger.summary();
  };
  const { entries } = await read(text);
  assert.deepEqual(entries.map(({ kind }) => kind), ["cap", "terms", "debit", "report", "upload", "outcome"]);
  const last = bytes.lastIndexOf(10, bytes.length - 2) + 1;
  for (const cut of [last, last + 1, last + 40, bytes.length - 1]) assert.equal((await read(bytes.subarray(0, cut))).entries.length, 5);
  await refused(read(""), "damaged");
  await refused(read(bytes.subarray(0, 20)), "damaged");
  await refused(read(text.split("\n").toSpliced(1, 1).join("\n")), "damaged");
  await refused(read(`${text}\n`), "damaged");
  await refused(read(text.replace("\n", "\r\n")), "damaged");
  const chance = seeded(11);
  let noticed = 0;
  for (let flip = 0; flip < 1000; flip += 1) {
    const changed = Buffer.from(bytes);
    changed[chance.below(changed.length)] ^= 1 << chance.below(8);
    noticed += Number(await read(changed).then(() => false, (problem) => problem.code === "damaged"));
  }
  assert.equal(noticed, 1000);
  rmSync(path);
});

test("a chain that fits does not make an entry that cannot follow", async () => {
  const { Journal } = await import("../src/journal.js");
  const cap = { kind: "cap", version: 1, epsilon: "1" };
  const debit = { kind: "debit", collection: "u", fingerprint: "0".repeat(64), epsilon: "1", shows: false };
  const report = { kind: "report", collection: "u", tag: "1".repeat(64), report: 3, labels: {} };
  const upload = { kind: "upload", upload: "2".repeat(32), collection: "u", url: "v", body: '{"reports":[3]}' };
  const outcome = { kind: "outcome", upload: upload.upload, state: "accepted", status: 200 };
  const good = [cap, debit, report, upload, outcome];
  /** @param {any[]} entries */
  const write = async (entries) => {
    const store = new MemoryStore();
    for (const entry of entries) {
      const journal = new Journal(store);
      await journal.read();
      await journal.append(entry);
    }
    return new Journal(store).read();
  };
  assert.equal((await write(good)).entries.length, 5);
  const worded = { ...report, wording: "a".repeat(64) };
  const copied = { ...worded, collection: "w", source: "u" };
  assert.equal((await write([cap, debit, worded, copied])).entries.length, 4);
  const bad = [
    [debit],
    [{ ...cap, version: 2 }],
    [{ ...cap, epsilon: "1.0" }],
    [{ ...cap, more: 1 }],
    [cap, { ...cap, epsilon: "1.5" }],
    [cap, report],
    [cap, debit, report, report],
    [cap, debit, { ...debit, fingerprint: "1".repeat(64) }],
    [cap, { ...debit, epsilon: "-1" }],
    [cap, { ...debit, shows: 1 }],
    [cap, debit, { ...report, tag: "1" }],
    [cap, debit, { ...report, report: 0.5 }],
    [cap, debit, { ...report, labels: { a: 1 } }],
    [...good, upload],
    [cap, debit, report, { ...upload, body: '{"reports":[3],"reports":[4]}' }],
    [cap, outcome],
    [cap, { ...worded, source: "u" }],
    [cap, debit, worded, { ...copied, report: 4 }],
    [cap, debit, worded, { ...debit, collection: "w", fingerprint: "1".repeat(64) }, copied],
    [cap, debit, worded, { ...copied, source: 3 }],
    [cap, debit, worded, { ...copied, wording: "b".repeat(64) }],
    [cap, debit, worded, { ...report, collection: "w", source: "u" }],
    [cap, debit, report, { ...report, collection: "w", source: "u" }],
    [cap, debit, report, copied],
    [cap, debit, { ...report, wording: "a" }],
    [cap, { kind: "terms", fingerprint: "1", context: {}, domain: {} }],
    [cap, { kind: 3 }],
    [cap, {}],
  ];
  for (const entries of bad) await refused(write(entries), "damaged");
  // what this client does not keep to is no damage, and stops it all the same
  const budget = { kind: "budget", context: { form: "of another client", epsilon: "1" }, domain: { size: 2 } };
  for (const entry of [budget, { kind: "other" }, { kind: "__proto__" }]) await refused(write([cap, entry]), "kind");
});

test("canonical JSON is what Python writes", () => {
  const data = { "10": 1, "9": [true, null, "\u007f\u2028\u0001\b\"\\/é"], "\u{1f600}": 1, "\uffee": {}, "": -5, ab: 1, a: 2 };
  const text = '{"":-5,"10":1,"9":[true,null,"\u007f\u2028\\u0001\\b\\"\\\\/é"],"a":2,"ab":1,"\uffee":{},"\u{1f600}":1}';
  assert.equal(canonical(data), text);
  assert.deepEqual(readPlain(text), data);
  assert.equal(readPlain('{"a":1,"\\u0061":2}'), undefined);
  assert.equal(readPlain('{"a":{"b":1,"b":2}}'), undefined);
  assert.equal(readPlain('[{"a":1},{"a":"\\"a\\":"}]').length, 2);
  assert.equal(readPlain("[".repeat(60000) + "]".repeat(60000)), undefined);
});

test("tags stand for values, and values are nowhere", async () => {
  const site = collector(pagesOf(LAWS.pairs));
  const key = new Uint8Array(32).fill(9);
  const store = new MemoryStore({ key });
  const one = someone(site, { store });
  const collection = await one.open(`${ORIGIN}/c/`);
  await collection.answer({ tuple: ["b", 2] });
  const { entries } = await one.ledger.summary();
  const told = `["${ORIGIN}/c/",{"tuple":["b",2]}]`;
  assert.equal(entries[3].tag, createHmac("sha256", key).update(told).digest("hex"));
  const lines = (await one.ledger.export()).split("\n").filter((line) => !line.includes('"kind":"terms"')); // which lists all values
  const left = lines.join("\n") + JSON.stringify(site.asked.filter(({ init }) => init.method === "POST"));
  assert.ok(!left.includes('"b"') && !left.includes("tuple") && !left.includes(Buffer.from(key).toString("hex")));
  for (const wrong of ["secret", 10n, { secret: 1, toJSON: () => { throw new Error("secret"); } }]) {
    const problem = await collection.answer(wrong).catch((found) => found);
    assert.equal(problem.code, "value");
    assert.ok(!`${problem.stack}${problem.cause}`.includes("secret"));
  }
});

test("without randomness or a store there is no report", async () => {
  const site = collector(pagesOf(LAWS.subset));
  const real = crypto.getRandomValues;
  const store = new MemoryStore();
  const collection = await someone(site, { store }).open(`${ORIGIN}/c/`);
  for (let i = 0; i < 10_000; i += 1) {
    crypto.getRandomValues = (/** @type {any} */ array) => {
      if (i % 2) throw new Error("no randomness");
      return array;
    };
    try {
      await assert.rejects(collection.answer("v1"));
    } finally {
      crypto.getRandomValues = real;
    }
  }
  assert.deepEqual((await someone(site, { store }).ledger.summary()).entries.map(({ kind }) => kind), ["cap", "terms", "debit"]);
  assert.equal(site.posts().length, 0);
  const forgetful = { read: async () => null, append: async () => true, key: () => store.key() };
  await refused((await someone(site, { store: forgetful }).open(`${ORIGIN}/c/`)).answer("v1"), "store");
  await assert.rejects((await new Participant({ cap: 1, fetch: site.fetch }).open(`${ORIGIN}/c/`)).answer("v1")); // no IndexedDB here
  assert.equal(site.posts().length, 0);
});

// -- collectors that lie ------------------------------------------------------------------------

/** @type {[string, string, Record<string, any>, string?][]} what, the code, the pages, the address */
const LIES = [
  ["another law under the fingerprint", "fingerprint", { ...pagesOf(LAWS.response), "/c/law": LAWS.wide }],
  ["a law that promises less than it keeps", "law", pagesOf(LAWS.response.replace('"1"', '"0.9"'))],
  ["a redirect", "unreachable", { "/c/": () => { throw new TypeError("redirect"); } }],
  ["a redirect that was not followed", "document", { "/c/": () => new Response(null, { status: 302 }) }],
  ["a law elsewhere", "address", pagesOf(LAWS.response, { law: "https://other.example/law" })],
  ["a law at another port", "address", pagesOf(LAWS.response, { law: `${ORIGIN}:444/law` })],
  ["reports elsewhere", "address", pagesOf(LAWS.response, { reports: "//other.example/reports" })],
  ["reports without https", "address", pagesOf(LAWS.response, { reports: "http://collector.example/reports" })],
  ["reports with a password", "address", pagesOf(LAWS.response, { reports: "https://a:b@collector.example/reports" })],
  ["reports by data", "address", pagesOf(LAWS.response, { reports: "data:text/plain,a" })],
  ["http", "address", {}, "http://collector.example/c/"],
  ["http on a host that looks local", "address", {}, "http://127.0.0.1.example/c/"],
  ["no address", "address", {}, "collector"],
  ["a script", "address", {}, "javascript:alert(1)"],
  ["an oversized document", "limits", { "/c/": JSON.stringify(documentOf(LAWS.response, { title: "a".repeat(65536) })) }],
  ["an endless document", "limits", { "/c/": () => new Response(new ReadableStream({ pull: (to) => to.enqueue(new Uint8Array(5000)) })) }],
  ["an endless law", "limits", { ...pagesOf(LAWS.response), "/c/law": () => new Response(new ReadableStream({ pull: (to) => to.enqueue(new Uint8Array(1 << 20)) })) }],
  ["what is not UTF-8", "limits", { "/c/": () => new Response(new Uint8Array([34, 255, 34])) }],
  ["no JSON", "document", { "/c/": "<html>" }],
  ["null", "document", { "/c/": "null" }],
  ["repeated keys", "document", { "/c/": JSON.stringify(documentOf(LAWS.response)).replace("{", '{"title":"A",') }],
  ["repeated keys, escaped", "document", { "/c/": JSON.stringify(documentOf(LAWS.response)).replace("{", '{"titl\\u0065":"A",') }],
  ["unknown keys", "document", pagesOf(LAWS.response, { epsilon: "0.1" })],
  ["__proto__ keys", "document", { "/c/": JSON.stringify(documentOf(LAWS.response)).replace("{", '{"__proto__":{"labels":{}},') }],
  ["a constructor", "document", pagesOf(LAWS.response, { constructor: 1 })],
  ["a missing key", "document", pagesOf(LAWS.response, { changes: undefined })],
  ["an unknown version", "document", pagesOf(LAWS.response, { version: 2 })],
  ["an unknown rule", "document", pagesOf(LAWS.response, { changes: "free" })],
  ["no fingerprint", "document", pagesOf(LAWS.response, { fingerprint: "A".repeat(64) })],
  ["labels without texts", "document", pagesOf(LAWS.response, { labels: { week: [] } })],
  ["labels with any text", "document", pagesOf(LAWS.response, { labels: { week: "any" } })],
  ["a period that is no label", "document", pagesOf(LAWS.response, { labels: { week: ["1"] }, period: "toString" })],
  ["a period without labels", "document", pagesOf(LAWS.response, { period: "week" })],
  ["a period that is no text", "document", pagesOf(LAWS.response, { period: ["week"], labels: { week: ["1"] } })],
  ["a period of labels that are none", "document", pagesOf(LAWS.response, { period: "week", labels: null })],
  ["a day that is none", "document", pagesOf(LAWS.response, { opens: "2026-02-30T00:00:00Z" })],
  ["another form of time", "document", pagesOf(LAWS.response, { closes: "2026-02-20T00:00:00+00:00" })],
  ["a collection that is not open yet", "closed", pagesOf(LAWS.response, { opens: "2026-11-17T00:00:01Z" })],
  ["a collection that is closed", "closed", pagesOf(LAWS.response, { closes: "2026-11-17T00:00:00Z" })],
  ["a collection that says it is not open yet", "closed", pagesOf(LAWS.response, { state: "waiting" })],
  ["a collection that says it is closed", "closed", pagesOf(LAWS.response, { state: "closed" })],
  ["an unknown state", "document", pagesOf(LAWS.response, { state: "ajar" })],
  ["nothing", "document", {}],
  ["a failure", "unreachable", { "/c/": () => new Response("", { status: 500 }) }],
];

for (const [name, code, pages, url = `${ORIGIN}/c/`] of LIES) {
  test(`refused: ${name}`, async () => {
    const site = collector(pages);
    await refused(someone(site, { now: () => Date.parse("2026-11-17T00:00:00Z") }).open(url), code);
    assert.equal(site.posts().length, 0);
  });
}

test("a law that changes under one address is refused, and so is an answer after the end", async () => {
  const site = collector(pagesOf(LAWS.response));
  const store = new MemoryStore();
  await (await someone(site, { store }).open(`${ORIGIN}/c/`)).answer("a");
  const other = collector(pagesOf(LAWS.blocks));
  const collection = await someone(other, { store }).open(`${ORIGIN}/c/#part`);
  assert.equal(collection.name, `${ORIGIN}/c/`);
  await refused(collection.answer("a"), "fingerprint");
  let now = 0;
  const late = await someone(collector(pagesOf(LAWS.response, { closes: "1970-01-01T00:00:01Z" })), { now: () => now }).open(`${ORIGIN}/c/`);
  now = 1000;
  await refused(late.answer("a"), "closed");
});

test("a collection that was closed or changed since it was opened costs nothing, and one that is away is answered", async () => {
  /** @type {Record<string, any>} */
  const pages = pagesOf(LAWS.response);
  const site = collector(pages);
  const store = new MemoryStore();
  const collection = await someone(site, { store }).open(`${ORIGIN}/c/`);
  for (const [more, code] of /** @type {[object, string][]} */ ([[{ state: "closed" }, "closed"], [{ state: "waiting" }, "closed"], [{ state: "full" }, "full"], [{ changes: "spend" }, "document"]])) {
    pages["/c/"] = JSON.stringify(documentOf(LAWS.response, more));
    await refused(collection.answer("a"), code);
  }
  assert.equal(await store.read(), null);
  assert.equal(site.posts().length, 0);
  pages["/c/"] = () => new Response("", { status: 503 });
  assert.equal((await collection.answer("a")).state, "accepted");
});

test("a collection that closes while the report is on its way says what that means", async () => {
  const closed = () => new Response('{"code":"closed"}', { status: 409, headers: { "content-type": "application/problem+json" } });
  const { state, code, reason, epsilon } = await (await someone(collector(pagesOf(LAWS.response), closed)).open(`${ORIGIN}/c/`)).answer("a");
  assert.deepEqual([state, code, epsilon], ["refused", "closed", "1"]);
  assert.match(reason ?? "", /^The collection was closed before the report came/);
});

test("labels are declared or refused, and travel beside the report", async () => {
  const site = collector({ ...pagesOf(LAWS.response), "/c/": JSON.stringify(documentOf(LAWS.response)).replace("{", '{"labels":{"week":["1","2"],"__proto__":["x"]},"period":"week",') });
  const collection = await someone(site).open(`${ORIGIN}/c/`);
  for (const labels of [{ week: "3" }, { day: "1" }, { toString: "1" }, { week: ["1"] }, JSON.parse('{"__proto__":"y"}')])
    await refused(collection.answer("a", { labels }), "label");
  const receipt = await collection.answer("a", { labels: JSON.parse('{"week":"2","__proto__":"x"}') });
  const body = JSON.parse(receipt.sent);
  assert.equal(receipt.sent, `{"fingerprint":"${hash(LAWS.response)}","labels":{"__proto__":"x","week":"2"},"reports":[${body.reports[0]}],"version":1}`);
  const again = await collection.answer("a", { labels: { week: "1" } });
  assert.deepEqual(JSON.parse(again.sent).reports, body.reports); // the same report, under other labels
  assert.notEqual(again.upload, receipt.upload);
});

test("a report is sent once, or once in each period", async () => {
  const told = [{ week: "1", land: "a" }, { week: "1", land: "b" }, { week: "2", land: "a" }, {}];
  const [first, other, next, none] = told;
  for (const [period, expected] of /** @type {[string | undefined, any[]][]} */ ([[undefined, [first]], ["week", [first, next, none]], ["land", [first, other, none]]])) {
    const site = collector(pagesOf(LAWS.wide, { labels: { week: ["1", "2"], land: ["a", "b"] }, period }));
    const one = someone(site, { cap: "0.25" });
    const collection = await one.open(`${ORIGIN}/c/`);
    const uploads = new Set();
    for (const labels of [...told, ...told]) uploads.add((await collection.answer(17, { labels })).upload);
    const bodies = site.posts().map(({ init }) => JSON.parse(init.body));
    assert.deepEqual(bodies.map(({ labels = {} }) => labels), expected);
    assert.deepEqual([uploads.size, new Set(bodies.map(({ reports }) => String(reports))).size], [expected.length, 1]);
    assert.equal((await one.ledger.summary()).spent, "0.25"); // one debit
  }
});

test("a changed answer with an equal report is sent once", async () => {
  for (const period of [undefined, "week"])
    for (let person = 0; person < 30; person += 1) {
      const site = collector(pagesOf(LAWS.response, { changes: "spend", labels: { week: ["1", "2", "3"] }, period }));
      const one = someone(site, { cap: "9" });
      const collection = await one.open(`${ORIGIN}/c/`);
      for (const [value, week] of [["a", "1"], ["b", "2"], ["b", "2"], ["b", "3"], ["b", "3"]]) await collection.answer(value, { labels: { week } });
      await one.flush();
      assert.deepEqual(site.posts().map(({ init }) => JSON.parse(init.body).labels.week), period ? ["1", "2", "3"] : ["1", "2"]);
    }
});

test("a promise is what was checked", async () => {
  const { promise, values, title, question } = await someone(collector(pagesOf(LAWS.blocks, { changes: "spend" }))).open(`${ORIGIN}/c/`);
  assert.deepEqual([title, question, values], ["A survey", "Which of these?", ["a", "b", "c", "d", "e"]]);
  assert.deepEqual(promise, {
    form: "blocks",
    epsilon: "1",
    shows: true,
    fingerprint: hash(LAWS.blocks),
    sentences: [
      "Compared with an answer that it is hidden from, your report makes yours at most 2.72 times as likely as before, whatever was known of you (epsilon 1).",
      'Your report shows which of 2 groups your answer is in, but not which one there: "n", "s".',
      "Answering uses 1 of your privacy budget. The same answer again uses nothing; a different one uses as much again.",
    ],
    facts: [
      [{ key: "some", given: { likelier: "2.72", level: "1" } }],
      [{ key: "groups", given: { values: ["n", "s"], count: 2 } }],
      [{ key: "costSpend", given: { epsilon: "1" } }],
    ],
  });
});

// -- sending ------------------------------------------------------------------------------------

test("retries send the same bytes and number, wait longer each time, and stop", async () => {
  const site = collector(pagesOf(LAWS.wide), (number) => {
    if (number === 2) throw new TypeError("no network");
    return new Response(null, { status: [408, 0, 425, 429, 503][number - 1] });
  });
  /** @type {number[]} */
  const waits = [];
  const one = someone(site, { sleep: async (/** @type {number} */ time) => void waits.push(time) });
  const receipt = await (await one.open(`${ORIGIN}/c/`)).answer(1);
  assert.deepEqual([receipt.state, receipt.status], ["queued", 503]);
  assert.equal(site.posts().length, 5);
  assert.equal(new Set(site.posts().map(({ init }) => init.body + init.headers["idempotency-key"])).size, 1);
  assert.equal(waits.length, 4);
  waits.forEach((wait, i) => assert.ok(wait >= 500 * 2 ** i && wait <= 1000 * 2 ** i));
  assert.equal((await one.ledger.summary()).queued[0].upload, receipt.upload);
});

test("Retry-After is kept to, and what takes longer stays queued", async () => {
  const asked = new Map([["7", 7000], ["0", 0], ["Thu, 01 Jan 1970 00:00:09 GMT", 9000], ["Thu, 01 Jan 1960 00:00:00 GMT", 0], ["61", null], ["99999999999999999999", null]]);
  for (const [header, wait] of asked) {
    const site = collector(pagesOf(LAWS.wide), (number) => new Response(null, number > 1 ? { status: 200 } : { status: 429, headers: { "retry-after": header } }));
    /** @type {number[]} */
    const waits = [];
    const one = someone(site, { now: () => 0, sleep: async (/** @type {number} */ time) => void waits.push(time) });
    const { state } = await (await one.open(`${ORIGIN}/c/`)).answer(1);
    assert.deepEqual([state, waits], wait === null ? ["queued", []] : ["accepted", [wait]]);
  }
});

test("a refusal is shown with its code, ends the upload, and an answer again makes a new one", async () => {
  const problem = { status: 422, headers: { "content-type": "application/problem+json; charset=utf-8" } };
  const cases = [
    [new Response('{"code":"closed"}', problem), "closed", 422],
    [new Response('{"code":"a\\u0007b"}', problem), null, 422],
    [new Response('{"code":"a","code":"b"}', problem), null, 422],
    [new Response(`{"code":"a","more":"${"a".repeat(70000)}"}`, problem), null, 422],
    [new Response('{"code":"closed"}', { status: 404 }), null, 404],
    [new Response(null, { status: 307 }), null, 307],
  ];
  for (const [answer, code, status] of /** @type {[Response, string | null, number][]} */ (cases)) {
    const site = collector(pagesOf(LAWS.wide), (number) => (number > 1 ? new Response(null, { status: 201 }) : answer));
    const one = someone(site);
    const collection = await one.open(`${ORIGIN}/c/`);
    const receipt = await collection.answer(1);
    assert.deepEqual([receipt.state, receipt.status, receipt.code], ["refused", status, code]);
    assert.deepEqual(await one.flush(), []);
    const again = await collection.answer(1);
    assert.deepEqual([again.state, again.sent, again.upload === receipt.upload], ["accepted", receipt.sent, false]);
  }
});

test("what is queued is flushed, oldest first, and a collector that is away is not tried twice", async () => {
  let isAway = true;
  const site = collector(pagesOf(LAWS.wide, { changes: "spend" }), () => {
    if (isAway) throw new TypeError("no network");
    return new Response(null, { status: 200 });
  });
  const store = new MemoryStore();
  const collection = await someone(site, { store }).open(`${ORIGIN}/c/`);
  const first = await collection.answer(1);
  const second = await collection.answer(2);
  assert.equal((await someone(site, { store }).flush()).length, 1);
  isAway = false;
  const receipts = await someone(site, { store, cap: undefined }).flush();
  assert.deepEqual(receipts.map(({ state, upload, sent }) => [state, upload, sent]), [first, second].map(({ upload, sent }) => ["accepted", upload, sent]));
  assert.deepEqual(await someone(site, { store }).flush(), []);
});

test("reports without an upload go into one", async () => {
  const site = collector(pagesOf(LAWS.wide, { changes: "spend" }));
  const store = new MemoryStore();
  let left = 2;
  const failing = {
    read: () => store.read(),
    key: () => store.key(),
    append: async (/** @type {number} */ n, /** @type {string} */ line) => {
      if (JSON.parse(line).kind === "upload" && left--) throw new Error("disk full");
      return store.append(n, line);
    },
  };
  const collection = await someone(site, { store: failing }).open(`${ORIGIN}/c/`);
  for (const value of [1, 2]) await assert.rejects(collection.answer(value));
  assert.equal(site.posts().length, 0);
  const { sent } = await collection.answer(3);
  const { entries } = await someone(site, { store }).ledger.summary();
  assert.deepEqual(JSON.parse(sent).reports, entries.filter(({ kind }) => kind === "report").map(({ report }) => report));
  await collection.answer(1);
  assert.equal(site.posts().length, 1);
});

test("an upload that is sent elsewhere is refused, and not sent there", async () => {
  const site = collector(pagesOf(LAWS.wide), () => new Response(null, { status: 307, headers: { location: `${ORIGIN}/other` } }));
  const receipt = await (await someone(site).open(`${ORIGIN}/c/`)).answer(1);
  assert.deepEqual([receipt.state, receipt.status, site.posts().length], ["refused", 307, 1]);
});

test("a collection has the name that it has in Python", () => {
  const { names, base, beside } = JSON.parse(readFileSync(new URL("../../tests/client/addresses.json", import.meta.url), "utf8"));
  const nameOf = (/** @type {[string, string?]} */ ...given) => {
    try {
      return addressOf(...given);
    } catch {
      return null;
    }
  };
  for (const [url, name] of Object.entries(names)) assert.equal(nameOf(url), name, url);
  for (const [url, name] of Object.entries(beside)) assert.equal(nameOf(url, base), name, url);
  assert.ok(Object.keys(names).length > 80 && Object.keys(beside).length > 30);
});

test("nothing is sent but what must be", async () => {
  const site = collector(pagesOf(LAWS.wide));
  await (await someone(site).open(`${ORIGIN}/c/`)).answer(1);
  assert.deepEqual(site.asked.map(({ url }) => url), [`${ORIGIN}/c/`, `${ORIGIN}/c/law`, `${ORIGIN}/c/`, `${ORIGIN}/c/reports`]);
  for (const { init } of site.asked) {
    const { headers, body, method, signal, ...rest } = init;
    assert.ok(signal instanceof AbortSignal);
    assert.deepEqual(rest, { cache: "no-store", credentials: "omit", redirect: "manual", referrerPolicy: "no-referrer" });
    const common = { accept: "application/json", "accept-language": "*" };
    if (method === undefined) assert.deepEqual([headers, body], [common, undefined]);
    else {
      assert.match(headers["idempotency-key"], /^[0-9a-f]{32}$/);
      assert.deepEqual(headers, { ...common, "content-type": "application/json", "idempotency-key": headers["idempotency-key"] });
      assert.match(body, /^\{"fingerprint":"[0-9a-f]{64}","reports":\[\d+\],"version":1\}$/);
    }
  }
});

/** A server on loopback, and what it was asked. @param {import("node:http").RequestListener} answer */
async function serve(answer) {
  const server = createServer(answer);
  await new Promise((resolve) => server.listen(0, "127.0.0.1", () => resolve(null)));
  after(() => server.closeAllConnections());
  after(() => server.close());
  return `http://127.0.0.1:${/** @type {any} */ (server.address()).port}`;
}

test("over a real connection, the headers tell nothing either", async () => {
  /** @type {any[]} */
  const seen = [];
  const origin = await serve(async (request, response) => {
    let body = "";
    for await (const chunk of request) body += chunk;
    seen.push({ method: request.method, url: request.url, headers: request.headers, body });
    response.setHeader("set-cookie", "who=1");
    const pages = pagesOf(LAWS.wide);
    if (request.url === "/moved/") response.writeHead(302, { location: "/c/" }).end();
    else if (request.url === "/slow/") return;
    else response.end(request.method === "POST" ? "" : /** @type {any} */ (pages)[request.url ?? ""]);
  });
  const one = new Participant({ cap: 1, store: new MemoryStore(), timeout: 2000 });
  const receipt = await (await one.open(`${origin}/c/`)).answer(7);
  assert.equal(receipt.state, "accepted");
  const allowed = ["host", "connection", "accept", "accept-language", "accept-encoding", "sec-fetch-mode", "user-agent", "content-type", "content-length", "idempotency-key", "cache-control", "pragma"];
  for (const { headers } of seen) assert.deepEqual(Object.keys(headers).filter((name) => !allowed.includes(name)), []);
  assert.deepEqual(seen.map(({ headers }) => headers["user-agent"]), ["node", "node", "node", "node"]); // the same for everybody
  assert.equal(seen[3].body, receipt.sent);
  await refused(one.open(`${origin}/moved/`), "document");
  await refused(one.open(`${origin}/slow/`), "unreachable");
});

// -- files --------------------------------------------------------------------------------------

test("a ledger in a file is private, whole and free afterwards", async () => {
  const path = join(folder, "one.jsonl");
  const site = collector(pagesOf(LAWS.wide));
  await (await someone(site, { store: new FileStore(path) }).open(`${ORIGIN}/c/`)).answer(7);
  assert.deepEqual(readdirSync(folder).filter((name) => name.startsWith("one.")), ["one.jsonl", "one.jsonl.key"]);
  for (const name of [path, `${path}.key`]) assert.equal(statSync(name).mode & 0o777, 0o600);
  assert.equal(statSync(`${path}.key`).size, 32);
  writeFileSync(`${path}.key`, "short");
  await refused((await someone(site, { store: new FileStore(path) }).open(`${ORIGIN}/c/`)).answer(7), "damaged");
  rmSync(`${path}.key`);
  await refused((await someone(site, { store: new FileStore(path) }).open(`${ORIGIN}/c/`)).answer(7), "answered"); // it looks changed
});

test("the folder of a ledger is made, and only its owner can look into it", async () => {
  const path = join(folder, "not", "yet", "ledger.jsonl");
  assert.equal((await new Participant({ cap: 1, store: new FileStore(path) }).ledger.summary()).cap, "1");
  assert.equal(statSync(join(folder, "not")).mode & 0o777, 0o700);
  assert.equal(statSync(join(folder, "not", "yet")).mode & 0o777, 0o700);
});

test("every line of a file is synced before it counts, and one that cannot be is not there", async () => {
  const fs = (await import("node:fs/promises")).default;
  const { open, rename } = fs;
  const path = join(folder, "synced.jsonl");
  /** @type {string[]} */
  const steps = [];
  let isBroken = false;
  const short = (/** @type {string} */ name) => (name === folder ? "folder" : name.slice(path.length) || "journal");
  fs.open = /** @type {any} */ (
    async (/** @type {string} */ name, /** @type {any[]} */ ...more) => {
      const file = /** @type {any} */ (await open(name, ...more));
      for (const step of ["writeFile", "sync", "truncate"]) {
        const real = file[step].bind(file);
        file[step] = async (/** @type {any[]} */ ...given) => {
          if (isBroken && step === "sync" && steps.at(-1)?.startsWith("writeFile")) {
            isBroken = false;
            throw new Error("disk");
          }
          await real(...given);
          steps.push(`${step} ${short(name)}`);
        };
      }
      return file;
    }
  );
  fs.rename = async (from, to) => (await rename(from, to), void steps.push(`rename ${short(String(to))}`));
  syncBuiltinESMExports();
  try {
    const store = new FileStore(path);
    const durable = ["sync journal", "sync folder"];
    const made = (/** @type {string} */ name) => [`writeFile ${name === "journal" ? "" : name}.new`, `sync ${name === "journal" ? "" : name}.new`, `rename ${name}`, "sync folder"];
    assert.equal(await store.read(), null);
    assert.equal(await store.append(0, "a\n"), true);
    assert.deepEqual(steps.splice(0), made("journal"));
    assert.equal(await store.append(0, "b\n"), false);
    assert.deepEqual(steps.splice(0), durable);
    assert.equal(await store.append(1, "c\n"), true);
    assert.deepEqual(steps.splice(0), [...durable, "writeFile journal", "sync journal"]);
    writeFileSync(path, "a\nc\ntorn");
    assert.equal(await store.append(2, "d\n"), true);
    assert.deepEqual(steps.splice(0), [...durable, "truncate journal", "writeFile journal", "sync journal"]);
    assert.equal(await store.read(), "a\nc\nd\n");
    assert.deepEqual(steps.splice(0), durable); // what others wrote is made durable before it counts
    await store.key();
    assert.deepEqual(steps.splice(0), made(".key"));
    isBroken = true;
    await assert.rejects(store.append(3, "e\n"), /disk/);
    assert.equal(steps.at(-1), "sync journal");
    assert.equal(readFileSync(path, "utf8"), "a\nc\nd\n"); // cut off again
  } finally {
    Object.assign(fs, { open, rename });
    syncBuiltinESMExports();
  }
});

test("the lock of a process that has ended is removed, and that of a living one is kept", async () => {
  const path = join(folder, "locked.jsonl");
  const { pid } = await new Promise((resolve) => {
    const child = execFile(process.execPath, ["-e", "0"], () => resolve(child));
  });
  const host = (await import("node:os")).hostname();
  const site = collector(pagesOf(LAWS.wide));
  const start = readFileSync(`/proc/${process.ppid}/stat`, "latin1").split(") ").at(-1)?.split(" ")[19];
  // the last one: another process has its number now
  for (const left of [`00 ${pid} 0 ${host}`, `01 ${process.pid} 0 ${host}`, `02 ${process.pid} 0 ${host} 5`, `03 ${process.ppid} 0 ${host} 5`]) {
    writeFileSync(`${path}.pid`, left);
    // what killed processes have left
    for (const [name, text] of [["-10", left], [".11", `11 ${pid} 0 ${host} 5`], ["-12", ""]]) writeFileSync(`${path}.pid${name}`, text);
    utimesSync(`${path}.pid-12`, 0, 0);
    await Promise.all([1, 2, 3].map(() => someone(site, { store: new FileStore(path) }).ledger.summary()));
  }
  for (const left of [`02 ${process.ppid} 0 ${host}`, `03 ${pid} 0 elsewhere`, `04 ${process.pid} 9 ${host}`, `05 ${process.ppid} 0 ${host} ${start}`]) {
    writeFileSync(`${path}.pid`, left);
    const done = someone(site, { store: new FileStore(path) }).ledger.summary();
    assert.equal(await Promise.race([done, new Promise((resolve) => setTimeout(resolve, 200, "waits"))]), "waits");
    rmSync(`${path}.pid`);
    await done;
  }
  assert.deepEqual(readdirSync(folder).filter((name) => name.startsWith("locked.")), ["locked.jsonl"]);
});

test("processes that share a ledger and are killed at any time never overspend", { timeout: 120_000 }, async () => {
  const path = join(folder, "shared.jsonl");
  const chance = seeded(3);
  const site = await serve(async (request, response) => {
    const name = request.url?.split("/")[1];
    response.end(request.method === "POST" ? "" : request.url?.endsWith("law") ? LAWS.wide : JSON.stringify(documentOf(LAWS.wide, { title: name, changes: "spend" })));
  });
  const script = fileURLToPath(new URL("answering.mjs", import.meta.url));
  let killed = 0;
  for (let round = 0; round < 8; round += 1) {
    await Promise.all(
      [0, 1, 2].map(
        (child) =>
          new Promise((resolve) => {
            const one = fork(script, [path, site, String(3 * round + child)], { stdio: "inherit" });
            one.on("exit", (_, signal) => resolve((killed += Number(signal === "SIGKILL"))));
            if (chance.below(4)) setTimeout(() => one.kill("SIGKILL"), 150 + chance.below(600));
          }),
      ),
    );
  }
  const { cap, spent, entries } = await new Participant({ store: new FileStore(path) }).ledger.summary();
  console.log(`${killed} processes killed, ${entries.length} entries, ${spent} of ${cap} spent`);
  assert.ok(killed > 5 && Number(spent) <= 3 && entries.length > 10);
});

test("a ledger in memory takes up where another ended", async () => {
  const site = collector(pagesOf(LAWS.wide));
  const store = new MemoryStore();
  const first = await (await someone(site, { store }).open(`${ORIGIN}/c/`)).answer(7);
  const text = await store.read();
  const torn = new MemoryStore({ text: `${text}{"chain":"0`, key: store.bytes });
  const collection = await someone(site, { store: torn, cap: 3 }).open(`${ORIGIN}/c/`);
  assert.deepEqual(await collection.answer(7), first);
  assert.ok((await torn.read())?.startsWith(`${text}{"chain":"`) && !(await torn.read())?.includes('"0{'));
});
