internal import Glibc
internal import TesseraThreads

/// One run of `tessera-passage session`.
package final class SessionRun: Sendable {
  /// The host's end of the socket.
  package let socket: HostSocket
  private let errors: ProgramErrors
  /// nil after the end: another process can have the identifier then.
  private let process: Locked<Int32?>

  init(_ process: Int32, _ socket: HostSocket, _ errors: ProgramErrors) {
    self.socket = socket
    self.errors = errors
    self.process = Locked(process)
  }

  /// Kills the program at once. Without effect once it has ended.
  package func kill() {
    process.withLock { process in
      if let process { Glibc.kill(process, SIGKILL) }
    }
  }

  /// Kills the program unless it ends by itself within `HostTiming.ending`.
  package func killLater() {
    Task { [weak self] in
      try? await Task.sleep(for: HostTiming.ending)
      self?.kill()
    }
  }

  /// Waits until the program has ended, on the thread that started it. For one call.
  ///
  /// - Returns: The exit status, or 128 and the number of the signal that ended the program.
  @discardableResult
  package func waitUntilExit() -> Int32 {
    guard let identifier = process.withLock({ $0 }) else { return 127 }
    var information = siginfo_t()
    while waitid(P_PID, id_t(identifier), &information, WEXITED | WNOWAIT) < 0, errno == EINTR {}
    // The identifier is still reserved.
    process.withLock { $0 = nil }
    var status: Int32 = 0
    while waitpid(identifier, &status, 0) < 0 {
      guard errno == EINTR else { return 127 }
    }
    let signal = status & 0x7F
    return signal == 0 ? status >> 8 & 0xFF : 128 + signal
  }

  /// Waits until what the program wrote to its standard error is written to that of this process. For a host that ends
  /// now: only one call learns of the end.
  ///
  /// - Parameter limit: A program of the program may keep the stream open.
  /// - Returns: Whether everything is written.
  @discardableResult
  package func waitForLastLines(within limit: Duration = HostTiming.lastLines) -> Bool {
    errors.waitUntilEnd(within: limit)
  }
}

/// Times of the conversation between a host and the views. The host waits longer than everything that the views wait
/// for: their answers say what took too long.
package enum HostTiming {
  /// How long the views may take to answer a request.
  package static let answer = removal * removals + script + .seconds(5)
  /// How long a script may take: the answer must say that it took too long.
  package static let script = Duration.seconds(70)
  /// How long requests wait for cookies that the session removes: WebKit may not answer.
  package static let removal = Duration.seconds(10)
  /// How often in a row a session removes cookies: what the token names, and what the configuration names.
  private static let removals = 2
  /// How long the program may take to say goodbye to its server and to end.
  package static let ending = Duration.seconds(10)
  /// How long a session's goodbye to its server may take after the host is gone.
  package static let goodbye = Duration.seconds(6)
  /// How long requests that are under way may still take after that.
  package static let lastRequests = Duration.seconds(2)
  /// How long a host that ends waits for the last lines of the program's standard error. They come at once, unless the
  /// machine is busy, or another program keeps the stream open.
  package static let lastLines = Duration.seconds(10)
}
