/**
 * `node leaking.mjs LAW`: as randomize.mjs, but with a leak that an audit must find.
 *
 * The first word is the higher one of two. Of randomized response, where the words of the truth lie above those of the
 * lies, that is as good as a wrong threshold: the truth is told more often than epsilon allows.
 */

import { randomWords } from "../dist/discreet.min.js";
import { draw, readLaw } from "./drawing.mjs";

const law = await readLaw(process.argv[2]);
draw(law, (x) => {
  const words = randomWords(law.words);
  const [again] = randomWords(1);
  if (again > words[0]) words[0] = again;
  return law.draw(x, words);
});
