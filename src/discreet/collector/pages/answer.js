/** The page of the person asked: the language, the collection, and what is shown of it; or why nothing is asked. */

import { ask, untouched } from "./asking.js";
import * as participant from "./background.js";
import { el, place, show } from "./dom.js";
import { CATALOGUES, directionOf, fitting, say, speak } from "./languages.js";
import { received } from "./receipt.js";
import { refusal } from "./refusal.js";
import { asked, chooser, wanted } from "./wanted.js";

const main = /** @type {Element} */ (document.querySelector("main"));
const { root, id } = place();
const address = new URL(`${root}/collections/${encodeURIComponent(id)}`, location.href).href;
const invitation = new URLSearchParams(location.hash.slice(1)).get("invitation");

/** Shows the page anew, in the language that is spoken. */
let render = async () => {};

/**
 * The languages of a page: that of the collection's texts, and that of the page's own sentences, which is the same unless there is no catalogue for
 * it or the reader has asked for one that the collection does not have.
 * @param {string[]} languages of the collection
 */
function languagesFor(languages) {
  const texts = fitting(wanted(), languages) ?? languages[0];
  const own = asked() && fitting([asked()], [...languages, ...CATALOGUES]) ? asked() : texts;
  return { texts, page: fitting([own], CATALOGUES) ? own : (fitting(wanted(), CATALOGUES) ?? "en") };
}

/** The menu of languages, at the top. @param {string[]} languages of the collection @param {string} page */
function menu(languages, page) {
  const others = CATALOGUES.filter((name) => !fitting([name], languages));
  const chosen = fitting([page], [...languages, ...others]);
  show(
    /** @type {Element} */ (document.querySelector("header")),
    el("strong", {}, "discreet"),
    chooser([...languages, ...others], chosen, () => render()),
  );
  const skip = document.querySelector(".skip");
  if (skip) skip.textContent = say("skip");
}

/** What went wrong, for a person. @param {any} problem */
async function failed(problem) {
  console.info(problem);
  const { heading, card } = await refusal(problem, address);
  render = async () => {
    const page = fitting(wanted(), CATALOGUES) ?? "en"; // nothing of the collection is shown
    await speak(page);
    menu(CATALOGUES, page);
    document.title = say("notAnswered");
    show(main, el("h1", {}, heading()), card(), el("p", {}, el("button", { class: "plain", onclick: () => location.reload() }, say("again"))));
  };
  await render();
}

/** The collection in the language of the reader, anew with each change of it. @param {any} collection @param {any} summary */
async function opened(collection, summary) {
  const state = untouched();
  const spoken = async () => {
    const { texts, page } = languagesFor(collection.languages);
    await speak(page);
    menu(collection.languages, page);
    const isForeign = texts.split("-")[0] !== page.split("-")[0];
    return { texts: collection.texts[texts], marks: isForeign ? { lang: texts, dir: directionOf(texts) } : { dir: "auto" } };
  };
  const done = async (/** @type {any} */ receipt, /** @type {Promise<boolean>} */ kept) => {
    render = async () => {
      const { texts, marks } = await spoken();
      const isHidden = collection.asked.every((/** @type {string} */ name) => state.isHidden[name]);
      received(main, collection, receipt, { isHidden, isForm: collection.asked.length > 1, isInvited: invitation !== null, title: texts.title, thanks: texts.thanks, marks, kept }, (renewed) => done(renewed, kept));
    };
    await render();
  };
  render = async () => {
    const { texts, marks } = await spoken();
    main.removeAttribute("aria-live"); // from here on, each part says what changes
    ask(main, collection, texts, marks, state, summary, invitation, done, failed);
  };
  await render();
}

try {
  participant.flush().catch(() => {});
  const collection = await participant.open(address);
  await opened(collection, await participant.summary().catch(() => undefined));
} catch (problem) {
  await failed(problem);
}
