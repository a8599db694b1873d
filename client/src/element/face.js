/** One collection in the shadow root of one element, with a language of its own: all of this is made anew for each element. */

import { ask, untouched } from "discreet-pages/asking.js";
import * as side from "discreet-pages/background.js";
import { el, show } from "discreet-pages/dom.js";
import { CATALOGUES, directionOf, fitting, nameOf, say, speak } from "discreet-pages/languages.js";
import { settle as settlePage } from "discreet-pages/page.js";
import { received } from "discreet-pages/receipt.js";
import { refusal } from "discreet-pages/refusal.js";
import { settle as settleSide } from "./side.js";

/**
 * What an element says of itself.
 * @typedef {object} About
 * @property {ShadowRoot} root
 * @property {string} base the address of the element's module
 * @property {string} src
 * @property {string} cap with which the choice of a budget begins; "" for the usual one
 * @property {() => string[]} wanted languages, in order
 * @property {(name: "opened" | "answered" | "sent" | "refused", detail: object) => void} tell
 */

/** Milliseconds after which a report that waits is tried again; twice as many after each time. */
const AGAIN = 60_000;
/** The most of them. */
const LONGEST = 3_600_000;

/** Of a budget: those that the choice offers by name. */
const OFFERED = ["4", "12", "40"];

/** @param {About} about */
export function begin({ root, base, src, cap, wanted, tell }) {
  const main = document.createElement("div");
  root.replaceChildren(main);
  settlePage(root);
  settleSide(base);
  /** A worker has another address than the page, so that this is whole. */
  const address = !src || /^https?:/i.test(src) || !URL.canParse(src, document.baseURI) ? src : new URL(src, document.baseURI).href;
  /** What may be told: the rest may be an invitation. */
  const [shown] = address.split("#");
  const invitation = new URLSearchParams(src.split("#")[1] ?? "").get("invitation");
  const site = location.host || location.href;
  const state = untouched();
  if (cap) state.budget = OFFERED.includes(cap) ? { pick: cap, other: "" } : { pick: "", other: cap };
  /** The language that the person has chosen here. */
  let chosen = "";
  /** What became of the answer, once there is one. @type {any} */
  let receipt = null;
  let isAway = false;
  let isEnded = false;
  let patience = AGAIN;
  let timer = 0;
  /** Shows it anew, in the language that is spoken. @type {() => any} */
  let render = () => {};

  const languages = () => (chosen ? [chosen] : wanted());
  /** Speak the best catalogue, where nothing of the collection is shown. */
  const spoken = () => speak(fitting(languages(), CATALOGUES) ?? "en");

  /** @param {any} collection @param {string} now */
  const menu = (collection, now) => {
    if (collection.languages.length < 2) return null;
    const change = async (/** @type {any} */ event) => {
      chosen = event.target.value;
      await render();
      root.getElementById("language")?.focus();
    };
    const option = (/** @type {string} */ name) => el("option", { value: name, lang: name, dir: directionOf(name), selected: name === now }, nameOf(name));
    return el("label", { class: "row small menu" }, el("span", {}, say("language")), el("select", { id: "language", onchange: change }, collection.languages.map(option)));
  };

  /** What a person should know of where this is. */
  const where = () => el("p", { class: "small soft" }, say("embedded", { site }));

  /** @param {any} problem */
  async function failed(problem) {
    const told = await refusal(problem, address, () => say("embeddedAway", { site }));
    ({ isAway } = told);
    const code = problem.code ?? "other";
    tell("refused", { code, reason: problem.message });
    if (isAway) {
      const origin = URL.canParse(shown) ? new URL(shown).origin : "that of the collector";
      console.error(
        `discreet-questionnaire: ${shown} cannot be read by this page. Either the collector cannot be reached, or it was not started with --origin ${location.origin}, or the content security policy of this page lacks connect-src ${origin}. (${problem.message})`,
      );
    } else console.warn(`discreet-questionnaire: ${shown || "no address"} was refused (${code}): ${problem.message}`);
    render = async () => {
      await spoken();
      show(main, el("h1", {}, told.heading()), told.card(), isAway ? el("p", {}, el("button", { class: "plain", onclick: open }, say("again"))) : null);
    };
    await render();
  }

  /** @param {any} collection @param {any} summary */
  async function asking(collection, summary) {
    const begun = async () => {
      const texts = fitting(languages(), collection.languages) ?? collection.languages[0];
      await speak(fitting([texts], CATALOGUES) ? texts : (fitting(languages(), CATALOGUES) ?? "en"));
      const own = main.lang.split("-")[0];
      return { now: texts, texts: collection.texts[texts], marks: texts.split("-")[0] === own ? { dir: "auto" } : { lang: texts, dir: directionOf(texts) } };
    };
    const done = async (/** @type {any} */ given, /** @type {Promise<boolean>} */ kept) => {
      const isFirst = receipt === null;
      receipt = given;
      if (receipt.state === "refused") tell("refused", { code: receipt.code ?? "refused", reason: receipt.reason ?? "", receipt });
      else tell(isFirst ? "answered" : "sent", { receipt });
      render = async () => {
        const { texts, marks } = await begun();
        const isHidden = collection.asked.every((/** @type {string} */ name) => state.isHidden[name]);
        const renewed = (/** @type {any} */ found) => found.state !== receipt.state && done(found, kept);
        received(main, collection, receipt, { isHidden, isForm: collection.asked.length > 1, isInvited: invitation !== null, title: texts.title, thanks: texts.thanks, marks, kept }, renewed);
        main.append(where());
      };
      renewing = (found) => found.state !== "queued" && done(found, kept);
      await render();
      later();
    };
    render = async () => {
      const { now, texts, marks } = await begun();
      ask(main, collection, texts, marks, state, summary, invitation, done, failed);
      const top = menu(collection, now);
      if (top) main.prepend(top);
      const end = main.querySelector("form > :last-child");
      if (end) end.before(where());
      else main.append(where());
      const heading = main.querySelector("h2, h3");
      if (heading?.localName === "h3") heading.setAttribute("aria-level", "2"); // consent before a single question
    };
    await render();
    tell("opened", { collection: shown, title: collection.title });
  }

  /** @type {(found: any) => unknown} */
  let renewing = () => {};

  /** Send what waits, and show what became of the answer. */
  async function flush() {
    const sent = await side.flush().catch(() => []);
    const own = sent.find((/** @type {any} */ one) => one.upload === receipt?.upload);
    if (receipt?.state === "queued" && own) await renewing(own);
  }

  /** Try again in a while, as long as a report waits. */
  function later() {
    clearTimeout(timer);
    if (receipt?.state !== "queued" || isEnded) return;
    timer = window.setTimeout(() => flush().finally(later), patience);
    patience = Math.min(2 * patience, LONGEST);
  }

  async function open() {
    isAway = false;
    await spoken();
    show(main, el("p", { role: "status" }, say("loading")));
    try {
      if (!src) throw new side.Refused("The element has no src.", "address");
      const collection = await side.open(address);
      flush();
      await asking(collection, await side.summary().catch(() => undefined));
    } catch (problem) {
      await failed(problem);
    }
  }

  const online = () => (isAway ? open() : flush());
  const listen = () => {
    isEnded = false;
    addEventListener("online", online);
  };
  listen();
  const opened = open();

  return {
    opened,
    /** In the language that is wanted now. */
    speak: () => {
      chosen = "";
      return render();
    },
    /** The element was taken out of the page. */
    end: () => {
      isEnded = true;
      removeEventListener("online", online);
      clearTimeout(timer);
      side.end();
    },
    /** It is in a page again: all is as it was. */
    resume: () => {
      side.resume();
      listen();
      if (!receipt) side.row("", 0).catch((/** @type {any} */ problem) => problem.code === "document" && failed(problem)); // it may say something else now
      flush().finally(later);
    },
  };
}
