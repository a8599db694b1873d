/** Where values are, if they are places: points of a metric, map references such as "Aldermoor B3", or H3 cells. */

/** @typedef {{x: number, y: number, name: string, share: number}} Place */

const REFERENCE = /^(.*?)[\s,:]*\b([A-Z])([1-9][0-9]?)$/;
const H3 = /^8[0-9a-f]{14}$/;

/**
 * The places of all values, or null where they are none.
 * @param {any} context the context of the published law
 * @param {any[]} values
 * @param {number[]} shares
 * @param {(value: any) => string} word
 * @returns {Promise<{places: Place[], hexagons: boolean, groups: {x: number, y: number, name: string}[]} | null>}
 */
export async function placed(context, values, shares, word) {
  const of = (/** @type {any} */ value, /** @type {number} */ i, /** @type {number} */ x, /** @type {number} */ y) => ({ x, y, name: word(value), share: shares[i] });
  const points = context?.points;
  if (Array.isArray(points) && points.length === values.length && points.every((point) => Array.isArray(point) && point.length === 2)) {
    const whole = points.every((point) => point.every((at) => Number.isInteger(Number(at))));
    return { places: values.map((value, i) => of(value, i, Number(points[i][0]), Number(points[i][1]))), hexagons: !whole, groups: [] };
  }
  const texts = values.map(String);
  if (texts.every((text) => H3.test(text))) {
    const { cellToLatLng } = await import("./made/h3.js");
    const centres = texts.map((text) => cellToLatLng(text));
    const middle = Math.cos((centres[0][0] * Math.PI) / 180);
    return { places: values.map((value, i) => of(value, i, centres[i][1] * middle, centres[i][0])), hexagons: true, groups: [] };
  }
  const references = texts.map((text) => REFERENCE.exec(text));
  if (values.length < 4 || references.some((reference) => !reference)) return null;
  return beside(values, /** @type {RegExpExecArray[]} */ (references), of);
}

/** Map references, the areas of one name in a sheet each, sheets side by side. @param {any[]} values @param {RegExpExecArray[]} references @param {Function} of */
function beside(values, references, of) {
  const sheets = [...new Set(references.map(([, sheet]) => sheet))];
  const size = sheets.map((sheet) => {
    const own = references.filter(([, name]) => name === sheet);
    return [Math.max(...own.map(([, , column]) => column.charCodeAt(0) - 64)), Math.max(...own.map(([, , , row]) => Number(row)))];
  });
  const across = Math.ceil(Math.sqrt(sheets.length));
  const [width, height] = [Math.max(...size.map(([w]) => w)) + 1, Math.max(...size.map(([, h]) => h)) + 2];
  const corner = (/** @type {number} */ sheet) => [(sheet % across) * width, -Math.floor(sheet / across) * height];
  const places = values.map((value, i) => {
    const [, sheet, column, row] = references[i];
    const [left, top] = corner(sheets.indexOf(sheet));
    return of(value, i, left + column.charCodeAt(0) - 65, top - Number(row));
  });
  const groups = sheets.map((name, sheet) => ({ name, x: corner(sheet)[0] + Math.floor((size[sheet][0] - 1) / 2), y: corner(sheet)[1] }));
  return { places, hexagons: false, groups: sheets.length > 1 ? groups : [] };
}
