internal import Logging
internal import TesseraCore
internal import TesseraHTTPClient

/// One conversation with the server: its manifest, then the texts of the person's chain that may have changed. Stores
/// nothing.
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
    let manifest: ManifestRecord
    let received: [Received]
    /// The reasons why texts that a server sent are not used. The previous ones stay.
    let refusals: [Failure]
  }

  /// A request for the texts of one locale.
  private struct Wanted: Sendable {
    let tag: LocaleTag
    let address: HTTPSAddress
    let cached: LocaleRecord?

    /// The entity tag of the cached texts, if they are of this server.
    var etag: String? { cached?.etag(for: address) }
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
    let (current, isNew) = try await self.manifest(manifest)
    // Only the person's chain: other languages are requested when they are somebody's.
    let wanted = chain.tags.compactMap { tag -> Wanted? in
      guard let entry = current.manifest.entries[tag], let wanted = self.wanted(tag, entry, locales[tag]) else {
        return nil
      }
      // A manifest that did not change does not say that the texts did not either.
      if isNew, let etag = wanted.etag, etag == entry.tag { return nil }
      return wanted
    }
    let answers = try await withThrowingTaskGroup(of: Result<Received, Failure>?.self) { group in
      var received: [Result<Received, Failure>] = []
      var rest = wanted[...]
      for next in rest.prefix(Self.maximumConcurrency) {
        group.addTask { try await texts(next) }
      }
      rest = rest.dropFirst(Self.maximumConcurrency)
      while let texts = try await group.next() {
        if let texts { received.append(texts) }
        if let next = rest.popFirst() { group.addTask { try await self.texts(next) } }
      }
      return received
    }
    return Outcome(
      manifest: current, received: answers.compactMap { try? $0.get() },
      refusals: answers.compactMap { if case .failure(let refusal) = $0 { refusal } else { nil } })
  }

  // MARK: - Manifest

  private func manifest(_ cached: ManifestRecord?) async throws -> (ManifestRecord, isNew: Bool) {
    let address = try addresses.manifest()
    do {
      var response = try await self.response(
        address, entityTag: cached?.etag, limit: TranslationManifest.maximumSize)
      if response.isNotModified {
        if let cached { return (cached, false) }
        // The server takes part in a validation that nobody asked for.
        response = try await self.response(address, entityTag: nil, limit: TranslationManifest.maximumSize)
      }
      guard response.status == 200 else { throw HTTPError.status(response.status) }
      guard
        let record = ManifestRecord(
          body: response.body, etag: response.entityTag, previousRevision: cached?.revision)
      else {
        throw Failure(.serviceUnavailable, "The server's list of texts is invalid.", remedy: "Try again later.")
      }
      return (record, true)
    } catch let error as HTTPError {
      throw UpdateFailure.of(error)
    }
  }

  // MARK: - Texts

  /// - Returns: nil if the manifest has an address that is not used.
  private func wanted(_ tag: LocaleTag, _ entry: TranslationManifest.Entry, _ cached: LocaleRecord?) -> Wanted? {
    do {
      return Wanted(tag: tag, address: try addresses.texts(entry), cached: cached)
    } catch {
      logger.warning("The texts for \(tag) have an address that is not used; the previous ones stay. \(error)")
      return nil
    }
  }

  /// - Returns: nil if the texts of the cache stay; a failure if they stay because the server's are not understood.
  /// - Throws: `CancellationError`
  private func texts(_ wanted: Wanted) async throws -> Result<Received, Failure>? {
    let tag = wanted.tag
    do {
      let response = try await response(
        wanted.address, entityTag: wanted.etag, limit: TranslationPayload.maximumSize)
      if response.isNotModified, wanted.etag != nil { return nil }
      guard response.status == 200 else { throw HTTPError.status(response.status) }
      let texts = try ReceivedTexts(response.body, mediaType: response.mediaType, for: tag)
      let record = LocaleRecord(
        tag: tag, host: LocaleRecord.host(wanted.address), etag: response.entityTag, payload: texts.payload)
      return .success(Received(record: record, table: texts.table))
    } catch let error as PayloadError {
      logger.warning(
        "The texts for \(tag) are invalid (\(error.reason), at byte \(error.offset)); the previous ones stay.")
      return .failure(
        Failure(
          .serviceUnavailable, "The server's texts for \(tag) are not understood; the previous ones stay.",
          remedy: "Try again later, or with a newer version of this program.", details: ["reason": "\(error.reason)"]))
    } catch {
      try Task.checkCancellation()
      let cause = (error as? HTTPError).map { UpdateFailure.ofTexts($0).cause } ?? Failure(error).cause
      logger.warning("The texts for \(tag) cannot be read; the previous ones stay. \(cause)")
    }
    return nil
  }

  private func response(
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
