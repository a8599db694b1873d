/** All collections: for anybody their titles and states, for the admin how they are doing. */

import { ask, takeTokens, tokenOf } from "./api.js";
import { at, el, show } from "./dom.js";
import { leading, spoken } from "./header.js";
import { addressField, inviting, openLink } from "./inviting.js";
import { say } from "./languages.js";
import { refusals } from "./refusals.js";
import { withToken } from "./tokens.js";

/** @param {Record<string, number>} counts */
const countsOf = (counts) => refusals(counts) || say("none");

/** How many invitations were used, as far as it is told. @param {any} one */
function invitedOf({ invitations: { made, spent }, minimum }) {
  if (!made) return say("invitedNobody");
  return say(spent ? "invitedUsed" : "invitedFew", { invitations: say("invitations", { n: made }), spent, minimum });
}

/** @param {any} one @param {boolean} isAlone whether no other has its title @param {string} told the public address that the collector knows @param {() => void} again */
function row(one, isAlone, told, again) {
  const close = async () => {
    if (confirm(say("closeSure", { title: one.title }))) {
      await ask(`/collections/${one.id}/close`, { role: "admin", body: {} });
      again();
    }
  };
  const panel = el("div", {});
  const invite = () => (panel.childElementCount ? show(panel) : show(panel, inviting(one, told, recount)));
  const recount = async () => {
    const { collections } = await ask("/overview", { role: "admin" });
    count.textContent = invitedOf(collections.find((/** @type {any} */ other) => other.id === one.id) ?? one);
  };
  const count = el("p", { class: "small" }, invitedOf(one));
  const open = one.state === "open";
  return el(
    "section",
    { class: "card", "aria-label": isAlone ? one.title : `${one.title} (${one.id})` },
    el("h2", { dir: "auto" }, one.title),
    el("p", { class: "soft small" }, say("stateOf", { state: say(`states.${one.state}`), reports: say("reports", { n: one.reports }), refused: countsOf(one.refused) })),
    one.access === "invitation" ? count : null,
    el(
      "p",
      { class: "row" },
      open ? el("a", { href: leading(`answer/${one.id}`) }, say("answer")) : null,
      el("a", { href: leading(`results/${one.id}`) }, say("results")),
      one.state !== "closed" && one.access === "invitation" ? el("button", { class: "plain", onclick: invite }, say("invite")) : null,
      open ? el("button", { class: "plain", onclick: close }, say("close")) : null,
    ),
    open && one.access === "open" ? el("details", { class: "small" }, el("summary", {}, say("linkToSend")), addressField(told, again), openLink(one, told)) : null,
    panel,
  );
}

async function all() {
  const overview = await ask("/overview", { role: "admin" });
  const isAlone = (/** @type {any} */ one) => overview.collections.every((/** @type {any} */ other) => other === one || other.title !== one.title);
  show(
    at("list"),
    ...overview.collections.map((/** @type {any} */ one) => row(one, isAlone(one), overview.public ?? "", () => void all())),
    overview.collections.length === 0 && el("p", {}, say("noneYet"), " ", el("a", { href: leading("design") }, say("designOne"))),
    el("p", { class: "soft small" }, say("refusedBefore", { refused: countsOf(overview.refused) })),
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
    { class: "card", "aria-label": say("tokens") },
    el("h2", {}, say("tokens")),
    el("p", { class: "small" }, say(`tokensHere.${roles.length > 1 ? "both" : roles[0]}`)),
    el("p", { class: "small soft" }, say("tokensText"), " ", el("code", { dir: "ltr" }, "discreet serve --rotate admin")),
    el("p", {}, el("button", { class: "plain", onclick: forget }, say("forget", { n: roles.length }))),
  );
}

/** What everybody may see. */
async function listing() {
  const { collections } = await ask("/collections");
  show(
    at("list"),
    ...collections.map((/** @type {any} */ one) => el("p", { dir: "auto" }, one.state === "open" ? el("a", { href: leading(`answer/${one.id}`) }, one.title) : say("titleState", { title: one.title, state: say(`states.${one.state}`) }))),
  );
}

takeTokens();
await spoken("shared", "", async () => {
  document.title = at("title").textContent = say("collections");
  await listing();
  await withToken(at("token"), "admin", all);
});
