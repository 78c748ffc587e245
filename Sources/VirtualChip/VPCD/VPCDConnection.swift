import Failures
import Foundation
import SmartCard

/// Puts a software chip into vsmartcard's virtual PC/SC reader (vpcd) over its TCP protocol.
///
/// Both directions carry a two-byte big-endian length and that many bytes. A single byte from vpcd is a control
/// code: power off, power on, reset, or "send the answer to reset"; only the last one is answered. Everything
/// longer is a command APDU.
public final class VPCDConnection: Sendable {
  private let socket: Int32
  private let host: String
  private let port: UInt16

  /// Connects, which is what inserts the card.
  ///
  /// - Throws: `VPCDError.unreachable`.
  public init(host: String, port: UInt16) throws(VPCDError) {
    self.host = host
    self.port = port
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

  /// Serves the chip on a thread of its own until the reader goes away. A chip whose profile has it leave the field is
  /// taken out, and put in again by another connection.
  ///
  /// - Parameter latency: how long each command takes, beyond the computation and what the profile says.
  /// - Throws: `CancellationError` when the task was cancelled, which takes the card out of the reader;
  ///   `VPCDError.unreachable` when the reader went away while the card was out.
  public func serve(_ chip: sending Chip, latency: Duration = .zero) async throws {
    let profile = chip.profile
    let served = ServedChip(chip)
    var connection = self
    while let absence = try await connection.serve(served, latency: latency + profile.latency) {
      try await Task.sleep(for: absence)
      connection = try VPCDConnection(host: host, port: port)
    }
  }

  /// - Returns: how long the card stays away, where it has left the field; nil when the reader went away.
  private func serve(_ served: ServedChip, latency: Duration) async throws -> Duration? {
    let end = DispatchSemaphore(value: 0)
    let absence = await withTaskCancellationHandler {
      await withCheckedContinuation { (continuation: CheckedContinuation<Duration?, Never>) in
        let thread = Thread {
          var absence: Duration?
          while absence == nil, let message = self.receive() {
            switch served.answer(message) {
            case .nothing: continue
            case .gone(let duration):
              shutdown(self.socket, Int32(SHUT_RDWR))
              absence = duration
            case .bytes(let answer):
              if message.count > 1, latency > .zero { _ = end.wait(timeout: .now() + latency / .seconds(1)) }
              guard self.send(answer) else { return continuation.resume(returning: nil) }
            }
          }
          continuation.resume(returning: absence)
        }
        thread.name = "vpcd"
        thread.start()
      }
    } onCancel: {
      end.signal()
      shutdown(socket, Int32(SHUT_RDWR))
    }
    try Task.checkCancellation()
    return absence
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
