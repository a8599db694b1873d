/** Two questions of a form crossed: how often each two answers go together, with intervals. */

import { ask, failure } from "./api.js";
import { percent, shownWithin, within } from "./charts.js";
import { at, el, keep, show } from "./dom.js";
import { isVague } from "./glance.js";
import { isolated, say } from "./languages.js";
import { csvField } from "./table.js";
import { answerText } from "./translated.js";
import { valueText } from "./words.js";

/** The most answers of a question whose table is shown; larger ones are kept as a file. */
const MOST = 24;

const kept = { first: "", second: "", by: "" };

/**
 * The choice of two questions, and their table.
 * @param {Element} place
 * @param {{id: string, questions: any[], own: any[], strategy: string, open: boolean, labels: string[], labelText: (name: string) => string, labelWord: (name: string, text: string | null) => string}} about
 */
export async function crossing(place, about) {
  const { questions, strategy } = about;
  if (strategy === "one at random") {
    return show(place, el("h2", {}, say("crossed")), el("p", { class: "small" }, say("uncrossed")));
  }
  if (!questions.some(({ name }) => name === kept.first)) [kept.first, kept.second] = [questions[0].name, questions[1].name];
  const result = el("div", { "aria-live": "polite" });
  const pick = (/** @type {"first" | "second"} */ side, /** @type {string} */ text) =>
    el(
      "label",
      { class: "field" },
      el("span", {}, text),
      el(
        "select",
        {
          id: `crossed-${side}`,
          onchange: (/** @type {any} */ event) => {
            const other = side === "first" ? "second" : "first";
            if (kept[other] === event.target.value) {
              kept[other] = kept[side];
              at(`crossed-${other}`).value = kept[other];
            }
            kept[side] = event.target.value;
            void draw();
          },
        },
        questions.map(({ name, question, group }) => el("option", { value: name, selected: name === kept[side] }, isolated(group ? `${group} ${question}` : question))),
      ),
    );
  const among = el(
    "select",
    { onchange: (/** @type {any} */ event) => ((kept.by = event.target.value), void draw()) },
    el("option", { value: "" }, say("everybody")),
    about.labels.map((name) => el("option", { value: name, selected: name === kept.by }, isolated(about.labelText(name)))),
  );
  const draw = async () => {
    const { first, second, by } = kept;
    try {
      const found = await ask(`/collections/${about.id}/crosstab?first=${encodeURIComponent(first)}&second=${encodeURIComponent(second)}${by && `&by=${encodeURIComponent(by)}`}`, { role: "analyst" });
      if (kept.first !== first || kept.second !== second || kept.by !== by) return;
      show(result, ...found.cells.flatMap((/** @type {any} */ cell) => [by && el("h3", {}, about.labelWord(by, cell.labels[by])), ...table(cell, about)]));
    } catch (problem) {
      show(result, el("p", { class: "small" }, failure(problem)));
    }
  };
  const isThere = place.querySelector("#crossed-first");
  if (!isThere || !place.contains(document.activeElement)) {
    show(place, el("h2", {}, say("crossed")), el("div", { class: "two" }, pick("first", say("inRows")), pick("second", say("inColumns")), about.labels.length ? el("label", { class: "field" }, el("span", {}, say("among")), among) : []), result);
    await draw();
  }
}

/** @param {any} cell @param {{questions: any[], own: any[], id: string, open: boolean, labelWord: (name: string, text: string | null) => string}} about */
function table(cell, { questions, own, id, open, labelWord }) {
  const group = kept.by ? labelWord(kept.by, cell.labels[kept.by]) : "";
  if (!cell?.result) return [el("p", { class: "soft small" }, say("tooFewYet"))];
  const { result } = cell;
  const both = (/** @type {any[]} */ all) => [kept.first, kept.second].map((name) => all.find((one) => one.name === name));
  const texts = both(questions);
  const [rows, columns] = result.values.map((/** @type {any[]} */ side, /** @type {number} */ i) => side.map((value) => answerText(value, texts[i])));
  const lines = rows.flatMap((/** @type {string} */ row, /** @type {number} */ x) => columns.map((/** @type {string} */ column, /** @type {number} */ z) => [row, column, result.shares[x][z], result.stderr?.[x][z], result.low?.[x][z], result.high?.[x][z]]));
  /** The answers of every line in a file, in the collection's own words. @param {any[]} all @returns {string[][]} */
  const named = (all) => {
    const [first, second] = both(all).map(({ words = {} }, i) => result.values[i].map((/** @type {any} */ value) => valueText(value, words)));
    return first.flatMap((/** @type {string} */ row) => second.map((/** @type {string} */ column) => [row, column]));
  };
  const csv = () => keep(`crossed-${id}-${kept.first}-${kept.second}${group && `-${group}`}.csv`, "text/csv", [[kept.first, kept.second, "share", "stderr", "low", "high"], ...named(own).map((names, i) => [...names, ...lines[i].slice(2)])].map((line) => `${line.map(csvField).join(",")}\n`).join(""));
  const button = el("p", {}, el("button", { class: "plain", type: "button", onclick: csv }, say("saveTable")));
  if (rows.length > MOST || columns.length > MOST) return [el("p", { class: "small" }, say("tooLarge", { rows: rows.length, columns: columns.length })), button];
  const cellOf = (/** @type {number} */ x, /** @type {number} */ z) => {
    const { share, low, high } = shownWithin(result.shares[x][z], result.low?.[x][z], result.high?.[x][z]);
    return el("td", { class: "number" }, percent(share), low !== null && high !== null ? [el("br", {}), el("span", { class: "soft small" }, `${percent(low)} – ${percent(high)}`)] : []);
  };
  const [row, column, ...most] = lines.reduce((/** @type {any} */ best, /** @type {any} */ line) => (line[2] > best[2] ? line : best));
  const { share, low, high } = shownWithin(most[0], most[2], most[3]);
  const test = result.independence;
  return [
    el("p", {}, isVague({ low, high }) ? say("pair.vague") : say(`pair.${group ? "group" : "all"}${low === null ? "" : "Between"}`, { row, column, share: percent(share), low: low === null ? "" : percent(low), high: high === null ? "" : percent(high) })),
    typeof test?.p === "number" && el("p", {}, test.p >= 0.05 ? say("together.unclear") : test.p < 0.001 ? say("together.sure", { surveys: 1000 }) : say("together.likely", { n: Math.max(1, Math.round(1000 * test.p)), surveys: 1000 })),
    el(
      "div",
      { class: "scroll", tabindex: "0", role: "region", "aria-label": group ? say("crossedAmong", { group }) : say("crossed") },
      el(
        "table",
        {},
        el("caption", { class: "soft small" }, say("crossedCaption", { n: cell.n })),
        el("thead", {}, el("tr", {}, el("th", { scope: "col" }, `${isolated(texts[0].question)} / ${isolated(texts[1].question)}`), columns.map((/** @type {string} */ text) => el("th", { class: "number", scope: "col" }, isolated(text))))),
        el("tbody", {}, rows.map((/** @type {string} */ text, /** @type {number} */ x) => el("tr", {}, el("th", { scope: "row" }, isolated(text)), columns.map((/** @type {string} */ _, /** @type {number} */ z) => cellOf(x, z))))),
      ),
    ),
    lines.some((/** @type {any} */ line) => line[2] !== within(line[2])) && el("p", { class: "small soft" }, say("shownAtEnds")),
    open && el("p", { class: "small soft" }, say("singleLookIntervals")),
    button,
  ];
}
