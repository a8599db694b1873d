/**
 * Where there is a Chromium, as JSON: {"executable": path, "libraries": folder or null}.
 *
 * The machine's own if there is one on the path, else that of the package, unpacked once beside it. The folder has
 * libraries that a machine without a desktop may lack; it is named where one is missing.
 */

import { execFileSync } from "node:child_process";
import { accessSync, constants, existsSync, mkdtempSync, renameSync, rmSync } from "node:fs";
import { delimiter, dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

const MODULES = join(dirname(fileURLToPath(import.meta.url)), "..", "node_modules");
const UNPACKED = join(MODULES, ".chromium");
const OWN = ["chromium", "chromium-browser", "google-chrome", "google-chrome-stable"];

function own() {
  for (const folder of (process.env.PATH ?? "").split(delimiter)) {
    for (const name of OWN) {
      try {
        accessSync(join(folder, name), constants.X_OK);
        return join(folder, name);
      } catch {}
    }
  }
  return null;
}

/** Unpack under another name first: a run that is stopped leaves nothing that looks complete. */
async function unpack() {
  if (existsSync(UNPACKED)) return;
  const draft = mkdtempSync(`${UNPACKED}-`);
  process.env.TMPDIR = draft;
  const { default: packed, inflate } = await import("@sparticuz/chromium");
  await packed.executablePath();
  await inflate(join(MODULES, "@sparticuz", "chromium", "bin", "al2023.tar.br"));
  try {
    renameSync(draft, UNPACKED);
  } catch (problem) {
    rmSync(draft, { recursive: true, force: true });
    if (!existsSync(UNPACKED)) throw problem;
  }
}

function lacks(executable) {
  try {
    return execFileSync("ldd", [executable], { encoding: "utf8", stdio: ["ignore", "pipe", "ignore"] }).includes("not found");
  } catch {
    return true;
  }
}

const found = own();
if (found) {
  console.log(JSON.stringify({ executable: found, libraries: null }));
} else {
  await unpack();
  const executable = join(UNPACKED, "chromium");
  console.log(JSON.stringify({ executable, libraries: lacks(executable) ? join(UNPACKED, "al2023", "lib") : null }));
}
