/** A table of many rows: sorted by any column, searched, and a page at a time, so that it never takes long. */

import { el, show } from "./dom.js";
import { say } from "./languages.js";
import { language } from "./page.js";

const PAGE = 20;

/**
 * @typedef {{key: string, title: string, number?: boolean, text: (row: any) => string}} Column
 * @param {Column[]} columns
 * @param {any[]} rows
 * @param {{caption: string, sort?: string, down?: boolean, changed?: (rows: any[]) => void}} about
 */
export function table(columns, rows, { caption, sort = columns[0].key, down = false, changed = () => {} }) {
  let state = { sort, down, sought: "", page: 0 };
  const head = el("tr", {});
  const body = el("tbody", {});
  const foot = el("div", { class: "row" });
  const sortedRows = () => {
    const { sought } = state;
    const fitting = sought ? rows.filter((row) => columns[0].text(row).toLowerCase().includes(sought)) : [...rows];
    const sign = state.down ? -1 : 1;
    const of = (/** @type {any} */ row) => row[state.sort];
    return fitting.sort((a, b) => {
      const [x, y] = [of(a), of(b)];
      if (x === null || x === undefined) return 1;
      if (y === null || y === undefined) return -1;
      return sign * (typeof x === "number" ? x - y : String(x).localeCompare(String(y), language(), { numeric: true }));
    });
  };
  const draw = () => {
    const all = sortedRows();
    const pages = Math.max(1, Math.ceil(all.length / PAGE));
    state.page = Math.min(state.page, pages - 1);
    show(
      head,
      ...columns.map(({ key, title, number }) =>
        el(
          "th",
          { class: number ? "number" : null, scope: "col", "aria-sort": state.sort === key ? (state.down ? "descending" : "ascending") : "none" },
          el("button", { class: "sort", type: "button", onclick: () => turn(key) }, title, state.sort === key ? (state.down ? " ↓" : " ↑") : ""),
        ),
      ),
    );
    show(
      body,
      ...all.slice(state.page * PAGE, (state.page + 1) * PAGE).map((row) =>
        el("tr", {}, columns.map(({ text, number }, i) => el(i === 0 ? "th" : "td", { class: number ? "number" : null, scope: i === 0 ? "row" : null }, text(row)))),
      ),
    );
    show(
      foot,
      el("span", { class: "soft small" }, say("rows", { shown: all.length, n: rows.length })),
      pages > 1 && el("button", { class: "plain", type: "button", disabled: state.page === 0, onclick: () => go(-1) }, say("previous")),
      pages > 1 && el("span", { class: "small" }, say("pageOf", { page: state.page + 1, pages })),
      pages > 1 && el("button", { class: "plain", type: "button", disabled: state.page === pages - 1, onclick: () => go(1) }, say("next")),
    );
    changed(all);
  };
  const go = (/** @type {number} */ step) => {
    state.page += step;
    draw();
  };
  const turn = (/** @type {string} */ key) => {
    state = { ...state, down: state.sort === key ? !state.down : Boolean(columns.find((column) => column.key === key)?.number), sort: key, page: 0 };
    draw();
  };
  const search =
    rows.length > 12 &&
    el(
      "label",
      { class: "field" },
      el("span", {}, say("searchRows")),
      el("input", {
        type: "search",
        oninput: (/** @type {any} */ event) => {
          state = { ...state, sought: event.target.value.toLowerCase(), page: 0 };
          draw();
        },
      }),
    );
  draw();
  return el(
    "div",
    {},
    search,
    el("div", { class: "scroll", tabindex: "0", role: "region", "aria-label": caption }, el("table", {}, el("caption", { class: "soft small" }, caption), el("thead", {}, head), body)),
    foot,
  );
}

/**
 * An entry of a CSV file. Text that a spreadsheet would take for a formula gets an apostrophe before it; numbers, and
 * text that is one, stay as they are.
 * @param {string | number | null | undefined} entry
 */
export function csvField(entry) {
  const text = String(entry ?? "");
  const plain = typeof entry === "string" && /^[=+\-@\t\r]/.test(text) && !/^[+-]?[0-9]+(\.[0-9]+)?$/.test(text) ? `'${text}` : text;
  return /[",\r\n]/.test(plain) ? `"${plain.replaceAll('"', '""')}"` : plain;
}
