import FoundationEssentials
import Glibc
public import TesseraCryptography
import TesseraDurableFiles
import TesseraThreads

/// Prompts through pinentry, the dialog program of GnuPG, on the desktop or on a terminal. The program is controlled by
/// the Assuan protocol (gnupg.org, "The Assuan protocol").
public struct Pinentry: SecretPrompting, ConfirmationPrompting {
  private let program: String
  private let terminal: String?
  private let environment: [String: String]

  /// nil if pinentry is not installed, or there is neither a desktop nor a terminal.
  ///
  /// - Parameters:
  ///   - terminal: the device file of the user's terminal.
  ///   - environment: the environment variables, which select the display and the program.
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

  public func ask(_ prompt: SecretPrompt, hint: String?) async throws -> SecretBytes? {
    let lines = Self.lines([("SETPROMPT", prompt.prompt + ":"), ("SETERROR", hint ?? "")])
    switch try await converse(lines + (prompt.isNew ? ["SETREPEAT"] : []) + ["GETPIN"]) {
    case .answer(let secret) where secret.count > 0: return secret
    case .answer, .refused: throw KeyStoreError.secretRefused(prompt)
    case .unavailable: return nil
    }
  }

  public func confirm(_ text: String) async throws -> Bool? {
    switch try await converse(Self.lines([("SETDESC", text)]) + ["SETOK _Allow", "SETCANCEL _Refuse", "CONFIRM"]) {
    case .answer: true
    case .refused: false
    case .unavailable: nil
    }
  }

  private enum Outcome {
    case answer(SecretBytes)
    case refused
    case unavailable
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

  /// Escapes `%`, line ends and control characters, so that text from a web page cannot contain commands.
  private static func lines(_ commands: [(String, String)]) -> [String] {
    commands.filter { !$0.1.isEmpty }.map { command, text in
      let escaped = text.utf8.flatMap { byte -> [UInt8] in
        byte < 0x20 || byte == UInt8(ascii: "%") ? Array(("%" + byte.hexadecimal).utf8) : [byte]
      }
      return "\(command) \(String(decoding: escaped, as: UTF8.self))"
    }
  }

  /// One run of the program, on its own thread, since reading its responses blocks.
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

    func run(_ lines: [String]) -> Outcome {
      let started = running.withLock { [program, environment] running -> ChildProcess? in
        guard !running.isEnded else { return nil }
        let child = ChildProcess(program, environment: environment, writesInput: true)
        running.pid = child?.identifier
        return child
      }
      guard let child = started else { return .unavailable }
      defer { child.waitUntilExit { running.withLock { $0.pid = nil } } }
      let reader = LineReader(descriptor: child.output)
      guard reader.answer().isOK else { return .unavailable }
      BrokenPipe.blockSignal()  // this thread belongs to the conversation
      var answer = Answer.none
      for line in lines {
        guard child.write("\(line)\n".utf8) else { return .unavailable }
        answer = reader.answer()
        // Continues after an option that this pinentry does not support, but not after its end.
        if case .none = answer { break }
      }
      switch answer {
      case .ok(let data): return .answer(data ?? SecretBytes([]))
      // GPG_ERR_TIMEOUT, GPG_ERR_CANCELED, GPG_ERR_NOT_CONFIRMED, GPG_ERR_FULLY_CANCELED (libgpg-error, err-codes.h)
      case .error(let code): return [62, 99, 114, 198].contains(code & 0xFFFF) ? .refused : .unavailable
      case .none: return .refused
      }
    }
  }

  private enum Answer {
    case ok(SecretBytes?)
    case error(Int)
    /// The program ended.
    case none

    var isOK: Bool { if case .ok = self { true } else { false } }
  }

  /// Reads responses, line by line, into memory that is wiped.
  private struct LineReader {
    let descriptor: Int32
    /// The longest line of the protocol, in bytes.
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

    /// The content of a data line: the bytes after `D `, with `%XX` decoded.
    private static func unescaped(_ line: SecretBytes) -> SecretBytes {
      var count = 0
      let plain = SecretBytes(count: line.count) { plain in
        line.withUnsafeBytes { bytes in
          var index = 2
          while index < bytes.count {
            var byte = bytes[index]
            if byte == UInt8(ascii: "%"), index + 2 < bytes.count,
              let high = bytes[index + 1].hexadecimalValue, let low = bytes[index + 2].hexadecimalValue
            {
              byte = high << 4 | low
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
