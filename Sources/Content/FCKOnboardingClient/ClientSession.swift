internal import FoundationEssentials
internal import Logging
import TesseraCore
import TesseraDurableFiles
import TesseraJSON
import TesseraThreads

/// What one `configure` set up: the requests, the cache, the record and the outbox of a program.
final class ClientSession: Sendable {
  let configuration: FCKConfiguration
  let record: RecordStore
  let loader: PlacementLoader
  let delivery: OutboxDelivery
  private let outbox: Outbox
  private let reports: CompletionReports
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
    let record = RecordStore(RecordFile(folder: state), logger: services.logger)
    self.record = record
    // What was meant for the one environment is not sent to the other.
    let outbox = Outbox(folder: "\(state)/outbox-\(configuration.environment.rawValue)")
    self.outbox = outbox
    let reports = CompletionReports(
      record: record, outbox: outbox, environment: configuration.environment, logger: services.logger)
    self.reports = reports
    loader = PlacementLoader(api: api, cache: cache, now: services.now, work: work, logger: services.logger)
    delivery = OutboxDelivery(outbox, reports, api: api, services: services, work: work)
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
    let unstored = await blocking { session -> OutboxEntry? in
      let event = session.event(
        name, userId: userId, deviceId: session.record.current().deviceId, flowId: flowId, screenIndex: screenIndex,
        metadata: metadata, at: session.services.now())
      return session.outbox.append(event, logger: session.logger) ? nil : event
    }
    if let unstored { await delivery.keep(unstored) }
    await delivery.start()
  }

  /// Sets the flag of a placement, and reports the completion and the event `flow_completed`, unless the flag was set
  /// before. A process that ends at any moment loses no report, if its files can be written.
  func complete(_ placement: String, userId: String?, flowId: String?, screenIndex: Int?) async {
    await blocking { session in
      session.noteCompletion(of: placement, userId: userId, flowId: flowId, screenIndex: screenIndex)
      _ = session.reports.move()
    }
    await delivery.start()
  }

  /// The first step of a completion: the flag and the reports are written into the record as one. Blocks.
  func noteCompletion(of placement: String, userId: String?, flowId: String?, screenIndex: Int?) {
    let now = services.now()
    let ids = (completion: OutboxEntry.newId(), event: OutboxEntry.newId())
    let dropped = record.update { [configuration, self] record in
      guard record.complete(placement) else { return 0 }
      let completion = CompletionRequest(
        userId: userId, deviceId: record.deviceId, flowId: flowId, responses: record.responses)
      let reports = [
        OutboxEntry(.completion, completion.json, at: now, id: ids.completion),
        event(
          "flow_completed", userId: userId, deviceId: record.deviceId, flowId: flowId, screenIndex: screenIndex,
          metadata: [:], at: now, id: ids.event),
      ]
      return record.add(reports.map { PendingReport(configuration.environment, $0) })
    }
    if dropped > 0 { logger.warning("\(dropped) old reports of completions made room for new ones.") }
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
    _ name: String, userId: String?, deviceId: String, flowId: String?, screenIndex: Int?, metadata: JSONObject,
    at now: Date, id: String = OutboxEntry.newId()
  ) -> OutboxEntry {
    let event = EventRequest(
      eventType: name, timestamp: now, userId: userId, sessionId: deviceId, flowId: flowId, screenIndex: screenIndex,
      metadata: metadata, system: services.system, appVersion: configuration.appVersion)
    return OutboxEntry(.event, event.json, at: now, id: id)
  }

  /// Runs `body` on the thread for files.
  private func blocking<Result: Sendable>(_ body: @escaping @Sendable (ClientSession) -> Result) async -> Result {
    await work.value { body(self) }
  }
}

extension BlockingWork {
  /// Runs a call that throws nothing.
  func value<Result: Sendable>(_ body: @Sendable () -> Result) -> Result { body() }
}
