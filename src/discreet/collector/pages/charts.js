/** The charts of the results, drawn by Observable Plot from plain rows. */

import { number, say } from "./languages.js";
import * as Plot from "./made/plot.js";
import { language } from "./page.js";

/** @typedef {{name: string, share: number, low: number | null, high: number | null, stderr: number | null, group?: string, series?: string}} Row */

/** The labels of an axis of shares. */
const PERCENT = { tickFormat: (/** @type {number} */ share) => new Intl.NumberFormat(language(), { style: "percent", maximumSignificantDigits: 6 }).format(share) };
const STYLE = { background: "transparent", fontFamily: "inherit", fontSize: "13px", color: "currentColor" };

/** Whether the page is dark. */
const dark = () => matchMedia("(prefers-color-scheme: dark)").matches;

/** A chart that says, to those who do not see it, what it shows; its parts say nothing by themselves. @param {any} chart @param {string} description */
function describe(chart, description) {
  for (const part of chart.querySelectorAll("[aria-label], [aria-description]")) {
    part.removeAttribute("aria-label");
    part.removeAttribute("aria-description");
  }
  const drawings = chart.tagName === "svg" ? [chart] : [...chart.querySelectorAll("svg")];
  for (const drawing of drawings) drawing.setAttribute("aria-hidden", "true");
  const drawing = drawings[drawings.length - 1];
  drawing?.removeAttribute("aria-hidden");
  drawing?.setAttribute("role", "img");
  drawing?.setAttribute("aria-label", description);
  return chart;
}

/** Room for the longest name, in pixels. @param {string[]} names */
const room = (names) => Math.min(220, 16 + 7.2 * Math.max(4, ...names.map((name) => Math.min(29, name.length))));

/** A name that fits, read in its own direction. @param {string} name */
const fitted = (name) => `\u2068${name.length > 29 ? `${name.slice(0, 28)}…` : name}\u2069`;

/** A day as an axis has it. @param {string} text such as 2026-05-01 */
const dayOf = (text) => new Intl.DateTimeFormat(language(), { day: "numeric", month: "short", timeZone: "UTC" }).format(new Date(text));

/**
 * Shares with their intervals; the dark part of each is the uncertainty from the size of the sample, the pale rest what
 * the privacy protection adds.
 * @param {Row[]} rows
 * @param {{n: number, width: number, description: string, whole?: boolean}} about  whole shows the scale up to all people
 */
export function intervals(rows, { n, width, description, whole = false }) {
  const names = rows.map(({ name }) => name);
  const known = rows.filter(({ low }) => low !== null);
  const sampling = known.map((row) => {
    const p = within(row.share);
    const half = 1.96 * Math.sqrt((p * (1 - p)) / Math.max(n, 1));
    return { ...row, from: Math.max(row.low ?? 0, row.share - half), to: Math.min(row.high ?? 1, row.share + half) };
  });
  const chart = Plot.plot({
    width,
    height: 61 + 23 * rows.length,
    marginBottom: 43,
    marginLeft: room(names),
    marginRight: 20,
    style: STYLE,
    x: { ...PERCENT, label: say("axis.share"), labelAnchor: "center", labelArrow: "none", labelOffset: 37, grid: true, zero: true, ...(whole ? { domain: [Math.min(0, ...known.map(({ low }) => low ?? 0)), Math.max(1, ...known.map(({ high }) => high ?? 1))] } : {}) },
    y: { domain: names, label: null, tickFormat: fitted, tickSize: 0 },
    marks: [
      Plot.ruleX([0]),
      Plot.link(known, { x1: "low", x2: "high", y1: "name", y2: "name", stroke: "var(--pale)", strokeWidth: 9 }),
      Plot.link(sampling, { x1: "from", x2: "to", y1: "name", y2: "name", stroke: "var(--fill)", strokeOpacity: 0.55, strokeWidth: 9 }),
      Plot.dot(rows, { x: "share", y: "name", r: 4, fill: "var(--ink)" }),
      Plot.tip(
        rows,
        Plot.pointerY({
          x: "share",
          y: "name",
          title: (/** @type {Row} */ row) => `${row.name}\n${row.low === null ? percent(row.share) : say("shareFrom", { share: percent(row.share), low: percent(row.low), high: percent(row.high) })}`,
        }),
      ),
    ],
  });
  return describe(chart, description);
}

/** Several results side by side: a dot of its own colour and its interval for each series. @param {Row[]} rows @param {{width: number, description: string}} about */
export function side(rows, { width, description }) {
  const names = [...new Set(rows.map(({ name }) => name))];
  const series = [...new Set(rows.map((row) => row.series))];
  const known = rows.filter(({ low }) => low !== null);
  const chart = Plot.plot({
    width,
    height: 71 + names.length * (14 * series.length + 12),
    marginBottom: 43,
    marginLeft: room(names),
    marginRight: 20,
    style: STYLE,
    color: { legend: true, domain: series, range: ["var(--fill)", "var(--warm)", "var(--good)", "var(--soft)", "#b07aa1", "#edc948"] },
    x: { ...PERCENT, label: say("axis.share"), labelAnchor: "center", labelArrow: "none", labelOffset: 37, grid: true, zero: true },
    fy: { domain: names, label: null, tickFormat: fitted, padding: 0.15 },
    y: { domain: series, axis: null },
    marks: [
      Plot.ruleX([0]),
      Plot.link(known, { fy: "name", x1: "low", x2: "high", y1: "series", y2: "series", stroke: "series", strokeWidth: 4, strokeOpacity: 0.35 }),
      Plot.dot(rows, { fy: "name", x: "share", y: "series", fill: "series", r: 4 }),
    ],
  });
  return describe(chart, description);
}

/** Lines over days, or over the number of reports. @param {Row[]} rows with `at` @param {{width: number, description: string, x: "days" | "count"}} about */
export function trend(rows, { width, description, x }) {
  const chart = Plot.plot({
    width,
    height: 300,
    marginLeft: 50,
    style: STYLE,
    color: { legend: true },
    x: x === "days" ? { label: say("axis.days"), type: "point", tickFormat: dayOf } : { label: say("axis.count"), type: "linear", tickFormat: number },
    y: { ...PERCENT, label: say("axis.share"), grid: true },
    marks: [
      Plot.ruleY([0]),
      Plot.areaY(rows, { x: "at", y1: "low", y2: "high", fill: "name", fillOpacity: 0.12 }),
      Plot.line(rows, { x: "at", y: "share", stroke: "name", marker: rows.length < 60 }),
    ],
  });
  return describe(chart, description);
}

/** A heat map of places. @param {{x: number, y: number, name: string, share: number, outline?: [number, number][]}[]} places @param {{width: number, description: string, hexagons: boolean, groups?: any[]}} about */
export function map(places, { width, description, hexagons, groups = [] }) {
  const spanX = span(places.map(({ x }) => x));
  const spanY = span([...places, ...groups].map(({ y }) => y));
  const wide = Math.min(width, 640);
  const unit = (wide - 60) / Math.max(spanX.high - spanX.low, 1e-9);
  const step = hexagons ? nearest(places) * unit * 0.8 : 0;
  const shape = hexagons ? (spanY.high - spanY.low) / Math.max(spanX.high - spanX.low, 1e-9) : (spanY.steps + 1) / (spanX.steps + 1);
  const chart = Plot.plot({
    width: wide,
    height: Math.max(160, Math.min(640, 60 + (wide - 60) * shape)),
    style: STYLE,
    margin: 30,
    axis: null,
    color: { type: "linear", range: dark() ? ["#26323c", "#7cc4f4"] : ["#e6eff6", "#004c7d"], legend: true, label: say("axis.share"), ...PERCENT, domain: [0, Math.max(1e-9, ...places.map(({ share }) => share))] },
    x: hexagons ? { inset: step / 2 } : { type: "band", domain: range(spanX), padding: 0.04 },
    y: hexagons ? { inset: step / 2 } : { type: "band", domain: range(spanY).reverse(), padding: 0.04 },
    marks: [
      hexagons
        ? Plot.dot(places, { x: "x", y: "y", fill: (/** @type {any} */ place) => Math.max(0, place.share), symbol: "hexagon", r: Math.max(4, step / 2) })
        : Plot.cell(places, { x: "x", y: "y", fill: (/** @type {any} */ place) => Math.max(0, place.share), rx: 2 }),
      Plot.text(groups, { x: "x", y: "y", text: "name", fontWeight: 600, fill: "currentColor", dy: 6 }),
      Plot.tip(places, Plot.pointer({ x: "x", y: "y", title: (/** @type {any} */ place) => `${place.name}\n${percent(place.share)}` })),
    ],
  });
  return describe(chart, description);
}

/** How far the first places are from those next to them, at least; 1 for a single one. @param {{x: number, y: number}[]} places */
function nearest(places) {
  const some = places.slice(0, 200);
  const apart = some.flatMap((a, i) => places.filter((_, j) => j !== i).map((b) => Math.hypot(a.x - b.x, a.y - b.y)));
  return apart.length ? apart.reduce((least, one) => Math.min(least, one), Infinity) : 1;
}

/** @param {number[]} numbers */
function span(numbers) {
  const sorted = [...new Set(numbers)].sort((a, b) => a - b);
  return { low: sorted[0], high: sorted[sorted.length - 1], steps: sorted.length - 1, sorted };
}

/** @param {{sorted: number[]}} span */
const range = ({ sorted }) => {
  const whole = sorted.every(Number.isInteger) && sorted[sorted.length - 1] - sorted[0] < 400;
  return whole ? Array.from({ length: sorted[sorted.length - 1] - sorted[0] + 1 }, (_, i) => sorted[0] + i) : sorted;
};

/** A share in percent, as the language writes it. @param {number | null} share */
export function percent(share) {
  if (share === null || share === undefined) return "–";
  const digits = share === 0 || share === 1 ? 0 : Math.abs(share) < 0.01 ? 2 : 1;
  return new Intl.NumberFormat(language(), { style: "percent", minimumFractionDigits: digits, maximumFractionDigits: digits }).format(share);
}

/** A share of people as it can be: not below 0, and not above 1. @param {number} share */
export const within = (share) => Math.min(1, Math.max(0, share));

/**
 * A share within 0 to 1, and its interval moved along with it and cut: of one that lies outside, what is left is no point.
 * @param {number} share @param {number | null | undefined} low @param {number | null | undefined} high
 */
export function shownWithin(share, low, high) {
  const end = (/** @type {number | null | undefined} */ one) => (typeof one === "number" ? within(one + within(share) - share) : null);
  return { share: within(share), low: end(low), high: end(high) };
}

/** The picture as PNG, at twice its size. @param {Element} chart @param {string} paper */
export async function png(chart, paper) {
  const drawing = /** @type {SVGSVGElement} */ (chart.tagName === "svg" ? chart : chart.querySelector("svg:last-of-type"));
  const [width, height] = [drawing.clientWidth || drawing.width.baseVal.value, drawing.clientHeight || drawing.height.baseVal.value];
  const copy = /** @type {SVGSVGElement} */ (drawing.cloneNode(true));
  const style = getComputedStyle(document.documentElement);
  const named = (/** @type {string} */ text) => text.replace(/var\((--[a-z]+)\)/g, (_, name) => resolved(style.getPropertyValue(name)));
  copy.setAttribute("xmlns", "http://www.w3.org/2000/svg");
  copy.setAttribute("color", getComputedStyle(drawing).color);
  copy.setAttribute("font-family", "sans-serif");
  const url = URL.createObjectURL(new Blob([named(new XMLSerializer().serializeToString(copy))], { type: "image/svg+xml" }));
  const image = new Image();
  image.src = url;
  await image.decode();
  const canvas = Object.assign(document.createElement("canvas"), { width: 2 * width, height: 2 * height });
  const pen = /** @type {CanvasRenderingContext2D} */ (canvas.getContext("2d"));
  pen.fillStyle = paper;
  pen.fillRect(0, 0, canvas.width, canvas.height);
  pen.drawImage(image, 0, 0, canvas.width, canvas.height);
  URL.revokeObjectURL(url);
  return /** @type {Promise<Blob>} */ (new Promise((resolve) => canvas.toBlob((blob) => resolve(/** @type {Blob} */ (blob)))));
}

/** A colour with its light and dark form chosen. @param {string} colour */
function resolved(colour) {
  const probe = document.createElement("i");
  probe.style.color = colour;
  document.body.append(probe);
  const chosen = getComputedStyle(probe).color;
  probe.remove();
  return chosen;
}
