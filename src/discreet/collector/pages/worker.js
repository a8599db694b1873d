/** The participant's side of the answer page, in a worker: to check a law may take seconds, in which the page stays alive. */

import { serve, tasks } from "./tasks.js";

serve(tasks());
