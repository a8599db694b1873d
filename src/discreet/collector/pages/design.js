/** The page of whoever plans: what is asked, what is sensitive, and at once what that costs; then the survey is started. */

import { ask, failure, takeTokens } from "./api.js";
import { declarationOf, documentOf, draftOf, flat, newModel, newQuestion, isAny, STRATEGIES } from "./design-model.js";
import { amount, field, typed, woven } from "./design-parts.js";
import { preview } from "./design-preview.js";
import { questions } from "./design-questions.js";
import { modelOf } from "./design-reading.js";
import { several, single } from "./design-result.js";
import { around, background, languages } from "./design-texts.js";
import { at, el, keep, place, show } from "./dom.js";
import { leading, spoken } from "./header.js";
import { addressField, inviting, openLink } from "./inviting.js";
import { say, speak } from "./languages.js";
import { entitle, language } from "./page.js";
import { withToken } from "./tokens.js";

const { root } = place();
/** Milliseconds without a change before the design is worked out. */
const WAIT = 120;
/** The largest epsilon that is tried to reach a standard error. */
const LARGEST = 12;

/** The folder of the sentences of this page. */
const PART = "design";

const first = newQuestion({ form: "high_low" });

const state = {
  model: newModel({ questions: [first] }),
  open: first.key,
  example: "",
  language: "en",
  n: 10000,
  wanted: 1,
  isBegun: false,
  milliseconds: 0,
  /** @type {any} */ created: null,
  /** @type {any} */ saved: null,
  /** @type {any} */ draft: null,
  public: "",
  turn: 0,
};

const parts = /** @type {Record<string, HTMLElement>} */ (Object.fromEntries(["questions", "strategy", "accuracy", "result", "problem", "file", "background", "languages", "start"].map((name) => [name, el("div", {})])));
parts.problem.setAttribute("role", "alert");

let waiting = 0;
function changed() {
  clearTimeout(waiting);
  state.turn++; // what is still being worked out is of another design
  waiting = setTimeout(work, WAIT);
  parts.result.setAttribute("aria-busy", "true");
  parts.result.inert = true;
}

/** The right side is of what the left side says. */
function settled() {
  parts.result.removeAttribute("aria-busy");
  parts.result.inert = false;
}

/** @param {string} [stderr] a standard error to reach, by another epsilon */
async function work(stderr) {
  const turn = ++state.turn;
  const begun = performance.now();
  try {
    const all = flat(state.model);
    const draft = await ask("/drafts", { role: "admin", body: { ...draftOf(state.model), n: state.n, ...(typeof stderr === "string" ? { stderr } : {}) } });
    if (turn !== state.turn) return;
    state.draft = draft;
    state.milliseconds = Math.round(performance.now() - begun);
    if (draft.epsilon) {
      const [question] = state.model.questions;
      question.epsilon = Number((Number(draft.epsilon) * (question.form === "metric" ? question.reach : 1)).toPrecision(12));
      shown();
    }
    settled();
    show(parts.problem);
    showResult(all);
  } catch (problem) {
    if (turn !== state.turn) return;
    if (typeof stderr === "string" && problem instanceof Error && problem.message.includes("reaches a standard error")) {
      await work(); // the design is as it was
      const points = Number((100 * Number(stderr)).toPrecision(6));
      return show(parts.problem, el("p", { class: "card alarm" }, say("designing.tooFew", { n: state.n, points, largest: LARGEST })));
    }
    settled();
    state.draft = null;
    show(parts.problem);
    show(parts.result, el("h2", {}, say("designing.gives")), el("div", { role: "alert" }, el("p", { class: "card alarm" }, failure(problem))), el("p", { class: "soft" }, say("designing.mend")));
  }
}

/** @param {import("./design-model.js").Flat[]} all */
function showResult(all) {
  const { draft, model, milliseconds } = state;
  const width = Math.max(320, parts.result.clientWidth || 600);
  const save = () => {
    state.saved = draft;
    showResult(all);
  };
  const asked = (/** @type {string} */ strategy) => {
    Object.assign(model, { strategy, rest: {} });
    redraw();
  };
  if (draft.questions) show(parts.result, ...several(draft, { flat: all, n: state.n, milliseconds, ask: asked }));
  else show(parts.result, ...single(draft, { saved: state.saved, save, milliseconds, width, isScale: model.questions[0].form === "metric", unit: all[0].texts.unit }));
}

/** How several questions are asked. */
function strategies() {
  const { model } = state;
  if (model.questions.length < 2 && model.questions[0].kind !== "box") return show(parts.strategy);
  const choices = STRATEGIES.map((strategy) =>
    el(
      "label",
      { class: "choice" },
      el("input", {
        type: "radio",
        name: "strategy",
        value: strategy,
        checked: strategy === model.strategy,
        onchange: () => {
          Object.assign(model, { strategy, rest: {} });
          changed();
        },
      }),
      el("span", {}, el("strong", {}, say(`designing.strategies.${strategy}.name`)), el("br", {}), el("span", { class: "small" }, say(`designing.strategies.${strategy}.text`))),
    ),
  );
  const whole = el("input", {
    type: "checkbox",
    id: "whole",
    checked: model.whole !== null,
    onchange: (/** @type {any} */ event) => {
      model.whole = event.target.checked ? 2 : null;
      redraw("whole");
    },
  });
  show(
    parts.strategy,
    el("h2", {}, say("designing.how")),
    el("fieldset", {}, el("legend", {}, say("designing.who")), ...choices),
    el("label", { class: "tick" }, whole, say("designing.whole")),
    model.whole === null ? null : field(say("designing.wholeEpsilon"), typed(model, "whole", changed, { type: "number", min: "0.1", max: "12", step: "0.1" })),
  );
}

/** How many people, and the epsilon that reaches an accuracy. */
function accuracy() {
  const wanted = el("input", { id: "wanted", size: "5", ...amount(state.wanted, (given) => (state.wanted = given)) });
  const people = el("input", {
    id: "people",
    ...amount(state.n, (given) => {
      state.n = Math.max(1, Math.round(given) || 1);
      changed();
    }),
  });
  const find = () => {
    if (state.wanted > 0) return work(String(state.wanted / 100));
    show(parts.problem, el("p", { class: "card alarm" }, say("notNumber")));
  };
  const { questions: all } = state.model;
  const can = all.length === 1 && ["uniform", "high_low", "blocks", "metric"].includes(all[0].form) && all[0].kind !== "box" && !isAny(all[0]);
  show(
    parts.accuracy,
    field(say("designing.people"), people),
    can && el("p", { class: "row" }, el("label", {}, woven("designing.wanted", { field: wanted })), el("button", { class: "plain", type: "button", onclick: find }, say("designing.find"))),
  );
}

/** Draw the list of questions and what depends on how many there are. @param {string} [focus] the element that is used next */
function shown(focus) {
  questions(parts.questions, state, { changed, redraw });
  strategies();
  accuracy();
  if (!focus) return;
  const [, key] = focus.split("-");
  [focus, `open-${key}`, `text-${key}`].map(at).find((one) => one && !one.disabled)?.focus();
}

/** @param {string} [focus] */
function redraw(focus) {
  shown(focus);
  changed();
}

/** Load a file: JSON is read here, TOML by the collector. */
function loading() {
  const said = el("div", { role: "alert" });
  const load = async (/** @type {any} */ event) => {
    const [given] = event.target.files;
    if (!given) return;
    try {
      const text = await given.text();
      const document = text.trimStart().startsWith("{") ? JSON.parse(text) : (await ask("/drafts/file", { role: "admin", body: { toml: text } })).document;
      state.model = modelOf(document);
      state.open = state.model.questions[0].key;
      state.saved = state.created = null;
      starting();
      redraw();
      show(said, el("p", { class: "card done" }, say("designing.fileRead", { file: given.name, n: state.model.questions.length })));
    } catch (problem) {
      show(said, el("p", { class: "card alarm" }, problem instanceof SyntaxError ? say("designing.fileForeign") : problem instanceof TypeError ? say("designing.fileStrange") : failure(problem)));
    }
    event.target.value = "";
  };
  show(parts.file, el("details", {}, el("summary", {}, say("designing.file")), field(say("designing.fileField"), el("input", { type: "file", accept: ".toml,.json", onchange: load }))), said);
}

/** What remains to be said before it can start. */
function starting() {
  const { model } = state;
  const said = el("div", { role: "alert" });
  const access = el(
    "select",
    { onchange: (/** @type {any} */ event) => (model.access = event.target.value) },
    el("option", { value: "open", selected: model.access === "open" }, say("designing.open")),
    el("option", { value: "invitation", selected: model.access === "invitation" }, say("designing.invitation")),
  );
  const changes = el(
    "select",
    { onchange: (/** @type {any} */ event) => (model.changes = event.target.value) },
    el("option", { value: "refuse", selected: model.changes === "refuse" }, say("designing.refuse")),
    el("option", { value: "spend", selected: model.changes === "spend" }, say("designing.spend")),
  );
  const attempt = (/** @type {() => Promise<any> | any} */ act) => async (/** @type {Event} */ event) => {
    event.preventDefault();
    show(said);
    try {
      await act();
    } catch (problem) {
      show(said, el("p", { class: "card alarm" }, failure(problem)));
    }
  };
  const button = el("button", {});
  const begun = () => {
    button.textContent = say(state.created ? "designing.startAnother" : "designing.start"); // nobody starts one twice by mistake
    if (!state.created) return;
    const { id, title, access: by } = state.created;
    button.className = "plain";
    const links = { page: el("a", { href: `${root}/answer/${id}` }, say("designing.answerPage")), results: el("a", { href: leading(`results/${id}`) }, say("designing.resultsPage")) };
    show(
      said,
      el("div", { class: "card done" }, el("p", {}, woven("designing.started", links)), by === "open" ? addressField(state.public, begun) : null, by === "open" ? openLink({ id }, state.public) : null),
      by === "invitation" ? inviting({ id, title }, state.public, () => {}) : null,
    );
  };
  const begin = attempt(async () => {
    const { id } = await ask("/collections", { role: "admin", body: declarationOf(model) });
    state.created = { id, title: model.title, access: model.access };
    begun();
  });
  const download = attempt(async () => keep("questionnaire.toml", "application/toml", (await ask("/drafts/file", { role: "admin", body: { document: documentOf(model) } })).toml));
  const look = attempt(() => preview(documentOf(model), flat(model), spokenAgain));
  background(parts.background, model, changed);
  const translating = el(
    "details",
    { open: Object.keys(model.translations).length > 0 },
    el("summary", { onclick: () => languages(parts.languages, model, changed) }, say("designing.languages")),
    parts.languages,
  );
  show(
    parts.start,
    el(
      "form",
      { onsubmit: begin, novalidate: true },
      el("h2", {}, say("designing.around")),
      around(model, changed),
      el("details", { open: model.background.length > 0 }, el("summary", {}, say("designing.background")), parts.background),
      translating,
      el("h2", {}, say("designing.start")),
      field(say("designing.minimum"), typed(model, "minimum", () => {}, { type: "number", min: "1" })),
      field(say("designing.access"), access),
      field(say("designing.changes"), changes),
      el("p", { class: "row" }, field(say("designing.first"), typed(model, "first", () => {}, { type: "date" })), field(say("designing.last"), typed(model, "last", () => {}, { type: "date" }))),
      said,
      el(
        "p",
        { class: "row" },
        button,
        el("button", { class: "plain", type: "button", onclick: look }, say("designing.preview")),
        el("button", { class: "plain", type: "button", onclick: download }, say("designing.download")),
      ),
    ),
  );
  languages(parts.languages, model, changed);
  begun();
}

/** Nothing was written yet, so that the example and the language of its texts are those of the page. */
function exampled() {
  const { model } = state;
  const [question] = model.questions;
  const isFresh = model.questions.length === 1 && question.answers === state.example && ![question.text, model.title, question.given].some(Boolean);
  state.example = say("designing.exampleAnswers");
  if (!isFresh) return;
  Object.assign(question, { answers: state.example, sensitive: new Set(say("designing.exampleSensitive").split("\n")) });
  model.language = state.language;
}

/** The page in its language again, after the preview spoke another one. */
async function spokenAgain() {
  await speak(state.language, PART);
  if (state.draft) showResult(flat(state.model));
}

/** The page in the language that the reader wants. */
async function draw() {
  state.language = language();
  exampled();
  entitle(say("designing.title"));
  const [heading, lead] = ["h1", "main > p"].map((name) => /** @type {Element} */ (document.querySelector(name)));
  [heading.textContent, lead.textContent] = [say("designing.title"), say("designing.lead")];
  if (state.isBegun) return start();
  await withToken(at("token"), "admin", async () => {
    ({ public: state.public = "" } = await ask("/overview", { role: "admin" }));
    state.isBegun = true;
    await start();
  });
}

async function start() {
  show(
    at("design"),
    el("div", { class: "two workshop" }, el("div", {}, parts.file, el("h2", {}, say("designing.asked")), parts.questions, parts.strategy, parts.accuracy, parts.problem), parts.result),
    parts.start,
  );
  loading();
  starting();
  shown();
  await work();
}

takeTokens();
await spoken(PART, "design", draw);
