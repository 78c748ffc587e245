internal import Logging
import TesseraBridge
import TesseraCore
import TesseraDurableFiles
import TesseraThreads

/// What one `configure` set up: the requests, the cache, the record and the outbox of a program.
final class ClientSession: Sendable {
  let configuration: FCKConfiguration
  let record: RecordStore
  let loader: PlacementLoader
  let delivery: OutboxDelivery
  private let outbox: Outbox
  /// Files are read and written on a thread of their own.
  private let work: BlockingWork
  private let services: OnboardingServices
  private var logger: Logger { services.logger }

  /// - Throws: `Failure` if the configuration is invalid.
  init(_ configuration: FCKConfiguration, services: OnboardingServices) throws(Failure) {
    try configuration.validate()
    self.configuration = configuration
    self.services = services
    work = BlockingWork(name: "fckonboarding")
    let state = "\(UserFolders.state(services.environment))/\(configuration.folderName)/fckonboarding"
    let cache = FlowCache(folder: FlowCache.folder(services.environment, program: configuration.folderName))
    let api = FCKAPIClient(configuration, transport: services.transport, system: services.system)
    record = RecordStore(folder: state, logger: services.logger)
    // What was meant for the one environment is not sent to the other.
    outbox = Outbox(folder: "\(state)/outbox-\(configuration.environment.rawValue)")
    loader = PlacementLoader(api: api, cache: cache, now: services.now, work: work, logger: services.logger)
    delivery = OutboxDelivery(outbox, api: api, services: services, work: work)
  }

  /// The record, which is made if there is none.
  func currentRecord() async -> OnboardingRecord { await update { $0 } }

  /// Changes the record.
  func update<Result: Sendable>(_ change: @escaping @Sendable (inout OnboardingRecord) -> Result) async -> Result {
    await blocking { $0.record.update(change) }
  }

  /// Puts an event into the outbox.
  func add(
    _ name: String, userId: String?, flowId: String?, screenIndex: Int? = nil, metadata: JSONObject = [:]
  ) async {
    let unstored = await blocking { session in
      let deviceId = session.record.current().deviceId
      return session.append([
        session.event(
          name, userId: userId, deviceId: deviceId, flowId: flowId, screenIndex: screenIndex, metadata: metadata)
      ])
    }
    await send(unstored)
  }

  /// Sets the flag of a placement, and then puts the completion and the event `flow_completed` into the outbox, unless the
  /// flag was set before.
  func complete(_ placement: String, userId: String?, flowId: String?, screenIndex: Int?) async {
    let unstored = await blocking { session -> [OutboxEntry] in
      let (isFirst, record) = session.record.update { ($0.complete(placement), $0) }
      guard isFirst else { return [] }
      let completion = CompletionRequest(
        userId: userId, deviceId: record.deviceId, flowId: flowId, responses: record.responses)
      return session.append([
        OutboxEntry(.completion, completion.json, at: session.services.now()),
        session.event(
          "flow_completed", userId: userId, deviceId: record.deviceId, flowId: flowId, screenIndex: screenIndex,
          metadata: [:]),
      ])
    }
    await send(unstored)
  }

  /// Forgets the answers, what was finished, the cached flows, and what was not sent yet.
  func reset() async {
    await delivery.clear()
    await blocking { session in
      session.record.update { $0.reset() }
      do {
        try session.outbox.clear()
        try session.loader.cache.clear()
      } catch {
        session.logger.error("Some of what is stored cannot be removed. \(OnboardingLog.cause(error))")
      }
    }
  }

  private func event(
    _ name: String, userId: String?, deviceId: String, flowId: String?, screenIndex: Int?, metadata: JSONObject
  ) -> OutboxEntry {
    let now = services.now()
    let event = EventRequest(
      eventType: name, timestamp: now, userId: userId, sessionId: deviceId, flowId: flowId, screenIndex: screenIndex,
      metadata: metadata, system: services.system, appVersion: configuration.appVersion)
    return OutboxEntry(.event, event.json, at: now)
  }

  /// Blocks.
  ///
  /// - Returns: the entries that cannot be written.
  private func append(_ entries: [OutboxEntry]) -> [OutboxEntry] {
    entries.filter { entry in
      do {
        let dropped = try outbox.append(entry)
        if dropped > 0 { logger.warning("\(dropped) old reports to the onboarding server made room for a new one.") }
        return false
      } catch let error as FolderError {
        logger.error("A report cannot be stored, so it is sent in this run only. \(OnboardingLog.cause(error))")
        return true
      } catch {
        logger.error("A report is dropped. \(OnboardingLog.cause(error))")
        return false
      }
    }
  }

  private func send(_ unstored: [OutboxEntry]) async {
    for entry in unstored { await delivery.keep(entry) }
    await delivery.start()
  }

  /// Runs `body` on the thread for files.
  private func blocking<Result: Sendable>(_ body: @escaping @Sendable (ClientSession) -> Result) async -> Result {
    await work.value { body(self) }
  }
}

extension BlockingWork {
  /// Runs a call that throws nothing.
  fileprivate func value<Result: Sendable>(_ body: @Sendable () -> Result) -> Result { body() }
}
