internal import FoundationEssentials
internal import Glibc
package import TesseraCore

/// The program `tessera-passage`: where it is, and how a host starts and ends it.
package struct SessionProgram: Sendable {
  package static let name = "tessera-passage"

  /// The descriptor of the socket in the program.
  private static let descriptor: Int32 = 3

  package let path: String

  package init(path: String) { self.path = path }

  /// Beside the program of this process first: both come from one build. Then in the folders of `PATH`.
  ///
  /// - Throws: `Failure` of the kind `serviceUnavailable` if the program is not installed.
  package static func installed() throws(Failure) -> SessionProgram {
    let own = (try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")) ?? ""
    let folder = own.lastIndex(of: "/").map { String(own[..<$0]) } ?? ""
    let search = ProcessInfo.processInfo.environment["PATH", default: ""].split(separator: ":").map(String.init)
    for candidate in ([folder] + search).filter({ $0.hasPrefix("/") }).map({ "\($0)/\(name)" })
    where access(candidate, X_OK) == 0 { return SessionProgram(path: candidate) }
    throw Failure(
      .serviceUnavailable, "The program \(name) is not installed.",
      remedy: "Install libwebkitgtk-6.0-dev, then run: swift build -c release --product \(name)")
  }

  /// Starts `tessera-passage session` in a process group of its own, with no signal blocked. What it writes to its
  /// standard error comes to that of this process, without control characters.
  ///
  /// The program ends when the calling thread ends (prctl(2), PR_SET_PDEATHSIG). So the thread that starts it also
  /// calls `SessionRun.waitUntilExit`.
  ///
  /// - Parameters:
  ///   - environment: The variables of the program; nil for those of this process.
  ///   - target: The descriptor that takes what the program writes to its standard error.
  /// - Throws: `Failure` of the kind `serviceUnavailable` if the system does not start the program.
  package func start(
    environment: [String: String]? = nil, errorsTo target: Int32 = STDERR_FILENO
  ) throws(Failure) -> SessionRun {
    guard let sockets = HostSocket.pair() else { throw unstartable(errno) }
    defer { sockets.program.close() }
    guard let errors = ProgramErrors(target: target) else {
      defer { sockets.host.close() }
      throw unstartable(errno)
    }
    var actions = posix_spawn_file_actions_t()
    posix_spawn_file_actions_init(&actions)
    defer { posix_spawn_file_actions_destroy(&actions) }
    posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0)
    posix_spawn_file_actions_addopen(&actions, STDOUT_FILENO, "/dev/null", O_WRONLY, 0)
    posix_spawn_file_actions_adddup2(&actions, errors.descriptor, STDERR_FILENO)
    posix_spawn_file_actions_adddup2(&actions, sockets.program.descriptor, Self.descriptor)
    var attributes = posix_spawnattr_t()
    posix_spawnattr_init(&attributes)
    defer { posix_spawnattr_destroy(&attributes) }
    var signals = sigset_t()
    sigemptyset(&signals)
    posix_spawnattr_setsigmask(&attributes, &signals)
    posix_spawnattr_setflags(&attributes, Int16(POSIX_SPAWN_SETPGROUP | POSIX_SPAWN_SETSIGMASK))

    var process = pid_t()
    let words = [path, "session", "--descriptor", "\(Self.descriptor)"]
    let result = Self.withCStrings(words) { words in
      guard let environment else { return posix_spawn(&process, path, &actions, &attributes, words, environ) }
      return Self.withCStrings(environment.map { "\($0)=\($1)" }) { variables in
        posix_spawn(&process, path, &actions, &attributes, words, variables)
      }
    }
    guard result == 0 else {
      sockets.host.close()
      errors.abandon()
      throw unstartable(result)
    }
    errors.begin()
    return SessionRun(process, sockets.host, errors)
  }

  private func unstartable(_ error: Int32) -> Failure {
    Failure(
      .serviceUnavailable, "The program \(Self.name) cannot be started (\(String(cString: strerror(error)))).",
      remedy: "Check that its file is a program that this user may run, and the limits of processes and open files.")
  }

  /// Calls `body` with a list of C strings that nil terminates.
  private static func withCStrings<Result>(
    _ strings: [String], _ body: (UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>) -> Result
  ) -> Result {
    var pointers = strings.map { strdup($0) } + [nil]
    defer { for pointer in pointers { free(pointer) } }
    return pointers.withUnsafeMutableBufferPointer { list in
      guard let base = list.baseAddress else { preconditionFailure("The list has at least its end.") }
      return body(base)
    }
  }
}
