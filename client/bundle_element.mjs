/** How the element is bundled: the modules of the answer page, with those of `src/element` in place of what is of a page. */

import { readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

const HERE = dirname(fileURLToPath(import.meta.url));
const OWN = join(HERE, "src", "element");

/** Where the modules of the answer page are. */
export const PAGES = join(dirname(HERE), "src", "discreet", "collector", "pages");

/** Every module of the element, and its entry in src/. @type {Record<string, string>} */
export const ELEMENT_MODULES = { element: "element.js", element_worker: "element/worker.js" };

/** What is not as in a page: a name of a module there, and the one in its place. @type {Record<string, string>} */
const INSTEAD = { "background.js": join(OWN, "side.js"), "page.js": join(OWN, "page.js") };

/** @param {string} name */
const pageModule = (name) => INSTEAD[name] ?? join(PAGES, name);

/** The style of the pages, as it is inside another: headings one level lower, and sizes by a unit that can be told. @param {any} esbuild */
async function styleText({ transform }) {
  const pages = readFileSync(join(PAGES, "style.css"), "utf8")
    .replace(/\bh([123])\b/g, (_, level) => `h${Number(level) + 1}`)
    .replace(/(\d*\.?\d+)rem(?!\))/g, "calc($1 * var(--unit))")
    .replaceAll("main [lang]", "[lang]");
  const { code } = await transform(pages + readFileSync(join(OWN, "style.css"), "utf8"), { loader: "css", minify: true });
  return code.trim();
}

/**
 * @param {any} esbuild
 * @param {boolean} isFace whether it is what is shown, which needs plain functions of the client alone
 */
const modules = (esbuild, isFace) => ({
  name: "element",
  setup: (/** @type {any} */ build) => {
    build.onResolve({ filter: /^discreet-pages\// }, (/** @type {any} */ { path }) => ({ path: pageModule(path.slice("discreet-pages/".length)) }));
    build.onResolve({ filter: /^\.\/(background|page)\.js$/ }, (/** @type {any} */ { path, importer }) => (dirname(importer) === PAGES ? { path: pageModule(path.slice(2)) } : undefined));
    build.onResolve({ filter: /\/made\/participant\.js$/ }, () => (isFace ? { path: join(HERE, "src", "words.js") } : { path: "./participant.min.js", external: true }));
    build.onResolve({ filter: /^discreet-(face|style)$/ }, (/** @type {any} */ { path }) => ({ path, namespace: "made" }));
    build.onLoad({ filter: /style/, namespace: "made" }, async () => ({ contents: await styleText(esbuild), loader: "text" }));
    // a function around a bundle: whoever calls it has modules of their own, with a language of their own
    build.onLoad({ filter: /face/, namespace: "made" }, async () => ({
      contents: `export default () => {\n${await text(esbuild, "element/face.js", { format: "iife", globalName: "face" }, true)}\nreturn face;\n};`,
    }));
  },
});

/** @param {any} esbuild @param {string} entry @param {object} options @param {boolean} isFace */
async function text(esbuild, entry, options, isFace) {
  const { outputFiles } = await esbuild.build({
    entryPoints: [join(HERE, "src", entry)],
    bundle: true,
    format: "esm",
    target: "es2022",
    plugins: [modules(esbuild, isFace)],
    logLevel: "warning",
    write: false,
    ...options,
  });
  return outputFiles[0].text;
}

/** The text of a module. @param {any} esbuild with `build` and `transform` @param {string} module @returns {Promise<string>} */
export const bundleElement = (esbuild, module) => text(esbuild, ELEMENT_MODULES[module], {}, false);
