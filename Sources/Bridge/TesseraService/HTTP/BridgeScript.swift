import TesseraBridge
import TesseraCore
internal import TesseraWebClient

/// The scripts that a page loads from the service.
enum BridgeScript: String, CaseIterable {
  /// Connects the unmodified client of a mobile SDK, or any other one, to the service in an ordinary browser.
  ///
  /// It provides `window.webkit.messageHandlers.SelfNativeIOS` (and its older name `selfNative`) over the WebSocket. The
  /// service writes its address into the script, so that it works as a plain script, as a module, as a copy in the page
  /// and as a copy on the page's own server. Responses and events go to `window.SelfNativeBridge`.
  ///
  /// Messages are queued until the socket is open. After a lost or failed connection, the script reconnects when there is
  /// a message to send, with a limited number of attempts. Requests that were sent on a lost connection fail with the
  /// code of the closing or `NOT_AVAILABLE`, since no other connection receives their responses. A message that exceeds
  /// the maximum length is not sent; only its own request fails. The script logs connection errors to the page's console.
  case connection = "/bridge.js"
  /// The same, and Tessera's own client as a module.
  case client = "/tessera.js"
  /// The types of the module.
  case types = "/tessera.d.ts"

  /// The text in UTF-8.
  ///
  /// - Parameter host: the host and port under which the page found the service, one of `RequestGate.hosts`.
  func text(host: String, longestMessage: Int) -> [UInt8] {
    let connection = Self.template.replacing("HOST", with: host)
      .replacing("LONGEST_MESSAGE", with: String(longestMessage))
    return switch self {
    case .connection: Array(connection.utf8)
    case .client: Array(Self.unlessConnected.utf8) + Array(connection.utf8) + WebClient.module
    case .types: WebClient.types
    }
  }

  /// The text for a page of this machine without a grant: it tells the page's console what would grant it something. The
  /// client has no connection then.
  func explanation(for origin: WebOrigin) -> [UInt8] {
    let grant = Grant(.web(origin: origin.canonical), [Grant.Permission(.nfc, "scan")])
    let text =
      "Tessera: pages of \(origin.canonical) have no grant. The user can give one; the next request of a page with "
      + "tessera.js then connects, and any other page has to be loaded again: \(grant.command)"
    // The client of a page reads the command from its script element.
    let line = Array(
      """
      console.warn(\(ScriptLiteral.quote(text)));
      if (document.currentScript) { document.currentScript.dataset.command = \(ScriptLiteral.quote(grant.command)); }

      """.utf8)
    return switch self {
    case .connection: line
    case .client: line + WebClient.module
    case .types: WebClient.types
    }
  }

  /// A page in a window, and one that has loaded `bridge.js`, is connected.
  private static let unlessConnected =
    "if (!(window.webkit && window.webkit.messageHandlers && window.webkit.messageHandlers.SelfNativeIOS))\n"

  private static let template = #"""
    (function () {
      "use strict";
      var longestQueue = 256, longestPause = 8000, attempts = 5, longestMessage = LONGEST_MESSAGE;
      var address = "ws://HOST/bridge";

      function causes() {
        return "Possible causes: "
          + "no service is running there (start it: tessera serve --websocket " + "HOST".replace("localhost", "127.0.0.1")
          + "); this origin has no grant (for example tessera grants add " + window.origin + "=nfc.scan); the page's "
          + "Content-Security-Policy does not allow connect-src ws://HOST; the browser does not allow this page to "
          + "connect to this machine.";
      }

      // Logs a message unless it is the same as the last one.
      var lastMessage = "";
      function report(level, text) {
        if (lastMessage !== text && typeof console === "object") { console[level]("Tessera: " + text); }
        lastMessage = text;
      }

      function reportUnreachable() {
        if (window.origin === "null") {
          report("error", "This page has no origin (it is a file or in a sandboxed frame), so it cannot have a grant. "
            + "Serve it from http://localhost or over https.");
          return;
        }
        report("warn", "No connection to " + address + " for pages of " + window.origin + ". " + causes()
          + " The bridge tries again with the next message.");
      }

      var webkit = window.webkit = window.webkit || {};
      var handlers = webkit.messageHandlers = webkit.messageHandlers || {};
      var names = ["SelfNativeIOS", "selfNative"].filter(function (name) { return !handlers[name]; });
      if (names.length === 0) {
        report("warn", "The page already has a bridge (window.webkit.messageHandlers), so this script does nothing.");
        return;
      }

      var socket = null, queue = [], failures = 0, timer = null;
      // Whether the last attempt failed, or its connection was lost.
      var isLost = false;
      // Those who wait for the present attempt; they get the reason if it fails.
      var waitingForOpen = [];
      function decided(reason) {
        var all = waitingForOpen;
        waitingForOpen = [];
        all.forEach(function (done) { done(reason); });
      }
      // The domains of unanswered requests, by their identifiers.
      var pending = new Map();

      function identify(text) {
        try {
          var message = JSON.parse(text);
          if (message && typeof message.id === "string") { return message; }
        } catch (error) { /* The service drops it, too. */ }
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
        explain(message.error);
        deliver("_handleResponse", text);
      }

      // What the developer of the page can mend, each line once and a few in all.
      var told = new Set();
      function tell(text) {
        if (told.has(text) || told.size >= 32) { return; }
        told.add(text);
        report("warn", text);
      }

      function explain(error) {
        if (!error) { return; }
        var command = error.details && error.details.command;
        if (error.code === "NOT_ALLOWED" && typeof command === "string") {
          tell(error.message + " The user can allow it: " + command);
        } else if (error.code === "MALFORMED_REQUEST" || error.code === "METHOD_NOT_FOUND") {
          tell(error.message);
        }
      }

      function fail(id, domain, code, message) {
        deliver("_handleResponse", JSON.stringify({
          type: "response", version: 1, id: "local-" + id, requestId: id, domain: domain, timestamp: Date.now(),
          success: false, data: null,
          error: {code: code || "NOT_AVAILABLE", message: message || "The device service is not connected.", details: null}
        }));
      }

      function failAll(texts, reason) {
        texts.forEach(function (text) {
          var message = identify(text);
          if (message) { fail(message.id, message.domain, "NOT_AVAILABLE", reason); }
        });
      }

      // What the page's policy forbids stays forbidden: nothing waits for another attempt.
      window.addEventListener("securitypolicyviolation", function (event) {
        var isOpen = socket && socket.readyState === WebSocket.OPEN;
        if (isOpen || event.disposition !== "enforce" || event.blockedURI !== address && event.blockedURI !== "ws://HOST") {
          return;
        }
        var reason = "The Content-Security-Policy of this page does not allow the connection to the device service. Add "
          + "ws://HOST to its connect-src.";
        report("error", reason);
        if (socket && socket.close) { socket.close(); }
        socket = null;
        isLost = true;
        clearTimeout(timer);
        timer = null;
        var failed = queue;
        queue = [];
        failAll(failed, reason);
        decided(reason);
      });

      function closed(own, wasOpen, reason) {
        if (socket !== own) { return; }
        socket = null;
        // The next message connects an idle page again.
        isLost = reason !== "IDLE";
        if (reason) {
          report("warn", "The service closed the connection: " + reason + ".");
        } else if (wasOpen) {
          report("warn", "The connection to " + address + " was lost. The bridge reconnects with the next message.");
        } else {
          reportUnreachable();
        }
        var lost = Array.from(pending);
        pending.clear();
        // Later, since a handler of an answer may send the next request.
        setTimeout(function () {
          lost.forEach(function (entry) {
            fail(entry[0], entry[1], reason, reason ? "" : "The connection to the device service was lost.");
          });
        }, 0);
        decided(
          reason ? "The service closed the connection: " + reason + "."
            : "The device service is not connected. " + causes());
        if (queue.length === 0) { return; }
        failures += 1;
        if (failures >= attempts) {
          var failed = queue;
          queue = [];
          failures = 0;
          failAll(failed, "The device service is not connected. " + causes());
          return;
        }
        if (timer === null) {
          timer = setTimeout(function () { timer = null; open(); }, Math.min(longestPause, 125 * Math.pow(2, failures)));
        }
      }

      function send(text) {
        var message = identify(text);
        if (message) { pending.set(message.id, message.domain); } else {
          tell("A message gets no response: it is not an object of JSON with a text \"id\".");
        }
        socket.send(text);
      }

      function open() {
        if (socket || timer !== null) { return; }
        var own, isOpen = false;
        try {
          own = new WebSocket(address);
        } catch (error) {
          // Some browsers throw here on https pages (mixed content).
          socket = own = {};
          setTimeout(function () { closed(own, false, ""); }, 0);
          return;
        }
        socket = own;
        own.onopen = function () {
          isOpen = true;
          isLost = false;
          failures = 0;
          if (lastMessage) { report("info", "Connected to " + address + "."); }
          var waiting = queue;
          queue = [];
          waiting.forEach(send);
          decided(null);
        };
        own.onmessage = function (event) { if (typeof event.data === "string") { receive(event.data); } };
        own.onclose = function (event) { closed(own, isOpen, event.reason); };
        // Chromium sends no close event if the policy of the page forbids the connection.
        own.onerror = function () {
          setTimeout(function () { if (own.readyState === WebSocket.CLOSED) { closed(own, isOpen, ""); } }, 500);
        };
      }

      // A UTF-16 code unit is at most three bytes in UTF-8.
      function isTooLong(text) {
        if (text.length * 3 <= longestMessage) { return false; }
        return text.length > longestMessage || new TextEncoder().encode(text).length > longestMessage;
      }

      function refuse(text, code, reason) {
        var message = identify(text);
        if (!message) { return; }
        setTimeout(function () { fail(message.id, message.domain, code, reason); }, 0);
      }

      function post(body) {
        var text = typeof body === "string" ? body : JSON.stringify(body);
        if (typeof text !== "string") { return; }
        if (isTooLong(text)) {
          refuse(text, "MESSAGE_TOO_LARGE", "The message exceeds the maximum length of " + longestMessage + " bytes.");
          return;
        }
        if (socket && socket.readyState === WebSocket.OPEN) { send(text); return; }
        if (queue.length >= longestQueue) {
          refuse(text, "TOO_MANY_REQUESTS", "Too many requests wait for the connection to the device service.");
          return;
        }
        queue.push(text);
        open();
      }

      // For tessera.js: where the page is connected, and whether it is.
      function whenOpen(done) {
        if (socket && socket.readyState === WebSocket.OPEN) { done(null); return; }
        waitingForOpen.push(done);
        open();
      }

      names.forEach(function (name) {
        handlers[name] = {
          postMessage: post, address: "http://HOST", isLost: function () { return isLost; }, whenOpen: whenOpen
        };
      });
      open();
    })();

    """#
}
