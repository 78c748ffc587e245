internal import TesseraCore
internal import TesseraHTTPClient
internal import TesseraLocales

/// The request for the texts of one locale: for all of them or, if the stored ones have a version of the same base, for what
/// changed since (contracts of 0.8 and later). A server without versions is asked with an entity tag.
struct TextsRequest: Sendable {
  let tag: LocaleTag
  private let base: HTTPSAddress
  private let entry: TranslationManifest.Entry
  private var cached: LocaleRecord?
  private var isVersioned: Bool
  /// Whether the stored texts are newer than the manifest.
  let isStale: Bool
  private let contract: ServerContract?

  /// - Returns: nil if the stored texts are those of the manifest.
  /// - Throws: `HTTPError` if the manifest has an address that is not used.
  init?(
    _ tag: LocaleTag, _ entry: TranslationManifest.Entry, _ cached: LocaleRecord?, _ record: ManifestRecord,
    addresses: ServerAddresses, isManifestNew: Bool
  ) throws(HTTPError) {
    // The versions of another contract are other numbers.
    let cached = cached?.contract == record.contract ? cached : cached?.withoutVersion
    (self.tag, self.entry, self.cached, contract) = (tag, entry, cached, record.contract)
    base = try addresses.texts(entry, record.contract ?? .records)
    isVersioned =
      entry.version != nil && (entry.minimumDeltaBase != nil || record.manifest.mainLanguage != nil)
    var isStale = false
    if isVersioned {
      if let version = entry.version, let stored = cached?.version, cached?.minimumDeltaBase == entry.minimumDeltaBase {
        if stored == version { return nil }
        isStale = stored > version
      }
    } else if isManifestNew, let etag = cached?.etag(for: base), etag == entry.tag {
      // A manifest that did not change does not say that the texts did not either.
      return nil
    }
    self.isStale = isStale
  }

  /// Whether it asks for a difference.
  var isDelta: Bool { deltaBase != nil }

  /// The stored version that a difference is asked for.
  private var deltaBase: Int? {
    guard isVersioned, let base = entry.minimumDeltaBase, base == cached?.minimumDeltaBase else { return nil }
    return cached?.version
  }

  /// The entity tag of the stored texts, if they are of this server.
  var etag: String? { isVersioned ? nil : cached?.etag(for: base) }

  func address() throws(HTTPError) -> HTTPSAddress {
    guard isVersioned, let version = entry.version else { return base }
    return try ServerAddresses.adding(
      (deltaBase.map { [("version", $0)] } ?? []) + [("target_version", version)], to: base)
  }

  /// The request with the version of the texts, for a server that refuses one without; nil if this one has it.
  var namingVersion: TextsRequest? {
    guard !isVersioned, entry.version != nil else { return nil }
    var request = self
    request.isVersioned = true
    return request
  }

  /// The request for all texts.
  var whole: TextsRequest {
    var request = self
    request.cached = cached?.withoutVersion
    return request
  }

  /// - Throws: `PayloadError`
  func received(_ response: HTTPResponse) throws(PayloadError) -> UpdateCheck.Received {
    let texts = try ReceivedTexts(
      response.body, mediaType: response.mediaType, for: tag, changing: deltaBase == nil ? nil : cached?.payload,
      replacing: cached?.payload, allowsFlat: cached?.isStructured != true)
    let record = LocaleRecord(
      tag: tag, host: LocaleRecord.host(base), etag: response.entityTag, payload: texts.payload,
      version: isVersioned ? entry.version : nil, minimumDeltaBase: entry.minimumDeltaBase,
      isStructured: texts.isStructured, contract: isVersioned ? contract : nil)
    return UpdateCheck.Received(record: record, table: texts.table)
  }
}
