/** The participant's side of an element: for a worker, or for the page where there is none. */

import { serve, tasks } from "discreet-pages/tasks.js";
import { remembering } from "./remembering.js";

/** What can be asked of it. */
export const begin = () => tasks({ fetch: remembering });

if (typeof document === "undefined" && typeof postMessage === "function") {
  serve(begin());
  postMessage({ isReady: true });
}
