package import TesseraCore
package import TesseraJSON
import TesseraLocales

/// The HTML of one screen of a flow.
///
/// The page needs the scripts of `PageScripts`, which its view adds. Their functions turn the data of the document into
/// what the user sees.
package struct PageDocument: Sendable {
  /// The document.
  package let html: String
  /// The content security policy of the flow's pages (W3C CSP Level 3).
  package let securityPolicy: String

  /// - Parameters:
  ///   - flow: the flow of the screen.
  ///   - index: the place of the screen in the flow.
  ///   - context: what the page knows of the device and its user.
  ///   - variables: the present values of the flow's variables.
  ///   - locale: for example `de_AT`; empty if it is not known.
  package init(
    _ screen: ScreenPayload, of flow: OnboardingData, index: Int, context: PageContext?, variables: JSONObject,
    locale: String, options: PageOptions = PageOptions()
  ) {
    let scripts = flow.requiredScripts.compactMap { address in
      LinkAddress.scriptOrigin(address).map { (address: address, host: $0.canonical) }
    }
    let hosts = scripts.map(\.host).reduce(into: [String]()) { if !$0.contains($1) { $0.append($1) } }
    securityPolicy = Self.policy(hosts)
    let body = PageBody(screen.html.isEmpty ? Self.fallback(screen.label, options) : screen.html)
    var expansion = ComponentExpansion(flow.components)
    let locale = PageLocale(locale)
    var html: [UInt8] = []
    func add(_ text: String) { html += Array(text.utf8) }
    add("<!doctype html>\n<html\(Self.language(locale, screen))>\n<head>\n<meta charset=\"utf-8\">\n")
    add("<meta name=\"viewport\" content=\"\(Self.viewport)\">\n")
    // Before everything that the flow may write: an element without an end could swallow it.
    add("<script>\n\(Self.data(screen, flow, index, context, variables, locale))</script>\n")
    for host in hosts {
      add("<link rel=\"preconnect\" href=\"\(host)\">\n<link rel=\"dns-prefetch\" href=\"\(host)\">\n")
    }
    for script in scripts { add("<script src=\"\(script.address.escapedMarkup())\"></script>\n") }
    html += body.head
    if let css = screen.css { add("<style>\(Self.styleText(css))</style>\n") }
    add("<style>\(Self.baseStyle)</style>\n</head>\n<body")
    html += body.attributes
    add(">\n")
    html += expansion.expand(body.content)
    // Before the script of the screen, which finds what the user sees. Without it the page does so at its end.
    add("\n<script>window.__rampkitReceive?.('{\"kind\":\"content\"}');</script>\n")
    if let js = screen.js { add(Self.element(js)) }
    add("</body>\n</html>\n")
    self.html = String(decoding: html, as: UTF8.self)
  }

  // MARK: - Parts

  static let viewport =
    "width=device-width, initial-scale=1, minimum-scale=1, maximum-scale=1, user-scalable=no, viewport-fit=cover"

  /// The rule for elements with actions counts less than any of the screen; the others replace those of the screen.
  private static let baseStyle = """
    html, body { margin: 0; overflow-x: hidden; }
    * { -webkit-tap-highlight-color: transparent; }
    ::selection { background: transparent; }
    input::selection, textarea::selection { background: Highlight; }
    :where([data-tap-dynamic], [data-tapdynamic], [tapdynamic], [data-dynamic-tap]) {
      cursor: pointer; transition: opacity 80ms, transform 80ms;
    }
    [data-rampkit-pressed] { opacity: 0.7; transform: scale(0.98); }
    """

  /// Scripts of the page itself and of the hosts that the flow names; pictures, styles, fonts and data from anywhere with
  /// https; no frames, since a frame could use the page's channel.
  private static func policy(_ hosts: [String]) -> String {
    let scripts = (["'unsafe-inline'"] + hosts).joined(separator: " ")
    return """
      default-src 'none'; script-src \(scripts); style-src 'unsafe-inline' https: data:; img-src https: data: blob:; \
      font-src https: data:; media-src https: data: blob:; connect-src https: data:; frame-src 'none'; \
      object-src 'none'; base-uri 'none'; form-action 'none'
      """
  }

  private static func language(_ locale: PageLocale, _ screen: ScreenPayload) -> String {
    guard let tag = locale.tag(translations: screen.translations.keys) else { return "" }
    return " lang=\"\(tag.escapedMarkup())\"" + (LocaleTag(tag)?.isRightToLeft == true ? " dir=\"rtl\"" : "")
  }

  /// A page for a screen without HTML: nobody can be caught in it.
  private static func fallback(_ label: String?, _ options: PageOptions) -> String {
    let heading = label.map { "<h1>\($0.escapedMarkup())</h1>" } ?? ""
    let action = "window.webkit.messageHandlers.rampkit.postMessage('rampkit:tap')"
    return """
      <main style="display: grid; min-height: 100vh; place-content: center; gap: 24px; text-align: center; \
      font-family: sans-serif">\(heading)<button type="button" onclick="\(action)">\
      \(options.continueLabel.escapedMarkup())</button></main>
      """
  }

  /// What the page knows. Each call is optional, so that the data is there in a browser, too.
  private static func data(
    _ screen: ScreenPayload, _ flow: OnboardingData, _ index: Int, _ context: PageContext?, _ variables: JSONObject,
    _ locale: PageLocale
  ) -> String {
    let state = HostMessage.state(currentIndex: index, screenId: screen.id, totalScreens: flow.screens.count)
    var lines = [
      "window.rampkitContext = \((context?.json ?? PageContext.missing).scriptExpression);",
      "window.__rampkitVariables = \(JSONValue.object(variables).scriptExpression);",
      "window.RK_TOTAL_SCREENS = \(flow.screens.count);", "window.__rampkitScreenIndex = \(index);",
      "window.__rampkitReceive?.(\(JSONValue.string(state.text).scriptExpression));",
    ]
    if !screen.translations.isEmpty {
      let map = screen.translations.mapValues { JSONValue.object(JSONObject($0.mapValues(JSONValue.string))) }
      let message: JSONValue = [
        "kind": "translations", "map": .object(JSONObject(map)), "locale": .string(locale.name),
      ]
      lines.append("window.__rampkitReceive?.(\(JSONValue.string(message.text).scriptExpression));")
    }
    return lines.map { $0 + "\n" }.joined()
  }

  /// An element with a script of the screen: apart from ours, so that neither suffers from an error of the other.
  ///
  /// A script with `</script` or `<!--` in it would end its element early or never. No way of writing it differently is
  /// right in every place of a program; so such a script is data, and a script makes its element.
  private static func element(_ js: String) -> String {
    guard mayEndElement(js) else { return "<script>\n\(js)\n</script>\n" }
    return """
      <script>
      document.body.appendChild(Object.assign(document.createElement("script"), \
      {textContent: \(JSONValue.string(js).scriptExpression)}));
      </script>

      """
  }

  private static func mayEndElement(_ js: String) -> Bool {
    ["</script", "<script", "<!--"].contains { !positions(of: $0, in: js).isEmpty }
  }

  /// CSS for a `<style>` element. `</style` can stand in strings, addresses and comments only, and there the escape of
  /// CSS means the same.
  static func styleText(_ css: String) -> String {
    let bytes = Array(css.utf8)
    var text: [UInt8] = []
    var start = 0
    for position in positions(of: "</style", in: css) {
      text += bytes[start..<position]
      text += Array("\\3C ".utf8)
      start = position + 1
    }
    text += bytes[start...]
    return String(decoding: text, as: UTF8.self)
  }

  /// Where a text of ASCII in lower case stands, in any case; in bytes.
  private static func positions(of wanted: String, in text: String) -> [Int] {
    let wanted = Array(wanted.utf8)
    let bytes = Array(text.utf8)
    var positions: [Int] = []
    var index = 0
    while index + wanted.count <= bytes.count {
      if wanted.indices.allSatisfy({ HTMLScanner.lowercased(bytes[index + $0]) == wanted[$0] }) {
        positions.append(index)
      }
      index += 1
    }
    return positions
  }
}

/// What the program says to a page: the only argument of the page's function at `PageScripts.receiver`.
package enum HostMessage: Sendable, Equatable {
  /// Values of variables.
  case variables(JSONObject)
  /// Where the flow stands.
  case state(currentIndex: Int, screenId: String, totalScreens: Int)
  /// The page is shown, or was left. The first tells it to run its on-open actions.
  case visible(Bool, screenIndex: Int, screenId: String)

  package var text: String { json.text }

  private var json: JSONValue {
    switch self {
    case .variables(let variables): ["kind": "variables", "vars": .object(variables)]
    case .state(let currentIndex, let screenId, let totalScreens):
      [
        "kind": "state", "currentIndex": .integer(Int64(currentIndex)), "screenId": .string(screenId),
        "totalScreens": .integer(Int64(totalScreens)),
      ]
    case .visible(let isVisible, let screenIndex, let screenId):
      [
        "kind": "visible", "isVisible": .bool(isVisible), "screenIndex": .integer(Int64(screenIndex)),
        "screenId": .string(screenId),
      ]
    }
  }
}

/// The addresses that a flow may name.
package enum LinkAddress {
  /// No address that the user opens is longer.
  package static let longest = 2_048

  /// Whether an address may be opened outside of the flow: it is an absolute one of http or https, or one of mail, in
  /// any case, and has neither spaces nor control characters.
  package static func isOpened(_ address: String) -> Bool {
    guard address.utf8.count <= longest, !address.unicodeScalars.contains(where: isSpaceOrControl) else { return false }
    let bytes = address.utf8
    return ["https://", "http://", "mailto:"].contains { start in
      bytes.count > start.utf8.count
        && zip(bytes, start.utf8).allSatisfy { HTMLScanner.lowercased($0) == $1 }
    }
  }

  /// The origin from which a script is loaded; nil if it is none of https, and the script is not loaded.
  package static func scriptOrigin(_ address: String) -> WebOrigin? {
    WebOrigin(url: address).flatMap { $0.scheme == .https ? $0 : nil }
  }

  private static func isSpaceOrControl(_ scalar: Unicode.Scalar) -> Bool {
    scalar.properties.isWhitespace || scalar.properties.generalCategory == .control
  }
}
