/**
 * `node vectors.mjs FILE [MODULE]`: the client, or another form of it, against a file of vectors; the outcome is printed as
 * JSON, and 1 is the exit code of a fault.
 */

import { createReadStream } from "node:fs";
import { createInterface } from "node:readline";
import { pathToFileURL } from "node:url";
import { checkVectors } from "./checking.mjs";

const [, , file, module] = process.argv;
const client = await import(module ? pathToFileURL(module).href : "../dist/discreet.min.js");
const lines = createInterface({ input: createReadStream(file), crlfDelay: Infinity });
const done = await checkVectors(lines, client);
console.log(JSON.stringify(done));
process.exitCode = done.wrong ? 1 : 0;
