import FoundationEssentials
import Glibc
package import TesseraCore
internal import TesseraThreads

/// A program that runs for each result, for example to print a receipt: the result is its standard input. No shell reads
/// its path, and it gets no arguments. Its output is discarded,
/// since the log of a kiosk contains nothing of a document. Its errors go where those of this program go.
///
/// `ChildProcess` ends what it starts with closed pipes, which a program that prints would not survive.
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
      result.settle(.success(start(input).map { end(of: $0) } ?? .notStarted))
    }
    return hasStarted ? (try? await result.value) ?? .notStarted : .notStarted
  }

  /// A file in memory is its standard input: the program may read it when it wants to, or not at all.
  private func start(_ input: [UInt8]) -> pid_t? {
    let name = "/tessera-receipt-\(UUID().uuidString)"
    let file = shm_open(name, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
    guard file >= 0 else { return nil }
    defer { close(file) }
    shm_unlink(name)
    guard input.withUnsafeBytes({ write(file, $0.baseAddress, $0.count) }) == input.count, lseek(file, 0, SEEK_SET) == 0
    else { return nil }
    var actions = posix_spawn_file_actions_t()
    posix_spawn_file_actions_init(&actions)
    defer { posix_spawn_file_actions_destroy(&actions) }
    posix_spawn_file_actions_adddup2(&actions, file, STDIN_FILENO)
    posix_spawn_file_actions_addopen(&actions, STDOUT_FILENO, "/dev/null", O_WRONLY, 0)
    var attributes = posix_spawnattr_t()
    posix_spawnattr_init(&attributes)
    defer { posix_spawnattr_destroy(&attributes) }
    // This program ignores some signals. The program must not inherit that.
    var signals = sigset_t()
    sigemptyset(&signals)
    posix_spawnattr_setsigmask(&attributes, &signals)
    sigfillset(&signals)
    posix_spawnattr_setsigdefault(&attributes, &signals)
    posix_spawnattr_setflags(
      &attributes, Int16(POSIX_SPAWN_SETPGROUP | POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF))
    var arguments: [UnsafeMutablePointer<CChar>?] = [strdup(path), nil]
    defer { free(arguments[0]) }
    var child = pid_t()
    return posix_spawn(&child, path, &actions, &attributes, &arguments, environ) == 0 ? child : nil
  }

  /// Looks at the child again and again: a wait with a limit would need a signal handler of the whole process.
  private func end(of child: pid_t) -> End {
    let deadline = ContinuousClock.now + limit
    var status: Int32 = 0
    while true {
      let ended = waitpid(child, &status, WNOHANG)
      if ended == child { break }
      guard ended == 0 || errno == EINTR else { return .notStarted }
      guard ContinuousClock.now < deadline else {
        kill(-child, SIGKILL)
        // It may have left its group.
        kill(child, SIGKILL)
        // A process that waits for a device in the kernel does not end. The next receipt does not wait for it.
        for _ in 0..<250 {
          guard waitpid(child, &status, WNOHANG) == 0 else { break }
          usleep(20_000)
        }
        return .timedOut
      }
      usleep(20_000)
    }
    let signal = status & 0x7F
    return .exited(signal == 0 ? status >> 8 & 0xFF : 128 + signal)
  }
}
