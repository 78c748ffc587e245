internal import Logging
internal import TesseraCore
internal import TesseraHTTPClient
internal import TesseraLocales

/// One conversation with the server: its manifest, then the texts that may have changed. Stores nothing.
struct UpdateCheck: Sendable {
  let transport: any HTTPTransport
  let addresses: ServerAddresses
  let id: PublishId
  let chain: LocaleChain
  let timeLimit: Duration
  let logger: Logger

  /// Texts that a server sent, as they are and as a table of their own.
  struct Received: Sendable {
    let record: LocaleRecord
    let table: StringTable
  }

  struct Outcome: Sendable {
    var manifest: ManifestRecord
    var received: [Received]
    /// The reasons why texts that a server sent are not used. The previous ones stay.
    var refusals: [Failure]
  }

  /// The locales that are requested at the same time.
  private static let maximumConcurrency = 4

  /// - Throws: `Failure` if there is no valid manifest; `CancellationError`.
  func run(_ manifest: ManifestRecord?, _ locales: [LocaleTag: LocaleRecord]) async throws -> Outcome {
    guard id.isHeaderValue else {
      throw Failure(
        .usage, "The publish id contains characters that no publish id has.",
        remedy: "Copy it from the settings of your project at rerune.io.")
    }
    let request = ManifestRequest(check: self)
    let (current, isNew) = try await request.answer(manifest)
    var pass = try await self.pass(current, isNew, locales)
    guard pass.isStale else { return pass.outcome }
    // The manifest names versions that the server no longer has: it is asked for once more, as if none were known.
    let first = pass.outcome
    do {
      let known = locales.merging(first.received.map { ($0.record.tag, $0.record) }) { _, new in new }
      pass = try await self.pass(try await request.answer(manifest, isValidated: false).0, true, known, isLast: true)
    } catch let failure as Failure {
      pass.outcome.refusals.insert(failure, at: 0)
      pass.outcome.manifest = first.manifest.withoutEntityTag
      return pass.outcome
    }
    let later = Set(pass.outcome.received.map(\.record.tag))
    pass.outcome.received += first.received.filter { !later.contains($0.record.tag) }
    if pass.isStale {
      pass.outcome.refusals.insert(
        Failure(
          .serviceUnavailable, "The server's list of texts is older than its texts.", remedy: "Try again later."),
        at: 0)
      // The next check receives it again.
      pass.outcome.manifest = pass.outcome.manifest.withoutEntityTag
    }
    return pass.outcome
  }

  // MARK: - Texts

  /// The result of asking for all texts of one manifest.
  private struct Pass {
    var outcome: Outcome
    /// Whether the server said that the manifest is an old one.
    var isStale = false
  }

  private enum Answer: Sendable {
    case received(Received)
    case refused(Failure)
    /// The texts of the cache stay.
    case same
    case stale
  }

  /// The texts of the user's languages and of the main one. Other languages are requested when they are the user's.
  ///
  /// - Parameter isLast: whether the manifest is the second one of the check. What is older than the stored texts is then
  ///   asked for as a whole: the server may have been restored from a copy.
  private func pass(
    _ current: ManifestRecord, _ isNew: Bool, _ locales: [LocaleTag: LocaleRecord], isLast: Bool = false
  ) async throws -> Pass {
    var pass = Pass(outcome: Outcome(manifest: current, received: [], refusals: []))
    var wanted: [TextsRequest] = []
    for tag in current.wanted(chain) {
      guard let entry = current.manifest.entries[tag] else { continue }
      do {
        guard
          let request = try TextsRequest(
            tag, entry, locales[tag], current, addresses: addresses, isManifestNew: isNew)
        else { continue }
        if request.isStale, !isLast {
          pass.isStale = true
        } else {
          wanted.append(request.isStale ? request.whole : request)
        }
      } catch {
        logger.warning("The texts for \(tag) have an address that is not used; the previous ones stay. \(error)")
      }
    }
    let answers = try await withThrowingTaskGroup(of: Answer.self) { group in
      var answers: [Answer] = []
      var rest = wanted[...]
      for next in rest.prefix(Self.maximumConcurrency) { group.addTask { try await texts(next) } }
      rest = rest.dropFirst(Self.maximumConcurrency)
      while let answer = try await group.next() {
        answers.append(answer)
        if let next = rest.popFirst() { group.addTask { try await self.texts(next) } }
      }
      return answers
    }
    for answer in answers {
      switch answer {
      case .received(let received): pass.outcome.received.append(received)
      case .refused(let refusal): pass.outcome.refusals.append(refusal)
      case .stale: pass.isStale = true
      case .same: break
      }
    }
    return pass
  }

  /// - Throws: `CancellationError`
  private func texts(_ request: TextsRequest) async throws -> Answer {
    let tag = request.tag
    do {
      var answer = try await response(
        request.address(), entityTag: request.etag, limit: TranslationPayload.maximumSize)
      if answer.isNotModified, request.etag != nil { return .same }
      if answer.status == 409 { return .stale }
      // The server may no longer have the difference to the stored version.
      if answer.status != 200, request.isDelta { return try await texts(request.whole) }
      if answer.status == 400, let named = request.namingVersion {
        answer = try await response(named.address(), entityTag: nil, limit: TranslationPayload.maximumSize)
      }
      guard answer.status == 200 else { throw HTTPError.status(answer.status) }
      return .received(try request.received(answer))
    } catch is PayloadError where request.isDelta {
      // Nothing that a program shows has changed, or the answer is an error: all texts tell.
      return try await texts(request.whole)
    } catch let error as PayloadError {
      logger.warning(
        "The texts for \(tag) are invalid (\(error.reason), at byte \(error.offset)); the previous ones stay.")
      return .refused(
        Failure(
          .serviceUnavailable, "The server's texts for \(tag) are not understood; the previous ones stay.",
          remedy: "Try again later, or with a newer version of this program.", details: ["reason": "\(error.reason)"]))
    } catch {
      try Task.checkCancellation()
      let cause = (error as? HTTPError).map { UpdateFailure.ofTexts($0).cause } ?? Failure(error).cause
      logger.warning("The texts for \(tag) cannot be read; the previous ones stay. \(cause)")
    }
    return .same
  }

  func response(
    _ address: HTTPSAddress, entityTag: String?, limit: Int
  ) async throws -> HTTPResponse {
    var request = HTTPRequest(address, sizeLimit: limit, timeLimit: timeLimit)
    request.redirects = .anyHost
    // The manifest may name any host; only the service's own learns the id.
    if address.hasSameHost(as: addresses.base) { request.headers = [(ServerAddresses.idHeader, id.text)] }
    request.entityTag = entityTag
    logger.trace("GET \(address.host)")
    return try await transport.response(to: request)
  }
}
