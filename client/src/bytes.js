/** Bytes, their hash, and how they are written. */

/** @param {string} text */
export const utf8 = (text) => new TextEncoder().encode(text);

/** Bytes as lowercase hexadecimal digits. @param {ArrayBuffer} bytes */
export const hexOf = (bytes) => [...new Uint8Array(bytes)].map((byte) => byte.toString(16).padStart(2, "0")).join("");

/** The SHA-256 of a text, as UTF-8. @param {string} text */
export const sha256 = async (text) => hexOf(await crypto.subtle.digest("SHA-256", utf8(text)));
