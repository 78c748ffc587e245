import Foundation
import PassageSocket
import TesseraCore
import TesseraJSON
import TesseraThreads
import TestSupport
import Testing

/// A server in a process of its own: `controller.py`.
final class Controller: Sendable {
  let port: Int
  private let program: RunningProgram
  private let orders: Pipe
  private let marks = Locked<Int64>(0)

  private init(_ arguments: [String]) async throws {
    let script = Fixtures.tests.appendingPathComponent("Content/PassageSocketTests/controller.py").path
    orders = Pipe()
    program = try RunningProgram(
      URL(fileURLWithPath: "/usr/bin/python3"), [script] + arguments, standardInput: orders)
    guard await program.wait(within: 60, until: { $0.output.contains("\n") || !$0.isRunning }),
      let port = program.output.split(separator: "\n").first.flatMap({ Int($0) })
    else {
      program.send(signal: SIGKILL)
      throw Failure(.serviceUnavailable, "The server did not start: \(program.errors)")
    }
    self.port = port
  }

  deinit { program.send(signal: SIGKILL) }

  /// A server of python-socketio.
  ///
  /// - Parameter port: 0 for any; else one that the test has reserved.
  static func server(port: Int = 0, _ options: JSONObject = [:]) async throws -> Controller {
    try await Controller(["server", "\(port)", JSONValue.object(options).text])
  }

  static func hostile(_ what: String) async throws -> Controller { try await Controller(["hostile", what]) }

  func order(_ order: JSONObject) throws {
    try orders.fileHandleForWriting.write(contentsOf: Data((JSONValue.object(order).text + "\n").utf8))
  }

  /// Ends the process as a failure of the machine does: without a word to its clients.
  func kill() async {
    program.send(signal: SIGKILL)
    _ = await program.wait { !$0.isRunning }
  }

  /// What is known so far. The reader of the output may be behind the server.
  private var lines: [JSONValue] {
    // The last line may be incomplete.
    program.output.split(separator: "\n", omittingEmptySubsequences: false).dropFirst().dropLast()
      .compactMap { try? JSONValue(text: $0) }
  }

  /// Waits until at least `count` things of this name have happened.
  ///
  /// - Returns: Those that are known so far. That there are no others, only `all` shows.
  func lines(_ name: String, _ count: Int = 1) async -> [JSONValue] {
    precondition(count > 0, "Absence is shown by `all`.")
    func found() -> [JSONValue] { lines.filter { $0[name] != nil } }
    _ = await program.wait(within: 60) { _ in found().count >= count }
    return found()
  }

  /// Everything of this name that has happened up to now.
  ///
  /// The server prints a mark; what it printed before has been read when the mark has been read.
  func all(_ name: String) async throws -> [JSONValue] {
    let mark = JSONValue.integer(
      marks.withLock { count in
        count += 1
        return count
      })
    try order(["mark": mark])
    guard await program.wait(within: 60, until: { _ in lines.contains { $0["mark"] == mark } }) else {
      throw Failure(.serviceUnavailable, "The server did not print the mark: \(program.errors)")
    }
    return lines.filter { $0[name] != nil }
  }

  /// The events that the server got, by name.
  func events(_ count: Int) async -> [String] { await lines("event", count).map { $0["event"]?.stringValue ?? "" } }
}

/// A client, and what it told.
final class Client: Sendable {
  let socket: SocketClient

  /// - Parameter environment: without variables of the machine, such as a proxy's.
  init(
    _ address: String, query: [(name: String, value: String)] = [], namespace: String = "/ws",
    environment: [String: String] = [:], clock: any Clock<Duration> = ContinuousClock(),
    change: (inout SocketConfiguration) -> Void = { _ in }
  ) async throws {
    var configuration = try SocketConfiguration(SocketServerAddress(address, query: query), namespace: namespace)
    // A test that waits for a connection again waits for it no longer than needed.
    configuration.reconnection = SocketReconnection(firstWait: .milliseconds(20), longestWait: .milliseconds(100))
    // On a busy machine a connection takes long.
    configuration.timeLimits.connecting = .seconds(120)
    configuration.timeLimits.upgrading = .seconds(120)
    configuration.timeLimits.joining = .seconds(120)
    change(&configuration)
    socket = SocketClient(configuration, environment: environment, clock: clock)
    await socket.start()
  }

  convenience init(
    _ server: Controller, namespace: String = "/ws", clock: any Clock<Duration> = ContinuousClock(),
    change: (inout SocketConfiguration) -> Void = { _ in }
  ) async throws {
    try await self.init("http://127.0.0.1:\(server.port)", namespace: namespace, clock: clock, change: change)
  }

  /// Reads events until one fits. Of several calls each reads on.
  ///
  /// - Returns: What was read, with the event that fits; all up to the end if none does.
  func read(until isLast: @escaping @Sendable (SocketClientEvent) -> Bool) async -> [SocketClientEvent] {
    var read: [SocketClientEvent] = []
    for await event in socket.events {
      read.append(event)
      if isLast(event) { break }
    }
    return read
  }

  /// Reads up to the next connection.
  ///
  /// - Returns: The connection; nil if the client has ended.
  func connected() async -> SocketSession? { await read { $0.session != nil }.last?.session }

  /// Reads up to the next event of the server.
  func message() async -> SocketMessage? { await read { $0.message != nil }.last?.message }

  /// Reads to the end.
  ///
  /// - Returns: Why the client has ended; nil if it was closed.
  func end() async -> SocketError? {
    guard case .ended(let error)? = await read(until: { $0.isEnd }).last else { return nil }
    return error
  }
}

extension SocketClientEvent {
  var session: SocketSession? { if case .connected(let session) = self { session } else { nil } }
  var message: SocketMessage? { if case .received(let message) = self { message } else { nil } }
  var lost: (error: SocketError, attempt: Int, wait: Duration)? {
    if case .disconnected(let error, let attempt, let wait) = self { (error, attempt, wait) } else { nil }
  }
  var isEnd: Bool { if case .ended = self { true } else { false } }
}

/// The error of an emission; nil if it has none.
func emissionError(_ body: () async throws -> Void) async -> SocketEmissionError? {
  do {
    try await body()
    return nil
  } catch {
    return error as? SocketEmissionError
  }
}
