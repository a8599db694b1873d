/** The page of the person asked: the question, what is promised and what was checked, the answer, and what left. */

import { el, keep, place, show } from "./dom.js";
import { choice, lacking, used } from "./budget.js";
import { explain, meaning } from "./explain.js";
import * as participant from "./background.js";
import { Refused } from "./background.js";
import { valueText } from "./words.js";

/** More answers than these are searched instead of listed. */
const MANY = 12;

const main = document.querySelector("main");
const { root, id } = place();
const invitation = new URLSearchParams(location.hash.slice(1)).get("invitation");

/** What went wrong, for a person. @param {unknown} problem */
function failed(problem) {
  const refused = problem instanceof Refused;
  const closed = refused && problem.code === "closed";
  const missing = refused && /\(status 404\)/.test(problem.message);
  const away = !refused || problem.code === "unreachable";
  const heading = closed ? "This survey takes no answers" : missing ? "This survey was not found" : away ? "The survey could not be loaded" : "This survey is not safe to answer";
  console.info(problem);
  document.title = "Not answered";
  show(
    main,
    el("h1", {}, heading),
    el(
      "div",
      { class: closed || missing ? "card" : "card alarm", role: "alert" },
      missing || away ? el("p", {}, missing ? "Check the link: part of it may be missing." : "Try again in a while.") : el("p", {}, problem.message),
      closed || missing || away ? null : el("p", {}, "What it sent does not keep what it promises, so this page asks you nothing."),
      el("p", { class: "soft" }, "Nothing was sent, and none of your privacy budget was used."),
    ),
    el("p", {}, el("button", { class: "plain", onclick: () => location.reload() }, "Try again")),
  );
}

/** How a value is shown. @param {any} collection @param {any} value */
const wordOf = (collection, value) => valueText(value, collection.words);

/** The list of answers, or a search among many. @param {any} collection @param {(x: number) => void} chosen */
function choices(collection, chosen) {
  const words = collection.values.map((value) => wordOf(collection, value));
  if (words.length <= MANY) {
    return words.map((word, x) =>
      el("label", { class: "choice" }, el("input", { type: "radio", name: "answer", value: String(x), onchange: () => chosen(x) }), el("span", {}, word)),
    );
  }
  const choices = el("div", { role: "radiogroup", "aria-label": "Matching answers" });
  const list = (/** @type {string} */ sought) => {
    const fitting = words.map((word, x) => ({ word, x })).filter(({ word }) => word.toLowerCase().includes(sought.toLowerCase()));
    show(
      choices,
      ...fitting
        .slice(0, MANY)
        .map(({ word, x }) => el("label", { class: "choice" }, el("input", { type: "radio", name: "answer", value: String(x), onchange: () => chosen(x) }), el("span", {}, word))),
      fitting.length > MANY && el("p", { class: "soft small" }, `${(fitting.length - MANY).toLocaleString()} more match: type more letters.`),
      fitting.length === 0 && el("p", { class: "soft small" }, "No answer matches."),
    );
  };
  list("");
  return [
    el(
      "label",
      { class: "field" },
      el("span", {}, `Search ${words.length.toLocaleString()} answers`),
      el("input", { type: "search", autocomplete: "off", oninput: (/** @type {any} */ event) => list(event.target.value) }),
    ),
    choices,
  ];
}

/** Choices of public labels. @param {any} collection @param {Record<string, string>} labels */
function labelling(collection, labels) {
  const names = Object.keys(collection.labels);
  if (!names.length) return null;
  const picks = names.map((name) =>
    el(
      "label",
      { class: "field" },
      el("span", {}, name),
      el(
        "select",
        {
          onchange: (/** @type {any} */ event) => {
            if (event.target.value) labels[name] = event.target.value;
            else delete labels[name];
          },
        },
        el("option", { value: "" }, "prefer not to say"),
        collection.labels[name].map((/** @type {string} */ text) => el("option", { value: text }, text)),
      ),
    ),
  );
  return el(
    "details",
    { class: "card" },
    el("summary", {}, "Optional, not protected"),
    el("p", { class: "small" }, "These are sent as you give them, along with your report, and are not protected. You can leave any of them out."),
    ...picks,
  );
}

/** What can be said of how long this browser keeps the ledger, once it has been asked to. @param {Promise<boolean>} kept */
function keeping(kept) {
  const said = el("p", { class: "small soft" });
  const say = (/** @type {boolean} */ isKept) =>
    (said.textContent = isKept
      ? "This browser keeps this record until you clear the data of this site."
      : "This browser may delete this record when it runs out of space, and would then no longer know what you answered.");
  kept.then(say, () => say(false));
  return said;
}

/** What left, and why it is not the answer. @param {any} collection @param {any} receipt @param {boolean} hidden @param {Promise<boolean>} kept */
function received(collection, receipt, hidden, kept) {
  const message = {
    accepted: ["Your report was sent", "It was counted. Thank you."],
    queued: ["Your report is waiting", "The survey's server cannot be reached. Your report is kept in this browser, and is sent when this page is opened again."],
    refused: ["Your report was not accepted", receipt.code === "closed" ? "This survey is closed. Nothing was counted." : `Nothing was counted.${receipt.reason ? ` The server says: ${receipt.reason}` : ""}`],
  }[/** @type {"accepted" | "queued" | "refused"} */ (receipt.state)];
  document.title = message[0];
  const text = JSON.stringify({ ...receipt, law: collection.promise.fingerprint }, null, 2);
  const again = el("div", {});
  show(
    main,
    el("h1", {}, message[0]),
    el("div", { class: `card ${receipt.state === "accepted" ? "done" : "alarm"}` }, el("p", {}, message[1])),
    el("h2", {}, receipt.state === "queued" ? "Everything that will be sent" : "Everything that was sent"),
    el("pre", { tabindex: "0" }, receipt.sent),
    el(
      "p",
      {},
      hidden
        ? "This is not your answer: it was chosen at random on this device by the published rules (their ID is in it), and people with other answers send such reports too. "
        : "It was chosen by the published rules (their ID is in it). Your answer is not protected: the report may reveal it. ",
      "If you give the same answer again, exactly the same is sent, so nothing more can be learned.",
    ),
    el(
      "p",
      { class: "row" },
      el("button", { class: "plain", onclick: () => keep("receipt.json", "application/json", text) }, "Save the receipt"),
      receipt.state === "queued" && el("button", { class: "plain", onclick: async () => received(collection, (await participant.flush()).find((/** @type {any} */ { upload }) => upload === receipt.upload) ?? receipt, hidden, kept) }, "Send it now"),
    ),
    el("h2", {}, "Your privacy budget"),
    again,
    keeping(kept),
  );
  participant.summary().then((/** @type {any} */ summary) => show(again, ...used(summary)), () => {});
  main.querySelector("h1").tabIndex = -1;
  main.querySelector("h1").focus();
}

/** @param {any} collection @param {any} summary what was spent; null before a budget was set, undefined where it cannot be read */
function ask(collection, summary) {
  document.title = collection.title;
  /** @type {Record<string, string>} */
  const labels = {};
  let chosen = -1;
  let sending = false;
  let hidden = false;
  const send = el("button", { type: "submit", disabled: true }, "Send");
  const meant = el("div", { id: "meant" });
  const problem = el("div", { role: "alert" });
  const pick = async (/** @type {number} */ x) => {
    chosen = x;
    send.disabled = true;
    show(meant);
    const entries = await participant.row(x);
    if (chosen !== x) return;
    hidden = meaning(entries, x).hiddenFrom.length > 0;
    show(meant, ...explain(collection, x, entries, (value) => wordOf(collection, value)));
    send.textContent = hidden ? "Scramble my answer and send" : "Send";
    ready();
  };
  const lack = lacking(summary, collection.promise.epsilon);
  const ready = () => (send.disabled = sending || chosen < 0 || lack !== null || budget?.chosen() === "");
  const budget = summary === null ? choice(collection.promise.epsilon, () => ready()) : null;
  const submit = async (/** @type {Event} */ event) => {
    event.preventDefault();
    const x = chosen;
    send.disabled = sending = true;
    show(problem);
    const kept = Promise.resolve(navigator.storage?.persist?.() ?? false);
    let receipt;
    try {
      if (budget) await participant.begin(budget.chosen());
      receipt = await participant.answer(x, { labels, ...(invitation ? { invitation } : {}) });
    } catch (reason) {
      if (reason instanceof Refused && reason.code === "closed") return failed(reason);
      sending = false;
      ready();
      show(problem, el("div", { class: "card alarm" }, el("p", {}, reason instanceof Error ? reason.message : "This did not work.")));
      return;
    }
    received(collection, receipt, hidden, kept);
  };
  show(
    main,
    el("p", { class: "soft small" }, collection.title),
    lack,
    el("form", { onsubmit: submit }, el("fieldset", {}, el("legend", {}, el("h1", {}, collection.question)), ...choices(collection, pick)), meant, ...collection.warnings.map((/** @type {string} */ warning) => el("p", { class: "card alarm" }, warning)), labelling(collection, labels), budget?.element, problem, el("p", {}, send)),
    el(
      "details",
      { class: "card" },
      el("summary", {}, "What is promised, and what this page has checked"),
      el("ul", {}, collection.promise.sentences.map((/** @type {string} */ sentence) => el("li", {}, sentence))),
      el(
        "p",
        { class: "small" },
        `This page did not take the survey's word for it. It compared the published rules with their ID, and checked them with exact numbers for every pair of the ${collection.values.length.toLocaleString()} answers.`,
      ),
      el("p", { class: "small soft" }, "ID of the rules: ", el("code", {}, collection.promise.fingerprint)),
    ),
    summary === null ? null : el("details", { class: "card" }, el("summary", {}, "Your privacy budget"), ...(summary ? used(summary) : [el("p", {}, "The record of what you answered cannot be read.")])),
  );
}

try {
  participant.flush().catch(() => {});
  const collection = await participant.open(new URL(`${root}/collections/${encodeURIComponent(id)}`, location.href).href);
  ask(collection, await participant.summary().catch(() => undefined));
} catch (problem) {
  failed(problem);
}
