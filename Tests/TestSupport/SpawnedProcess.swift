import Failures
import Foundation
import TestEnvironment

/// A child of this process with its own ends of pipes, and a thread that waits for its end.
///
/// Foundation's `Process` notices an end by a descriptor that the child inherits, and its one thread for all children hangs
/// in `waitpid` when a child closes what it inherited but lives on, as systemd and browsers do.
final class SpawnedProcess: Sendable {
  let identifier: Int32
  private let end = Gathered<Int32>()

  /// - Parameter descriptors: become the child's 0, 1 and 2; it inherits no other.
  /// - Throws: `Failure` where the program cannot be run.
  init(_ program: String, _ arguments: [String], environment: [String: String], descriptors: [Int32]) throws {
    let words = ([program] + arguments).map { strdup($0) } + [nil]
    let variables = environment.map { strdup("\($0)=\($1)") } + [nil]
    defer { for text in words + variables { free(text) } }
    var child: pid_t = 0
    let error = tessera_test_spawn(&child, program, descriptors, words, variables)
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
