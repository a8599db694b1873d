/** The third module: the ledger in a file, with all that the second one gives. */

export { FileStore } from "./files.js";
export { checkForm, checkLaw, entriesOf, IndexedStore, inLanguage, MemoryStore, Participant, randomWords, Refused } from "./participant.js";
