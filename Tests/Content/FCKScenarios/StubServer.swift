import FCKOnboarding
import TesseraHTTPClient
import TesseraThreads

/// Answers requests without a network, and remembers them.
final class StubServer: HTTPTransport {
  private let answer: @Sendable (HTTPRequest) async throws -> HTTPResponse
  private let addresses = Locked<[String]>([])

  init(_ answer: @escaping @Sendable (HTTPRequest) async throws -> HTTPResponse) { self.answer = answer }

  /// The addresses of the requests, in their order.
  var requested: [String] { addresses.withLock { $0 } }

  func response(to request: HTTPRequest) async throws -> HTTPResponse {
    addresses.withLock { $0.append(request.address.text) }
    return try await answer(request)
  }

  /// Serves one picture for every address.
  static let picture = StubServer { _ in HTTPResponse(status: 200, body: TestPicture.png(width: 4, height: 3)) }
}

/// Haptics that are only counted.
final class RecordedHaptics: HapticProvider {
  private let played = Locked<[String]>([])
  var all: [String] { played.withLock { $0 } }

  func isAvailable() async -> Bool { true }
  func impact(_ style: HapticImpactStyle) async { played.withLock { $0.append("impact \(style.rawValue)") } }
  func notification(_ type: HapticNotificationType) async {}
  func selection() async {}
}
