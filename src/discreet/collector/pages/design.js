/** The page of whoever plans: what people may answer, what is sensitive, and at once what that costs. */

import { ask, Problem, takeTokens } from "./api.js";
import { USUAL } from "./budget.js";
import { percent, side } from "./charts.js";
import { daysIn, labelsIn, pasted, specOf, wordsIn } from "./domain.js";
import { at, el, keep, place, show } from "./dom.js";
import { withToken } from "./tokens.js";
import { above, power, sureAtMost } from "./words.js";

const { root } = place();
/** Milliseconds without a change before the design is worked out. */
const WAIT = 120;
/** The largest epsilon that is tried to reach a standard error. */
const LARGEST = 12;

const FORMS = {
  uniform: ["Every answer", "Every answer is hidden from every other one (classical privacy)."],
  high_low: ["Some answers", "The answers that you mark are protected; the others are not."],
  blocks: ["Which answer within a group", "The group may be known, the answer within it not. Write one “group: answer” per line."],
  nested: ["Which answer within a group, and the group a little", "Hidden within the group, and less well across groups. Write one “group: answer” per line."],
  metric: ["Exact positions on a scale", "Similar answers are blurred together, such as ages: neighbours in the list are hidden from each other best."],
  matrix: ["Certain pairs", "Only the pairs that you name are hidden from each other."],
};

const EXAMPLE = ["nothing, 40", "cold or flu, 25", "back pain, 18", "allergy, 9", "depression, 5", "HIV, 1", "addiction, 2"].join("\n");

const state = {
  text: EXAMPLE,
  form: /** @type {keyof typeof FORMS} */ ("high_low"),
  epsilon: 1,
  outer: 3,
  n: 10000,
  sensitive: new Set(["depression", "HIV", "addiction"]),
  pairs: "",
  /** @type {any} */ saved: null,
  /** @type {any} */ draft: null,
  turn: 0,
};

const parts = /** @type {Record<string, HTMLElement>} */ (Object.fromEntries(["detail", "result", "problem", "start"].map((name) => [name, el("div", {})])));
parts.problem.setAttribute("role", "alert");

/** What is asked for now; an error, in words, if that is nothing. */
function request() {
  const domain = pasted(state.text);
  const spec = specOf(domain, { ...state, epsilon: String(state.epsilon), outer: String(state.outer) });
  return { spec, n: state.n, ...(domain.counts && state.form !== "blocks" && state.form !== "nested" ? { counts: domain.counts } : {}) };
}

let waiting = 0;
function changed() {
  clearTimeout(waiting);
  waiting = setTimeout(work, WAIT);
}

/** @param {string} [stderr] a standard error to reach, by another epsilon */
async function work(stderr) {
  const turn = ++state.turn;
  at("example").hidden = state.text !== EXAMPLE;
  const begun = performance.now();
  try {
    const draft = await ask("/drafts", { role: "admin", body: { ...request(), ...(typeof stderr === "string" ? { stderr } : {}) } });
    if (turn !== state.turn) return;
    state.draft = draft;
    if (draft.epsilon) {
      state.epsilon = Number(draft.epsilon);
      at("epsilon").value = String(draft.epsilon);
      sayEpsilon();
    }
    show(parts.problem);
    showResult(Math.round(performance.now() - begun));
  } catch (problem) {
    if (turn !== state.turn) return;
    state.draft = null;
    const isUnreached = typeof stderr === "string" && problem instanceof Error && problem.message.includes("reaches a standard error");
    const said = isUnreached ? `${state.n.toLocaleString()} people are too few for a standard error of ${Number((100 * Number(stderr)).toPrecision(6))} points at any epsilon up to ${LARGEST}.` : problem instanceof Error ? problem.message : "This did not work.";
    show(parts.problem, el("p", { class: "card alarm" }, said));
    show(parts.result, el("h2", {}, "What this gives"), el("p", { class: "soft" }, "Nothing yet: what is said on the other side must be mended first."));
  }
}

/** Epsilon in words. */
function epsilonText() {
  const likelier = power(state.epsilon);
  const where = { high_low: "a sensitive answer", blocks: "an answer, compared with others of its group,", nested: "an answer, compared with others of its group,", metric: "an answer, compared with its neighbours,", matrix: "an answer, compared with one it is paired with,", uniform: "an answer" }[state.form];
  const sentence = `A report makes ${where} at most ${above(likelier)} times as likely as before.`;
  if (state.form === "metric" || state.form === "matrix") return sentence;
  const people = state.form === "uniform" || state.form === "high_low" ? "people" : "people of a group";
  return `${sentence} If 10 of 100 ${people} give it, then of 100 of them who send the same report at most ${sureAtMost(10, likelier)} do.`;
}

/** Show epsilon as a number beside its slider, and in words. */
function sayEpsilon() {
  at("epsilon-number").textContent = String(state.epsilon);
  at("epsilon-text").textContent = epsilonText();
}

/** @param {any} rows @param {any} saved */
function comparison(rows, saved) {
  const all = [...rows, ...(saved ? [{ ...saved.rows[saved.rows.length - 1], label: "the design you saved" }] : [])];
  const columns = [
    ["design", (/** @type {any} */ row) => row.label],
    ["largest standard error", (/** @type {any} */ row) => percent(row.stderr)],
    ["typical width of an interval", (/** @type {any} */ row) => percent(row.width)],
    ["smallest share that can be detected", (/** @type {any} */ row) => percent(row.detectable)],
    ["people needed for an error of 1 point", (/** @type {any} */ row) => row.people_for_a_point.toLocaleString()],
    ["an attacker guesses right", (/** @type {any} */ row) => (row.guess === null ? "–" : `${Math.ceil(100 * row.guess)} of 100`)],
  ];
  return el(
    "div",
    { class: "scroll", tabindex: "0", role: "region", "aria-label": "Designs compared" },
    el(
      "table",
      {},
      el("thead", {}, el("tr", {}, columns.map(([head], i) => el("th", { class: i ? "number" : null, scope: "col" }, /** @type {string} */ (head))))),
      el("tbody", {}, all.map((row) => el("tr", {}, columns.map(([, text], i) => el(i ? "td" : "th", { class: i ? "number" : null, scope: i ? null : "row" }, /** @type {Function} */ (text)(row)))))),
    ),
  );
}

/** @param {any} preview */
function previewed(preview) {
  if (!preview) return null;
  const order = preview.values.map((/** @type {string} */ _, /** @type {number} */ i) => i).sort((/** @type {number} */ a, /** @type {number} */ b) => preview.truth[b] - preview.truth[a]).slice(0, 15);
  const rows = order.flatMap((/** @type {number} */ i) => [
    { name: preview.values[i], series: "the truth", share: preview.truth[i], low: null, high: null, stderr: null },
    { name: preview.values[i], series: "what would be found", share: preview.shares[i], low: preview.low[i], high: preview.high[i], stderr: null },
  ]);
  return [el("h3", {}, `Preview with ${preview.n.toLocaleString()} made-up people`), side(rows, { width: Math.max(320, parts.result.clientWidth || 600), description: "Made-up answers and what would be found of them" })];
}

/** A warning where people with the usual budget could not answer. @param {string} cost */
function dear(cost) {
  const [top, bottom = 1] = cost.split("/").map(Number);
  if (!(top / bottom > USUAL)) return null;
  const far = state.form === "metric" ? "; a shorter scale, wider steps or a lower epsilon use less" : "; a lower epsilon uses less";
  return el("p", { class: "card alarm" }, `An answer uses ${cost} of a person's privacy budget. Whoever set the usual budget of ${USUAL} cannot answer this question${far}.`);
}

/** @param {number} milliseconds */
function showResult(milliseconds) {
  const { draft } = state;
  const proof = draft.certificate;
  show(
    parts.result,
    el("h2", {}, "What this gives"),
    el("ul", {}, draft.promise.map((/** @type {string} */ sentence) => el("li", {}, sentence))),
    dear(draft.cost),
    comparison(draft.rows, state.saved),
    el(
      "p",
      { class: "small soft" },
      `The best mechanism known: ${draft.mechanism}, ${draft.bits} bits per report. Proved with whole numbers: ${proof.tightest.x} against ${proof.tightest.z} comes closest to its limit, ${proof.realised.toFixed(6)} of ${proof.claimed ?? "any"}. Computed in ${milliseconds} ms.`,
    ),
    el(
      "p",
      { class: "row" },
      el(
        "button",
        {
          class: "plain",
          onclick: () => {
            state.saved = draft;
            showResult(milliseconds);
          },
        },
        "Save for comparison",
      ),
      el("button", { class: "plain", onclick: () => keep("collection.toml", "application/toml", draft.spec) }, "Download the survey file"),
    ),
    ...(previewed(draft.preview) ?? []),
  );
}

/** What must be said besides, by the form. */
function detail() {
  let values = [];
  try {
    ({ values } = pasted(state.text));
  } catch {
    // what is wrong with it is said where the design is worked out
  }
  const boxes = values.slice(0, 300).map((value) =>
    el(
      "label",
      { class: "row" },
      el("input", {
        type: "checkbox",
        checked: state.sensitive.has(value),
        onchange: (/** @type {any} */ event) => {
          if (event.target.checked) state.sensitive.add(value);
          else state.sensitive.delete(value);
          changed();
        },
      }),
      value,
    ),
  );
  show(
    parts.detail,
    el("p", { class: "small soft" }, FORMS[state.form][1]),
    state.form === "high_low" && el("fieldset", {}, el("legend", {}, "Sensitive answers"), el("div", { class: "boxes" }, boxes)),
    state.form === "nested" &&
      el(
        "label",
        { class: "field" },
        el("span", {}, "Epsilon across groups, higher than that within them"),
        el("input", {
          type: "number",
          min: "0.1",
          max: "12",
          step: "0.1",
          value: String(state.outer),
          oninput: (/** @type {any} */ event) => {
            state.outer = Number(event.target.value);
            changed();
          },
        }),
      ),
    state.form === "matrix" &&
      el(
        "label",
        { class: "field" },
        el("span", {}, "Pairs to hide from each other, one “one - other” per line"),
        el("textarea", {
          rows: "4",
          cols: "36",
          value: state.pairs,
          oninput: (/** @type {any} */ event) => {
            state.pairs = event.target.value;
            changed();
          },
        }),
      ),
  );
}

function starting() {
  const title = el("input", { id: "new-title", required: true, size: "40" });
  const question = el("input", { id: "new-question", required: true, size: "60" });
  const minimum = el("input", { type: "number", min: "1", value: "100" });
  const access = el("select", {}, el("option", { value: "open" }, "anybody with the link"), el("option", { value: "invitation" }, "only people who were sent an invitation"));
  const opens = el("input", { type: "date" });
  const closes = el("input", { type: "date" });
  const words = el("textarea", { rows: "3", placeholder: "HIV = an HIV infection" });
  const labels = el("textarea", { rows: "3", placeholder: "region: north, south" });
  const said = el("div", { role: "alert" });
  const begin = async (/** @type {Event} */ event) => {
    event.preventDefault();
    try {
      const created = await ask("/collections", {
        role: "admin",
        body: {
          title: title.value,
          question: question.value,
          spec: request().spec,
          minimum: Number(minimum.value),
          changes: "refuse",
          access: access.value,
          words: wordsIn(words.value),
          labels: labelsIn(labels.value),
          ...daysIn(opens.value, closes.value),
        },
      });
      const invited = access.value === "invitation" ? el("span", {}, " Make the invitations on the page of all ", el("a", { href: `${root}/` }, "collections"), ".") : "";
      show(said, el("p", { class: "card done" }, "It has started: ", el("a", { href: `${root}/answer/${created.id}` }, "the page to answer"), ", ", el("a", { href: `${root}/results/${created.id}` }, "the results"), ".", invited));
    } catch (problem) {
      show(said, el("p", { class: "card alarm" }, problem instanceof Error ? problem.message : "This did not work."));
    }
  };
  show(
    parts.start,
    el("h2", {}, "Start this collection"),
    el(
      "form",
      { onsubmit: begin },
      el("label", { class: "field" }, el("span", {}, "Title"), title),
      el("label", { class: "field" }, el("span", {}, "The question, as people will read it"), question),
      el("label", { class: "field" }, el("span", {}, "Hide results until this many people have answered"), minimum),
      el("label", { class: "field" }, el("span", {}, "Who can answer"), access),
      el("p", { class: "row" }, el("label", { class: "field" }, el("span", {}, "First day (UTC), if not today"), opens), el("label", { class: "field" }, el("span", {}, "Last day (UTC), if any"), closes)),
      el("label", { class: "field" }, el("span", {}, "How answers are shown, if in other words: one “answer = words” per line"), words),
      el("label", { class: "field" }, el("span", {}, "Optional background questions, sent unprotected: one “name: choice, choice” per line"), labels),
      said,
      el("button", {}, "Start this collection"),
    ),
  );
}

async function start() {
  const text = el("textarea", {
    id: "answers",
    rows: "9",
    cols: "36",
    spellcheck: "false",
    value: state.text,
    oninput: (/** @type {any} */ event) => {
      state.text = event.target.value;
      detail();
      changed();
    },
  });
  const file = el("input", {
    type: "file",
    accept: ".txt,.csv,.tsv",
    onchange: async (/** @type {any} */ event) => {
      const [given] = event.target.files;
      if (!given) return;
      state.text = text.value = await given.text();
      detail();
      changed();
    },
  });
  const forms = Object.entries(FORMS).map(([form, [name]]) =>
    el(
      "label",
      { class: "choice" },
      el("input", {
        type: "radio",
        name: "form",
        value: form,
        checked: form === state.form,
        onchange: () => {
          state.form = /** @type {keyof typeof FORMS} */ (form);
          sayEpsilon();
          detail();
          changed();
        },
      }),
      name,
    ),
  );
  const slider = el("input", {
    id: "epsilon",
    type: "range",
    min: "0.1",
    max: "6",
    step: "0.1",
    value: String(state.epsilon),
    "aria-describedby": "epsilon-text",
    oninput: (/** @type {any} */ event) => {
      state.epsilon = Number(event.target.value);
      sayEpsilon();
      changed();
    },
  });
  const wanted = el("input", { id: "wanted", type: "number", min: "0.01", max: "50", step: "any", value: "1", size: "5" });
  const people = el("input", {
    id: "people",
    type: "number",
    min: "1",
    max: "1000000000",
    value: String(state.n),
    oninput: (/** @type {any} */ event) => {
      state.n = Math.max(1, Math.round(Number(event.target.value)));
      changed();
    },
  });
  show(
    at("design"),
    el(
      "div",
      { class: "two workshop" },
      el(
        "div",
        {},
        el("h2", {}, "What people may answer"),
        el("p", { id: "example", class: "small card" }, "This is an example: replace its answers by yours."),
        el("label", { class: "field" }, el("span", {}, "One answer per line, or a range such as 18..99; a count after a comma if you know roughly how many people give it"), text),
        el("label", { class: "field" }, el("span", {}, "or a file of such lines"), file),
        el("fieldset", {}, el("legend", {}, "What should stay private?"), ...forms),
        parts.detail,
        el("h2", {}, "How private it is"),
        el("label", { class: "field" }, el("span", {}, "Epsilon: the lower, the more private; the higher, the more accurate"), el("span", { class: "row slider" }, slider, el("output", { id: "epsilon-number", for: "epsilon" }, String(state.epsilon)))),
        el("p", { id: "epsilon-text", class: "small" }, epsilonText()),
        el("label", { class: "field" }, el("span", {}, "People who will answer"), people),
        el(
          "p",
          { class: "row" },
          el("label", {}, "No standard error above ", wanted, " percentage points"),
          el("button", { class: "plain", onclick: () => work(String(Number(wanted.value) / 100)) }, "Find epsilon"),
        ),
        parts.problem,
      ),
      parts.result,
    ),
    parts.start,
  );
  detail();
  starting();
  await work();
}

takeTokens();
await withToken(at("token"), "admin", async () => {
  await ask("/overview", { role: "admin" });
  await start();
});
