import Dispatch
import Glibc
import Synchronization
import TesseraCore
import TesseraSmartCard
import TesseraThreads

/// Inserts a software chip into vsmartcard's virtual PC/SC reader (vpcd) over its TCP protocol.
///
/// Both directions carry a two-byte big-endian length and that many bytes. A single byte from vpcd is a control code:
/// power off, power on, reset, or "send the answer to reset"; only the last one is answered. A longer message is a
/// command APDU.
package final class VPCDConnection: Sendable {
  private let socket: Int32
  private let host: String
  private let port: UInt16

  /// Connects to vpcd, which inserts the card.
  ///
  /// - Throws: `VPCDError.unreachable`.
  package init(host: String, port: UInt16) throws(VPCDError) {
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

  /// Serves the chip on a separate thread until the reader closes the connection. If the profile's fault removes the
  /// card, the connection is closed, and opened again when the card is replaced.
  ///
  /// - Parameter latency: The delay of each command, in addition to the computation and the profile's latency.
  /// - Throws: `CancellationError` if the task was cancelled, which removes the card from the reader;
  ///   `VPCDError.unreachable` if vpcd stopped while the card was removed.
  package func serve(_ chip: sending Chip, latency: Duration = .zero) async throws {
    let profile = chip.profile
    let served = ServedChip(chip)
    var connection = self
    while let absence = try await connection.serve(served, latency: latency + profile.latency) {
      try await Task.sleep(for: absence)
      connection = try VPCDConnection(host: host, port: port)
    }
  }

  /// - Returns: How long the card is removed; nil if the reader closed the connection.
  private func serve(_ served: ServedChip, latency: Duration) async throws -> Duration? {
    let end = DispatchSemaphore(value: 0)
    let absence = await withTaskCancellationHandler {
      await withCheckedContinuation { (continuation: CheckedContinuation<Duration?, Never>) in
        DetachedThread.start(name: "vpcd") {
          var absence: Duration?
          while absence == nil, let message = self.receive() {
            switch served.answer(message) {
            case .nothing: continue
            case .removed(let duration):
              shutdown(self.socket, Int32(SHUT_RDWR))
              absence = duration
            case .bytes(let answer):
              if message.count > 1, latency > .zero { _ = end.wait(timeout: .now() + latency / .seconds(1)) }
              guard self.send(answer) else { return continuation.resume(returning: nil) }
            }
          }
          continuation.resume(returning: absence)
        }
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
      // vpcd sends length and body in two writes; without quick acknowledgement Nagle's algorithm delays the second one
      // by 40 ms. The kernel resets the option, so it is set for every receive.
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

/// The reason why the virtual reader cannot be used.
package enum VPCDError: Error, Sendable, Equatable {
  case unreachable(host: String, port: UInt16)
}

extension VPCDError: FailureConvertible {
  package var failure: Failure {
    switch self {
    case .unreachable(let host, let port):
      Failure(
        .noReader, "No virtual PC/SC reader (vpcd) listens at \(host):\(port).",
        remedy: "Install it and restart pcscd: apt-get install pcscd vsmartcard-vpcd && systemctl restart pcscd")
    }
  }
}

/// Answers vpcd's messages with a chip. The chip keeps its state when a fault removes and replaces the card.
final class ServedChip: Sendable {
  private struct Content {
    var chip: Chip
    var exchanges = 0
  }

  private let content: Mutex<Content>

  init(_ chip: sending Chip) { content = Mutex(Content(chip: chip)) }

  enum Answer {
    case nothing
    case bytes([UInt8])
    /// The card is removed for this time.
    case removed(Duration)
  }

  /// A single byte is a control code; everything longer is a command APDU.
  func answer(_ message: [UInt8]) -> Answer {
    content.withLock { content in
      guard message.count == 1 else {
        defer { content.exchanges += 1 }
        if let absence = content.chip.profile.fault?.absence(at: content.exchanges) {
          content.chip.reset()
          return .removed(absence)
        }
        return .bytes(content.chip.process(message))
      }
      switch message[0] {
      case 0, 1, 2:  // power off, power on, reset
        content.chip.reset()
        return .nothing
      case 4: return .bytes(content.chip.answerToReset.bytes)
      default: return .nothing
      }
    }
  }
}
