import type { Store } from "./participant.js";
/**
 * A journal in a file, in the same form as Python's; `PATH.key` holds its key and `PATH.pid` says which process writes to it,
 * in Python too.
 * @implements {Store}
 */
declare class FileStore implements Store {
    #private;
    path: string;
    /** @param {string} path */
    constructor(path: string);
    /** @returns {Promise<string | null>} */
    read(): Promise<string | null>;
    /** @param {number} number @param {string} line @returns {Promise<boolean>} */
    append(number: number, line: string): Promise<boolean>;
    /** @returns {Promise<CryptoKey>} */
    key(): Promise<CryptoKey>;
}
export { FileStore };
export { Refused, checkLaw, randomWords } from "./discreet.js";
export { IndexedStore, MemoryStore, Participant } from "./participant.js";
