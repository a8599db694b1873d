/** What a design gives: promises, cost, accuracy, and the ways to ask several questions compared. */

import { sent } from "./api.js";
import { percent, side } from "./charts.js";
import { woven } from "./design-parts.js";
import { el, keep } from "./dom.js";
import { continued, hasSentence, number, say } from "./languages.js";

/** Budgets that people choose on the answer page. */
const STRICT = 4;
const USUAL = 12;
/** The error of 19 surveys out of 20, in standard errors. */
const NINETEEN = 1.96;

/** @param {string} text */
export function numberOf(text) {
  const [top, bottom = 1] = text.split("/").map(Number);
  return top / bottom;
}

/** A cost for people: a fraction, or one of many decimals, is rounded up. @param {string} cost */
export const costText = (cost) => (cost.includes("/") || /\.\d{5,}$/.test(cost) ? say("designing.about", { number: Math.ceil(numberOf(cost) * 100 - 1e-9) / 100 }) : number(cost));

/** What is promised, as the collector says it, in English. @param {string[]} promise */
const promises = (promise) => el("ul", { lang: "en", dir: "ltr" }, promise.map((sentence) => el("li", {}, sentence)));

/** A warning where people with a usual budget could not answer. @param {string} cost @param {"Question" | "Scale" | "Form"} what it is, which says how to use less */
export function dear(cost, what) {
  const needed = numberOf(cost);
  if (!(needed > STRICT)) return null;
  if (!(needed > USUAL)) return el("p", { class: "card" }, say("designing.dear", { cost: costText(cost), usual: USUAL, strict: STRICT }));
  return el("p", { class: "card alarm" }, say(`designing.dear${what}`, { cost: costText(cost), usual: USUAL }));
}

/** A table in a region that can be scrolled. @param {string} about @param {any[]} heads @param {any[][]} rows @param {{wrap?: boolean}} [more] */
export function simple(about, heads, rows, { wrap = false } = {}) {
  return el(
    "div",
    { class: "scroll", tabindex: "0", role: "region", "aria-label": about },
    el(
      "table",
      { class: wrap ? "wrap" : null },
      el("thead", {}, el("tr", {}, heads.map((head, i) => el("th", { class: i ? "number" : null, scope: "col" }, head)))),
      el("tbody", {}, rows.map((row) => el("tr", {}, row.map((cell, i) => el(i ? "td" : "th", { class: i ? "number" : null, scope: i ? null : "row" }, cell))))),
    ),
  );
}

/** The design of a row, by the collector's word for it. @param {string} label */
const labelled = (label) => (hasSentence(`designing.rows.${label}`) ? say(`designing.rows.${label}`) : sent(label));

/** @param {any} rows @param {any} saved */
function comparison(rows, saved) {
  const all = [...rows, ...(saved?.rows ? [{ ...saved.rows[saved.rows.length - 1], label: "saved" }] : [])];
  return simple(
    say("designing.compared"),
    ["design", "stderr", "width", "detectable", "people", "guess"].map((column) => say(`designing.columns.${column}`)),
    all.map((row) => [labelled(row.label), percent(row.stderr), percent(row.width), percent(row.detectable), number(row.people_for_a_point), row.guess === null ? "–" : say("designing.ofHundred", { share: Math.ceil(100 * row.guess) })]),
  );
}

/** @param {any} preview @param {number} width */
function previewed(preview, width) {
  if (!preview) return [];
  const order = preview.values.map((/** @type {string} */ _, /** @type {number} */ i) => i).sort((/** @type {number} */ a, /** @type {number} */ b) => preview.truth[b] - preview.truth[a]).slice(0, 15);
  const rows = order.flatMap((/** @type {number} */ i) => [
    { name: preview.values[i], series: say("designing.truth"), share: preview.truth[i], low: null, high: null, stderr: null },
    { name: preview.values[i], series: say("designing.found"), share: preview.shares[i], low: preview.low[i], high: preview.high[i], stderr: null },
  ]);
  return [el("h3", {}, say("designing.madeUp", { n: preview.n })), side(rows, { width, description: say("designing.madeUpText") })];
}

/** @param {any} draft @param {(() => void) | null} save @returns {Node} */
const keeping = (draft, save) =>
  el(
    "p",
    { class: "row" },
    save && el("button", { class: "plain", type: "button", onclick: save }, say("designing.save")),
    el("button", { class: "plain", type: "button", onclick: () => keep("collection.toml", "application/toml", draft.spec) }, say("designing.downloadSurvey")),
  );

/** What one question gives. @param {any} draft @param {{saved: any, save: () => void, milliseconds: number, width: number, isScale: boolean, unit?: string}} more */
export function single(draft, { saved, save, milliseconds, width, isScale, unit = "" }) {
  const proof = draft.certificate;
  return [
    el("h2", {}, say("designing.gives")),
    promises(draft.promise),
    dear(draft.cost, isScale ? "Scale" : "Question"),
    draft.mean ? means(draft.mean, draft.people, unit) : comparison(draft.rows, saved),
    el(
      "p",
      { class: "small soft" },
      say("designing.best", { n: draft.bits, mechanism: draft.mechanism }),
      " ",
      say(proof.claimed ? "designing.proof" : "designing.proofAny", { x: String(proof.tightest.x), z: String(proof.tightest.z), realised: Number(proof.realised.toFixed(6)), claimed: number(proof.claimed ?? "") }),
      " ",
      say("designing.computed", { milliseconds }),
    ),
    keeping(draft, draft.mean ? null : save),
    ...previewed(draft.preview, width),
  ];
}

/** The error of a mean in 19 surveys of 20. @param {number} stderr @param {string} unit */
const within = (stderr, unit) => `± ${number(Number((NINETEEN * stderr).toPrecision(3)))}${unit ? `\u00a0${unit}` : ""}`;

/** How near a mean will be. @param {{stderr: number, plain: number}} mean @param {number} n @param {string} unit */
const means = ({ stderr, plain }, n, unit) => el("div", {}, el("p", {}, say("designing.mean", { n, error: within(stderr, unit) })), el("p", { class: "small soft" }, say("designing.meanPlain", { error: within(plain, unit) })));

/** Points of error of 19 surveys in 20. @param {number} stderr */
const points = (stderr) => (NINETEEN * stderr < 1 ? say("designing.points", { n: Number((100 * NINETEEN * stderr).toFixed(NINETEEN * stderr < 0.01 ? 2 : 1)) }) : say("designing.nothing"));

/** A way to ask several questions. @param {string} strategy */
const way = (strategy) => say(`designing.strategies.${strategy}.name`);

/** What a form of several questions gives. @param {any} draft @param {{flat: import("./design-model.js").Flat[], n: number, milliseconds: number, ask: (strategy: string) => void}} more */
export function several(draft, { flat, n, milliseconds, ask }) {
  const text = (/** @type {string} */ name) => flat.find((one) => one.name === name)?.texts.question ?? name;
  const shared = draft.questions.filter((/** @type {any} */ one) => !one.mean).map((/** @type {any} */ one) => one.name); // of numbers the mean counts
  const errors = (/** @type {any} */ one) => Math.max(...(shared.length ? shared : Object.keys(one.stderr)).map((/** @type {string} */ name) => one.stderr[name]));
  const rows = draft.strategies.map((/** @type {any} */ one) => [
    el("span", {}, one.strategy === draft.strategy ? el("strong", {}, way(one.strategy)) : way(one.strategy)),
    one.stderr ? costText(one.cost) : "–",
    one.stderr ? points(errors(one)) : "–",
    one.joint ? points(one.joint) : one.stderr ? say("designing.no") : "–",
  ]);
  const least = Math.max(1, ...draft.questions.filter((/** @type {any} */ one) => !one.mean).map((/** @type {any} */ one) => one.people_for_a_point));
  const left = draft.strategies.filter((/** @type {any} */ one) => !one.stderr);
  const better = draft.best_for_shares !== draft.strategy;
  return [
    el("h2", {}, say("designing.gives")),
    dear(draft.cost, "Form") ?? el("p", {}, say("designing.cost", { cost: costText(draft.cost) })),
    el("h3", {}, say("designing.accuracy", { n })),
    simple(say("designing.accuracies"), ["question", "within", "cost"].map((column) => say(`designing.accuracyColumns.${column}`)), draft.questions.map((/** @type {any} */ one) => [text(one.name), one.mean ? say("designing.meanWithin", { error: within(one.mean.stderr, flat.find(({ name }) => name === one.name)?.texts.unit ?? "") }) : points(one.stderr), costText(one.cost)]), { wrap: true }),
    el("p", { class: "small soft" }, say("designing.accuracyText", { n: least })),
    el("h3", {}, say("designing.ways")),
    simple(say("designing.waysCompared"), ["way", "budget", "share", "crossed"].map((column) => say(`designing.wayColumns.${column}`)), rows, { wrap: true }),
    better && el("p", { class: "row" }, el("span", {}, say("designing.better", { way: continued(way(draft.best_for_shares)) })), el("button", { class: "plain", type: "button", onclick: () => ask(draft.best_for_shares) }, say("designing.askThisWay"))),
    ...left.map((/** @type {any} */ one) => el("p", { class: "small soft" }, /tuples of answers/.test(one.reason) ? say("designing.tooMany", { way: way(one.strategy) }) : woven("designing.notWorkedOut", { reason: sent(one.reason) }, { way: way(one.strategy) }))),
    el("h3", {}, say("designing.promised")),
    ...(draft.promise.length ? [promises(draft.promise)] : draft.questions.map((/** @type {any} */ one) => el("details", {}, el("summary", {}, text(one.name)), promises(one.promise)))),
    el("p", { class: "small soft" }, `${say("designing.bestForm", { n: draft.bits, mechanism: draft.mechanism })} ${say("designing.proofForm", { milliseconds })}`),
    keeping(draft, null),
  ];
}
