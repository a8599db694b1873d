/** How the client is bundled: five modules, each of which imports others where they will stand and holds no classes of theirs. */

import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

const HERE = dirname(fileURLToPath(import.meta.url));

/** Every module by the name of its entry in src/, and the options of its own. */
export const MODULES = ["discreet", "participant", "questionnaire", "node", "numbers"];

/** Properties of no data, that no other module asks for: the first module, which is to be small, has short names for them. */
const PRIVATE =
  /^(above|apart|below|between|bitwise|cells|claims|count|cover|depth|few|grid|group|holds|inputs|isOther|largest|last|maxRatio|members|offsets|often|outputs|part|parts|place|places|proves|ratio|ratios|rounding|scale|sides|sizes|subsets|takes|unprotected|whole|write)$/;

/**
 * The other modules are not taken in, but imported from where they will stand, the one for questionnaires when it is needed; the class of errors is that
 * of the first one.
 * @param {string} module
 * @param {string} suffix of their file names
 */
const besides = (module, suffix) => ({
  name: "modules",
  setup: (/** @type {any} */ build) =>
    build.onResolve({ filter: /^\.\/(discreet|numbers|participant|questionnaire|refused)\.js$/ }, (/** @type {any} */ { kind, path }) =>
      !["import-statement", "dynamic-import"].includes(kind) || (path === "./refused.js" && module === "discreet") || (path === "./numbers.js" && kind === "import-statement")
        ? undefined
        : { path: path.replace("refused", "discreet").replace(/\.js$/, suffix), external: true },
    ),
});

/**
 * The text of a module.
 * @param {(options: any) => Promise<any>} build that of esbuild
 * @param {string} module
 * @param {string} suffix of the files of all modules, such as ".min.js"
 * @param {object} [options] of esbuild
 * @returns {Promise<string>}
 */
export async function bundle(build, module, suffix, options) {
  const { outputFiles } = await build({
    entryPoints: [join(HERE, "src", `${module}.js`)],
    bundle: true,
    format: "esm",
    target: "es2022",
    external: ["node:*"],
    plugins: [besides(module, suffix)],
    mangleProps: module === "discreet" ? PRIVATE : undefined,
    legalComments: "inline",
    logLevel: "warning",
    write: false,
    ...options,
  });
  return outputFiles[0].text;
}
