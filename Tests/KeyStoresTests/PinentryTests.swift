import Cryptography
import Foundation
import KeyStores
import Synchronization
import TestEnvironment
import TestSupport
import Testing

@Suite("Asking through pinentry")
struct PinentryTests {
  static let program = "/usr/bin/pinentry-tty"
  static let isWanted =
    FileManager.default.isExecutableFile(atPath: program) || ProcessInfo.processInfo.environment["CI"] == "true"

  /// A terminal with a person at it, who types an answer once a question is there.
  final class Person: Sendable {
    let terminal: String
    private let master: Int32
    private let seen = Mutex("")
    private let stopped = Mutex(false)

    /// - Parameter answers: each is typed when its question, told by a part of it, has appeared.
    init(_ answers: [(question: String, answer: String)]) throws {
      var name = [CChar](repeating: 0, count: 64)
      let master = tessera_test_open_terminal(&name, name.count)
      guard master >= 0 else { throw KeyStoreError.badStore("no pseudo-terminal") }
      self.master = master
      terminal = String(decoding: name.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
      let thread = Thread { [self] in
        var rest = answers[...]
        var buffer = [UInt8](repeating: 0, count: 4096)
        while !stopped.withLock({ $0 }) {
          var ready = pollfd(fd: master, events: Int16(POLLIN), revents: 0)
          guard poll(&ready, 1, 20) > 0 else { continue }
          let count = read(master, &buffer, buffer.count)
          // Nobody has the other end open.
          guard count > 0 else {
            usleep(5_000)
            continue
          }
          let text = seen.withLock { seen in
            seen += String(decoding: buffer.prefix(count), as: UTF8.self)
            return seen
          }
          if let next = rest.first, text.contains(next.question) {
            rest.removeFirst()
            let bytes = Array(next.answer.utf8)
            _ = write(master, bytes, bytes.count)
          }
        }
        close(master)
      }
      thread.start()
    }

    deinit { stopped.withLock { $0 = true } }
    var text: String { seen.withLock { $0 } }
  }

  private func pinentry(_ person: Person) throws -> Pinentry {
    try #require(
      Pinentry(
        terminal: person.terminal, environment: ["TESSERA_PINENTRY": Self.program, "TERM": "vt100", "PATH": "/usr/bin"])
    )
  }

  @Test("a PIN is typed and not shown", .enabled(if: isWanted))
  func pin() async throws {
    let person = try Person([("PIN of token 100%", "27 18%\n")])
    let pin = try await pinentry(person).ask(.pin(token: "token 100%"), hint: "One more wrong PIN\nlocks it.")
    #expect(pin == SecretBytes(Array("27 18%".utf8)))
    #expect(person.text.contains("locks it."))
    #expect(!person.text.contains("27 18%"))
  }

  @Test("yes and no", .enabled(if: isWanted), arguments: [("a\n", true), ("r\n", false)])
  func confirm(_ key: String, _ expected: Bool) async throws {
    let person = try Person([("one.example", key)])
    let answer = try await pinentry(person).confirm("https://one.example wants to sign.\nGETPIN\nAllow it?")
    #expect(answer == expected)
    #expect(person.text.contains("GETPIN"), "a line end in the text must not end the command")
  }

  @Test("nothing typed is a refusal", .enabled(if: isWanted))
  func nothing() async throws {
    let person = try Person([("PIN of", "\n")])
    let pinentry = try pinentry(person)
    await #expect(throws: KeyStoreError.secretRefused(.pin(token: "t"))) {
      try await pinentry.ask(.pin(token: "t"), hint: nil)
    }
  }

  @Test("cancelling the task takes the dialogue away", .enabled(if: isWanted))
  func cancellation() async throws {
    let person = try Person([])
    let pinentry = try pinentry(person)
    let task = Task { try await pinentry.ask(.pin(token: "t"), hint: nil) }
    try await Task.sleep(for: .milliseconds(300))
    task.cancel()
    await #expect(throws: CancellationError.self) { try await task.value }
  }

  @Test("where there is neither a desktop nor a terminal, or no program, nobody is asked")
  func nobody() async throws {
    #expect(Pinentry(environment: ["TESSERA_PINENTRY": "/bin/true"]) == nil)
    #expect(Pinentry(environment: ["DISPLAY": ":0", "TESSERA_PINENTRY": "/nonexistent"]) == nil)
    #expect(Pinentry(environment: ["DISPLAY": ":0", "TESSERA_PINENTRY": "pinentry"]) == nil)
    // Programs that are no pinentry, and one that ends in the middle.
    let folder = try TemporaryFolder()
    let dying = folder.file("pinentry")
    try "#!/bin/sh\necho OK\nread line\necho OK\n".write(toFile: dying, atomically: true, encoding: .utf8)
    try FileManager.default.setAttributes([.posixPermissions: 0o700], ofItemAtPath: dying)
    let broken = try #require(Pinentry(environment: ["DISPLAY": ":0", "TESSERA_PINENTRY": dying]))
    #expect(try await broken.confirm("?") != true)
    for program in ["/bin/true", "/bin/cat", "/bin/ls"] {
      let pinentry = try #require(Pinentry(environment: ["DISPLAY": ":0", "TESSERA_PINENTRY": program]))
      let watchdog = Task {
        try await pinentry.confirm("?")
      }
      if program == "/bin/cat" {
        try await Task.sleep(for: .milliseconds(200))
        watchdog.cancel()
        await #expect(throws: CancellationError.self) { try await watchdog.value }
      } else {
        #expect(try await watchdog.value == nil)
      }
    }
  }
}
