import type { Law, Ratio } from "./discreet.js";
export type Ways = {
    fetch: typeof globalThis.fetch;
    /**
     * the time in milliseconds, as `Date.now` gives it
     */
    now: () => number;
    sleep: (milliseconds: number) => Promise<unknown>;
    /**
     * the most milliseconds of one exchange
     */
    timeout: number;
};
export type Document = {
    title: string;
    question: string;
    /**
     * how values are shown to people, by their text
     */
    words: Record<string, string>;
    /**
     * of its law
     */
    fingerprint: string;
    /**
     * the address of its law
     */
    law: string;
    /**
     * the address that takes uploads
     */
    reports: string;
    changes: "refuse" | "spend";
    /**
     * public labels, each with the texts that it may have
     */
    labels: Record<string, string[]>;
    access: "open" | "invitation";
    opens?: string;
    closes?: string;
};
export type Kept = {
    tag: string;
    report: number | string;
    labels: string;
    carried: Map<string, string>;
};
export type Answered = {
    fingerprint: string;
    shows: boolean;
    spent: Ratio;
    debits: number;
    reports: Kept[];
};
export type Entry = {
    kind: string;
} & Record<string, any>;
export type Upload = {
    kind: "upload";
    upload: string;
    collection: string;
    url: string;
    body: string;
    invitation?: string;
};
export type Outcome = {
    kind: "outcome";
    upload: string;
    state: "accepted" | "refused";
    status: number;
};
export type Forms = Record<string, (found: any) => any>;
/** Cap, debits, reports, uploads and outcomes of a journal. */
declare class Account {
    /** @type {Entry[]} */
    entries: Entry[];
    /** @type {Ratio} */
    cap: Ratio;
    /** @type {Ratio} */
    spent: Ratio;
    /** @type {Map<string, Answered>} */
    collections: Map<string, Answered>;
    /** @type {Map<string, Upload>} */
    uploads: Map<string, Upload>;
    /** @type {Map<string, Outcome>} */
    outcomes: Map<string, Outcome>;
    constructor();
    /** Take the next entry into account; an error, and no change, if it cannot follow. @param {Entry} entry */
    add(entry: Entry): void;
    /** The upload that carries a report under these labels, unless it was refused. @param {Kept} kept @param {string} labels */
    carrier(kept: Kept, labels: string): Upload | undefined;
    /**
     * The reports of one upload: this one, and others of its collection that were never sent, labelled alike.
     * @param {Answered} answered
     * @param {Kept} kept
     * @param {string} labels
     */
    batch(answered: Answered, kept: Kept, labels: string): (string | number)[];
    /** The uploads without an outcome, in the order they were made. */
    get queued(): Upload[];
}
export type Store = {
    /**
     * all its text, durable; what follows the last line feed was never finished
     */
    read: () => Promise<string | null>;
    /**
     * line `number`, from 0, durable when this is
     * fulfilled; false, and nothing was written, if there is such a line already
     */
    append: (number: number, line: string) => Promise<boolean>;
    /**
     * the key that makes tags of values, made once, durable, beside the journal
     */
    key: () => Promise<CryptoKey>;
};
export type Order = {
    /**
     * of the collection
     */
    name: string;
    law: Law;
    /**
     * the number of the value
     */
    x: number;
    labels: Record<string, string>;
    changes: string;
    /**
     * that takes uploads
     */
    url: string;
    /**
     * "invitation" where a new upload needs one
     */
    access?: string;
    invitation?: string;
};
export type Summary = {
    /**
     * the most that all answers together may spend
     */
    cap: string;
    spent: string;
    left: string;
    collections: {
        collection: string;
        fingerprint: string;
        epsilon: string;
        reports: number;
        shows: boolean;
    }[];
    /**
     * the uploads that were neither accepted nor refused yet
     */
    queued: Upload[];
    /**
     * every entry, in order
     */
    entries: Entry[];
};
/** The ledger in a store. */
declare class Ledger {
    #private;
    /**
     * @param {Store} store
     * @param {string | number} [cap] what all answers together may spend: needed for a new ledger, lowered for one that
     *   is there, never raised
     */
    constructor(store: Store, cap?: string | number);
    /** The upload that carries the report of a value, stored with all that it rests on. @param {Order} order @returns {Promise<Upload>} */
    submit(order: Order): Promise<Upload>;
    /**
     * The invitation that goes along with an upload; undefined if it has none, or the key is lost.
     * @param {Upload} upload
     * @returns {Promise<string | undefined>}
     */
    invitation({ upload, invitation }: Upload): Promise<string | undefined>;
    /**
     * Note how an upload ended; only the first time counts.
     * @param {Upload} upload
     * @param {string} state
     * @param {number} status
     */
    settle({ upload }: Upload, state: string, status: number): Promise<Account>;
    /** How an upload ended, if it has. @param {Upload} upload */
    outcome({ upload }: Upload): Promise<Outcome | undefined>;
    /** What a collection has cost so far, as exact text. @param {string} collection */
    spentOn(collection: string): Promise<string>;
    /** What was spent, on what, and every entry. @returns {Promise<Summary>} */
    summary(): Promise<Summary>;
    /** The journal as text: neither values nor the key are in it, and invitations are sealed. @returns {Promise<string>} */
    export(): Promise<string>;
}
export type Promised = {
    /**
     * of the context
     */
    form: string;
    /**
     * what an answer spends
     */
    epsilon: string;
    /**
     * whether some answers may be told from others for certain
     */
    shows: boolean;
    fingerprint: string;
    sentences: readonly string[];
};
export type Sent = {
    state: "accepted" | "refused" | "queued";
    status: number | null;
    code: string | null;
    reason: string | null;
};
/** Where a journal is kept in a browser, or only for as long as a page is open. */
/** The length of the key that makes tags of values. */
declare const KEY_BYTES = 32;
/** New bytes for a key. */
declare const keyBytes: () => Uint8Array<ArrayBuffer>;
/** A key that makes tags and cannot be taken out again. @param {BufferSource} bytes */
declare const tagKey: (bytes: BufferSource) => Promise<CryptoKey>;
/**
 * A journal that ends with the page: for tests, and for pages where nobody answers twice.
 * @implements {Store}
 */
declare class MemoryStore implements Store {
    text: string;
    bytes: BufferSource;
    /** @param {{text?: string, key?: BufferSource}} [kept] what another store has held */
    constructor({ text, key }?: {
        text?: string;
        key?: BufferSource;
    });
    read(): Promise<string | null>;
    /** @param {number} number @param {string} line */
    append(number: number, line: string): Promise<boolean>;
    key(): Promise<CryptoKey>;
}
/**
 * A journal in the IndexedDB of a page's origin, which all its tabs share.
 * @implements {Store}
 */
declare class IndexedStore implements Store {
    #private;
    name: string;
    /** @param {string} [name] of the database */
    constructor(name?: string);
    read(): Promise<any>;
    /** @param {number} number @param {string} line */
    append(number: number, line: string): Promise<boolean>;
    /** @returns {Promise<CryptoKey>} */
    key(): Promise<CryptoKey>;
}
export type Receipt = {
    collection: string;
    upload: string;
    sent: string;
    epsilon: string;
} & Sent;
export type Collection = {
    /**
     * its address, as ledgers call it
     */
    name: string;
    title: string;
    question: string;
    /**
     * how values are shown to people, by their text; for display only
     */
    words: Record<string, string>;
    /**
     * the answers that can be given
     */
    values: readonly any[];
    /**
     * public labels that an answer may carry
     */
    labels: Record<string, string[]>;
    /**
     * what was checked
     */
    promise: Promised;
    law: Law;
    /**
     * whether an answer needs an invitation, and the link that was opened held none
     */
    needsInvitation: boolean;
    /**
     * with a value, which stays here
     */
    answer: (value: any, more?: Beside) => Promise<Receipt>;
};
export type Beside = {
    labels?: Record<string, string>;
    invitation?: string;
};
/** One person, with one ledger for all collections. */
declare class Participant {
    #private;
    ledger: Ledger;
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
    constructor({ cap, store, fetch, now, sleep, timeout }?: {
        cap?: string | number;
        store?: Store;
        fetch?: typeof globalThis.fetch;
        now?: () => number;
        sleep?: (milliseconds: number) => Promise<unknown>;
        timeout?: number;
    });
    /**
     * The collection at an address, fetched and checked; `Refused`, with the reason, if it cannot be trusted. A link that ends
     * in `#invitation=...` holds an invitation, which is kept for the answer.
     * @param {string | URL} url
     * @returns {Promise<Collection>}
     */
    open(url: string | URL): Promise<Collection>;
    /** Send what is queued, oldest first; a collector that is away is not tried twice. */
    flush(): Promise<Receipt[]>;
    /** Flush whenever the browser is online again; what this gives ends it. */
    flushWhenOnline(): () => void;
}
export { IndexedStore, KEY_BYTES, MemoryStore, Participant, keyBytes, tagKey };
export { Refused, checkLaw, randomWords } from "./discreet.js";
