// The page object for scripts of the server in the automation page, in a script world of the program's own and in the top
// frame only. Pages do not see this world, its object or its handler; scripts in it see the document. It has the result
// channel and nothing else: calls that need the user's program belong to the UI page.
//
// Constants: `historyEvent`, the secret name of the event that `history.js` sends from the world of the page.

if (window.passage?.initialized) { return; }
const handler = window.webkit?.messageHandlers?.passageWebView;
if (!handler) { return; }

const send = (type, fields) => {
  handler.postMessage({...fields, type, webViewType: "automation", timestamp: Date.now()});
};

Object.defineProperty(window, "passage", {
  value: Object.freeze({
    initialized: true,
    webViewType: "automation",
    getWebViewType: () => "automation",
    isUIWebView: () => false,
    isAutomationWebView: () => true,
    postMessage: (data) => send("message", {data}),
  }),
});

// Fields that had a password at some time: a page may show it later as plain text. `collect.js` masks them.
const secrets = new WeakSet();
Object.defineProperty(globalThis, "passageSecretFields", {value: secrets});
const notice = (event) => {
  const field = event.composedPath()[0];
  if (field instanceof HTMLInputElement && field.type === "password") { secrets.add(field); }
};
for (const type of ["focusin", "input", "focusout"]) { addEventListener(type, notice, true); }

// The event says only which function was called; the address is read here, where the page cannot pretend.
let last = location.href;
const navigated = (navigationMethod, fields) => {
  const url = location.href;
  last = url;
  send("clientNavigation", {navigationMethod, url, ...fields});
};
addEventListener(historyEvent, (event) => {
  const method = event.detail;
  if (method !== "pushState" && method !== "replaceState") { return; }
  navigated(method, {});
});
// A change of the fragment is a `hashchange`; the `popstate` that comes with it is not reported again.
addEventListener("popstate", () => {
  const [before, after] = [last, location.href].map((address) => address.split("#"));
  const isFragment = before[0] === after[0] && before[1] !== after[1];
  if (!isFragment) { navigated("popstate", {}); }
});
addEventListener("hashchange", (event) => {
  navigated("hashchange", {oldURL: event.oldURL, newURL: event.newURL});
});
