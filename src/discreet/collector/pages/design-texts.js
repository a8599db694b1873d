/** What people read besides the questions: who asks and why, background questions, and other languages. */

import { flat, newBackground } from "./design-model.js";
import { field, typed } from "./design-parts.js";
import { linesOf } from "./domain.js";
import { at, el, show } from "./dom.js";
import { directionOf, either, say } from "./languages.js";
import { language as pageLanguage } from "./page.js";

/** Languages that are offered; any other can be typed by its code. */
const LANGUAGES = ["ar", "cs", "da", "de", "el", "en", "es", "fa", "fi", "fr", "he", "hi", "hu", "id", "it", "ja", "ko", "nl", "no", "pl", "pt", "ro", "ru", "sv", "sw", "tr", "uk", "ur", "vi", "zh"];
/** The most answers of a question that are translated here. */
const MOST = 60;

/** The name of a language in that of the page. @param {string} code */
export const languageName = (code) => new Intl.DisplayNames([pageLanguage()], { type: "language" }).of(code) ?? code;

/** Who asks, and what is said around the questions. @param {import("./design-model.js").Model} model @param {() => void} changed */
export function around(model, changed) {
  return el(
    "div",
    {},
    field(say("designing.surveyTitle"), typed(model, "title", changed, { id: "new-title", size: "40", maxlength: "200" })),
    el(
      "details",
      { open: Boolean(model.asker || model.introduction || model.consent || model.thanks) },
      el("summary", {}, say("designing.aroundMore")),
      field(say("designing.asker"), typed(model, "asker", changed, { placeholder: say("designing.askerExample") })),
      field(say("designing.introduction"), typed(model, "introduction", changed, { rows: "3" })),
      field(say("designing.consent"), typed(model, "consent", changed, { rows: "3" })),
      field(say("designing.thanks"), typed(model, "thanks", changed, { rows: "2" })),
    ),
  );
}

/** Background questions, whose answers are sent as they are. @param {Element} place @param {import("./design-model.js").Model} model @param {() => void} changed */
export function background(place, model, changed) {
  const again = (/** @type {string} */ focus) => {
    background(place, model, changed);
    at(focus)?.focus();
    changed();
  };
  const rows = model.background.map((one, i) => {
    const move = (/** @type {number} */ step) => {
      model.background.splice(i, 1);
      model.background.splice(i + step, 0, one);
      again(`background-${one.key}`);
    };
    const remove = () => {
      model.background.splice(i, 1);
      again("add-background");
    };
    return el(
      "section",
      { class: "card", "aria-label": say("designing.backgroundNumber", { number: i + 1 }) },
      field(say("designing.backgroundNumber", { number: i + 1 }), typed(one, "text", changed, { id: `background-${one.key}`, placeholder: say("designing.backgroundExample") })),
      field(say("designing.backgroundLines"), typed(one, "answers", changed, { rows: "3", placeholder: say("designing.backgroundLinesExample") })),
      field(say("designing.helpAny"), typed(one, "help", changed)),
      el(
        "p",
        { class: "row tools" },
        el("button", { class: "plain", type: "button", disabled: i === 0, onclick: () => move(-1), "aria-label": say("designing.backgroundUp", { number: i + 1 }) }, say("designing.up")),
        el("button", { class: "plain", type: "button", disabled: i === model.background.length - 1, onclick: () => move(1), "aria-label": say("designing.backgroundDown", { number: i + 1 }) }, say("designing.down")),
        el("button", { class: "plain", type: "button", onclick: remove, "aria-label": say("designing.backgroundRemove", { number: i + 1 }) }, say("designing.remove")),
      ),
    );
  });
  const add = () => {
    model.background.push(newBackground());
    again(`background-${model.background[model.background.length - 1].key}`);
  };
  show(
    place,
    el("p", { class: "small soft" }, say("designing.backgroundText")),
    ...rows,
    el("p", {}, el("button", { class: "plain", type: "button", id: "add-background", onclick: add }, say("designing.backgroundAdd"))),
  );
}

/** All texts that can be translated: where each belongs, and what it says in the first language. @param {import("./design-model.js").Model} model */
function texts(model) {
  /** @type {[string, string][]} */
  const all = [];
  const put = (/** @type {string} */ id, /** @type {string} */ text) => text.trim() && !all.some(([other]) => other === id) && all.push([id, text.trim()]);
  for (const name of /** @type {const} */ (["title", "asker", "introduction", "consent", "thanks"])) put(name, model[name]);
  for (const { texts: said, values, ids } of flat(model)) {
    if (said.group) put(ids.group, said.group);
    put(ids.question, said.question ?? "");
    put(ids.help, said.help ?? "");
    if (said.unit) put(ids.unit, said.unit);
    const worded = values.filter((value) => !/^[0-9–.-]+$/.test(value) && !(said.kind === "yes/no" && ["yes", "no"].includes(value)));
    if (ids.words && worded.length <= MOST) for (const value of worded) put(ids.words + value, said.words?.[value] ?? value);
  }
  for (const one of model.background) {
    put(`${one.key}/question`, one.text);
    put(`${one.key}/help`, one.help);
    for (const [text, words] of linesOf(one.answers).map((line) => line.split(/\s+=\s+/))) put(`${one.key}/words/${text}`, words ?? text);
  }
  return all;
}

/** A table of texts for each other language. @param {HTMLElement} place @param {import("./design-model.js").Model} model @param {() => void} changed @param {string} [opened] the language whose texts are to be seen */
export function languages(place, model, changed, opened = place.dataset.opened) {
  place.dataset.opened = opened ?? "";
  const own = el("input", { size: "5", dir: "ltr", value: model.language, list: "languages", maxlength: "20", onchange: (/** @type {any} */ event) => ((model.language = event.target.value.trim() || "en"), changed()) });
  const code = el("input", { id: "new-language", size: "5", dir: "ltr", list: "languages", maxlength: "20" });
  const said = el("p", { class: "small", role: "alert" });
  const add = () => {
    const name = code.value.trim();
    if (!/^[a-z]{2,3}(-[A-Za-z0-9]{2,8}){0,3}$/.test(name)) return show(said, say("designing.languageCode", { examples: either(["de", "fr", "pt-BR"]) }));
    if (name === model.language || model.translations[name]) return show(said, say("designing.languageTwice"));
    model.translations[name] = {};
    languages(place, model, changed, name);
    at(`language-${name}`)?.focus();
    changed();
  };
  /** @type {[string, string][]} */
  let all = [];
  let problem = "";
  try {
    all = texts(model);
  } catch (found) {
    problem = /** @type {Error} */ (found).message;
  }
  const tables = Object.entries(model.translations).map(([language, kept]) => {
    const left = el("span", { class: "soft small" });
    const count = () => (left.textContent = ` ${say("designing.textsDone", { done: all.filter(([id]) => kept[id]?.trim()).length, n: all.length })}`);
    count();
    const after = () => {
      count();
      changed();
    };
    const remove = () => {
      delete model.translations[language];
      languages(place, model, changed);
      at("new-language")?.focus();
      changed();
    };
    const rows = all.map(([id, text]) => {
      const long = text.length > 60 || text.includes("\n");
      return el(
        "label",
        { class: "translated" },
        el("span", { lang: model.language, dir: "auto" }, text),
        el(long ? "textarea" : "input", { rows: long ? "3" : null, lang: language, dir: directionOf(language), value: kept[id] ?? "", oninput: (/** @type {any} */ event) => ((kept[id] = event.target.value), after()) }),
      );
    });
    return el(
      "details",
      { open: language === opened, class: "card" },
      el("summary", { id: `language-${language}` }, `${languageName(language)} (${language})`, left),
      el("p", { class: "small soft" }, say("designing.languageText")),
      ...rows,
      el("p", {}, el("button", { class: "plain", type: "button", onclick: remove }, say("designing.languageRemove", { language: languageName(language) }))),
    );
  });
  show(
    place,
    el("datalist", { id: "languages" }, LANGUAGES.map((one) => el("option", { value: one }, languageName(one)))),
    field(say("designing.languageOwn"), own),
    problem ? el("p", { class: "small soft" }, `${say("designing.languageLater")} ${problem}`) : null,
    ...tables,
    el("div", { class: "row" }, field(say("designing.languageOther"), code), el("button", { class: "plain", type: "button", onclick: add }, say("designing.languageAdd"))),
    said,
  );
}
