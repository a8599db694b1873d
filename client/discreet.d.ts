/** Bytes, their hash, and how they are written. */
/** @param {string} text */
declare const utf8: (text: string) => Uint8Array<ArrayBuffer>;
/** Bytes as lowercase hexadecimal digits. @param {ArrayBuffer} bytes */
declare const hexOf: (bytes: ArrayBuffer) => string;
/** The SHA-256 of a text, as UTF-8. @param {string} text */
declare const sha256: (text: string) => Promise<string>;
export type Ratio = readonly [bigint, bigint];
/** Exact numbers: decimals as whole numbers, and a rational that is certainly at most e to the epsilon. */
/**
 * A rational number: numerator and denominator, which is positive.
 * @typedef {readonly [bigint, bigint]} Ratio
 */
/** What must not be used, with a reason that a person can read. */
declare class Refused extends Error {
    code: string;
    /**
     * @param {string} message
     * @param {string} code the reason in one word, for programs
     */
    constructor(message: string, code: string);
}
/** What a published law may ask for; more is refused before it is expanded. */
declare const LIMITS: {
    bytes: number;
};
/**
 * The number that a decimal or a fraction says, exactly; null if it says none.
 * @param {unknown} written
 * @returns {Ratio | null}
 */
declare const exactNumber: (written: unknown) => Ratio | null;
/** @param {Ratio} a @param {Ratio} b @returns {Ratio} */
declare const plus: (a: Ratio, b: Ratio) => Ratio;
/** @param {Ratio} a @param {Ratio} b */
declare const atMost: (a: Ratio, b: Ratio) => boolean;
/**
 * The shortest exact text of a number: "0.5" or "1/3".
 * @param {Ratio} number
 */
declare const textOf: (number: Ratio) => string;
export type Bits = {
    size: number;
    members: number[];
};
export type Neutral = {
    /**
     * how many words
     */
    takes: number;
    /**
     * the largest Q(y|x) / Pr(y) for a protected x
     */
    ratio: Ratio;
    /**
     * whether the value passes, and the report if not
     */
    write: (words: BigUint64Array) => [boolean, bigint];
};
export type Held = {
    /**
     * how many words
     */
    takes: number;
    /**
     * the places that a blank report is drawn from
     */
    places: number;
    write: (x: number, blank: boolean, words: BigUint64Array) => bigint;
    /**
     * the largest Q(y|x) / Pr(blank y) of any x, and the other way round
     */
    ratios: [Ratio, Ratio];
    marks?: Marks;
};
export type Marks = {
    /**
     * how many they mark
     */
    members: number;
    /**
     * whether a report marks a place
     */
    marked: (y: bigint, place: number) => boolean;
    /**
     * the most that a report is likelier from x than blank, where it does not mark x and where it does
     */
    above: [Ratio, Ratio];
    /**
     * the most that it is likelier blank than from x
     */
    below: [Ratio, Ratio];
    /**
     * the most that it is likelier from x than from z, where marked(x) - marked(z) is -1, 0, 1
     */
    between: Ratio[];
};
export type Few = (values: number[]) => number[];
export type Machine = {
    /**
     * how many values it has
     */
    inputs: number;
    /**
     * how many 64-bit words a report takes, whatever the value
     */
    takes: number;
    /**
     * reports are below this
     */
    outputs: bigint;
    few: Few;
    /**
     * a certain bound on Q(y|x) / Q(y|z) over all reports y
     */
    ratio: (x: number, z: number) => Ratio;
    write: (x: number, words: BigUint64Array) => bigint;
    /**
     * true if all that a context asks is proved at once
     */
    proves?: (context: Context) => boolean;
    neutral?: (units: bigint, steps: number[][]) => Neutral;
    held?: Held;
    /**
     * true for unary encoding, which draws for nobody's value, -1, too
     */
    bitwise?: boolean;
};
export type Claim = [x: number, z: number, level: Ratio];
export type Claims = [left: number[], right: number[], level: Ratio];
export type Context = {
    values: any[];
    /**
     * those that imply all others, where few values stand for all
     */
    claims: (few: Few) => Iterable<Claim>;
    /**
     * the largest finite entry, or an upper bound of it; 0 if there is none
     */
    largest: Ratio;
    /**
     * whether some value may be told from another for certain
     */
    shows: boolean;
    grid?: Grid | null;
};
export type Grid = {
    /**
     * the whole coordinates of each value, from 0 on
     */
    cells: number[][];
    /**
     * E of a displacement, or less by at most `rounding`
     */
    apart: (steps: number[]) => Ratio;
    rounding: Ratio;
};
export type State = {
    depth: number;
    /**
     * what they write, if they mark their children
     */
    part?: Machine;
    places: number;
    marks: Marks;
    /**
     * the states of their children, unmarked and marked
     */
    sides: State[];
    /**
     * how many of each a report lays out
     */
    often: number[];
    /**
     * how many nodes a report lays out for one of them, itself included
     */
    count: number;
    /**
     * how much likelier their reports are for a value below them than for none, at most
     */
    above: Ratio;
    /**
     * how much less likely
     */
    below: Ratio;
};
export type Law = {
    /**
     * the SHA-256 of its text
     */
    fingerprint: string;
    /**
     * the answers that can be given
     */
    values: readonly any[];
    /**
     * how many there are
     */
    size: number;
    /**
     * the context that was checked, as published
     */
    context: any;
    /**
     * the largest finite entry of E, or an upper bound of it, as exact text
     */
    epsilon: string;
    /**
     * whether some values may be told from others for certain
     */
    shows: boolean;
    /**
     * how many 64-bit words a report takes
     */
    words: number;
    /**
     * how many bits hold a report
     */
    bits: number;
    /**
     * the number of a value
     */
    index: (value: any) => number;
    /**
     * the report of value number x
     */
    draw: (x: number, words: BigUint64Array) => bigint;
    /**
     * a report as it is sent
     */
    written: (report: bigint) => number | string;
};
/** The check of a published law, from its integers alone, before anybody answers. */
/**
 * A law that keeps its promise: every likelihood ratio that the context asks about is within e^E.
 * @typedef {object} Law
 * @property {string} fingerprint the SHA-256 of its text
 * @property {readonly any[]} values the answers that can be given
 * @property {number} size how many there are
 * @property {any} context the context that was checked, as published
 * @property {string} epsilon the largest finite entry of E, or an upper bound of it, as exact text
 * @property {boolean} shows whether some values may be told from others for certain
 * @property {number} words how many 64-bit words a report takes
 * @property {number} bits how many bits hold a report
 * @property {(value: any) => number} index the number of a value
 * @property {(x: number, words: BigUint64Array) => bigint} draw the report of value number x
 * @property {(report: bigint) => number | string} written a report as it is sent
 */
/**
 * The law that a text publishes, once its promise has been checked; `Refused` with a reason if it does not hold.
 * @param {string} text the canonical JSON, exactly as published
 * @param {{fingerprint?: string}} [expected]
 * @returns {Promise<Law>}
 */
declare function checkLaw(text: string, { fingerprint }?: {
    fingerprint?: string;
}): Promise<Law>;
/** Random words from the system; without them there is no report. */
/**
 * So many random 64-bit words.
 * @param {number} count
 */
declare const randomWords: (count: number) => BigUint64Array<ArrayBuffer>;
/** So many random bytes, a multiple of eight, as lowercase hexadecimal digits. @param {number} count */
declare const randomHex: (count: number) => string;
export { LIMITS, Refused, atMost, checkLaw, exactNumber, hexOf, plus, randomHex, randomWords, sha256, textOf, utf8 };
