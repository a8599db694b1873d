/** The page of the person asked: the question, what is promised and what was checked, the answer, and what left. */

import { el, keep, place, show } from "./dom.js";
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
  console.info(problem);
  document.title = "Not answered";
  show(
    main,
    el("h1", {}, closed ? "This question takes no answers" : refused ? "Better not to answer this" : "This did not work"),
    el(
      "div",
      { class: closed ? "card" : "card alarm", role: "alert" },
      el("p", {}, refused ? problem.message : "The question could not be fetched. Try again in a while."),
      el("p", { class: "soft" }, "Nothing was sent for this question, and nothing of your budget was spent on it."),
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
  const choices = el("div", { role: "radiogroup", "aria-label": "Answers that fit" });
  const list = (/** @type {string} */ sought) => {
    const fitting = words.map((word, x) => ({ word, x })).filter(({ word }) => word.toLowerCase().includes(sought.toLowerCase()));
    show(
      choices,
      ...fitting
        .slice(0, MANY)
        .map(({ word, x }) => el("label", { class: "choice" }, el("input", { type: "radio", name: "answer", value: String(x), onchange: () => chosen(x) }), el("span", {}, word))),
      fitting.length > MANY && el("p", { class: "soft small" }, `${fitting.length - MANY} more fit: type more of the word.`),
      fitting.length === 0 && el("p", { class: "soft small" }, "None fits."),
    );
  };
  list("");
  return [
    el(
      "label",
      { class: "field" },
      el("span", {}, `Search among ${words.length.toLocaleString()} answers`),
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
        el("option", { value: "" }, "rather not say"),
        collection.labels[name].map((/** @type {string} */ text) => el("option", { value: text }, text)),
      ),
    ),
  );
  return el(
    "details",
    { class: "card" },
    el("summary", {}, "Say more, openly"),
    el("p", { class: "small" }, "These are sent as they are, beside your report, and are not protected. Leave out whatever you like."),
    ...picks,
  );
}

/** What the device has spent. @param {any} summary */
function ledgerOf(summary) {
  const rows = summary.collections.map((/** @type {any} */ one) =>
    el("tr", {}, el("td", {}, one.collection.replace(/^https?:\/\//, "")), el("td", { class: "number" }, one.epsilon), el("td", { class: "number" }, String(one.reports))),
  );
  return [
    el("p", {}, `Spent so far: ${summary.spent} of ${summary.cap}. ${summary.left} is left for all questions of this collector, in this browser.`),
    rows.length
      ? el(
          "div",
          { class: "scroll" },
          el("table", {}, el("thead", {}, el("tr", {}, el("th", {}, "question at"), el("th", { class: "number" }, "spent"), el("th", { class: "number" }, "reports"))), el("tbody", {}, rows)),
        )
      : null,
    el("p", { class: "small soft" }, "A question spends how much its answers could show at most (epsilon). When the budget is spent, this page answers nothing more."),
  ];
}

/** What can be said of how long this browser keeps the ledger, once it has been asked to. @param {Promise<boolean>} kept */
function keeping(kept) {
  const said = el("p", { class: "small soft" });
  const say = (/** @type {boolean} */ isKept) =>
    (said.textContent = isKept
      ? "This browser keeps the ledger until you clear the data of this site."
      : "This browser may clear the ledger by itself when it is short of room, and would then no longer know what was answered.");
  kept.then(say, () => say(false));
  return said;
}

/** What left, and why it is not the answer. @param {any} collection @param {any} receipt @param {boolean} hidden @param {Promise<boolean>} kept */
function received(collection, receipt, hidden, kept) {
  const message = {
    accepted: ["Your report was sent", "It was counted. Thank you."],
    queued: ["Your report is waiting", "The collector cannot be reached. The report is kept here, and is sent when this page is open again."],
    refused: ["Your report was not taken", receipt.reason ?? "The collector did not take it."],
  }[/** @type {"accepted" | "queued" | "refused"} */ (receipt.state)];
  document.title = message[0];
  const text = JSON.stringify({ ...receipt, law: collection.promise.fingerprint }, null, 2);
  const again = el("div", {});
  show(
    main,
    el("h1", {}, message[0]),
    el("div", { class: `card ${receipt.state === "accepted" ? "done" : "alarm"}` }, el("p", {}, message[1])),
    el("h2", {}, receipt.state === "queued" ? "This is all that will leave" : "This is all that left"),
    el("pre", { tabindex: "0" }, receipt.sent),
    el(
      "p",
      {},
      hidden
        ? "It is not your answer: it was drawn by chance on this device, by the law whose number is in it, and people with other answers send such reports too. "
        : "It was drawn by the law whose number is in it. This answer was not protected: the report may show it. ",
      "Answering the same again sends these very bytes, so that nothing more can be learned.",
    ),
    el(
      "p",
      { class: "row" },
      el("button", { class: "plain", onclick: () => keep("receipt.json", "application/json", text) }, "Keep the receipt"),
      receipt.state === "queued" && el("button", { class: "plain", onclick: async () => received(collection, (await participant.flush()).find((/** @type {any} */ { upload }) => upload === receipt.upload) ?? receipt, hidden, kept) }, "Send it now"),
    ),
    el("h2", {}, "Your budget"),
    again,
    keeping(kept),
  );
  participant.summary().then((/** @type {any} */ summary) => show(again, ...ledgerOf(summary)), () => {});
  main.querySelector("h1").tabIndex = -1;
  main.querySelector("h1").focus();
}

/** @param {any} collection */
function ask(collection) {
  document.title = collection.title;
  /** @type {Record<string, string>} */
  const labels = {};
  let chosen = -1;
  let sending = false;
  let hidden = false;
  const send = el("button", { type: "submit", disabled: true }, "Randomize here, and send the report");
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
    send.disabled = sending;
  };
  const submit = async (/** @type {Event} */ event) => {
    event.preventDefault();
    const x = chosen;
    send.disabled = sending = true;
    show(problem);
    const kept = Promise.resolve(navigator.storage?.persist?.() ?? false);
    let receipt;
    try {
      receipt = await participant.answer(x, { labels, ...(invitation ? { invitation } : {}) });
    } catch (reason) {
      if (reason instanceof Refused && reason.code === "closed") return failed(reason);
      send.disabled = sending = false;
      show(problem, el("div", { class: "card alarm" }, el("p", {}, reason instanceof Error ? reason.message : "This did not work.")));
      return;
    }
    received(collection, receipt, hidden, kept);
  };
  const budget = el("div", {});
  show(
    main,
    el("p", { class: "soft small" }, collection.title),
    el("form", { onsubmit: submit }, el("fieldset", {}, el("legend", {}, el("h1", {}, collection.question)), ...choices(collection, pick)), meant, ...collection.warnings.map((/** @type {string} */ warning) => el("p", { class: "card alarm" }, warning)), labelling(collection, labels), problem, el("p", {}, send)),
    el(
      "details",
      { class: "card" },
      el("summary", {}, "What was promised, and what this page checked"),
      el("ul", {}, collection.promise.sentences.map((/** @type {string} */ sentence) => el("li", {}, sentence))),
      el(
        "p",
        { class: "small" },
        `This page did not take the collector's word for it: it compared the published law with its number, and went through the law's whole numbers, for every two of the ${collection.values.length.toLocaleString()} answers.`,
      ),
      el("p", { class: "small soft" }, "Number of the law: ", el("code", {}, collection.promise.fingerprint)),
    ),
    el("details", { class: "card" }, el("summary", {}, "Your budget"), budget),
  );
  participant.summary().then((summary) => show(budget, ...ledgerOf(summary)), () => show(budget, el("p", {}, "The ledger cannot be read.")));
}

try {
  participant.flush().catch(() => {});
  ask(await participant.open(new URL(`${root}/collections/${encodeURIComponent(id)}`, location.href).href));
} catch (problem) {
  failed(problem);
}
