/** `node --test invitations.mjs`: invitations go along where they are asked for, the same at every try, and show nowhere else. */

import assert from "node:assert/strict";
import { test } from "node:test";
import { MemoryStore, Participant } from "../dist/node.min.js";
import { invitationIn, seal, unseal } from "../src/invitations.js";
import { tagKey } from "../dist/participant.min.js";
import { collector, LAWS, ORIGIN, pagesOf } from "./collector.mjs";

const TOKEN = "0123456789abcdef-4711";
const URL_ = `${ORIGIN}/c/`;
const pages = pagesOf(LAWS.wide, { access: "invitation" });

/** @param {{fetch: typeof fetch}} site @param {object} [more] */
const someone = (site, more = {}) =>
  new Participant({ cap: "4", store: new MemoryStore(), fetch: site.fetch, sleep: async () => {}, ...more });

/** @param {Promise<unknown>} promise @param {string} code @param {RegExp} [says] */
const refused = (promise, code, says = /./) =>
  assert.rejects(promise, (/** @type {any} */ problem) => {
    assert.equal(problem.code, code);
    assert.match(problem.message, says);
    return !problem.message.includes(TOKEN);
  });

/** @param {ReturnType<typeof collector>} site */
const sent = (site) => site.posts().map(({ init }) => init.headers.invitation);

test("an invitation goes along, and is shown nowhere else", async () => {
  for (const [link, given] of [[URL_, TOKEN], [`${URL_}#invitation=${TOKEN}`, undefined], [`${URL_}#invitation=other`, TOKEN]]) {
    const site = collector(pages);
    const one = someone(site);
    const collection = await one.open(String(link));
    assert.equal(collection.needsInvitation, link === URL_);
    assert.match(collection.promise.sentences[1], /^Your invitation is sent along/);
    const receipt = await collection.answer(1, { invitation: given });
    assert.deepEqual([receipt.state, collection.name, sent(site)], ["accepted", URL_, [TOKEN]]);
    const asked = site.asked.map(({ url, init }) => [url, init.body, init.method ? null : init.headers]);
    const shown = JSON.stringify([receipt, asked, await one.ledger.summary(), await one.ledger.export(), collection]);
    assert.ok(!shown.includes(TOKEN) && shown.includes("invitation"));
    assert.equal((await collection.answer(1)).state, "accepted"); // nothing is sent, and so nothing is needed
    assert.equal(site.posts().length, 1);
  }
});

test("every try has the same invitation and bytes, also after a crash", async () => {
  let isAway = true;
  const site = collector(pages, () => new Response(null, { status: isAway ? 503 : 200 }));
  const store = new MemoryStore();
  const receipt = await (await someone(site, { store }).open(URL_)).answer(1, { invitation: TOKEN });
  assert.equal(receipt.state, "queued");
  isAway = false;
  const [again] = await someone(site, { store, cap: undefined }).flush();
  assert.deepEqual([again.state, again.upload, again.sent], ["accepted", receipt.upload, receipt.sent]);
  assert.deepEqual(sent(site), Array(6).fill(TOKEN));
  assert.equal(new Set(site.posts().map(({ init }) => init.body)).size, 1);
});

test("without an invitation nothing is spent, and an open collection gets none", async () => {
  const site = collector({ ...pages, ...Object.fromEntries(Object.entries(pagesOf(LAWS.wide)).map(([path, page]) => [path.replace("/c/", "/o/"), page])) });
  const one = someone(site);
  await refused((await one.open(URL_)).answer(1), "invitation", /needs an invitation, and none was given; no report was made/);
  await refused((await one.open(URL_)).answer(1, { invitation: "a b" }), "invitation", /must be 1 to 128/);
  await refused((await one.open(`${ORIGIN}/o/`)).answer(1, { invitation: TOKEN }), "invitation", /is open/);
  await refused((await one.open(`${ORIGIN}/o/#invitation=${TOKEN}`)).answer(1), "invitation", /is open/);
  await refused(one.open(`${URL_}#invitation=${TOKEN}%20`), "invitation");
  await refused(one.open(`http://far.example/#invitation=${TOKEN}`), "address");
  assert.deepEqual([(await one.ledger.summary()).spent, site.posts()], ["0", []]);
  const strange = collector(pagesOf(LAWS.wide, { access: "closed" }));
  await refused(someone(strange).open(URL_), "document");
});

test("a spent invitation leaves the report for another one", async () => {
  const spent = () => new Response('{"code":"not_invited"}', { status: 403, headers: { "content-type": "application/problem+json" } });
  const site = collector(pages, (number) => (number > 1 ? new Response(null, { status: 200 }) : spent()));
  const one = someone(site);
  const collection = await one.open(URL_);
  const receipt = await collection.answer(1, { invitation: "spent" });
  assert.deepEqual([receipt.state, receipt.status, receipt.code], ["refused", 403, "not_invited"]);
  assert.match(receipt.reason ?? "", /used up; the report is kept/);
  await refused(collection.answer(1), "invitation");
  const again = await collection.answer(1, { invitation: TOKEN });
  assert.deepEqual([again.state, again.sent, again.epsilon === receipt.epsilon], ["accepted", receipt.sent, true]);
});

test("an upload with an invitation holds one report", async () => {
  const site = collector(pagesOf(LAWS.wide, { access: "invitation", changes: "spend" }));
  const one = someone(site);
  const collection = await one.open(URL_);
  for (const value of [1, 2]) await collection.answer(value, { invitation: `${TOKEN}-${value}` });
  assert.deepEqual(site.posts().map(({ init }) => JSON.parse(init.body).reports.length), [1, 1]);
  assert.deepEqual(sent(site), [`${TOKEN}-1`, `${TOKEN}-2`]);
});

test("what is sealed is opened by its key and number only, and a link holds one invitation or none", async () => {
  const [key, other] = await Promise.all([7, 8].map((byte) => tagKey(new Uint8Array(32).fill(byte))));
  for (const token of ["a", "b".repeat(32), "c".repeat(33), "Az09._~-".repeat(16)]) {
    const sealed = await seal(key, "ab", token);
    assert.equal(sealed.length, 2 * token.length);
    assert.equal(await unseal(key, "ab", sealed), token);
    if (token.length > 30) assert.deepEqual([await unseal(other, "ab", sealed), await unseal(key, "cd", sealed)], [undefined, undefined]);
  }
  assert.equal(invitationIn(`${URL_}#invitation=${TOKEN}`), TOKEN);
  for (const none of ["", "#", "#invitation", "#other=1", "#x&invitation=1", `?invitation=${TOKEN}`, "#Invitation=1"])
    assert.equal(invitationIn(URL_ + none), undefined);
  for (const wrong of ["", "a b", "a&b=c", "a#b", "a".repeat(129), "a\n"])
    assert.throws(() => invitationIn(`${URL_}#invitation=${wrong}`), (/** @type {any} */ problem) => problem.code === "invitation");
});
