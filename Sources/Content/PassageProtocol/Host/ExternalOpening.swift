internal import Glibc

/// Opens an address by the desktop's program for it, on the side of the host.
package enum ExternalOpening {
  private static let program = "/usr/bin/xdg-open"

  /// Opens the address if it is one that Passage may open; otherwise nothing happens. The call does not wait.
  package static func open(_ address: String) {
    guard ExternalAddresses.standard.mayOpen(address) else { return }
    var actions = posix_spawn_file_actions_t()
    posix_spawn_file_actions_init(&actions)
    defer { posix_spawn_file_actions_destroy(&actions) }
    for descriptor in [STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO] {
      posix_spawn_file_actions_addopen(&actions, descriptor, "/dev/null", O_RDWR, 0)
    }
    // The shell leaves the program to the system's first process: a host that waits for its own programs sees none. The
    // address is an argument of the shell, never a part of its script.
    let words = ["/bin/sh", "-c", "\"$0\" \"$1\" &", program, address]
    var pointers: [UnsafeMutablePointer<CChar>?] = words.map { strdup($0) } + [nil]
    defer { for pointer in pointers { free(pointer) } }
    var process = pid_t()
    guard posix_spawn(&process, "/bin/sh", &actions, nil, &pointers, environ) == 0 else { return }
    var status: Int32 = 0
    while waitpid(process, &status, 0) < 0, errno == EINTR {}
  }
}

/// How often the views may open an address outside of Passage: a page must not fill the desktop with windows.
package struct OpeningLimit: Sendable {
  /// In one period.
  private static let most = 5
  private static let period = Duration.seconds(10)

  private var times: [ContinuousClock.Instant] = []

  package init() {}

  /// Takes one opening.
  ///
  /// - Returns: Whether it may happen.
  package mutating func take(at now: ContinuousClock.Instant = .now) -> Bool {
    times.removeAll { now - $0 >= Self.period }
    guard times.count < Self.most else { return false }
    times.append(now)
    return true
  }
}
