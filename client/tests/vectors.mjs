/** `node vectors.mjs FILE`: the client against a file of vectors; the outcome is printed as JSON, and 1 is the exit code of a fault. */

import { createReadStream } from "node:fs";
import { createInterface } from "node:readline";
import * as client from "../discreet.js";
import { checkVectors } from "./checking.mjs";

const lines = createInterface({ input: createReadStream(process.argv[2]), crlfDelay: Infinity });
const done = await checkVectors(lines, client);
console.log(JSON.stringify(done));
process.exitCode = done.wrong ? 1 : 0;
