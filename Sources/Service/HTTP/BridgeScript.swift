/// What `GET /bridge.js` gives: a script that lets the unmodified client of the bridge work in an ordinary browser.
///
/// It provides `window.webkit.messageHandlers.SelfNativeIOS` (and its older name `selfNative`) over the WebSocket of the
/// address that the script came from, which the service writes into it: so it works as a plain script, as a module and as
/// a copy in the page or on the page's own server. Messages wait until the socket is open; answers and events go to
/// `window.SelfNativeBridge`. A connection that is lost, or could not be made since there was no service yet, is made again
/// when there is something to send: a few times, and only once at a time after that has failed. What was sent and not answered
/// by then is answered with the code of the closing, or `NOT_AVAILABLE`: no other connection gets that answer. A message
/// that the service would not take is not sent: its own call fails, and no other. Why there is no connection stands on
/// the page's console, as far as a browser lets a page know.
enum BridgeScript {
  /// - Parameter host: where the page found the service: host and port, out of `RequestGate.hosts`.
  static func text(host: String, longestMessage: Int) -> String {
    template.replacing("HOST", with: host).replacing("LONGEST_MESSAGE", with: String(longestMessage))
  }

  private static let template = #"""
    (function () {
      "use strict";
      var longestQueue = 256, longestPause = 8000, attempts = 5, longestMessage = LONGEST_MESSAGE;
      var address = "ws://HOST/bridge";

      // What is so is told once, and again after it was otherwise.
      var told = "";
      function tell(level, text) {
        if (told !== text && typeof console === "object") { console[level]("Tessera: " + text); }
        told = text;
      }

      function tellUnreachable() {
        if (window.origin === "null") {
          tell("error", "This page has no origin (it is a file or in a sandboxed frame), so it cannot be granted the bridge. "
            + "Serve it from http://localhost or by https.");
          return;
        }
        tell("warn", "No connection to " + address + " for pages of " + window.origin + ". Either no service is running there "
          + "(start it: tessera serve --websocket " + "HOST".replace("localhost", "127.0.0.1") + "); or this origin has no grant "
          + "(the service's log has the line for its file of grants); or the page's Content-Security-Policy does not have connect-src ws://HOST; or the "
          + "browser does not let this page talk to this machine. The bridge tries again when there is something to send.");
      }

      var webkit = window.webkit = window.webkit || {};
      var handlers = webkit.messageHandlers = webkit.messageHandlers || {};
      var names = ["SelfNativeIOS", "selfNative"].filter(function (name) { return !handlers[name]; });
      if (names.length === 0) {
        tell("warn", "The page has a bridge already (window.webkit.messageHandlers), so this script does nothing.");
        return;
      }

      var socket = null, queue = [], failures = 0, timer = null;
      // Requests that were handed over and have no answer yet: their domains by their identifiers.
      var pending = new Map();

      function identify(text) {
        try {
          var message = JSON.parse(text);
          if (message && typeof message.id === "string") { return message; }
        } catch (error) { /* The service drops it too. */ }
        return null;
      }

      function deliver(name, text) {
        var client = window.SelfNativeBridge;
        if (client && typeof client[name] === "function") { client[name](text); }
      }

      function receive(text) {
        var message = identify(text);
        if (!message) { return; }
        if (message.type === "event") { deliver("_handleEvent", text); return; }
        pending.delete(message.requestId);
        deliver("_handleResponse", text);
      }

      function fail(id, domain, code, message) {
        deliver("_handleResponse", JSON.stringify({
          type: "response", version: 1, id: "local-" + id, requestId: id, domain: domain, timestamp: Date.now(),
          success: false, data: null,
          error: {code: code || "NOT_AVAILABLE", message: message || "The device service is not connected.", details: null}
        }));
      }

      function failAll(texts) {
        texts.forEach(function (text) {
          var message = identify(text);
          if (message) { fail(message.id, message.domain); }
        });
      }

      function closed(own, wasOpen, reason) {
        if (socket !== own) { return; }
        socket = null;
        if (reason) {
          tell("warn", "The service closed the connection: " + reason + ".");
        } else if (wasOpen) {
          tell("warn", "The connection to " + address + " was lost. It is made again when there is something to send.");
        } else {
          tellUnreachable();
        }
        var lost = Array.from(pending);
        pending.clear();
        lost.forEach(function (entry) { fail(entry[0], entry[1], reason); });
        if (queue.length === 0) { return; }
        failures += 1;
        if (failures >= attempts) {
          var given = queue;
          queue = [];
          failAll(given);
          return;
        }
        if (timer === null) {
          timer = setTimeout(function () { timer = null; open(); }, Math.min(longestPause, 125 * Math.pow(2, failures)));
        }
      }

      function send(text) {
        var message = identify(text);
        if (message) { pending.set(message.id, message.domain); }
        socket.send(text);
      }

      function open() {
        if (socket || timer !== null) { return; }
        var own, isOpen = false;
        try {
          own = new WebSocket(address);
        } catch (error) {
          // A browser for which a page of https may not even ask.
          socket = own = {};
          setTimeout(function () { closed(own, false, ""); }, 0);
          return;
        }
        socket = own;
        own.onopen = function () {
          isOpen = true;
          failures = 0;
          if (told) { tell("info", "Connected to " + address + "."); }
          var waiting = queue;
          queue = [];
          waiting.forEach(send);
        };
        own.onmessage = function (event) { if (typeof event.data === "string") { receive(event.data); } };
        own.onclose = function (event) { closed(own, isOpen, event.reason); };
      }

      // A unit of UTF-16 is at most three bytes of UTF-8.
      function isTooLong(text) {
        if (text.length * 3 <= longestMessage) { return false; }
        return text.length > longestMessage || new TextEncoder().encode(text).length > longestMessage;
      }

      function refuse(text) {
        var message = identify(text);
        if (!message) { return; }
        setTimeout(function () {
          fail(
            message.id, message.domain, "MESSAGE_TOO_LARGE",
            "The message is longer than the " + longestMessage + " bytes that the service takes.");
        }, 0);
      }

      function post(body) {
        var text = typeof body === "string" ? body : JSON.stringify(body);
        if (typeof text !== "string") { return; }
        if (isTooLong(text)) { refuse(text); return; }
        if (socket && socket.readyState === WebSocket.OPEN) { send(text); return; }
        if (queue.length >= longestQueue) { setTimeout(function () { failAll([text]); }, 0); return; }
        queue.push(text);
        open();
      }

      names.forEach(function (name) { handlers[name] = {postMessage: post}; });
      open();
    })();

    """#
}
