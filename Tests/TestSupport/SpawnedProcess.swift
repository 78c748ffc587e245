import Failures
import Foundation
import Threads

/// A child of this process with its own ends of pipes, and a thread that waits for its end.
///
/// Foundation's `Process` notices an end by a descriptor that the child inherits, and its one thread for all children hangs
/// in `waitpid` when a child closes what it inherited but lives on, as systemd and browsers do.
final class SpawnedProcess: Sendable {
  /// How many were started. No pipe is made while one is: the child would inherit it.
  fileprivate static let spawning = Locked(0)

  let identifier: Int32
  private let end = Gathered<Int32>()

  /// - Parameter descriptors: become the child's 0, 1 and 2.
  /// - Throws: `Failure` where the program cannot be run.
  init(_ program: String, _ arguments: [String], environment: [String: String], descriptors: [Int32]) throws {
    var actions = posix_spawn_file_actions_t()
    posix_spawn_file_actions_init(&actions)
    defer { posix_spawn_file_actions_destroy(&actions) }
    for (number, descriptor) in descriptors.enumerated() {
      posix_spawn_file_actions_adddup2(&actions, descriptor, Int32(number))
    }

    var attributes = posix_spawnattr_t()
    posix_spawnattr_init(&attributes)
    defer { posix_spawnattr_destroy(&attributes) }
    // A thread that starts a program may have blocked signals, and this process ignores some.
    var signals = sigset_t()
    sigemptyset(&signals)
    posix_spawnattr_setsigmask(&attributes, &signals)
    sigfillset(&signals)
    posix_spawnattr_setsigdefault(&attributes, &signals)
    posix_spawnattr_setflags(
      &attributes, Int16(POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETPGROUP))

    let words = ([program] + arguments).map { strdup($0) } + [nil]
    let variables = environment.map { strdup("\($0)=\($1)") } + [nil]
    defer { for text in words + variables { free(text) } }
    let (child, error) = Self.spawning.withLock { count in
      var child: pid_t = 0
      let error = posix_spawn(&child, program, &actions, &attributes, words, variables)
      count += 1
      return (child, error)
    }
    guard error == 0 else { throw Failure(.usage, "\(program): \(String(cString: strerror(error)))") }
    identifier = child

    let thread = Thread { [end, child] in
      var status: Int32 = 0
      while waitpid(child, &status, 0) < 0, errno == EINTR {}
      // As a shell tells it.
      let signal = status & 0x7F
      end.set(signal == 0 ? status >> 8 & 0xFF : 128 + signal)
    }
    thread.stackSize = 128 << 10
    thread.start()
  }

  /// The exit status, or 128 and the signal that ended it; nil while it runs.
  var status: Int32? { end.value }
}

extension Pipe {
  /// A pipe that no child inherits unless it is handed to it, so that its reader sees its end.
  public static func own() -> Pipe {
    SpawnedProcess.spawning.withLock { _ in
      let pipe = Pipe()
      for handle in [pipe.fileHandleForReading, pipe.fileHandleForWriting] {
        _ = fcntl(handle.fileDescriptor, F_SETFD, FD_CLOEXEC)
      }
      return pipe
    }
  }
}
