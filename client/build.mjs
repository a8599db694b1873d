/**
 * Build the client: `node build.mjs [FOLDER]`, into dist/ unless told otherwise.
 *
 * esbuild bundles src/ into five modules (see bundle.mjs) and two of the element (see bundle_element.mjs), terser gives them short names, which compresses better than those of esbuild
 * (9,996 bytes instead of 10,700), and tsc writes their types. Nothing of it is committed.
 */

import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { brotliCompressSync, gzipSync } from "node:zlib";
import * as esbuild from "esbuild";
import { minify } from "terser";
import { bundle, MODULES } from "./bundle.mjs";
import { bundleElement, ELEMENT_MODULES, PAGES } from "./bundle_element.mjs";

const HERE = dirname(fileURLToPath(import.meta.url));
const TSC = join(HERE, "node_modules", "typescript", "bin", "tsc");
const DIST = resolve(process.argv[2] ?? join(HERE, "dist"));

/** What the first module, which decides about privacy, must stay below in bytes. */
const MAX_SIZES = { minified: 25_000, gzip: 10_000, brotli: 10_000 };

/** What the element must stay below, without what it loads. */
const MAX_ELEMENT = { minified: 60_000, gzip: 20_000, brotli: 20_000 };

/** @type {import("terser").MinifyOptions} */
const TERSER = { module: true, ecma: 2020, compress: { hoist_funs: true, inline: 0, lhs_constants: false, reduce_funcs: false } };

/** @param {string} module */
async function minified(module) {
  const text = module in ELEMENT_MODULES ? await bundleElement(esbuild, module) : await bundle(esbuild.build, module, ".min.js", { minifySyntax: true });
  const { code } = await minify(text, TERSER);
  return `${code}\n`;
}

rmSync(DIST, { recursive: true, force: true });
mkdirSync(DIST, { recursive: true });
for (const module of [...MODULES, ...Object.keys(ELEMENT_MODULES)]) {
  const name = `${module}.min.js`;
  const text = await minified(module);
  writeFileSync(join(DIST, name), text);
  const sizes = { minified: Buffer.byteLength(text), gzip: gzipSync(text, { level: 9 }).length, brotli: brotliCompressSync(text).length };
  console.log(`${name}: ${sizes.minified} bytes, ${sizes.gzip} with gzip, ${sizes.brotli} with brotli`);
  console.log(`  integrity sha384-${createHash("sha384").update(text).digest("base64")}`);
  for (const form of /** @type {(keyof typeof sizes)[]} */ (Object.keys(sizes)))
    for (const [small, most] of /** @type {const} */ ([[MODULES[0], MAX_SIZES], ["element", MAX_ELEMENT]]))
      if (module === small && sizes[form] >= most[form]) {
        console.error(`build.mjs: ${name} must be below ${most[form]} bytes (${form})`);
        process.exitCode = 1;
      }
}
// the sentences of the element, of which it loads one language
mkdirSync(join(DIST, "languages"));
for (const name of readdirSync(join(PAGES, "languages")).filter((entry) => entry.endsWith(".js"))) {
  const { code } = await minify(readFileSync(join(PAGES, "languages", name), "utf8"), TERSER);
  writeFileSync(join(DIST, "languages", name), `${code}\n`);
}
execFileSync(process.execPath, [TSC, "--project", join(HERE, "tsconfig.types.json"), "--outDir", join(DIST, "types")], { stdio: "inherit" });
if (!process.exitCode) writeFileSync(join(DIST, ".done"), "");
