// @ts-check
// The client of the bridge: one request and one answer, with events in between. Any page of a granted origin can use
// the bridge in the same way.

/** @typedef {{code: string, message: string, details?: unknown}} BridgeErrorBody */

/** An error that the bridge answered. */
export class BridgeError extends Error {
  /** @param {BridgeErrorBody} body */
  constructor(body) {
    super(body.message);
    this.code = body.code;
  }
}

/** @type {Map<string, {resolve: (data: any) => void, reject: (error: Error) => void, timer: number}>} */
const pending = new Map();
/** @type {Map<string, Set<(data: any) => void>>} */
const listeners = new Map();

/** @returns {{postMessage: (text: string) => void} | undefined} */
function transport() {
  // @ts-ignore: the host injects it.
  const handlers = window.webkit && window.webkit.messageHandlers;
  return handlers && (handlers.SelfNativeIOS || handlers.selfNative);
}

/** Whether this page has a bridge at all. */
export const isPresent = () => transport() !== undefined;

/**
 * Sends a request.
 * @param {string} domain
 * @param {string} method
 * @param {object} [params]
 * @param {number} [seconds] how long the answer may take
 * @returns {Promise<any>} the `data` of the answer
 */
export function request(domain, method, params = {}, seconds = 30) {
  const channel = transport();
  if (!channel) { return Promise.reject(new BridgeError({code: "NO_TRANSPORT", message: "The page has no bridge."})); }
  const id = crypto.randomUUID();
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => {
      pending.delete(id);
      reject(new BridgeError({code: "BRIDGE_TIMEOUT", message: "The device service did not answer in time."}));
    }, seconds * 1000);
    pending.set(id, {resolve, reject, timer});
    channel.postMessage(JSON.stringify({type: "request", version: 1, id, domain, method, params, timestamp: Date.now()}));
  });
}

/**
 * Calls `listener` for each event until the returned function is called.
 * @param {string} domain
 * @param {string} event
 * @param {(data: any) => void} listener
 */
export function listen(domain, event, listener) {
  const key = `${domain}.${event}`;
  const all = listeners.get(key) ?? new Set();
  listeners.set(key, all.add(listener));
  return () => { all.delete(listener); };
}

/** @param {string} text */
function receiveAnswer(text) {
  const message = JSON.parse(text);
  const waiting = pending.get(message.requestId);
  if (!waiting) { return; }
  pending.delete(message.requestId);
  clearTimeout(waiting.timer);
  if (message.success) { waiting.resolve(message.data); } else {
    waiting.reject(new BridgeError(message.error ?? {code: "UNKNOWN", message: "The request failed."}));
  }
}

/** @param {string} text */
function receiveEvent(text) {
  const message = JSON.parse(text);
  listeners.get(`${message.domain}.${message.event}`)?.forEach((listener) => listener(message.data));
}

// @ts-ignore: the host calls these two.
window.SelfNativeBridge = {_handleResponse: receiveAnswer, _handleEvent: receiveEvent};
