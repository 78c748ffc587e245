"use strict";
// A page that asks what the published page of the mobile SDK of August 2026 asks at its start, in its order. It is a test
// double in our own words, after what is known of the page's files (operating mode, capabilities, decision at the start,
// verification request, bridge), and asks some more.
// POST /report: {calls: [[name, answer]], config, mode, decision, address}. An answer is the data of a response,
// "error CODE", or "silent" if no response came in time. With ?end=success or ?end=cancel a page that may begin ends the
// launch.

class AugustClient {
  static domains = ["nfc", "biometrics", "secureStorage", "camera", "crypto", "haptic", "analytics", "lifecycle", "documents",
    "navigation", "custody"];

  constructor() {
    this.pending = new Map();
    this.listeners = new Map();
    // While the page renders, and never again.
    this.transport = globalThis.SelfNativeAndroid ?? window.webkit?.messageHandlers?.SelfNativeIOS
      ?? window.ReactNativeWebView ?? null;
    window.SelfNativeBridge = {
      _handleResponse: (text) => this.settle(AugustClient.read(text)),
      _handleEvent: (text) => this.notify(AugustClient.read(text)),
    };
  }

  /** A message that the schema of the page accepts; otherwise undefined. */
  static read(text) {
    let message;
    try { message = JSON.parse(text); } catch { return undefined; }
    const isMessage = message !== null && typeof message === "object" && message.version === 1
      && typeof message.id === "string" && typeof message.timestamp === "number"
      && AugustClient.domains.includes(message.domain);
    return isMessage ? message : undefined;
  }

  settle(message) {
    if (message?.type !== "response" || typeof message.requestId !== "string") { return; }
    if (typeof message.success !== "boolean") { return; }
    const {error} = message;
    const isError = error && typeof error.code === "string" && typeof error.message === "string";
    if (!message.success && error && !isError) { return; }
    this.pending.get(message.requestId)?.(message.success ? message.data ?? null : `error ${error?.code ?? "UNKNOWN"}`);
    this.pending.delete(message.requestId);
  }

  notify(message) {
    if (message?.type !== "event" || typeof message.event !== "string") { return; }
    for (const listener of this.listeners.get(`${message.domain}/${message.event}`) ?? []) { listener(message.data); }
  }

  on(name, listener) { this.listeners.set(name, [...this.listeners.get(name) ?? [], listener]); }

  /** Sends a request; `changes` replaces members of the message, undefined removes them. `write` makes its text. */
  ask(domain, method, params = {}, limit = 30_000, changes = {}, write = JSON.stringify) {
    const id = crypto.randomUUID();
    return new Promise((resolve) => {
      setTimeout(() => { this.pending.delete(id); resolve("silent"); }, limit);
      this.pending.set(id, resolve);
      this.transport?.postMessage(write(
        {type: "request", version: 1, id, domain, method, params, timestamp: Date.now(), ...changes}));
    });
  }
}

/** Which documents need what. */
function isSupported(request, capabilities) {
  const has = (name) => capabilities?.[name] !== false;
  const needs = {passport: ["nfc"], p: ["nfc"], id_card: ["nfc", "mrzCamera"], i: ["nfc", "mrzCamera"]};
  const documents = [request.documentType, request.documentTypes, request.ids].flat().filter((one) => typeof one === "string");
  return documents.length === 0
    || documents.some((one) => (needs[one.toLowerCase()] ?? []).every(has));
}

function decision(mode, request, capabilities) {
  const isText = (text) => typeof text === "string" && text.trim() !== "";
  if (mode !== "embed") { return "stays"; }
  if (!isText(request?.userId) || !isText(request?.scope)) { return "INVALID_REQUEST"; }
  return isSupported(request, capabilities) ? "/tour/1" : "UNSUPPORTED_CAPABILITY";
}

(async () => {
  const bridge = new AugustClient(), query = new URLSearchParams(location.search), calls = [];
  const step = async (name, answer) => {
    const call = [name, "silent"];
    calls.push(call);
    call[1] = await answer;
    return call[1];
  };
  // The first screen: the documents of the wallet.
  const catalog = step("secureStorage.get", bridge.ask("secureStorage", "get", {key: "self_document_catalog"}));
  bridge.on("lifecycle/cancel", () => { document.title = "cancelled"; });
  const id = query.get("verificationId");
  const ready = step("lifecycle.ready", bridge.ask("lifecycle", "ready", id ? {verificationId: id} : {}));
  const config = await step("lifecycle.getConfig", bridge.ask("lifecycle", "getConfig", {}, 800));
  const isKnown = typeof config === "object" && config !== null;
  const mode = isKnown ? config.mode : query.has("disclosures") || query.has("proofItems") ? "embed" : "self-app";
  const decided = decision(mode, isKnown ? config.verificationRequest : null, isKnown ? config.capabilities : undefined);
  // A page asks this at any time, although this one does not.
  await step("lifecycle.getConfig, again", bridge.ask("lifecycle", "getConfig"));
  for (const [name, version] of [["none", undefined], ["null", null], ["a text", "1"], ["2", 2]]) {
    await step(`version ${name}`, bridge.ask("haptic", "isAvailable", {}, 30_000, {version}));
  }
  // JavaScript writes the number as 1.
  await step("version 1.0", bridge.ask("haptic", "isAvailable", {}, 30_000, {},
    (message) => JSON.stringify(message).replace('"version":1,', '"version":1.0,')));
  await step("haptic.trigger", bridge.ask("haptic", "trigger"));
  await step("analytics.trackEvent", bridge.ask("analytics", "trackEvent", {event: "page_view", payload: {}}));
  await Promise.all([catalog, ready]);
  const report = () => fetch("/report", {
    method: "POST", keepalive: true,
    body: JSON.stringify({calls, config, mode, decision: decided, address: location.search}),
  });
  const isRefused = decided === "INVALID_REQUEST" || decided === "UNSUPPORTED_CAPABILITY";
  const end = isRefused ? "refusal" : query.get("end");
  // The window closes with the result, so that only a browser can report after it.
  if (!query.has("service") || !end) { await report(); }
  if (end === "refusal") {
    await step("lifecycle.setResult", bridge.ask("lifecycle", "setResult",
      {success: false, errorCode: decided, errorMessage: "This request cannot be served."}));
    await step("lifecycle.dismiss", bridge.ask("lifecycle", "dismiss", {reason: "invalid_request"}));
  } else if (end === "success") {
    const {userId, verificationId} = config.verificationRequest ?? {};
    await step("lifecycle.setResult", bridge.ask("lifecycle", "setResult",
      {success: true, userId, verificationId, claims: {resultType: "proofRequested"}}));
    await step("lifecycle.dismiss", bridge.ask("lifecycle", "dismiss"));
  } else if (end === "cancel") {
    await step("lifecycle.dismiss", bridge.ask("lifecycle", "dismiss", {reason: "user_cancel"}));
  }
  if (query.has("service") && end) { await report(); }
})();
