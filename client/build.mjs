/**
 * Build the client: `node build.mjs [FOLDER]`, into dist/ unless told otherwise.
 *
 * esbuild bundles src/ into three modules (see bundle.mjs), terser gives them short names, which compresses better than those of esbuild
 * (9,965 bytes instead of 10,700), and tsc writes their types. Nothing of it is committed.
 */

import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { brotliCompressSync, gzipSync } from "node:zlib";
import { build } from "esbuild";
import { minify } from "terser";
import { bundle, MODULES } from "./bundle.mjs";

const HERE = dirname(fileURLToPath(import.meta.url));
const TSC = join(HERE, "node_modules", "typescript", "bin", "tsc");
const DIST = resolve(process.argv[2] ?? join(HERE, "dist"));

/** What the first module, which decides about privacy, must stay below in bytes. */
const MAX_SIZES = { minified: 25_000, gzip: 10_000, brotli: 10_000 };

/** @type {import("terser").MinifyOptions} */
const TERSER = { module: true, ecma: 2020, compress: { lhs_constants: false, reduce_funcs: false } };

/** @param {string} module */
async function minified(module) {
  const { code } = await minify(await bundle(build, module, ".min.js", { minifySyntax: true }), TERSER);
  return `${code}\n`;
}

rmSync(DIST, { recursive: true, force: true });
mkdirSync(DIST, { recursive: true });
for (const module of MODULES) {
  const name = `${module}.min.js`;
  const text = await minified(module);
  writeFileSync(join(DIST, name), text);
  const sizes = { minified: Buffer.byteLength(text), gzip: gzipSync(text, { level: 9 }).length, brotli: brotliCompressSync(text).length };
  console.log(`${name}: ${sizes.minified} bytes, ${sizes.gzip} with gzip, ${sizes.brotli} with brotli`);
  console.log(`  integrity sha384-${createHash("sha384").update(text).digest("base64")}`);
  for (const form of /** @type {(keyof typeof sizes)[]} */ (Object.keys(sizes)))
    if (module === MODULES[0] && sizes[form] >= MAX_SIZES[form]) {
      console.error(`build.mjs: ${name} must be below ${MAX_SIZES[form]} bytes (${form})`);
      process.exitCode = 1;
    }
}
execFileSync(process.execPath, [TSC, "--project", join(HERE, "tsconfig.types.json"), "--outDir", join(DIST, "types")], { stdio: "inherit" });
if (!process.exitCode) writeFileSync(join(DIST, ".done"), "");
