/** All collections: for anybody their titles and states, for the admin how they are doing. */

import { ask, takeTokens, tokenOf } from "./api.js";
import { at, el, keep, place, show } from "./dom.js";
import { withToken } from "./tokens.js";

const { root } = place();
const STATES = /** @type {Record<string, string>} */ ({ open: "open", waiting: "not open yet", closed: "closed", expired: "closed" });

/** @param {Record<string, number>} counts */
const listCounts = (counts) => Object.entries(counts).map(([code, n]) => `${n.toLocaleString()} ${code.replaceAll("_", " ")}`).join(", ") || "none";

/** @param {any} one @param {() => void} again */
function row(one, again) {
  const close = async () => {
    if (confirm(`Close “${one.title}”? It cannot be opened again.`)) {
      await ask(`/collections/${one.id}/close`, { role: "admin", body: {} });
      again();
    }
  };
  const invite = async () => {
    const count = Number(prompt("How many invitations?", "10"));
    if (!(count >= 1)) return;
    const { invitations } = await ask(`/collections/${one.id}/invitations`, { role: "admin", body: { count } });
    const links = invitations.map((/** @type {string} */ token) => `${location.origin}${root}/answer/${one.id}#invitation=${token}`);
    keep(`invitations-${one.id}.txt`, "text/plain", `${links.join("\n")}\n`);
    again();
  };
  const open = one.state === "open";
  return el(
    "section",
    { class: "card", "aria-label": one.title },
    el("h2", {}, one.title),
    el("p", { class: "soft small" }, `${STATES[one.state] ?? one.state}; ${one.reports.toLocaleString()} reports; refused: ${listCounts(one.refused)}`),
    one.invitations.made ? el("p", { class: "small" }, `Invitations: ${one.invitations.spent} of ${one.invitations.made} spent`) : null,
    el(
      "p",
      { class: "row" },
      open ? el("a", { href: `answer/${one.id}` }, "Answer") : null,
      el("a", { href: `results/${one.id}` }, "Results"),
      open && one.invitations.made !== undefined && one.access === "invitation" ? el("button", { class: "plain", onclick: invite }, "Invite") : null,
      open ? el("button", { class: "plain", onclick: close }, "Close") : null,
    ),
  );
}

async function all() {
  const overview = await ask("/overview", { role: "admin" });
  show(
    at("list"),
    ...overview.collections.map((/** @type {any} */ one) => row(one, () => void all())),
    overview.collections.length === 0 && el("p", {}, "There are none yet: ", el("a", { href: "design" }, "design one"), "."),
    el("p", { class: "soft small" }, `Refused before a collection was known: ${listCounts(overview.refused)}.`),
    tokens(),
  );
}

/** The tokens of this tab: which it has, and how they are given away or forgotten. */
function tokens() {
  const roles = /** @type {("admin" | "analyst")[]} */ (["admin", "analyst"]).filter(tokenOf);
  const forget = () => {
    sessionStorage.clear();
    location.reload();
  };
  return el(
    "section",
    { class: "card", "aria-label": "Tokens" },
    el("h2", {}, "Tokens"),
    el("p", { class: "small" }, `This tab has the token of the ${roles.join(" and of the ")}. It is kept until the tab is closed, and goes to nobody but this collector.`),
    el("p", { class: "small soft" }, "The admin makes and closes collections, the analyst reads them. A token that got out is replaced on the collector's machine: ", el("code", {}, "discreet serve --rotate admin"), "."),
    el("p", {}, el("button", { class: "plain", onclick: forget }, "Forget them in this tab")),
  );
}

takeTokens();
const { collections } = await ask("/collections");
show(
  at("list"),
  ...collections.map((/** @type {any} */ one) => el("p", {}, one.state === "open" ? el("a", { href: `answer/${one.id}` }, one.title) : `${one.title} (${STATES[one.state] ?? one.state})`)),
);
await withToken(at("token"), "admin", all);
