import TesseraBridge
import TesseraGrants
import TesseraThreads
import TestSupport
import Testing

/// `tessera serve --ask`.
@Suite("Questions about pages of this machine")
struct AskedGrantTests {
  private static let origin = "http://localhost:5173"
  private static let request =
    #"{"type":"request","version":1,"id":"a","domain":"nfc","method":"scan","params":{},"timestamp":1767225600000}"#

  /// What is asked, and the answers; without one the dialog is closed.
  private final class User: Sendable {
    let questions = Locked<[String]>([])
    let answers: Locked<[PermissionAnswer]>

    init(_ answers: [PermissionAnswer]) { self.answers = Locked(answers) }

    var ask: PermissionQuestions.Ask {
      { [self] question in
        questions.withLock { $0.append("\(question.origin) \(question.domain)") }
        return answers.withLock { $0.isEmpty ? .notNow : $0.removeFirst() }
      }
    }
  }

  private static func with(
    _ user: User, grants: [String] = [], log: LogLines? = nil, _ body: (ServiceUnderTest) async throws -> Void
  ) async throws {
    let handlers = BridgeDomain.published.map { EchoHandler(domain: $0) }
    let service = try await ServiceUnderTest(MessageRouter(handlers: handlers), grants: grants, ask: user.ask, log: log)
    do {
      try await body(service)
    } catch {
      await service.stop()
      throw error
    }
    await service.stop()
  }

  private static func codes(_ page: WebSocketClient, _ methods: String...) async throws -> [String?] {
    var codes: [String?] = []
    for method in methods { codes.append(try await page.ask(method).errorCode) }
    return codes
  }

  @Test("once holds for the connection, always and never for all and in the grants file")
  func answers() async throws {
    let user = User([.once, .once, .always, .never])
    try await Self.with(user) { service in
      let page = try await service.webSocket(origin: Self.origin)
      // What a page says of itself.
      #expect(try await Self.codes(page, "lifecycle.ready", "lifecycle.dismiss") == [nil, nil])
      #expect(user.questions.withLock(\.self).isEmpty)
      #expect(try await Self.codes(page, "nfc.scan", "nfc.scan") == [nil, nil])
      let other = try await service.webSocket(origin: Self.origin)
      #expect(try await Self.codes(other, "nfc.isSupported", "camera.scanMRZ") == [nil, nil])
      #expect(
        try await Self.codes(page, "camera.scanMRZ", "crypto.sign", "crypto.sign") == [
          nil, "NOT_ALLOWED", "NOT_ALLOWED",
        ])
      #expect(
        user.questions.withLock(\.self)
          == ["nfc", "nfc", "camera", "crypto"].map { "\(Self.origin) \($0)" })
      let kept = try GrantsFile.read(service.folder.file("grants")).map(\.description)
      #expect(kept == ["\(Self.origin) = camera", "\(Self.origin) = !crypto"])
    }
  }

  @Test("a closed dialog refuses, and the page cannot open another one at once")
  func closed() async throws {
    let user = User([])
    try await Self.with(user) { service in
      let page = try await service.webSocket(origin: Self.origin)
      for _ in 0..<3 { #expect(try await Self.codes(page, "nfc.scan") == ["NOT_ALLOWED"]) }
      #expect(user.questions.withLock(\.count) == 1)
    }
  }

  @Test("a page learns that nobody was asked where no dialog can be shown, and what would grant it the method")
  func notShown() async throws {
    let user = User([.notShown])
    let log = LogLines()
    try await Self.with(user, log: log) { service in
      let page = try await service.webSocket(origin: Self.origin)
      for _ in 0..<2 {
        let error = try await page.ask("nfc.scan")["error"]
        #expect(error?["code"] == "NOT_ALLOWED")
        #expect(error?["message"] == "No dialog could be shown, so that nobody was asked.")
        #expect(error?["details"]?["command"] == .string("tessera grants add \(Self.origin)=nfc.scan"))
      }
      #expect(user.questions.withLock(\.count) == 1, "no program is started for each request")
    }
    #expect(log.count("warning: Nobody was asked about a page") == 1)
  }

  @Test("a dialog that is withdrawn before it is shown says nothing about the display")
  func withdrawn() async throws {
    let opened = Locked(false)
    let log = LogLines()
    let router = MessageRouter(handlers: [EchoHandler(domain: .nfc)])
    let service = try await ServiceUnderTest(
      router, grants: [],
      ask: { _ in
        opened.withLock { $0 = true }
        try? await untilCancelled()
        return .notShown
      }, log: log)
    let page = try await service.webSocket(origin: Self.origin)
    page.post(Self.request)
    try await eventually { opened.withLock(\.self) }
    #expect(try await page.ask("nfc.cancelScan").errorCode == nil)
    // Returns after the end of the dialog.
    await service.stop()
    #expect(log.count("Nobody was asked") == 0)
  }

  @Test("pages of other machines are not asked about, and what is denied or granted is not either")
  func others() async throws {
    let user = User([])
    let grants = ["https://app.test=nfc", "\(Self.origin)=nfc.isSupported,!crypto"]
    try await Self.with(user, grants: grants) { service in
      await #expect(throws: WebSocketClient.Refused.self) { try await service.webSocket(origin: "https://other.test") }
      let page = try await service.webSocket(origin: "https://app.test")
      #expect(try await Self.codes(page, "nfc.scan", "camera.scanMRZ") == [nil, "NOT_ALLOWED"])
      let local = try await service.webSocket(origin: Self.origin)
      #expect(try await Self.codes(local, "nfc.isSupported", "crypto.sign") == [nil, "NOT_ALLOWED"])
      #expect(user.questions.withLock(\.self).isEmpty)
      #expect(try await service.unix().ask("camera.scanMRZ").errorCode == nil)
    }
  }

  @Test("the dialog is closed when the last page that waits for it is gone, and when the service stops")
  func gone() async throws {
    let (opened, closed) = (Locked(0), Locked(0))
    let ask: PermissionQuestions.Ask = { _ in
      opened.withLock { $0 += 1 }
      try? await untilCancelled()
      closed.withLock { $0 += 1 }
      return .notNow
    }
    let router = MessageRouter(handlers: [EchoHandler(domain: .nfc)])
    let service = try await ServiceUnderTest(router, grants: [], ask: ask)
    var pages: [WebSocketClient] = []
    for _ in 0..<2 {
      let page = try await service.webSocket(origin: Self.origin)
      page.post(Self.request)
      // Messages are read in their order.
      #expect(try await page.ask("lifecycle.ready").errorCode == "DOMAIN_NOT_FOUND")
      pages.append(page)
    }
    try await eventually { opened.withLock(\.self) == 1 }
    // Its end closes the connection.
    pages.removeFirst()
    try await eventually { service.server.connectionCount == 1 }
    #expect(closed.withLock(\.self) == 0)
    pages.removeAll()
    try await eventually { closed.withLock(\.self) == 1 }
    // Nobody closed it, so that the page may ask again.
    let page = try await service.webSocket(origin: Self.origin)
    page.post(Self.request)
    try await eventually { opened.withLock(\.self) == 2 }
    await service.stop()
    #expect(closed.withLock(\.self) == 2)
  }

  @Test("what only ends a scan is never asked about, nor what does not exist")
  func endings() async throws {
    let user = User([.always])
    try await Self.with(user) { service in
      let page = try await service.webSocket(origin: Self.origin)
      #expect(try await Self.codes(page, "nfc.cancelScan", "camera.stopCamera", "nfc.stopWatching") == [nil, nil, nil])
      #expect(try await Self.codes(page, "nfc.nothing", "lifecycle.getConfig") == ["METHOD_NOT_FOUND", "NOT_ALLOWED"])
      #expect(user.questions.withLock(\.self).isEmpty)
    }
  }
}
