import Cryptography
import Failures
import Foundation
import TestSupport
import Testing

@testable import DBus
@testable import SecretService

/// A private bus with a service on it that behaves as its script says.
struct FakeLab {
  let lab: SecretServiceLab
  let fake: FakeSecretService
  let service: SecretService
  static let attributes = ["xdg:schema": "org.tessera.Test"]

  init(_ script: FakeSecretService.Script = .init(), call: Duration = .seconds(60), prompt: Duration = .seconds(120))
    async throws
  {
    lab = try await SecretServiceLab(hasKeyring: false)
    fake = try FakeSecretService(lab.address, script)
    let limits = SecretService.Limits(call: call, prompt: prompt)
    service = try #require(await SecretService.connect(address: lab.address, limits: limits))
  }

  func stop() {
    fake.stop()
    lab.stop()
  }

  func store(_ text: String = "one") async throws {
    try await service.store(SecretBytes(text.utf8), label: "fake", attributes: Self.attributes)
  }
}

@Suite(
  "Prompts of a Secret Service", .serialized,
  .enabled(if: SecretServiceLab.isWanted, "\(SecretServiceLab.obstacle ?? "")"))
struct PromptTests {
  @Test("a locked keyring is unlocked by its prompt")
  func unlocking() async throws {
    let lab = try await FakeLab(.init(isLocked: true))
    defer { lab.stop() }
    try await lab.store()
    #expect(lab.fake.calls.count { $0 == "Prompt" } == 1)
    #expect(lab.fake.secret == Array("one".utf8) && lab.fake.label == "fake")
    #expect(try await lab.service.lookup(FakeLab.attributes) == SecretBytes("one".utf8))
    #expect(await lab.service.encryptsTransfer == false, "it answered NotSupported")
    try await lab.store("two")
    #expect(try await lab.service.lookup(FakeLab.attributes) == SecretBytes("two".utf8))
    #expect(lab.fake.calls.count { $0 == "CreateItem" } == 1, "the second time replaces")
    #expect(lab.fake.calls.count { $0 == "OpenSession" } == 2, "one attempt, one session, for all of it")
    #expect(try await lab.service.delete(FakeLab.attributes))
    #expect(try await lab.service.lookup(FakeLab.attributes) == nil)
  }

  @Test("an item without a schema is replaced, though the service shows it with a general one")
  func generalSchema() async throws {
    let lab = try await FakeLab(.init(addsSchema: true))
    defer { lab.stop() }
    for text in ["one", "two"] {
      try await lab.service.store(SecretBytes(text.utf8), label: text, attributes: ["name": "x"])
    }
    #expect(lab.fake.calls.count { $0 == "CreateItem" } == 1)
    #expect(lab.fake.secret == Array("two".utf8) && lab.fake.label == "two")
  }

  @Test("a collection is created where there is none, and item prompts are shown")
  func creating() async throws {
    let lab = try await FakeLab(.init(hasCollection: false, promptsForItems: true))
    defer { lab.stop() }
    try await lab.store()
    #expect(lab.fake.calls.count { $0 == "Prompt" } == 2)
    #expect(lab.fake.calls.contains("CreateCollection"))
    #expect(try await lab.service.lookup(FakeLab.attributes) == SecretBytes("one".utf8))
    #expect(try await lab.service.delete(FakeLab.attributes))
    #expect(lab.fake.calls.count { $0 == "Prompt" } == 3)
  }

  @Test("a dismissed prompt is told as that, whatever it was for", arguments: [true, false])
  func dismissal(_ isForUnlocking: Bool) async throws {
    let lab = try await FakeLab(
      .init(isLocked: isForUnlocking, hasCollection: isForUnlocking, promptEnd: .dismissed))
    defer { lab.stop() }
    await #expect(throws: SecretServiceError.promptDismissed) { try await lab.store() }
    #expect(!lab.fake.calls.contains("CreateItem"))
  }

  @Test("a prompt that nobody answers ends, and is taken off the screen")
  func unanswered() async throws {
    let lab = try await FakeLab(.init(isLocked: true, promptEnd: .never), prompt: .milliseconds(300))
    defer { lab.stop() }
    await #expect(throws: SecretServiceError.promptTimedOut) { try await lab.store() }
    #expect(lab.fake.calls.suffix(2) == ["Prompt", "Dismiss"])
    #expect(!lab.fake.calls.contains("CreateItem"))
  }

  @Test("a prompt is completed by the service only, not by whoever says so")
  func forgery() async throws {
    let lab = try await FakeLab(.init(isLocked: true, promptEnd: .never), prompt: .seconds(1))
    defer { lab.stop() }
    let stored = Task { try await lab.store() }
    #expect(await Waiting.until { lab.fake.calls.contains("Prompt") })
    // To everybody who asked for it, and to everybody by name, which needs nobody's asking.
    for destination in [[]] + (0..<5).map({ ["--dest=:1.\($0)"] }) {
      let forged = try await lab.lab.run(
        "dbus-send",
        ["--session", "--type=signal"] + destination
          + ["/prompt/unlock", "org.freedesktop.Secret.Prompt.Completed", "boolean:true", "variant:string:"])
      #expect(forged.status == 0)
    }
    await #expect(throws: SecretServiceError.promptTimedOut) { try await stored.value }
    #expect(!lab.fake.calls.contains("CreateItem"))
  }

  @Test("cancelling the task ends the wait at once and dismisses the prompt")
  func cancellation() async throws {
    let lab = try await FakeLab(.init(isLocked: true, promptEnd: .never))
    defer { lab.stop() }
    let task = Task { try await lab.store() }
    #expect(await Waiting.until { lab.fake.calls.contains("Prompt") })
    let start = ContinuousClock.now
    task.cancel()
    await #expect(throws: CancellationError.self) { try await task.value }
    #expect(.now - start < .seconds(30), "well before the limit of a call")
    #expect(lab.fake.calls.last == "Dismiss")
    // Before it begins, too.
    let late = Task {
      withUnsafeCurrentTask { $0?.cancel() }
      return try await lab.service.lookup(FakeLab.attributes)
    }
    await #expect(throws: CancellationError.self) { try await late.value }
  }

  @Test("a call that gets no answer ends by cancellation, or by its limit")
  func silence() async throws {
    let lab = try await FakeLab(.init(answers: ["SearchItems": .silence]))
    defer { lab.stop() }
    let task = Task { try await lab.service.lookup(FakeLab.attributes) }
    #expect(await Waiting.until { lab.fake.calls.contains("SearchItems") })
    let start = ContinuousClock.now
    task.cancel()
    await #expect(throws: CancellationError.self) { try await task.value }
    #expect(.now - start < .seconds(30), "well before the limit of a call")
    let limited = try await FakeLab(.init(answers: ["SearchItems": .silence]), call: .seconds(1))
    defer { limited.stop() }
    await #expect(throws: SecretServiceError.timedOut) { try await limited.service.lookup(FakeLab.attributes) }
  }

  @Test("a service that leaves, in a call or in a prompt, is told as that", arguments: ["Prompt", "Unlock"])
  func departure(_ method: String) async throws {
    let script: FakeSecretService.Script =
      method == "Prompt"
      ? .init(isLocked: true, promptEnd: .departure) : .init(answers: [method: .departure])
    let lab = try await FakeLab(script)
    defer { lab.stop() }
    let start = ContinuousClock.now
    let error = await #expect(throws: SecretServiceError.self) { try await lab.store() }
    #expect(error?.failure.kind == (method == "Prompt" ? .keyStoreUnavailable : .keyStoreFailed))
    #expect(.now - start < .seconds(30), "well before the limit of a call")
  }

  @Test("a bus that dies in a call or in a prompt ends the wait", arguments: ["Prompt", "Unlock"])
  func deadBus(_ method: String) async throws {
    let script: FakeSecretService.Script =
      method == "Prompt" ? .init(isLocked: true, promptEnd: .never) : .init(answers: [method: .silence])
    let lab = try await FakeLab(script)
    defer { lab.stop() }
    let stored = Task { try await lab.store() }
    #expect(await Waiting.until { lab.fake.calls.contains(method) })
    await lab.lab.stopBus()
    let start = ContinuousClock.now
    await #expect(throws: SecretServiceError.serviceUnavailable) { try await stored.value }
    #expect(.now - start < .seconds(30), "well before the limit of a call")
  }
}

@Suite(
  "Hostile answers of a Secret Service", .serialized,
  .enabled(if: SecretServiceLab.isWanted, "\(SecretServiceLab.obstacle ?? "")"))
struct HostileServiceTests {
  typealias Answer = FakeSecretService.Answer

  /// What OpenSession must not answer: values from which anybody could tell the key, and other types.
  static let outputs: [BusValue] =
    [
      [], [0], [1], [UInt8](repeating: 0, count: 128), [UInt8](repeating: 0xFF, count: 128),
      [UInt8](repeating: 1, count: 129),
    ].map(BusValue.bytes) + [.string("plain"), .uint64(5)]

  @Test("a session key that anybody could guess is refused", arguments: outputs)
  func weakKey(_ output: BusValue) async throws {
    let lab = try await FakeLab(
      .init(answers: [
        "OpenSession": .body {
          try $0.append(variant: output)
          try $0.append(objectPath: "/session/1")
        }
      ]))
    defer { lab.stop() }
    let error = await #expect(throws: SecretServiceError.self) { try await lab.store() }
    guard case .malformedAnswer = error else {
      Issue.record("\(String(describing: error))")
      return
    }
    #expect(!lab.fake.calls.contains("CreateItem"))
    #expect(lab.fake.calls.count { $0 == "OpenSession" } == 1, "no fall back to a session in plain")
  }

  @Test("only NotSupported leads to a session in plain")
  func downgrade() async throws {
    let lab = try await FakeLab(.init(answers: ["OpenSession": .error("org.freedesktop.DBus.Error.AccessDenied")]))
    defer { lab.stop() }
    let error = await #expect(throws: SecretServiceError.bus(name: "org.freedesktop.DBus.Error.AccessDenied")) {
      try await lab.store()
    }
    #expect(lab.fake.calls.count { $0 == "OpenSession" } == 1)
    #expect(error?.failure.details == ["busError": "org.freedesktop.DBus.Error.AccessDenied"])
    #expect(error.map { !"\($0) \($0.failure)".contains("nobody shall quote") } == true)
  }

  static let malformed: [(String, Answer)] = [
    ("SearchItems", .body { _ in }),
    ("SearchItems", .body { try $0.append("no path") }),
    ("SearchItems", .body { try $0.append(strings: ["/a", "/b"]) }),
    ("ReadAlias", .body { try $0.append(UInt32(1)) }),
    ("Unlock", .body { try $0.append(objectPaths: []) }),
    ("CreateItem", .body { try $0.append(objectPath: "/") }),
    (
      "CreateItem",
      .body {
        try $0.append(objectPath: "/")
        try $0.append(objectPath: "/")
      }
    ),
  ]

  @Test("an answer of another shape is a malformed answer", arguments: 0..<malformed.count)
  func shapes(_ index: Int) async throws {
    let (method, answer) = Self.malformed[index]
    let lab = try await FakeLab(.init(answers: [method: answer]))
    defer { lab.stop() }
    let error = await #expect(throws: SecretServiceError.self) { try await lab.store() }
    guard case .malformedAnswer = error else {
      Issue.record("\(String(describing: error))")
      return
    }
  }

  @Test("a collection that stays locked is told as that")
  func staysLocked() async throws {
    let lab = try await FakeLab(
      .init(answers: [
        "Unlock": .body {
          try $0.append(objectPaths: ["/another"])
          try $0.append(objectPath: "/")
        }
      ]))
    defer { lab.stop() }
    await #expect(throws: SecretServiceError.locked) { try await lab.store() }
    #expect(!lab.fake.calls.contains("CreateItem"))
  }

  @Test("a prompt's result of another shape is a malformed answer")
  func promptResult() async throws {
    let lab = try await FakeLab(.init(isLocked: true, promptEnd: .wrongResult))
    defer { lab.stop() }
    await #expect(throws: SecretServiceError.malformedAnswer("the result of a prompt")) { try await lab.store() }
  }

  @Test("a secret of another session or shape is refused", arguments: ["session", "parameters", "type"])
  func secretShape(_ fault: String) async throws {
    let answer = Answer.body { reply in
      guard fault != "type" else { return try reply.append("one") }
      try reply.appendStructure("oayays") { () throws(BusError) in
        try reply.append(objectPath: fault == "session" ? "/session/2" : "/session/1")
        try reply.append(bytes: fault == "parameters" ? [1] : [])
        try reply.append(bytes: [1, 2, 3])
        try reply.append("text/plain")
      }
    }
    let lab = try await FakeLab(.init(answers: ["GetSecret": answer]))
    defer { lab.stop() }
    try await lab.store()
    let error = await #expect(throws: SecretServiceError.self) { try await lab.service.lookup(FakeLab.attributes) }
    guard case .malformedAnswer = error else {
      Issue.record("\(String(describing: error))")
      return
    }
  }

  @Test("an item that vanishes between the search and the look is none")
  func vanishedItem() async throws {
    let lab = try await FakeLab(.init(answers: ["GetSecret": .error("org.freedesktop.Secret.Error.NoSuchObject")]))
    defer { lab.stop() }
    try await lab.store()
    #expect(try await lab.service.lookup(FakeLab.attributes) == nil)
  }

  @Test("every error has its words, and a remedy")
  func words() {
    let errors: [SecretServiceError] = [
      .promptDismissed, .promptTimedOut, .locked, .serviceUnavailable, .timedOut, .bus(name: "a.b"),
      .malformedAnswer("x"), .unusable("x"), .system(operation: "poll", code: 5),
    ]
    for error in errors {
      #expect(error.failure.cause.hasSuffix(".") && error.failure.remedy?.hasSuffix(".") == true)
    }
    #expect(
      errors.map(\.failure.kind) == [
        .confirmationRefused, .secretNeeded, .secretNeeded, .keyStoreUnavailable, .keyStoreFailed, .keyStoreFailed,
        .keyStoreFailed, .usage, .keyStoreFailed,
      ])
  }
}
