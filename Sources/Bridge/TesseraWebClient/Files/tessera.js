// @ts-check
// The client of the bridge for web pages: an ES module without dependencies. `tessera.d.ts` has its types.
//
// A page in a browser imports it from the service, which then connects the page by itself:
//
//   import {nfc} from "http://127.0.0.1:8484/tessera.js";
//   const passport = await nfc.scan(key, {onProgress: ({percent}) => { bar.value = percent; }});
//
// A page with a copy of this file calls `connect` first. A page in a window of Tessera needs neither.

/** An error that the bridge answered, or that kept the request from it. */
export class BridgeError extends Error {
  /** @param {{code: string, message: string, details?: unknown}} body */
  constructor(body) {
    super(body.message);
    this.name = "BridgeError";
    this.code = body.code;
    this.details = body.details ?? null;
  }
}

/** @type {Map<string, {resolve: (data: any) => void, reject: (error: Error) => void}>} */
const pending = new Map();
/** @type {Map<string, Set<(data: any) => void>>} */
const listeners = new Map();

// The host calls the functions of this object. Another client of the page may have put its own there, or do so later.
const page = /** @type {any} */ (window);
let other = page.SelfNativeBridge;

/**
 * What `bridge.js` provides has the functions, a window has not.
 * @typedef {{
 *   postMessage: (text: string) => void, address?: string, isLost?: () => boolean,
 *   whenOpen?: (done: (reason: string | null) => void) => void,
 * }} Transport
 */

/** @returns {Transport | undefined} */
function transport() {
  const handlers = page.webkit && page.webkit.messageHandlers;
  return handlers && (handlers.SelfNativeIOS || handlers.selfNative);
}

export function isPresent() {
  const channel = transport();
  return channel !== undefined && !channel.isLost?.();
}

// The service of this machine that this file came from; undefined for a copy, and for a page of the service itself.
function service() {
  try {
    const {hostname, origin, pathname} = new URL(import.meta.url);
    const isService = ["127.0.0.1", "[::1]", "localhost"].includes(hostname) && pathname === "/tessera.js";
    return isService && origin !== location.origin ? origin : undefined;
  } catch { return undefined; }
}

// The names of this machine are one place.
/** @param {string} address */
const place = (address) => new URL(address).host.replace(/^(localhost|\[::1\])(?=:|$)/, "127.0.0.1");

/**
 * @param {string} [address]
 * @returns {Promise<void>}
 */
export async function connect(address) {
  if (!transport()) { await load(address ?? service() ?? "http://127.0.0.1:8484"); }
  const channel = transport();
  if (address && channel?.address && place(address) !== place(channel.address)) {
    throw new BridgeError({
      code: "NOT_AVAILABLE",
      message: `The page belongs to ${channel.address} already, until it is loaded again: it has one service at a time.`,
    });
  }
  const {whenOpen} = channel ?? {};
  if (!whenOpen) { return; }
  await new Promise((resolve, reject) => {
    const timer = setTimeout(() => reject(late()), 30_000);
    whenOpen((reason) => {
      clearTimeout(timer);
      if (reason === null) { resolve(undefined); } else { reject(new BridgeError({code: "NOT_AVAILABLE", message: reason})); }
    });
  });
}

/**
 * Loads `bridge.js`.
 * @param {string} address
 */
function load(address) {
  return new Promise((resolve, reject) => {
    const script = document.createElement("script");
    script.src = new URL("/bridge.js", address).href;
    script.crossOrigin = "anonymous";
    const {origin, host} = new URL(script.src);
    let reason = `${script.src} gives nothing to pages of ${location.origin}: the service is not running, the origin has no `
      + `grant (for example tessera grants add ${location.origin}=nfc.scan), or the page's Content-Security-Policy does not `
      + "allow it.";
    /** @param {SecurityPolicyViolationEvent} event */
    const look = ({disposition, blockedURI}) => {
      if (disposition !== "enforce" || ![script.src, origin].includes(blockedURI)) { return; }
      reason = `The Content-Security-Policy of this page does not allow ${script.src}. Add ${origin} to its script-src, and `
        + `ws://${host} to its connect-src.`;
    };
    document.addEventListener("securitypolicyviolation", look);
    const failed = () => {
      document.removeEventListener("securitypolicyviolation", look);
      script.remove();
      // The service of this machine says what would grant the page something.
      const {command} = script.dataset;
      const message = command ? `Pages of ${location.origin} have no grant. The user can give one: ${command}` : reason;
      reject(new BridgeError({code: "NOT_AVAILABLE", message, details: command ? {command} : null}));
    };
    script.onload = () => {
      // A page without a grant may get a script that only says so.
      if (!transport()) { return failed(); }
      document.removeEventListener("securitypolicyviolation", look);
      resolve(undefined);
    };
    // The policy may say so after the script.
    script.onerror = () => setTimeout(failed);
    document.head.append(script);
  });
}

/** @type {Promise<void> | undefined} */
let connecting;

/**
 * Connects, for several requests at once, and not again for a second after a failure.
 * @param {string} address
 * @param {number} timeout
 * @param {AbortSignal} [signal]
 * @returns {Promise<void>}
 */
async function reconnected(address, timeout, signal) {
  connecting ??= connect(address).finally(() => { setTimeout(() => { connecting = undefined; }, 1_000); });
  const attempt = connecting.catch(({message, details}) => {
    throw new BridgeError({code: "NO_TRANSPORT", message, details});
  });
  let end = () => {};
  const ended = new Promise((_, reject) => {
    const timer = setTimeout(() => reject(late()), timeout);
    const aborted = () => reject(signal?.reason);
    signal?.addEventListener("abort", aborted);
    end = () => {
      clearTimeout(timer);
      signal?.removeEventListener("abort", aborted);
    };
  });
  try { await Promise.race([attempt, ended]); } finally { end(); }
}

const late = () => new BridgeError({code: "BRIDGE_TIMEOUT", message: "The device service did not answer in time."});

/**
 * @param {string} domain
 * @param {string} method
 * @param {object} [params]
 * @param {{timeout?: number, signal?: AbortSignal, cancel?: string}} options `cancel` is the method that ends this one
 * @returns {Promise<any>}
 */
export function request(domain, method, params = {}, {timeout = 30_000, signal, cancel} = {}) {
  const channel = transport();
  if (signal?.aborted) { return Promise.reject(signal.reason); }
  if (!channel) {
    const address = service();
    if (!address) {
      return Promise.reject(new BridgeError({
        code: "NO_TRANSPORT",
        message: "The page has no connection to Tessera: call connect() first, and await it. In a browser, its origin needs a grant "
          + `(for example tessera grants add ${location.origin}=nfc.scan).`,
      }));
    }
    // The user may have granted something since the page was loaded.
    const begin = performance.now();
    const left = () => Math.max(0, timeout - (performance.now() - begin));
    return reconnected(address, timeout, signal)
      .then(() => request(domain, method, params, {timeout: left(), signal, cancel}));
  }
  /** @param {string} called @param {string} identity @param {object} values */
  const message = (called, identity, values) => JSON.stringify(
    {type: "request", version: 1, id: identity, domain, method: called, params: values, timestamp: Date.now()});
  const id = identifier();
  let text = "";
  try {
    text = message(method, id, params);
  } catch (error) {
    // Not every value has a form in JSON.
    return Promise.reject(error);
  }
  return new Promise((resolve, reject) => {
    /** @param {Error} error */
    const giveUp = (error) => {
      if (!pending.has(id)) { return; }
      settle();
      reject(error);
      if (cancel) { channel.postMessage(message(cancel, identifier(), {})); }
    };
    const aborted = () => giveUp(signal?.reason);
    const timer = setTimeout(() => giveUp(late()), timeout);
    const settle = () => {
      pending.delete(id);
      clearTimeout(timer);
      signal?.removeEventListener("abort", aborted);
    };
    signal?.addEventListener("abort", aborted);
    pending.set(id, {
      resolve: (data) => { settle(); resolve(data); },
      reject: (error) => { settle(); reject(error); },
    });
    channel.postMessage(text);
  });
}

// `randomUUID` is missing on pages of http that are not of this machine.
function identifier() {
  if (crypto.randomUUID) { return crypto.randomUUID(); }
  return Array.from(crypto.getRandomValues(new Uint8Array(16)), (byte) => byte.toString(16).padStart(2, "0")).join("");
}

// Those of the domains that have events; a program may add others.
/** @type {Map<string, string[]>} */
const events = new Map([
  ["nfc", ["scanProgress", "readerChanged"]], ["camera", ["scanProgress"]], ["biometrics", ["authenticateProgress"]],
  ["lifecycle", ["system", "kiosk", "cancel"]],
]);

/**
 * @param {string} domain
 * @param {string} event
 * @param {(data: any) => void} listener
 */
export function listen(domain, event, listener) {
  const known = events.get(domain);
  if (known && !known.includes(event)) {
    console.warn(`Tessera: ${domain} has no event "${event}". Its events: ${known.join(", ")}.`);
  }
  const key = `${domain}.${event}`;
  const all = listeners.get(key) ?? new Set();
  // One function may listen twice.
  /** @param {any} data */
  const own = (data) => listener(data);
  listeners.set(key, all.add(own));
  return () => { all.delete(own); };
}

/**
 * A request whose events go to `onProgress`.
 * @param {string} domain
 * @param {string} method
 * @param {object} params
 * @param {{onProgress?: (data: any) => void, timeout?: number, signal?: AbortSignal}} options
 * @param {{event: string, cancel?: string}} kind
 */
function follow(domain, method, params, {onProgress, ...options}, {event, cancel}) {
  const end = onProgress ? listen(domain, event, onProgress) : () => {};
  return request(domain, method, params, {timeout: 120_000, ...options, cancel}).finally(end);
}

const scan = {event: "scanProgress", cancel: "cancelScan"};
export const nfc = {
  isSupported: () => request("nfc", "isSupported"),
  /** @param {object} key @param {object} [options] */
  scan: (key, options = {}) => follow("nfc", "scan", key, options, scan),
  /** @param {object} key @param {object} [options] */
  scanReport: (key, options = {}) => follow("nfc", "scanReport", key, options, scan),
  cancelScan: () => request("nfc", "cancelScan"),
  // The longest time of a timer.
  /** @param {(state: any) => void} listener @param {{signal?: AbortSignal}} options */
  watchReader: (listener, {signal} = {}) =>
    follow("nfc", "watchReader", {}, {onProgress: listener, signal, timeout: 2 ** 31 - 1},
      {event: "readerChanged", cancel: "stopWatching"}),
  stopWatching: () => request("nfc", "stopWatching"),
};

/** @param {string} method @param {any} options */
const look = (method, {scanRect, ...options}) =>
  follow("camera", method, scanRect ? {scanRect} : {}, options, {event: "scanProgress", cancel: "stopCamera"});
export const camera = {
  isAvailable: () => request("camera", "isAvailable"),
  /** @param {object} [options] */
  scanMRZ: (options = {}) => look("scanMRZ", options),
  /** @param {object} [options] */
  scanSeal: (options = {}) => look("scanSeal", options),
  stopCamera: () => request("camera", "stopCamera"),
};

export const biometrics = {
  isAvailable: () => request("biometrics", "isAvailable"),
  getBiometryType: () => request("biometrics", "getBiometryType"),
  /** @param {string} reason @param {object} [options] */
  authenticate: (reason, options = {}) =>
    follow("biometrics", "authenticate", {reason}, {timeout: 60_000, ...options}, {event: "authenticateProgress"}),
};

// A signature and a guarded entry may wait for the user.
const confirmed = {timeout: 60_000};

export const crypt = {
  /** @param {string} keyRef @param {object} [options] */
  generateKey: (keyRef, options = {}) => request("crypto", "generateKey", {keyRef, ...options}, confirmed),
  /** @param {string} keyRef @param {string} [format] */
  getPublicKey: async (keyRef, format = "spki") =>
    bytes((await request("crypto", "getPublicKey", {keyRef, format})).publicKey),
  /** @param {string} keyRef @param {BufferSource} data @param {{format?: string}} options */
  sign: async (keyRef, data, {format = "der"} = {}) =>
    bytes((await request("crypto", "sign", {keyRef, data: base64(data), format}, confirmed)).signature),
  /** @param {string} keyRef */
  deleteKey: (keyRef) => request("crypto", "deleteKey", {keyRef}),
};

export const secureStorage = {
  /** @param {string} key @param {object} [options] */
  get: async (key, options = {}) => (await request("secureStorage", "get", {key, ...options}, confirmed)).value,
  /** @param {string} key @param {string} value @param {object} [options] */
  set: (key, value, options = {}) => request("secureStorage", "set", {key, value, ...options}, confirmed),
  /** @param {string} key */
  remove: (key) => request("secureStorage", "remove", {key}),
  clear: () => request("secureStorage", "clear"),
};

export const documents = {
  list: () => request("documents", "list"),
  /** @param {string} key */
  get: (key) => request("documents", "get", {key}),
  /** @param {string} key @param {unknown} value */
  set: (key, value) => request("documents", "set", {key, value}),
  /** @param {string} key */
  remove: (key) => request("documents", "remove", {key}),
};

export const haptic = {
  isAvailable: () => request("haptic", "isAvailable"),
  /** @param {string} [type] */
  trigger: (type = "selection") => request("haptic", "trigger", {type}),
};

/** @param {string} text */
const bytes = (text) => Uint8Array.from(atob(text), (character) => character.charCodeAt(0));

/** @param {BufferSource} data */
function base64(data) {
  const isBuffer = Object.prototype.toString.call(data) === "[object ArrayBuffer]";
  if (!isBuffer && !ArrayBuffer.isView(data)) {
    // A text would become no bytes at all, and the key would sign nothing.
    throw new BridgeError({
      code: "INVALID_PARAMS",
      message: "The data to sign are an ArrayBuffer or a view of one. For a text: new TextEncoder().encode(text).",
    });
  }
  const all = ArrayBuffer.isView(data) ? new Uint8Array(data.buffer, data.byteOffset, data.byteLength) : new Uint8Array(data);
  let text = "";
  for (const byte of all) { text += String.fromCharCode(byte); }
  return btoa(text);
}

/** @param {string} text */
function receiveAnswer(text) {
  const message = JSON.parse(text);
  const waiting = pending.get(message.requestId);
  if (!waiting) { other?._handleResponse?.(text); return; }
  if (message.success) { waiting.resolve(message.data); } else {
    waiting.reject(new BridgeError(message.error ?? {code: "UNKNOWN", message: "The request failed."}));
  }
}

/** @param {string} text */
function receiveEvent(text) {
  const message = JSON.parse(text);
  listeners.get(`${message.domain}.${message.event}`)?.forEach((listener) => {
    // The error of one listener is not that of the others.
    try { listener(message.data); } catch (error) { reportError(error); }
  });
  other?._handleEvent?.(text);
}

const handlers = {_handleResponse: receiveAnswer, _handleEvent: receiveEvent};
const own = {...other, ...handlers};
Object.defineProperty(page, "SelfNativeBridge", {
  configurable: true,
  get: () => own,
  set: (client) => {
    other = client;
    Object.assign(own, client, handlers);
  },
});
