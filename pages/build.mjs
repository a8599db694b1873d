/**
 * Make what the pages need besides their own files: `node build.mjs`.
 *
 * Into src/discreet/collector/pages/made go Observable Plot and H3 in one file each, and the two modules of the client, minified. Nothing of it
 * is committed; a wheel holds it.
 */

import { mkdirSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { gzipSync } from "node:zlib";
import { build } from "esbuild";

const HERE = dirname(fileURLToPath(import.meta.url));
const ROOT = dirname(HERE);
const MADE = join(ROOT, "src", "discreet", "collector", "pages", "made");
const DRAFT = `${MADE}.draft`;

rmSync(DRAFT, { recursive: true, force: true });
mkdirSync(DRAFT, { recursive: true });
const common = { format: "esm", minify: true, legalComments: "none", target: "es2022", logLevel: "warning" };
for (const name of ["plot", "h3"])
  await build({ ...common, entryPoints: [join(HERE, `${name}.js`)], bundle: true, outfile: join(DRAFT, `${name}.js`) });
for (const name of ["discreet", "participant"])
  await build({ ...common, entryPoints: [join(ROOT, "client", `${name}.js`)], outfile: join(DRAFT, `${name}.js`) });
for (const name of ["plot", "h3", "discreet", "participant"]) {
  const path = join(DRAFT, `${name}.js`);
  console.log(`${name}.js: ${statSync(path).size} bytes, ${gzipSync(readFileSync(path)).length} with gzip`);
}
writeFileSync(join(DRAFT, ".done"), "");
rmSync(MADE, { recursive: true, force: true });
renameSync(DRAFT, MADE);
