import FCKOnboardingFlow
import RampKit
import TesseraHTTPClient

/// The place of a flow's document: a file, `-` for standard input, or an https address.
struct FlowSource {
  let text: String

  /// - Throws: `Failure` of the kind `usage` if the file cannot be read, `HTTPError`, or `CancellationError`.
  func bytes() async throws -> [UInt8] {
    let limit = max(FlowLimits.documentSize, FlowConfigLimits.documentSize)
    guard text.contains("://") else { return try RequestFile(path: text, noun: "flow").bytes(upTo: limit) }
    var request = HTTPRequest(try HTTPSAddress(text), sizeLimit: limit, timeLimit: .seconds(30))
    // A flow must change at once when its author changes it.
    request.headers = [("Cache-Control", "no-cache"), ("Pragma", "no-cache")]
    request.redirects = .anyHost
    return try await HTTPSClient().body(of: request)
  }
}
