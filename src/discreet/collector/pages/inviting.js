/** Inviting people: a list in, links for mail merge out, reminders, and codes to scan. */

import { ask, failure } from "./api.js";
import { el, keep, place, show } from "./dom.js";
import { directionOf, say } from "./languages.js";
import { checkLinks, CODE, csvOf, LINK, listOf, MOST, shuffled } from "./lists.js";
import { language } from "./page.js";

const { root } = place();
const KEPT = "public address";
const EXAMPLE = "https://survey.example.org";

/** @param {string} host */
const isLocal = (host) => /^(localhost|127\.|\[::1\])/.test(host);

/** What links begin with: what the collector says, else what was said in this browser, else this address. @param {string} told by the collector */
export const publicAddress = (told) => told || localStorage.getItem(KEPT) || location.origin + root;

/** A code to scan, as SVG. @param {string} text */
async function codeOf(text) {
  const { encodeQR } = await import("./made/qr.js");
  return encodeQR(text, "svg", { ecc: "medium", border: 4 });
}

/**
 * A field for the public address where links would open on this machine only.
 * @param {string} told @param {() => void} changed
 */
export function addressField(told, changed) {
  const now = publicAddress(told);
  if (told || !isLocal(new URL(now).host)) return null;
  const said = el("p", { class: "small", role: "alert" });
  const input = el("input", { type: "url", size: "34", placeholder: EXAMPLE, dir: "ltr" });
  const save = () => {
    const text = input.value.trim().replace(/\/+$/, "");
    if (!/^https?:\/\/[^\s/?#]+(\/[A-Za-z0-9._~-]+)*$/.test(text)) return show(said, say("addressWrong", { example: EXAMPLE }));
    localStorage.setItem(KEPT, text);
    changed();
  };
  return el(
    "div",
    { class: "card alarm" },
    el("p", {}, say("addressLocal", { address: now })),
    el("div", { class: "row" }, el("label", { class: "field" }, el("span", {}, say("addressPublic")), input), el("button", { class: "plain", type: "button", onclick: save }, say("addressUse"))),
    said,
    el("p", { class: "small soft" }, say("addressKept"), " ", el("code", { dir: "ltr" }, "discreet serve --public-url https://…")),
  );
}

/** The link of a collection that is open to all, with its code. @param {{id: string}} collection @param {string} told */
export function openLink({ id }, told) {
  const link = `${publicAddress(told)}/answer/${id}`;
  const code = async () => keep(`survey-${id}.svg`, "image/svg+xml", await codeOf(link));
  return el("p", { class: "row" }, el("a", { href: `${root}/answer/${id}`, dir: "ltr" }, link), el("button", { class: "plain", type: "button", onclick: code }, say("codeSvg")));
}

/**
 * The panel to invite people to a collection.
 * @param {{id: string, title: string, invitations?: {made: number, spent: number}}} collection
 * @param {string} told the public address that the collector knows
 * @param {() => void} made called when invitations were made
 */
export function inviting(collection, told, made) {
  const panel = el("section", { class: "card", "aria-label": say("inviteTo", { title: collection.title }) });
  const draw = () => fill(panel, collection, told, made, draw);
  draw();
  return panel;
}

/** @param {Element} panel @param {any} collection @param {string} told @param {() => void} made @param {() => void} draw */
function fill(panel, collection, told, made, draw) {
  const { id } = collection;
  const said = el("div", { role: "alert" });
  const people = el("textarea", { rows: "5", spellcheck: "false", dir: "ltr", placeholder: "address,name\nann@example.org,Ann\nbo@example.org,Bo" });
  const file = el("input", {
    type: "file",
    accept: ".csv,.txt,.tsv",
    onchange: async (/** @type {any} */ event) => {
      if (event.target.files[0]) people.value = await event.target.files[0].text();
    },
  });
  const codes = el("input", { type: "checkbox", checked: true });
  const attempt = (/** @type {() => Promise<any>} */ work) => async () => {
    show(said);
    try {
      show(said, el("p", { class: "card done" }, await work()));
    } catch (problem) {
      show(said, el("p", { class: "card alarm" }, failure(problem)));
    }
  };
  const invite = attempt(async () => {
    const list = listOf(people.value);
    if (list.names.includes(LINK)) throw new Error(say("listLinked", { column: LINK }));
    if (list.rows.length > MOST) throw new Error(say("listLong", { most: MOST, n: list.rows.length }));
    const { invitations } = await ask(`/collections/${id}/invitations`, { role: "admin", body: { count: list.rows.length } });
    const links = shuffled(invitations).map((token) => `${publicAddress(told)}/answer/${id}#invitation=${token}`);
    const drawn = codes.checked ? await Promise.all(links.map(codeOf)) : [];
    const rows = list.rows.map((row, i) => [...row, links[i], ...(drawn.length ? [drawn[i]] : [])]);
    keep(`invitations-${id}.csv`, "text/csv", csvOf([...list.names, LINK, ...(drawn.length ? [CODE] : [])], rows));
    if (drawn.length) keep(`cards-${id}.html`, "text/html", cards(collection.title, rows.map((row) => row.slice(0, list.names.length).join(" · ")), links, drawn));
    made();
    return say("inviteDone", { n: links.length });
  });
  const remind = attempt(async () => {
    const list = listOf(people.value);
    checkLinks(list, id);
    keep(`reminders-${id}.csv`, "text/csv", csvOf(list.names, list.rows));
    return say("remindDone", { n: list.rows.length });
  });
  show(
    panel,
    el("h3", {}, say("inviteTitle")),
    addressField(told, draw),
    el("p", { class: "small" }, say("inviteText")),
    el("label", { class: "field" }, el("span", {}, say("listFile")), file),
    el("label", { class: "field" }, el("span", {}, say("listItself")), people),
    el("label", { class: "tick" }, codes, say("listCodes")),
    el("p", { class: "row" }, el("button", { type: "button", onclick: invite }, say("inviteMake")), el("button", { class: "plain", type: "button", onclick: remind }, say("remind"))),
    said,
    el("p", { class: "small soft" }, say("remindText")),
  );
}

/** @param {string} text */
const escaped = (text) => text.replace(/[&<>"']/g, (one) => `&#${one.charCodeAt(0)};`);

/** A page of cards to print, which stands by itself. @param {string} title @param {string[]} people @param {string[]} links @param {string[]} codes */
function cards(title, people, links, codes) {
  const all = people.map((who, i) => `<section><h2>${escaped(title)}</h2><p>${escaped(who)}</p>${codes[i].replace(/^<\?xml[^>]*>/, "")}<p class="link">${escaped(links[i])}</p></section>`);
  return `<!doctype html><html lang="${language()}" dir="${directionOf(language())}"><meta charset="utf-8"><title>${escaped(say("cardsTitle", { title }))}</title><style>body{font:12px/1.4 sans-serif;display:grid;grid-template-columns:repeat(2,1fr);gap:1rem}section{border:1px dashed #999;padding:1rem;break-inside:avoid}svg{width:4cm;height:4cm}.link{overflow-wrap:anywhere}h2{font-size:1.1em;margin:0}</style>${all.join("\n")}</html>\n`;
}
