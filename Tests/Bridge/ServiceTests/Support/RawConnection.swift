import Foundation
import TesseraBridge
import TesseraCore
import TesseraThreads
import TestSupport

/// A client socket for arbitrary bytes.
final class RawConnection: Sendable {
  private struct State {
    var received: [UInt8] = []
    var isOpen = true
    var isReading = false
  }
  private let descriptor: Int32
  private let state = Locked(State())
  /// The received data in pieces, until the connection ends. Can be iterated once.
  let chunks: AsyncStream<[UInt8]>
  private let yielded: AsyncStream<[UInt8]>.Continuation
  /// The received lines that are messages.
  let lines = IncrementalParser<JSONValue> { bytes in
    guard let end = bytes.firstIndex(of: UInt8(ascii: "\n")) else { return nil }
    return (try? JSONValue(text: String(decoding: bytes[..<end], as: UTF8.self)), end + 1 - bytes.startIndex)
  }

  /// - Parameter reads: false for a client that does not read.
  private init(_ descriptor: Int32, reads: Bool) {
    self.descriptor = descriptor
    (chunks, yielded) = AsyncStream.makeStream()
    if reads { beginReading() }
  }

  deinit {
    hangUp()
    state.withLock { if !$0.isReading { close(descriptor) } }
  }

  static func unix(_ path: String, reads: Bool = true) throws -> RawConnection {
    let descriptor = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
    var address = sockaddr_un()
    address.sun_family = sa_family_t(AF_UNIX)
    withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: Array(path.utf8.prefix(107))) }
    let result = withUnsafePointer(to: &address) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_un>.size))
      }
    }
    guard result == 0 else {
      close(descriptor)
      throw Failure(.serviceUnavailable, "no process listens at \(path)")
    }
    return RawConnection(descriptor, reads: reads)
  }

  static func loopback(_ port: UInt16, reads: Bool = true) throws -> RawConnection {
    RawConnection(try LoopbackPort.connect(port), reads: reads)
  }

  func beginReading() {
    let isFirst = state.withLock { state in
      defer { state.isReading = true }
      return !state.isReading
    }
    guard isFirst else { return }
    let (descriptor, state, yielded) = (descriptor, state, yielded)
    let thread = Thread {
      var buffer = [UInt8](repeating: 0, count: 65_536)
      while true {
        let count = recv(descriptor, &buffer, buffer.count, 0)
        if count < 0, errno == EINTR { continue }
        guard count > 0 else { break }
        let chunk = Array(buffer.prefix(count))
        state.withLock { $0.received += chunk }
        yielded.yield(chunk)
      }
      // Under the lock: another connection may reuse the descriptor number.
      state.withLock { state in
        state.isOpen = false
        close(descriptor)
      }
      yielded.finish()
    }
    thread.start()
  }

  var received: [UInt8] { state.withLock { $0.received } }

  func received(from offset: Int) -> [UInt8] { state.withLock { Array($0.received.dropFirst(offset)) } }

  var text: String { String(decoding: received, as: UTF8.self) }
  var isOpen: Bool { state.withLock { $0.isOpen } }

  /// - Returns: whether all bytes were sent.
  @discardableResult
  func send(_ bytes: some Collection<UInt8>) -> Bool {
    var rest = Array(bytes)[...]
    while !rest.isEmpty {
      let count = rest.withUnsafeBytes { Foundation.send(descriptor, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL)) }
      guard count > 0 else { return false }
      rest = rest.dropFirst(count)
    }
    return true
  }

  @discardableResult
  func send(_ text: String) -> Bool { send(text.utf8) }

  /// Closes the sending side only.
  func endSending() { end(Int32(SHUT_WR)) }

  func hangUp() { end(Int32(SHUT_RDWR)) }

  private func end(_ how: Int32) { state.withLock { if $0.isOpen { shutdown(descriptor, how) } } }

  /// Waits until the condition is true or the timeout expires.
  @discardableResult
  func wait(within seconds: Double = 120, until condition: (RawConnection) -> Bool) async -> Bool {
    (try? await isTrue(within: .seconds(seconds)) { condition(self) }) ?? condition(self)
  }

  /// All received text, when the other end has closed; nil after the timeout.
  func textUntilClosed(within seconds: Double = 120) async -> String? {
    await wait(within: seconds) { !$0.isOpen } ? text : nil
  }
}
