/** What is said of numbers beside the shares of single ones: their mean, median and spread, and the shares of a few ranges. */

import { intervals, percent } from "./charts.js";
import { el } from "./dom.js";
import { number, say } from "./languages.js";

/** A figure for people, with as many digits as its interval is worth. @param {number} value @param {number} wide */
const rounded = (value, wide) => {
  const places = wide > 0 ? Math.max(0, Math.min(15, 2 - Math.ceil(Math.log10(wide)))) : 2;
  return number(value.toFixed(places).replace(/^-(0(\.0*)?)$/, "$1"));
};

/** The bounds at which numbers were cut, after a figure. @param {any} figures */
const cut = (figures) => (figures.cut ? el("span", { class: "small soft" }, ` (${say("numbers.cut", { low: number(figures.low), high: number(figures.high) })})`) : null);

/** One figure as a sentence; null where it cannot be given. @param {any} figures @param {"mean" | "median" | "spread"} name @param {string} unit */
export function figure(figures, name, unit) {
  const found = figures[name];
  if (!found || [found.value, found.low, found.high].includes(null)) return null;
  const [value, low, high] = [found.value, found.low, found.high].map((end) => `${rounded(end, name === "median" ? 0.01 : found.high - found.low)}${unit ? `\u00a0${unit}` : ""}`);
  return el("p", { class: name === "mean" ? "mean" : null }, say(`numbers.${name}`, { value, low, high }), cut(figures));
}

/** All figures. @param {any} figures @param {string} unit */
export function figuresOf(figures, unit) {
  const told = /** @type {const} */ (["mean", "median", "spread"]).map((name) => figure(figures, name, unit)).filter(Boolean);
  if (!told.length) return [el("p", {}, say("numbers.few"))];
  return [
    ...told,
    figures.given < 0.9995 ? el("p", { class: "small" }, say("numbers.given", { share: percent(figures.given) })) : null,
    figures.cut ? el("p", { class: "small soft" }, say("numbers.cutText", { low: number(figures.low), high: number(figures.high) })) : null,
  ];
}

/** The shares of ranges as a chart; null where there are none. @param {any} figures @param {{n: number, width: number}} more */
export function ranges(figures, { n, width }) {
  if (!figures.ranges) return null;
  const rows = figures.ranges.map((/** @type {any} */ one) => ({ name: say("numbers.range", { low: number(one.from), high: number(one.to) }), share: one.value, low: one.low, high: one.high, stderr: one.stderr }));
  return intervals(rows, { n, width, description: say("numbers.rangesChart") });
}
