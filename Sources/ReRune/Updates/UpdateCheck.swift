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
    let wanted = chain.tags.compactMap { tag -> (tag: LocaleTag, entry: TranslationManifest.Entry)? in
      guard let entry = current.manifest.entries[tag] else { return nil }
      // A manifest that did not change does not say that the texts did not either.
      if isNew, let etag = locales[tag]?.etag, etag == entry.tag { return nil }
      return (tag, entry)
    }
    let received = try await withThrowingTaskGroup(of: Received?.self) { group in
      var received: [Received] = []
      var rest = wanted[...]
      for next in rest.prefix(Self.maximumConcurrency) {
        group.addTask { try await texts(next.tag, next.entry, locales[next.tag]) }
      }
      rest = rest.dropFirst(Self.maximumConcurrency)
      while let texts = try await group.next() {
        if let texts { received.append(texts) }
        if let next = rest.popFirst() {
          group.addTask { try await self.texts(next.tag, next.entry, locales[next.tag]) }
        }
      }
      return received
    }
    return Outcome(manifest: current, received: received)
  }

  // MARK: - Manifest

  private func manifest(_ cached: ManifestRecord?) async throws -> (ManifestRecord, isNew: Bool) {
    let address = try addresses.manifest()
    var response = try await self.response(
      address, entityTag: cached?.etag, limit: TranslationManifest.maximumSize)
    if response.isNotModified {
      if let cached { return (cached, false) }
      // The server takes part in a validation that nobody asked for.
      response = try await self.response(address, entityTag: nil, limit: TranslationManifest.maximumSize)
    }
    guard response.status == 200 else { throw Self.failure(status: response.status) }
    guard let record = ManifestRecord(body: response.body, etag: response.entityTag) else {
      throw Failure(
        .serviceUnavailable, "The server's list of texts is invalid.", remedy: "Try again later.")
    }
    return (record, true)
  }

  private static func failure(status: Int) -> Failure {
    switch status {
    case 401, 403:
      Failure(
        .serviceUnavailable, "The server refused the publish id (HTTP status \(status)).",
        remedy: "Compare it with the one in the settings of your project at rerune.io.",
        details: ["status": "\(status)"])
    default: Failure(HTTPError.status(status))
    }
  }

  // MARK: - Texts

  /// - Returns: nil if the texts of the cache stay.
  /// - Throws: `CancellationError`
  private func texts(
    _ tag: LocaleTag, _ entry: TranslationManifest.Entry, _ cached: LocaleRecord?
  ) async throws -> Received? {
    do {
      let response = try await response(
        addresses.texts(entry), entityTag: cached?.etag, limit: TranslationPayload.maximumSize)
      if response.isNotModified, cached != nil { return nil }
      guard response.status == 200 else { throw HTTPError.status(response.status) }
      let payload = try TranslationPayload(response.body, mediaType: response.mediaType)
      let table = try payload.table()
      return Received(record: LocaleRecord(tag: tag, etag: response.entityTag, payload: payload), table: table)
    } catch let error as PayloadError {
      logger.warning(
        "The texts for \(tag) are invalid (\(error.reason), at byte \(error.offset)); the previous ones stay.")
    } catch {
      try Task.checkCancellation()
      logger.warning("The texts for \(tag) cannot be read; the previous ones stay. \(Failure(error).cause)")
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
