export { checkLaw } from "./check.js";
export { Refused } from "./exact.js";
export { Participant } from "./participant.js";
export { randomWords } from "./random.js";
export { IndexedStore, MemoryStore } from "./stores.js";
