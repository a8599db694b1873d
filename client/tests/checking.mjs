/** Vectors against the client, in Node and in a browser alike: see docs/reference/vectors.md for the file. */

/**
 * Check every law of a file, and every report that the client draws from the words of a vector.
 * @param {Iterable<string> | AsyncIterable<string>} lines
 * @param {{checkLaw: Function}} client
 * @returns {Promise<{laws: number, vectors: number, wrong: number, first: string | null}>} `first` is the first fault
 */
export async function checkVectors(lines, client) {
  const done = { laws: 0, vectors: 0, wrong: 0, first: /** @type {string | null} */ (null) };
  let number = 0;
  let law = null;
  let due = 0;
  let told = null;
  /** @param {string} what */
  const wrong = (what) => {
    done.wrong += 1;
    done.first ??= `line ${number}: ${what}`;
  };
  for await (const line of lines) {
    number += 1;
    const data = JSON.parse(line);
    if (told === null) {
      told = data;
      if (told.version !== 1) wrong("this is no file of vectors of version 1");
    } else if (Array.isArray(data)) {
      due -= 1;
      done.vectors += 1;
      if (law === null) continue; // it was refused, and counted as wrong
      const found = report(law, data);
      if (found !== data[2]) wrong(`value ${data[0]} writes ${found}, not ${data[2]}`);
    } else {
      if (due) wrong("a law has fewer vectors than it says");
      due = data.vectors;
      done.laws += 1;
      law = null;
      try {
        law = await client.checkLaw(data.law, { fingerprint: data.fingerprint });
        if (law.fingerprint !== data.fingerprint) wrong("the law has another fingerprint");
      } catch (problem) {
        wrong(`the law is refused: ${problem}`);
      }
    }
  }
  if (due || told === null || told.laws !== done.laws || told.vectors !== done.vectors) wrong("the file is not complete");
  return done;
}

/** What the client writes, or what it says instead. */
function report(law, [x, hex]) {
  try {
    return law.written(law.draw(law.numbers ? law.index(x) : x, wordsOf(hex)));
  } catch (problem) {
    return String(problem);
  }
}

/** The words that hexadecimal digits say, 16 for each. @param {string} hex */
export function wordsOf(hex) {
  const words = new BigUint64Array(hex.length / 16);
  for (let i = 0; i < words.length; i += 1) words[i] = BigInt(`0x${hex.slice(16 * i, 16 * i + 16)}`);
  return words;
}
