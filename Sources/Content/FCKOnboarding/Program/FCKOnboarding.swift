import Logging
import TesseraWebContent

/// The onboarding flows of a program: screens that a server describes, drawn with native widgets.
///
/// Onboarding never holds up the program: what does not work is logged, and the program goes on as if there were no
/// flow. Only `configure`, `fetchFlow` and `trackEvent` throw.
@MainActor
public final class FCKOnboarding {
  /// The flows of this program.
  public static let shared = FCKOnboarding(services: .system())
  /// The version of the mobile SDK whose interface this is.
  public nonisolated static let version = "1.0.0"

  package let services: FCKServices
  let pictures: PictureLoader
  let logger = Logger(label: "FCKOnboarding")
  private var configuration: FCKConfiguration?
  /// The flow that has a window of its own.
  private var presentation: FlowPresentation?

  package init(services: FCKServices) {
    self.services = services
    pictures = PictureLoader(transport: services.transport, memory: services.pictureMemory)
  }

  var isConfigured: Bool { configuration != nil }
  /// The name of the program in the titles of windows.
  var programName: String { configuration?.appName ?? "fckonboarding" }

  // MARK: - Configuration

  /// Says where the flows of this program are. A later call replaces an earlier one.
  ///
  /// - Throws: `Failure` if the key or the address is invalid. Then nothing changes.
  public func configure(_ configuration: FCKConfiguration) async throws(Failure) {
    try await services.client.configure(configuration)
    self.configuration = configuration
  }

  /// Says where the flows of this program are, with the parameters of the mobile SDK and the address of the server.
  ///
  /// - Throws: `Failure` if the key or the address is invalid. Then nothing changes.
  public func configure(
    apiKey: String, baseAddress: String, environment: FCKEnvironment? = nil,
    cachePolicy: FlowCachePolicy = .networkFirst
  ) async throws(Failure) {
    try await configure(
      FCKConfiguration(
        apiKey: apiKey, baseAddress: baseAddress, environment: environment, cachePolicy: cachePolicy))
  }

  /// Sets the program's own identifier of the person; nil for none.
  public func setUserId(_ identifier: String?) async { await services.client.setUserId(identifier) }

  // MARK: - Flows

  /// Loads the flow of a placement.
  ///
  /// - Parameter userProperties: those that the configuration does not name are not sent.
  /// - Returns: nil if the person sees no flow.
  /// - Throws: `FCKError.notConfigured`, `FCKAPIClient.APIError`, or `CancellationError`.
  public func fetchFlow(
    for placement: String = "main", userProperties: JSONObject = [:]
  ) async throws -> FlowConfig? {
    try await services.client.fetchFlow(for: placement, userProperties: userProperties)
  }

  /// Shows the flow of a placement in a window of its own, if the person has one to see, and waits for its end. A
  /// completed flow is marked as such.
  ///
  /// - Returns: how the flow ended; nil if none was shown.
  @discardableResult
  public func presentIfNeeded(
    for placement: String = "main", userProperties: JSONObject = [:]
  ) async -> FlowReport? {
    var presentation: FlowPresentation?
    defer { if let presentation, presentation === self.presentation { self.presentation = nil } }
    do {
      guard let flow = try await fetchFlow(for: placement, userProperties: userProperties), !flow.screens.isEmpty
      else {
        return nil
      }
      guard self.presentation == nil else {
        logger.warning("A flow is shown already.")
        return nil
      }
      try MainLoop.openDisplay()
      let shown = FlowPresentation(flow, of: self)
      presentation = shown
      self.presentation = shown
      let report = try await shown.run()
      self.presentation = nil
      await ended(report, placement: placement, screenIndex: shown.screenIndex)
      return report
    } catch {
      logger.warning("No flow is shown. \(Failure(error).cause)")
      return nil
    }
  }

  /// What follows the end of a flow that this object loaded for a placement.
  func ended(_ report: FlowReport, placement: String, screenIndex: Int) async {
    guard report.outcome == .completed else { return }
    await services.client.markCompleted(placement: placement, screenIndex: screenIndex)
  }

  /// Remembers that the person has finished the last flow, and reports it with the answers.
  public func markCompleted() async { await services.client.markCompleted() }

  // MARK: - Answers and events

  /// The answers of the person by their keys.
  public func getUserResponses() async -> [String: String] { await services.client.getUserResponses() }

  /// Keeps an answer.
  public func saveResponse(key: String, value: String) async {
    await services.client.saveResponse(key: key, value: value)
  }

  /// Forgets the answers, what was finished, the cached flows, and what was not sent yet.
  public func reset() async { await services.client.reset() }

  /// Reports an event.
  ///
  /// - Throws: `FCKError.notConfigured`.
  public func trackEvent(
    name: String, flowId: String? = nil, screenIndex: Int? = nil, metadata: JSONObject = [:]
  ) async throws(FCKError) {
    try await services.client.trackEvent(
      name: name, flowId: flowId, screenIndex: screenIndex, metadata: metadata)
  }

  /// Waits until what happened was sent and effects of haptics have ended: for the end of a program.
  public func finish() async {
    await services.client.finishSending()
    await services.haptics.finish()
  }
}
