import FoundationEssentials
package import TesseraCore
package import TesseraHTTPClient
package import TesseraThreads

/// Delivers the results of a folder to a server, each until the server has it. A result is removed after the server has
/// answered with a status from 200 to 299, and not before. If this program, the server or the network stops in between,
/// the server receives it again with the same `Idempotency-Key`, by which it knows that it has it.
///
/// What waits for another address is not sent to this one; see `ResultFolder.setAside`.
///
/// The body of the request is the result as it was signed. `Tessera-Signature` is the signature in DER, in base64.
package actor ResultDelivery {
  package enum Event: Sendable, Equatable {
    case delivered(identifier: String)
    /// The server has it, and it could not be removed, so it is delivered again.
    case notRemoved(identifier: String, Failure)
    case refused(identifier: String, status: Int)
    /// It cannot be read or signed.
    case unreadable(identifier: String, Failure)
    /// Nothing is delivered now: the network or the server is away, or the folder cannot be read.
    case away(Failure, waiting: Int, next: Duration)
    /// Results wait for another address.
    case waitElsewhere(ResultFolder.Others)
    /// What waited for this address, while there was another one, could not be brought back, which is tried again.
    case notTakenBack(Failure)
  }

  /// These statuses say something about this program, the address or the server, not about one result (RFC 9110, 15;
  /// RFC 6585; RFC 7725).
  private static let statusesOfServer: Set<Int> = [
    401, 402, 403, 404, 405, 407, 408, 410, 411, 414, 415, 417, 421, 425, 426, 428, 429, 431, 451,
  ]
  /// A server that wants no request for longer has perhaps a wrong clock.
  private static let longestSilence = Duration.seconds(3_600)
  private static let timeLimit = Duration.seconds(60)
  /// Without news, the folder is looked at this often.
  private static let longPause = Duration.seconds(3_600)

  /// A result that failed before.
  private struct Postponed {
    var failures: Int
    /// nil if it is tried again with the others.
    var until: ContinuousClock.Instant?
  }

  private let folder: ResultFolder
  private let owner: FolderOwner?
  private let signer: ResultSigner?
  private let address: HTTPSAddress
  private let transport: any HTTPTransport
  private let backoff: Backoff
  private let refusedBackoff: Backoff
  private let clock: any MonotonicClock
  private let report: @Sendable (Event) -> Void
  private var pause: Task<Void, Never>?
  private var hasNews = false
  /// Whether the folder has only what waits for this address, as far as it could be changed.
  private var isSorted = false
  private var postponed: [String: Postponed] = [:]
  /// Until when the server wants no request.
  private var silentUntil: ContinuousClock.Instant?
  private nonisolated let executor = ThreadExecutor(name: "kiosk-delivery")
  package nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }

  /// - Parameters:
  ///   - owner: takes the folder before the first look; nil if nobody else uses it.
  ///   - signer: signs results without a signature anew; nil if those are left out.
  ///   - backoff: for all results, while the network or the server is away.
  ///   - refusedBackoff: for one result, which the server refuses or which cannot be read.
  ///   - report: called on the thread of the delivery.
  package init(
    folder: ResultFolder, owner: FolderOwner? = nil, signer: ResultSigner? = nil, address: HTTPSAddress,
    transport: any HTTPTransport = HTTPSClient(),
    backoff: Backoff = Backoff(first: .seconds(2), longest: .seconds(300)),
    refusedBackoff: Backoff = Backoff(first: .seconds(60), longest: .seconds(3_600)),
    clock: any MonotonicClock = ContinuousClock(), report: @escaping @Sendable (Event) -> Void
  ) {
    self.folder = ResultFolder(path: folder.path, address: address.text)
    self.owner = owner
    self.signer = signer
    self.address = address
    self.transport = transport
    self.backoff = backoff
    self.refusedBackoff = refusedBackoff
    self.clock = clock
    self.report = report
  }

  deinit { executor.stop() }

  /// A result was added.
  package func wake() {
    hasNews = true
    pause?.cancel()
  }

  /// Delivers until the task is cancelled.
  package func run() async {
    var failures = 0
    while !Task.isCancelled {
      await waitForServer()
      hasNews = false
      failures = await deliver(onlyDue: true, next: backoff.delay(after: failures + 1)) ? 0 : failures + 1
      guard !hasNews, !Task.isCancelled else { continue }
      let pause = failures == 0 ? Self.longPause : backoff.delay(after: failures)
      let next = postponed.values.compactMap(\.until).min().map { clock.now.duration(to: $0) }
      await rest(min(pause, max(next ?? pause, .seconds(1))))
    }
  }

  /// Waits as long as the server wants no request. A new result does not end that.
  private func waitForServer() async {
    while !Task.isCancelled, let left = silentUntil.map({ clock.now.duration(to: $0) }), left > .zero {
      await rest(left)
    }
    silentUntil = nil
  }

  private func rest(_ duration: Duration) async {
    let pause = Task { [clock] in _ = try? await clock.sleep(for: duration) }
    self.pause = pause
    await withTaskCancellationHandler {
      await pause.value
    } onCancel: {
      pause.cancel()
    }
    self.pause = nil
  }

  /// Tries each result once, what failed before last.
  ///
  /// - Returns: whether the folder is empty.
  package func deliverAll() async -> Bool {
    await deliver(onlyDue: false, next: backoff.delay(after: 1))
    return (try? folder.names().isEmpty) ?? false
  }

  /// - Parameters:
  ///   - onlyDue: leaves out what waits for another try.
  ///   - next: after which time the rest is tried again.
  /// - Returns: false if the rest waits for the network, the server or the folder.
  @discardableResult
  private func deliver(onlyDue: Bool, next: Duration) async -> Bool {
    var left: [String]
    do {
      try owner?.take()
      sort()
      left = try folder.names()
    } catch {
      report(.away(Failure(error), waiting: 0, next: next))
      return false
    }
    let waiting = Set(left)
    postponed = postponed.filter { waiting.contains($0.key) }
    let failures = postponed.mapValues(\.failures)
    // What has never failed is first, so that no result blocks the others.
    left.sort { (failures[$0] ?? 0, $0) < (failures[$1] ?? 0, $1) }
    if onlyDue { left.removeAll { (postponed[$0]?.until).map { $0 > clock.now } ?? false } }
    var awayInRow = 0
    for name in left {
      guard !Task.isCancelled else { return false }
      switch await deliver(name) {
      case .done: awayInRow = 0
      case .postponed:
        postpone(name, for: refusedBackoff)
        awayInRow = 0
      case .away(let failure, let mayBeThisOne):
        postpone(name, for: mayBeThisOne ? backoff : nil)
        awayInRow += 1
        if let silentUntil, silentUntil > clock.now {
          let wait = max(next, clock.now.duration(to: silentUntil))
          report(.away(failure, waiting: (try? folder.names().count) ?? 0, next: wait))
          return false
        }
        // The next one shows whether it is the server or the result.
        if mayBeThisOne, awayInRow < 2, name != left.last { continue }
        if !Task.isCancelled { report(.away(failure, waiting: (try? folder.names().count) ?? 0, next: next)) }
        return false
      }
    }
    return awayInRow == 0
  }

  /// Separates what waits for other addresses, once.
  private func sort() {
    guard !isSorted else { return }
    for name in (try? folder.names()) ?? [] {
      // What stays here is found again when its turn comes.
      if let other = try? folder.otherReceiver(of: name) { try? folder.setAside(name, for: other) }
    }
    for others in (try? folder.others()) ?? [] { report(.waitElsewhere(others)) }
    do {
      try folder.takeBack()
      isSorted = true
    } catch { report(.notTakenBack(Failure(error))) }
  }

  private enum Attempt {
    /// Delivered, or gone meanwhile.
    case done
    /// Something is wrong with this result.
    case postponed
    case away(Failure, mayBeThisOne: Bool)
  }

  private func deliver(_ name: String) async -> Attempt {
    let entry: ResultFolder.Entry
    do {
      if let other = try folder.otherReceiver(of: name) {
        try folder.setAside(name, for: other)
        return .done
      }
      guard let found = try await self.entry(name) else { return .done }
      entry = found
    } catch {
      report(.unreadable(identifier: String(name.suffix(36)), Failure(error)))
      return .postponed
    }
    let response: HTTPResponse
    do { response = try await transport.response(to: request(entry)) } catch {
      return .away(Self.failure(error), mayBeThisOne: false)
    }
    let status = response.status
    guard 200...299 ~= status else {
      report(.refused(identifier: entry.identifier, status: status))
      guard status >= 500 || Self.statusesOfServer.contains(status) else { return .postponed }
      // With other statuses, the header may be about one result.
      let silence = [429, 503].contains(status) ? response.retryAfter : nil
      silentUntil = silence.map { clock.now + min($0, Self.longestSilence) }
      return .away(HTTPError.status(status).failure, mayBeThisOne: true)
    }
    do {
      try folder.remove(name)
      report(.delivered(identifier: entry.identifier))
      return .done
    } catch {
      report(.notRemoved(identifier: entry.identifier, Failure(error)))
      return .postponed
    }
  }

  /// The remedy of `HTTPError` for a redirect is for a user who wants a file.
  private static func failure(_ error: any Error) -> Failure {
    var failure = Failure(error)
    if case .redirect? = error as? HTTPError {
      failure.remedy =
        "Results are sent to the address of --results only. Use the one to which the server refers, if you trust it; a "
        + "page for signing in shows that the server does not know this kiosk."
    }
    return failure
  }

  /// The result with its signature. One that has lost it is signed anew.
  private func entry(_ name: String) async throws -> ResultFolder.Entry? {
    if let text = try folder.unsigned(name) {
      guard let signer else {
        throw Failure(.storageFailed, "The result has no signature.", remedy: "Sign it, or remove the file.")
      }
      try folder.sign(name, try await signer.signature(of: text))
    }
    return try folder.entry(name)
  }

  /// - Parameter backoff: nil to try it again with the others, but after them.
  private func postpone(_ name: String, for backoff: Backoff?) {
    let failures = (postponed[name]?.failures ?? 0) + 1
    postponed[name] = Postponed(failures: failures, until: backoff.map { clock.now + $0.delay(after: failures) })
  }

  private func request(_ entry: ResultFolder.Entry) -> HTTPRequest {
    var request = HTTPRequest(address, sizeLimit: 64 << 10, timeLimit: Self.timeLimit)
    // A status from 200 to 299 says that the server has it.
    request.ignoresBody = true
    request.method = .post(entry.json, type: "application/json")
    request.headers = [
      ("Idempotency-Key", "\"\(entry.identifier)\""),
      ("Tessera-Signature", Data(entry.signature).base64EncodedString()),
    ]
    return request
  }
}
