import RampKitFlow
import TesseraCore
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

/// In whose name something is stored or done. All programs of the user share the encrypted store and the keys; each has
/// its own entries in them, and so has each flow.
enum FlowOwner {
  /// A program, for the identifier of the user and the answers.
  static func program(_ appName: String) -> Caller {
    .web(origin: "rampkit://\(PercentEncoding.component(appName))")
  }

  /// A flow that may use the hardware. It is the same at the next start of the program.
  static func flow(_ id: String, of appName: String) -> Caller {
    .web(origin: "rampkit://\(PercentEncoding.component(appName))/\(PercentEncoding.component(id))")
  }
}
