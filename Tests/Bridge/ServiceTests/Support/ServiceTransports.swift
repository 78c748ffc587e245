import BridgeVectors
import TesseraBridge
import TesseraService
import TesseraThreads

/// The Unix socket of a service, for the vectors. `SecurityTests` covers users without access.
struct UnixSocketTransport: BridgeTransport {
  let name = "Unix socket"

  func open(_ router: MessageRouter, isTrusted: Bool) async throws -> (any VectorConnection)? {
    guard isTrusted else { return nil }
    let service = try await ServiceUnderTest(router)
    let connection = try service.unix()
    return ServedConnection(
      service, connection,
      texts: { bytes, rest in
        rest += bytes
        var texts: [String] = []
        while let end = rest.firstIndex(of: UInt8(ascii: "\n")) {
          texts.append(String(decoding: rest[..<end], as: UTF8.self))
          rest.removeSubrange(...end)
        }
        return texts
      },
      frame: { Array($0.utf8) + [UInt8(ascii: "\n")] })
  }
}

/// The WebSocket, as a page of a granted origin. An untrusted source is a page of another origin.
struct WebSocketTransport: BridgeTransport {
  let name = "WebSocket"

  func open(_ router: MessageRouter, isTrusted: Bool) async throws -> (any VectorConnection)? {
    let service = try await ServiceUnderTest(router)
    let client: WebSocketClient
    do {
      client = try await service.webSocket(origin: isTrusted ? ServiceUnderTest.origin : "http://evil.test")
    } catch is WebSocketClient.Refused {
      await service.stop()
      return nil
    }
    let isHead = Locked(true)
    return ServedConnection(
      service, client.connection,
      texts: { bytes, rest in
        var bytes = bytes[...]
        // The stream begins with the HTTP response to the upgrade.
        isHead.withLock { isHead in
          guard isHead else { return }
          rest += bytes
          bytes = []
          guard let end = rest.firstRange(of: Array("\r\n\r\n".utf8)) else { return }
          rest.removeSubrange(..<end.upperBound)
          isHead = false
        }
        let (frames, left) = WebSocketClient.parse(rest + bytes)
        rest = left
        return frames.filter { $0.opcode == 1 }.map(\.text)
      },
      frame: { WebSocketClient.frame(1, $0.utf8) })
  }
}

private struct ServedConnection: VectorConnection {
  let received: AsyncStream<String>
  private let service: ServiceUnderTest
  private let connection: RawConnection
  private let frame: @Sendable (String) -> [UInt8]

  init(
    _ service: ServiceUnderTest, _ connection: RawConnection,
    texts: @escaping @Sendable ([UInt8], inout [UInt8]) -> [String], frame: @escaping @Sendable (String) -> [UInt8]
  ) {
    self.service = service
    self.connection = connection
    self.frame = frame
    received = AsyncStream { continuation in
      Task {
        var rest: [UInt8] = []
        for await chunk in connection.chunks {
          for text in texts(chunk, &rest) { continuation.yield(text) }
        }
        continuation.finish()
      }
    }
  }

  func send(_ text: String) async throws { connection.send(frame(text)) }

  func close() async {
    connection.hangUp()
    await service.stop()
  }
}
