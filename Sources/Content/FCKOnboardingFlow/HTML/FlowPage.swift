import TesseraJSON

/// A showing of a flow in one HTML document.
///
/// The page says what the user does, and draws what it is told; all state is here. Its owner loads `html`, gives the
/// texts that the page sends by the handler `handler` to `received(_:)`, and calls the page's function at `receiver`
/// with the updates.
package struct FlowPage: Sendable {
  /// What the owner of the page has to do.
  package struct Output: Sendable, Equatable {
    /// The only argument for the function at `FlowPage.receiver`; nil if nothing is drawn.
    package var update: String?
    /// What is not drawn: `playHaptics`, `startTimer`, `keepAnswers`, `event`, `note` and `finished`.
    package var effects: [FlowEffect] = []

    /// The update as a script that can be evaluated in the page.
    package var script: String? {
      update.map { "window.\(FlowPage.receiver.joined(separator: "."))(\(JSONValue.string($0).scriptExpression))" }
    }
  }

  /// The names that lead from `window` to the function that draws an update.
  package static let receiver = ["fckApply"]
  /// The page sends with `window.webkit.messageHandlers.fck.postMessage(text)`.
  package static let handler = "fck"
  /// The length of the page's longest message, in bytes of UTF-8.
  package static let longestMessage = FlowMessage.maximumLength

  package private(set) var session: OnboardingSession
  private let nonce: String
  private var writer: FlowPageWriter?

  package init(_ flow: FlowConfig, words: FlowWords = FlowWords()) {
    session = OnboardingSession(flow, words: words, forgetsPartsOfDates: true)
    nonce = FlowPageDocument.nonce()
    setWriter()
  }

  /// The page is loaded again. Called before `html`.
  package mutating func reload() { session.forgetPartsOfDates() }

  /// The whole document with the shown screen, also for a page that is loaded again.
  package var html: String {
    FlowPageDocument.html(content, title: session.words.title, nonce: nonce)
  }

  /// The flow is shown. Called once, first.
  package mutating func begin() -> Output { Output(effects: session.begin()) }

  /// The page sent a text. One that is malformed, or that names nothing on the shown screen, is ignored.
  package mutating func received(_ text: String) -> Output {
    guard let message = FlowMessage(text: text), let element = session.element(message.elementId) else {
      return Output()
    }
    var operations: [JSONValue] = []
    var effects: [FlowEffect] = []
    for input in message.inputs(element) { apply(input, to: &operations, &effects) }
    return Self.output(operations, effects)
  }

  /// The program did something: a timer ended, or the user pressed a key of the window.
  package mutating func received(_ input: FlowInput) -> Output {
    var operations: [JSONValue] = []
    var effects: [FlowEffect] = []
    apply(input, to: &operations, &effects)
    return Self.output(operations, effects)
  }

  // MARK: - Drawing

  private mutating func apply(_ input: FlowInput, to operations: inout [JSONValue], _ effects: inout [FlowEffect]) {
    // While the user types, the field shows what they typed.
    let typing: String? =
      switch input {
      case .text(let id, _), .date(let id, _), .unreadableDate(let id, _): id
      default: nil
      }
    for effect in session.received(input) {
      switch effect {
      case .redraw(let id):
        if let operation = redraw(id, isTyping: typing.map(id.hasBytes) ?? false) { operations.append(operation) }
      case .show(_, let direction): operations.append(show(direction))
      case .animatePress(let id, let press): operations.append(self.press(id, press))
      case .focus(let id): operations.append(["kind": "focus", "id": pageId(id)])
      case .playHaptics, .startTimer, .keepAnswers, .event, .note, .finished: effects.append(effect)
      }
    }
  }

  private static func output(_ operations: [JSONValue], _ effects: [FlowEffect]) -> Output {
    let update: JSONValue? = operations.isEmpty ? nil : .array(operations)
    return Output(update: update?.text, effects: effects)
  }

  private func redraw(_ elementId: String, isTyping: Bool) -> JSONValue? {
    guard let writer, let node = session.node(elementId) else { return nil }
    return [
      "kind": "redraw", "id": pageId(elementId), "html": .string(writer.html(node)), "isTyping": .bool(isTyping),
    ]
  }

  /// From now on the ids of the page are those of the shown screen.
  private mutating func show(_ direction: FlowDirection) -> JSONValue {
    setWriter()
    return ["kind": "show", "html": .string(content), "direction": .string(direction.rawValue)]
  }

  private func press(_ elementId: String, _ press: PressEffect) -> JSONValue {
    [
      "kind": "press", "id": pageId(elementId), "scale": Self.number(press.scale),
      "opacity": Self.number(press.opacity), "duration": Self.number(press.duration),
    ]
  }

  private func pageId(_ elementId: String) -> JSONValue { .string(writer?.pageId(elementId) ?? "") }

  /// The shown screen.
  private var content: String { session.screen.flatMap { root in writer?.html(screen: root) } ?? "" }

  private mutating func setWriter() {
    let screens = session.flow.screens
    guard screens.indices.contains(session.screenIndex) else { return }
    writer = FlowPageWriter(screens[session.screenIndex], words: session.words)
  }

  private static func number(_ number: Double) -> JSONValue { JSONNumber(number).map(JSONValue.number) ?? 0 }
}

/// The HTML document around a screen.
enum FlowPageDocument {
  static func html(_ content: String, title: String, nonce: String) -> String {
    var html = FlowHTML()
    html.raw("<!doctype html>\n<html>\n<head>\n<meta charset=\"utf-8\">\n<meta http-equiv=\"Content-Security-Policy\"")
    html.attribute("content", policy(nonce))
    html.raw(">\n<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n<title>")
    html.text(title)
    html.raw("</title>\n<style")
    html.attribute("nonce", nonce)
    html.raw(">\n")
    html.own(PackageResources.fck_css)
    html.raw("</style>\n</head>\n<body>\n<main id=\"fck\" tabindex=\"-1\">")
    html.own(Array(content.utf8))
    html.raw("</main>\n<script")
    html.attribute("nonce", nonce)
    html.raw(">\n")
    html.own(PackageResources.fck_js)
    html.raw("</script>\n</body>\n</html>\n")
    return html.string
  }

  /// Our own script and style sheet, pictures with https, and nothing else (W3C CSP Level 3). The attributes `style` are
  /// ours, too: no markup of the flow gets into the page.
  static func policy(_ nonce: String) -> String {
    "default-src 'none'; script-src 'nonce-\(nonce)'; style-src-elem 'nonce-\(nonce)'; style-src-attr 'unsafe-inline'; "
      + "img-src https:; base-uri 'none'; form-action 'none'"
  }

  /// 128 bits of the system's generator, in hexadecimal.
  static func nonce() -> String {
    var generator = SystemRandomNumberGenerator()
    return [generator.next(), generator.next()].map(\.hexadecimal).joined().lowercased()
  }
}
