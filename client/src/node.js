export { FileStore } from "./files.js";
export { checkLaw, IndexedStore, MemoryStore, Participant, randomWords, Refused } from "./participant.js";
