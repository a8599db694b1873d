/** Lists of people for invitations: a CSV in, the same with a link for each row out. */

import { say } from "./languages.js";
import { csvField } from "./table.js";

/** The column of links, and that of their codes. */
export const LINK = "link";
export const CODE = "qr";

/** The most invitations that are made at once. */
export const MOST = 10_000;

/**
 * The rows of a CSV text, by commas, semicolons or tabs, whichever its first line has; quotes as RFC 4180 says.
 * @param {string} text
 * @returns {{names: string[], rows: string[][]}}
 */
export function listOf(text) {
  const plain = text.replace(/^\ufeff/, "");
  const [first] = plain.split(/\r?\n/, 1);
  const sign = [",", ";", "\t"].reduce((best, one) => (first.split(one).length > first.split(best).length ? one : best));
  const all = records(plain, sign).filter((row) => row.some((entry) => entry.trim()));
  if (!all.length) throw new Error(say("listEmpty"));
  const isHeadless = all[0].length === 1 && /@|^[0-9]+$/.test(all[0][0]);
  const names = isHeadless ? [all[0][0].includes("@") ? "address" : "id"] : all[0].map((name) => name.trim());
  const rows = isHeadless ? all : all.slice(1);
  if (names.some((name) => !name) || new Set(names).size !== names.length) throw new Error(say("listUnnamed"));
  const short = rows.findIndex((row) => row.length !== names.length);
  if (short >= 0) throw new Error(say("listShort", { row: short + 1, n: rows[short].length, columns: names.length }));
  if (!rows.length) throw new Error(say("listNobody"));
  const seen = new Map();
  rows.forEach((row, i) => {
    const mark = JSON.stringify(row);
    if (seen.has(mark)) throw new Error(say("listTwice", { row: i + 1, other: seen.get(mark) + 1 }));
    seen.set(mark, i);
  });
  return { names, rows };
}

/** @param {string} text @param {string} sign */
function records(text, sign) {
  const rows = [];
  let row = [];
  let entry = "";
  let quoted = false;
  for (let i = 0; i < text.length; i++) {
    const one = text[i];
    if (quoted) {
      if (one !== '"') entry += one;
      else if (text[i + 1] === '"') entry += text[++i];
      else quoted = false;
    } else if (one === '"' && entry === "") quoted = true;
    else if (one === sign) {
      row.push(entry);
      entry = "";
    } else if (one === "\n" || one === "\r") {
      if (one === "\r" && text[i + 1] === "\n") i++;
      rows.push([...row, entry]);
      [row, entry] = [[], ""];
    } else entry += one;
  }
  if (quoted) throw new Error(say("listQuote"));
  if (entry || row.length) rows.push([...row, entry]);
  return rows;
}

/** A CSV for mail merge. @param {string[]} names @param {string[][]} rows */
export const csvOf = (names, rows) => [names, ...rows].map((row) => `${row.map(csvField).join(",")}\r\n`).join("");

/** The same numbers in an order that nobody can know. @param {any[]} all */
export function shuffled(all) {
  const mixed = [...all];
  const word = new Uint32Array(1);
  for (let i = mixed.length - 1; i > 0; i--) {
    const most = 2 ** 32 - (2 ** 32 % (i + 1));
    do crypto.getRandomValues(word);
    while (word[0] >= most);
    const j = word[0] % (i + 1);
    [mixed[i], mixed[j]] = [mixed[j], mixed[i]];
  }
  return mixed;
}

/**
 * The links of a list that was made before; an error, in words, if one does not lead to the collection.
 * @param {{names: string[], rows: string[][]}} list @param {string} id
 */
export function checkLinks({ names, rows }, id) {
  const column = names.indexOf(LINK);
  if (column < 0) throw new Error(say("listUnlinked", { column: LINK }));
  const seen = new Set();
  rows.forEach((row, i) => {
    const [address, invitation] = row[column].split("#invitation=");
    if (!address.endsWith(`/answer/${id}`) || !invitation) throw new Error(say("linkForeign", { row: i + 1 }));
    if (seen.has(invitation)) throw new Error(say("linkTwice", { row: i + 1 }));
    seen.add(invitation);
  });
}
