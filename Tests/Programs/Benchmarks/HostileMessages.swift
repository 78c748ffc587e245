import Foundation
import ServiceLoad
import TesseraThreads

/// The waiting time of one client while another one sends messages of 1 MiB continuously, of every kind that is
/// expensive to parse; compared with an echo service.
enum HostileMessages {
  private static let goal = 20.0

  static func run(_ path: String, echo: String) async throws -> [Measurement] {
    var rows: [Measurement] = []
    for (name, parameters) in kinds {
      let message = Array(
        (#"{"type":"request","version":1,"id":"hostile","domain":"haptic","method":"trigger","params":"# + parameters
          + #","timestamp":1}"# + "\n").utf8)
      let ours = try await longestWait(at: path, beside: message)
      let floor = try await longestWait(at: echo, beside: message)
      rows.append(
        Measurement(
          "service, longest wait beside 1 MiB of \(name)", ours, .milliseconds, floor: floor, of: "bare NIO echo",
          goal: goal))
    }
    return rows
  }

  /// The parameters of a message of slightly less than 1 MiB.
  private static let kinds: [(String, String)] = [
    ("combining marks", "{\"a" + String(repeating: "\u{316}\u{301}", count: 260_000) + "\":1}"),
    ("combining marks in two names", twoNames), ("deep nesting", nested(500_000)), ("accepted nesting", shallow),
    ("a long number", "{\"a\":" + String(repeating: "9", count: 1_000_000) + "}"),
    ("long numbers", "{\"a\":[" + list(String(repeating: "9", count: 900), 1_100) + "]}"),
    ("many members", "{" + (0..<95_000).map { "\"\($0)\":1" }.joined(separator: ",") + "}"),
    (
      "long names",
      "{" + (0..<64).map { "\"\(String(repeating: "k", count: 16_000))\($0)\":1" }.joined(separator: ",") + "}"
    ),
  ]

  private static var twoNames: String {
    let names = ["\u{316}\u{301}", "\u{301}\u{316}"].map { "\"a" + String(repeating: $0, count: 130_000) + "\":1" }
    return "{" + names.joined(separator: ",") + "}"
  }

  private static var shallow: String { "{\"a\":[" + list(nested(60), 8_000) + "]}" }

  private static func nested(_ depth: Int) -> String {
    String(repeating: "[", count: depth) + String(repeating: "]", count: depth)
  }

  private static func list(_ element: String, _ count: Int) -> String {
    Array(repeating: element, count: count).joined(separator: ",")
  }

  /// The maximum during two seconds, in milliseconds.
  private static func longestWait(at path: String, beside message: [UInt8]) async throws -> Double {
    let isOver = Locked(false)
    let hostile = Thread {
      guard let socket = try? BlockingSocket(path) else { return }
      while !isOver.withLock({ $0 }) { guard socket.exchange(message) else { return } }
    }
    hostile.start()
    defer { isOver.withLock { $0 = true } }
    let small = Array(
      #"{"type":"request","version":1,"id":"1","domain":"lifecycle","method":"ready","params":{},"timestamp":1}"#.utf8)
    return try await BlockingWork(name: "waiting client").run {
      let socket = try BlockingSocket(path)
      var longest = Duration.zero
      let end = ContinuousClock.now + .seconds(2)
      while ContinuousClock.now < end {
        let start = ContinuousClock.now
        guard socket.exchange(small + [10]) else { throw POSIXError(.EPIPE) }
        longest = max(longest, ContinuousClock.now - start)
        usleep(500)
      }
      return longest / .milliseconds(1)
    }
  }
}

/// A line out and a line in.
private final class BlockingSocket {
  private let descriptor: Int32

  init(_ path: String) throws {
    descriptor = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
    var address = sockaddr_un()
    address.sun_family = sa_family_t(AF_UNIX)
    withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: Array(path.utf8.prefix(107))) }
    let result = withUnsafePointer(to: &address) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_un>.size))
      }
    }
    guard result == 0 else { throw POSIXError(.ECONNREFUSED) }
  }

  deinit { close(descriptor) }

  /// An echo can be as long as the message, so it is read while the message is sent.
  func exchange(_ line: [UInt8]) -> Bool {
    var sent = 0
    var buffer = [UInt8](repeating: 0, count: 1 << 16)
    while true {
      var poll = pollfd(fd: descriptor, events: Int16(POLLIN | (sent < line.count ? POLLOUT : 0)), revents: 0)
      guard Glibc.poll(&poll, 1, 10_000) == 1 else { return false }
      if Int32(poll.revents) & POLLIN != 0 {
        let count = recv(descriptor, &buffer, buffer.count, Int32(MSG_DONTWAIT))
        guard count > 0 else { return false }
        if sent == line.count, buffer[count - 1] == 10 { return true }
      } else if Int32(poll.revents) & POLLOUT != 0 {
        let rest = line[sent...]
        let count = rest.withUnsafeBytes {
          send(descriptor, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL) | Int32(MSG_DONTWAIT))
        }
        guard count > 0 else { return false }
        sent += count
      } else {
        return false
      }
    }
  }
}
