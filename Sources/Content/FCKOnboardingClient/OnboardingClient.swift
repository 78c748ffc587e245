public import FCKOnboardingFlow
internal import Logging
public import TesseraCore
public import TesseraJSON
import TesseraThreads

/// FCKOnboarding without a window: loads flows, remembers what was finished and answered, and reports it.
///
/// Nothing waits for the server but `fetchFlow`: completions and events are written to files first, and are sent in the
/// background, in their order, also after the next start of the program.
public actor OnboardingClient {
  private let services: OnboardingServices
  private var logger: Logger { services.logger }
  private var session: ClientSession?
  private var userId: String?
  /// The placement of the last flow.
  private var lastPlacement: String?
  /// The ids of the flows by their placements.
  private var flowIds: [String: String] = [:]

  public init() { self.init(services: .system()) }

  package init(services: OnboardingServices) { self.services = services }

  /// Sets up the client, and sends what an earlier run could not send. A later call replaces an earlier one.
  ///
  /// - Throws: `Failure` if the configuration is invalid. Then nothing changes.
  public func configure(_ configuration: FCKConfiguration) async throws(Failure) {
    let session = try ClientSession(configuration, services: services)
    let previous = self.session
    self.session = session
    userId = Self.identifier(configuration.userId)
    lastPlacement = nil
    flowIds = [:]
    await previous?.delivery.stop()
    await session.delivery.start()
  }

  /// Sets the program's own identifier of the user; nil for none.
  public func setUserId(_ identifier: String?) { userId = Self.identifier(identifier) }

  private static func identifier(_ text: String?) -> String? {
    guard let text, 1...256 ~= text.utf8.count else { return nil }
    return text
  }

  // MARK: - Flows

  /// Loads the flow of a placement for this user, and reports `flow_fetched`.
  ///
  /// - Parameter userProperties: those that the configuration does not name are not sent.
  /// - Returns: nil if the user sees no flow: it was finished here or elsewhere, or the server says so. A flow that
  ///   was finished here is not asked for.
  /// - Throws: `FCKError.notConfigured`, `FCKAPIClient.APIError`, or `CancellationError`.
  public func fetchFlow(
    for placement: String = "main", userProperties: JSONObject = [:]
  ) async throws -> FlowConfig? {
    guard let session else { throw FCKError.notConfigured }
    noteUndeclared(userProperties, session.configuration)
    let userId = userId
    let record = await session.currentRecord()
    guard !record.completed.contains(placement) else { return nil }
    let wanted = PlacementLoader.Wanted(
      placement: placement, identity: .init(userId: userId, deviceId: record.deviceId), userProperties: userProperties)
    let response = try await session.loader.response(wanted)
    guard let flow = response.config else { return nil }
    if self.session === session {
      lastPlacement = placement
      flowIds[placement] = flow.flowId
    }
    await session.add("flow_fetched", userId: userId, flowId: flow.flowId)
    return flow
  }

  private func noteUndeclared(_ properties: JSONObject, _ configuration: FCKConfiguration) {
    for name in properties.names where !configuration.userProperties.contains(name) {
      logger.warning("The user property “\(PrintableText.of(name))” is not declared, so it is not sent.")
    }
  }

  // MARK: - Completion

  /// Remembers that the user has finished a flow, and reports it with the answers and as the event `flow_completed`.
  /// A second call for the same placement does nothing. Without a configuration nothing happens.
  ///
  /// - Parameters:
  ///   - placement: nil for that of the last flow, or `main`.
  ///   - screenIndex: the screen on which the flow was finished, for the event.
  public func markCompleted(placement: String? = nil, screenIndex: Int? = nil) async {
    guard let session = configured("markCompleted") else { return }
    let placement = placement ?? lastPlacement ?? "main"
    await session.complete(placement, userId: userId, flowId: flowIds[placement], screenIndex: screenIndex)
  }

  /// Whether a flow of the placement was finished on this machine. False without a configuration.
  public func isCompleted(placement: String = "main") async -> Bool {
    await session?.currentRecord().completed.contains(placement) ?? false
  }

  // MARK: - Answers

  /// The answers of the user by their keys; empty without a configuration.
  public func getUserResponses() async -> [String: String] {
    guard let members = await session?.currentRecord().responses.members else { return [:] }
    return Dictionary(members.map { ($0.name, $0.value.stringValue ?? "") }) { $1 }
  }

  /// Keeps an answer, in a file that only the user can read. Without a configuration nothing happens.
  ///
  /// - Parameters:
  ///   - key: at most 256 bytes of UTF-8.
  ///   - value: All keys and values together have at most 256 KiB of UTF-8. An answer beyond that is not stored, and an
  ///     earlier one with the key stays.
  public func saveResponse(key: String, value: String) async {
    var answers = FlowAnswers()
    answers.append(key, value)
    await saveResponses(answers)
  }

  /// Keeps several answers in one write, as `saveResponse` does, and forgets those that the user took back.
  public func saveResponses(_ answers: FlowAnswers) async {
    guard let session = configured("saveResponse") else { return }
    let refused = await session.update { record in
      for key in answers.withdrawn { record.removeResponse(for: key) }
      return answers.all.reduce(0) { $0 + (record.setResponse($1.value, for: $1.key) ? 0 : 1) }
    }
    if refused > 0 { logger.warning("\(refused) answers are too long or too many, and are not stored.") }
  }

  /// Forgets the answers, what was finished, the cached flows, and what was not sent yet. The identifiers of the device
  /// and the user stay.
  public func reset() async {
    guard let session = configured("reset") else { return }
    lastPlacement = nil
    flowIds = [:]
    await session.reset()
  }

  // MARK: - Events

  /// Reports an event. It is stored first, and sent in the background.
  ///
  /// - Parameters:
  ///   - name: For example `screen_viewed`.
  ///   - screenIndex: From 0.
  /// - Throws: `FCKError.notConfigured`
  public func trackEvent(
    name: String, flowId: String? = nil, screenIndex: Int? = nil, metadata: JSONObject = [:]
  ) async throws(FCKError) {
    guard let session else { throw .notConfigured }
    await session.add(name, userId: userId, flowId: flowId, screenIndex: screenIndex, metadata: metadata)
  }

  /// Waits until what is stored was sent, or a server could not be reached: at most for this time. For the end of a
  /// program.
  public func finishSending(atMost limit: Duration = .seconds(2)) async {
    guard let delivery = session?.delivery else { return }
    try? await withTimeLimit(limit) { await delivery.waitUntilIdle() }
  }

  private func configured(_ function: StaticString) -> ClientSession? {
    if session == nil { logger.warning("\(function) was called before configure, and does nothing.") }
    return session
  }
}
