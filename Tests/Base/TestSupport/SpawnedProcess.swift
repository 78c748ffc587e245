import Dispatch
import Foundation
import TesseraCore
import TestEnvironment

/// A child process with its own descriptors, and a thread that waits for its end.
///
/// Foundation's `Process` detects the end by a descriptor that the child inherits. Its one thread for all children
/// hangs in `waitpid` if a child closes that descriptor and continues to run, as systemd and browsers do.
final class SpawnedProcess: Sendable {
  let identifier: Int32
  private let end = SharedValue<Int32>()
  private let running = DispatchGroup()

  /// - Parameters:
  ///   - descriptors: The child's descriptors 0, 1 and 2; it inherits no others.
  ///   - onExit: Called when it has ended.
  /// - Throws: `Failure` if the program cannot be run.
  init(
    _ program: String, _ arguments: [String], environment: [String: String], descriptors: [Int32],
    onExit: @escaping @Sendable () -> Void = {}
  ) throws {
    let words = ([program] + arguments).map { strdup($0) } + [nil]
    let variables = environment.map { strdup("\($0)=\($1)") } + [nil]
    defer { for text in words + variables { free(text) } }
    var child: pid_t = 0
    let error = tessera_test_spawn(&child, program, descriptors, words, variables)
    guard error == 0 else { throw Failure(.usage, "\(program): \(String(cString: strerror(error)))") }
    identifier = child

    running.enter()
    let thread = Thread { [end, running, child] in
      var status: Int32 = 0
      while waitpid(child, &status, 0) < 0, errno == EINTR {}
      // In the form that a shell uses.
      let signal = status & 0x7F
      end.set(signal == 0 ? status >> 8 & 0xFF : 128 + signal)
      running.leave()
      onExit()
    }
    thread.stackSize = 128 << 10
    thread.start()
  }

  /// The exit status, or 128 and the signal that ended it; nil while it runs.
  var status: Int32? { end.value }

  /// Blocks the calling thread until the process has ended.
  func waitUntilExit(within seconds: Double = .infinity) {
    _ = running.wait(timeout: seconds.isFinite ? .now() + seconds : .distantFuture)
  }
}
