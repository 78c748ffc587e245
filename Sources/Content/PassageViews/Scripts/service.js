// The page object of the UI page, in the page's own world and in its top frame only. The files of this folder are bodies
// of functions; `PageScripts` adds their constants. This one runs before any script of the page. The program offers the
// handler to documents of the configured origin only, so that every call is that page's.

if (window.passage?.initialized) { return; }
const handler = () => window.webkit?.messageHandlers?.passageWebView;
if (!handler()) { return; }

const {now} = Date, {assign} = Object;
const text = String, stringify = JSON.stringify;

/** Sends a message of a type with its fields. */
const send = (type, fields) => {
  handler()?.postMessage(assign({}, fields, {type, webViewType: "ui", timestamp: now()}));
};

const object = {
  initialized: true,
  webViewType: "ui",
  getWebViewType: () => "ui",
  isUIWebView: () => true,
  isAutomationWebView: () => false,
  postMessage: (data) => send("message", {data}),
  navigate: (url) => send("navigate", {url}),
  close: () => send("close"),
  setTitle: (title) => send("setTitle", {title}),
  switchWebview: () => send("switchWebview"),
  captureScreenshot: () => send("captureScreenshot"),
  showBottomSheetModal: (options) => send("showBottomSheet", options),
  showBottomSheetWebsite: (url) => send("showBottomSheetWebsite", {url}),
  preloadBottomSheetWebsite: (url) => send("preloadBottomSheetWebsite", {url}),
  sendToBackend: (apiPath, data, headers) => send("sendToBackend", {apiPath, data, headers}),
  sendToSession: (path, data, headers) => send("sendToSession", {path, data, headers}),
  changeAutomationUserAgent: (userAgent) => send("changeAutomationUserAgent", {userAgent}),
  openLink: (url) => send("openLink", {url}),
  enableKeyboard: () => send("enableKeyboard"),
  disableKeyboard: () => send("disableKeyboard"),
  setRedirectOnDoneCommand: (enabled) => send("setRedirectOnDoneCommand", {enabled}),
  // Lines stay on this machine, in the page's own console.
  createLogger: (name) => {
    const levels = ["debug", "info", "warn", "error"].map((level) => [
      level, (...parts) => console[level](`[${name}]`, ...parts),
    ]);
    return Object.freeze(Object.fromEntries(levels));
  },
};
Object.defineProperty(window, "passage", {value: Object.freeze(object), enumerable: true});

// What goes wrong in the page. A few reports are enough, and none is long.
let left = 100;
const report = (type, fields) => {
  if (left <= 0) { return; }
  left -= 1;
  send(type, fields);
};
const short = (value) => text(value).slice(0, 500);

addEventListener("error", (event) => {
  if (!(event instanceof ErrorEvent)) { return; }
  report("javascript_error", {
    message: short(event.message), source: short(event.filename), line: event.lineno, column: event.colno,
    isWeakMapError: text(event.message).includes("WeakMap"),
  });
});
addEventListener("unhandledrejection", (event) => {
  report("unhandled_rejection", {message: short(event.reason?.message ?? event.reason)});
});
const {error} = console;
console.error = (...parts) => {
  error.apply(console, parts);
  let message = "";
  try { message = parts.map((part) => typeof part === "string" ? part : stringify(part)).join(" "); } catch {}
  report("console_error", {message: short(message)});
};
