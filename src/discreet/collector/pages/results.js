/** The page of whoever asks: shares with their intervals, by label and over days, as they come in. */

import { ask, takeTokens } from "./api.js";
import { intervals, map, percent, png, side, trend } from "./charts.js";
import { at, el, keep, place, show } from "./dom.js";
import { placed } from "./places.js";
import { csvField, table } from "./table.js";
import { withToken } from "./tokens.js";
import { valueText } from "./words.js";

const { id } = place();
/** Milliseconds between two looks at what came in. */
const EVERY = 3000;
/** The most values of one chart. */
const DRAWN = 40;
/** How many values are followed over days, and as reports come in. */
const FOLLOWED = 3;
/** How many values are shown by several methods, or by label. */
const COMPARED = 12;

const METHODS = {
  unbiased: ["unbiased", "Right on average, for every share: the numbers to add up, compare and publish. Shares of rare answers may be negative."],
  project: ["projected", "The closest shares that are not negative and add up to 100 %: smaller errors, but small shares come out slightly too low or too high."],
  likelihood: ["most likely", "The shares that make these reports most likely: never negative."],
  shrink: ["shrunk", "Pulled towards each other as far as the noise suggests: the smallest error overall, at the expense of rare answers."],
};

/** @type {{method: keyof typeof METHODS, by: string, live: boolean, open: boolean, history: any[], document: any, law: any, drawn: Element | null, last: string}} */
const state = { method: "unbiased", by: "", live: true, open: true, history: [], document: null, law: null, chart: null, last: "" };

const parts = /** @type {Record<string, HTMLElement>} */ (Object.fromEntries(["head", "chart", "table", "map", "methods", "labels", "days", "settling", "keep"].map((name) => [name, el("section", {})])));

/** @param {any} value */
function word(value) {
  return valueText(value, state.document.words ?? {});
}

/** @param {any} result @param {string} [series] */
const rowsOf = (result, series) =>
  result.values.map((/** @type {any} */ value, /** @type {number} */ i) => ({
    name: word(value),
    share: result.shares[i],
    stderr: result.stderr?.[i] ?? null,
    low: result.low?.[i] ?? null,
    high: result.high?.[i] ?? null,
    order: i,
    series,
  }));

const width = () => Math.max(320, parts.chart.clientWidth || 640);

/** Shares by one method; null while there are too few reports. Until the collection is closed, intervals hold at all times at once. @param {string} query */
const shares = async (query) => (await ask(`/collections/${id}/shares?${query}&anytime=${state.open}`, { role: "analyst" })).cells;

/** The names of the values with the largest shares. @param {any[]} rows @param {number} count */
const largest = (rows, count) => new Set([...rows].sort((a, b) => b.share - a.share).slice(0, count).map(({ name }) => name));

/** How far it is, and why some of it cannot be shown. @param {any} progress */
function head(progress) {
  const { n, minimum, missing, refused } = progress;
  state.open = progress.state !== "closed";
  const turned = Object.entries(refused).map(([code, count]) => `${count} ${code.replaceAll("_", " ")}`);
  show(
    parts.head,
    el("p", { class: "soft" }, state.document.question),
    el(
      "p",
      {},
      el("strong", {}, missing ? `Fewer than ${missing.toLocaleString()} reports` : `${n.toLocaleString()} reports`),
      missing ? " so far. Until then nothing is shown, so that no small group stands out." : `; the collection is ${progress.state}. Reports are added at least ${minimum.toLocaleString()} at a time.`,
      turned.length ? ` Rejected: ${turned.join(", ")}.` : "",
    ),
  );
}

/** @param {any} cell */
async function main(cell) {
  const rows = rowsOf(cell.result);
  const draw = (/** @type {any[]} */ sorted) => {
    const some = sorted.slice(0, DRAWN);
    const chart = intervals(some, { n: cell.n, width: width(), description: `Shares of ${some.length} values with their intervals` });
    state.chart = chart;
    show(
      parts.chart,
      el("h2", {}, some.length < rows.length ? `${some.length} of ${rows.length.toLocaleString()} shares` : "Shares"),
      chart,
      el(
        "p",
        { class: "small soft" },
        el("span", { class: "key dark" }),
        " uncertainty from the size of the sample",
        el("span", { class: "key pale" }),
        ` added by the privacy protection. ${state.open ? "In 95 of 100 surveys, an interval contains the truth, however often you look while answers come in; once the collection is closed, intervals become shorter." : "In 95 of 100 surveys, an interval contains the truth."} ${METHODS[state.method][1]}`,
      ),
      cell.periods ? el("p", { class: "small" }, `These are ${cell.periods} periods together, in which the same people may have answered: the intervals remain valid even if all of them answered every time.`) : null,
      ...Object.entries(cell.result.notes).map(([name, note]) => el("p", { class: "small" }, `No ${name}: ${note}`)),
      el("p", { class: "small soft" }, `One fake report can count as up to ${Number(cell.result.influence).toPrecision(2)} people for one answer.`),
    );
  };
  const columns = [
    { key: "name", title: "value", text: (/** @type {any} */ row) => row.name },
    { key: "share", title: "share", number: true, text: (/** @type {any} */ row) => percent(row.share) },
    { key: "stderr", title: "standard error", number: true, text: (/** @type {any} */ row) => percent(row.stderr) },
    { key: "low", title: "from", number: true, text: (/** @type {any} */ row) => percent(row.low) },
    { key: "high", title: "to", number: true, text: (/** @type {any} */ row) => percent(row.high) },
  ];
  show(parts.table, table(columns, rows, { caption: "Every share with its interval", sort: "share", down: true, changed: draw }), grouped(cell.result));
  const where = await placed(state.law.context, cell.result.values, cell.result.shares, word);
  show(parts.map, ...(where ? [el("h2", {}, "On the map"), map(where.places, { width: width(), description: "A map of the shares", ...where })] : []));
}

/** The blocks that reports show. @param {any} result */
function grouped(result) {
  if (!result.blocks) return null;
  const rows = result.blocks.names.map((/** @type {any} */ name, /** @type {number} */ i) => ({ name: String(name), share: result.blocks.shares[i], low: result.blocks.low[i], high: result.blocks.high[i] }));
  const columns = [
    { key: "name", title: "group", text: (/** @type {any} */ row) => row.name },
    { key: "share", title: "share", number: true, text: (/** @type {any} */ row) => percent(row.share) },
    { key: "low", title: "from", number: true, text: (/** @type {any} */ row) => percent(row.low) },
    { key: "high", title: "to", number: true, text: (/** @type {any} */ row) => percent(row.high) },
  ];
  return el("div", {}, el("h3", {}, "Groups, which reports show openly"), table(columns, rows, { caption: "The share of each group, simply counted", sort: "share", down: true }));
}

async function methods() {
  const names = /** @type {(keyof typeof METHODS)[]} */ (["unbiased", "project", "shrink"]);
  const cells = await Promise.all(names.map((method) => shares(`method=${method}`)));
  const chosen = largest(rowsOf(cells[0][0].result), COMPARED);
  const rows = names.flatMap((method, i) => rowsOf(cells[i][0].result, METHODS[method][0]).filter((/** @type {any} */ row) => chosen.has(row.name)));
  show(
    parts.methods,
    el(
      "details",
      {},
      el("summary", {}, "The same reports by three methods"),
      side(rows, { width: width(), description: "Shares by three methods" }),
      el("ul", { class: "small" }, names.map((method) => el("li", {}, el("strong", {}, METHODS[method][0]), `: ${METHODS[method][1]}`))),
    ),
  );
}

/** @param {any} progress */
async function labels(progress) {
  const names = Object.keys(state.document.labels ?? {});
  if (!names.length) return;
  const by = state.by || names[0];
  const [cells, differences] = await Promise.all([shares(`method=${state.method}&by=${encodeURIComponent(by)}`), ask(`/collections/${id}/differences?by=${encodeURIComponent(by)}`, { role: "analyst" })]);
  const shown = cells.filter((/** @type {any} */ cell) => cell.result);
  const all = shown.flatMap((/** @type {any} */ cell) => rowsOf(cell.result, cell.labels[by] ?? "not said"));
  const chosen = largest(all, COMPARED);
  const few = cells.filter((/** @type {any} */ cell) => !cell.result).map((/** @type {any} */ cell) => cell.labels[by]);
  const tests = differences.pairs.flatMap((/** @type {any} */ pair) =>
    pair.values.map((/** @type {any} */ value, /** @type {number} */ i) => ({ name: word(value), pair: `${pair.first} minus ${pair.second}`, difference: pair.difference[i], stderr: pair.stderr[i], p: (pair.adjusted ?? pair.p)[i] })),
  );
  const columns = [
    { key: "name", title: "value", text: (/** @type {any} */ row) => row.name },
    { key: "pair", title: "between", text: (/** @type {any} */ row) => row.pair },
    { key: "difference", title: "difference", number: true, text: (/** @type {any} */ row) => percent(row.difference) },
    { key: "stderr", title: "standard error", number: true, text: (/** @type {any} */ row) => percent(row.stderr) },
    { key: "p", title: "p, for all tests", number: true, text: (/** @type {any} */ row) => (row.p < 0.0001 ? "< 0.0001" : row.p.toFixed(4)) },
  ];
  const pick = el(
    "select",
    {
      onchange: (/** @type {any} */ event) => {
        state.by = event.target.value;
        void labels(progress);
      },
    },
    names.map((name) => el("option", { value: name, selected: name === by }, name)),
  );
  show(
    parts.labels,
    el("h2", {}, "By label"),
    el("label", { class: "field" }, el("span", {}, "Label"), pick),
    shown.length ? side(all.filter((/** @type {any} */ row) => chosen.has(row.name)), { width: width(), description: `Shares by ${by}` }) : null,
    few.length ? el("p", { class: "small soft" }, `Too few reports to be shown: ${few.join(", ")}.`) : null,
    tests.length ? table(columns, tests, { caption: "Differences between labels; p is adjusted for all of them (Holm)", sort: "p" }) : null,
    tests.length && state.open ? el("p", { class: "small soft" }, "These p-values assume a single look. Decide once the collection is closed, not when one of them happens to be small.") : null,
  );
}

/** @param {any} progress @param {any} cell */
async function days(progress, cell) {
  const dates = Object.keys(progress.days);
  if (dates.length > 1) {
    const cells = (await shares(`method=${state.method}&days=1`)).filter((/** @type {any} */ one) => one.result);
    const chosen = largest(rowsOf(cell.result), FOLLOWED);
    const rows = cells.flatMap((/** @type {any} */ one) => rowsOf(one.result).filter((/** @type {any} */ row) => chosen.has(row.name)).map((/** @type {any} */ row) => ({ ...row, at: one.days[0] })));
    if (rows.length) show(parts.days, el("h2", {}, "Over days"), trend(rows, { width: width(), description: "Shares over days", x: "day" }));
  }
  const chosen = largest(rowsOf(cell.result), FOLLOWED);
  state.history.push({ n: cell.n, rows: rowsOf(cell.result) });
  const first = state.history[0];
  if (cell.n > first.n) {
    const rows = state.history.flatMap(({ n, rows: then }) => then.filter((/** @type {any} */ row) => chosen.has(row.name)).map((/** @type {any} */ row) => ({ ...row, at: n })));
    show(parts.settling, el("h2", {}, "How the estimates settle"), trend(rows, { width: width(), description: "Shares as reports come in", x: "reports" }), el("p", { class: "small soft" }, "Since this page was opened. Four times as many reports halve an interval."));
  }
}

/** @param {any} cell */
function keeping(cell) {
  const name = `results-${id}`;
  const csv = () => {
    const lines = rowsOf(cell.result).map((/** @type {any} */ row) => [row.name, row.share, row.stderr, row.low, row.high].map(csvField).join(","));
    keep(`${name}.csv`, "text/csv", `value,share,stderr,low,high\n${lines.join("\n")}\n`);
  };
  const said = el("p", { class: "small", role: "alert" });
  const release = async (/** @type {string} */ form) => {
    try {
      keep(`release-${id}.${form}`, form === "html" ? "text/html" : "application/json", await ask(`/collections/${id}/release?form=${form}&method=${state.method}`, { role: "analyst", as: "blob" }));
    } catch (problem) {
      show(said, problem.message);
    }
  };
  const paper = () => getComputedStyle(document.documentElement).backgroundColor;
  show(
    parts.keep,
    el("h2", {}, "Save and publish"),
    el(
      "p",
      { class: "row" },
      el("button", { class: "plain", onclick: csv }, "CSV"),
      el("button", { class: "plain", onclick: () => keep(`${name}.json`, "application/json", JSON.stringify(cell.result, null, 2)) }, "JSON"),
      el("button", { class: "plain", onclick: async () => state.chart && keep(`${name}.png`, "image/png", await png(state.chart, paper())) }, "PNG"),
      el("button", { onclick: () => release("html") }, "Release report"),
      el("button", { class: "plain", onclick: () => release("json") }, "Release report, JSON"),
    ),
    said,
    el("p", { class: "small soft" }, "The release report is a single file made for publication: what was asked and promised, the proof, the method, the numbers and what they do not say."),
  );
}

async function look() {
  const progress = await ask(`/collections/${id}/progress`, { role: "analyst" });
  const mark = `${progress.n} ${progress.state} ${state.method}`;
  if (mark === state.last) return;
  head(progress);
  const [cell] = await shares(`method=${state.method}`);
  if (!cell?.result) return;
  await main(cell);
  keeping(cell);
  await days(progress, cell);
  await labels(progress).catch((problem) => show(parts.labels, el("h2", {}, "By label"), el("p", { class: "small" }, problem.message)));
  state.last = mark;
  if (!parts.methods.querySelector("details[open]")) await methods();
}

function controls() {
  const method = el(
    "select",
    {
      onchange: (/** @type {any} */ event) => {
        state.method = event.target.value;
        state.history = [];
        void look();
      },
    },
    Object.entries(METHODS).map(([key, [name]]) => el("option", { value: key }, name)),
  );
  const live = el("input", { type: "checkbox", checked: true, onchange: (/** @type {any} */ event) => (state.live = event.target.checked) });
  return el("p", { class: "row" }, el("label", { class: "field" }, el("span", {}, "Method"), method), el("label", { class: "row" }, live, " update as reports come in"));
}

async function start() {
  state.document = await ask(`/collections/${id}`);
  state.law = await ask(`/collections/${id}/law`);
  document.title = `${state.document.title}: results`;
  at("title").textContent = state.document.title;
  show(at("results"), parts.head, controls(), parts.chart, parts.table, parts.map, parts.labels, parts.days, parts.settling, parts.methods, parts.keep);
  await look();
  const again = async () => {
    if (state.live && document.visibilityState === "visible") await look().catch(() => {});
    setTimeout(again, EVERY);
  };
  setTimeout(again, EVERY);
}

takeTokens();
await withToken(at("token"), "analyst", start);
