/**
 * Make what the pages need besides their own files: `node build.mjs`.
 *
 * Into src/discreet/collector/pages/made go Observable Plot, H3 and an encoder of QR codes in one file each, the licences of all that is in
 * them, the client for participants, and in the folder `small` what the answer page is made of as few small files, which are served in place of
 * those of the same name. Nothing of it is committed; wheels and source distributions hold it.
 */

import { mkdirSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { gzipSync } from "node:zlib";
import { build } from "esbuild";

const HERE = dirname(fileURLToPath(import.meta.url));
const MADE = join(dirname(HERE), "src", "discreet", "collector", "pages", "made");
const DRAFT = `${MADE}.draft`;

/** A library with all that it needs. @param {string} name */
async function library(name) {
  const { outputFiles } = await build({
    entryPoints: [join(HERE, `${name}.js`)],
    bundle: true,
    format: "esm",
    target: "es2022",
    minify: true,
    write: false,
    legalComments: "eof",
    banner: { js: "/*! the licences of what is in here: LICENSES.txt */" },
    logLevel: "warning",
  });
  return outputFiles[0].text;
}

/** Numbers are read by the participant anyway, in journals: here the check of a law imports what others load with the first law over them. */
const withNumbers = {
  name: "numbers",
  setup: (/** @type {any} */ { onLoad }) =>
    onLoad({ filter: /client.src.check\.js$/ }, (/** @type {any} */ { path }) => ({
      contents: `import * as numbers from "./numbers.js";\n${readFileSync(path, "utf8").replace('await import("./numbers.js")', "numbers")}`,
    })),
};

/** The client for participants: `participant.js`, what it shares in `chunk.js`, and what it loads for several questions alone. */
async function client() {
  const { outputFiles } = await build({
    entryPoints: [join(dirname(HERE), "client", "src", "participant.js")],
    bundle: true,
    splitting: true,
    format: "esm",
    target: "es2022",
    minify: true,
    write: false,
    outdir: MADE,
    chunkNames: "[name]",
    legalComments: "inline",
    logLevel: "warning",
    plugins: [withNumbers],
  });
  return outputFiles.map(({ path, text }) => [basename(path, ".js"), text]);
}

/** The notices of the licences of packages and of all that they depend on, by name. @param {string[]} names @param {Map<string, string>} [notices] */
function noticesOf(names, notices = new Map()) {
  for (const name of names.filter((one) => !notices.has(one))) {
    const folder = join(HERE, "node_modules", name);
    const { version, license, dependencies = {} } = JSON.parse(readFileSync(join(folder, "package.json"), "utf8"));
    const file = readdirSync(folder).find((one) => /^licen[cs]e/i.test(one));
    notices.set(name, `${name} ${version}: ${license}\n\n${file ? readFileSync(join(folder, file), "utf8").trim() : "It has no file of its own."}\n`);
    noticesOf(Object.keys(dependencies), notices);
  }
  return notices;
}

/** A module of the pages with those that it imports, without what only people read. @param {string} name */
async function small(name) {
  const { outputFiles } = await build({
    entryPoints: [join(dirname(MADE), name)],
    bundle: true,
    external: ["./made/*"],
    format: "esm",
    target: "es2022",
    minify: true,
    write: false,
    logLevel: "warning",
  });
  return outputFiles[0].text;
}

rmSync(DRAFT, { recursive: true, force: true });
mkdirSync(join(DRAFT, "small"), { recursive: true });
for (const [name, text] of Object.entries({
  plot: await library("plot"),
  h3: await library("h3"),
  qr: await library("qr"),
  ...Object.fromEntries(await client()),
  "small/answer": await small("answer.js"),
  "small/worker": await small("worker.js"),
})) {
  writeFileSync(join(DRAFT, `${name}.js`), text);
  console.log(`${name}.js: ${Buffer.byteLength(text)} bytes, ${gzipSync(text).length} with gzip`);
}
writeFileSync(join(DRAFT, "LICENSES.txt"), [...noticesOf(["@observablehq/plot", "h3-js", "qr"]).values()].join(`\n${"-".repeat(80)}\n\n`));
writeFileSync(join(DRAFT, ".done"), "");
rmSync(MADE, { recursive: true, force: true });
renameSync(DRAFT, MADE);
