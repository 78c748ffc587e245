// @ts-check
// The form: what the user types, judged while they type.

import {dateOf, lines, numberOf, printedDigit, readZone} from "./mrz.js";
import {filled, words} from "./words.js";

/** @typedef {import("./mrz.js").Key} Key */

/** @param {string} id @returns {any} */
const element = (id) => document.getElementById(id);

const fields = /** @type {const} */ ([
  ["number", "documentNumber", numberOf, "wrongNumber"], ["birth", "dateOfBirth", dateOf, "wrongDate"],
  ["expiry", "dateOfExpiry", dateOf, "wrongDate"],
]);

export const isZone = () => new FormData(element("form")).get("form") === "zone";

/** @param {string} id @param {"" | "right" | "wrong"} state @param {string} text */
function note(id, state, text) {
  const paragraph = element(`${id}-note`);
  paragraph.className = `note ${state}`;
  if (paragraph.textContent !== text) { paragraph.textContent = text; }
  if (state === "wrong") { element(id).setAttribute("aria-invalid", "true"); } else { element(id).removeAttribute("aria-invalid"); }
}

/** @param {typeof fields[number]} field @param {boolean} isFinal whether the user has left the field */
function judge([id, name, parse, problem], isFinal) {
  const text = element(id).value.trim();
  const value = parse(text);
  if (text === "") { note(id, "", name === "documentNumber" ? "" : words().dateForm); } else if (value !== null) {
    note(id, "right", filled(words().digit, {digit: printedDigit(name, value)}));
  } else if (isFinal) { note(id, "wrong", words()[problem]); } else { note(id, "", name === "documentNumber" ? "" : words().dateForm); }
  return value;
}

/** @param {boolean} isFinal */
function judgeZone(isFinal) {
  const text = element("zone").value;
  const reading = readZone(text);
  const count = lines(text).join("").length;
  if (reading.state === "complete") { note("zone", "right", words().zoneComplete); } else if (reading.state === "wrong") {
    note("zone", "wrong", words().zoneWrong[reading.field]);
  } else { note("zone", isFinal && count > 0 ? "wrong" : "", filled(words().zoneIncomplete, {count})); }
  return reading;
}

/** Judges everything again, for example in another language. */
export function judgeAll() {
  for (const field of fields) { judge(field, false); }
  judgeZone(false);
}

/**
 * The key, or null after the fields that are wrong were marked and the first of them has the focus.
 * @returns {Key | null}
 */
export function key() {
  if (isZone()) {
    const reading = judgeZone(true);
    if (reading.state === "complete") { return reading.key; }
    if (element("zone").value.trim() === "") { note("zone", "wrong", words().missing); }
    element("zone").focus();
    return null;
  }
  /** @type {Record<string, string>} */
  const key = {};
  let first = null;
  for (const field of fields) {
    const value = judge(field, true);
    if (value === null) {
      first ??= element(field[0]);
      if (element(field[0]).value.trim() === "") { note(field[0], "wrong", words().missing); }
    } else { key[field[1]] = value; }
  }
  first?.focus();
  return first ? null : /** @type {any} */ (key);
}

/**
 * Fills in what the camera saw.
 * @param {Key} key
 */
export function fill(key) {
  element("number").value = key.documentNumber;
  element("birth").value = key.dateOfBirth;
  element("expiry").value = key.dateOfExpiry;
  choose("fields");
  judgeAll();
}

/** @param {"fields" | "zone"} form */
function choose(form) {
  element("form").elements.form.value = form;
  element("fields").hidden = form !== "fields";
  element("zone-field").hidden = form !== "zone";
}

/** Gives the focus to the first field. */
export function focus() { element(isZone() ? "zone" : fields[0][0]).focus(); }

/** Forgets what was typed. */
export function clear() {
  element("form").reset();
  choose("fields");
  judgeAll();
}

export function start() {
  for (const field of fields) {
    element(field[0]).addEventListener("input", () => judge(field, false));
    element(field[0]).addEventListener("change", () => judge(field, true));
  }
  element("zone").addEventListener("input", () => judgeZone(false));
  for (const radio of element("form").elements.form) {
    radio.addEventListener("change", () => choose(radio.value));
  }
  judgeAll();
}
