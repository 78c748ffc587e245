// The way to the program, and what all other files use. The files of this folder are joined into one function that runs
// before any script of the page. They keep references to what they call later, since a page may replace it.

const own = {
  parse: JSON.parse, stringify: JSON.stringify, hasOwn: Object.hasOwn, Event: window.CustomEvent,
  MessageEvent: window.MessageEvent, dispatch: document.dispatchEvent.bind(document),
  after: window.setTimeout.bind(window), query: document.querySelectorAll.bind(document),
};

/** Messages that a page sent before the handler was there. */
const waiting = [];

const handler = () => window.webkit?.messageHandlers?.rampkit;

/** Sends what waits, if it can be sent. */
function flush() {
  const found = handler();
  if (found) { for (const message of waiting.splice(0)) { found.postMessage(message); } }
}

/** Sends a message, after those that had to wait. */
function post(message) {
  if (waiting.length < 256) { waiting.push(message); }
  flush();
}

for (const event of ["DOMContentLoaded", "load"]) { window.addEventListener(event, flush); }

// Pages that were written for React Native know this name only.
if (!window.ReactNativeWebView) {
  Object.defineProperty(window, "ReactNativeWebView", {
    value: Object.freeze({postMessage(message) { post(message); }}), enumerable: true, configurable: true, writable: true,
  });
}

/** Whether the user sees the page. The program says so. */
window.__rampkitScreenVisible = false;

/** A function of the page's global object that pages may replace. */
function define(name, value) {
  Object.defineProperty(window, name, {value, enumerable: false, configurable: true, writable: true});
}

const isObject = (value) => typeof value === "object" && value !== null && !Array.isArray(value);

/** Calls a function of the page. Its failure is the page's own. */
function attempt(work) {
  try { work(); } catch (error) { console.error(error); }
}

/**
 * The JSON of an attribute; undefined if it is none. Some editors write the entities of HTML twice.
 * @param {string} text
 */
function parsedAttribute(text) {
  for (const form of [text, decodedEntities(text)]) {
    try { return own.parse(form); } catch { /* the other form */ }
  }
  return undefined;
}

function decodedEntities(text) {
  const names = {quot: "\"", apos: "'", lt: "<", gt: ">", amp: "&"};
  return text.replace(/&(?:#(\d{1,7})|#x([0-9a-f]{1,6})|(quot|apos|lt|gt|amp));/gi, (all, decimal, hexadecimal, name) => {
    if (name) { return names[name.toLowerCase()]; }
    const code = decimal ? Number(decimal) : parseInt(hexadecimal, 16);
    return code <= 0x10FFFF ? String.fromCodePoint(code) : all;
  });
}
