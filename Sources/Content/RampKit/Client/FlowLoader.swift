import RampKitFlow
package import TesseraHTTPClient

/// Loads manifests and flows.
package struct FlowLoader: Sendable {
  private static let timeLimit = Duration.seconds(30)

  let transport: any HTTPTransport

  package init(transport: any HTTPTransport) { self.transport = transport }

  /// - Throws: `HTTPError`, `FlowDocumentError` or `CancellationError`.
  @concurrent
  func manifest(of appId: String, below base: String) async throws -> FlowManifest {
    let folder = base.hasSuffix("/") ? base : base + "/"
    return try FlowManifest(try await bytes("\(folder)\(PercentEncoding.component(appId))/manifest.json"))
  }

  /// Off the main thread: a flow can be large.
  ///
  /// - Returns: the flow, and what was left out of it.
  /// - Throws: `HTTPError`, `FlowDocumentError` or `CancellationError`.
  @concurrent
  package func flow(at address: String) async throws -> (OnboardingData, [FlowProblem]) {
    var problems: [FlowProblem] = []
    let flow = try OnboardingData(try await bytes(address), problems: &problems)
    return (flow, problems)
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
