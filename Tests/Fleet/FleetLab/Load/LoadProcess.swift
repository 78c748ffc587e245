internal import Foundation
internal import TesseraCore
internal import TesseraThreads
package import TestSupport

/// A program with its arguments.
package struct LoadCommand: Sendable {
  package var program: String
  package var arguments: [String]

  package init(_ program: String, _ arguments: [String]) {
    self.program = program
    self.arguments = arguments
  }
}

/// A program of the lab that can be killed and started again with the same arguments.
package final class LoadProcess: Sendable {
  /// `n1` for a server, `i1` for an inspector, `p1` for a process with desks.
  package let name: String
  private let command: LoadCommand
  private let environment: [String: String]
  private let isReady: @Sendable (RunningProgram) -> Bool
  private let state = Locked(State())

  private struct State {
    var running: RunningProgram?
    var input: Pipe?
  }

  /// - Parameter isReady: whether the program has said that it can be used.
  package init(
    _ name: String, _ command: LoadCommand, environment: [String: String] = [:],
    isReady: @escaping @Sendable (RunningProgram) -> Bool
  ) {
    self.name = name
    self.command = command
    self.environment = environment
    self.isReady = isReady
  }

  /// Starts the program and waits until it can be used.
  ///
  /// - Throws: `Failure` with what the program wrote if it ends or does not become ready.
  package func start(within seconds: Double = 600) async throws {
    let input = Pipe()
    let running = try RunningProgram(
      URL(fileURLWithPath: command.program), command.arguments, standardInput: input, environment: environment)
    state.withLock { $0 = State(running: running, input: input) }
    _ = await running.wait(within: seconds) { [isReady] in isReady($0) || !$0.isRunning }
    guard running.isRunning, isReady(running) else {
      throw Failure(.serviceUnavailable, "\(name) is not ready: \(running.errors.suffix(2000))\(running.output)")
    }
  }

  /// The process; nil before the first start.
  package var running: RunningProgram? { state.withLock { $0.running } }

  package var identifier: Int32? { running?.processIdentifier }

  package var isRunning: Bool { running?.isRunning == true }

  /// Writes a line to the standard input.
  package func tell(_ line: String) throws {
    try state.withLock { $0.input }?.fileHandleForWriting.write(contentsOf: Data((line + "\n").utf8))
  }

  /// Ends the program by SIGKILL and waits until it is gone.
  package func kill() async { await end(SIGKILL) }

  /// Ends the program by SIGTERM, as an administrator does.
  package func stop() async { await end(SIGTERM) }

  private func end(_ signal: Int32) async {
    guard let running, running.isRunning else { return }
    running.send(signal: signal)
    _ = await running.finish(within: 60)
  }
}
