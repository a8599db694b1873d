/**
 * Build the client: `node build.mjs`, or `node build.mjs --check` to compare with what is committed.
 *
 * The modules of src/ are joined, in the order in which they import each other, into one readable module, discreet.js;
 * its types go to discreet.d.ts, and its minified form to dist/. No name may stand at the top of two modules. What
 * src/index.js exports is public; where there is a src/node.js, its exports, for Node alone, become discreet.node.js.
 */

import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { brotliCompressSync, gzipSync } from "node:zlib";
import { minify } from "terser";

const HERE = dirname(fileURLToPath(import.meta.url));
const SOURCES = join(HERE, "src");
const MINIFIED = 25_000;
const GZIPPED = 10_000;

const IMPORT = /^import\s+\{([^}]*)\}\s+from\s+"\.\/([\w-]+\.js)";\n/gm;
const REEXPORT = /^export\s+\{([^}]*)\}\s+from\s+"\.\/([\w-]+\.js)";\n/gm;
const DECLARED = /^(?:export )?(?:async )?(?:function\*?|class|const|let|var) (\w+|[{[])/gm;
const TYPE = /@typedef\s+(?:\{(?:[^{}]|\{(?:[^{}]|\{[^{}]*\})*\})*\}\s*)?(\w+)/g;
const TYPE_IMPORT = /import\("\.\/[\w-]+\.js"\)\.|^\/\*\* @import \{[^}]*\} from "\.\/[\w-]+\.js" \*\/\n|^ \* @import .*\n/gm;

class Failure extends Error {}

/** @param {string} list of an import or export */
const names = (list) => list.split(",").map((name) => name.trim()).filter(Boolean);

/** One module: what it takes from which others, what it declares, and its text without either. @param {string} file */
function read(file) {
  const written = readFileSync(join(SOURCES, file), "utf8").replace(/\r\n/g, "\n");
  const taken = [...written.matchAll(IMPORT), ...written.matchAll(REEXPORT)];
  for (const name of taken.flatMap(([, list]) => names(list))) {
    if (!/^\w+$/.test(name)) throw new Failure(`${file}: "${name}" is renamed, which one module for all cannot do`);
  }
  const given = [...written.matchAll(REEXPORT)].flatMap(([, list]) => names(list));
  const text = written.replace(IMPORT, "").replace(REEXPORT, "").replace(TYPE_IMPORT, "");
  const declared = [...text.matchAll(DECLARED)].map(([, name]) => name);
  const broken = declared.find((name) => !/^\w+$/.test(name));
  if (broken) throw new Failure(`${file}: a declaration at the top must be of one name, not begin with "${broken}"`);
  const exported = [...text.matchAll(/^export (?:async )?(?:function\*?|class|const|let) (\w+)/gm)].map(([, name]) => name);
  const types = [...text.matchAll(TYPE)].map(([, name]) => name);
  const plain = text.replace(/^export (?=(?:async )?(?:function|class|const|let) )/gm, "");
  const left = /^(?:import|export)\b.*/m.exec(plain);
  if (left) throw new Failure(`${file}: cannot join "${left[0]}"; import and export by name only`);
  const uses = taken.map(([, list, from]) => ({ from, list: names(list) }));
  return { file, uses, given, exported, declared: [...new Set([...declared, ...types])], text: plain.trim() };
}

/** The modules in the order in which they import each other, ending with that of the public names. @param {string} entry */
function ordered(entry) {
  /** @type {Map<string, ReturnType<typeof read>>} */
  const found = new Map();
  /** @type {string[]} */
  const open = [];
  /** @param {string} file */
  const visit = (file) => {
    if (open.includes(file)) throw new Failure(`${[...open, file].join(" -> ")}: modules must not import each other in a circle`);
    if (found.has(file)) return;
    open.push(file);
    const module = read(file);
    for (const { from, list } of module.uses) {
      visit(from);
      const there = /** @type {ReturnType<typeof read>} */ (found.get(from));
      const missing = list.find((name) => !there.exported.includes(name) && !there.given.includes(name));
      if (missing) throw new Failure(`${file}: ${from} does not export "${missing}"`);
    }
    open.pop();
    found.set(file, module);
  };
  visit(entry);
  return [...found.values()];
}

/** All modules as one. @param {string} entry the one with the public names */
function joined(entry) {
  const modules = ordered(entry);
  /** @type {Map<string, string>} */
  const places = new Map();
  for (const { file, declared } of modules) {
    for (const name of declared) {
      if (places.has(name)) throw new Failure(`"${name}" stands at the top of ${places.get(name)} and of ${file}; rename one`);
      places.set(name, file);
    }
  }
  const { version } = JSON.parse(readFileSync(join(HERE, "package.json"), "utf8"));
  const last = modules[modules.length - 1];
  const given = [...last.given, ...last.exported].sort();
  const parts = modules.filter(({ text }) => text).map(({ file, text }) => `// -- src/${file} ${"-".repeat(100 - file.length)}\n\n${text}\n`);
  return [
    `// discreet ${version}, the client: joined from src/ by build.mjs, so do not edit it here.`,
    "// SPDX-License-Identifier: Apache-2.0\n",
    ...parts,
    `export { ${given.join(", ")} };\n`,
  ].join("\n");
}

/** The types of the joined module. @param {string} code */
function typesOf(code) {
  const folder = mkdtempSync(join(tmpdir(), "discreet-types-"));
  try {
    writeFileSync(join(folder, "discreet.js"), code);
    writeFileSync(join(folder, "package.json"), JSON.stringify({ type: "module" }));
    const { compilerOptions } = JSON.parse(readFileSync(join(HERE, "tsconfig.json"), "utf8"));
    const declared = { ...compilerOptions, types: [], noUnusedLocals: false, noEmit: false, declaration: true, emitDeclarationOnly: true };
    writeFileSync(join(folder, "tsconfig.json"), JSON.stringify({ compilerOptions: declared, files: ["discreet.js"] }));
    const tsc = join(HERE, "node_modules", "typescript", "bin", "tsc");
    execFileSync(process.execPath, [tsc, "--project", folder], { stdio: ["ignore", "pipe", "inherit"] });
    return readFileSync(join(folder, "discreet.d.ts"), "utf8");
  } catch (problem) {
    const said = /** @type {{stdout?: Buffer}} */ (problem).stdout?.toString().trim();
    throw said ? new Failure(`types: ${said.split("\n").slice(0, 10).join("\n")}`) : problem;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** @param {string} code */
async function minified(code) {
  const made = await minify(code, { module: true, ecma: 2020, compress: { passes: 3, unsafe_arrows: true }, format: { comments: false } });
  return `${made.code}\n`;
}

/** @param {string} label @param {Buffer} bytes */
function sizes(label, bytes) {
  const gzip = gzipSync(bytes, { level: 9 }).length;
  const told = `${label}: ${bytes.length} bytes, ${gzip} with gzip, ${brotliCompressSync(bytes).length} with brotli`;
  console.log(told);
  return gzip;
}

async function build() {
  const code = joined("index.js");
  const small = Buffer.from(await minified(code));
  /** @type {Record<string, string>} */
  const committed = { "discreet.js": code, "discreet.d.ts": typesOf(code) };
  if (existsSync(join(SOURCES, "node.js"))) {
    committed["discreet.node.js"] = joined("node.js");
    committed["discreet.node.d.ts"] = typesOf(committed["discreet.node.js"]);
  }
  if (process.argv.includes("--check")) {
    for (const [name, text] of Object.entries(committed)) {
      let there = "";
      try {
        there = readFileSync(join(HERE, name), "utf8");
      } catch {}
      if (there !== text) throw new Failure(`${name} is not what src/ builds to: run make client`);
    }
  } else {
    for (const [name, text] of Object.entries(committed)) writeFileSync(join(HERE, name), text);
    mkdirSync(join(HERE, "dist"), { recursive: true });
    writeFileSync(join(HERE, "dist", "discreet.min.js"), small);
  }
  sizes("discreet.js", Buffer.from(code));
  const gzip = sizes("discreet.min.js", small);
  console.log(`integrity: sha384-${createHash("sha384").update(small).digest("base64")}`);
  if (small.length >= MINIFIED) throw new Failure(`discreet.min.js must be below ${MINIFIED} bytes`);
  if (gzip >= GZIPPED) throw new Failure(`discreet.min.js must be below ${GZIPPED} bytes with gzip`);
}

build().catch((problem) => {
  console.error(problem instanceof Failure ? `${basename(process.argv[1])}: ${problem.message}` : problem);
  process.exitCode = 1;
});
