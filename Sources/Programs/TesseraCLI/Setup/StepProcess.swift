import Glibc
import Tessera
import TesseraCommandLine
import TesseraThreads

/// A command line of `tessera setup` in a shell. It is a process group of its own, so that a signal reaches everything
/// that the shell has started, and it has the terminal, as a command that the user types.
enum StepProcess {
  /// - Parameters:
  ///   - line: the command line.
  ///   - output: the descriptor for its standard output. With `--json`, that of this program is for the object.
  /// - Returns: how it ended. SIGINT and SIGTERM that arrive meanwhile are passed on to it.
  static func run(_ line: String, output: Int32 = STDOUT_FILENO) async throws -> SetupRun.End {
    let group = Locked<pid_t>(0)
    let thread = BlockingWork(name: "setup")
    let forward: @Sendable (Int32) -> Void = { number in
      group.withLock { group in
        if group > 0 { _ = kill(-group, number) }
      }
    }
    let status = try await Interruption.forwarding(to: forward) {
      try await thread.run { try wait(for: line, output, group) }
    }
    // The terminal sends Ctrl-C to the foreground, where this program is not while the command runs.
    return SetupRun.End(status: status, isInterrupted: Interruption.signalNumber != 0 || status == 128 + SIGINT)
  }

  /// Blocks the thread.
  private static func wait(for line: String, _ output: Int32, _ group: Locked<pid_t>) throws -> Int32 {
    let terminal = ForegroundTerminal()
    // A signal that arrives between the start and the note of the group waits for the lock, and is not lost. One that
    // has arrived before had no group to go to.
    let child = try group.withLock { group -> pid_t in
      guard Interruption.signalNumber == 0 else { throw CancellationError() }
      group = spawn(line, output, inheritsInput: terminal != nil && isatty(STDIN_FILENO) == 1) ?? 0
      return group
    }
    guard child > 0 else {
      throw Failure(.internalError, "The shell /bin/sh cannot be started.", remedy: "Check the load of the system.")
    }
    if let terminal {
      terminal.give(to: child)
      // It may have been stopped when it used the terminal before that.
      kill(-child, SIGCONT)
    }
    defer { terminal?.takeBack() }
    return end(of: child, group, isForeground: terminal != nil)
  }

  private static func end(of child: pid_t, _ group: Locked<pid_t>, isForeground: Bool) -> Int32 {
    // In the foreground Ctrl-Z would stop the command alone, and nobody could continue it.
    let stops = isForeground ? WUNTRACED : 0
    while true {
      var information = siginfo_t()
      _ = waitid(P_PID, id_t(child), &information, WEXITED | WNOWAIT | stops)
      // Under the lock, so that no signal goes to a process that gets the identifier next.
      let status = group.withLock { group -> Int32? in
        var status: Int32 = 0
        let ended = waitpid(child, &status, WNOHANG | stops)
        if ended == 0 || ended < 0 && errno == EINTR { return nil }
        if ended > 0, status & 0xFF == 0x7F {
          _ = kill(-child, SIGCONT)
          return nil
        }
        group = 0
        // Without a status (SIGCHLD is ignored), success cannot be assumed.
        guard ended == child else { return 127 }
        let signal = status & 0x7F
        return signal == 0 ? status >> 8 & 0xFF : 128 + signal
      }
      if let status { return status }
    }
  }

  private static func spawn(_ line: String, _ output: Int32, inheritsInput: Bool) -> pid_t? {
    var actions = posix_spawn_file_actions_t()
    posix_spawn_file_actions_init(&actions)
    defer { posix_spawn_file_actions_destroy(&actions) }
    if !inheritsInput { posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0) }
    if output != STDOUT_FILENO { posix_spawn_file_actions_adddup2(&actions, output, STDOUT_FILENO) }

    var attributes = posix_spawnattr_t()
    posix_spawnattr_init(&attributes)
    defer { posix_spawnattr_destroy(&attributes) }
    var (blocked, defaults) = (sigset_t(), sigset_t())
    sigemptyset(&blocked)
    sigemptyset(&defaults)
    // This program ignores the first two, and a command would inherit that.
    for number in [SIGINT, SIGTERM, SIGPIPE] { sigaddset(&defaults, number) }
    posix_spawnattr_setsigmask(&attributes, &blocked)
    posix_spawnattr_setsigdefault(&attributes, &defaults)
    posix_spawnattr_setflags(
      &attributes, Int16(POSIX_SPAWN_SETPGROUP | POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF))

    // A shell with a trap first waits for the command that runs, for example an apt-get that finishes its package. This
    // program could not: no signal of it reaches the processes of root.
    let traps = "trap 'exit \(128 + SIGINT)' INT; trap 'exit \(128 + SIGTERM)' TERM; "
    let arguments: [String] = ["/bin/sh", "-c", traps + line]
    var words = arguments.map { strdup($0) }
    words.append(nil)
    defer { for word in words { free(word) } }
    var child = pid_t()
    return posix_spawn(&child, "/bin/sh", &actions, &attributes, words, environ) == 0 ? child : nil
  }
}

/// The terminal of this session, which a step needs to ask for a password. Only the process group in the foreground may
/// read it.
final class ForegroundTerminal {
  private let descriptor: Int32
  /// nil if the terminal does not say.
  private let settings: termios?

  /// nil without a terminal, and in its background.
  init?() {
    let terminal = open("/dev/tty", O_RDWR | O_CLOEXEC | O_NOCTTY)
    guard terminal >= 0 else { return nil }
    guard tcgetpgrp(terminal) == getpgrp() else {
      close(terminal)
      return nil
    }
    var settings = termios()
    self.settings = tcgetattr(terminal, &settings) == 0 ? settings : nil
    descriptor = terminal
  }

  deinit { close(descriptor) }

  /// Discards what was typed and not read yet.
  func discardInput() { _ = tcflush(descriptor, TCIFLUSH) }

  func give(to group: pid_t) { withoutStop { _ = tcsetpgrp(descriptor, group) } }

  /// Takes the terminal back, with the settings that it had.
  func takeBack() {
    withoutStop {
      _ = tcsetpgrp(descriptor, getpgrp())
      if var settings { _ = tcsetattr(descriptor, TCSADRAIN, &settings) }
    }
  }

  /// SIGTTOU would stop a process in the background that does this (tcsetpgrp(3p)).
  private func withoutStop(_ body: () -> Void) {
    var (signals, earlier) = (sigset_t(), sigset_t())
    sigemptyset(&signals)
    sigaddset(&signals, SIGTTOU)
    pthread_sigmask(SIG_BLOCK, &signals, &earlier)
    body()
    pthread_sigmask(SIG_SETMASK, &earlier, nil)
  }
}
