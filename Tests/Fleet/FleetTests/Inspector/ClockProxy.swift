import Dispatch
import Foundation
import TesseraThreads
import TestSupport

/// A proxy in front of a server that tells another time than the server does, as a server with a wrong clock would.
final class ClockProxy: Sendable {
  let port: Int
  private let target: UInt16
  private let listener: Int32

  /// What it does with an answer that tells the time.
  enum Change {
    /// Adds seconds.
    case time(Double)
    /// Leaves the time out.
    case absent
    /// Lets another server of the cluster answer first, whose clock is ahead by these seconds.
    case other(Double)
  }
  private struct State {
    var change: Change
    var descriptors: Set<Int32> = []
    var isStopped = false
  }
  private let state: Locked<State>

  init(to target: UInt16, _ change: Change = .time(0)) throws {
    self.target = target
    state = Locked(State(change: change))
    port = try ReservedPort().number
    listener = try LoopbackPort.listen(UInt16(port))
    DetachedThread.start(name: "clock") { [self] in accept() }
  }

  func set(_ change: Change) { state.withLock { $0.change = change } }

  /// Ends all connections, so that they are made again.
  func cut() {
    state.withLock { state in for descriptor in state.descriptors { shutdown(descriptor, Int32(SHUT_RDWR)) } }
  }

  func stop() {
    state.withLock { $0.isStopped = true }
    shutdown(listener, Int32(SHUT_RDWR))
    cut()
  }

  private func accept() {
    while !state.withLock({ $0.isStopped }) {
      let client = Foundation.accept(listener, nil, nil)
      guard client >= 0, let server = try? LoopbackPort.connect(target) else { continue }
      state.withLock { $0.descriptors.formUnion([client, server]) }
      let end = DispatchGroup()
      for (source, destination, isAnswer) in [(client, server, false), (server, client, true)] {
        end.enter()
        DetachedThread.start(name: "clock") { [self] in
          pass(source, destination, isAnswer)
          end.leave()
        }
      }
      end.notify(queue: .global()) { [self] in
        state.withLock { $0.descriptors.subtract([client, server]) }
        close(client)
        close(server)
      }
    }
    close(listener)
  }

  private func pass(_ source: Int32, _ destination: Int32, _ isAnswer: Bool) {
    var buffer = [UInt8](repeating: 0, count: 65_536)
    while true {
      let count = recv(source, &buffer, buffer.count, 0)
      if count < 0, errno == EINTR { continue }
      guard count > 0 else { break }
      var bytes = Array(buffer.prefix(count))
      if isAnswer { bytes = changed(bytes) }
      guard bytes.withUnsafeBytes({ send(destination, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL)) }) == bytes.count
      else { break }
    }
    shutdown(source, Int32(SHUT_RDWR))
    shutdown(destination, Int32(SHUT_RDWR))
  }

  /// The answer keeps its length. A server writes one as small as this at once.
  private func changed(_ bytes: [UInt8]) -> [UInt8] {
    let text = String(decoding: bytes, as: UTF8.self)
    guard let range = text.firstRange(of: #/"time":"[-0-9]+T[:0-9]+/#) else { return bytes }
    func withTime(ahead seconds: Double) -> String {
      let time = text[range].dropFirst(8)
      guard let date = try? Date("\(time)Z", strategy: .iso8601) else { return text }
      return text.replacingCharacters(
        in: range, with: #""time":"\#((date + seconds).formatted(.iso8601).dropLast())"#)
    }
    switch state.withLock({ $0.change }) {
    case .time(let seconds): return Array(withTime(ahead: seconds).utf8)
    case .absent: return Array(text.replacing(#""time":"#, with: #""emit":"#).utf8)
    case .other(let seconds):
      // Identifiers are 56 letters and digits.
      let other = withTime(ahead: seconds).replacing(#/"id":".{56}"/#) { _ in
        #""id":"\#(String(repeating: "A", count: 56))""#
      }
      return Array((other + text).utf8)
    }
  }
}
