import BridgeVectors
import Foundation
import TesseraBridge
import TesseraService
import TesseraThreads
import TestSupport
import Testing

extension RealPrograms {
  @Suite("Closing of a connection")
  struct ClosingTests {
    @Test(
      "answers a close frame with its code, and an invalid one with a protocol error",
      arguments: [
        ([0x03], 1002), ([0, 0], 1002), ([0x03, 0xE7], 1002), ([0x03, 0xEC], 1002), ([0x03, 0xED], 1002),
        ([0x03, 0xEE], 1002), ([0x03, 0xF7], 1002), ([0x07, 0xD0], 1002), ([0x0B, 0xB7], 1002), ([0x13, 0x88], 1002),
        ([0xFF, 0xFF], 1002), ([0x03, 0xE8, 0xFF], 1007), ([0x03, 0xE8, 0xC3], 1007),
        ([0x03, 0xE8, 0xED, 0xA0, 0x80], 1007), ([0x03, 0xE8, 0x62, 0x79, 0x65], 1000), ([0x03, 0xEB], 1003),
        ([0x03, 0xEF], 1007), ([0x0B, 0xB8], 3000), ([0x13, 0x87], 4999), ([], 0),
      ] as [([UInt8], Int)])
    func codes(_ body: [UInt8], _ code: Int) async throws {
      try await ServiceUnderTest.with(.echo) { service in
        let page = try await service.webSocket()
        page.connection.send(WebSocketClient.frame(8, body))
        #expect(await page.closeFrame()?.closeCode == code)
      }
    }

    @Test("a request that outlives the service schedules nothing on its event loop")
    func lateAnswer() async throws {
      let result = await #expect(processExitsWith: .success, observing: [\.standardErrorContent]) {
        let handler = UncancellableHandler()
        let service = try await ServiceUnderTest(MessageRouter(handlers: [handler]))
        let program = try service.unix()
        program.post(VectorClient.request("analytics.trackEvent", id: "1"))
        await program.wait { _ in handler.isWaiting.withLock { $0 } }
        program.hangUp()
        await program.wait { _ in service.server.connectionCount == 0 }
        await service.stop()
        handler.end()
        await program.wait { _ in handler.hasEnded.withLock { $0 } }
        try await Task.sleep(for: .milliseconds(500))
      }
      let errors = String(decoding: result?.standardErrorContent ?? [], as: UTF8.self)
      #expect(!errors.contains("Cannot schedule tasks"), "\(errors)")
    }
  }
}

/// Ignores the cancellation of its request.
private final class UncancellableHandler: BridgeHandler {
  let domain = BridgeDomain.analytics
  let isWaiting = Locked(false)
  let hasEnded = Locked(false)
  private let waiting = Locked<CheckedContinuation<Void, Never>?>(nil)

  func handle(
    _ request: BridgeRequest, emit: @escaping @Sendable (String, JSONValue) -> Void
  ) async throws -> JSONValue {
    await withCheckedContinuation { continuation in
      waiting.withLock { $0 = continuation }
      isWaiting.withLock { $0 = true }
    }
    defer { hasEnded.withLock { $0 = true } }
    return nil
  }

  func end() { waiting.withLock { $0.take() }?.resume() }
}
