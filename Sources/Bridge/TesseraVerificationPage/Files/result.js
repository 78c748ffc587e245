// @ts-check
// The result of a read: the verdict, the data page and the checks.

import {fullDate} from "./mrz.js";
import {filled, kiosk, language, words} from "./words.js";

/** @param {string} id @returns {any} */
const element = (id) => document.getElementById(id);

/** @param {string} name @param {string} [text] @param {string} [type] of the class */
function made(name, text, type) {
  const node = document.createElement(name);
  if (text !== undefined) { node.textContent = text; }
  if (type) { node.className = type; }
  return node;
}

/** @param {any} scan the answer to `nfc.scanReport` */
export function show(scan) {
  showOutcome(scan.outcome, reason(scan));
  element("comparison").textContent = "";
  // In English, from the service: with everything that is missing or was not checked.
  element("headline").textContent = scan.verdict ?? "";
  element("portrait-part").hidden = !isWanted("portrait");
  element("data").classList.remove("seal");
  element("signer-part").hidden = true;
  showPortrait(scan.portrait);
  showData(scan);
  showChecks(scan.report?.checks ?? [], [...(scan.report?.findings ?? scan.findings ?? [])]);
}

/** @param {string | undefined} outcome @param {string} why */
export function showOutcome(outcome, why) {
  const kind = outcome === "genuine" ? ["good", "✓", words().genuine]
    : outcome === "notGenuine" ? ["bad", "✗", words().notGenuine] : ["open", "?", words().notEstablished];
  element("banner").className = `verdict ${kind[0]}`;
  element("mark").textContent = kind[1];
  element("verdict").textContent = kind[2];
  element("reason").textContent = why;
}

/** @param {any} scan */
function reason(scan) {
  const reasons = /** @type {Record<string, string>} */ (words().reasons);
  if (scan.outcome === "genuine") {
    return filled(words().genuineBy, {authority: scan.report?.authority ?? scan.issuingState ?? ""});
  }
  return reasons[scan.report?.outcomeReason] ?? "";
}

/** @param {string | null | undefined} portrait an address with the data of the picture */
function showPortrait(portrait) {
  const image = element("portrait");
  image.hidden = !portrait;
  element("no-portrait").hidden = Boolean(portrait);
  if (portrait) {
    image.src = portrait;
    image.alt = words().portraitOf;
  } else { image.removeAttribute("src"); }
}

/**
 * Whether the theme of a kiosk, if there is one, wants this field.
 * @param {string} name
 */
const isWanted = (name) => !kiosk?.fields || kiosk.fields.includes(name);

/** @param {any} scan */
function showData(scan) {
  const names = /** @type {Record<string, string>} */ (words().data);
  const details = scan.report?.content?.personalDetails;
  const zoneName = [scan.surname, scan.givenNames].filter(Boolean).join(", ");
  const rows = [
    // The name in the holder's own script, if DG11 has it, and as in the zone.
    ["name", nameText(details?.fullName) ?? zoneName, "wide"],
    ["zoneName", details?.fullName ? zoneName : "", "wide"],
    ["number", scan.documentNumber], ["type", scan.documentType],
    ["state", scan.issuingState], ["nationality", scan.nationality],
    ["birth", dateText(details?.dateOfBirth) ?? dateText(fullDate(scan.dateOfBirth, "birth"))],
    ["expiry", dateText(fullDate(scan.dateOfExpiry, "expiry"))],
    ["sex", scan.sex === "<" ? "X" : scan.sex], ["personal", scan.personalNumber],
    ["birthPlace", details?.placeOfBirth?.split("<").join(", ")],
  ];
  showRows("data", rows.filter(([name]) => isWanted(name)).map(([name, ...rest]) => [names[name], ...rest]));
}

/**
 * Rows of a name, a text and a class. One without a text is left out.
 * @param {string} id @param {any[][]} rows
 */
export function showRows(id, rows) {
  const list = element(id);
  list.replaceChildren();
  for (const [label, value, type] of rows) {
    if (!value) { continue; }
    const row = made("div", undefined, type);
    const data = made("dd");
    // Names are in any script, and may be written from right to left.
    const text = made("bdi", value);
    data.append(text);
    row.append(made("dt", label), data);
    list.append(row);
  }
}

/**
 * A name of DG11: `<<` between the identifiers, `<` between words.
 * @param {string | undefined} text
 */
function nameText(text) {
  return text?.split("<<").map((part) => part.split("<").filter(Boolean).join(" ")).filter(Boolean).join(", ");
}

/** @param {string | undefined} text an ISO date; anything else stays as it is */
export function dateText(text) {
  const date = /^(\d{4})-(\d{2})-(\d{2})$/.exec(text ?? "");
  if (!date) { return text; }
  return new Intl.DateTimeFormat(language === "en" ? "en-GB" : language === "de" ? "de-DE" : language, {dateStyle: "long", timeZone: "UTC"})
    .format(Date.UTC(Number(date[1]), Number(date[2]) - 1, Number(date[3])));
}

/**
 * Failures come first.
 * @param {{id: string, status: string, detail: string}[]} checks
 * @param {{id: string, detail: string}[]} findings
 */
export function showChecks(checks, findings) {
  const order = ["failed", "passed", "unsupported", "skipped"];
  const names = /** @type {Record<string, string>} */ (words().checkNames);
  const states = /** @type {Record<string, string>} */ (words().status);
  const all = [
    ...findings.map((one) => ({state: words().found, status: "failed", name: "", detail: one.detail})),
    ...checks.map((one) => ({
      state: states[one.status] ?? one.status, status: one.status, name: names[one.id] ?? one.id, detail: one.detail,
    })),
  ].sort((left, right) => order.indexOf(left.status) - order.indexOf(right.status));
  element("checks").replaceChildren(...all.map((check) => {
    const item = made("li", undefined, check.status);
    const text = made("div", check.name);
    const detail = made("span", check.detail);
    // The reasons come from the service, in English.
    detail.lang = "en";
    text.append(detail);
    item.append(made("b", check.state), text);
    return item;
  }));
}

/** Forgets what was shown. */
export function clear() {
  element("portrait").removeAttribute("src");
  for (const id of ["verdict", "reason", "comparison", "headline", "mark"]) { element(id).textContent = ""; }
  for (const id of ["data", "checks", "signer"]) { element(id).replaceChildren(); }
}
