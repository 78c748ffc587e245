import Foundation
import Glibc
import Synchronization
import TesseraCryptography
import TesseraKeys
import TestEnvironment
import TestSupport
import Testing

extension RealPrograms {
  @Suite("Pinentry")
  struct PinentryTests {
    static let program = "/usr/bin/pinentry-tty"
    static let isEnabled =
      FileManager.default.isExecutableFile(atPath: program) || ProcessInfo.processInfo.environment["CI"] == "true"

    /// A pseudo-terminal with a simulated user.
    final class SimulatedUser: Sendable {
      let terminal: String
      private let master: Int32
      private let other: Int32
      private let seen = Mutex("")
      private let stopped = Mutex(false)

      /// - Parameter answers: the input to type after the prompt contains `question`.
      init(_ answers: [(question: String, answer: String)]) throws {
        var name = [CChar](repeating: 0, count: 64)
        let master = tessera_test_open_terminal(&name, name.count)
        guard master >= 0 else { throw KeyStoreError.badStore("no pseudo-terminal") }
        self.master = master
        terminal = String(decoding: name.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
        // While the other end is open, the thread can wait for what is written there.
        other = open(terminal, O_RDWR | O_NOCTTY | O_CLOEXEC)
        let thread = Thread { [self] in
          var rest = answers[...]
          var buffer = [UInt8](repeating: 0, count: 4096)
          while !stopped.withLock({ $0 }) {
            var ready = pollfd(fd: master, events: Int16(POLLIN), revents: 0)
            guard poll(&ready, 1, 20) > 0 else { continue }
            let count = read(master, &buffer, buffer.count)
            guard count > 0 else { continue }
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
          close(other)
        }
        thread.start()
      }

      deinit { stopped.withLock { $0 = true } }
      var text: String { seen.withLock { $0 } }

      /// Whether the terminal shows the text, at the latest in a minute: the thread may not have read all of it when the
      /// dialog is closed.
      func sees(_ part: String) async throws -> Bool {
        try await isTrue { text.contains(part) }
      }
    }

    private func pinentry(_ user: SimulatedUser) throws -> Pinentry {
      try #require(
        Pinentry(
          terminal: user.terminal, environment: ["TESSERA_PINENTRY": Self.program, "TERM": "vt100", "PATH": "/usr/bin"])
      )
    }

    /// Waits until this process has started the program.
    private static func isStarted(_ program: String) async throws {
      try await eventually { !Descendants.named(program).isEmpty }
    }

    @Test("does not show the typed PIN", .enabled(if: isEnabled))
    func pin() async throws {
      let user = try SimulatedUser([("PIN of token 100%", "27 18%\n")])
      let pin = try await pinentry(user).ask(.pin(token: "token 100%"), hint: "One more wrong PIN\nlocks it.")
      #expect(pin == SecretBytes(Array("27 18%".utf8)))
      #expect(try await user.sees("locks it."))
      #expect(!user.text.contains("27 18%"))
    }

    @Test("returns the answer of a confirmation", .enabled(if: isEnabled), arguments: [("a\n", true), ("r\n", false)])
    func confirm(_ key: String, _ expected: Bool) async throws {
      let user = try SimulatedUser([("one.example", key)])
      let answer = try await pinentry(user).confirm("https://one.example wants to sign.\nGETPIN\nAllow it?")
      #expect(answer == expected)
      #expect(try await user.sees("GETPIN"), "a line end in the text must not end the command")
    }

    @Test("treats empty input as a refusal", .enabled(if: isEnabled))
    func nothing() async throws {
      let user = try SimulatedUser([("PIN of", "\n")])
      let pinentry = try pinentry(user)
      await #expect(throws: KeyStoreError.secretRefused(.pin(token: "t"))) {
        try await pinentry.ask(.pin(token: "t"), hint: nil)
      }
    }

    @Test("cancelling the task closes the dialog", .enabled(if: isEnabled))
    func cancellation() async throws {
      let user = try SimulatedUser([])
      let pinentry = try pinentry(user)
      let task = Task { try await pinentry.ask(.pin(token: "t"), hint: nil) }
      #expect(try await user.sees("PIN of"))
      task.cancel()
      await #expect(throws: CancellationError.self) { try await task.value }
    }

    @Test("ends with the task although this process ignores SIGTERM, as a service does", .timeLimit(.minutes(2)))
    func ignoredSignal() async throws {
      // It stays ignored, as after every service in this process: restoring it would race with them.
      signal(SIGTERM, SIG_IGN)
      let pinentry = try #require(Pinentry(environment: ["DISPLAY": ":0", "TESSERA_PINENTRY": "/bin/cat"]))
      let task = Task { try await pinentry.confirm("?") }
      try await Self.isStarted("cat")
      task.cancel()
      await #expect(throws: CancellationError.self) { try await task.value }
    }

    @Test("is unavailable without a desktop and a terminal, or without the program")
    func unavailable() async throws {
      #expect(Pinentry(environment: ["TESSERA_PINENTRY": "/bin/true"]) == nil)
      #expect(Pinentry(environment: ["DISPLAY": ":0", "TESSERA_PINENTRY": "/proc/nonexistent"]) == nil)
      #expect(Pinentry(environment: ["DISPLAY": ":0", "TESSERA_PINENTRY": "pinentry"]) == nil)
      // Programs other than pinentry, and one that ends early.
      let folder = try TemporaryFolder()
      let dying = folder.file("pinentry")
      try RunnableFile.write("#!/bin/sh\necho OK\nread line\necho OK\n", to: dying)
      let broken = try #require(Pinentry(environment: ["DISPLAY": ":0", "TESSERA_PINENTRY": dying]))
      #expect(try await broken.confirm("?") != true)
      for program in ["/bin/true", "/bin/cat", "/bin/ls"] {
        let pinentry = try #require(Pinentry(environment: ["DISPLAY": ":0", "TESSERA_PINENTRY": program]))
        let watchdog = Task {
          try await pinentry.confirm("?")
        }
        if program == "/bin/cat" {
          try await Self.isStarted("cat")
          watchdog.cancel()
          await #expect(throws: CancellationError.self) { try await watchdog.value }
        } else {
          #expect(try await watchdog.value == nil)
        }
      }
    }
  }
}
