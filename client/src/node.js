export { checkLaw, IndexedStore, MemoryStore, Participant, randomWords, Refused } from "./index.js";
export { FileStore } from "./files.js";
