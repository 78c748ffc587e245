internal import TesseraCore
package import TesseraJSON
import TesseraLocales

/// The HTML of one screen of a flow.
///
/// The page needs the scripts of `PageScripts`, which its view adds. Their functions turn the data of the document into
/// what a person sees.
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
    for script in scripts { add("<script src=\"\(HTMLText.escaped(script.address))\"></script>\n") }
    html += body.head
    if let css = screen.css { add("<style>\(Self.styleText(css))</style>\n") }
    add("<style>\(Self.baseStyle)</style>\n</head>\n<body")
    html += body.attributes
    add(">\n")
    html += expansion.expand(body.content)
    // Before the script of the screen, which finds what a person sees. Without it the page does so at its end.
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
    return " lang=\"\(HTMLText.escaped(tag))\"" + (LocaleTag(tag)?.isRightToLeft == true ? " dir=\"rtl\"" : "")
  }

  /// A page for a screen without HTML: nobody can be caught in it.
  private static func fallback(_ label: String?, _ options: PageOptions) -> String {
    let heading = label.map { "<h1>\(HTMLText.escaped($0))</h1>" } ?? ""
    let action = "window.webkit.messageHandlers.rampkit.postMessage('rampkit:tap')"
    return """
      <main style="display: grid; min-height: 100vh; place-content: center; gap: 24px; text-align: center; \
      font-family: sans-serif">\(heading)<button type="button" onclick="\(action)">\
      \(HTMLText.escaped(options.continueLabel))</button></main>
      """
  }

  /// What the page knows. Each call is optional, so that the data is there in a browser, too.
  private static func data(
    _ screen: ScreenPayload, _ flow: OnboardingData, _ index: Int, _ context: PageContext?, _ variables: JSONObject,
    _ locale: PageLocale
  ) -> String {
    let state = HostMessage.state(currentIndex: index, screenId: screen.id, totalScreens: flow.screens.count)
    var lines = [
      "window.rampkitContext = \(ScriptData.expression(context?.json ?? PageContext.missing));",
      "window.__rampkitVariables = \(ScriptData.expression(.object(variables)));",
      "window.RK_TOTAL_SCREENS = \(flow.screens.count);", "window.__rampkitScreenIndex = \(index);",
      "window.__rampkitReceive?.(\(ScriptData.expression(.string(state.text))));",
    ]
    if !screen.translations.isEmpty {
      let map = screen.translations.mapValues { JSONValue.object(JSONObject($0.mapValues(JSONValue.string))) }
      let message: JSONValue = [
        "kind": "translations", "map": .object(JSONObject(map)), "locale": .string(locale.name),
      ]
      lines.append("window.__rampkitReceive?.(\(ScriptData.expression(.string(message.text))));")
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
      {textContent: \(ScriptData.expression(.string(js)))}));
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
