// @ts-check
// The scan of a seal, and the report on it in the elements of a result. All of its texts come from a barcode: they are
// written as text, and name neither elements nor classes.

import {dateText, showChecks, showOutcome, showRows} from "./result.js";
import {filled, words} from "./words.js";

/** @typedef {import("./tessera.js").SealReport} SealReport */

/** @param {string} id @returns {any} */
const element = (id) => document.getElementById(id);

/** @param {Record<string, string>} texts @param {unknown} name from a report, which may be the name of a function */
const textOf = (texts, name) => Object.hasOwn(texts, String(name)) ? texts[String(name)] : "";

/** More than any document has. The saved report has all of them. */
const mostFields = 60;

let state = "";

/** @param {{state: string}} seen what a picture of the camera shows */
export function progress(seen) {
  state = seen.state;
  const text = textOf(words().sealStates, state);
  if (element("seal-state").textContent !== text) { element("seal-state").textContent = text; }
}

/** Writes the state in another language. */
export const rewrite = () => progress({state});

/** @param {SealReport} report */
export function show(report) {
  const reasons = {...words().reasons, ...words().sealReasons};
  showOutcome(report.outcome, report.outcome === "genuine"
    ? filled(words().genuineBy, {authority: report.authority ?? report.chain?.at(-1)?.country ?? report.issuer})
    : textOf(reasons, report.outcomeReason));
  element("comparison").textContent = textOf(words().comparisons, report.comparison);
  // In English, from the service, as the reasons of the checks.
  element("headline").textContent = [report.headline, report.meaning].filter(Boolean).join(" ");
  element("portrait-part").hidden = true;
  element("data").classList.add("seal");
  const fields = report.fields ?? [];
  const more = element("save").hidden ? words().moreFieldsNotShown : words().moreFields;
  const about = Object.entries(report.header ?? {}).filter(([, value]) => value)
    .map(([name, value]) => [textOf(words().fieldNames, name) || name, date(value)]);
  showRows("data", [
    [words().data.type, report.document, "wide"], [words().data.state, report.issuer],
    ...fields.slice(0, mostFields).map(row), ...about,
    fields.length > mostFields ? ["…", filled(more, {count: fields.length - mostFields})] : [],
  ]);
  showChecks(report.checks ?? [], report.findings ?? []);
  showSigner(report.signer);
}

/**
 * What a program receives that asked for nothing in particular: all that the country signed.
 * @param {SealReport} report
 */
export const claims = ({outcome, kind, document, issuer, comparison, fields}) =>
  ({outcome, seal: kind, document, issuer, comparison, fields});

/** @param {SealReport["fields"][number]} field */
function row(field) {
  const value = field.value ? date(field.value) : field.hex ?? "";
  const name = field.name === "unknown" ? filled(words().element, {tag: field.tag})
    : textOf(words().fieldNames, field.name) || field.label || field.name;
  return [name, value, field.name === "mrz" ? "wide zone" : value.length > 30 ? "wide" : undefined];
}

/** @param {string} value */
const date = (value) => dateText(String(value)) ?? "";

/** @param {SealReport["signer"]} signer */
function showSigner(signer) {
  element("signer-part").hidden = !signer;
  const names = words().signerData;
  /** @param {string | undefined} time */
  const day = (time) => dateText(time?.slice(0, 10)) ?? "";
  showRows("signer", signer ? [
    [names.subject, signer.subject, "wide"], [names.issuer, signer.issuer, "wide"],
    [names.serialNumber, signer.serialNumber], [names.validity, `${day(signer.notBefore)} – ${day(signer.notAfter)}`],
    [names.sha256, signer.sha256, "wide"],
  ] : []);
}
