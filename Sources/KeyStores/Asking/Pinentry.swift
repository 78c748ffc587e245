public import Cryptography
import Foundation
import Threads

/// Asks through pinentry, the dialogue program of GnuPG: on the desktop where there is one, otherwise on the
/// terminal that is named. It is spoken to in the Assuan protocol (gnupg.org, "The Assuan protocol").
public struct Pinentry: SecretAsking, ConfirmationAsking {
  private let program: String
  private let terminal: String?
  private let environment: [String: String]

  /// nil where there is no pinentry, or neither a desktop nor a terminal to ask on.
  ///
  /// - Parameter terminal: the device file of a terminal on which a person sits.
  public init?(
    terminal: String? = nil, environment: [String: String] = ProcessInfo.processInfo.environment
  ) {
    let isDesktop = ["DISPLAY", "WAYLAND_DISPLAY"].contains { !environment[$0, default: ""].isEmpty }
    let folders = environment["PATH", default: "/usr/bin:/bin"].split(separator: ":").map(String.init)
    let named = environment["TESSERA_PINENTRY"].map { [$0] } ?? folders.map { $0 + "/pinentry" }
    guard isDesktop || terminal != nil,
      let program = named.first(where: { $0.hasPrefix("/") && access($0, X_OK) == 0 })
    else { return nil }
    self.program = program
    self.terminal = terminal
    self.environment = environment
  }

  public func ask(_ question: SecretQuestion, hint: String?) async throws -> SecretBytes? {
    let lines = Self.lines([("SETPROMPT", question.prompt + ":"), ("SETERROR", hint ?? "")])
    switch try await converse(lines + (question.isNew ? ["SETREPEAT"] : []) + ["GETPIN"]) {
    case .answer(let secret) where secret.count > 0: return secret
    case .answer, .refused: throw KeyStoreError.secretRefused(question)
    case .impossible: return nil
    }
  }

  public func confirm(_ text: String) async throws -> Bool? {
    switch try await converse(Self.lines([("SETDESC", text)]) + ["SETOK _Allow", "SETCANCEL _Refuse", "CONFIRM"]) {
    case .answer: true
    case .refused: false
    case .impossible: nil
    }
  }

  private enum Outcome {
    case answer(SecretBytes)
    case refused
    case impossible
  }

  private func converse(_ lines: [String]) async throws -> Outcome {
    let terminalLines = terminal.map {
      ["OPTION ttyname=\($0)", "OPTION ttytype=\(environment["TERM", default: "dumb"])"]
    }
    let conversation = Conversation(program: program, environment: environment)
    return try await withTaskCancellationHandler {
      let outcome = await conversation.run((terminalLines ?? []) + ["SETTITLE Tessera", "SETTIMEOUT 120"] + lines)
      try Task.checkCancellation()
      return outcome
    } onCancel: {
      conversation.end()
    }
  }

  /// `%`, line ends and control characters are escaped; a text from a web page can give no commands.
  private static func lines(_ commands: [(String, String)]) -> [String] {
    commands.filter { !$0.1.isEmpty }.map { command, text in
      let escaped = text.utf8.flatMap { byte -> [UInt8] in
        guard byte < 0x20 || byte == UInt8(ascii: "%") else { return [byte] }
        return Array(("%" + (byte < 16 ? "0" : "") + String(byte, radix: 16, uppercase: true)).utf8)
      }
      return "\(command) \(String(decoding: escaped, as: UTF8.self))"
    }
  }

  /// One run of the program, on a thread of its own since reading its answers blocks.
  private actor Conversation {
    private nonisolated let executor = ThreadExecutor(name: "pinentry")
    nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }
    private let program: String
    private let environment: [String: String]
    private nonisolated let running = Locked<(pid: pid_t?, isEnded: Bool)>((nil, false))

    init(program: String, environment: [String: String]) {
      self.program = program
      self.environment = environment
    }

    deinit { executor.stop() }

    nonisolated func end() {
      running.withLock { running in
        running.isEnded = true
        if let pid = running.pid { kill(pid, SIGTERM) }
      }
    }

    /// The program inherits this thread's signal mask, in which Swift's threads have nearly everything blocked: it could
    /// not be ended.
    private static func start(_ process: Process) throws {
      var (none, old) = (sigset_t(), sigset_t())
      sigemptyset(&none)
      pthread_sigmask(SIG_SETMASK, &none, &old)
      defer { pthread_sigmask(SIG_SETMASK, &old, nil) }
      try process.run()
    }

    func run(_ lines: [String]) -> Outcome {
      let process = Process()
      process.executableURL = URL(fileURLWithPath: program)
      process.environment = environment
      let input = Pipe()
      let output = Pipe()
      process.standardInput = input
      process.standardOutput = output
      process.standardError = FileHandle.nullDevice
      let isStarted = running.withLock { running in
        guard !running.isEnded, (try? Self.start(process)) != nil else { return false }
        running.pid = process.processIdentifier
        return true
      }
      guard isStarted else { return .impossible }
      defer {
        // Foundation keeps a process that has ended, and its pipes with it.
        for handle in [input.fileHandleForWriting, output.fileHandleForReading] { try? handle.close() }
        process.waitUntilExit()
        running.withLock { $0.pid = nil }
      }
      let reader = LineReader(descriptor: output.fileHandleForReading.fileDescriptor)
      guard reader.answer().isOK else { return .impossible }
      BrokenPipe.blockSignal()  // the thread is this conversation's own
      var answer = Answer.none
      for line in lines {
        guard (try? input.fileHandleForWriting.write(contentsOf: Data("\(line)\n".utf8))) != nil else {
          return .impossible
        }
        answer = reader.answer()
        // An option or a text that this pinentry does not know is no reason to give up; its end is.
        if case .none = answer { break }
      }
      switch answer {
      case .ok(let data): return .answer(data ?? SecretBytes([]))
      // GPG_ERR_TIMEOUT, GPG_ERR_CANCELED, GPG_ERR_NOT_CONFIRMED, GPG_ERR_FULLY_CANCELED (libgpg-error, err-codes.h)
      case .error(let code): return [62, 99, 114, 198].contains(code & 0xFFFF) ? .refused : .impossible
      case .none: return .refused
      }
    }
  }

  private enum Answer {
    case ok(SecretBytes?)
    case error(Int)
    /// The program is gone.
    case none

    var isOK: Bool { if case .ok = self { true } else { false } }
  }

  /// Reads answers, line by line into memory that is wiped.
  private struct LineReader {
    let descriptor: Int32
    /// The longest line of the protocol.
    private static let longest = 1002

    func answer() -> Answer {
      var data: SecretBytes?
      while let line = SecretBytes(reading: descriptor, upTo: Self.longest, endsAtLine: true), line.count > 0 {
        let text = line.withUnsafeBytes { Array($0.prefix(4)) }
        if text.starts(with: Array("OK".utf8)) { return .ok(data) }
        if text == Array("ERR ".utf8) {
          let words = line.withUnsafeBytes { String(decoding: $0, as: UTF8.self) }.split(separator: " ")
          return .error(words.count > 1 ? Int(words[1]) ?? 0 : 0)
        }
        if text.starts(with: Array("D ".utf8)) { data = Self.unescaped(line) }
      }
      return .none
    }

    /// The content of a data line: what follows `D `, with `%XX` undone.
    private static func unescaped(_ line: SecretBytes) -> SecretBytes {
      var count = 0
      let plain = SecretBytes(count: line.count) { plain in
        line.withUnsafeBytes { bytes in
          var index = 2
          while index < bytes.count {
            var byte = bytes[index]
            if byte == UInt8(ascii: "%"), index + 2 < bytes.count,
              let value = UInt8(String(decoding: bytes[index + 1...index + 2], as: UTF8.self), radix: 16)
            {
              byte = value
              index += 2
            }
            plain[count] = byte
            count += 1
            index += 1
          }
        }
      }
      return SecretBytes(plain, prefix: count)
    }
  }
}
