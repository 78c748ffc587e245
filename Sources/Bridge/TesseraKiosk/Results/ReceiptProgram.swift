import FoundationEssentials
import Glibc
package import TesseraCore
internal import TesseraThreads

/// A program that runs for each result, for example to print a receipt: the result is its standard input. No shell reads
/// its path, and it gets no arguments and no other open file. Its output is discarded, since the log of a kiosk contains
/// nothing of a document. Its errors go where those of this program go.
package struct ReceiptProgram: Sendable {
  package let path: String
  private let limit: Duration

  /// - Parameters:
  ///   - path: an absolute path, or one from the working folder.
  ///   - limit: how long it may run. Then it is killed, with what it has started.
  /// - Throws: `Failure` of the kind `usage` if the file is no program.
  package init(path: String, limit: Duration = .seconds(30)) throws(Failure) {
    let path = path.contains("/") ? path : "./\(path)"
    guard access(path, X_OK) == 0, Self.isFile(path) else {
      throw Failure(
        .usage, "\(PrintableText.of(path)) is no program.",
        remedy: "Name an executable file; it receives the result on its standard input.")
    }
    self.path = path
    self.limit = limit
  }

  private static func isFile(_ path: String) -> Bool {
    var status = stat()
    return stat(path, &status) == 0 && status.st_mode & S_IFMT == S_IFREG
  }

  /// How a run ended.
  package enum End: Sendable, Equatable {
    /// With this status, or that of a shell for a signal (128 and its number).
    case exited(Int32)
    case timedOut
    case notStarted
  }

  /// Runs the program, in a thread of its own.
  package func run(_ input: [UInt8]) async -> End {
    let result = FirstResult<End>()
    let hasStarted = DetachedThread.start(name: "kiosk-receipt", waits: false) {
      run(input) { result.settle(.success($0)) }
    }
    return hasStarted ? (try? await result.value) ?? .notStarted : .notStarted
  }

  /// - Parameter report: called once, perhaps before the program has ended.
  private func run(_ input: [UInt8], _ report: (End) -> Void) {
    guard let file = Self.file(with: input) else { return report(.notStarted) }
    defer { close(file) }
    guard let child = ChildProcess(path, standardInput: file, standardOutput: .null, standardError: .inherited) else {
      return report(.notStarted)
    }
    guard !Self.hasEnded(child.identifier, within: limit) else { return report(.exited(child.waitUntilExit())) }
    kill(-child.identifier, SIGKILL)
    // It may have left its group.
    kill(child.identifier, SIGKILL)
    // A process that waits for a device in the kernel does not end. The next receipt does not wait for it, but this thread.
    _ = Self.hasEnded(child.identifier, within: .seconds(5))
    report(.timedOut)
    child.waitUntilExit()
  }

  /// A file in memory: the program may read it when it wants to, or not at all.
  private static func file(with bytes: [UInt8]) -> Int32? {
    let name = "/tessera-receipt-\(UUID().uuidString)"
    let file = shm_open(name, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
    guard file >= 0 else { return nil }
    shm_unlink(name)
    guard write(file, bytes, bytes.count) == bytes.count, lseek(file, 0, SEEK_SET) == 0 else {
      close(file)
      return nil
    }
    return file
  }

  /// Looks at the child again and again: a wait with a limit would need a signal handler of the whole process. Its
  /// identifier stays reserved.
  private static func hasEnded(_ child: pid_t, within limit: Duration) -> Bool {
    let deadline = ContinuousClock.now + limit
    while true {
      var information = siginfo_t()
      let result = waitid(P_PID, id_t(child), &information, WEXITED | WNOWAIT | WNOHANG)
      // Without a child that has ended, the kernel leaves zeros. A child that somebody else has waited for has ended, too.
      guard result == 0 ? information.si_signo == 0 : errno == EINTR else { return true }
      guard ContinuousClock.now < deadline else { return false }
      usleep(20_000)
    }
  }
}
