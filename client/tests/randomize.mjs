/**
 * `node randomize.mjs LAW`: reads one value a line and writes one report a line, by the published law in that file.
 *
 * For `discreet audit --command`. A line is a value as text, or as the decimal digits of a whole number.
 */

import { randomWords } from "../dist/discreet.min.js";
import { draw, readLaw } from "./drawing.mjs";

const law = await readLaw(process.argv[2]);
draw(law, (x) => law.draw(x, randomWords(law.words)));
