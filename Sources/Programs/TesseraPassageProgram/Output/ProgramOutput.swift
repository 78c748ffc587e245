import Glibc
import PassageProtocol
import TesseraCore
import TesseraJSON

/// What the program writes, and its exit status.
enum ProgramOutput {
  /// Writes a line to standard output.
  ///
  /// - Throws: `Failure` of the kind `usage`: a result that cannot be written is not a success.
  static func write(_ text: String) throws(Failure) {
    guard write(text, to: STDOUT_FILENO) else {
      throw Failure(
        .usage, "The result cannot be written to standard output.",
        remedy: "Check that the file or the program that standard output leads to is available and has free space.")
    }
  }

  /// Writes a line for the user to standard error.
  static func note(_ text: String) {
    _ = write(
      "tessera-passage: " + text.split(separator: "\n").map { PrintableText.of(String($0)) }.joined(separator: "\n"),
      to: STDERR_FILENO)
  }

  /// - Returns: the exit status.
  static func report(_ failure: Failure) -> Int32 {
    note(failure.description)
    return status(of: failure.kind)
  }

  /// The exit status of the other programs of Tessera.
  static func status(of kind: FailureKind) -> Int32 {
    switch kind {
    case .internalError: 1
    case .usage: 2
    case .storageUnavailable, .storageFailed, .storageFull: 7
    case .cancelled: 130
    default: 3
    }
  }

  /// The user closed the window.
  static let cancelledStatus: Int32 = 8

  static func exit(_ status: Int32) -> Never {
    fflush(nil)
    _exit(status)
  }

  /// Ends the process as the signal does without a handler: only so a shell ends its loop or script, too, as the other
  /// programs of Tessera do (`ProcessExit`, in a module that has too much for this program).
  static func end(bySignal number: Int32) -> Never {
    signal(number, SIG_DFL)
    var signals = sigset_t()
    sigemptyset(&signals)
    sigaddset(&signals, number)
    pthread_sigmask(SIG_UNBLOCK, &signals, nil)
    raise(number)
    _exit(128 + number)
  }

  private static func write(_ text: String, to descriptor: Int32) -> Bool {
    var rest = Array((text + "\n").utf8)[...]
    while !rest.isEmpty {
      let count = rest.withUnsafeBytes { Glibc.write(descriptor, $0.baseAddress, $0.count) }
      if count < 0, errno == EINTR { continue }
      guard count > 0 else { return false }
      rest = rest.dropFirst(count)
    }
    return true
  }
}
