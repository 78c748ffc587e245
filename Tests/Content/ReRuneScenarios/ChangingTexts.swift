import CTesseraWebKitGTK
import ReRune
import ReRuneGTK
import ScenarioFrame
import TesseraBridge
import TesseraHTTPClient
import TesseraLocales
import TesseraThreads
import TesseraWebContent

/// A label shows a text that the server changes. Arguments: the folder of the cache.
@MainActor
enum ChangingTexts {
  private final class Server: HTTPTransport {
    private let text = Locked("")

    func publish(_ text: String) { self.text.withLock { $0 = text } }

    func response(to request: HTTPRequest) async throws -> HTTPResponse {
      let isManifest = request.address.text.contains("manifest")
      let body = isManifest ? #"{"revision": 1, "locales": ["de"]}"# : #"{"title": "\#(text.withLock { $0 })"}"#
      return HTTPResponse(status: 200, body: Array(body.utf8))
    }
  }

  /// Something that the closure holds, to see whether it is released.
  private final class Held: Sendable {}

  static func run(_ arguments: [String]) async throws {
    guard arguments.count == 1 else { throw ContentFailure.loadFailed(reason: "usage: texts FOLDER") }
    let server = Server()
    let strings = OverTheAirStrings()
    strings.setup(
      StringsConfiguration(
        id: try PublishId("window"), chain: LocaleChain("de"), cacheFolder: arguments[0], transport: server))
    guard let label = gtk_label_new("") else { throw ContentFailure.loadFailed(reason: "no label") }
    g_object_ref_sink(label)
    var binds = 0
    weak var held: Held?
    do {
      let object = Held()
      held = object
      WidgetBinding.start(label, strings.changes()) { widget in
        binds += 1
        withExtendedLifetime(object) { gtk_label_set_text(OpaquePointer(widget), strings.text("title").text) }
      }
    }
    var shown = [text(of: label)]
    for title in ["eins", "zwei"] {
      server.publish(title)
      _ = await strings.checkForUpdates()
      try await becomesTrue { text(of: label) == title }
      shown.append(text(of: label))
    }
    guard binds == shown.count else { throw ContentFailure.loadFailed(reason: "\(binds) binds") }
    observe("shown", .array(shown.map(JSONValue.string)))
    observe("held by the widget", .bool(held != nil))
    g_object_unref(label)
    let before = binds
    // A second label says when the change has arrived.
    guard let witness = gtk_label_new("") else { throw ContentFailure.loadFailed(reason: "no label") }
    g_object_ref_sink(witness)
    defer { g_object_unref(witness) }
    WidgetBinding.start(witness, strings.changes()) {
      gtk_label_set_text(OpaquePointer($0), strings.text("title").text)
    }
    server.publish("drei")
    _ = await strings.checkForUpdates()
    try await becomesTrue { text(of: witness) == "drei" }
    guard text(of: witness) == "drei" else { throw ContentFailure.loadFailed(reason: "no change arrived") }
    try await expectEndOfShortWidget()
    observe("binds after its end", .integer(Int64(binds - before)))
    observe("held after its end", .bool(held != nil))
  }

  /// A first bind that destroys its widget leaves no observation behind.
  private static func expectEndOfShortWidget() async throws {
    let isEnded = Locked(false)
    do {
      let (changes, continuation) = AsyncStream<Int>.makeStream()
      continuation.onTermination = { _ in isEnded.withLock { $0 = true } }
      guard let label = gtk_label_new("") else { throw ContentFailure.loadFailed(reason: "no label") }
      g_object_ref_sink(label)
      WidgetBinding.start(label, changes) { g_object_unref($0) }
    }
    try await becomesTrue { isEnded.withLock { $0 } }
    guard isEnded.withLock({ $0 }) else { throw ContentFailure.loadFailed(reason: "the observation has no end") }
  }

  private static func text(of label: UnsafeMutablePointer<GtkWidget>) -> String {
    gtk_label_get_text(OpaquePointer(label)).map { String(cString: $0) } ?? ""
  }
}
