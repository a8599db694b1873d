/** What `bench/client.py` measures, in Node and in a page alike. */

/**
 * Milliseconds from the text of a law to the first report, and reports a second after that.
 * @param {{checkLaw: Function, randomWords: Function}} client
 * @param {string} text
 * @param {string} fingerprint
 */
export async function measure(client, text, fingerprint) {
  const begun = performance.now();
  const law = await client.checkLaw(text, { fingerprint });
  law.written(law.draw(law.size >> 1, client.randomWords(law.words)));
  const first = performance.now() - begun;
  let reports = 0;
  const started = performance.now();
  let gone = 0;
  for (; gone < 500; gone = performance.now() - started) {
    for (let i = 0; i < 100; i += 1) law.written(law.draw((reports + i) % law.size, client.randomWords(law.words)));
    reports += 100;
  }
  return { first, rate: (1000 * reports) / gone };
}

if (typeof process !== "undefined" && process.argv[2]) {
  const { readFileSync } = await import("node:fs");
  const [, , file, fingerprint] = process.argv;
  const client = await import("../client/dist/discreet.min.js");
  console.log(JSON.stringify(await measure(client, readFileSync(file, "utf8"), fingerprint)));
}
