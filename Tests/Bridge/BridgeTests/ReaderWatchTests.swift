import TesseraThreads
import TestSupport
import Testing

@testable import TesseraBridge

@Suite("The state of the readers")
struct ReaderWatchTests {
  /// Each watch gets a stream of its own.
  private final class Readers: NfcProvider {
    let streams = Locked<[AsyncStream<NfcReaderState>.Continuation]>([])
    let ended = Locked(0)

    func isAvailable() async -> Bool { true }
    func scanPassport(
      _ request: NfcScanRequest, onProgress: @escaping @Sendable (NfcScanStep) -> Void
    ) async throws -> NfcScanResult { throw CancellationError() }
    func cancelScan() async {}

    func readerStates() -> AsyncStream<NfcReaderState>? {
      let (stream, continuation) = AsyncStream.makeStream(of: NfcReaderState.self)
      continuation.onTermination = { [ended] _ in ended.withLock { $0 += 1 } }
      streams.withLock { $0.append(continuation) }
      return stream
    }

    func show(_ readers: Int, _ documents: Int) {
      for stream in streams.withLock(\.self) { stream.yield(NfcReaderState(readers: readers, documents: documents)) }
    }
  }

  private static func request(_ method: String, _ connection: BridgeConnection) -> BridgeRequest {
    BridgeRequest(id: "1", domain: .nfc, method: method, parameters: BridgeParameters(), connection: connection)
  }

  private static func code(_ handler: NfcBridgeHandler, _ method: String, _ connection: BridgeConnection) async
    -> String?
  {
    do {
      _ = try await handler.handle(request(method, connection)) { _, _ in }
      return nil
    } catch {
      return (error as? BridgeError)?.code
    }
  }

  @Test("reports the state and each change, and ends when the connection stops it, dismisses, or is closed")
  func changes() async throws {
    let readers = Readers()
    let registry = SdkProviderRegistry()
    registry.register { $0.nfc = readers }
    let handler = NfcBridgeHandler(registry: registry)
    for (index, end) in ["stopWatching", "dismiss", "cancel"].enumerated() {
      let connection = BridgeConnection()
      let seen = Locked<[String]>([])
      let watch = Task {
        try await handler.handle(Self.request("watchReader", connection)) { name, data in
          seen.withLock { $0.append("\(name) \(data.text)") }
        }
      }
      try await eventually { readers.streams.withLock(\.count) == index + 1 }
      for (count, documents) in [(0, 0), (0, 0), (1, 0), (1, 1), (1, 0), (0, 0)] { readers.show(count, documents) }
      try await eventually { seen.withLock(\.count) == 5 }
      func event(_ change: String, _ count: Int, _ documents: Int) -> String {
        #"readerChanged {"change":"\#(change)","readers":\#(count),"documents":\#(documents)}"#
      }
      #expect(
        seen.withLock(\.self) == [
          event("watching", 0, 0), event("reader_connected", 1, 0), event("document_placed", 1, 1),
          event("document_removed", 1, 0), event("reader_removed", 0, 0),
        ])
      #expect(await Self.code(handler, "watchReader", connection) == "ALREADY_SCANNING")
      // Another connection does not end it.
      #expect(await Self.code(handler, "stopWatching", BridgeConnection()) == nil)
      #expect(readers.ended.withLock(\.self) == index)
      switch end {
      case "stopWatching": #expect(await Self.code(handler, end, connection) == nil)
      case "dismiss": await handler.didDismiss(connection)
      default: watch.cancel()
      }
      #expect(try await watch.value == .null)
      #expect(readers.ended.withLock(\.self) == index + 1)
    }
  }

  @Test("a page learns that the service ended its watch, and not the page")
  func endedByTheService() async throws {
    let readers = Readers()
    let registry = SdkProviderRegistry()
    registry.register { $0.nfc = readers }
    let handler = NfcBridgeHandler(registry: registry)
    let request = BridgeRequest(
      id: "1", domain: .nfc, method: "watchReader", parameters: BridgeParameters(),
      caller: .web(origin: "https://wallet.example"), connection: BridgeConnection())
    let watch = Task { try await handler.handle(request) { _, _ in } }
    try await eventually { readers.streams.withLock(\.count) == 1 }
    watch.cancel()
    let error = await #expect(throws: BridgeError.self) { try await watch.value }
    #expect(error?.code == "SCAN_ABORTED" && error?.details == ["reason": "serviceStopping"])
  }

  @Test("a grant of a scan includes the watch; a provider without readers is not configured for it")
  func rights() async {
    #expect(BridgeDomain.nfc.methods(grantedWith: "scan").contains("watchReader"))
    #expect(BridgeDomain.nfc.methods(grantedWith: "watchReader") == ["watchReader", "stopWatching"])
    let handler = NfcBridgeHandler(registry: SdkProviderRegistry())
    #expect(await Self.code(handler, "watchReader", .only) == "NOT_CONFIGURED")
  }
}
