import Foundation
import TesseraNATS
import TesseraThreads
import TestSupport

/// Accepts one client as a server of NATS does, and then reads no more. It says from time to time that it is alive.
final class SilentServer: Sendable {
  private let port: UInt16
  private let listener: Int32
  /// A byte in it ends the silence.
  private let end: (read: FileHandle, write: FileHandle)
  private let received = FirstResult<[UInt8]>()

  /// - Parameter isBusy: it does not even say that it is alive, and reads on at the end of the silence. Otherwise it
  ///   ends the connection then.
  init(isBusy: Bool = false) throws {
    let reserved = try ReservedPort()
    port = UInt16(reserved.number)
    let listener = try LoopbackPort.listen(port)
    self.listener = listener
    // Its clients have this limit, too: the kernel does not take much in their place.
    var bytes: Int32 = 65_536
    setsockopt(listener, SOL_SOCKET, SO_RCVBUF, &bytes, socklen_t(MemoryLayout<Int32>.size))
    let pipe = Pipe()
    end = (pipe.fileHandleForReading, pipe.fileHandleForWriting)
    let ending = end.read
    let received = received
    let thread = Thread {
      defer { received.settle(.success([])) }
      let client = accept(listener, nil, nil)
      // The client does not come back.
      shutdown(listener, Int32(SHUT_RDWR))
      guard client >= 0 else { return }
      defer { close(client) }
      Self.send(
        "INFO {\"server_id\":\"silent\",\"version\":\"2.9.10\",\"headers\":true,\"max_payload\":1048576}\r\n", client)
      guard Self.awaitLogin(client) else { return }
      Self.send("PONG\r\n", client)
      guard isBusy else {
        while !Self.isReadable(ending.fileDescriptor, within: 500) { Self.send("PONG\r\n", client) }
        return
      }
      _ = Self.isReadable(ending.fileDescriptor, within: -1)
      received.settle(.success(Self.readOn(client)))
    }
    thread.start()
  }

  deinit {
    // Ends `accept`, if nobody came.
    shutdown(listener, Int32(SHUT_RDWR))
    close(listener)
    endSilence()
  }

  /// Ends the connection.
  func disconnect() { endSilence() }

  /// What the client sent during and after the silence, which ends now; nothing if it did not log in.
  func readOn() async throws -> [UInt8] {
    endSilence()
    return try await received.value
  }

  private func endSilence() { try? end.write.write(contentsOf: [0]) }

  func configuration(writeDeadline: Duration) -> NATSConfiguration {
    var configuration = NATSConfiguration(
      servers: [NATSServerAddress(host: "127.0.0.1", port: Int(port))], name: "lab", connectTimeout: .seconds(60))
    configuration.writeDeadline = writeDeadline
    // It does not answer questions.
    configuration.lifeLimit = .seconds(600)
    return configuration
  }

  private static let ping = Array("PING\r\n".utf8)

  private static func send(_ text: String, _ client: Int32) {
    let bytes = Array(text.utf8)
    _ = bytes.withUnsafeBytes { Foundation.send(client, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL)) }
  }

  /// Reads the client's first commands, which end with a question for a sign of life.
  private static func awaitLogin(_ client: Int32) -> Bool {
    var received: [UInt8] = []
    while !received.ends(with: ping) {
      var buffer = [UInt8](repeating: 0, count: 4096)
      let count = recv(client, &buffer, buffer.count, 0)
      guard count > 0 else { return false }
      received += buffer[..<count]
    }
    return true
  }

  /// Asks for a sign of life and answers such questions, as servers do, until the client ends the connection.
  private static func readOn(_ client: Int32) -> [UInt8] {
    send("PING\r\n", client)
    var received: [UInt8] = []
    var buffer = [UInt8](repeating: 0, count: 4096)
    while true {
      let count = recv(client, &buffer, buffer.count, 0)
      guard count > 0 else { return received }
      received += buffer[..<count]
      // The client's own question may stand before its answer to that of the server.
      if received.ends(with: ping) || received.ends(with: ping + Array("PONG\r\n".utf8)) { send("PONG\r\n", client) }
    }
  }

  private static func isReadable(_ descriptor: Int32, within milliseconds: Int32) -> Bool {
    var polled = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
    return poll(&polled, 1, milliseconds) != 0
  }
}

extension [UInt8] {
  fileprivate func ends(with end: [UInt8]) -> Bool { suffix(end.count).elementsEqual(end) }
}
