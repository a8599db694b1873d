/** `node changed_laws.mjs FILE`: for every line of the file, a law as JSON text, null if the client accepts it, else why it does not. */

import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { Refused, checkLaw } from "../dist/discreet.min.js";

for (const line of readFileSync(process.argv[2], "utf8").split("\n").filter(Boolean)) {
  const text = JSON.parse(line);
  const fingerprint = createHash("sha256").update(text).digest("hex");
  let said = null;
  try {
    await checkLaw(text, { fingerprint });
  } catch (problem) {
    if (!(problem instanceof Refused)) throw problem;
    said = problem.message;
  }
  console.log(JSON.stringify(said));
}
