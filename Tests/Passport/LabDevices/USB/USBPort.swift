import Foundation
import Synchronization
import TesseraCore

/// A device connected to the kernel's virtual host controller (`vhci-hcd`) with the protocol of USB/IP over a socket
/// (Documentation/usb/usbip_protocol.rst). The kernel and all programs treat it as a real device.
public final class USBPort: Sendable {
  private static let controller = "/sys/devices/platform/vhci_hcd.0"
  private static let submit: UInt32 = 1
  private static let unlink: UInt32 = 2
  /// `-EPIPE` and `-ECONNRESET` in the encoding of the protocol.
  private static let stalled = UInt32(bitPattern: -32)
  private static let unlinked = UInt32(bitPattern: -104)
  private static let full = 2

  /// The pending requests of the host, and the data that it has not requested yet.
  private struct Pending {
    var requests: [(sequence: UInt32, endpoint: UInt8, length: Int)] = []
    var data: [UInt8: [[UInt8]]] = [:]
  }

  private let device: any USBDevice
  private let socket: FileDescriptor
  private let number: Int
  private let pending = Mutex(Pending())

  /// Plugs the device in. The kernel then requests its descriptors.
  public init(_ device: any USBDevice) throws {
    self.device = device
    var ends: [Int32] = [0, 0]
    guard socketpair(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0, &ends) == 0 else {
      throw Failure(.internalError, "No socket pair can be created.")
    }
    socket = FileDescriptor(owning: ends[0])
    let kernelsEnd = FileDescriptor(owning: ends[1])
    number = try Self.freePort()
    let text = "\(number) \(kernelsEnd.number) \(0x10000 + number + 1) \(Self.full)"
    try text.write(toFile: Self.controller + "/attach", atomically: false, encoding: .utf8)
    let thread = Thread { [weak self, socket] in
      while let head = socket.read(exactly: 48) {
        guard let self, self.serve(head) else { return }
      }
    }
    thread.name = "usb device"
    thread.start()
  }

  deinit { unplug() }

  /// Unplugs the device.
  public func unplug() {
    try? "\(number)".write(toFile: Self.controller + "/detach", atomically: false, encoding: .utf8)
    shutdown(socket.number, Int32(SHUT_RDWR))
  }

  /// A free full-speed port of the controller: state 4.
  private static func freePort() throws -> Int {
    let status = try String(contentsOfFile: controller + "/status", encoding: .utf8)
    for line in status.split(separator: "\n") {
      let fields = line.split(separator: " ", omittingEmptySubsequences: true)
      if fields.count > 2, fields[0] == "hs", fields[2] == "004", let number = Int(fields[1]) { return number }
    }
    throw Failure(.internalError, "The virtual host controller has no free port.")
  }

  // MARK: - Requests

  /// - Returns: False after the end of the connection.
  private func serve(_ head: [UInt8]) -> Bool {
    let sequence = Self.word(head, 4)
    let isIn = Self.word(head, 12) == 1
    let endpoint = UInt8(truncatingIfNeeded: Self.word(head, 16) & 0x0F)
    switch Self.word(head, 0) {
    case Self.submit:
      let length = Int(Int32(bitPattern: Self.word(head, 24)))
      guard length >= 0, let data = isIn ? [] : socket.read(exactly: length) else { return false }
      if endpoint == 0 {
        control(sequence, USBSetup(head[40..<48]), data, isIn, length)
      } else if isIn {
        want(sequence, endpoint, length)
      } else {
        // Acknowledged first, so that a response never precedes the end of its request.
        complete(sequence, status: 0, length: data.count)
        device.receive(data, endpoint: endpoint) { [weak self] data, endpoint in
          self?.offer(data, endpoint & 0x0F)
        }
      }
    case Self.unlink:
      let victim = Self.word(head, 20)
      let was = pending.withLock { pending in
        let count = pending.requests.count
        pending.requests.removeAll { $0.sequence == victim }
        return pending.requests.count < count
      }
      var answer = Self.bytes(4, sequence, 0, 0, 0)
      answer += Self.bytes(was ? Self.unlinked : 0) + [UInt8](repeating: 0, count: 24)
      return socket.write(answer)
    default: return false
    }
    return true
  }

  private func control(_ sequence: UInt32, _ setup: USBSetup, _ data: [UInt8], _ isIn: Bool, _ length: Int) {
    guard let answer = setup.isStandard ? standard(setup) : device.control(setup, data) else {
      return complete(sequence, status: Self.stalled, length: 0)
    }
    let sent = isIn ? Array(answer.prefix(length)) : []
    complete(sequence, status: 0, length: isIn ? sent.count : data.count, sent)
  }

  /// USB 2.0, 9.4.
  private func standard(_ setup: USBSetup) -> [UInt8]? {
    let description = device.description
    switch (setup.request, setup.value >> 8) {
    case (6, 1): return description.device
    case (6, 2): return description.configuration
    case (6, 3): return description.string(UInt8(setup.value & 0xFF))
    case (6, _): return nil
    case (0, _): return [0, 0]  // the status: bus-powered
    case (8, _): return [1]
    default: return []  // address, configuration, interface, features: there is one of each
    }
  }

  private func want(_ sequence: UInt32, _ endpoint: UInt8, _ length: Int) {
    pending.withLock { $0.requests.append((sequence, endpoint, length)) }
    flush()
  }

  private func offer(_ data: [UInt8], _ endpoint: UInt8) {
    pending.withLock { $0.data[endpoint, default: []].append(data) }
    flush()
  }

  /// Completes pending requests with the available data, in order.
  private func flush() {
    while true {
      let match = pending.withLock { pending -> (UInt32, [UInt8])? in
        guard let index = pending.requests.firstIndex(where: { pending.data[$0.endpoint]?.isEmpty == false }) else {
          return nil
        }
        let request = pending.requests.remove(at: index)
        guard let data = pending.data[request.endpoint]?.removeFirst() else { return nil }
        if data.count > request.length {
          pending.data[request.endpoint]?.insert(Array(data.dropFirst(request.length)), at: 0)
        }
        return (request.sequence, Array(data.prefix(request.length)))
      }
      guard let (sequence, data) = match else { return }
      complete(sequence, status: 0, length: data.count, data)
    }
  }

  private func complete(_ sequence: UInt32, status: UInt32, length: Int, _ data: [UInt8] = []) {
    let answer =
      Self.bytes(3, sequence, 0, 0, 0, status, UInt32(truncatingIfNeeded: length), 0, 0, 0)
      + [UInt8](repeating: 0, count: 8) + data
    socket.write(answer)
  }

  private static func bytes(_ words: UInt32...) -> [UInt8] {
    words.flatMap { word in (0..<4).map { UInt8(truncatingIfNeeded: word >> (24 - 8 * $0)) } }
  }

  private static func word(_ bytes: [UInt8], _ at: Int) -> UInt32 {
    bytes[at..<at + 4].reduce(0) { $0 << 8 | UInt32($1) }
  }
}
