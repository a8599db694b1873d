/** The page of whoever asks: shares with their intervals, by question, by label and over days, as they come in. */

import { ask, failure, sent, takeTokens } from "./api.js";
import { intervals, map, percent, png, side, trend, within } from "./charts.js";
import { crossing } from "./crossing.js";
import { at, el, keep, place, show } from "./dom.js";
import { figure, figuresOf, ranges } from "./figures.js";
import { glance, isVague, legend, sentence } from "./glance.js";
import { spoken } from "./header.js";
import { hasSentence, isolated, listed, number, say } from "./languages.js";
import { language } from "./page.js";
import { placed } from "./places.js";
import { csvField, table } from "./table.js";
import { refusals } from "./refusals.js";
import { withToken } from "./tokens.js";
import { amountText, answerText, isOrdered, translated } from "./translated.js";
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

/** The methods, and those that are shown side by side. */
const METHODS = ["unbiased", "project", "likelihood", "shrink"];
const BESIDE = ["unbiased", "project", "shrink"];

/** How the questions of a form are asked. */
const STRATEGIES = /** @type {Record<string, string>} */ ({ each: "each", "one at random": "one", together: "together" });

/** @type {{method: string, by: string, question: string, live: boolean, open: boolean, turn: number, history: any[], document: any, own: any, law: any, chart: Element | null, last: string, isFollowing: boolean}} */
const state = { method: "unbiased", by: "", question: "", live: true, open: true, turn: 0, history: [], document: null, own: null, law: null, chart: null, last: "", isFollowing: false };

const parts = /** @type {Record<string, HTMLElement>} */ (Object.fromEntries(["head", "choose", "glance", "crossed", "chart", "table", "map", "methods", "labels", "days", "settling", "keep"].map((name) => [name, el("section", {})])));

/** The questions of a form; null for a single question. @returns {any[] | null} */
const asked = () => state.document.questions ?? null;

/** The texts of the question that is shown, as a document has them. @param {any} [document] */
const texts = (document = state.document) => document.questions?.find((/** @type {any} */ { name }) => name === state.question) ?? document;

/** The language and direction of the collection's own texts. */
const marks = () => ({ lang: state.document.language ?? "en", dir: "auto" });

/** @param {any} value */
function word(value) {
  return answerText(value, texts());
}

/** What is asked of the collector about the question that is shown. @param {string} [query] */
const about = (query = "") => [state.question && `question=${encodeURIComponent(state.question)}`, query].filter(Boolean).join("&");

/** The published law of the question that is shown; nothing where all answers are one value. */
function law() {
  const { form } = state.law;
  if (!form) return state.law;
  return form.strategy === "together" ? {} : (form.laws[form.questions.indexOf(state.question)] ?? {});
}

/** @param {any} result @param {string} [series] */
const rowsOf = (result, series) =>
  result.values.map((/** @type {any} */ value, /** @type {number} */ i) => ({
    name: result.numbers ? number(word(value)) : word(value),
    value,
    share: result.shares[i],
    stderr: result.stderr?.[i] ?? null,
    low: result.low?.[i] ?? null,
    high: result.high?.[i] ?? null,
    order: i,
    series,
  }));

const width = () => Math.max(320, parts.chart.clientWidth || 640);

/** Shares by one method; null while there are too few reports. Until the collection is closed, intervals hold at all times at once. @param {string} query */
const shares = async (query) => (await ask(`/collections/${id}/shares?${about(query)}&anytime=${state.open}`, { role: "analyst" })).cells;

/** The names of the values with the largest shares. @param {any[]} rows @param {number} count */
const largest = (rows, count) => new Set([...rows].sort((a, b) => b.share - a.share).slice(0, count).map(({ name }) => name));

/** How far it is, and why some of it cannot be shown. @param {any} progress */
function head(progress) {
  const { n, minimum, missing, refused } = progress;
  state.open = progress.state !== "closed";
  const turned = refusals(refused);
  show(
    parts.head,
    asked() ? el("p", { class: "soft" }, say(`strategies.${STRATEGIES[state.law.form.strategy]}`, { n: state.document.questions.length })) : el("p", { class: "soft", ...marks() }, state.document.question),
    el(
      "p",
      {},
      el("strong", {}, missing ? say("fewer", { n: missing }) : say("reportsTold", { n })),
      " ",
      [missing ? say("fewerText") : `${say(`collectionIs.${progress.state}`)} ${say("batches", { minimum })}`, turned && say("rejected", { refused: turned })].filter(Boolean).join(" "),
    ),
  );
}

/** @param {any} cell */
async function main(cell) {
  const rows = rowsOf(cell.result);
  const { numbers } = cell.result;
  let isDrawn = false;
  const draw = (/** @type {any[]} */ sorted) => {
    if (numbers && isDrawn) return; // ranges have an order of their own
    isDrawn = true;
    const some = sorted.slice(0, DRAWN);
    const chart = (numbers && ranges(numbers, { n: cell.n, width: width() })) || intervals(some, { n: cell.n, width: width(), description: say("chartOf", { n: some.length }) });
    state.chart = chart;
    show(
      parts.chart,
      ...(numbers ? [el("h2", {}, say("numbers.title")), ...figuresOf(numbers, texts().unit ?? "")] : []),
      el("h2", {}, numbers?.ranges ? say("numbers.ranges") : some.length < rows.length ? say("sharesOf", { shown: some.length, n: rows.length }) : say("shares")),
      numbers ? null : largestOf(rows, cell.result.values),
      chart,
      legend(say(state.open ? "truthOpen" : "truth"), say(`methodTexts.${state.method}`)),
      cell.periods ? el("p", { class: "small" }, say("periods", { n: cell.periods })) : null,
      ...Object.entries(cell.result.notes).map(([name, note]) => el("p", { class: "small" }, hasSentence(`lacks.${name}`) ? say(`lacks.${name}`) : sent(`No ${name}:`), " ", sent(/** @type {string} */ (note)))),
      el("p", { class: "small soft" }, say("influence", { n: Number(Number(cell.result.influence).toPrecision(2)) })),
    );
  };
  const columns = [
    { key: "name", title: say("column.answer"), text: (/** @type {any} */ row) => isolated(row.name) },
    { key: "share", title: say("column.share"), number: true, text: (/** @type {any} */ row) => percent(row.share) },
    { key: "stderr", title: say("column.stderr"), number: true, text: (/** @type {any} */ row) => percent(row.stderr) },
    { key: "low", title: say("column.low"), number: true, text: (/** @type {any} */ row) => percent(row.low) },
    { key: "high", title: say("column.high"), number: true, text: (/** @type {any} */ row) => percent(row.high) },
  ];
  const order = numbers || (isOrdered(texts()) && rows.length <= DRAWN) ? { sort: "order" } : { sort: "share", down: true };
  show(parts.table, table(columns, rows, { caption: say(numbers ? "numbers.nodes" : "everyShare"), ...order, changed: draw }), grouped(cell.result));
  const where = await placed(law().context, cell.result.values, cell.result.shares, word);
  show(parts.map, ...(where ? [el("h2", {}, say("onMap")), map(where.places, { width: width(), description: say("mapOf"), ...where })] : []));
}

/** The most frequent answer in words, or the tick of a box. @param {any[]} rows @param {any[]} values */
function largestOf(rows, values) {
  const isBox = texts().kind === "box";
  const row = rows[isBox ? values.indexOf("yes") : -1] ?? [...rows].sort((a, b) => b.share - a.share)[0];
  return el("p", {}, isBox || isVague(row) ? "" : `${say("mostFrequent")} `, sentence({ ...row, name: amountText(row.value, texts()) }, isBox));
}

/** The blocks that reports show. @param {any} result */
function grouped(result) {
  if (!result.blocks) return null;
  const rows = result.blocks.names.map((/** @type {any} */ name, /** @type {number} */ i) => ({ name: String(name), share: result.blocks.shares[i], low: result.blocks.low[i], high: result.blocks.high[i] }));
  const columns = [
    { key: "name", title: say("column.group"), text: (/** @type {any} */ row) => isolated(row.name) },
    { key: "share", title: say("column.share"), number: true, text: (/** @type {any} */ row) => percent(row.share) },
    { key: "low", title: say("column.low"), number: true, text: (/** @type {any} */ row) => percent(row.low) },
    { key: "high", title: say("column.high"), number: true, text: (/** @type {any} */ row) => percent(row.high) },
  ];
  return el("div", {}, el("h3", {}, say("blocks")), table(columns, rows, { caption: say("blocksCaption"), sort: "share", down: true }));
}

async function methods() {
  const cells = await Promise.all(BESIDE.map((method) => shares(`method=${method}`)));
  const chosen = largest(rowsOf(cells[0][0].result), COMPARED);
  const rows = BESIDE.flatMap((method, i) => rowsOf(cells[i][0].result, say(`methods.${method}`)).filter((/** @type {any} */ row) => chosen.has(row.name)));
  show(
    parts.methods,
    el(
      "details",
      {},
      el("summary", {}, say("threeMethods")),
      side(rows, { width: width(), description: say("threeMethodsChart") }),
      el("ul", { class: "small" }, BESIDE.map((method) => el("li", {}, el("strong", {}, say(`methods.${method}`)), ` – ${say(`methodTexts.${method}`)}`))),
    ),
  );
}

/** How a label was asked for. @param {string} name */
const labelText = (name) => state.document.background?.find((/** @type {any} */ one) => one.name === name)?.question ?? name;

/** A text of a label as people read it. @param {string} name @param {string | null} text */
const labelWord = (name, text) => state.document.background?.find((/** @type {any} */ one) => one.name === name)?.words?.[text ?? ""] ?? text ?? say("notSaid");

/** Which differences are more than chance, in words. @param {any[]} pairs @param {any[]} tests @param {string} by */
function told(pairs, tests, by) {
  const sure = tests.filter(({ p }) => p < 0.05).sort((a, b) => a.p - b.p);
  if (!sure.length) return el("p", {}, say(pairs.length === 1 ? "noDifferenceOfTwo" : "noDifference"));
  const lines = sure.slice(0, 5).map(({ name, first, second, difference }) => {
    const [more, less] = difference > 0 ? [first, second] : [second, first];
    return el("li", {}, say("differs", { name, more, less, share: percent(within(Math.abs(difference))) }));
  });
  return el("div", {}, el("p", {}, say("differencesBy", { by: labelText(by) })), el("ul", {}, lines), sure.length > 5 ? el("p", { class: "small soft" }, say("moreInTable", { n: sure.length - 5 })) : null);
}

/** The mean of every group, of a question for a number. @param {any[]} cells @param {string} by */
function meansBy(cells, by) {
  const told = cells.flatMap(({ labels, result }) => {
    const mean = result.numbers && figure(result.numbers, "mean", texts().unit ?? "");
    return mean ? [el("dt", {}, isolated(labelWord(by, labels[by]))), el("dd", {}, mean)] : [];
  });
  return told.length ? [el("h3", {}, say("numbers.by")), el("dl", {}, told)] : [];
}

/** @param {any} progress */
async function labels(progress) {
  const names = Object.keys(state.document.labels ?? {});
  if (!names.length) return;
  const by = state.by || names[0];
  const [cells, differences] = await Promise.all([shares(`method=${state.method}&by=${encodeURIComponent(by)}`), ask(`/collections/${id}/differences?${about(`by=${encodeURIComponent(by)}`)}`, { role: "analyst" })]);
  const shown = cells.filter((/** @type {any} */ cell) => cell.result);
  const all = shown.flatMap((/** @type {any} */ cell) => rowsOf(cell.result, labelWord(by, cell.labels[by])));
  const chosen = largest(all, COMPARED);
  const few = cells.filter((/** @type {any} */ cell) => !cell.result).map((/** @type {any} */ cell) => labelWord(by, cell.labels[by]));
  const tests = differences.pairs.flatMap((/** @type {any} */ pair) =>
    pair.values.map((/** @type {any} */ value, /** @type {number} */ i) => ({ name: word(value), pair: say("minus", { first: labelWord(by, pair.first), second: labelWord(by, pair.second) }), first: labelWord(by, pair.first), second: labelWord(by, pair.second), difference: pair.difference[i], stderr: pair.stderr[i], p: (pair.adjusted ?? pair.p)[i] })),
  );
  const columns = [
    { key: "name", title: say("column.answer"), text: (/** @type {any} */ row) => isolated(row.name) },
    { key: "pair", title: say("column.pair"), text: (/** @type {any} */ row) => row.pair },
    { key: "difference", title: say("column.difference"), number: true, text: (/** @type {any} */ row) => percent(row.difference) },
    { key: "stderr", title: say("column.stderr"), number: true, text: (/** @type {any} */ row) => percent(row.stderr) },
    { key: "p", title: say("column.p"), number: true, text: (/** @type {any} */ row) => (row.p < 0.0001 ? `< ${number("0.0001")}` : new Intl.NumberFormat(language(), { minimumFractionDigits: 4, maximumFractionDigits: 4 }).format(row.p)) },
  ];
  const pick = el(
    "select",
    {
      onchange: (/** @type {any} */ event) => {
        state.by = event.target.value;
        void labels(progress);
      },
    },
    names.map((name) => el("option", { value: name, selected: name === by }, isolated(labelText(name)))),
  );
  show(
    parts.labels,
    el("h2", {}, say("byGroup")),
    el("label", { class: "field" }, el("span", {}, say("groupsBy")), pick),
    ...meansBy(shown, by),
    shown.length && !shown[0].result.numbers ? side(all.filter((/** @type {any} */ row) => chosen.has(row.name)), { width: width(), description: say("sharesBy", { by }) }) : null,
    few.length ? el("p", { class: "small soft" }, say("tooFewFor", { groups: listed(few) })) : null,
    tests.length && !shown[0]?.result.numbers ? told(differences.pairs, tests, by) : null,
    tests.length ? table(columns, tests, { caption: say("differencesCaption"), sort: "p" }) : null,
    tests.length && state.open ? el("p", { class: "small soft" }, say("singleLook")) : null,
  );
}

/** @param {any} progress @param {any} cell */
async function days(progress, cell) {
  if (cell.result.numbers) return; // the shares of single numbers are too many to follow
  const dates = Object.keys(progress.days);
  if (dates.length > 1) {
    const cells = (await shares(`method=${state.method}&days=1`)).filter((/** @type {any} */ one) => one.result);
    const chosen = largest(rowsOf(cell.result), FOLLOWED);
    const rows = cells.flatMap((/** @type {any} */ one) => rowsOf(one.result).filter((/** @type {any} */ row) => chosen.has(row.name)).map((/** @type {any} */ row) => ({ ...row, at: one.days[0] })));
    if (rows.length) show(parts.days, el("h2", {}, say("overDays")), trend(rows, { width: width(), description: say("overDaysChart"), x: "days" }));
  }
  const chosen = largest(rowsOf(cell.result), FOLLOWED);
  if (state.history[state.history.length - 1]?.n !== cell.n) state.history.push({ n: cell.n, rows: rowsOf(cell.result) });
  const first = state.history[0];
  if (cell.n > first.n) {
    const rows = state.history.flatMap(({ n, rows: then }) => then.filter((/** @type {any} */ row) => chosen.has(row.name)).map((/** @type {any} */ row) => ({ ...row, at: n })));
    show(parts.settling, el("h2", {}, say("settling")), trend(rows, { width: width(), description: say("settlingChart"), x: "count" }), el("p", { class: "small soft" }, say("settlingText")));
  }
}

/** @param {any} cell */
function keeping(cell) {
  const name = `results-${id}${state.question && `-${state.question}`}`;
  const csv = () => {
    const lines = rowsOf(cell.result).map((/** @type {any} */ row) => [valueText(row.value, texts(state.own).words ?? {}), row.share, row.stderr, row.low, row.high].map(csvField).join(","));
    keep(`${name}.csv`, "text/csv", `value,share,stderr,low,high\n${lines.join("\n")}\n`);
  };
  const paper = () => getComputedStyle(document.documentElement).backgroundColor;
  publishing(
    el("button", { class: "plain", onclick: csv }, "CSV"),
    el("button", { class: "plain", onclick: () => keep(`${name}.json`, "application/json", JSON.stringify(cell.result, null, 2)) }, "JSON"),
    el("button", { class: "plain", onclick: async () => state.chart && keep(`${name}.png`, "image/png", await png(state.chart, paper())) }, "PNG"),
  );
}

/** What is kept as a file: the release report of the question that is shown, or of all, and more. @param {...Element} more */
function publishing(...more) {
  const said = el("p", { class: "small", role: "alert" });
  const method = state.law.form?.strategy === "together" ? "unbiased" : state.method;
  const release = async (/** @type {string} */ form) => {
    try {
      keep(`release-${id}${state.question && `-${state.question}`}.${form}`, form === "html" ? "text/html" : "application/json", await ask(`/collections/${id}/release?${about(`form=${form}&method=${method}`)}`, { role: "analyst", as: "blob" }));
    } catch (problem) {
      show(said, failure(problem));
    }
  };
  show(
    parts.keep,
    el("h2", {}, say("publish")),
    el("p", { class: "row" }, ...more, el("button", { onclick: () => release("html") }, say("release")), el("button", { class: "plain", onclick: () => release("json") }, say("releaseJson"))),
    said,
    el("p", { class: "small soft" }, say("releaseText")),
  );
}

async function look() {
  const turn = ++state.turn;
  const progress = await ask(`/collections/${id}/progress`, { role: "analyst" });
  const mark = `${progress.n} ${progress.state} ${state.method} ${state.question}`;
  if (mark === state.last || turn !== state.turn) return;
  head(progress);
  if (asked() && !state.question) return atAGlance(progress, mark);
  const [cell] = await shares(`method=${state.method}`);
  if (!cell?.result || turn !== state.turn) return;
  await main(cell);
  if (turn !== state.turn) return;
  keeping(cell);
  await days(progress, cell);
  await labels(progress).catch((problem) => show(parts.labels, el("h2", {}, say("byGroup")), el("p", { class: "small" }, failure(problem))));
  state.last = mark;
  if (!cell.result.numbers && !parts.methods.querySelector("details[open]")) await methods();
}

/** All questions of a form at once, and two of them crossed. @param {any} progress @param {string} mark */
async function atAGlance(progress, mark) {
  if (progress.missing) return;
  const { questions } = await ask(`/collections/${id}/shares?method=${state.method}&anytime=${state.open}`, { role: "analyst" });
  const choose = (/** @type {string} */ name) => {
    at("question").value = name;
    chosen(name);
    at("question").focus();
  };
  show(parts.glance, ...glance(state.document.questions, questions, { width: width(), open: state.open, choose }));
  await crossing(parts.crossed, { id, questions: state.document.questions, own: state.own.questions, strategy: state.law.form.strategy, open: state.open, labels: Object.keys(state.document.labels ?? {}), labelText, labelWord });
  publishing();
  state.last = mark;
}

/** Show one question, or all. @param {string} name */
function chosen(name) {
  Object.assign(state, { question: name, history: [] });
  void drawn();
}

/** Show what is chosen, from nothing. */
async function drawn() {
  state.last = "";
  for (const part of Object.values(parts)) if (part !== parts.head && part !== parts.choose) show(part);
  if (state.question) show(parts.glance, el("h2", marks(), texts().question));
  await look();
}

/** The choice of a question. */
function choosing() {
  const all = asked();
  if (!all) return;
  const pick = el("select", { id: "question", onchange: (/** @type {any} */ event) => chosen(event.target.value) }, el("option", { value: "" }, say("allQuestions")), all.map(({ name, question, group }) => el("option", { value: name, selected: name === state.question }, isolated(group ? `${group} ${question}` : question))));
  show(parts.choose, el("label", { class: "field" }, el("span", {}, say("oneQuestion")), pick));
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
    METHODS.map((key) => el("option", { value: key, selected: key === state.method }, say(`methods.${key}`))),
  );
  const live = el("input", { type: "checkbox", checked: state.live, onchange: (/** @type {any} */ event) => (state.live = event.target.checked) });
  return el("p", { class: "row" }, el("label", { class: "field" }, el("span", {}, say("method")), method), el("label", { class: "row" }, live, ` ${say("live")}`));
}

async function start() {
  state.own = await ask(`/collections/${id}`);
  state.document = translated(state.own, language());
  state.law = await ask(`/collections/${id}/law`);
  document.title = say("titleOf", { title: state.document.title });
  Object.assign(at("title"), marks(), { textContent: state.document.title });
  show(at("results"), parts.head, parts.choose, controls(), parts.glance, parts.crossed, parts.chart, parts.table, parts.map, parts.labels, parts.days, parts.settling, parts.methods, parts.keep);
  choosing();
  await drawn();
  if (!state.isFollowing) follow();
}

/** Look again and again at what came in. */
function follow() {
  state.isFollowing = true;
  const again = async () => {
    if (state.live && document.visibilityState === "visible") await look().catch(() => {});
    setTimeout(again, EVERY);
  };
  setTimeout(again, EVERY);
}

takeTokens();
await spoken("results", "results", async () => {
  document.title = at("title").textContent = say("results");
  await withToken(at("token"), "analyst", start);
});
