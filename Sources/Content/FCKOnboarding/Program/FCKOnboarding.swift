import FCKOnboardingClient
import FCKOnboardingFlow
import Foundation
import Logging
import TesseraBridge
package import TesseraHTTPClient
import TesseraLinuxProviders
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

  /// Sets the program's own identifier of the user; nil for none.
  public func setUserId(_ identifier: String?) async { await services.client.setUserId(identifier) }

  // MARK: - Flows

  /// Loads the flow of a placement.
  ///
  /// - Parameter userProperties: those that the configuration does not name are not sent.
  /// - Returns: nil if the user sees no flow.
  /// - Throws: `FCKError.notConfigured`, `FCKAPIClient.APIError`, or `CancellationError`.
  public func fetchFlow(
    for placement: String = "main", userProperties: JSONObject = [:]
  ) async throws -> FlowConfig? {
    try await services.client.fetchFlow(for: placement, userProperties: userProperties)
  }

  /// Shows the flow of a placement in a window of its own, if the user has one to see, and waits for its end. A
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

  /// Remembers that the user has finished the last flow, and reports it with the answers.
  public func markCompleted() async { await services.client.markCompleted() }

  // MARK: - Answers and events

  /// The answers of the user by their keys.
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

/// What FCKOnboarding uses of the system. Tests replace parts of it.
package struct FCKServices: Sendable {
  package var client: OnboardingClient
  /// Loads pictures.
  package var transport: any HTTPTransport
  package var haptics: any HapticProvider
  /// The memory of all pictures that are shown or kept, in bytes of pixels.
  package var pictureMemory = PictureBudget.standard
  /// How the user writes numbers.
  package var numberFormat = FlowNumberFormat(environment: ProcessInfo.processInfo.environment)

  package init(client: OnboardingClient, transport: any HTTPTransport, haptics: any HapticProvider) {
    self.client = client
    self.transport = transport
    self.haptics = haptics
  }

  /// Those of this system.
  package static func system() -> FCKServices {
    FCKServices(client: OnboardingClient(), transport: HTTPSClient(), haptics: EvdevHapticProvider())
  }
}

/// How a flow is shown in a window of its own.
package struct FlowWindowOptions {
  /// Whether the flow is an HTML page instead of widgets.
  package var usesPage = false
  package var fillsScreen = false
  /// Who shows the flow; nil for the name of the configuration.
  package var program: String?

  package init() {}
}

/// A flow in a window of its own. Closing the window skips the flow.
@MainActor
package final class FlowPresentation {
  package let view: OnboardingFlowView
  private let window: OnboardingWindow
  private let outcomes: AsyncStream<Result<FlowReport, Failure>>

  package init(
    _ flow: FlowConfig, of onboarding: FCKOnboarding, options: FlowWindowOptions = FlowWindowOptions()
  ) {
    let (outcomes, outcome) = AsyncStream.makeStream(of: Result<FlowReport, Failure>.self)
    self.outcomes = outcomes
    view = OnboardingFlowView(flow, of: onboarding, usesPage: options.usesPage) { outcome.yield(.success($0)) }
    view.onFailure = { outcome.yield(.failure($0)) }
    window = OnboardingWindow(
      program: options.program ?? onboarding.programName, content: view.widget, isPage: options.usesPage)
    window.onCloseRequest = { [weak view] in view?.skip() }
    window.onBack = { [weak view] in view?.goBack() }
    if options.fillsScreen { window.fillScreen() }
  }

  package var screenIndex: Int { view.screenIndex }

  /// Closes the flow as if the user had closed it.
  package func close() { view.skip() }

  /// Shows the flow, and waits for its end.
  ///
  /// - Throws: `Failure` if the page ended unexpectedly.
  package func run() async throws(Failure) -> FlowReport {
    view.begin()
    window.present()
    view.focusFirst()
    var result = Result<FlowReport, Failure>.failure(Failure(.cancelled, "The flow was closed."))
    for await outcome in outcomes {
      result = outcome
      break
    }
    window.close()
    await view.end()
    return try result.get()
  }
}
