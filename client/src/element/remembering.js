/** Collections and laws that were read before, for when the network is away: they are checked again each time. */

/** The name of the cache of the page's origin. */
const CACHE = "discreet-collections";

/** Keep what was read to its end. @param {string} url @param {Response} response */
function recorded(url, response) {
  /** @type {BlobPart[]} */
  const parts = [];
  const { status, headers } = response;
  const through = new TransformStream({
    transform(part, out) {
      parts.push(part);
      out.enqueue(part);
    },
    async flush() {
      const kept = new Response(new Blob(parts), { status });
      await caches.open(CACHE).then((cache) => cache.put(url, kept), () => {}).catch(() => {}); // without it, only what is online can be answered
    },
  });
  return new Response(response.body?.pipeThrough(through), { status, headers });
}

/** A `fetch` that gives what it has read before when the collector cannot be reached. @param {string | URL | Request} asked @param {RequestInit} [init] */
export async function remembering(asked, init) {
  const url = String(asked);
  if (init?.method && init.method !== "GET") return fetch(asked, init);
  try {
    const response = await fetch(asked, init);
    return response.status === 200 ? recorded(url, response) : response;
  } catch (problem) {
    const kept = await caches.open(CACHE).then((cache) => cache.match(url), () => undefined).catch(() => undefined);
    if (kept) return kept;
    throw problem;
  }
}
