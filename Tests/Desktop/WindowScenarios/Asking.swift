import TesseraBridge
import TesseraThreads
import TesseraWindow

/// A page of a web origin asks for devices, and the user answers in the dialog. Arguments: the port of `site.py`, and
/// the path of the grants file.
@MainActor
enum Asking {
  static func run(_ arguments: [String]) async throws {
    guard arguments.count == 2 else { throw ContentFailure.loadFailed(reason: "usage: permissions PORT FILE") }
    let questions = Locked<[JSONValue]>([])
    let answers = Locked<[PermissionAnswer]>([])
    let window = ContentWindow(title: "permissions")
    let permissions = try Permissions(granted: [], file: arguments[1]) { question in
      questions.withLock { $0.append(.string("\(question.origin) \(question.domain.rawValue)")) }
      return answers.withLock { $0.isEmpty ? .notNow : $0.removeFirst() }
    }
    let printer = BridgeDomain("printer", methods: ["print"], wish: "wants to print.")
    let router = MessageRouter(handlers: (BridgeDomain.published + [printer]).map { Answering(domain: $0) })
    let channel = ContentChannel(["SelfNativeIOS"]) { document in
      BridgeReceiver(document, router: router, permissions: permissions, caller: .web(origin: document.origin))
    }
    let site = "http://127.0.0.1:\(arguments[0])"
    let view = ContentView(
      session: ContentSession(), rules: TwoOrigins(allowed: site, shown: site), channels: [channel])
    window.add(view)
    window.present()
    await view.loaded { view.load("\(site)/ask.html") }

    /// Sends requests at once, with these answers of the user.
    func ask(_ name: String, _ requests: [String], _ given: [PermissionAnswer]) async throws {
      answers.withLock { $0 = given }
      questions.withLock { $0 = [] }
      let list = JSONValue.array(requests.map(JSONValue.string)).text
      _ = try await view.evaluate(
        "window.answers = null; askAll(\(list)).then((all) => { window.answers = all; }); 0")
      var codes: String?
      try await becomesTrue {
        codes = try await view.evaluate("window.answers")
        return codes != nil && codes != "null"
      }
      observe(
        name,
        ["asked": .array(questions.withLock { $0 }), "codes": try codes.map { try JSONValue(text: $0) } ?? .null])
    }
    try await ask("free", ["lifecycle.getConfig", "analytics.trackEvent", "navigation.goBack"], [])
    try await ask("closed", ["documents.list"], [.notNow])
    try await ask("closed, at once again", ["documents.list"], [.always])
    try await ask("one after the other", ["secureStorage.get", "crypto.sign"], [.notNow, .notNow])
    try await ask("once, for two requests", ["nfc.isSupported", "nfc.scan"], [.once])
    try await ask("again in the same window", ["nfc.scan"], [])
    try await ask("always", ["haptic.trigger"], [.always])
    try await ask("never", ["camera.scanMRZ"], [.never])
    try await ask("never, again", ["camera.scanMRZ"], [])
    try await ask("a domain of the program", ["printer.print", "printer.print"], [.always])
    // More than may wait for an answer, but each is answered before the next.
    _ = try await view.evaluate(
      """
      window.answers = null;
      (async () => { let done = 0;
        for (let i = 0; i < 600; i++) { done += (await askAll(["analytics.trackEvent"]))[0] === "done"; }
        window.answers = done; })(); 0
      """)
    var done: String?
    try await becomesTrue {
      done = try await view.evaluate("window.answers")
      return done != nil && done != "null"
    }
    observe("600 requests", .string(done ?? ""))
    view.close()
    window.close()
  }
}

private struct Answering: BridgeHandler {
  let domain: BridgeDomain
  func handle(
    _ request: BridgeRequest, emit: @escaping @Sendable (String, JSONValue) -> Void
  ) async throws -> JSONValue { "done" }
}
