/** What left, and why it is not the answer. */

import * as participant from "./background.js";
import { used } from "./budget.js";
import { el, keep, show } from "./dom.js";
import { say } from "./languages.js";
import { entitle } from "./page.js";

/** What can be said of how long this browser keeps the ledger, once it has been asked to. @param {Promise<boolean>} kept */
function keeping(kept) {
  const said = el("p", { class: "small soft" });
  const tell = (/** @type {boolean} */ isKept) => (said.textContent = say(isKept ? "kept" : "notKept"));
  kept.then(tell, () => tell(false));
  return said;
}

/** Which heading and text, by what became of the report. @param {any} receipt @param {string} thanks */
function outcome({ state, code }, thanks) {
  if (state === "accepted") return ["accepted", thanks ? "acceptedOnly" : "acceptedText"];
  if (state === "queued") return ["queued", "queuedText"];
  return ["refused", code === "closed" ? "refusedClosed" : code === "not_invited" ? "refusedInvited" : "refusedText"];
}

/** The keys of what is sent, in words, and what goes along. @param {string} sent @param {boolean} isInvited */
const contents = (sent, isInvited) =>
  el(
    "ul",
    { class: "small soft" },
    el("li", {}, say("sentRules")),
    el("li", {}, say("sentReport")),
    /"labels":/.test(sent) ? el("li", {}, say("sentLabels")) : null,
    isInvited ? el("li", {}, say("sentInvited")) : null,
  );

/**
 * Show the receipt.
 * @param {Element} main
 * @param {any} collection
 * @param {any} receipt
 * @param {{isHidden: boolean, isForm: boolean, isInvited: boolean, title: string, thanks: string, marks: Record<string, string>, kept: Promise<boolean>}} about whether no answer may be told for certain, whether several were answered, whether an invitation went along, the
 *   title and the thanks of those who ask with their language, and whether the browser keeps the ledger
 * @param {(receipt: any) => void} renewed
 */
export function received(main, collection, receipt, { isHidden, isForm, isInvited, title, thanks, marks, kept }, renewed) {
  const [heading, text] = outcome(receipt, thanks).map((key) => say(key));
  const form = isForm ? "Form" : "";
  entitle(heading);
  const again = el("div", {});
  const sendNow = async () => renewed((await participant.flush()).find(({ upload }) => upload === receipt.upload) ?? receipt);
  const saved = JSON.stringify({ ...receipt, law: collection.promise.fingerprint }, null, 2);
  show(
    main,
    el("h1", { tabindex: "-1" }, heading),
    el(
      "div",
      { class: `card ${receipt.state === "accepted" ? "done" : "alarm"}` },
      el("p", {}, text),
      receipt.state === "accepted" && thanks ? el("p", { ...marks, class: "lines" }, thanks) : null,
    ),
    el("h2", {}, say(receipt.state === "queued" ? "toSend" : "sent")),
    el("pre", { tabindex: "0", dir: "ltr" }, receipt.sent),
    contents(receipt.sent, isInvited),
    el("p", {}, `${say((isHidden ? "scrambled" : "unscrambled") + form)} ${say(`repeat${form}`)}`),
    el(
      "p",
      { class: "row" },
      el("button", { class: "plain", onclick: () => keep("receipt.json", "application/json", saved) }, say("saveReceipt")),
      receipt.state === "queued" && el("button", { class: "plain", onclick: sendNow }, say("sendNow")),
    ),
    el("h2", {}, say("budget")),
    again,
    keeping(kept),
  );
  participant.summary().then((summary) => show(again, ...used(summary, title)), () => {});
  /** @type {any} */ (main.querySelector("[tabindex=\"-1\"]"))?.focus();
}
