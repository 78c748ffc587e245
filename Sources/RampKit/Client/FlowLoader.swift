import RampKitFlow
internal import TesseraHTTPClient

/// Loads manifests and flows.
struct FlowLoader: Sendable {
  private static let timeLimit = Duration.seconds(30)

  let transport: any HTTPTransport

  /// - Throws: `HTTPError`, `FlowError` or `CancellationError`.
  func manifest(of appId: String, below base: String) async throws -> FlowManifest {
    let folder = base.hasSuffix("/") ? base : base + "/"
    return try FlowManifest(try await bytes("\(folder)\(PercentEncoding.component(appId))/manifest.json"))
  }

  /// - Parameter problems: receives what was left out of the flow.
  /// - Throws: `HTTPError`, `FlowError` or `CancellationError`.
  func flow(at address: String, problems: inout [FlowProblem]) async throws -> OnboardingData {
    try OnboardingData(try await bytes(address), problems: &problems)
  }

  private func bytes(_ address: String) async throws -> [UInt8] {
    var request = HTTPRequest(
      try HTTPSAddress(address), sizeLimit: FlowLimits.documentSize, timeLimit: Self.timeLimit)
    // A flow must change at once when its author changes it.
    request.headers = [("Cache-Control", "no-cache"), ("Pragma", "no-cache")]
    request.redirects = .anyHost
    return try await transport.body(of: request)
  }
}

/// Percent-encoding of one part of an address (RFC 3986, 2.1).
enum PercentEncoding {
  static func component(_ text: String) -> String {
    var encoded = ""
    for byte in text.utf8 {
      switch byte {
      case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
        UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "."), UInt8(ascii: "_"),
        UInt8(ascii: "~"):
        encoded.unicodeScalars.append(Unicode.Scalar(byte))
      default:
        let digits = String(byte, radix: 16, uppercase: true)
        encoded += digits.utf8.count == 1 ? "%0\(digits)" : "%\(digits)"
      }
    }
    return encoded
  }
}
