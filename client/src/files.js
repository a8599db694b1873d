/** Where a journal is kept in Node: a file, its key beside it, and a lock that ends with its process. */

import { Refused } from "./discreet.js";
import { KEY_BYTES, keyBytes, randomHex, tagKey } from "./participant.js";

/** @import { Store } from "./journal.js" */

/** A module of Node, loaded only where it is used. @param {string} name @returns {Promise<any>} */
const load = (name) => import(name);

/** How many tries, 10 ms apart, a lock is waited for. */
const LOCK_TRIES = 3000;

/** The age in milliseconds from which a draft without a text is that of a process that was killed before it wrote one. */
const EMPTY_AGE = 3_600_000;

/** The locks that are held here. @type {Set<string>} */
const held = new Set();

/**
 * What `work` gives, or `otherwise` if it fails with this code.
 * @param {any} work
 * @param {string} code
 * @param {any} otherwise
 * @returns {Promise<any>}
 */
const unless = (work, code, otherwise) =>
  work.catch((/** @type {any} */ problem) => {
    if (problem.code !== code) throw problem;
    return otherwise;
  });

/**
 * A journal in a file, in the same form as Python's; `PATH.key` holds its key and `PATH.pid` says which process writes to it,
 * in Python too.
 * @implements {Store}
 */
export class FileStore {
  /** @param {string} path */
  constructor(path) {
    this.path = path;
  }

  /** @param {(fs: any) => Promise<any>} work */
  async #locked(work) {
    const fs = await load("node:fs/promises");
    await this.#makeFolder(fs, await this.#folder(this.path));
    const free = await this.#lock(fs, `${this.path}.pid`);
    try {
      return await work(fs);
    } finally {
      await free();
    }
  }

  /**
   * Take a lock, and give what frees it. A lock says its process, and when that began where the system tells it; that of a process that has ended
   * is removed, by one who holds a lock on just that, so that nobody removes the lock that comes after it.
   * @param {any} fs
   * @param {string} path
   * @returns {Promise<() => Promise<void>>}
   */
  async #lock(fs, path) {
    const { threadId } = await load("node:worker_threads");
    const host = (await load("node:os")).hostname();
    const { pid, kill } = /** @type {any} */ (globalThis).process;
    const number = randomHex(8);
    const draft = `${path}-${number}`;
    const mine = [pid, threadId, host].join(" ");
    held.add(number);
    try {
      await fs.writeFile(draft, `${number} ${mine} ${await this.#startOf(fs, pid)}`.trimEnd(), { mode: 0o600 });
      for (let left = LOCK_TRIES; left; left -= 1) {
        // there with all its text at once, or not at all
        if (await unless(fs.link(draft, path).then(() => true), "EEXIST", false)) {
          await this.#clear(fs, path, mine, kill);
          return () => fs.unlink(path).finally(() => held.delete(number));
        }
        const [other, ...whose] = (await unless(fs.readFile(path, "utf8"), "ENOENT", "")).split(" ");
        if (other && (await this.#ended(fs, other, whose, mine, kill))) {
          const free = await this.#lock(fs, `${path}.${other}`);
          try {
            if ((await unless(fs.readFile(path, "utf8"), "ENOENT", "")).startsWith(`${other} `)) await unless(fs.unlink(path), "ENOENT", null);
          } finally {
            await free();
          }
        } else await new Promise((resolve) => setTimeout(resolve, 10));
      }
      throw new Refused(`The ledger is in use; if it is not, remove ${path}.`, "store");
    } catch (problem) {
      held.delete(number);
      throw problem;
    } finally {
      await unless(fs.unlink(draft), "ENOENT", null);
    }
  }

  /**
   * Remove the drafts and locks beside a lock, which is held, that killed processes have left.
   * @param {any} fs
   * @param {string} path
   * @param {string} mine
   * @param {(pid: number, signal: number) => void} kill
   */
  async #clear(fs, path, mine, kill) {
    const { basename, join } = await load("node:path");
    const folder = await this.#folder(path);
    for (const name of await fs.readdir(folder)) {
      if (![`${basename(path)}-`, `${basename(path)}.`].some((start) => name.startsWith(start)) || held.has(name.slice(-16))) continue;
      const file = join(folder, name);
      const text = await unless(fs.readFile(file, "utf8"), "ENOENT", null);
      const [number, ...whose] = (text ?? "").split(" ");
      const isOld = text === "" && Date.now() - ((await unless(fs.stat(file), "ENOENT", null))?.mtimeMs ?? Infinity) > EMPTY_AGE;
      if (isOld || (number && (await this.#ended(fs, number, whose, mine, kill)))) await unless(fs.unlink(file), "ENOENT", null);
    }
  }

  /** When a process began, in ticks since the system did; nothing where the system does not tell. @param {any} fs @param {number} pid @returns {Promise<string>} */
  #startOf(fs, pid) {
    return fs.readFile(`/proc/${pid}/stat`, "latin1").then(
      (/** @type {string} */ text) => text.slice(text.lastIndexOf(")") + 2).split(" ")[19] ?? "",
      () => "",
    );
  }

  /** @param {any} fs @param {string} number @param {string[]} whose @param {string} mine @param {(pid: number, signal: number) => void} kill @returns {Promise<boolean>} */
  async #ended(fs, number, whose, mine, kill) {
    if (whose.slice(0, 3).join(" ") === mine) return !held.has(number); // of an earlier process with the same number
    if (whose[2] !== mine.split(" ")[2] || !(Number(whose[0]) > 0)) return false;
    try {
      kill(Number(whose[0]), 0);
    } catch (problem) {
      return /** @type {any} */ (problem).code === "ESRCH";
    }
    const start = whose[3] && (await this.#startOf(fs, Number(whose[0])));
    return Boolean(start) && start !== whose[3];
  }

  /** The folder of a file. @param {string} path @returns {Promise<string>} */
  async #folder(path) {
    const { dirname, resolve } = await load("node:path");
    return dirname(resolve(path));
  }

  /** Make a folder that only its owner can look into, and those around it, durably, unless it is there. @param {any} fs @param {string} folder */
  async #makeFolder(fs, folder) {
    if ((await unless(fs.stat(folder), "ENOENT", null))?.isDirectory()) return;
    await this.#makeFolder(fs, await this.#folder(folder));
    await unless(fs.mkdir(folder, { mode: 0o700 }), "EEXIST", null);
    await this.#syncFolder(fs, folder);
  }

  /** The names beside a file are durable when this is fulfilled; Windows has no such call. @param {any} fs @param {string} [path] */
  async #syncFolder(fs, path = this.path) {
    if (/** @type {any} */ (globalThis).process.platform === "win32") return;
    await this.#with(fs, await this.#folder(path), "r", (file) => file.sync());
  }

  /** @param {any} fs @param {string} path @param {string} flags @param {(file: any) => Promise<any>} work */
  async #with(fs, path, flags, work) {
    const file = await fs.open(path, flags, 0o600);
    try {
      return await work(file);
    } finally {
      await file.close();
    }
  }

  /** A file that is there with all its bytes, durably, or not at all. @param {any} fs @param {string} path @param {any} content */
  async #make(fs, path, content) {
    await this.#with(fs, `${path}.new`, "w", async (file) => {
      await file.writeFile(content);
      await file.sync();
    });
    await fs.rename(`${path}.new`, path);
    await this.#syncFolder(fs);
  }

  /** The bytes of a file, made durable: its writer may have died before; null if there is none. @param {any} fs @param {string} path */
  async #bytes(fs, path) {
    const found = await unless(fs.readFile(path), "ENOENT", null);
    if (found) {
      await this.#with(fs, path, "r+", (file) => file.sync());
      await this.#syncFolder(fs);
    }
    return found;
  }

  /** @returns {Promise<string | null>} */
  read() {
    return this.#locked(async (fs) => {
      const found = await this.#bytes(fs, this.path);
      const end = found && found.lastIndexOf(10) + 1;
      try {
        return found && new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(found.subarray(0, end)) + found.subarray(end);
      } catch {
        throw new Refused(`${this.path} is not as it was written; nothing is spent or sent.`, "damaged");
      }
    });
  }

  /** @param {number} number @param {string} line @returns {Promise<boolean>} */
  append(number, line) {
    return this.#locked(async (fs) => {
      const found = await this.#bytes(fs, this.path);
      if (!found) {
        if (number) throw new Refused(`${this.path} is gone; nothing is spent or sent.`, "damaged");
        await this.#make(fs, this.path, line);
        return true;
      }
      const end = found.lastIndexOf(10) + 1;
      if (found.subarray(0, end).reduce((/** @type {number} */ lines, /** @type {number} */ byte) => lines + Number(byte === 10), 0) !== number)
        return false;
      await this.#with(fs, this.path, "a", async (file) => {
        try {
          if (end < found.length) await file.truncate(end); // a torn line, and nothing else, ever
          await file.writeFile(line);
          await file.sync();
        } catch (problem) {
          await file.truncate(end);
          await file.sync();
          throw problem;
        }
      });
      return true;
    });
  }

  /** @returns {Promise<CryptoKey>} */
  key() {
    return this.#locked(async (fs) => {
      const path = `${this.path}.key`;
      const found = (await this.#bytes(fs, path)) ?? (await this.#make(fs, path, keyBytes()), await fs.readFile(path));
      if (found.length !== KEY_BYTES) throw new Refused(`${path} must hold ${KEY_BYTES} bytes.`, "damaged");
      return tagKey(found);
    });
  }
}
