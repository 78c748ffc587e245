internal import Logging
package import TesseraCore
internal import TesseraLocales
import TesseraThreads

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// The texts of a program and their updates. `ReRune` has the one of the process; tests make their own.
package final class OverTheAirStrings: Sendable {
  private struct State {
    var session: Session?
    /// The language that the program chose.
    var selected: LocaleTag?
    var revision = 0
    var subscribers: [Int: AsyncStream<Int>.Continuation] = [:]
    var lastNumber = 0
    /// The check at the start and those after it.
    var schedule: Task<Void, Never>?
    mutating func number() -> Int {
      lastNumber += 1
      return lastNumber
    }
    /// Tells all subscribers that texts changed. The number may be the same as before.
    func announce() {
      for subscriber in subscribers.values { subscriber.yield(revision) }
    }
  }
  private let state = Locked(State())
  private let table = CurrentTable()
  private let bundledTables = BundledTables()
  /// A check that nobody waits for any more may already be using its texts, so the next one waits for its end.
  private let checks = RequestCoalescer<Int, CheckReport>(isExclusive: true)
  /// Files are written, and tables made, on a thread of their own.
  private let work = BlockingWork(name: "rerune")
  private let setupLock = Locked(0)
  /// One table is made at a time, of what is known then: the last one that is used has everything.
  private let tableLock = Locked(0)
  private let clock: any Clock<Duration>

  /// - Parameter clock: the one of periodic checks.
  package init(clock: any Clock<Duration> = ContinuousClock()) { self.clock = clock }

  deinit {
    let (schedule, subscribers) = state.withLock { ($0.schedule, Array($0.subscribers.values)) }
    schedule?.cancel()
    for subscriber in subscribers { subscriber.finish() }
  }

  // MARK: - Setup

  /// Loads the texts of the cache, so that the next lookup finds them, and starts the checks of the policy. Does nothing
  /// if the publish id is the current one. Blocks while it reads the files.
  package func setup(_ configuration: StringsConfiguration) {
    setupLock.withLock { _ in
      guard state.withLock({ $0.session?.configuration.id }) != configuration.id else { return }
      let session = Session(configuration, number: state.withLock { $0.number() })
      if let selected = state.withLock({ $0.selected }) { session.choose(LocaleChain(selected)) }
      let table = session.table()
      let (previous, isFirst) = state.withLock { state in
        let previous = state.schedule
        let isFirst = state.session == nil
        state.schedule = nil
        state.session = session
        state.revision = session.revision ?? 0
        return (previous, isFirst)
      }
      previous?.cancel()
      tableLock.withLock { _ in _ = self.table.replace(with: table) }
      // The texts of the cache, or those of another publish id.
      if table.count > 0 || !isFirst { state.withLock { $0.announce() } }
      configuration.logger.info("The texts are those of \(configuration.id.redacted), for \(session.chain.tags).")
      start(session)
    }
  }

  private func start(_ session: Session) {
    let policy = session.configuration.policy
    let interval = policy.waitBetweenChecks
    guard policy.checkOnStart || interval != nil else { return }
    let schedule = Task { [weak self, clock] in
      if policy.checkOnStart { _ = await self?.check(session) }
      // Each wait begins after the check before it: a machine that was suspended does not catch up.
      while let interval, (try? await clock.sleep(for: interval)) != nil, let self { _ = await self.check(session) }
    }
    state.withLock { state in
      if state.session === session { state.schedule = schedule } else { schedule.cancel() }
    }
  }

  // MARK: - Languages

  /// The language that the program chose; nil for that of the environment.
  package var selectedLocale: String? { state.withLock { $0.selected?.text } }

  /// The languages that there are texts of, bundled ones and those of the server, sorted by their tags.
  package var languages: [ReRuneLocale] { state.withLock { $0.session }?.languages ?? [] }

  /// Looks up in the texts of a language, which the next lookup finds, and asks the server for them if they were never
  /// received and the policy has checks. Blocks while it reads the files.
  ///
  /// - Parameter locale: a tag such as `de-AT`; nil, or a text that is no tag, for the language of `setup`.
  package func select(_ locale: String?) {
    setupLock.withLock { _ in
      let tag = locale.flatMap { text in LocaleTag(text).flatMap { _ in LocaleChain(text).tags.first } }
      let session = state.withLock { state in
        state.selected = tag
        return state.session
      }
      guard let session else { return }
      session.choose(tag.map { LocaleChain($0) } ?? session.configuration.chain)
      use(session)
      state.withLock { $0.announce() }
      let policy = session.configuration.policy
      if session.isIncomplete, policy.checkOnStart || policy.waitBetweenChecks != nil {
        Task { [weak self] in
          // One in progress may be for the language before.
          _ = await self?.check(session)
          if session.isIncomplete { _ = await self?.check(session) }
        }
      }
    }
  }

  // MARK: - Updates

  /// Asks the server for new texts. A call during a check waits for the result of that check.
  package func checkForUpdates() async -> ReRuneUpdateResult {
    guard let session = state.withLock({ $0.session }) else {
      return ReRuneUpdateResult(status: .failed, errorMessage: Self.missingSetup.description)
    }
    return await check(session)
  }

  private static let missingSetup = Failure(.usage, "ReRune.setup was not called before the check.")

  /// `checkForUpdates` with the reason of a failed check as an error.
  ///
  /// - Throws: `Failure`, or `CancellationError`.
  package func checkOrThrow() async throws -> CheckReport {
    guard let session = state.withLock({ $0.session }) else { throw Self.missingSetup }
    do {
      return try await report(session)
    } catch is CancellationError {
      throw CancellationError()
    } catch {
      throw Failure(error)
    }
  }

  private func check(_ session: Session) async -> ReRuneUpdateResult {
    do {
      return try await report(session).result
    } catch {
      return ReRuneUpdateResult(status: .failed, errorMessage: Failure(error).description)
    }
  }

  /// The number of callers that wait for the check in progress.
  var waitingCount: Int { state.withLock { $0.session?.number }.map(checks.waitingCount) ?? 0 }

  private func report(_ session: Session) async throws -> CheckReport {
    try await checks.value(session.number) { try await self.perform(session) }
  }

  private func perform(_ session: Session) async throws -> CheckReport {
    let logger = session.configuration.logger
    let outcome: UpdateCheck.Outcome
    do {
      outcome = try await session.check()
    } catch let error where !(error is CancellationError) {
      logger.error("The check for new texts failed. \(Failure(error).cause)")
      throw error
    }
    // From here on the check has its effect, also if nobody waits for it any more.
    try Task.checkCancellation()
    return try await work.run {
      let languages = session.languages
      let change = session.apply(outcome)
      let hasChanged = !change.updated.isEmpty
      if hasChanged { self.use(session) }
      let failure = session.storeManifest() ?? change.failure
      // A menu of languages follows the list of the server, too.
      guard self.announce(session, hasChanged: hasChanged || session.languages != languages) else {
        throw Failure(.cancelled, "Another publish id is in use now, so the texts of this check are not.")
      }
      if !hasChanged, let refusal = outcome.refusals.first {
        logger.error("The check for new texts failed. \(refusal.cause)")
        throw refusal
      }
      let locales = change.updated.map(\.text).sorted()
      logger.info("\(hasChanged ? "New texts for \(locales)" : "No new texts").")
      return CheckReport(
        result: ReRuneUpdateResult(
          status: hasChanged ? .updated : .noChange, updatedLocales: Set(locales),
          errorMessage: (failure ?? outcome.refusals.first)?.description),
        storageFailure: failure)
    }
  }

  /// Sets the revision of a check and tells the subscribers. One lock is held for both and for the question whether the
  /// session is still the current one: a `setup` that came after it has announced its own.
  ///
  /// - Returns: false if another publish id is in use now.
  private func announce(_ session: Session, hasChanged: Bool) -> Bool {
    state.withLock { state in
      guard state.session === session else { return false }
      if let revision = session.revision { state.revision = revision }
      if hasChanged { state.announce() }
      return true
    }
  }

  private func isCurrent(_ session: Session) -> Bool { state.withLock { $0.session === session } }

  /// Looks up in the texts of the session, unless another publish id is in use now.
  private func use(_ session: Session) {
    tableLock.withLock { _ in _ = table.replace(with: session.table()) { isCurrent(session) } }
  }

  // MARK: - Revisions

  /// The number of the last manifest that the server sent; 0 if there is none.
  package var revision: Int { state.withLock { $0.revision } }

  /// The current revision, and the revision after each change of the texts.
  package func revisions() -> AsyncStream<Int> { stream(beginsWithCurrent: true) }

  /// The revision after each change of the texts from now on.
  package func changes() -> AsyncStream<Int> { stream(beginsWithCurrent: false) }

  private func stream(beginsWithCurrent: Bool) -> AsyncStream<Int> {
    let (stream, continuation) = AsyncStream<Int>.makeStream(bufferingPolicy: .bufferingNewest(1))
    let number = state.withLock { state in
      let number = state.number()
      state.subscribers[number] = continuation
      // Under the lock, so that a later revision cannot come before this one.
      if beginsWithCurrent { continuation.yield(state.revision) }
      return number
    }
    continuation.onTermination = { [weak self] _ in
      self?.state.withLock { _ = $0.subscribers.removeValue(forKey: number) }
    }
    return stream
  }

  // MARK: - Lookups

  /// The text for a key of the standard table. Takes no lock, and reads no file.
  ///
  /// - Parameter value: the text if there is no other; nil for the key.
  package func text(_ key: String, value: String? = nil) -> FoundText {
    if let found = table.text(key, fallback: { value ?? key }) { return found }
    return Self.fallback(key, value)
  }

  /// The form of a text of the standard table for a number. It is a format string, as the text is.
  package func text(_ key: String, count: Int, value: String? = nil) -> FoundText {
    table.text(key, count: count, fallback: { value ?? key }) ?? Self.fallback(key, value)
  }

  /// The text for a key of another table, or of a folder of another part of the program. The server does not change
  /// these texts. The first lookup in a table reads its files.
  ///
  /// - Parameter folder: nil for the folder of `setup`. A folder of its own needs no `setup`: then the language is that of
  ///   the environment.
  package func bundledText(_ key: String, table: String, folder: String?, value: String? = nil) -> FoundText {
    let session = state.withLock { $0.session }
    let chain = session?.chain ?? state.withLock { $0.selected.map { LocaleChain($0) } } ?? Self.environmentChain
    guard let folder = folder ?? session?.configuration.resources,
      let found = bundledTables.table(table, in: folder, chain).text(key)
    else { return Self.fallback(key, value) }
    return found
  }

  private static let environmentChain = LocaleChain(environment: ProcessInfo.processInfo.environment)

  private static func fallback(_ key: String, _ value: String?) -> FoundText {
    value.map { FoundText(text: $0, source: .default) } ?? FoundText(text: key, source: .key)
  }
}

/// The result of a check, with what its caller may want to tell apart.
package struct CheckReport: Sendable {
  package let result: ReRuneUpdateResult
  /// The reason why the cache does not have the texts: they are used while the process lives, and are gone after it.
  package let storageFailure: Failure?
}
