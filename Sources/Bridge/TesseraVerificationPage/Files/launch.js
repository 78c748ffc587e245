// @ts-check
// The launch: who asked for this verification, and where its result goes. That is the program that opened the window,
// by the bridge; or a page of another origin that opened this page in a browser, by messages between windows; or nobody.

import {listen, request} from "./tessera.js";

/**
 * @typedef {object} Launch
 * @property {"embed" | "self-app"} mode
 * @property {{scope?: string, userId?: string, verificationId?: string, disclosures?: string[]} | null} [verificationRequest]
 * @property {{saveFiles?: boolean, mrzCamera?: boolean}} [capabilities]
 */

/** @typedef {{success: boolean, userId?: string, verificationId?: string, claims?: object, error?: {code: string, message: string}}} Result */

const query = new URLSearchParams(location.search);

/** The origin of the page that opened this one. The service checked that it has a grant. */
const openerOrigin = query.getAll("targetOrigin").length === 1 ? query.get("targetOrigin") : null;

/** @type {Window | null} */
const opener = openerOrigin ? window.opener : null;

/** The host of that page, for the user; empty if no page waits for the result. */
export const openerHost = opener && openerOrigin ? openerOrigin.replace(/^https?:\/\//, "") : "";

/**
 * The browser delivers it to a page of that origin only.
 * @param {string} type
 * @param {object} payload
 */
function post(type, payload) {
  if (opener && openerOrigin) { opener.postMessage({type, version: 1, payload}, openerOrigin); }
}

/** @param {string} name */
const text = (name) => query.get(name) || undefined;

/** @returns {Launch} */
function launchOfOpener() {
  return {
    mode: "embed",
    verificationRequest: {
      scope: text("scope"), userId: text("userId"), verificationId: text("verificationId"),
      disclosures: (query.get("disclosures") ?? "").split(",").map((name) => name.trim()).filter(Boolean),
    },
  };
}

/**
 * The configuration of the launch.
 * @returns {Promise<Launch>}
 */
export async function configuration() {
  /** @type {Launch} */
  const configured = await request("lifecycle", "getConfig", {}, {timeout: 10_000}).catch(() => ({mode: "self-app"}));
  return opener ? {...configured, ...launchOfOpener()} : configured;
}

/**
 * Says that the page is ready.
 * @param {Launch} launch
 */
export function ready(launch) {
  const payload = {verificationId: launch.verificationRequest?.verificationId};
  if (opener) { post("self:ready", payload); } else { request("lifecycle", "ready", payload).catch(() => {}); }
}

/**
 * Hands over the result, and closes the page.
 * @param {Result} result
 */
export async function finish(result) {
  if (opener) { post("self:result", result); } else { await request("lifecycle", "setResult", result).catch(() => {}); }
  dismiss("back");
}

/**
 * Closes the page without a result.
 * @param {"back" | "user_cancel"} reason
 */
export function dismiss(reason) {
  if (opener) {
    post("self:dismiss", {reason});
    window.close();
  } else { request("lifecycle", "dismiss", {reason}).catch(() => {}); }
}

/**
 * Calls `listener` when whoever asked wants the result no more.
 * @param {() => void} listener
 */
export function onCancel(listener) {
  listen("lifecycle", "cancel", listener);
  addEventListener("message", (event) => {
    if (opener && event.source === opener && event.origin === openerOrigin && event.data?.type === "self:cancel") {
      listener();
    }
  });
}
