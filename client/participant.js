// discreet 0.1.0, the client: joined from src/ by build.mjs, so do not edit it here.
// SPDX-License-Identifier: Apache-2.0

import { LIMITS, Refused, atMost, checkLaw, exactNumber, hexOf, plus, randomHex, randomWords, sha256, textOf, utf8 } from "./discreet.js";

/** @import { Law, Ratio } from "./discreet.js" */

// -- src/plain.js --------------------------------------------------------------------------------------------

/** Plain data as text: one canonical way to write it, and a strict way to read it. */

/** @param {any} found @returns {found is string} */
const isText = (found) => typeof found === "string";

/** Whether something is so many lowercase hexadecimal digits. @param {number} count @returns {(found: any) => boolean} */
const isDigits = (count) => (found) => isText(found) && found.length === count && !/[^0-9a-f]/.test(found);

/** Whether something is an object whose entries all fit. @param {any} found @param {(inside: any) => unknown} isFit */
const isTable = (found, isFit) => found && typeof found === "object" && !Array.isArray(found) && Object.values(found).every(isFit);

/** The order of two texts by their characters, not by the halves that UTF-16 makes of some. @param {string} a @param {string} b */
function byCharacter(a, b) {
  const [left, right] = [[...a], [...b]];
  const at = left.findIndex((character, i) => character !== right[i]);
  return at < 0 ? left.length - right.length : (left[at].codePointAt(0) ?? 0) - (right[at]?.codePointAt(0) ?? -1);
}

/**
 * The canonical JSON text of plain data: keys sorted, no spaces.
 * @param {any} data
 * @returns {string}
 */
function canonical(data) {
  if (Array.isArray(data)) return `[${data.map(canonical)}]`;
  if (!data || typeof data !== "object") return JSON.stringify(data);
  const parts = Object.keys(data).sort(byCharacter).map((key) => `${JSON.stringify(key)}:${canonical(data[key])}`);
  return `{${parts}}`;
}

/** How many keys all objects in plain data have together. @param {any} data @returns {number} */
const keysIn = (data) =>
  data && typeof data === "object"
    ? Object.values(data).reduce((count, inside) => count + keysIn(inside), Array.isArray(data) ? 0 : Object.keys(data).length)
    : 0;

/**
 * The data of a JSON text in which no key appears twice; undefined for any other text.
 * @param {string} text
 */
function readPlain(text) {
  try {
    const data = JSON.parse(text);
    // of a text that is JSON, these are all its strings; those before a colon are its keys
    const keys = [...text.matchAll(/"(?:[^"\\]|\\.)*"(\s*:)?/g)].filter(([, colon]) => colon);
    return keys.length === keysIn(data) ? data : undefined;
  } catch {
    return undefined;
  }
}

// -- src/requests.js -----------------------------------------------------------------------------------------

/** How a collector is asked: over https, at one origin, with nothing that tells who asks. */


/**
 * The ways to the network and the clock.
 * @typedef {object} Ways
 * @property {typeof globalThis.fetch} fetch
 * @property {() => number} now the time in milliseconds, as `Date.now` gives it
 * @property {(milliseconds: number) => Promise<unknown>} sleep
 * @property {number} timeout the most milliseconds of one exchange
 */

/** The most characters of an address. */
const LONGEST_ADDRESS = 2048;

/** Hosts that are on this machine by their form. */
const LOOPBACK = /^(localhost|127\.\d+\.\d+\.\d+|\[::1\])$/;

/** An address as all parsers read it: host, path and query, with their characters escaped. */
const ADDRESS =
  /^https?:\/\/(\[[0-9a-f:]+\]|[\w-]{1,63}(?:\.[\w-]{1,63})*)(?::\d{1,5})?(?=[/?#]|$)((?:[\w.~!$&'()*+,;=:@/-]|%[0-9a-f]{2})*)(?:\?(?:[\w.~!$&()*+,;=:@/?-]|%[0-9a-f]{2})*)?(?:#.*)?$/is;

/** An address beside another: a path and a query, as above. */
const BESIDE = /^((?:[\w.~!$&'()*+,;=:@/-]|%[0-9a-f]{2})*)(?:\?(?:[\w.~!$&()*+,;=:@/?-]|%[0-9a-f]{2})*)?(?:#[^\\]*)?$/is;

/** Segments that parsers leave out, or keep: dots, some of them escaped, and nothing at all. */
const UNCLEAR = /\/(?:\.|%2e){1,2}(?=\/|$)|\/\//i;

/** Such a segment of a relative path, where plain dots are clear. */
const ESCAPED_DOTS = /(?:^|\/)(?=[^/]*%2e)(?:\.|%2e){1,2}(?:\/|$)/i;

/** What an address says that every parser reads alike; null or an error for any other text. @param {string} text */
function plainAddress(text) {
  const [, host, path] = ADDRESS.exec(text) ?? [];
  if (host === undefined || text.length > LONGEST_ADDRESS || host.length > 253 || UNCLEAR.test(path)) return null;
  const found = new URL(text);
  found.hash = "";
  // a host that is a number in disguise is written in another way now
  const isSame = host.startsWith("[") ? !found.hostname.startsWith("[::ffff:") : found.hostname === host.toLowerCase();
  return isSame && found.port !== "0" ? found : null;
}

/** The text of an address beside another one, resolved. @param {string} text @param {string} base */
function besideOf(text, base) {
  if (/^https?:\/\//i.test(text)) return text;
  if (text.startsWith("//")) return new URL(base).protocol + text;
  const [, path] = BESIDE.exec(text) ?? [];
  return path === undefined || text.length > LONGEST_ADDRESS || ESCAPED_DOTS.test(path) || path.includes("//") ? "" : new URL(text, base).href;
}

/**
 * An address in one form, without fragment, the same as in Python; `Refused` unless it is https, or http on this machine.
 * On a page it may be relative to that.
 * @param {string | URL} url
 * @param {string} [base] whose origin it must have
 */
function addressOf(url, base) {
  const beside = base ?? globalThis.location?.href;
  let found;
  try {
    found = plainAddress(beside === undefined ? String(url) : besideOf(String(url), beside));
  } catch {}
  if (!found || !(found.protocol === "https:" || LOOPBACK.test(found.hostname)))
    throw new Refused("An address must begin with https://, or be on this machine, and be written plainly.", "address");
  if (base && found.origin !== new URL(base).origin)
    throw new Refused("The addresses of a collection must all have the same origin.", "address");
  return found.href;
}

/**
 * The answer to a request that says nothing of who sends it; it is not sent elsewhere, and fails rather than wait for long.
 * @param {Ways} ways
 * @param {string} url
 * @param {RequestInit} [init]
 */
const ask = (ways, url, init) =>
  ways.fetch(url, {
    ...init,
    headers: { accept: "application/json", "accept-language": "*", ...init?.headers },
    cache: "no-store",
    credentials: "omit",
    redirect: "manual",
    referrerPolicy: "no-referrer",
    signal: AbortSignal.timeout(ways.timeout),
  });

/** Whether an answer leads elsewhere; a browser says no more of it. @param {Response} response */
const isRedirect = ({ type, status }) => type === "opaqueredirect" || (status >= 300 && status < 400);

/** Whether trying again may help. @param {number} status */
const isTransient = (status) => [408, 425, 429].includes(status) || status >= 500;

/**
 * The text of an answer; null if it has more than so many bytes, which are not read, or is not UTF-8.
 * @param {Response} response
 * @param {number} limit
 */
async function textIn(response, limit) {
  const reader = response.body?.getReader();
  const parts = [];
  for (let size = 0; ; ) {
    const { value, done } = (await reader?.read()) ?? {};
    if (!value || done) break;
    size += value.length;
    if (size > limit) {
      await reader?.cancel();
      return null;
    }
    parts.push(value);
  }
  try {
    return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(await new Blob(parts).arrayBuffer());
  } catch {
    return null;
  }
}

/**
 * The text at an address, all of it; `Refused` if the collector gives something else.
 * @param {Ways} ways
 * @param {string} url
 * @param {number} limit
 */
async function textAt(ways, url, limit) {
  let response;
  let text;
  try {
    response = await ask(ways, url);
    text = response.status === 200 && (await textIn(response, limit));
  } catch {}
  if (!response || text === undefined || isTransient(response.status))
    throw new Refused("The collector cannot be reached; try again later.", "unreachable");
  if (isRedirect(response)) throw new Refused("The collection is said to be elsewhere, and redirects are not followed.", "document");
  if (text === false) throw new Refused(`The collector does not give what it should (status ${response.status}).`, "document");
  if (text === null) throw new Refused(`The collector gives what is no text, or more than ${limit} bytes.`, "limits");
  return text;
}

// -- src/document.js -----------------------------------------------------------------------------------------

/** What a collection says of itself, read strictly; nothing in it is believed before the law is checked. */


/**
 * @typedef {object} Document
 * @property {string} title
 * @property {string} question
 * @property {Record<string, string>} words how values are shown to people, by their text
 * @property {string} fingerprint of its law
 * @property {string} law the address of its law
 * @property {string} reports the address that takes uploads
 * @property {"refuse" | "spend"} changes
 * @property {Record<string, string[]>} labels public labels, each with the texts that it may have
 * @property {"open" | "invitation"} access
 * @property {string} [opens]
 * @property {string} [closes]
 */

/** The most bytes of a collection document. */
const DOCUMENT_BYTES = 65536;

/** @param {any} found */
const isLine = (found) => isText(found) && found.trim() !== "";

/** A time in UTC such as 2026-11-17T00:00:00Z. @param {any} found */
function isMoment(found) {
  try {
    return new Date(found).toISOString() === found.replace("Z", ".000Z");
  } catch {
    return false;
  }
}

/** @param {any} found */
const isAllowed = (found) => Array.isArray(found) && found.length && found.every(isText) && new Set(found).size === found.length;

/** What each key must hold. @type {Map<string, (found: any) => unknown>} */
const PARTS = new Map([
  ["version", (/** @type {any} */ found) => found === 1],
  ["title", isLine],
  ["question", isLine],
  ["fingerprint", isDigits(64)],
  ["law", isLine],
  ["reports", isLine],
  ["changes", (/** @type {any} */ found) => ["refuse", "spend"].includes(found)],
  ["words", (/** @type {any} */ found) => isTable(found, isLine)],
  ["labels", (/** @type {any} */ found) => isTable(found, isAllowed)],
  ["access", (/** @type {any} */ found) => ["open", "invitation"].includes(found)],
  ["opens", isMoment],
  ["closes", isMoment],
]);

/** How many of them must be there. */
const NEEDED = 7;

/**
 * The document of the collection at an address.
 * @param {string} text
 * @param {string} address
 * @returns {Document}
 */
function readDocument(text, address) {
  const data = readPlain(text);
  const keys = isTable(data, () => true) ? Object.keys(data) : [];
  const wrong = [...PARTS.keys()].slice(0, NEEDED).find((key) => !keys.includes(key)) ?? keys.find((key) => !PARTS.get(key)?.(data[key]));
  if (wrong !== undefined)
    throw new Refused(`The collection does not describe itself as it must: see ${JSON.stringify(wrong.slice(0, 50))}.`, "document");
  return { words: {}, labels: {}, access: "open", ...data, law: addressOf(data.law, address), reports: addressOf(data.reports, address) };
}

/** Refuse a collection that is not open now. @param {Document} document @param {number} now */
function checkOpen({ opens, closes }, now) {
  if (opens && now < Date.parse(opens)) throw new Refused(`This collection opens at ${opens}.`, "closed");
  if (closes && now >= Date.parse(closes)) throw new Refused(`This collection was closed at ${closes}.`, "closed");
}

/** The labels of an answer, all of them declared. @param {Document} document @param {Record<string, string>} given */
function checkLabels({ labels }, given) {
  for (const [name, text] of Object.entries(given))
    if (!Object.hasOwn(labels, name) || !labels[name].includes(text))
      throw new Refused("A label must be one that the collection declares, with a text that it lists.", "label");
  return { ...given };
}

/** Refuse an invitation that is not asked for: it would tell who answers. @param {Document} document @param {string | undefined} invitation */
function checkInvited({ access }, invitation) {
  if (access === "open" && invitation !== undefined)
    throw new Refused("This collection is open, and an invitation would only tell who answers: leave it out.", "invitation");
  return invitation;
}

// -- src/invitations.js --------------------------------------------------------------------------------------

/**
 * Invitations: in the fragment of a link, which never reaches a server, and in a journal, sealed with its key, so that
 * neither the journal nor what is exported of it shows them.
 */


/** Characters that need no escaping in a link or a header. */
const INVITATION = /^[\w.~-]{1,128}$/;

/** Whether this is how a journal holds an invitation. @param {any} found */
const isSealed = (found) => isText(found) && /^([0-9a-f]{2}){1,128}$/.test(found);

/** An invitation as it is; what is thrown does not repeat it. @param {any} invitation @returns {string} */
function checkInvitation(invitation) {
  if (!isText(invitation) || !INVITATION.test(invitation))
    throw new Refused("An invitation must be 1 to 128 letters, digits, ., _, ~ or -.", "invitation");
  return invitation;
}

/** The invitation in the fragment of a link, `#invitation=...`, if there is one. @param {string | URL} url */
function invitationIn(url) {
  const [, found] = /^[^#]*#invitation=(.*)$/s.exec(String(url)) ?? [];
  return found === undefined ? undefined : checkInvitation(found);
}

/**
 * Bytes mixed with what HMAC-SHA256 of the key makes of the number of an upload: the same again gives them back.
 * @param {CryptoKey} key
 * @param {string} upload
 * @param {Uint8Array} bytes
 */
async function mixed(key, upload, bytes) {
  const found = bytes.slice();
  for (let block = 0; 32 * block < bytes.length; block += 1) {
    const stream = new Uint8Array(await crypto.subtle.sign("HMAC", key, utf8(canonical(["invitation", upload, block]))));
    stream.subarray(0, bytes.length - 32 * block).forEach((byte, i) => (found[32 * block + i] ^= byte));
  }
  return found;
}

/** An invitation as the line of its upload holds it. @param {CryptoKey} key @param {string} upload @param {string} invitation */
const seal = async (key, upload, invitation) => hexOf((await mixed(key, upload, utf8(invitation))).buffer);

/**
 * The invitation of an upload; undefined if the key is another one than it was sealed with.
 * @param {CryptoKey} key
 * @param {string} upload
 * @param {string} sealed
 */
async function unseal(key, upload, sealed) {
  const bytes = Uint8Array.from(sealed.match(/../g) ?? [], (digits) => parseInt(digits, 16));
  const found = String.fromCharCode(...(await mixed(key, upload, bytes)));
  return INVITATION.test(found) ? found : undefined;
}

// -- src/account.js ------------------------------------------------------------------------------------------

/** What the entries of a journal add up to, one entry at a time. */



/**
 * A stored report, and for the labels that it was sent under, as text, the number of the upload that carries it.
 * @typedef {{tag: string, report: number | string, labels: string, carried: Map<string, string>}} Kept
 */

/**
 * What is known of one collection.
 * @typedef {{fingerprint: string, shows: boolean, spent: Ratio, debits: number, reports: Kept[]}} Answered
 */

/** @typedef {{kind: string} & Record<string, any>} Entry */
/**
 * What is sent, byte for byte, and where to; `invitation` is the one that goes along, sealed, if there is one.
 * @typedef {{kind: "upload", upload: string, collection: string, url: string, body: string, invitation?: string}} Upload
 */
/** @typedef {{kind: "outcome", upload: string, state: "accepted" | "refused", status: number}} Outcome */

/** The most reports of one upload. */
const BATCH = 1000;

/** @param {any} found */
function isExact(found) {
  const number = isText(found) ? exactNumber(found) : null;
  return number && number[0] >= 0n && textOf(number) === found;
}

/** @typedef {Record<string, (found: any) => any>} Forms */

/** What every key of every kind of entry must hold. @type {Map<string, Forms>} */
const ENTRIES = new Map(
  Object.entries(/** @type {Record<string, Forms>} */ ({
    cap: { epsilon: isExact, version: (found) => found === 1 },
    debit: { collection: isText, epsilon: isExact, fingerprint: isDigits(64), shows: (found) => typeof found === "boolean" },
    report: {
      collection: isText,
      labels: (found) => isTable(found, isText),
      report: (found) => isText(found) || Number.isSafeInteger(found),
      tag: isDigits(64),
    },
    upload: {
      body: (found) => Array.isArray(readPlain(found)?.reports),
      collection: isText,
      invitation: (found) => found === undefined || isSealed(found),
      upload: isDigits(32),
      url: isText,
    },
    outcome: { state: (found) => ["accepted", "refused"].includes(found), status: Number.isSafeInteger, upload: isDigits(32) },
  })),
);

/** True for the kinds of entries that this client keeps to. @param {any} kind */
const isKnown = (kind) => ENTRIES.has(kind);

/** @param {unknown} holds */
function follows(holds) {
  if (!holds) throw new Error("this entry cannot follow");
}

/** Cap, debits, reports, uploads and outcomes of a journal. */
class Account {
  constructor() {
    /** @type {Entry[]} */
    this.entries = [];
    /** @type {Ratio} */
    this.cap = [0n, 1n];
    /** @type {Ratio} */
    this.spent = [0n, 1n];
    /** @type {Map<string, Answered>} */
    this.collections = new Map();
    /** @type {Map<string, Upload>} */
    this.uploads = new Map();
    /** @type {Map<string, Outcome>} */
    this.outcomes = new Map();
  }

  /** Take the next entry into account; an error, and no change, if it cannot follow. @param {Entry} entry */
  add(entry) {
    const { kind, ...rest } = entry;
    const forms = ENTRIES.get(kind);
    follows(forms && Object.keys(rest).every((key) => Object.hasOwn(forms, key)));
    for (const key in forms) follows(forms[key](rest[key]));
    const amount = /** @type {Ratio} */ (exactNumber(rest.epsilon));
    const answered = this.collections.get(rest.collection);
    follows(kind === "cap" || this.entries.length);
    if (kind === "cap") {
      follows(!this.entries.length || atMost(amount, this.cap));
      this.cap = amount;
    } else if (kind === "debit") {
      const { fingerprint, shows } = rest;
      const known = answered ?? { fingerprint, shows, spent: [0n, 1n], debits: 0, reports: [] };
      follows(known.fingerprint === fingerprint);
      known.spent = plus(known.spent, amount);
      known.debits += 1;
      this.spent = plus(this.spent, amount);
      this.collections.set(rest.collection, known);
    } else if (kind === "report") {
      follows(answered && answered.debits > answered.reports.length);
      answered?.reports.push({ tag: rest.tag, report: rest.report, labels: canonical(rest.labels), carried: new Map() });
    } else if (kind === "upload") {
      follows(!this.uploads.has(rest.upload));
      this.uploads.set(rest.upload, /** @type {Upload} */ (entry));
      const { labels = {}, reports } = readPlain(rest.body);
      const under = canonical(labels);
      for (const report of reports)
        answered?.reports.find((kept) => kept.report === report && !this.carrier(kept, under))?.carried.set(under, rest.upload);
    } else {
      follows(this.uploads.has(rest.upload));
      if (!this.outcomes.has(rest.upload)) this.outcomes.set(rest.upload, /** @type {Outcome} */ (entry));
    }
    this.entries.push(entry);
  }

  /** The upload that carries a report under these labels, unless it was refused. @param {Kept} kept @param {string} labels */
  carrier(kept, labels) {
    const number = kept.carried.get(labels) ?? "";
    return this.outcomes.get(number)?.state === "refused" ? undefined : this.uploads.get(number);
  }

  /**
   * The reports of one upload: this one, and others of its collection that were never sent, labelled alike.
   * @param {Answered} answered
   * @param {Kept} kept
   * @param {string} labels
   */
  batch(answered, kept, labels) {
    const others = answered.reports.filter((other) => other !== kept && !other.carried.size && other.labels === labels);
    return [...others.slice(0, BATCH - 1), kept].map(({ report }) => report);
  }

  /** The uploads without an outcome, in the order they were made. */
  get queued() {
    return [...this.uploads.values()].filter(({ upload }) => !this.outcomes.has(upload));
  }
}

// -- src/journal.js ------------------------------------------------------------------------------------------

/** The journal: canonical lines, each with the hash of all before it, read so that damage is noticed. */



/**
 * Where a journal is kept.
 * @typedef {object} Store
 * @property {() => Promise<string | null>} read all its text, durable; what follows the last line feed was never finished
 * @property {(number: number, line: string) => Promise<boolean>} append line `number`, from 0, durable when this is
 *   fulfilled; false, and nothing was written, if there is such a line already
 * @property {() => Promise<CryptoKey>} key the key that makes tags of values, made once, durable, beside the journal
 */

/** @param {number} number */
const damage = (number) =>
  new Refused(`Line ${number} of the ledger is not as it was written; nothing is spent or sent until an undamaged copy is put back.`, "damaged");

/** @param {number} number @param {string} kind */
const unknown = (number, kind) =>
  new Refused(`Line ${number} of the ledger is a ${JSON.stringify(kind)}, which this client does not keep to; nothing is spent or sent. Use the client that wrote it.`, "kind");

/**
 * The line of an entry after one with the chain `previous`, and its own chain.
 * @param {string} previous
 * @param {Entry} entry
 */
async function lineOf(previous, entry) {
  const chain = await sha256(previous + canonical(entry));
  return { line: `${canonical({ ...entry, chain })}\n`, chain };
}

/** The entries of a store, checked as they are read. */
class Journal {
  /** @param {Store} store */
  constructor(store) {
    this.store = store;
    this.account = new Account();
    /** The text that was read and checked. */
    this.text = "";
    this.chain = "0".repeat(64);
  }

  /** The entry in a line, with its chain; undefined unless it is exactly what follows. @param {string} written */
  async #entry(written) {
    const { chain, ...entry } = readPlain(written) ?? {};
    return chain && (await lineOf(this.chain, entry)).line === `${written}\n` ? { entry, chain } : undefined;
  }

  /** What all entries add up to, as the store has them now. */
  async read() {
    const found = await this.store.read();
    const text = found ?? "";
    const end = text.lastIndexOf("\n") + 1;
    // a journal only grows, and is never without a whole line once it is there
    if (!text.startsWith(this.text) || (found !== null && !end)) throw damage(1);
    const next = () => this.account.entries.length + 1;
    for (const written of text.slice(this.text.length, end).split("\n").slice(0, -1)) {
      const line = await this.#entry(written);
      const kind = line?.entry.kind;
      if (isText(kind) && !isKnown(kind)) throw unknown(next(), kind);
      try {
        this.account.add(/** @type {Entry} */ (line?.entry));
      } catch {
        throw damage(next());
      }
      this.chain = line?.chain;
      this.text += `${written}\n`;
    }
    // a whole line whose line feed became something else
    if (await this.#entry(text.slice(end, -1))) throw damage(next());
    return this.account;
  }

  /** Add an entry, unless another tab or process was first; `read` tells. @param {Entry} entry */
  async append(entry) {
    const { line } = await lineOf(this.chain, entry);
    return this.store.append(this.account.entries.length, line);
  }
}

// -- src/ledger.js -------------------------------------------------------------------------------------------

/** The ledger: one person's budget over all collections, and the report that each value has had. */



/**
 * An answer that is about to be given: nothing of it is written but the report.
 * @typedef {object} Order
 * @property {string} name of the collection
 * @property {Law} law
 * @property {number} x the number of the value
 * @property {Record<string, string>} labels
 * @property {string} changes
 * @property {string} url that takes uploads
 * @property {string} [access] "invitation" where a new upload needs one
 * @property {string} [invitation]
 */

/**
 * What was spent, as exact texts.
 * @typedef {object} Summary
 * @property {string} cap the most that all answers together may spend
 * @property {string} spent
 * @property {string} left
 * @property {{collection: string, fingerprint: string, epsilon: string, reports: number, shows: boolean}[]} collections
 * @property {Upload[]} queued the uploads that were neither accepted nor refused yet
 * @property {Entry[]} entries every entry, in order
 */

/** How often an entry is tried that others are always faster with. */
const ROUNDS = 1000;

/** Wait a random while, at most as long as has passed since `begun`. @param {number} begun */
function pause(begun) {
  const now = performance.now();
  const until = now + ((now - begun) * Number(randomWords(1)[0] >> 48n)) / 65536;
  while (performance.now() < until);
}

/** The report of an answer, drawn now. @param {Order} order */
function reportOf({ law, x }) {
  const words = randomWords(law.words);
  const begun = performance.now();
  const report = law.written(law.draw(x, words));
  pause(begun);
  return report;
}

/**
 * The entry that an answer needs next, or the upload that carries it, if nothing is missing.
 * @param {Account} account
 * @param {Order} order with its invitation sealed
 * @param {string} tag
 * @param {string} [upload] the number of a new upload, if its invitation was sealed for one
 * @returns {Entry | Upload}
 */
function nextOf(account, order, tag, upload) {
  const { name: collection, law, url, labels } = order;
  const { fingerprint, epsilon, shows } = law;
  const under = canonical(labels);
  const known = account.collections.get(collection);
  if (known && known.fingerprint !== fingerprint)
    throw new Refused("This collection was answered under another law, and must keep it; no report was made.", "fingerprint");
  const kept = known?.reports.find((report) => report.tag === tag);
  const carrier = kept && account.carrier(kept, under);
  if (carrier) return carrier;
  if (!kept && known?.reports.length && order.changes !== "spend")
    throw new Refused("This collection was answered with another value, and takes no change; no report was made.", "answered");
  const { invitation } = order;
  if (order.access === "invitation" && !invitation)
    throw new Refused("This collection needs an invitation, and none was given; no report was made.", "invitation");
  if (known && kept) {
    const reports = invitation ? [kept.report] : account.batch(known, kept, under);
    const body = canonical({ version: 1, fingerprint, reports, ...(under === "{}" ? {} : { labels }) });
    return { kind: "upload", upload: upload || randomHex(16), collection, url, body, ...(invitation ? { invitation } : {}) };
  }
  // a debit without a report: nothing was released under it
  if (known && known.debits > known.reports.length)
    return { kind: "report", collection, tag, report: reportOf(order), labels };
  const cost = exactNumber(epsilon);
  if (!cost || !atMost(plus(account.spent, cost), account.cap))
    throw new Refused(`This answer would spend ${epsilon}, and only ${leftOf(account)} is left; no report was made.`, "overspent");
  return { kind: "debit", collection, fingerprint, epsilon, shows };
}

/** @param {Account} account */
const leftOf = ({ cap, spent }) => (atMost(spent, cap) ? textOf(plus(cap, [-spent[0], spent[1]])) : "0");

/** The ledger in a store. */
class Ledger {
  #journal;
  #cap;
  /** @type {Promise<any>} */
  #last = Promise.resolve();

  /**
   * @param {Store} store
   * @param {string | number} [cap] what all answers together may spend: needed for a new ledger, lowered for one that
   *   is there, never raised
   */
  constructor(store, cap) {
    this.#journal = new Journal(store);
    this.#cap = cap === undefined ? null : exactNumber(cap);
    if (cap !== undefined && !(this.#cap && this.#cap[0] >= 0n)) throw new Refused("A cap must be an exact number.", "cap");
  }

  /** Let only one work at a time read the journal and add to it. @template T @param {() => Promise<T>} work @returns {Promise<T>} */
  #alone(work) {
    const done = this.#last.then(work);
    this.#last = done.catch(() => {});
    return done;
  }

  /**
   * Add entries, each durable before the next, until none is missing; whoever else adds some is taken into account.
   * @param {(account: Account) => Entry | undefined} missing
   */
  async #until(missing) {
    for (let round = 0; round < ROUNDS; round += 1) {
      const account = await this.#journal.read();
      const next = missing(account);
      if (!next) return account;
      await this.#journal.append(next);
    }
    throw new Refused("The ledger cannot be written; nothing was sent.", "store");
  }

  /** The account, with the cap that was asked for. */
  async #open() {
    const account = await this.#until((found) => {
      const asked = this.#cap;
      const isNew = !found.entries.length;
      if (!asked) {
        if (isNew) throw new Refused("A new ledger needs a cap: what all answers together may spend.", "cap");
      } else if (isNew || !atMost(found.cap, asked)) return { kind: "cap", version: 1, epsilon: textOf(asked) };
      else if (!atMost(asked, found.cap)) throw new Refused(`The cap is ${textOf(found.cap)}, and a cap is never raised.`, "cap");
      return undefined;
    });
    this.#cap = null; // others may lower it from now on
    return account;
  }

  /** The upload that carries the report of a value, stored with all that it rests on. @param {Order} order @returns {Promise<Upload>} */
  submit(order) {
    return this.#alone(async () => {
      await this.#open();
      const told = utf8(canonical([order.name, order.law.values[order.x]]));
      const key = await this.#journal.store.key();
      const tag = hexOf(await crypto.subtle.sign("HMAC", key, told));
      const number = order.invitation && randomHex(16);
      const invitation = number && (await seal(key, number, checkInvitation(order.invitation)));
      let next = /** @type {Entry} */ ({ kind: "" });
      await this.#until((account) => {
        next = nextOf(account, { ...order, invitation }, tag, number);
        return account.uploads.has(next.upload) ? undefined : next;
      });
      return /** @type {Upload} */ (next);
    });
  }

  /**
   * The invitation that goes along with an upload; undefined if it has none, or the key is lost.
   * @param {Upload} upload
   * @returns {Promise<string | undefined>}
   */
  async invitation({ upload, invitation }) {
    return invitation === undefined ? undefined : unseal(await this.#journal.store.key(), upload, invitation);
  }

  /**
   * Note how an upload ended; only the first time counts.
   * @param {Upload} upload
   * @param {string} state
   * @param {number} status
   */
  settle({ upload }, state, status) {
    return this.#alone(() =>
      this.#until((account) => (account.outcomes.has(upload) ? undefined : { kind: "outcome", upload, state, status })),
    );
  }

  /** How an upload ended, if it has. @param {Upload} upload */
  outcome({ upload }) {
    return this.#alone(async () => (await this.#open()).outcomes.get(upload));
  }

  /** What a collection has cost so far, as exact text. @param {string} collection */
  spentOn(collection) {
    return this.#alone(async () => textOf((await this.#open()).collections.get(collection)?.spent ?? [0n, 1n]));
  }

  /** What was spent, on what, and every entry. @returns {Promise<Summary>} */
  summary() {
    return this.#alone(async () => {
      const account = await this.#open();
      const collections = [...account.collections].map(([collection, { fingerprint, spent: cost, reports, shows }]) => ({
        collection,
        fingerprint,
        epsilon: textOf(cost),
        reports: reports.length,
        shows,
      }));
      const { cap, spent: total, queued, entries: all } = account;
      return { cap: textOf(cap), spent: textOf(total), left: leftOf(account), collections, queued, entries: structuredClone(all) };
    });
  }

  /** The journal as text: neither values nor the key are in it, and invitations are sealed. @returns {Promise<string>} */
  export() {
    return this.#alone(async () => {
      await this.#open();
      return this.#journal.text;
    });
  }
}

// -- src/promise.js ------------------------------------------------------------------------------------------

/** What a collection promises, in words that a person can check. */


/**
 * What was checked, and sentences that say it.
 * @typedef {object} Promised
 * @property {string} form of the context
 * @property {string} epsilon what an answer spends
 * @property {boolean} shows whether some answers may be told from others for certain
 * @property {string} fingerprint
 * @property {readonly string[]} sentences
 */

/** e to the power of epsilon in three digits, rounded up; as a power where that means nothing to a reader. @param {string} epsilon */
function likelier(epsilon) {
  const [top, bottom = 1] = epsilon.split("/").map(Number);
  const power = Math.exp(top / bottom) * (1 + 1e-12);
  if (!(power < 1e6)) return `e^${epsilon}`;
  const step = 10 ** (Math.floor(Math.log10(power)) - 2);
  return String(Number((Math.ceil(power / step - 1e-9) * step).toPrecision(3)));
}

/** @param {Law} law @param {string} changes @param {string} [access] @returns {Promised} */
function promiseOf({ context, epsilon, shows, fingerprint }, changes, access) {
  const hidden = shows ? "one that it is hidden from" : "any other";
  const again = changes === "spend" ? "spends as much again" : "is not taken";
  const sentences = [
    shows && epsilon === "0"
      ? "Nothing is hidden here: whoever gets your report may learn your answer from it."
      : `Your report is at most ${likelier(epsilon)} times as likely with your answer as with ${hidden} (epsilon ${epsilon}).`,
    `This answer spends ${epsilon} of your budget. The same answer again costs nothing; a changed one ${again}.`,
  ];
  if (context.form === "blocks" && shows) sentences.splice(1, 0, "It shows which group your answer is in, and hides it inside.");
  else if (shows) sentences.splice(1, 0, "Some answers may be told from some others for certain.");
  if (access === "invitation")
    sentences.splice(-1, 0, "Your invitation goes along with your report: whoever noted who got it can tell that the report is yours.");
  return Object.freeze({ form: context.form, epsilon, shows, fingerprint, sentences: Object.freeze(sentences) });
}

// -- src/sending.js ------------------------------------------------------------------------------------------

/** How uploads are sent: again when that may help, and with the same bytes each time. */



/**
 * How an upload went, with the collector's status and code, and the reason why it is queued or what can be done. The status is 0 where a browser
 * hides that of a redirect.
 * @typedef {{state: "accepted" | "refused" | "queued", status: number | null, code: string | null, reason: string | null}} Sent
 */

/** How often an upload is tried in one call. */
const TRIES = 5;

/** The most seconds that one call waits for its next try; what would take longer stays queued. */
const PATIENCE = 60;

/** The most seconds that a collector can ask for. */
const LONGEST_ASKED = 3600;

/** The most bytes that are read of the answer to an upload. */
const PROBLEM = 65536;

/** Codes of refusals that a person can do something about, and what. @type {Map<string | null, string>} */
const REASONS = new Map([
  ["not_invited", "The invitation is missing, unknown or used up; the report is kept, and the same answer with another invitation sends it at no further cost."],
]);

/** The code that a collector gives for its refusal, if it gives one. @param {Response} response */
async function problemOf(response) {
  if (!/^application\/problem\+json *(;|$)/i.test(response.headers.get("content-type") ?? "")) return null;
  const code = readPlain((await textIn(response, PROBLEM).catch(() => null)) ?? "")?.code;
  return typeof code === "string" && /^[\x20-\x7e]{1,100}$/.test(code) ? code : null;
}

/** The seconds until the next try. @param {number} attempt @param {string | null | undefined} asked @param {number} now */
function waitFor(attempt, asked, now) {
  const seconds = asked && /^\d+$/.test(asked) ? Number(asked) : (Date.parse(asked ?? "") - now) / 1000;
  if (seconds === seconds) return Math.min(Math.max(seconds, 0), LONGEST_ASKED); // not NaN
  return Math.min(2 ** attempt, PATIENCE) * (0.5 + Number(randomWords(1)[0] >> 32n) / 2 ** 33);
}

/**
 * Send an upload, with as many tries as are allowed in one call.
 * @param {Ways} ways
 * @param {Upload} upload
 * @param {string} [invitation] that goes along
 * @returns {Promise<Sent>}
 */
async function sendUpload(ways, { upload, url, body }, invitation) {
  const headers = { "content-type": "application/json", "idempotency-key": upload, ...(invitation && { invitation }) };
  for (let attempt = 1; ; attempt += 1) {
    const response = await ask(ways, addressOf(url), { method: "POST", headers, body }).catch(() => null);
    const status = response && response.status;
    if (response && status !== null && !isTransient(status)) {
      const isTaken = status >= 200 && status < 300;
      const code = isTaken ? null : await problemOf(response);
      return { state: isTaken ? "accepted" : "refused", status, code, reason: REASONS.get(code) ?? null };
    }
    const wait = waitFor(attempt - 1, response?.headers.get("retry-after"), ways.now());
    const reason = response ? `The collector answered with status ${status}.` : "The collector cannot be reached.";
    if (attempt === TRIES || wait > PATIENCE) return { state: "queued", status, code: null, reason };
    await ways.sleep(1000 * wait);
  }
}

// -- src/stores.js -------------------------------------------------------------------------------------------

/** Where a journal is kept in a browser, or only for as long as a page is open. */



/** The length of the key that makes tags of values. */
const KEY_BYTES = 32;

/** New bytes for a key. */
const keyBytes = () => new Uint8Array(randomWords(KEY_BYTES / 8).buffer);

/** A key that makes tags and cannot be taken out again. @param {BufferSource} bytes */
const tagKey = (bytes) => crypto.subtle.importKey("raw", bytes, { name: "HMAC", hash: "SHA-256" }, false, ["sign"]);

/**
 * A journal that ends with the page: for tests, and for pages where nobody answers twice.
 * @implements {Store}
 */
class MemoryStore {
  /** @param {{text?: string, key?: BufferSource}} [kept] what another store has held */
  constructor({ text = "", key = keyBytes() } = {}) {
    this.text = text;
    this.bytes = key;
  }

  async read() {
    return this.text || null;
  }

  /** @param {number} number @param {string} line */
  async append(number, line) {
    const there = this.text.slice(0, this.text.lastIndexOf("\n") + 1);
    if (there.split("\n").length - 1 !== number) return false;
    this.text = there + line;
    return true;
  }

  key() {
    return tagKey(this.bytes);
  }
}

/** The database's store of lines, by number, and of the key. */
const TABLE = "journal";

/**
 * A journal in the IndexedDB of a page's origin, which all its tabs share.
 * @implements {Store}
 */
class IndexedStore {
  /** @param {string} [name] of the database */
  constructor(name = "discreet") {
    this.name = name;
  }

  /** @returns {Promise<IDBDatabase>} */
  #open() {
    return new Promise((resolve, reject) => {
      const asked = indexedDB.open(this.name, 1);
      asked.onupgradeneeded = () => asked.result.createObjectStore(TABLE);
      asked.onsuccess = () => resolve(asked.result);
      asked.onerror = () => reject(asked.error);
    }).catch(() => {
      throw new Refused("This browser keeps no ledger, so no report was made.", "store");
    });
  }

  /**
   * What one request gives, once its transaction is complete and on the disk.
   * @param {IDBTransactionMode} mode
   * @param {(table: IDBObjectStore) => IDBRequest} request
   * @returns {Promise<any>}
   */
  async #ask(mode, request) {
    const database = await this.#open();
    try {
      return await new Promise((resolve, reject) => {
        const work = database.transaction(TABLE, mode, { durability: "strict" });
        const asked = request(work.objectStore(TABLE));
        work.oncomplete = () => resolve(asked.result);
        work.onabort = () => reject(asked.error ?? work.error);
      });
    } finally {
      database.close();
    }
  }

  /** Add what is not there yet; false if it is. @param {string | number} name @param {any} content */
  async #add(name, content) {
    try {
      await this.#ask("readwrite", (table) => table.add(content, name));
      return true;
    } catch (problem) {
      if (/** @type {any} */ (problem)?.name === "ConstraintError") return false;
      throw problem instanceof Refused ? problem : new Refused("The ledger cannot be written; nothing was sent.", "store");
    }
  }

  async read() {
    const lines = await this.#ask("readonly", (table) => table.getAll(IDBKeyRange.bound(0, Infinity)));
    return lines.length ? lines.join("") : null;
  }

  /** @param {number} number @param {string} line */
  append(number, line) {
    return this.#add(number, line);
  }

  /** @returns {Promise<CryptoKey>} */
  async key() {
    const find = () => this.#ask("readonly", (table) => table.get("key"));
    return (await find()) ?? ((await this.#add("key", await tagKey(keyBytes()))), find());
  }
}

// -- src/participant.js --------------------------------------------------------------------------------------

/** One person's side of every collection: check the law, keep the ledger, randomize here, send the report. */




/**
 * What became of an answer: "accepted", "queued" until the collector can be reached, or "refused" by it. `sent` is the
 * exact text that leaves, or left, this device; `epsilon` is what the collection has cost so far.
 * @typedef {{collection: string, upload: string, sent: string, epsilon: string} & Sent} Receipt
 */

/**
 * A collection whose law was fetched, compared with its fingerprint and checked from its integers.
 * @typedef {object} Collection
 * @property {string} name its address, as ledgers call it
 * @property {string} title
 * @property {string} question
 * @property {Record<string, string>} words how values are shown to people, by their text; for display only
 * @property {readonly any[]} values the answers that can be given
 * @property {Record<string, string[]>} labels public labels that an answer may carry
 * @property {Promised} promise what was checked
 * @property {Law} law
 * @property {boolean} needsInvitation whether an answer needs an invitation, and the link that was opened held none
 * @property {(value: any, more?: Beside) => Promise<Receipt>} answer with a value, which stays here
 */

/**
 * What goes along with a report: public labels, and an invitation where the collection asks for one, else that of the link.
 * @typedef {{labels?: Record<string, string>, invitation?: string}} Beside
 */

/** The number of a value; nothing that is thrown repeats it. @param {Law} law @param {any} value */
function numberOf(law, value) {
  try {
    return law.index(value);
  } catch {
    throw new Refused("This is not one of the answers that can be given.", "value");
  }
}

/** One person, with one ledger for all collections. */
class Participant {
  #ways;

  /**
   * @param {object} [options]
   * @param {string | number} [options.cap] what all answers together may spend: needed for a new ledger, lowered for
   *   one that is there, never raised
   * @param {Store} [options.store] where the ledger is kept: the IndexedDB of this origin unless told otherwise
   * @param {typeof globalThis.fetch} [options.fetch]
   * @param {() => number} [options.now] the time in milliseconds
   * @param {(milliseconds: number) => Promise<unknown>} [options.sleep]
   * @param {number} [options.timeout] the most milliseconds that a collector may take to answer
   */
  constructor({ cap, store = new IndexedStore(), fetch, now = Date.now, sleep, timeout = 30000 } = {}) {
    /** @type {Ways} */
    this.#ways = {
      fetch: fetch ?? ((...asked) => globalThis.fetch(...asked)),
      now,
      sleep: sleep ?? ((milliseconds) => new Promise((resolve) => setTimeout(resolve, milliseconds))),
      timeout,
    };
    this.ledger = new Ledger(store, cap);
  }

  /**
   * The collection at an address, fetched and checked; `Refused`, with the reason, if it cannot be trusted. A link that ends
   * in `#invitation=...` holds an invitation, which is kept for the answer.
   * @param {string | URL} url
   * @returns {Promise<Collection>}
   */
  async open(url) {
    const ways = this.#ways;
    const name = addressOf(url);
    const linked = invitationIn(url);
    const document = readDocument(await textAt(ways, name, DOCUMENT_BYTES), name);
    checkOpen(document, ways.now());
    const law = await checkLaw(await textAt(ways, document.law, LIMITS.bytes), document);
    const { title, question, words, labels, changes, reports, access } = document;
    return Object.freeze({
      name,
      title,
      question,
      words,
      values: law.values,
      labels,
      promise: promiseOf(law, changes, access),
      law,
      needsInvitation: access === "invitation" && linked === undefined,
      answer: async (/** @type {any} */ value, /** @type {Beside} */ more = {}) => {
        checkOpen(document, ways.now());
        const told = checkLabels(document, more.labels ?? {});
        const invitation = checkInvited(document, more.invitation ?? linked);
        const x = numberOf(law, value);
        return this.#deliver(await this.ledger.submit({ name, law, x, labels: told, changes, url: reports, access, invitation }));
      },
    });
  }

  /** Send an upload that has no outcome yet, and note what becomes of it. @param {Upload} upload @returns {Promise<Receipt>} */
  async #deliver(upload) {
    const { collection, upload: number, body: sent } = upload;
    const ended = await this.ledger.outcome(upload);
    const { state, status, code, reason } = ended
      ? { code: null, reason: null, ...ended }
      : await sendUpload(this.#ways, upload, await this.ledger.invitation(upload));
    if (!ended && state !== "queued" && status !== null) await this.ledger.settle(upload, state, status);
    const epsilon = await this.ledger.spentOn(collection);
    return Object.freeze({ collection, state, status, code, reason, epsilon, upload: number, sent });
  }

  /** Send what is queued, oldest first; a collector that is away is not tried twice. */
  async flush() {
    const receipts = [];
    const away = new Set();
    for (const upload of (await this.ledger.summary()).queued) {
      const { origin } = new URL(upload.url);
      if (away.has(origin)) continue;
      const receipt = await this.#deliver(upload);
      if (receipt.state === "queued") away.add(origin);
      receipts.push(receipt);
    }
    return receipts;
  }

  /** Flush whenever the browser is online again; what this gives ends it. */
  flushWhenOnline() {
    const flush = () => void this.flush().catch(() => {}); // what fails stays queued
    addEventListener("online", flush);
    return () => removeEventListener("online", flush);
  }
}

export { IndexedStore, KEY_BYTES, MemoryStore, Participant, keyBytes, tagKey };
export { Refused, checkLaw, randomWords } from "./discreet.js";
