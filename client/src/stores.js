/** Where a journal is kept in a browser, or only for as long as a page is open. */

import { hexOf } from "./bytes.js";
import { randomWords, Refused } from "./discreet.js";

/** @import { Store } from "./journal.js" */

/** The length of the key that makes tags of values. */
export const KEY_BYTES = 32;

/** New bytes for a key. */
export const keyBytes = () => new Uint8Array(randomWords(KEY_BYTES / 8).buffer);

/** So many random bytes, a multiple of eight, as lowercase hexadecimal digits. @param {number} count */
export const randomHex = (count) => hexOf(randomWords(count / 8).buffer);

/** A key that makes tags and cannot be taken out again. @param {BufferSource} bytes */
export const tagKey = (bytes) => crypto.subtle.importKey("raw", bytes, { name: "HMAC", hash: "SHA-256" }, false, ["sign"]);

/**
 * A journal that ends with the page: for tests, and for pages where nobody answers twice.
 * @implements {Store}
 */
export class MemoryStore {
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
export class IndexedStore {
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
