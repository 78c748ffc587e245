internal import CTesseraThreads
import Glibc

/// A program that runs as a child process. It inherits no open file apart from its standard streams.
///
/// The caller must call `waitUntilExit` exactly once, which releases the pipes and the process.
package struct ChildProcess: Sendable {
  package let identifier: Int32
  /// The writing end of the program's standard input; nil if that is no pipe.
  private let input: Int32?
  /// The reading end of the pipe to which the program writes.
  package let output: Int32

  /// The target of the program's standard output or standard error.
  package enum Target: Sendable {
    case null
    /// The pipe `output`.
    case output
    /// That of this process.
    case inherited
  }

  /// Starts a program in a process group of its own and with no signal blocked. Otherwise it would inherit the signal
  /// mask of this thread.
  ///
  /// - Parameters:
  ///   - program: The path of the program.
  ///   - environment: The environment of the program; nil for that of this process.
  ///   - writesInput: Whether the program's standard input is a pipe. Otherwise it is `standardInput`, or `/dev/null`.
  /// - Returns: nil if the program cannot be started.
  package init?(
    _ program: String, arguments: [String] = [], environment: [String: String]? = nil, writesInput: Bool = false,
    standardInput: Int32? = nil, standardOutput: Target = .output, standardError: Target = .null
  ) {
    guard let outputPipe = Self.pipe() else { return nil }
    let inputPipe = writesInput ? Self.pipe() : nil
    defer {
      close(outputPipe.write)
      if let inputPipe { close(inputPipe.read) }
    }
    guard !writesInput || inputPipe != nil,
      let identifier = Self.spawn(
        program, arguments, environment, inputPipe?.read ?? standardInput, outputPipe.write, standardOutput,
        standardError)
    else {
      close(outputPipe.read)
      if let inputPipe { close(inputPipe.write) }
      return nil
    }
    self.identifier = identifier
    input = inputPipe?.write
    output = outputPipe.read
  }

  /// Writes to the program's standard input. The calling thread must block SIGPIPE (`BrokenPipe`).
  ///
  /// - Returns: False if the program has closed its standard input.
  package func write(_ bytes: some Collection<UInt8>) -> Bool {
    guard let input else { return false }
    var rest = Array(bytes)[...]
    while !rest.isEmpty {
      let count = rest.withUnsafeBytes { Glibc.write(input, $0.baseAddress, $0.count) }
      if count < 0, errno == EINTR { continue }
      guard count >= 0 else { return false }
      rest = rest.dropFirst(count)
    }
    return true
  }

  /// Reads the standard output until the program has closed it.
  package func readToEnd() -> [UInt8] {
    var contents: [UInt8] = []
    var buffer = [UInt8](repeating: 0, count: 16_384)
    while true {
      let count = read(output, &buffer, buffer.count)
      if count < 0, errno == EINTR { continue }
      guard count > 0 else { return contents }
      contents += buffer.prefix(count)
    }
  }

  /// Closes the pipes and waits until the program has ended.
  ///
  /// - Parameter onExit: Called while the process identifier is still reserved: no other process can have it.
  /// - Returns: The exit status, or that of a shell for a signal that ended the program (128 and its number).
  @discardableResult
  package func waitUntilExit(_ onExit: () -> Void = {}) -> Int32 {
    if let input { close(input) }
    close(output)
    var information = siginfo_t()
    while waitid(P_PID, id_t(identifier), &information, WEXITED | WNOWAIT) < 0, errno == EINTR {}
    onExit()
    var status: Int32 = 0
    var ended = waitpid(identifier, &status, 0)
    while ended < 0, errno == EINTR { ended = waitpid(identifier, &status, 0) }
    // Without a status (SIGCHLD is ignored), success cannot be assumed.
    guard ended == identifier else { return 127 }
    let signal = status & 0x7F
    return signal == 0 ? status >> 8 & 0xFF : 128 + signal
  }

  // MARK: - Start

  /// Other programs that this process starts do not inherit the pipe.
  private static func pipe() -> (read: Int32, write: Int32)? {
    var ends: [Int32] = [-1, -1]
    return tessera_pipe(&ends) == 0 ? (ends[0], ends[1]) : nil
  }

  private static func spawn(
    _ program: String, _ arguments: [String], _ environment: [String: String]?, _ input: Int32?, _ output: Int32,
    _ standardOutput: Target, _ standardError: Target
  ) -> Int32? {
    var actions = posix_spawn_file_actions_t()
    posix_spawn_file_actions_init(&actions)
    defer { posix_spawn_file_actions_destroy(&actions) }
    var errors: [Int32] = []
    if let input {
      errors.append(posix_spawn_file_actions_adddup2(&actions, input, STDIN_FILENO))
    } else {
      errors.append(posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0))
    }
    for (target, stream) in [(standardOutput, STDOUT_FILENO), (standardError, STDERR_FILENO)] {
      if target == .null { errors.append(posix_spawn_file_actions_addopen(&actions, stream, "/dev/null", O_WRONLY, 0)) }
      if target == .output { errors.append(posix_spawn_file_actions_adddup2(&actions, output, stream)) }
    }
    errors.append(tessera_close_from(&actions, STDERR_FILENO + 1))
    guard errors.allSatisfy({ $0 == 0 }) else { return nil }

    var attributes = posix_spawnattr_t()
    posix_spawnattr_init(&attributes)
    defer { posix_spawnattr_destroy(&attributes) }
    var signals = sigset_t()
    sigemptyset(&signals)
    posix_spawnattr_setsigmask(&attributes, &signals)
    // A service ignores SIGTERM, which it takes from a queue instead. A program that inherited this could not be ended.
    sigfillset(&signals)
    posix_spawnattr_setsigdefault(&attributes, &signals)
    posix_spawnattr_setflags(
      &attributes, Int16(POSIX_SPAWN_SETPGROUP | POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF))

    var identifier = pid_t()
    let result = withCStrings([program] + arguments) { words in
      guard let environment else { return posix_spawn(&identifier, program, &actions, &attributes, words, environ) }
      return withCStrings(environment.map { "\($0)=\($1)" }) { variables in
        posix_spawn(&identifier, program, &actions, &attributes, words, variables)
      }
    }
    return result == 0 ? identifier : nil
  }

  /// Calls `body` with a list of C strings that nil terminates.
  private static func withCStrings<Result>(
    _ strings: [String], _ body: (UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>) -> Result
  ) -> Result {
    var pointers = strings.map { strdup($0) } + [nil]
    defer { for pointer in pointers { free(pointer) } }
    return body(&pointers)
  }
}
