import Foundation
import TesseraCore
import TesseraCryptography
import TestSupport
import Testing

@testable import TesseraDBus
@testable import TesseraSecretService

/// A private bus with a scripted service.
struct FakeLab {
  let lab: SecretServiceLab
  let fake: FakeSecretService
  let service: SecretService
  static let attributes = ["xdg:schema": "org.tessera.Test"]

  init(_ script: FakeSecretService.Script = .init(), call: Duration = .seconds(3600), prompt: Duration = .seconds(3600))
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

extension RealPrograms {
  /// A test that waits for a time limit that it did not set itself ends at that of the suite.
  @Suite(
    "Secret Service: prompts", .serialized, .timeLimit(.minutes(10)),
    .enabled(if: SecretServiceLab.isEnabled, "\(SecretServiceLab.unavailableReason ?? "")"))
  struct PromptTests {
    @Test("unlocks a locked keyring with its prompt")
    func unlocking() async throws {
      let lab = try await FakeLab(.init(isLocked: true))
      defer { lab.stop() }
      try await lab.store()
      #expect(lab.fake.calls.count { $0 == "Prompt" } == 1)
      #expect(lab.fake.secret == Array("one".utf8) && lab.fake.label == "fake")
      #expect(try await lab.service.lookup(FakeLab.attributes) == SecretBytes("one".utf8))
      #expect(await lab.service.encryptsTransfer == false, "the service replied NotSupported")
      try await lab.store("two")
      #expect(try await lab.service.lookup(FakeLab.attributes) == SecretBytes("two".utf8))
      #expect(lab.fake.calls.count { $0 == "CreateItem" } == 1, "the second time replaces")
      #expect(lab.fake.calls.count { $0 == "OpenSession" } == 2, "one attempt and one session for all calls")
      #expect(try await lab.service.delete(FakeLab.attributes))
      #expect(try await lab.service.lookup(FakeLab.attributes) == nil)
    }

    @Test("replaces an item without a schema, although the service adds a generic one")
    func generalSchema() async throws {
      let lab = try await FakeLab(.init(addsSchema: true))
      defer { lab.stop() }
      for text in ["one", "two"] {
        try await lab.service.store(SecretBytes(text.utf8), label: text, attributes: ["name": "x"])
      }
      #expect(lab.fake.calls.count { $0 == "CreateItem" } == 1)
      #expect(lab.fake.secret == Array("two".utf8) && lab.fake.label == "two")
    }

    @Test("creates a collection if there is none, and shows the prompts of items")
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

    @Test("reports a dismissed prompt", arguments: [true, false])
    func dismissal(_ isForUnlocking: Bool) async throws {
      let lab = try await FakeLab(
        .init(isLocked: isForUnlocking, hasCollection: isForUnlocking, promptEnd: .dismissed))
      defer { lab.stop() }
      await #expect(throws: SecretServiceError.promptDismissed) { try await lab.store() }
      #expect(!lab.fake.calls.contains("CreateItem"))
    }

    @Test("dismisses a prompt that is not answered in time")
    func unanswered() async throws {
      let lab = try await FakeLab(.init(isLocked: true, promptEnd: .never), prompt: .milliseconds(300))
      defer { lab.stop() }
      await #expect(throws: SecretServiceError.promptTimedOut) { try await lab.store() }
      #expect(await Waiting.until { lab.fake.calls.contains("Dismiss") })
      #expect(lab.fake.calls.suffix(2) == ["Prompt", "Dismiss"])
      #expect(!lab.fake.calls.contains("CreateItem"))
    }

    @Test("accepts the completion of a prompt from the service only")
    func forgery() async throws {
      let lab = try await FakeLab(.init(isLocked: true, promptEnd: .never), prompt: .seconds(1))
      defer { lab.stop() }
      let stored = Task { try await lab.store() }
      #expect(await Waiting.until { lab.fake.calls.contains("Prompt") })
      // As a broadcast to subscribers, and addressed to each client, which needs no subscription.
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

    @Test("ends the wait at once and dismisses the prompt when the task is cancelled")
    func cancellation() async throws {
      let lab = try await FakeLab(.init(isLocked: true, promptEnd: .never))
      defer { lab.stop() }
      let task = Task { try await lab.store() }
      #expect(await Waiting.until { lab.fake.calls.contains("Prompt") })
      task.cancel()
      await #expect(throws: CancellationError.self) { try await task.value }
      #expect(await Waiting.until { lab.fake.calls.last == "Dismiss" })
      // Before it begins, too.
      let late = Task {
        withUnsafeCurrentTask { $0?.cancel() }
        return try await lab.service.lookup(FakeLab.attributes)
      }
      await #expect(throws: CancellationError.self) { try await late.value }
    }

    @Test("ends a call without an answer on cancellation or at its time limit")
    func silence() async throws {
      let lab = try await FakeLab(.init(answers: ["SearchItems": .silence]))
      defer { lab.stop() }
      let task = Task { try await lab.service.lookup(FakeLab.attributes) }
      #expect(await Waiting.until { lab.fake.calls.contains("SearchItems") })
      task.cancel()
      await #expect(throws: CancellationError.self) { try await task.value }
      // On a busy machine, the first calls may reach the limit.
      var (limited, limit) = (FakeLab?.none, Duration.seconds(1))
      while limited == nil, limit < .seconds(100) {
        limited = try? await FakeLab(.init(answers: ["ReadAlias": .silence]), call: limit)
        limit *= 2
      }
      let silent = try #require(limited)
      defer { silent.stop() }
      await #expect(throws: SecretServiceError.timedOut) { try await silent.store() }
    }

    @Test(
      "waits as long as for a prompt where the service may show one during a call, as KeePassXC 2.7.4 does",
      arguments: ["SearchItems", "CreateItem", "Delete", "Unlock", "GetSecret"])
    func promptDuringCall(_ method: String) async throws {
      let script = FakeSecretService.Script(answers: [method: .silence])
      let lab = try await FakeLab(script, prompt: .milliseconds(300))
      defer { lab.stop() }
      let error = await #expect(throws: SecretServiceError.promptTimedOut) {
        try await lab.store()
        _ = try await lab.service.lookup(FakeLab.attributes)
        try await lab.service.delete(FakeLab.attributes)
      }
      #expect(error?.failure.cause.contains("window") == true)
      #expect(lab.fake.calls.last == method)
    }

    @Test("finds and replaces an item to which KeePassXC 2.7.4 has added its own attributes")
    func keePassXC() async throws {
      let lab = try await FakeLab(
        .init(addedAttributes: ["Title": "fake", "UserName": "", "Path": "/fake", "Uuid": "1"]))
      defer { lab.stop() }
      for text in ["one", "two"] { try await lab.store(text) }
      #expect(lab.fake.calls.count { $0 == "CreateItem" } == 1)
      #expect(try await lab.service.lookup(FakeLab.attributes) == SecretBytes("two".utf8))
      // Another program's attributes make another item.
      let other = try await FakeLab(.init(addedAttributes: ["part": "2"]))
      defer { other.stop() }
      for text in ["one", "two"] { try await other.store(text) }
      #expect(other.fake.calls.count { $0 == "CreateItem" } == 2)
    }

    @Test("uses a plain session of KWallet 5.103 without the plugin of its cryptography library")
    func kwallet() async throws {
      let lab = try await FakeLab(.init(errorOfEncryption: "org.freedesktop.DBus.Error.InvalidArgs"))
      defer { lab.stop() }
      try await lab.store()
      #expect(await lab.service.encryptsTransfer == false)
      #expect(try await !lab.service.encryptsSecrets())
    }

    @Test("reports a service that ends during a call or a prompt", arguments: ["Prompt", "Unlock"])
    func departure(_ method: String) async throws {
      let script: FakeSecretService.Script =
        method == "Prompt"
        ? .init(isLocked: true, promptEnd: .departure) : .init(answers: [method: .departure])
      let lab = try await FakeLab(script)
      defer { lab.stop() }
      let error = await #expect(throws: SecretServiceError.self) { try await lab.store() }
      #expect(error?.failure.kind == (method == "Prompt" ? .keyStoreUnavailable : .keyStoreFailed))
    }

    @Test("ends the wait when the bus ends during a call or a prompt", arguments: ["Prompt", "Unlock"])
    func deadBus(_ method: String) async throws {
      let script: FakeSecretService.Script =
        method == "Prompt" ? .init(isLocked: true, promptEnd: .never) : .init(answers: [method: .silence])
      let lab = try await FakeLab(script)
      defer { lab.stop() }
      let stored = Task { try await lab.store() }
      #expect(await Waiting.until { lab.fake.calls.contains(method) })
      await lab.lab.stopBus()
      await #expect(throws: SecretServiceError.serviceUnavailable) { try await stored.value }
    }
  }
}

extension RealPrograms {
  @Suite(
    "Secret Service: hostile answers", .serialized,
    .enabled(if: SecretServiceLab.isEnabled, "\(SecretServiceLab.unavailableReason ?? "")"))
  struct HostileServiceTests {
    typealias Answer = FakeSecretService.Answer

    /// Invalid answers of OpenSession: values that reveal the key, and values of other types.
    static let outputs: [BusValue] =
      [
        [], [0], [1], [UInt8](repeating: 0, count: 128), [UInt8](repeating: 0xFF, count: 128),
        [UInt8](repeating: 1, count: 129),
      ].map(BusValue.bytes) + [.string("plain"), .uint64(5)]

    @Test("rejects a guessable session key", arguments: outputs)
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
      guard case .malformedResponse = error else {
        Issue.record("\(String(describing: error))")
        return
      }
      #expect(!lab.fake.calls.contains("CreateItem"))
      #expect(lab.fake.calls.count { $0 == "OpenSession" } == 1, "no fallback to an unencrypted session")
    }

    @Test("falls back to an unencrypted session only where the service does not support the other one")
    func downgrade() async throws {
      let lab = try await FakeLab(.init(answers: ["OpenSession": .error("org.freedesktop.DBus.Error.AccessDenied")]))
      defer { lab.stop() }
      let error = await #expect(throws: SecretServiceError.bus(name: "org.freedesktop.DBus.Error.AccessDenied")) {
        try await lab.store()
      }
      #expect(lab.fake.calls.count { $0 == "OpenSession" } == 1)
      #expect(error?.failure.details == ["busError": "org.freedesktop.DBus.Error.AccessDenied"])
      #expect(error.map { !"\($0) \($0.failure)".contains("must not be quoted") } == true)
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

    @Test("reports an answer of an unexpected type as malformed", arguments: 0..<malformed.count)
    func shapes(_ index: Int) async throws {
      let (method, answer) = Self.malformed[index]
      let lab = try await FakeLab(.init(answers: [method: answer]))
      defer { lab.stop() }
      let error = await #expect(throws: SecretServiceError.self) { try await lab.store() }
      guard case .malformedResponse = error else {
        Issue.record("\(String(describing: error))")
        return
      }
    }

    @Test("reports a collection that remains locked")
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

    @Test("reports a prompt's result of an unexpected type as malformed")
    func promptResult() async throws {
      let lab = try await FakeLab(.init(isLocked: true, promptEnd: .wrongResult))
      defer { lab.stop() }
      await #expect(throws: SecretServiceError.malformedResponse("the result of a prompt")) { try await lab.store() }
    }

    @Test("rejects a secret of another session or type", arguments: ["session", "parameters", "type"])
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
      guard case .malformedResponse = error else {
        Issue.record("\(String(describing: error))")
        return
      }
    }

    @Test("treats an item that was deleted after the search as missing")
    func vanishedItem() async throws {
      let lab = try await FakeLab(.init(answers: ["GetSecret": .error("org.freedesktop.Secret.Error.NoSuchObject")]))
      defer { lab.stop() }
      try await lab.store()
      #expect(try await lab.service.lookup(FakeLab.attributes) == nil)
    }

    @Test("every error has a cause and a remedy")
    func words() {
      let errors: [SecretServiceError] = [
        .promptDismissed, .promptTimedOut, .locked, .serviceUnavailable, .timedOut, .bus(name: "a.b"),
        .malformedResponse("x"), .unusable("x"), .system(operation: "poll", code: 5),
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
}
