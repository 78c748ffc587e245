// @ts-check
// The result of a read: the verdict, the data page and the checks.

import {language, words} from "./words.js";

/** @param {string} id @returns {any} */
const element = (id) => document.getElementById(id);

/** @param {string} name @param {string} [text] @param {string} [type] of the class */
function made(name, text, type) {
  const node = document.createElement(name);
  if (text !== undefined) { node.textContent = text; }
  if (type) { node.className = type; }
  return node;
}

/** @param {any} scan the answer to `nfc.scan` with `report` */
export function show(scan) {
  const outcome = scan.outcome ?? "notEstablished";
  const kind = /** @type {Record<string, [string, string, string]>} */ ({
    genuine: ["good", "✓", words().genuine], notGenuine: ["bad", "✗", words().notGenuine],
    notEstablished: ["open", "?", words().notEstablished],
  })[outcome] ?? ["open", "?", words().notEstablished];
  element("banner").className = `verdict ${kind[0]}`;
  element("mark").textContent = kind[1];
  element("verdict").textContent = kind[2];
  element("reason").textContent = scan.verdict ?? "";
  showPortrait(scan.portrait);
  showData(scan);
  showChecks(scan.report?.checks ?? [], [...(scan.report?.findings ?? scan.findings ?? [])]);
}

/** @param {{mediaType: string, data: string} | undefined} portrait */
function showPortrait(portrait) {
  const image = element("portrait");
  image.hidden = !portrait;
  element("no-portrait").hidden = Boolean(portrait);
  if (portrait) {
    image.src = `data:${portrait.mediaType};base64,${portrait.data}`;
    image.alt = words().portraitOf;
  } else { image.removeAttribute("src"); }
}

/** @param {any} scan */
function showData(scan) {
  const list = element("data");
  list.replaceChildren();
  const names = words().data;
  const document = scan.report?.document ?? {};
  const name = document.fullName ?? [scan.surname, scan.givenNames].filter(Boolean).join(", ");
  const rows = [
    [names.name, name, "wide"], [names.number, scan.documentNumber], [names.type, scan.documentType],
    [names.state, scan.issuingState], [names.nationality, scan.nationality],
    [names.birth, dateText(document.dateOfBirth ?? scan.dateOfBirth)],
    [names.expiry, dateText(document.dateOfExpiry ?? scan.dateOfExpiry)],
    [names.sex, scan.gender?.slice(0, 1)], [names.personal, scan.personalNumber],
  ];
  for (const [label, value, type] of rows) {
    if (!value) { continue; }
    const row = made("div", undefined, type);
    const data = made("dd", value);
    // Names are in any script.
    data.dir = "auto";
    row.append(made("dt", label), data);
    list.append(row);
  }
}

/** @param {string | undefined} text an ISO date, or YYMMDD as in the zone */
function dateText(text) {
  const date = /^(\d{4})-(\d{2})-(\d{2})$/.exec(text ?? "");
  if (!date) { return text; }
  return new Intl.DateTimeFormat(language === "de" ? "de-DE" : "en-GB", {dateStyle: "long", timeZone: "UTC"})
    .format(Date.UTC(Number(date[1]), Number(date[2]) - 1, Number(date[3])));
}

/**
 * Failures come first.
 * @param {{id: string, status: string, detail: string}[]} checks
 * @param {{id: string, detail: string}[]} findings
 */
function showChecks(checks, findings) {
  const order = ["failed", "passed", "unsupported", "skipped"];
  const all = [...findings.map((one) => ({...one, status: "failed"})), ...checks]
    .sort((left, right) => order.indexOf(left.status) - order.indexOf(right.status));
  element("checks").replaceChildren(...all.map((check) => {
    const item = made("li", undefined, check.status);
    const states = /** @type {Record<string, string>} */ (words().status);
    const text = made("div", check.id);
    text.append(made("span", check.detail));
    item.append(made("b", states[check.status] ?? check.status), text);
    return item;
  }));
}

/** Forgets what was shown. */
export function clear() {
  element("portrait").removeAttribute("src");
  for (const id of ["verdict", "reason", "mark"]) { element(id).textContent = ""; }
  for (const id of ["data", "checks"]) { element(id).replaceChildren(); }
}
