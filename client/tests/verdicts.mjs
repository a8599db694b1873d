/** What the client says of published laws: reads {name: {law, fingerprint}} from a file, prints {name: verdict}. */

import { readFileSync } from "node:fs";
import { checkLaw, Refused } from "../dist/discreet.min.js";

const verdicts = {};
for (const [name, { law, fingerprint }] of Object.entries(JSON.parse(readFileSync(process.argv[2], "utf8")))) {
  try {
    const checked = await checkLaw(law, fingerprint === null ? {} : { fingerprint });
    verdicts[name] = `accepted ${checked.epsilon}${checked.shows ? " and shows" : ""}`;
  } catch (problem) {
    verdicts[name] = problem instanceof Refused ? `${problem.code}: ${problem.message}` : `threw ${problem}`;
  }
}
console.log(JSON.stringify(verdicts));
