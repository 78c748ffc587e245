"use strict";
// Tries every way to the bridge from wherever it runs, then reports that it ran. `who` names the place.
(function () {
  const own = typeof document === "object" && document.currentScript;
  const who = (own && own.dataset.who) || new URLSearchParams(self.location.search).get("who") || "unnamed";
  const site = (own && own.dataset.site) || self.location.origin;
  const request = (way) => JSON.stringify({
    type: "request", version: 1, id: who + "-" + way, domain: "analytics", method: "trackEvent",
    params: {who: who, way: way}, timestamp: Date.now(),
  });
  const attempt = (way, action) => { try { action(request(way)); } catch (error) { /* refused */ } };

  for (const name of ["SelfNativeIOS", "selfNative", "tessera"]) {
    attempt(name, (text) => self.webkit.messageHandlers[name].postMessage(text));
    attempt(name + "-object", (text) => self.webkit.messageHandlers[name].postMessage(JSON.parse(text)));
    // The form of the private messages, with every token that a page could think of.
    for (const token of ["", "undefined", "null", "0", String(self.tesseraToken)]) {
      attempt(name + "-private", (text) => self.webkit.messageHandlers[name].postMessage(`${token}\ntrue\n${site}\n0\n${text}`));
    }
  }
  attempt("android", (text) => self.SelfNativeAndroid.postMessage(text));
  attempt("reactNative", (text) => self.ReactNativeWebView.postMessage(text));
  for (const name of ["-post", "undefined-post", "tessera-post", "tessera"]) {
    attempt("event", (text) => self.dispatchEvent(new CustomEvent(name, {detail: "0:" + text})));
  }
  for (const target of [self, self.parent, self.top, self.opener]) {
    if (!target || who === "top") { continue; }
    attempt("message", (text) => target.postMessage(text, "*"));
    attempt("message-object", (text) => target.postMessage(JSON.parse(text), "*"));
    for (const type of ["self:ready", "self:result", "self:dismiss"]) {
      attempt(type, () => target.postMessage({type: type, version: 1, payload: {success: true, who: who}}, "*"));
    }
  }
  const report = () => fetch(site + "/ran?who=" + encodeURIComponent(who), {mode: "no-cors"});
  if (own && own.dataset.later) { setTimeout(report, 50); } else { report(); }
})();
