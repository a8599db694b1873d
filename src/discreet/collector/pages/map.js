/** A map of answers that are places, where the nearest one to a press is chosen; whoever cannot point has the search beside it. */

import { shape } from "./people.js";

/** More places than these are too small to point at. */
const MOST = 2500;
/** The places whose neighbours say how large one is drawn. */
const LOOKED_AT = 50;

/** @typedef {[number, number]} Point */

/** The points of a context, one for each value, as numbers; null where values are no places on a plane. @param {any} context @param {number} count */
export function pointsOf(context, count) {
  const points = context?.points;
  if (!Array.isArray(points) || points.length !== count || count > MOST) return null;
  const read = points.map((point) => (Array.isArray(point) && point.length === 2 ? point.map(Number) : [NaN, NaN]));
  return read.flat().every(Number.isFinite) ? /** @type {Point[]} */ (read) : null;
}

/** The number of the point that is nearest to a place. @param {Point[]} points @param {Point} place */
const nearest = (points, [x, y]) => points.reduce((found, [a, b], i) => (Math.hypot(a - x, b - y) < Math.hypot(points[found][0] - x, points[found][1] - y) ? i : found), 0);

/** The least distance between two points, by some of them. @param {Point[]} points */
function spacing(points) {
  const apart = points.slice(0, LOOKED_AT).map(([x, y]) => points.map(([a, b]) => Math.hypot(a - x, b - y)).filter((d) => d > 0).reduce((a, b) => Math.min(a, b), Infinity));
  return apart.filter(Number.isFinite).reduce((a, b) => Math.min(a, b), Infinity);
}

/**
 * A map of places; north is up.
 * @param {Point[]} points
 * @param {string[]} names
 * @param {(x: number) => void} pick
 */
export function map(points, names, pick) {
  const step = spacing(points);
  const radius = (Number.isFinite(step) ? step : 1) * 0.46;
  const [xs, ys] = [points.map(([x]) => x), points.map(([, y]) => -y)];
  const [left, top] = [xs, ys].map((all) => all.reduce((a, b) => Math.min(a, b)) - 2 * radius);
  const [width, height] = [xs, ys].map((all, i) => all.reduce((a, b) => Math.max(a, b)) + 2 * radius - [left, top][i]);
  const element = shape("svg", { viewBox: `${left} ${top} ${width} ${height}`, class: "map", "aria-hidden": "true" });
  const places = points.map((_, i) => {
    const one = shape("circle", { cx: xs[i], cy: ys[i], r: radius });
    const title = shape("title", {});
    title.textContent = names[i];
    one.append(title);
    return one;
  });
  element.append(...places);
  element.addEventListener("click", (event) => {
    const { clientX, clientY } = /** @type {MouseEvent} */ (event);
    const at = new DOMPoint(clientX, clientY).matrixTransform(/** @type {any} */ (element).getScreenCTM().inverse());
    pick(nearest(points, [at.x, -at.y]));
  });
  const mark = (/** @type {number} */ chosen) => places.forEach((one, i) => one.classList.toggle("chosen", i === chosen));
  return { element, mark };
}
