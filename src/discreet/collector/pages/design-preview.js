/** What people will see, by the controls of the answer page, to be looked at before it is asked: nothing of it is checked, kept or sent. */

import { boxes, grouped } from "./boxes.js";
import { control } from "./controls.js";
import { languageName } from "./design-texts.js";
import { el, show } from "./dom.js";
import { CATALOGUES, directionOf, fitting, say, speak } from "./languages.js";

/** The texts of a questionnaire in one language, the first one where a text is missing. @param {any} document @param {string} language */
function inLanguage(document, language) {
  const other = document.translations?.[language] ?? {};
  const merge = (/** @type {any} */ one, /** @type {any} */ two = {}) => ({ help: "", unit: "", group: "", kind: "", ...one, ...two, words: { ...one.words, ...two.words } });
  const questions = document.questions ? document.questions.map((/** @type {any} */ one) => merge(one, other.questions?.[one.name])) : [merge(document, other)];
  const background = (document.background ?? []).map((/** @type {any} */ one) => merge(one, other.background?.[one.name]));
  return { ...document, ...Object.fromEntries(["title", "asker", "introduction", "consent", "thanks"].map((name) => [name, other[name] ?? document[name]])), questions, background };
}

/** @param {any[]} group @param {Record<string, string>} marks */
function asked(group, marks) {
  const [question] = group;
  const isBoxes = group.length > 1;
  const text = isBoxes ? question.group : question.question || say("designing.previewUntexted");
  const inside = isBoxes ? boxes(group, { ticked: new Set(), done: new Set() }, () => {}) : control(question, -1, () => {});
  return el("fieldset", { class: "question card", id: question.id }, el("legend", { class: "inside" }, el("h2", { ...marks, id: `${question.id}-text` }, text)), !isBoxes && question.help ? el("p", { ...marks, class: "soft" }, question.help) : null, ...inside);
}

/**
 * The page in a language that was spoken to `languages.js`.
 * @param {any} document @param {import("./design-model.js").Flat[]} flat @param {string} language @param {Record<string, string>} marks
 */
function page(document, flat, language, marks) {
  const texts = inLanguage(document, language);
  const isForm = Boolean(document.form);
  const questions = texts.questions.map((/** @type {any} */ one, /** @type {number} */ i) => ({
    ...one,
    name: one.name ?? "",
    id: `preview-${i}`,
    values: one.kind === "number" ? flat[i].values.map((value, x) => (x < flat[i].values.length - flat[i].outside ? Number(value) : value)) : flat[i].values,
    outside: flat[i].outside,
    numbers: flat[i].numbers,
    marks,
  }));
  const labels = texts.background.map((/** @type {any} */ one) =>
    el("label", { class: "field" }, el("span", marks, one.question), one.help ? el("span", { ...marks, class: "small" }, one.help) : null, el("select", {}, el("option", {}, say("preferNot")), document.labels[one.name].map((/** @type {string} */ text) => el("option", marks, one.words?.[text] ?? text)))),
  );
  const strategy = document.form?.strategy;
  const n = questions.length;
  return [
    el("h1", marks, texts.title || say("designing.previewUntitled")),
    texts.asker && el("p", { class: "soft lines" }, say("asker", { asker: texts.asker })),
    texts.introduction && el("p", { ...marks, class: "lines" }, texts.introduction),
    texts.consent && el("section", { class: "card" }, el("h2", {}, say("consent")), el("p", { ...marks, class: "lines" }, texts.consent), el("label", { class: "choice" }, el("input", { type: "checkbox" }), el("span", {}, say("consentBox")))),
    isForm && (strategy === "one at random" ? el("section", { class: "card" }, el("h2", {}, say("oneTitle", { n })), el("p", {}, say("oneText"))) : el("p", { class: "soft" }, say(strategy === "each" ? "eachText" : "togetherText", { n }))),
    ...grouped(questions).map((group) => asked(group, marks)),
    labels.length > 0 && el("details", { class: "card", open: true }, el("summary", {}, say("background")), el("p", { class: "small" }, say("backgroundText")), ...labels),
    el("p", {}, el("button", { type: "button", disabled: true }, say("scramble", { n: strategy === "one at random" ? 1 : n }))),
    texts.thanks && el("section", { class: "card done" }, el("p", { ...marks, class: "lines" }, texts.thanks)),
  ];
}

/**
 * A window that shows a questionnaire in each of its languages.
 * @param {any} document its file
 * @param {import("./design-model.js").Flat[]} flat
 * @param {() => Promise<void>} back speaks the language of the page again
 */
export async function preview(document, flat, back) {
  const languages = [document.language ?? "en", ...Object.keys(document.translations ?? {})];
  const place = el("div", {});
  const root = window.document.documentElement;
  const around = [root.lang, root.dir];
  const draw = async (/** @type {string} */ language) => {
    const isKnown = fitting([language], CATALOGUES) !== undefined;
    await speak(isKnown ? language : "en", "design");
    [root.lang, root.dir] = around; // the page around the preview stays as it is
    place.lang = isKnown ? language : "en";
    place.dir = directionOf(place.lang);
    show(place, ...page(document, flat, language, isKnown ? { dir: "auto" } : { lang: language, dir: directionOf(language) }));
  };
  const pick = el("select", { onchange: (/** @type {any} */ event) => draw(event.target.value) }, languages.map((one) => el("option", { value: one }, languageName(one))));
  const dialog = /** @type {HTMLDialogElement} */ (
    el(
      "dialog",
      { class: "preview", "aria-labelledby": "preview-title" },
      el("div", { class: "row" }, el("strong", { id: "preview-title" }, say("designing.preview")), languages.length > 1 && el("label", { class: "row" }, `${say("language")} `, pick), el("button", { class: "plain", type: "button", onclick: () => dialog.close() }, say("designing.previewClose"))),
      el("p", { class: "small soft" }, say("designing.previewText")),
      place,
    )
  );
  dialog.addEventListener("close", () => {
    dialog.remove();
    void back();
  });
  await draw(languages[0]);
  window.document.body.append(dialog);
  dialog.showModal();
}
