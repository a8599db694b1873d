/** The journal: canonical lines, each with the hash of all before it, read so that damage is noticed. */

import { sha256 } from "./bytes.js";
import { Refused } from "./discreet.js";
import { Account, isKnown } from "./account.js";
import { budgetOf } from "./budgets.js";
import { canonical, isText, readPlain } from "./plain.js";

/** @import { Entry } from "./account.js" */

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
export class Journal {
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
      if (isText(kind) && !(isKnown(kind) && (kind !== "budget" || budgetOf(line?.entry, { budgets: [], paid: new Map() })))) throw unknown(next(), kind);
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
