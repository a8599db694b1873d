/**
 * Build the client: `node build.mjs`, or `node build.mjs --check` to compare with what is committed.
 *
 * The files of src/ are joined, in the order in which they import each other, into three readable modules: discreet.js,
 * what src/index.js reaches; participant.js, what src/participant.js reaches besides; node.js, what src/node.js reaches
 * besides both. So no code is there twice: a module imports from those before it. Their types go to *.d.ts, and minified
 * forms to dist/. No name may stand at the top of two files.
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
const COMPRESSED = 10_000;

/** Properties that are of no concern outside the first module, and of no data: their names are shortened there. */
const PRIVATE =
  /^(above|apart|below|between|bitwise|cells|claims|count|depth|few|grid|group|held|inputs|isOther|largest|last|marked|marks|members|neutral|offsets|often|outputs|part|parts|place|places|proves|ratio|ratios|rounding|scale|sides|sizes|takes|whole|write)$/;

/** Every module, and the file whose exports are its public names. */
const MODULES = [
  { module: "discreet", entry: "index.js" },
  { module: "participant", entry: "participant.js" },
  { module: "node", entry: "node.js" },
];

const IMPORT = /^import\s+\{([^}]*)\}\s+from\s+"\.\/([\w-]+\.js)";\n/gm;
const REEXPORT = /^export\s+\{([^}]*)\}\s+from\s+"\.\/([\w-]+\.js)";\n/gm;
const TYPE_IMPORT = /^\/\*\* @import \{([^}]*)\} from "\.\/([\w-]+\.js)" \*\/\n/gm;
const DECLARED = /^(?:export )?(?:async )?(?:function\*?|class|const|let|var) (\w+|[{[])/gm;
const TYPE = /@typedef\s+(?:\{(?:[^{}]|\{(?:[^{}]|\{[^{}]*\})*\})*\}\s*)?(\w+)/g;

class Failure extends Error {}

/** @typedef {{from: string, list: string[]}} Use names that are taken from a file */
/** @typedef {{file: string, uses: Use[], types: Use[], given: Use[], exported: string[], declared: string[], text: string}} Source */

/** @param {string} list of an import or export */
const names = (list) => list.split(",").map((name) => name.trim()).filter(Boolean);

/** One file: what it takes from which others, what it declares, and its text without either. @param {string} file @returns {Source} */
function read(file) {
  const written = readFileSync(join(SOURCES, file), "utf8").replace(/\r\n/g, "\n");
  const taken = (/** @type {RegExp} */ form) => [...written.matchAll(form)].map(([, list, from]) => ({ from, list: names(list) }));
  const [uses, given, types] = [IMPORT, REEXPORT, TYPE_IMPORT].map(taken);
  for (const name of [...uses, ...given, ...types].flatMap(({ list }) => list)) {
    if (!/^\w+$/.test(name)) throw new Failure(`${file}: "${name}" is renamed, which one module for all cannot do`);
  }
  const text = written.replace(IMPORT, "").replace(REEXPORT, "").replace(TYPE_IMPORT, "");
  const declared = [...text.matchAll(DECLARED)].map(([, name]) => name);
  const broken = declared.find((name) => !/^\w+$/.test(name));
  if (broken) throw new Failure(`${file}: a declaration at the top must be of one name, not begin with "${broken}"`);
  const exported = [...text.matchAll(/^export (?:async )?(?:function\*?|class|const|let) (\w+)/gm)].map(([, name]) => name);
  declared.push(...[...text.matchAll(TYPE)].map(([, name]) => name));
  const plain = text.replace(/^export (?=(?:async )?(?:function|class|const|let) )/gm, "");
  const left = /^(?:import|export)\b.*|\bimport\("\.\/.*/m.exec(plain);
  if (left) throw new Failure(`${file}: cannot join "${left[0]}"; import and export by name only`);
  return { file, uses: [...uses, ...given], types, given, exported, declared: [...new Set(declared)], text: plain.trim() };
}

/** The files that an entry reaches, in the order in which they import each other. @param {string} entry */
function ordered(entry) {
  /** @type {Map<string, Source>} */
  const found = new Map();
  /** @type {string[]} */
  const open = [];
  /** @param {string} file */
  const visit = (file) => {
    if (open.includes(file)) throw new Failure(`${[...open, file].join(" -> ")}: files must not import each other in a circle`);
    if (found.has(file)) return;
    open.push(file);
    const source = read(file);
    for (const { from, list } of source.uses) {
      visit(from);
      const there = /** @type {Source} */ (found.get(from));
      const missing = list.find((name) => !there.exported.includes(name) && !there.given.some((use) => use.list.includes(name)));
      if (missing) throw new Failure(`${file}: ${from} does not export "${missing}"`);
    }
    open.pop();
    found.set(file, source);
  };
  visit(entry);
  return [...found.values()];
}

/** A list of names of a module, if there are any. @param {string} keyword @param {Iterable<string>} list @param {string} [from] */
function line(keyword, list, from) {
  const sorted = [...new Set(list)].sort();
  return sorted.length ? [`${keyword} { ${sorted.join(", ")} }${from ? ` from "./${from}.js"` : ""}`] : [];
}

/** The text of every module, by its name; a module without an entry in src/ is left out. */
function joined() {
  const made = MODULES.filter(({ entry }) => existsSync(join(SOURCES, entry)));
  /** The file and the module of every name at the top of a file. @type {Map<string, {file: string, module: string}>} */
  const places = new Map();
  /** @type {Set<string>} */
  const taken = new Set();
  const parts = made.map(({ module, entry }) => {
    const sources = ordered(entry).filter(({ file }) => !taken.has(file));
    for (const { file, declared } of sources) {
      taken.add(file);
      for (const name of declared) {
        const first = places.get(name);
        if (first) throw new Failure(`"${name}" stands at the top of ${first.file} and of ${file}; rename one`);
        places.set(name, { file, module });
      }
    }
    const last = sources[sources.length - 1];
    return { module, sources, given: [...last.given.flatMap(({ list }) => list), ...last.exported] };
  });
  const { version } = JSON.parse(readFileSync(join(HERE, "package.json"), "utf8"));
  const moduleOf = (/** @type {string} */ name) => places.get(name)?.module;
  const used = parts.map(({ sources }) => sources.flatMap(({ uses }) => uses.flatMap(({ list }) => list)));
  return parts.map(({ module, sources, given }, at) => {
    const others = parts.slice(0, at).map((part) => part.module);
    const [own, later] = [used[at], used.slice(at + 1).flat()];
    const types = sources.flatMap((source) => source.types.flatMap(({ list }) => list));
    const bodies = sources.map(({ text }) => text).join("\n");
    const of = (/** @type {string} */ other, /** @type {string[]} */ list) => list.filter((name) => moduleOf(name) === other);
    const code = [
      `// discreet ${version}, the client: joined from src/ by build.mjs, so do not edit it here.`,
      "// SPDX-License-Identifier: Apache-2.0\n",
      ...others.flatMap((other) => line("import", of(other, own).filter((name) => new RegExp(`\\b${name}\\b`).test(bodies)), other).map((one) => `${one};\n`)),
      ...others.flatMap((other) => line("@import", of(other, types), other).map((one) => `/** ${one} */\n`)),
      ...sources.filter(({ text }) => text).map(({ file, text }) => `// -- src/${file} ${"-".repeat(100 - file.length)}\n\n${text}\n`),
      ...line("export", of(module, [...given, ...later])).map((one) => `${one};`),
      ...others.flatMap((other) => line("export", of(other, given), other).map((one) => `${one};`)),
    ];
    return { module, code: `${code.join("\n")}\n`, open: given };
  });
}

/** The types of the joined modules, in their order. @param {{module: string, code: string}[]} modules */
function typesOf(modules) {
  const folder = mkdtempSync(join(tmpdir(), "discreet-types-"));
  try {
    for (const { module, code } of modules) writeFileSync(join(folder, `${module}.js`), code);
    writeFileSync(join(folder, "package.json"), JSON.stringify({ type: "module" }));
    const { compilerOptions } = JSON.parse(readFileSync(join(HERE, "tsconfig.json"), "utf8"));
    const declared = { ...compilerOptions, types: [], noUnusedLocals: false, noEmit: false, declaration: true, emitDeclarationOnly: true };
    const files = modules.map(({ module }) => `${module}.js`);
    writeFileSync(join(folder, "tsconfig.json"), JSON.stringify({ compilerOptions: declared, files }));
    const tsc = join(HERE, "node_modules", "typescript", "bin", "tsc");
    execFileSync(process.execPath, [tsc, "--project", folder], { stdio: ["ignore", "pipe", "inherit"] });
    return modules.map(({ module }) => readFileSync(join(folder, `${module}.d.ts`), "utf8"));
  } catch (problem) {
    const said = /** @type {{stdout?: Buffer}} */ (problem).stdout?.toString().trim();
    throw said ? new Failure(`types: ${said.split("\n").slice(0, 10).join("\n")}`) : problem;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** @param {string} code @param {boolean} isFirst whether it is the module that is to be small */
async function minified(code, isFirst) {
  const among = code.replace(/(?<= from "\.\/\w+)(?=\.js";$)/gm, ".min").replace(/\bconst (?=[\w[{])/g, "let ");
  const made = await minify(among, {
    module: true,
    ecma: 2020,
    compress: { passes: 4, unsafe_arrows: true, keep_fargs: false, pure_getters: true, lhs_constants: false, evaluate: false, sequences: false },
    mangle: isFirst ? { properties: { builtins: true, regex: PRIVATE } } : {},
    format: { comments: false },
  });
  return `${made.code}\n`;
}

/**
 * The minified modules, in which names that only they take from each other stay as short as they are inside.
 * @param {{module: string, code: string, open: string[]}[]} modules
 */
async function allMinified(modules) {
  const texts = await Promise.all(modules.map(({ code }, at) => minified(code, !at)));
  const short = new Map();
  const exported = texts.map((text, at) =>
    text.replace(/(?<=\bexport\{)[^}]*(?=\}(?!from))/g, (list) =>
      list.replace(/([\w$]+) as (\w+)/g, (one, name, long) => {
        if (modules[at].open.includes(long)) return one;
        short.set(`${modules[at].module} ${long}`, name);
        return name;
      }),
    ),
  );
  return exported.map((text) =>
    text.replace(/\bimport\{([^}]*)\}from"\.\/(\w+)\.min\.js"/g, (_, list, module) => {
      const taken = list.replace(/\w+(?= as )/g, (/** @type {string} */ long) => short.get(`${module} ${long}`) ?? long);
      return `import{${taken}}from"./${module}.min.js"`;
    }),
  );
}

/** Say how large a file is. @param {string} label @param {string} text @param {string} [more] */
function tell(label, text, more = "") {
  const bytes = Buffer.from(text);
  const sizes = { gzip: gzipSync(bytes, { level: 9 }).length, brotli: brotliCompressSync(bytes).length };
  console.log(`${label}: ${bytes.length} bytes, ${sizes.gzip} with gzip, ${sizes.brotli} with brotli${more}`);
  return sizes;
}

async function build() {
  const modules = joined();
  const types = typesOf(modules);
  /** @type {Map<string, string>} */
  const committed = new Map(modules.flatMap(({ module, code }, at) => [[`${module}.js`, code], [`${module}.d.ts`, types[at]]]));
  const small = await allMinified(modules);
  if (process.argv.includes("--check")) {
    for (const [name, text] of committed) {
      const there = existsSync(join(HERE, name)) ? readFileSync(join(HERE, name), "utf8") : "";
      if (there !== text) throw new Failure(`${name} is not what src/ builds to: run make client`);
    }
  } else {
    for (const [name, text] of committed) writeFileSync(join(HERE, name), text);
    mkdirSync(join(HERE, "dist"), { recursive: true });
    modules.forEach(({ module }, at) => writeFileSync(join(HERE, "dist", `${module}.min.js`), small[at]));
  }
  const compressed = modules.map(({ module, code }, at) => {
    tell(`${module}.js`, code);
    const hash = createHash("sha384").update(small[at]).digest("base64");
    return tell(`${module}.min.js`, small[at], `\n  integrity sha384-${hash}`);
  });
  // the first module decides about privacy, and is to be small
  if (Buffer.byteLength(small[0]) >= MINIFIED) throw new Failure(`${modules[0].module}.min.js must be below ${MINIFIED} bytes`);
  for (const [way, size] of Object.entries(compressed[0]))
    if (size >= COMPRESSED) throw new Failure(`${modules[0].module}.min.js must be below ${COMPRESSED} bytes with ${way}`);
}

build().catch((problem) => {
  console.error(problem instanceof Failure ? `${basename(process.argv[1])}: ${problem.message}` : problem);
  process.exitCode = 1;
});
