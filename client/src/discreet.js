/** The first module: checks a published law and draws by it, without storage or network. */

export { checkLaw } from "./check.js";
export { LAW_BYTES, Refused } from "./limits.js";
export { randomWords } from "./random.js";
