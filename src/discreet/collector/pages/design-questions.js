/** The questions of a design: one is open to be changed, the others are told in a line. */

import { BESIDE, domainOf, formsFor, isAny, KINDS, nameOf, newQuestion } from "./design-model.js";
import { counted, field, typed } from "./design-parts.js";
import { el, show } from "./dom.js";
import { listed, number, say } from "./languages.js";
import { above, power, sureAtMost } from "./words.js";

/** The most answers of a file that are named. */
const NAMED = 6;

/** How far an answer is protected at an epsilon, in words. @param {import("./design-model.js").Question} question @param {string} form */
function epsilonText(question, form) {
  if (form === "given") return "";
  const likelier = power(question.epsilon);
  if (!(likelier < 1e6)) return say("designing.meaning.million");
  const times = number(above(likelier));
  const { reach: n } = question;
  if (form === "metric") return question.kind === "number" ? say("designing.meaning.apart", { far: counted(n, question.unit), times }) : say("designing.meaning.steps", { n, times });
  if (form === "matrix") return say("designing.meaning.matrix", { times });
  const isGrouped = form === "blocks" || form === "nested";
  return [say(`designing.meaning.${isGrouped ? "blocks" : form}`, { times }), say(isGrouped ? "designing.hundredGroup" : "designing.hundred", { share: sureAtMost(10, likelier) })].join(" ");
}

/**
 * The list of questions with the one that is open.
 * @param {Element} at
 * @param {{model: import("./design-model.js").Model, open: string, example: string}} state
 * @param {{changed: () => void, redraw: (focus?: string) => void}} on
 */
export function questions(at, state, { changed, redraw }) {
  const { model } = state;
  const several = model.questions.length > 1;
  const rows = model.questions.map((question, i) => {
    const isOpen = question.key === state.open;
    const title = el("span", { class: "asked" });
    const retitle = () => (title.textContent = question.text.trim() || say("designing.untexted"));
    retitle();
    const after = () => {
      retitle();
      changed();
    };
    if (!several) return el("div", { class: "designed" }, editor(question, state, { changed: after, redraw }));
    const move = (/** @type {number} */ step) => {
      model.questions.splice(i, 1);
      model.questions.splice(i + step, 0, question);
      redraw(`${step < 0 ? "up" : "down"}-${question.key}`);
    };
    const remove = () => {
      model.questions.splice(i, 1);
      if (isOpen) state.open = model.questions[Math.max(0, i - 1)].key;
      redraw(`open-${model.questions[Math.max(0, i - 1)].key}`);
    };
    const turn = () => {
      state.open = isOpen ? "" : question.key;
      redraw(`open-${question.key}`);
    };
    return el(
      "section",
      { class: "card designed", "aria-label": say("designing.number", { number: i + 1 }) },
      el(
        "h3",
        {},
        el("button", { class: "turn", type: "button", id: `open-${question.key}`, "aria-expanded": String(isOpen), "aria-controls": `edit-${question.key}`, onclick: turn }, el("span", { class: "soft" }, `${number(i + 1)}. `), title, el("span", { class: "soft small" }, ` (${say(`designing.kinds.${question.kind}`).split(":")[0].trim()})`)),
      ),
      el(
        "p",
        { class: "row tools" },
        el("button", { class: "plain", type: "button", id: `up-${question.key}`, disabled: i === 0, onclick: () => move(-1), "aria-label": say("designing.moveUp", { number: i + 1 }) }, say("designing.up")),
        el("button", { class: "plain", type: "button", id: `down-${question.key}`, disabled: i === model.questions.length - 1, onclick: () => move(1), "aria-label": say("designing.moveDown", { number: i + 1 }) }, say("designing.down")),
        el("button", { class: "plain", type: "button", onclick: remove, "aria-label": say("designing.removeQuestion", { number: i + 1 }) }, say("designing.remove")),
      ),
      el("div", { id: `edit-${question.key}`, hidden: !isOpen }, isOpen ? editor(question, state, { changed: after, redraw }) : null),
    );
  });
  const add = () => {
    const question = newQuestion();
    model.questions.push(question);
    state.open = question.key;
    redraw(`text-${question.key}`);
  };
  show(at, ...rows, el("p", {}, el("button", { class: "plain", type: "button", id: "add-question", onclick: add }, say("designing.add"))));
}

/**
 * All that can be said of one question.
 * @param {import("./design-model.js").Question} question
 * @param {{model: import("./design-model.js").Model, example: string}} state
 * @param {{changed: () => void, redraw: (focus?: string) => void}} on
 */
function editor(question, state, { changed, redraw }) {
  const { key } = question;
  const name = el("input", { id: `name-${key}`, dir: "ltr", value: question.name, maxlength: "40", placeholder: nameOf(question.text, ""), oninput: (/** @type {any} */ event) => ((question.name = event.target.value.trim()), changed()) });
  const text = typed(question, "text", () => ((name.placeholder = nameOf(question.text, "")), changed()), { id: `text-${key}`, rows: "2" });
  const kind = el(
    "select",
    {
      id: `kind-${key}`,
      onchange: (/** @type {any} */ event) => {
        question.kind = event.target.value;
        question.given = null;
        question.form = formsFor(question)[0];
        question.reach = question.kind === "number" ? usualReach(question) : 1;
        redraw(`kind-${key}`);
      },
    },
    KINDS.map((one) => el("option", { value: one, selected: one === question.kind }, say(`designing.kinds.${one}`))),
  );
  const isWhole = state.model.whole !== null && state.model.questions.length > 1;
  return el(
    "div",
    {},
    field(say(question.kind === "box" ? "designing.boxHeading" : "designing.questionText"), text),
    field(say("designing.kind"), kind),
    answers(question, state, { changed, redraw }),
    isWhole ? null : privacy(question, state, { changed, redraw }),
    el(
      "details",
      {},
      el("summary", {}, say("designing.more")),
      field(say("designing.help"), typed(question, "help", changed)),
      ["choice", "scale"].includes(question.kind) && field(say("designing.words"), typed(question, "words", changed, { rows: "3", placeholder: say("designing.wordsExample") })),
      question.kind === "scale" && field(say("designing.unit"), typed(question, "unit", changed, { size: "8" })),
      question.kind === "box" ? null : field(say("designing.shortName"), name),
    ),
  );
}

/** A distance at which numbers are hidden, to begin with: a round number near a tenth of them. @param {{from: number, to: number}} question */
function usualReach({ from, to }) {
  const tenth = Math.max(1, (to - from) / 8);
  const power = 10 ** Math.floor(Math.log10(tenth));
  return [1, 2, 5, 10].map((one) => one * power).reduce((best, one) => (Math.abs(one - tenth) < Math.abs(best - tenth) ? one : best));
}

/** Tell what is said below the answers that they are others now. @param {import("./design-model.js").Question} question */
const redrawn = ({ key }) => document.dispatchEvent(new CustomEvent("answers", { detail: key }));

/** What may be answered. @param {import("./design-model.js").Question} question @param {{example: string}} state @param {{changed: () => void, redraw: (focus?: string) => void}} on */
function answers(question, state, { changed, redraw }) {
  if (question.form === "given") {
    const { values } = question.given;
    return el("p", { class: "small soft" }, values.length ? say("designing.fromFile", { n: values.length, some: listed(values.slice(0, NAMED), values.length) }) : say("designing.fromFileAll"));
  }
  if (question.kind === "yes/no") return el("p", { class: "small soft" }, say("designing.yesNo"));
  if (question.kind === "box") return field(say("designing.boxes"), typed(question, "boxes", changed, { rows: "5", spellcheck: "false" }));
  if (question.kind === "number") {
    const after = (/** @type {boolean} */ isWidth) => () => (isWidth ? redraw(`width-${question.key}`) : changed());
    return el(
      "div",
      { class: "row numbers" },
      field(say("designing.smallest"), typed(question, "from", after(false), { type: "number", step: isAny(question) ? "any" : "1" })),
      field(say("designing.largest"), typed(question, "to", after(false), { type: "number", step: isAny(question) ? "any" : "1" })),
      field(say("designing.unit"), typed(question, "unit", () => (redrawn(question), changed()), { size: "8" })),
      field(say("designing.askedAs"), bands(question, () => redraw(`width-${question.key}`))),
      isAny(question) && clipping(question, changed),
      question.width > 1 && field(say("designing.bandWidth"), typed(question, "width", changed, { type: "number", min: "2", step: "1" })),
    );
  }
  const text = typed(
    question,
    "answers",
    () => {
      example.hidden = question.answers !== state.example;
      redrawn(question);
      changed();
    },
    { id: "answers", rows: "9", cols: "36", spellcheck: "false" },
  );
  const example = el("p", { id: "example", class: "small card", hidden: question.answers !== state.example }, say("designing.example"));
  const file = el("input", {
    type: "file",
    accept: ".txt,.csv,.tsv",
    onchange: async (/** @type {any} */ event) => {
      const [given] = event.target.files;
      if (!given) return;
      question.answers = await given.text();
      redraw("answers");
    },
  });
  return el(
    "div",
    {},
    example,
    field(say(question.kind === "scale" ? "designing.linesInOrder" : "designing.lines"), text),
    el("details", {}, el("summary", {}, say("designing.fromAFile")), field(say("designing.fileOfLines"), file)),
  );
}

/** Whether numbers beyond the bounds count as the nearest one. @param {import("./design-model.js").Question} question @param {() => void} changed */
const clipping = (question, changed) =>
  el(
    "label",
    { class: "tick" },
    el("input", {
      type: "checkbox",
      id: `clip-${question.key}`,
      checked: question.clip,
      onchange: (/** @type {any} */ event) => {
        question.clip = event.target.checked;
        changed();
      },
    }),
    say("designing.clip"),
  );

/** @param {import("./design-model.js").Question} question @param {() => void} redraw */
function bands(question, redraw) {
  return el(
    "select",
    {
      id: `width-${question.key}`,
      onchange: (/** @type {any} */ event) => {
        question.width = event.target.value === "bands" ? Math.max(2, usualReach(question)) : event.target.value === "any" ? 0 : 1;
        if (!formsFor(question).includes(question.form) || !question.width) [question.form] = formsFor(question);
        redraw();
      },
    },
    el("option", { value: "whole", selected: question.width === 1 }, say("designing.wholeOnes")),
    el("option", { value: "bands", selected: question.width > 1 }, say("designing.bands")),
    el("option", { value: "any", selected: question.width === 0 }, say("designing.anyNumbers")),
  );
}

/** What must be hidden, and how well. @param {import("./design-model.js").Question} question @param {any} state @param {{changed: () => void, redraw: (focus?: string) => void}} on */
function privacy(question, state, { changed, redraw }) {
  const { key } = question;
  const words = el("p", { id: "epsilon-text", class: "small" });
  const shown = el("output", { id: "epsilon-number", for: "epsilon" });
  const told = () => {
    shown.textContent = number(question.epsilon);
    words.textContent = epsilonText(question, question.form);
  };
  const slider = typed(question, "epsilon", () => (told(), changed()), { id: "epsilon", type: "range", min: "0.1", max: "6", step: "0.1", "aria-describedby": "epsilon-text" });
  slider.value = String(question.epsilon);
  const detail = el("div", {});
  const redetail = () => show(detail, el("p", { class: "small soft" }, say(`designing.forms.${question.form}.text`)), ...more(question, changed, told));
  const listen = (/** @type {any} */ event) => {
    if (!detail.isConnected) return document.removeEventListener("answers", listen);
    if (event.detail !== key) return;
    told();
    if (["high_low", "metric"].includes(question.form)) redetail();
  };
  document.addEventListener("answers", listen);
  const forms = formsFor(question).map((form) =>
    el(
      "label",
      { class: "choice" },
      el("input", {
        type: "radio",
        name: `form-${key}`,
        value: form,
        checked: form === question.form,
        onchange: () => {
          const wasGiven = question.form === "given";
          question.form = form;
          if (wasGiven || form === "given") {
            if (wasGiven && !question.answers) question.answers = question.given.values.join("\n");
            return redraw();
          }
          told();
          redetail();
          changed();
        },
      }),
      say(`designing.forms.${form}.name`),
    ),
  );
  told();
  redetail();
  const isGiven = question.form === "given";
  return el(
    "div",
    {},
    el("fieldset", {}, el("legend", {}, say("designing.private")), ...forms),
    detail,
    isGiven ? null : field(say("designing.epsilon"), el("span", { class: "row slider" }, slider, shown)),
    isGiven ? null : words,
    isGiven || question.kind === "box" ? null : besides(question, { changed, redraw }),
  );
}

/** "Prefer not to say" and "other". @param {import("./design-model.js").Question} question @param {{changed: () => void, redraw: (focus?: string) => void}} on */
function besides(question, { changed, redraw }) {
  const boxes = BESIDE.map((value) =>
    el(
      "label",
      { class: "tick" },
      el("input", {
        type: "checkbox",
        id: `beside-${value[0]}-${question.key}`,
        checked: question.beside.has(value),
        onchange: (/** @type {any} */ event) => {
          if (event.target.checked) question.beside.add(value);
          else question.beside.delete(value);
          redraw(`beside-${value[0]}-${question.key}`);
        },
      }),
      say("designing.offer", { text: say(`designing.beside.${value}`) }),
    ),
  );
  return el(
    "div",
    {},
    el("div", { class: "row" }, boxes),
    question.beside.size > 0 &&
      field(
        say("designing.besideEpsilon"),
        typed(question, "besideEpsilon", changed, { type: "number", min: "0.1", max: "12", step: "0.1" }),
      ),
  );
}

/** What must be said besides, by the form. @param {import("./design-model.js").Question} question @param {() => void} changed @param {() => void} told */
function more(question, changed, told) {
  if (question.form === "nested") return [field(say("designing.outer"), typed(question, "outer", changed, { type: "number", min: "0.1", max: "12", step: "0.1" }))];
  if (question.form === "matrix") return [field(say("designing.pairs"), typed(question, "pairs", changed, { rows: "4", cols: "36" }))];
  if (question.form === "metric") {
    const reach = typed(question, "reach", () => ((question.reach = Math.max(1, Math.round(question.reach) || 1)), told(), changed()), { type: "number", min: "1", step: "1" });
    return [field(question.kind !== "number" ? say("designing.reachSteps") : question.unit ? say("designing.reachUnit", { unit: question.unit }) : say("designing.reach"), reach)];
  }
  if (question.form !== "high_low") return [];
  /** @type {any[]} */
  let values = [];
  try {
    ({ values } = domainOf(question));
  } catch {
    // what is wrong with them is said where the design is worked out
  }
  const boxes = values.slice(0, 300).map((value) =>
    el(
      "label",
      { class: "row" },
      el("input", {
        type: "checkbox",
        checked: question.sensitive.has(String(value)),
        onchange: (/** @type {any} */ event) => {
          if (event.target.checked) question.sensitive.add(String(value));
          else question.sensitive.delete(String(value));
          changed();
        },
      }),
      String(value),
    ),
  );
  return [el("fieldset", {}, el("legend", {}, say("designing.sensitive")), el("div", { class: "boxes" }, boxes))];
}
