"use strict";
// A client of the bridge with the behaviour of the mobile SDK's published one, in our own words after the bridge protocol
// (sections Transport, Envelope and Domains): it looks for its transport once, in the constructor; it discards every
// message that its schema does not accept, so that the request runs into its time limit; and each domain has an adapter
// that checks the form of the answers.

const protocolVersion = 1, standardTimeout = 30_000;
const domains = ["nfc", "biometrics", "secureStorage", "camera", "crypto", "haptic", "analytics", "lifecycle", "documents",
  "navigation"];

class ClientError extends Error {
  constructor(code, message, details) {
    super(message);
    this.code = code;
    this.details = details;
  }
}

class WebViewBridge {
  constructor() {
    this.pending = new Map();
    this.listeners = new Map();
    this.transport = WebViewBridge.findTransport();
    window.SelfNativeBridge = {
      _handleResponse: (text) => this.receive(text, "response"),
      _handleEvent: (text) => this.receive(text, "event"),
    };
  }

  static findTransport() {
    if (globalThis.SelfNativeAndroid) { return globalThis.SelfNativeAndroid; }
    const handlers = window.webkit?.messageHandlers;
    if (handlers?.SelfNativeIOS) { return handlers.SelfNativeIOS; }
    return window.ReactNativeWebView ?? null;
  }

  /** The message if the schema accepts it; otherwise undefined. */
  static parsed(text) {
    let message;
    try { message = JSON.parse(text); } catch { return undefined; }
    if (typeof message !== "object" || message === null) { return undefined; }
    const isComplete = ["response", "event"].includes(message.type) && message.version === protocolVersion
      && typeof message.id === "string" && typeof message.timestamp === "number" && domains.includes(message.domain);
    if (!isComplete) { return undefined; }
    if (message.type === "event") { return typeof message.event === "string" ? message : undefined; }
    if (typeof message.requestId !== "string" || typeof message.success !== "boolean") { return undefined; }
    const error = message.error;
    if (!message.success && error !== undefined && error !== null) {
      if (typeof error !== "object" || typeof error.code !== "string" || typeof error.message !== "string") {
        return undefined;
      }
    }
    return message;
  }

  receive(text, expected) {
    const message = WebViewBridge.parsed(text);
    // An event that comes as a response, or the reverse, is ignored.
    if (!message || message.type !== expected) { return; }
    if (expected === "event") {
      for (const listener of this.listeners.get(`${message.domain}:${message.event}`) ?? []) { listener(message.data); }
      return;
    }
    const waiting = this.pending.get(message.requestId);
    if (!waiting) { return; }
    this.pending.delete(message.requestId);
    clearTimeout(waiting.timer);
    if (message.success) { return waiting.resolve(message.data); }
    const error = message.error ?? {code: "UNKNOWN", message: "Unknown error"};
    waiting.reject(new ClientError(error.code, error.message, error.details));
  }

  request(domain, method, params = {}, timeout = standardTimeout) {
    if (!this.transport) { return Promise.reject(new ClientError("NO_TRANSPORT", "no native bridge")); }
    const id = crypto.randomUUID();
    return new Promise((resolve, reject) => {
      const timer = setTimeout(() => {
        this.pending.delete(id);
        reject(new ClientError("TIMEOUT", `${domain}.${method}`));
      }, timeout);
      this.pending.set(id, {resolve, reject, timer});
      this.transport.postMessage(JSON.stringify(
        {type: "request", version: protocolVersion, id, domain, method, params, timestamp: Date.now()}));
    });
  }

  /** A request whose answer does not matter. */
  fire(domain, method, params) { this.request(domain, method, params).catch(() => {}); }

  on(domain, event, listener) {
    const key = `${domain}:${event}`;
    const all = this.listeners.get(key) ?? new Set();
    this.listeners.set(key, all.add(listener));
    return () => all.delete(listener);
  }
}

function check(isTrue, what) { if (!isTrue) { throw new ClientError("INVALID_ANSWER", what); } }

const bytesOf = (base64) => Uint8Array.from(atob(base64), (character) => character.charCodeAt(0));

/** What a page does with the adapters of each domain: the answers as they are, or the code of the error. */
function adapters(bridge) {
  const ask = (domain, method, params, timeout) => bridge.request(domain, method, params, timeout);
  return {
    nfc: {
      scan: (params, onProgress) => {
        const stop = bridge.on("nfc", "scanProgress", onProgress);
        return ask("nfc", "scan", params, 120_000).finally(stop);
      },
      cancelScan: () => ask("nfc", "cancelScan"),
      isSupported: () => ask("nfc", "isSupported"),
    },
    secureStorage: {
      get: async (key) => {
        const data = await ask("secureStorage", "get", {key});
        check(data && "value" in data, "secureStorage.get");
        return data.value;
      },
      set: (key, value) => ask("secureStorage", "set", {key, value}),
      remove: (key) => ask("secureStorage", "remove", {key}),
    },
    crypto: {
      generateKey: async (keyRef) => {
        const data = await ask("crypto", "generateKey", {keyRef});
        check(data.success === true && data.keyRef === keyRef, "crypto.generateKey");
      },
      getPublicKey: async (keyRef) => {
        const key = bytesOf((await ask("crypto", "getPublicKey", {keyRef})).publicKey);
        check(key.length === 65 && key[0] === 4, "crypto.getPublicKey");
        return key;
      },
      sign: async (keyRef, data) => bytesOf((await ask("crypto", "sign", {keyRef, data})).signature),
    },
    documents: {
      loadCatalog: () => ask("documents", "loadCatalog"),
      saveCatalog: (catalog) => ask("documents", "saveCatalog", {catalog}),
      loadById: (id) => ask("documents", "loadById", {id}),
      save: (id, data) => ask("documents", "save", {id, data}),
      delete: (id) => ask("documents", "delete", {id}),
    },
  };
}
