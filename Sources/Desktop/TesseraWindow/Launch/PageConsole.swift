import TesseraWebContent

/// What goes wrong in the scripts of a page, for whoever wrote the page and does not see its console.
@MainActor
final class PageConsole: ContentReceiver {
  private static let name = "tesseraConsole"

  private static let rate = ContentChannel.Rate(burst: 20, perSecond: 1)

  private let log: @Sendable (String) -> Void
  private let budget: Budget

  private init(_ budget: Budget, _ log: @escaping @Sendable (String) -> Void) {
    self.budget = budget
    self.log = log
  }

  /// - Parameter log: receives a sentence for each error, 20 at once, and then one in a second, of all documents together.
  static func channel(_ log: @escaping @Sendable (String) -> Void) -> ContentChannel {
    let budget = Budget(rate)
    return ContentChannel([name], maximumLength: 1_000, rate: rate) { _ in PageConsole(budget, log) }
  }

  /// For the beginning of documents.
  static let script = """
    (() => {
      "use strict";
      const say = (...values) => {
        try { webkit.messageHandlers.\(name).postMessage(values.map(String).join(" ").slice(0, 500)); } catch { /* not text */ }
      };
      // What stands in an address can be a portrait.
      const place = (value) => {
        const address = String(value);
        const scheme = address.slice(0, 5).toLowerCase();
        return ["data:", "blob:"].includes(scheme) ? scheme : address.replace(/[?#].*$/s, "");
      };
      addEventListener("error", ({target, message, filename, lineno}) => {
        const address = target?.src ?? target?.href;
        if (address) { say("Not loaded:", place(address)); } else { say(message, `(${place(filename)}:${lineno})`); }
      }, true);
      addEventListener("unhandledrejection", ({reason}) => say("Unhandled rejection:", reason));
      addEventListener("securitypolicyviolation", ({effectiveDirective, blockedURI, sourceFile, lineNumber}) => {
        // What is in the page itself has no file.
        const source = sourceFile || document.URL;
        say("Not allowed:", effectiveDirective, place(blockedURI), `(${place(source)}:${lineNumber})`);
      });
      const error = console.error.bind(console);
      console.error = (...values) => {
        say(...values);
        error(...values);
      };
    })();
    """

  func receive(_ message: ContentMessage) {
    if budget.takes() { log("Error of the page: \(message.text)") }
  }

  func documentEnded() {}
}

/// What the documents of a window may say together: a page that loads itself again and again has a new rate of its channel
/// each time.
@MainActor
private final class Budget {
  private let rate: ContentChannel.Rate
  private var left: Double
  private var last = ContinuousClock.now

  init(_ rate: ContentChannel.Rate) {
    self.rate = rate
    left = Double(rate.burst)
  }

  func takes() -> Bool {
    let now = ContinuousClock.now
    left = min(Double(rate.burst), left + (now - last) / .seconds(1) * Double(rate.perSecond))
    last = now
    guard left >= 1 else { return false }
    left -= 1
    return true
  }
}
