export { checkLaw } from "./check.js";
export { Refused } from "./exact.js";
export { randomWords } from "./random.js";
