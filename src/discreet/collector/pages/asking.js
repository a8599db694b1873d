/** The questions as a person sees them: who asks, consent, every question with its control, the promise, the budget, and sending. */

import * as participant from "./background.js";
import { boxes, grouped, isBox } from "./boxes.js";
import { choice, lacking, USUAL, used } from "./budget.js";
import { control, withUnit, yesOf } from "./controls.js";
import { el, show } from "./dom.js";
import { explain, meaning } from "./explain.js";
import { say } from "./languages.js";
import { wordsFor } from "./made/participant.js";
import { entitle, find } from "./page.js";
import { promised } from "./promised.js";

/** @import { Ticks } from "./boxes.js" */
/** @import { Shown } from "./controls.js" */

/**
 * What the person has done so far, which is kept when the language changes.
 * @typedef {object} State
 * @property {Record<string, number>} chosen numbers of values by the names of questions
 * @property {Record<string, string>} typed numbers that lie next to these values, as text
 * @property {Ticks} ticks
 * @property {Record<string, string>} labels
 * @property {Record<string, boolean>} isHidden whether each answer is hidden from some other
 * @property {boolean} isAgreed
 * @property {{pick: string, other: string}} budget
 */

/** A table of nothing: questions may be called what objects have anyway. @returns {any} */
const table = () => Object.create(null);

/** @returns {State} */
export const untouched = () => ({ chosen: table(), typed: table(), ticks: { ticked: new Set(), done: new Set() }, labels: table(), isHidden: table(), isAgreed: false, budget: { pick: String(USUAL), other: "" } });

/** The questions to ask, in a language. @param {any} collection @param {any} texts @param {Record<string, string>} marks @returns {Shown[]} */
const shown = (collection, texts, marks) =>
  collection.questions
    .map((/** @type {any} */ one, /** @type {number} */ i) => ({ ...texts.questions[i], ...one, id: `q${i}`, marks }))
    .filter((/** @type {Shown} */ { name }) => collection.asked.includes(name));

/** Choices of public labels. @param {any} collection @param {any} texts @param {Record<string, string>} marks @param {Record<string, string>} labels */
function labelling(collection, texts, marks, labels) {
  const listed = texts.background.map((/** @type {any} */ one) => one.name);
  const names = [...listed, ...Object.keys(collection.labels).filter((name) => !listed.includes(name))];
  if (!names.length) return null;
  const picks = names.map((name) => {
    const { question = "", help = "", words = {} } = texts.background.find((/** @type {any} */ one) => one.name === name) ?? {};
    const choose = (/** @type {any} */ event) => {
      if (event.target.value) labels[name] = event.target.value;
      else delete labels[name];
    };
    return el(
      "label",
      { class: "field" },
      el("span", marks, question || name),
      help ? el("span", { ...marks, class: "small" }, help) : null,
      el(
        "select",
        { onchange: choose },
        el("option", { value: "" }, say("preferNot")),
        collection.labels[name].map((/** @type {string} */ text) => el("option", { ...marks, value: text, selected: labels[name] === text }, wordsFor(text, words) ?? text)),
      ),
    );
  });
  return el("details", { class: "card", open: Object.keys(labels).length > 0 }, el("summary", {}, say("background")), el("p", { class: "small" }, say("backgroundText")), ...picks);
}

/** What is promised of every question, and how it was checked. @param {any} collection @param {any} texts */
function promise(collection, texts) {
  const { facts, fingerprint } = collection.promise;
  const isForm = collection.strategy !== undefined;
  const words = texts.questions.map((/** @type {any} */ one) => one.words);
  const units = texts.questions.map((/** @type {any} */ one) => one.unit);
  const sentences = facts.map((/** @type {any} */ parts) => el("li", {}, promised(parts, words, units)));
  return el(
    "details",
    { class: "card" },
    el("summary", {}, say("promised")),
    el("ul", {}, sentences),
    el("p", { class: "small" }, isForm || collection.questions[0].numbers ? say("checkedForm") : say("checked", { n: collection.questions[0].values.length })),
    el("p", { class: "small soft" }, `${say("rules")} `, el("code", { dir: "ltr" }, fingerprint)),
  );
}

/** How many questions there are, and how they are asked. @param {any} collection @param {any} texts @param {Record<string, string>} marks */
function plan(collection, texts, marks) {
  const n = collection.questions.length;
  if (collection.strategy === undefined) return null;
  if (collection.strategy !== "one at random") return el("p", { class: "soft" }, say(collection.strategy === "each" ? "eachText" : "togetherText", { n }));
  return el(
    "section",
    { class: "card" },
    el("h2", {}, say("oneTitle", { n })),
    el("p", {}, say("oneText")),
    el("details", { class: "small" }, el("summary", {}, say("oneAll", { n })), el("ol", marks, texts.questions.map((/** @type {any} */ one) => el("li", {}, one.group ? `${one.group} – ${one.question}` : one.question)))),
  );
}

/** A link to what is missing. @param {string} id @param {string} text */
const pointer = (id, text) =>
  el(
    "li",
    {},
    el(
      "a",
      {
        href: `#${id}`,
        onclick: (/** @type {Event} */ event) => {
          event.preventDefault();
          const target = find(id);
          target?.scrollIntoView({ block: "center" });
          /** @type {any} */ (target?.matches("input") ? target : target?.querySelector("input:checked, input"))?.focus();
        },
      },
      text,
    ),
  );

/**
 * Show the questions of a collection.
 * @param {Element} main
 * @param {any} collection
 * @param {any} texts of the collection, in a language
 * @param {Record<string, string>} marks the language and direction of the texts, where they are not those of the page
 * @param {State} state
 * @param {any} summary what was spent; null before a budget was set, undefined where it cannot be read
 * @param {string | null} invitation
 * @param {(receipt: any, kept: Promise<boolean>) => void} done
 * @param {(reason: unknown) => void} closed what is done when the collection was closed meanwhile
 */
export function ask(main, collection, texts, marks, state, summary, invitation, done, closed) {
  const isForm = collection.strategy !== undefined;
  const questions = shown(collection, texts, marks);
  const { epsilon } = collection.promise;
  const lack = lacking(summary, epsilon, isForm);
  entitle(texts.title);
  const send = el("button", { type: "submit" }, say("send"));
  const progress = el("p", { class: "soft small", role: "status" });
  const problem = el("div", { role: "alert" });
  let sending = false;

  /** @param {Shown[]} group */
  const numbered = (group) => {
    const [first, last] = [questions.indexOf(group[0]) + 1, questions.indexOf(group[group.length - 1]) + 1];
    return first === last ? say("questionOf", { number: first, n: questions.length }) : say("questionsOf", { first, last, n: questions.length });
  };
  const isMissing = (/** @type {Shown} */ { name }) => !(state.chosen[name] >= 0);
  const budget = summary === null ? choice(epsilon, isForm, state.budget, () => ready()) : null;
  const ready = () => {
    const open = questions.filter(isMissing);
    const hidden = questions.some(({ name }) => state.isHidden[name]);
    send.textContent = sending ? say("sending") : hidden ? say("scramble", { n: questions.length }) : say("send");
    const isReady = !open.length && (state.isAgreed || !texts.consent) && budget?.chosen() !== "";
    const isOpen = questions.some((one) => !isMissing(one) && state.isHidden[one.name] === undefined); // what it reveals is not shown yet
    send.disabled = sending || lack !== null || (!isForm && (isOpen || !isReady));
    if (isForm && questions.length > 1) progress.textContent = say("answered", { done: questions.length - open.length, n: questions.length });
    if (isReady) show(problem);
    return isReady;
  };

  /** What is held as an answer: the text of a number, or the number of a value. @param {string} name */
  const held = (name) => state.typed[name] ?? state.chosen[name];

  /** @param {string} name @param {number} x @param {string} [text] */
  const take = (name, x, text) => {
    const before = held(name);
    state.chosen[name] = x;
    if (text === undefined) delete state.typed[name];
    else state.typed[name] = text;
    if (held(name) !== before) delete state.isHidden[name];
  };

  /** @param {Shown} question @param {number} x */
  const tick = ({ name, values }, x) => {
    const { ticked, done } = state.ticks;
    done.add(name);
    if (x === yesOf(values)) ticked.add(name);
    else ticked.delete(name);
  };

  /** Explanations on their way, of which none is overtaken by sending. @type {Set<Promise<void>>} */
  const looks = new Set();
  /** @param {Shown} question @param {Element} meant */
  const look = (question, meant) => {
    const one = explained(question, meant).finally(() => looks.delete(one));
    looks.add(one);
  };

  /** The explanation of an answer, below its question. @param {Shown} question @param {Element} meant */
  const explained = async (question, meant) => {
    const [x, own] = [state.chosen[question.name], held(question.name)];
    const mark = `${x} ${own}`;
    if (meant.getAttribute("data-x") === mark) return; // nothing jumps while somebody is about to press something
    meant.setAttribute("data-x", mark);
    show(meant);
    if (!(x >= 0)) return;
    const entries = await participant.row(question.name, own);
    if (held(question.name) !== own) return;
    state.isHidden[question.name] = meaning(entries, x).hiddenFrom.length > 0;
    const shownAs = typeof own === "string" ? { ...question, values: question.values.map((value, z) => (z === x ? own : value)) } : question;
    show(meant, explain(shownAs, x, entries, (value) => withUnit(shownAs, value), { isOneOfMany: questions.length > 1, title: question.kind === "box" ? question.question : "" }));
    ready();
  };

  /** @param {Shown[]} group */
  const asking = (group) => {
    const [question] = group;
    const isBoxes = group.length > 1;
    const meant = el("div", { class: "meant", id: isForm ? null : "meant", "aria-live": "polite" }, isBoxes ? group.map(() => el("div", {})) : null);
    const before = isForm && questions.length > 1 ? el("span", { class: "small soft count" }, numbered(group)) : null;
    const heading = el(isForm ? "h2" : "h1", { ...marks, id: `${question.id}-text` }, isBoxes ? question.group : question.question);
    const above = !isBoxes && question.group ? el("span", { ...marks, class: "above" }, question.group) : null;
    const inside = isBoxes
      ? boxes(group, state.ticks, (answers) => {
          Object.entries(answers).forEach(([name, x]) => take(name, x));
          group.forEach((one, i) => look(one, /** @type {Element} */ (meant.children[i])));
          ready();
        })
      : control({ ...question, typed: state.typed[question.name] }, state.chosen[question.name] ?? -1, (x, text) => {
          take(question.name, x, text);
          if (isBox(question)) tick(question, x); // another language may have it under a heading with others
          look(question, meant);
          ready();
        });
    group.forEach((one, i) => !isMissing(one) && look(one, isBoxes ? /** @type {Element} */ (meant.children[i]) : meant));
    return el(
      "fieldset",
      { class: isForm ? "question card" : null, id: question.id },
      el("legend", isForm ? { class: "inside" } : {}, before, above, heading),
      !isBoxes && question.help ? el("p", { ...marks, class: "soft" }, question.help) : null,
      ...inside,
      isForm ? meant : null,
      ...(isForm ? [] : [meant]),
    );
  };

  const missing = () => [
    texts.consent && !state.isAgreed ? pointer("agreed", say("missingConsent")) : null,
    ...groups.map((group) => (group.some(isMissing) ? pointer(group[0].id, numbered(group)) : null)),
    budget?.chosen() === "" ? pointer("budget", say("missingBudget")) : null,
  ];

  const submit = async (/** @type {Event} */ event) => {
    event.preventDefault();
    await Promise.allSettled(looks);
    if (sending) return;
    if (!ready()) {
      show(problem, el("div", { class: "card alarm" }, el("p", {}, say("missing")), el("ul", {}, missing())));
      return;
    }
    sending = true;
    ready();
    show(problem);
    const kept = Promise.resolve(navigator.storage?.persist?.() ?? false);
    let receipt;
    try {
      if (budget) await participant.begin(budget.chosen());
      const chosen = Object.fromEntries(questions.map(({ name }) => [name, held(name)]));
      receipt = await participant.answer(chosen, { labels: state.labels, ...(invitation ? { invitation } : {}) });
    } catch (reason) {
      if (reason instanceof participant.Refused && reason.code === "closed") return closed(reason);
      sending = false;
      ready();
      show(problem, el("div", { class: "card alarm" }, participant.reasonOf(reason)));
      return;
    }
    done(receipt, kept);
  };

  const groups = grouped(questions);
  const consent = () =>
    el(
      "section",
      { class: "card", "aria-label": say("consent") },
      el("h2", {}, say("consent")),
      el("p", { ...marks, class: "lines" }, texts.consent),
      el(
        "label",
        { class: "choice" },
        el("input", {
          type: "checkbox",
          id: "agreed",
          checked: state.isAgreed,
          onchange: (/** @type {any} */ change) => {
            state.isAgreed = change.target.checked;
            ready();
          },
        }),
        el("span", {}, say("consentBox")),
      ),
    );
  const warnings = collection.related.map((/** @type {any} */ { other, count, size, question }) =>
    el("p", { class: "card alarm" }, question === undefined ? say("related", { n: count, size, other }) : say("relatedForm", { n: count, size, other, question: question + 1 })),
  );
  const details = [
    promise(collection, texts),
    summary === null ? null : el("details", { class: "card" }, el("summary", {}, say("budget")), ...(summary ? used(summary, texts.title) : [el("p", {}, say("budgetUnread"))])),
  ];
  const head = [
    el(isForm ? "h1" : "p", { ...marks, class: isForm ? null : "soft small" }, texts.title),
    texts.asker ? el("p", { class: "soft lines" }, say("asker", { asker: texts.asker })) : null,
    texts.introduction ? el("p", { ...marks, class: "lines" }, texts.introduction) : null,
    marks.lang ? el("p", { class: "soft small" }, say("surveyLanguage")) : null,
    summary?.isAnswered ? el("p", { class: "card done" }, say("answeredBefore")) : null,
  ];
  if (isForm && lack) {
    show(main, ...head, lack, ...details);
    return;
  }
  if (budget) budget.element.id = "budget";
  show(
    main,
    ...head,
    lack,
    el(
      "form",
      { onsubmit: submit, novalidate: true },
      texts.consent ? consent() : null,
      plan(collection, texts, marks),
      ...(isForm ? [details[0], ...warnings, budget?.element] : []),
      ...groups.map(asking),
      ...(isForm ? [] : warnings),
      labelling(collection, texts, marks, state.labels),
      isForm ? null : budget?.element,
      progress,
      problem,
      el("p", {}, send),
    ),
    ...details.slice(isForm ? 1 : 0),
  );
  ready();
}
