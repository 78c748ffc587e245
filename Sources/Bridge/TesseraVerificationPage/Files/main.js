// @ts-check
// The page: enter, read (or scan a seal), result. What was read is kept in `scan` and in the elements of the result, and
// nowhere else.

import {BridgeError, camera, isPresent, listen, request} from "./tessera.js";
import * as attendant from "./attendant.js";
import * as entry from "./entry.js";
import * as launching from "./launch.js";
import * as result from "./result.js";
import * as seal from "./seal.js";
import {changeLanguage, filled, kiosk, otherLanguage, resetLanguage, setLanguage, translate, words} from "./words.js";

/** @param {string} id @returns {any} */
const element = (id) => document.getElementById(id);

/** After this time without input, everything is forgotten. */
const idleTime = 120_000;

/** @type {any} the last answer to `nfc.scanReport`, or the report on a seal with `isSeal` */
let scan = null;
/** @type {import("./launch.js").Launch} */
let launch = {mode: "self-app"};
/** @type {Problem | null} what went wrong, kept for the other language */
let problem = null;
let idle = 0;
/** Counts what was forgotten: an answer that belongs to an earlier holder is not shown. */
let holder = 0;
/** The name of a key that does not exist. A second press makes it. */
let newKey = "";
let isCameraRunning = false;
/** Whether the user ended the scan of a seal, perhaps before it began. */
let isSealStopped = false;

/** @param {"enter" | "reading" | "sealing" | "result"} name */
function show(name) {
  for (const id of ["enter", "reading", "sealing", "result"]) { element(id).hidden = id !== name; }
  // The next guest of a kiosk types at once.
  if (kiosk && name === "enter") { entry.focus(); } else {
    element({enter: "enter-title", reading: "reading-title", sealing: "sealing-title", result: "verdict"}[name]).focus();
  }
  writeTitle();
  restartIdleTimer();
}

/** The title says what the page shows; screen readers and the list of windows name the page by it. */
function writeTitle() {
  document.title = !element("reading").hidden ? words().readingTitle : !element("sealing").hidden ? words().sealTitle
    : !element("result").hidden ? element("verdict").textContent : words().title;
}

/** @typedef {{code: string, message: string}} Problem */

/** @param {unknown} error @returns {Problem} */
const problemOf = (error) =>
  error instanceof BridgeError ? {code: error.code, message: error.message} : {code: "", message: String(error)};

/** @param {Problem} problem */
function sentence(problem) {
  const problems = /** @type {Record<string, string>} */ (words().problems);
  return filled(problems[problem.code] ?? problems.other, {message: problem.message});
}

/** @param {Problem | null} shown */
function notice(shown) {
  problem = shown;
  element("notice").hidden = !shown;
  element("notice").textContent = shown ? sentence(shown) : "";
}

// MARK: - Reading

/** The step of the list for each `stateIndex` of the bridge: both states of reading files are one step. */
const stepOfState = [0, 1, 2, 3, 3, 4, 5, 5];

const steps = () => words().steps.map((text) => {
  const item = document.createElement("li");
  item.textContent = text;
  return item;
});

/** @param {{stateIndex?: number, percent?: number, file?: string, bytesRead?: number, bytesTotal?: number}} step */
function progress(step) {
  const items = element("steps").children;
  const now = stepOfState[step.stateIndex ?? 0] ?? 0;
  for (let index = 0; index < items.length; index += 1) {
    items[index].className = index < now ? "past" : index === now ? "now" : "";
    if (index === now) { items[index].setAttribute("aria-current", "step"); } else { items[index].removeAttribute("aria-current"); }
  }
  element("progress").value = step.percent ?? 0;
  const spoken = words().steps[now];
  if (element("spoken").textContent !== spoken) { element("spoken").textContent = spoken; }
  element("bytes").textContent = step.file && step.bytesTotal
    ? filled(words().bytes, {file: step.file, read: step.bytesRead ?? 0, total: step.bytesTotal}) : "";
}

/** @param {SubmitEvent} event */
async function read(event) {
  event.preventDefault();
  const key = entry.key();
  if (!key) { return; }
  notice(null);
  element("steps").replaceChildren(...steps());
  element("bytes").textContent = "";
  progress({});
  show("reading");
  const stop = listen("nfc", "scanProgress", progress), reader = holder;
  try {
    const answer = await request("nfc", "scanReport", {
      passportNumber: key.documentNumber, dateOfBirth: key.dateOfBirth, dateOfExpiry: key.dateOfExpiry,
      sessionId: crypto.randomUUID(),
    }, {timeout: 120_000});
    if (reader === holder) { present(answer); }
  } catch (error) {
    if (reader === holder) { giveUp(error, "SCAN_ABORTED"); }
  } finally { stop(); }
}

/** @param {any} answer */
function present(answer) {
  scan = answer;
  showResult();
  show("result");
  feel(scan.outcome === "genuine" ? "success" : scan.outcome === "notGenuine" ? "error" : "warning");
}

const showResult = () => { if (scan.isSeal) { seal.show(scan.report); } else { result.show(scan); } };

/**
 * Returns to the form and says why.
 * @param {unknown} error
 * @param {string} stopped the code for an end that the user wanted
 */
function giveUp(error, stopped) {
  show("enter");
  if (error instanceof BridgeError && error.code === stopped) { return; }
  notice(problemOf(error));
  feel("error");
}

const stopReading = () => { request("nfc", "cancelScan").catch(() => {}); };

const stopCamera = () => { camera.stopCamera().catch(() => {}); };

function stopSeal() {
  isSealStopped = true;
  stopCamera();
}

/** Scans a seal, and shows the report on it. */
async function scanSeal() {
  notice(null);
  isSealStopped = false;
  seal.progress({state: "no_barcode"});
  show("sealing");
  const reader = holder;
  try {
    if (isCameraRunning) { await camera.stopCamera(); }
    if (reader !== holder) { return; }
    if (isSealStopped) { return show("enter"); }
    const {reportPage, ...report} = await camera.scanSeal({onProgress: seal.progress});
    if (reader === holder) { present({isSeal: true, outcome: report.outcome, verdict: report.headline, report, reportPage}); }
  } catch (error) {
    if (reader === holder) { giveUp(error, "SEAL_SCAN_CANCELLED"); }
  }
}

/** Fills the form with what the camera reads. A second press ends it. */
async function useCamera() {
  if (isCameraRunning) { return stopCamera(); }
  isCameraRunning = true;
  element("camera").textContent = words().cameraRunning;
  notice(null);
  const reader = holder;
  try {
    const seen = await request("camera", "scanMRZ", {}, {timeout: 120_000});
    if (reader !== holder) { return; }
    entry.fill(seen);
    restartIdleTimer();
  } catch (error) {
    if (reader === holder && !(error instanceof BridgeError && error.code === "MRZ_SCAN_CANCELLED")) { notice(problemOf(error)); }
  } finally {
    isCameraRunning = false;
    element("camera").textContent = words().camera;
  }
}

/** @param {string} type */
const feel = (type) => request("haptic", "trigger", {type}).catch(() => {});

// MARK: - The result

/** @param {BlobPart} content @param {string} type @param {string} name */
function saveFile(content, type, name) {
  const address = URL.createObjectURL(new Blob([content], {type}));
  const link = document.createElement("a");
  link.href = address;
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(address), 10_000);
}

/** @param {SubmitEvent} event */
async function sign(event) {
  event.preventDefault();
  const key = element("key").value.trim(), note = element("sign-note"), button = element("sign-button"), reader = holder;
  if (key === "" || button.disabled) { return; }
  button.disabled = true;
  try {
    if (newKey === key) { await request("crypto", "generateKey", {keyRef: key}); }
    newKey = "";
    const payload = base64(new TextEncoder().encode(JSON.stringify(scan.report ?? scan)));
    const {publicKey} = await request("crypto", "getPublicKey", {keyRef: key});
    const {signature} = await request("crypto", "sign", {keyRef: key, data: payload});
    if (reader !== holder) { return; }
    saveFile(
      JSON.stringify({payload, signature, publicKey, algorithm: "SHA256withECDSA"}, null, 2), "application/json",
      "tessera-signed-result.json");
    note.textContent = filled(words().signed, {key});
  } catch (error) {
    if (reader !== holder) { return; }
    if (error instanceof BridgeError && error.code === "KEY_NOT_FOUND") {
      newKey = key;
      note.textContent = filled(words().newKey, {key});
    } else { note.textContent = sentence(problemOf(error)); }
  } finally { button.disabled = false; }
}

/** @param {Uint8Array} bytes */
function base64(bytes) {
  let text = "";
  for (const byte of bytes) { text += String.fromCharCode(byte); }
  return btoa(text);
}

function forget() {
  holder += 1;
  scan = null;
  newKey = "";
  if (isCameraRunning || !element("sealing").hidden) { stopCamera(); }
  entry.clear();
  result.clear();
  notice(null);
  element("sign").reset();
  element("sign").hidden = true;
  element("sign-open").setAttribute("aria-expanded", "false");
  element("sign-note").textContent = "";
  if (kiosk && resetLanguage()) { writeWords(); }
}

/** Ends the launch with the result, or begins again. */
async function done() {
  const finished = scan;
  forget();
  show("enter");
  if (launch.mode !== "embed") { return; }
  const asked = {
    userId: launch.verificationRequest?.userId, verificationId: launch.verificationRequest?.verificationId,
  };
  if (finished?.outcome === "genuine" && isOfDocument(finished)) {
    await launching.finish({success: true, ...asked, claims: claims(finished)});
  } else {
    const code = finished?.outcome === "notGenuine" ? "NOT_GENUINE" : "NOT_ESTABLISHED";
    await launching.finish({success: false, ...asked, error: {code, message: finished?.verdict ?? ""}});
  }
}

/**
 * Whether the result is one on a document: of a seal that was compared with none, anyone can show a copy.
 * @param {any} scan
 */
const isOfDocument = (scan) => !scan.isSeal || ["equalsZone", "namesPassport"].includes(scan.report.comparison);

/** What may be disclosed. */
const claimNames = ["documentType", "issuingState", "documentNumber", "surname", "givenNames", "nationality", "dateOfBirth",
  "dateOfExpiry", "gender", "sex"];

/** What whoever asked receives: what they named, or everything. */
function disclosed() {
  const wanted = launch.verificationRequest?.disclosures ?? [];
  return wanted.length ? claimNames.filter((name) => wanted.includes(name)) : claimNames;
}

/** Tells the developer who asked for what cannot be disclosed: it is left out of the result. */
function reportUnknownNames() {
  const unknown = (launch.verificationRequest?.disclosures ?? []).map(String).filter((name) => !claimNames.includes(name));
  if (unknown.length === 0) { return; }
  const some = unknown.slice(0, 10).map((name) => JSON.stringify(name.slice(0, 64))).join(", ");
  console.warn(`Tessera: nothing is disclosed for ${some}. Use names of these: ${claimNames.join(", ")}.`);
}

/** @param {any} scan */
const claims = (scan) => scan.isSeal ? seal.claims(scan.report) : Object.fromEntries(
  [["outcome", scan.outcome], ...disclosed().filter((name) => Object.hasOwn(scan, name)).map((name) => [name, scan[name]])]);

/** Ends everything at the wish of whoever asked. */
function cancelled() {
  if (!element("reading").hidden) { stopReading(); }
  forget();
  show("enter");
  launching.dismiss("user_cancel");
}

// MARK: - Start

function restartIdleTimer() {
  clearTimeout(idle);
  idle = setTimeout(() => {
    if (!element("reading").hidden || !element("sealing").hidden) { return restartIdleTimer(); }
    forget();
    show("enter");
  }, idleTime);
}

function writeWords() {
  const other = otherLanguage();
  element("language").textContent = other.name;
  element("language").lang = other.tag;
  const name = launch.verificationRequest?.scope, host = launching.openerHost;
  element("asker").hidden = !name && !host;
  element("asker").textContent = (name ? filled(words().asker, {name}) + " " : "")
    + (host ? filled(words().receives, {host, names: disclosed().join(", ")}) : "");
  if (!element("reading").hidden) {
    words().steps.forEach((text, index) => { element("steps").children[index].textContent = text; });
  }
  if (isCameraRunning) { element("camera").textContent = words().cameraRunning; }
  entry.judgeAll();
  attendant.rewrite();
  seal.rewrite();
  if (scan) { showResult(); }
  if (problem) { notice(problem); }
  writeTitle();
}

/**
 * Follows the size of the desktop's texts and its language.
 * @param {{locale?: string, textScale?: number}} system
 */
function follow(system) {
  const scale = Math.min(3, Math.max(0.5, system.textScale ?? 1));
  document.documentElement.style.fontSize = scale === 1 ? "" : `${17 * scale}px`;
  if (system.locale && setLanguage(system.locale)) { writeWords(); }
}

function connectElements() {
  element("form").addEventListener("submit", read);
  element("sign").addEventListener("submit", sign);
  element("camera").addEventListener("click", useCamera);
  element("stop").addEventListener("click", stopReading);
  element("seal").addEventListener("click", scanSeal);
  element("seal-stop").addEventListener("click", stopSeal);
  element("leave").addEventListener("click", () => launching.dismiss("user_cancel"));
  element("done").addEventListener("click", done);
  element("save").addEventListener("click", () =>
    saveFile(scan.reportPage ?? JSON.stringify(scan.report, null, 2), scan.reportPage ? "text/html" : "application/json",
      scan.reportPage ? "tessera-report.html" : "tessera-report.json"));
  element("sign-open").addEventListener("click", () => {
    element("sign").hidden = !element("sign").hidden;
    element("sign-open").setAttribute("aria-expanded", String(!element("sign").hidden));
    if (!element("sign").hidden) { element("key").focus(); }
  });
  element("language").addEventListener("click", () => {
    changeLanguage();
    writeWords();
  });
  for (const event of ["keydown", "pointerdown", "pointermove", "input"]) {
    addEventListener(event, restartIdleTimer, {passive: true});
  }
  addEventListener("pagehide", forget);
}

/** Paints the page, which has its words now. What was hidden has no focus. */
function reveal() {
  delete document.documentElement.dataset.begins;
  if (kiosk) { entry.focus(); }
}

async function start() {
  translate();
  entry.start();
  connectElements();
  writeWords();
  restartIdleTimer();
  reveal();
  if (!isPresent()) { return notice({code: "NO_TRANSPORT", message: ""}); }
  listen("lifecycle", "system", follow);
  if (kiosk) { attendant.start(); }
  launching.onCancel(cancelled);
  launch = await launching.configuration();
  reportUnknownNames();
  element("leave").hidden = launch.mode !== "embed";
  element("camera").hidden = !launch.capabilities?.mrzCamera;
  // Whoever asked for a verification expects the data of a chip, which a seal is no proof of.
  for (const id of ["seal", "seal-about"]) {
    element(id).hidden = !launch.capabilities?.mrzCamera || Boolean(launch.verificationRequest) || kiosk?.seals === false;
  }
  // A kiosk keeps no files.
  for (const id of ["save", "sign-open"]) { element(id).hidden = launch.capabilities?.saveFiles === false; }
  writeWords();
  launching.ready(launch);
  // A kiosk says what its reader has all the time.
  if (!kiosk && !await request("nfc", "isSupported").catch(() => false)) { notice({code: "NFC_NOT_SUPPORTED", message: ""}); }
}

start();
