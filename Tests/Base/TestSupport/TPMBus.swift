import Foundation
import Synchronization

/// A proxy between a program and a software TPM. It forwards and records commands and responses, and can insert
/// commands or change responses.
public final class TPMBus: Sendable {
  /// One command and its response.
  public struct Exchange: Sendable {
    public let command: [UInt8]
    public let answer: [UInt8]
    /// TPM 2.0 Library, part 2, 6.5.2.
    public var code: UInt32 { TPMBus.number(command[6..<10]) }
  }

  private struct State {
    var exchanges: [Exchange] = []
    var inserted: [[UInt8]] = []
    var insertedAnswers: [[UInt8]] = []
    var change: @Sendable (UInt32, [UInt8]) -> [UInt8] = { $1 }
  }

  private let state = Mutex(State())
  private let listener: Int32
  private let controlListener: Int32
  private let upstream: UInt16
  public let port: UInt16

  public init(to lab: TPMLab) throws {
    upstream = lab.port
    (port, listener, controlListener) = try LoopbackPort.listenPair()
    Self.acceptAll(listener) { [weak self] in self?.serve($0) }
    Self.acceptAll(controlListener) { [upstream] in Self.relay($0, to: upstream + 1) }
  }

  deinit {
    // Ends the threads' calls of `accept`.
    for listener in [listener, controlListener] {
      shutdown(listener, Int32(SHUT_RDWR))
      close(listener)
    }
  }

  private static func acceptAll(_ listener: Int32, _ serve: @escaping @Sendable (Int32) -> Void) {
    let thread = Thread {
      while true {
        let client = accept(listener, nil, nil)
        guard client >= 0 else { return }
        serve(client)
        close(client)
      }
    }
    thread.start()
  }

  /// The control channel is forwarded unchanged in both directions.
  private static func relay(_ client: Int32, to port: UInt16) {
    guard let server = try? LoopbackPort.connect(port) else { return }
    defer { close(server) }
    var ends = [
      pollfd(fd: client, events: Int16(POLLIN), revents: 0), pollfd(fd: server, events: Int16(POLLIN), revents: 0),
    ]
    var buffer = [UInt8](repeating: 0, count: 4_096)
    while poll(&ends, 2, -1) > 0 {
      for (from, to) in [(0, 1), (1, 0)] where ends[from].revents != 0 {
        let count = recv(ends[from].fd, &buffer, buffer.count, 0)
        guard count > 0, send(Array(buffer.prefix(count)), to: ends[to].fd) else { return }
      }
    }
  }

  /// The TCTI configuration of this proxy.
  public var interface: String { TPMLab.interface(port: port) }

  public var exchanges: [Exchange] { state.withLock { $0.exchanges } }

  /// Returns the names of the recorded commands, oldest first, and deletes the record.
  public func takeNames() -> [String] {
    let exchanges = state.withLock { state in
      defer { state.exchanges = [] }
      return state.exchanges
    }
    return exchanges.map { Self.names[$0.code] ?? "0x" + String($0.code, radix: 16) }
  }

  /// Sends a command to the TPM before the next command of the program. The program does not notice it.
  public func insert(_ command: [UInt8]) { state.withLock { $0.inserted.append(command) } }

  /// The TPM's responses to inserted commands.
  public var insertedAnswers: [[UInt8]] { state.withLock { $0.insertedAnswers } }

  /// Changes responses before the program receives them.
  public func changeAnswers(_ change: @escaping @Sendable (_ code: UInt32, _ answer: [UInt8]) -> [UInt8]) {
    state.withLock { $0.change = change }
  }

  private static let names: [UInt32: String] = [
    0x131: "CreatePrimary", 0x153: "Create", 0x157: "Load", 0x15D: "Sign", 0x165: "FlushContext", 0x173: "ReadPublic",
    0x176: "StartAuthSession", 0x17A: "GetCapability",
  ]

  private func serve(_ client: Int32) {
    guard let server = try? LoopbackPort.connect(upstream) else { return }
    defer { close(server) }
    while let command = Self.receive(client) {
      let (inserted, change) = state.withLock { state in
        defer { state.inserted = [] }
        return (state.inserted, state.change)
      }
      for command in inserted {
        guard Self.send(command, to: server), let answer = Self.receive(server) else { return }
        state.withLock { $0.insertedAnswers.append(answer) }
      }
      guard Self.send(command, to: server), let answer = Self.receive(server) else { return }
      let exchange = Exchange(command: command, answer: answer)
      state.withLock { $0.exchanges.append(exchange) }
      guard Self.send(change(exchange.code, answer), to: client) else { return }
    }
  }

  /// Reads a command or a response: both start with a tag of two bytes and their total length in four.
  private static func receive(_ descriptor: Int32) -> [UInt8]? {
    guard let head = receive(descriptor, count: 10) else { return nil }
    let length = Int(number(head[2..<6]))
    guard (10...65_536).contains(length), let rest = receive(descriptor, count: length - 10) else { return nil }
    return head + rest
  }

  private static func receive(_ descriptor: Int32, count: Int) -> [UInt8]? {
    var bytes: [UInt8] = []
    var buffer = [UInt8](repeating: 0, count: 4_096)
    while bytes.count < count {
      let received = recv(descriptor, &buffer, min(buffer.count, count - bytes.count), 0)
      guard received > 0 else { return nil }
      bytes += buffer.prefix(received)
    }
    return bytes
  }

  private static func send(_ bytes: [UInt8], to descriptor: Int32) -> Bool {
    Foundation.send(descriptor, bytes, bytes.count, Int32(MSG_NOSIGNAL)) == bytes.count
  }

  private static func number(_ bytes: some Sequence<UInt8>) -> UInt32 { bytes.reduce(0) { $0 << 8 | UInt32($1) } }
}
