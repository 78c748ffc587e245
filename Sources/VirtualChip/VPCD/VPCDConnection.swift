import Failures
import Foundation
import SmartCard
import Synchronization

/// Puts a software chip into vsmartcard's virtual PC/SC reader (vpcd) over its TCP protocol.
///
/// Both directions carry a two-byte big-endian length and that many bytes. A single byte from vpcd is a control
/// code: power off, power on, reset, or "send the answer to reset"; only the last one is answered. Everything
/// longer is a command APDU.
public final class VPCDConnection: Sendable {
  private let socket: Int32

  /// Connects, which is what inserts the card.
  ///
  /// - Throws: `VPCDError.unreachable`.
  public init(host: String, port: UInt16) throws(VPCDError) {
    var hints = addrinfo()
    hints.ai_socktype = Int32(SOCK_STREAM.rawValue)
    var list: UnsafeMutablePointer<addrinfo>?
    guard getaddrinfo(host, String(port), &hints, &list) == 0 else { throw .unreachable(host: host, port: port) }
    defer { freeaddrinfo(list) }
    var next = list
    while let address = next?.pointee {
      let descriptor = Glibc.socket(address.ai_family, address.ai_socktype, address.ai_protocol)
      if descriptor >= 0, connect(descriptor, address.ai_addr, address.ai_addrlen) == 0 {
        socket = descriptor
        Self.set(descriptor, TCP_NODELAY)
        return
      }
      if descriptor >= 0 { close(descriptor) }
      next = address.ai_next
    }
    throw .unreachable(host: host, port: port)
  }

  deinit { close(socket) }

  /// Serves the chip on a thread of its own until the reader goes away.
  ///
  /// - Parameter latency: how long each command takes, beyond the computation.
  /// - Throws: `CancellationError` when the task was cancelled, which takes the card out of the reader.
  public func serve(_ chip: sending Chip, latency: Duration = .zero) async throws {
    let chip = Mutex(chip)
    let end = DispatchSemaphore(value: 0)
    await withTaskCancellationHandler {
      await withCheckedContinuation { continuation in
        let thread = Thread {
          while let message = self.receive() {
            guard let answer = chip.withLock({ Self.answer(message, from: &$0) }) else { continue }
            if message.count > 1, latency > .zero { _ = end.wait(timeout: .now() + latency / .seconds(1)) }
            guard self.send(answer) else { break }
          }
          continuation.resume()
        }
        thread.name = "vpcd"
        thread.start()
      }
    } onCancel: {
      end.signal()
      shutdown(socket, Int32(SHUT_RDWR))
    }
    try Task.checkCancellation()
  }

  private static func answer(_ message: [UInt8], from chip: inout Chip) -> [UInt8]? {
    guard message.count == 1 else { return chip.process(message) }
    switch message[0] {
    case 0, 1, 2:  // power off, power on, reset
      chip.reset()
      return nil
    case 4: return chip.answerToReset.bytes
    default: return nil
    }
  }

  // MARK: - Socket

  private func receive() -> [UInt8]? {
    guard let head = receive(2) else { return nil }
    return receive(Int(head[0]) << 8 | Int(head[1]))
  }

  private func receive(_ count: Int) -> [UInt8]? {
    var bytes = [UInt8](repeating: 0, count: count)
    var filled = 0
    while filled < count {
      // vpcd sends length and body in two writes; without quick acknowledgement Nagle holds the second one back for
      // 40 ms. The kernel forgets the option, so it is set every time.
      Self.set(socket, TCP_QUICKACK)
      let received = bytes.withUnsafeMutableBytes { buffer in
        recv(socket, buffer.baseAddress.map { $0 + filled }, count - filled, 0)
      }
      if received < 0, errno == EINTR { continue }
      guard received > 0 else { return nil }
      filled += received
    }
    return bytes
  }

  private func send(_ body: [UInt8]) -> Bool {
    let message = [UInt8(truncatingIfNeeded: body.count >> 8), UInt8(truncatingIfNeeded: body.count)] + body
    var sent = 0
    while sent < message.count {
      let count = message.withUnsafeBytes { buffer in
        Glibc.send(socket, buffer.baseAddress.map { $0 + sent }, message.count - sent, Int32(MSG_NOSIGNAL))
      }
      if count < 0, errno == EINTR { continue }
      guard count > 0 else { return false }
      sent += count
    }
    return true
  }

  private static func set(_ socket: Int32, _ option: Int32) {
    var value: Int32 = 1
    setsockopt(socket, Int32(IPPROTO_TCP), option, &value, socklen_t(MemoryLayout<Int32>.size))
  }
}

/// Why the virtual reader cannot be used.
public enum VPCDError: Error, Sendable, Equatable {
  case unreachable(host: String, port: UInt16)
}

extension VPCDError: ExplainedError {
  public var failure: Failure {
    switch self {
    case .unreachable(let host, let port):
      Failure(
        .noReader, "No virtual PC/SC reader (vpcd) listens at \(host):\(port).",
        remedy: "Install it and restart pcscd: apt-get install pcscd vsmartcard-vpcd && systemctl restart pcscd")
    }
  }
}
