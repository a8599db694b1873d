/** From lines of values to lines of reports, for programs that are audited. */

import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { checkLaw } from "../dist/discreet.min.js";

/** The law in a file, checked. @param {string} file */
export function readLaw(file) {
  const text = readFileSync(file, "utf8");
  return checkLaw(text, { fingerprint: createHash("sha256").update(text).digest("hex") });
}

/**
 * Read values from standard input, and write the report that is drawn for the number of each.
 * @param {{values: readonly unknown[], written: (report: bigint) => number | string}} law
 * @param {(x: number) => bigint} report
 */
export function draw(law, report) {
  const numbers = new Map(law.values.map((value, x) => [String(value), x]));
  const lines = readFileSync(0, "utf8").split("\n");
  if (lines.at(-1) === "") lines.pop();
  for (let at = 0; at < lines.length; at += 1 << 16) {
    const reports = lines.slice(at, at + (1 << 16)).map((line) => {
      const x = numbers.get(line);
      if (x === undefined) throw new Error("a value is not in the domain");
      return law.written(report(x));
    });
    process.stdout.write(`${reports.join("\n")}\n`);
  }
}
