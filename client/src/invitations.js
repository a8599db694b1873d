/**
 * Invitations: in the fragment of a link, which never reaches a server, and in a journal, sealed with its key, so that
 * neither the journal nor what is exported of it shows them.
 */

import { hexOf, utf8 } from "./bytes.js";
import { Refused } from "./discreet.js";
import { canonical, isText } from "./plain.js";

/** Characters that need no escaping in a link or a header. */
const INVITATION = /^[\w.~-]{1,128}$/;

/** Whether this is how a journal holds an invitation. @param {any} found */
export const isSealed = (found) => isText(found) && /^([0-9a-f]{2}){1,128}$/.test(found);

/** An invitation as it is; what is thrown does not repeat it. @param {any} invitation @returns {string} */
export function checkInvitation(invitation) {
  if (!isText(invitation) || !INVITATION.test(invitation))
    throw new Refused("An invitation must be 1 to 128 letters, digits, ., _, ~ or -.", "invitation");
  return invitation;
}

/** The invitation in the fragment of a link, `#invitation=...`, if there is one. @param {string | URL} url */
export function invitationIn(url) {
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
export const seal = async (key, upload, invitation) => hexOf((await mixed(key, upload, utf8(invitation))).buffer);

/**
 * The invitation of an upload; undefined if the key is another one than it was sealed with.
 * @param {CryptoKey} key
 * @param {string} upload
 * @param {string} sealed
 */
export async function unseal(key, upload, sealed) {
  const bytes = Uint8Array.from(sealed.match(/../g) ?? [], (digits) => parseInt(digits, 16));
  const found = String.fromCharCode(...(await mixed(key, upload, bytes)));
  return INVITATION.test(found) ? found : undefined;
}
