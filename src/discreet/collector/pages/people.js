/** A hundred people as a picture: so many of them stand out. */

const SVG = "http://www.w3.org/2000/svg";

/** A shape with its attributes. @param {string} name @param {Record<string, string | number>} given */
export function shape(name, given) {
  const element = document.createElementNS(SVG, name);
  for (const [key, entry] of Object.entries(given)) element.setAttribute(key, String(entry));
  return element;
}

/**
 * Ten rows of ten people; the first `many` are filled.
 * @param {number} many
 * @param {string} description what the picture says, for those who do not see it
 */
export function hundred(many, description) {
  const picture = shape("svg", { viewBox: "0 0 200 210", role: "img", "aria-label": description, class: "hundred" });
  for (let person = 0; person < 100; person++) {
    const [x, y] = [20 * (person % 10) + 10, 21 * Math.floor(person / 10)];
    const one = shape("g", { fill: person < many ? "var(--fill)" : "var(--line)" });
    one.append(shape("circle", { cx: x, cy: y + 5, r: 4 }), shape("path", { d: `M${x - 6.5} ${y + 18}a6.5 7.5 0 0 1 13 0z` }));
    picture.append(one);
  }
  return picture;
}
