/** `node forms.mjs FILE`: the client against a file of vectors of whole questionnaires; the outcome is printed as JSON, and 1 is the exit code of a fault. */

import { readFileSync } from "node:fs";
import * as client from "../dist/participant.min.js";
import { checkForms } from "./checking_forms.mjs";

const done = await checkForms(readFileSync(process.argv[2], "utf8").trimEnd().split("\n"), client);
console.log(JSON.stringify(done));
process.exitCode = done.wrong ? 1 : 0;
