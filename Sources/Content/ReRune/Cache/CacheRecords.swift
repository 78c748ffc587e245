internal import TesseraHTTPClient
internal import TesseraJSON
internal import TesseraLocales

/// A manifest with its entity tag.
struct ManifestRecord: Sendable, Equatable {
  let body: [UInt8]
  private(set) var etag: String?
  /// The parsed body.
  let manifest: TranslationManifest
  /// The number of this manifest, else that of the last one before it that said one.
  let revision: Int?
  /// The request that it is the answer of. Nil in the record of an older version.
  let contract: ServerContract?

  /// - Parameter previousRevision: for a manifest without a number.
  /// - Returns: nil if the body is no manifest.
  init?(body: [UInt8], etag: String?, previousRevision: Int?, contract: ServerContract?) {
    guard let manifest = TranslationManifest(body) else { return nil }
    self.body = body
    self.etag = etag.flatMap(EntityTag.usable)
    self.manifest = manifest
    self.contract = contract
    revision = manifest.revision ?? previousRevision
  }

  /// - Parameter file: `{"format": 1, "etag": "…", "revision": 7, "contract": "records", "body": "…"}`
  init?(file: [UInt8]) {
    guard let text = String(validating: file, as: UTF8.self), let record = try? JSONValue(text: text),
      record["format"] == .integer(Int64(StringsCache.format)), let body = record["body"]?.stringValue
    else { return nil }
    var revision: Int?
    if case .integer(let number)? = record["revision"] { revision = Int(number) }
    self.init(
      body: Array(body.utf8), etag: record["etag"]?.stringValue, previousRevision: revision,
      contract: record["contract"]?.stringValue.flatMap(ServerContract.init))
  }

  /// The same manifest without its entity tag: the next check receives it again.
  var withoutEntityTag: ManifestRecord {
    var record = self
    record.etag = nil
    return record
  }

  /// The locales whose texts are looked up: those of the user's chain, then those of the main language.
  func wanted(_ chain: LocaleChain) -> [LocaleTag] {
    let main = manifest.mainLanguage.map { LocaleChain($0).matches(in: manifest.entries.keys) } ?? []
    let own = chain.matches(in: manifest.entries.keys)
    return own + main.filter { !own.contains($0) }
  }

  var file: [UInt8] {
    let record: JSONValue = [
      "format": .integer(Int64(StringsCache.format)), "etag": etag.map(JSONValue.string) ?? nil,
      "revision": revision.map { .integer(Int64($0)) } ?? nil,
      "contract": contract.map { .string($0.rawValue) } ?? nil,
      "body": .string(String(decoding: body, as: UTF8.self)),
    ]
    return Array(record.text.utf8)
  }
}

/// The texts of a locale with their entity tag.
struct LocaleRecord: Sendable, Equatable {
  let tag: LocaleTag
  /// The server that sent the texts, with its port. Nil in the record of an older version.
  let host: String?
  let etag: String?
  let payload: TranslationPayload
  /// The version of the texts, if the server numbers them.
  private(set) var version: Int?
  /// The manifest's `minimum_delta_base_version` of that version.
  let minimumDeltaBase: Int?
  /// Whether the server sent catalogs or records: it does not go back to flat texts.
  let isStructured: Bool
  /// The contract whose number the version is.
  let contract: ServerContract?

  init(
    tag: LocaleTag, host: String?, etag: String?, payload: TranslationPayload, version: Int? = nil,
    minimumDeltaBase: Int? = nil, isStructured: Bool = false, contract: ServerContract? = nil
  ) {
    self.contract = contract
    (self.version, self.minimumDeltaBase, self.isStructured) = (version, minimumDeltaBase, isStructured)
    self.tag = tag
    self.host = host
    self.etag = etag.flatMap(EntityTag.usable)
    self.payload = payload
  }

  /// The entity tag for a request: only the server that issued it can compare it, and no other one learns it.
  func etag(for address: HTTPSAddress) -> String? { host == Self.host(address) ? etag : nil }

  /// The same texts without their number: the next request is for all of them.
  var withoutVersion: LocaleRecord {
    var record = self
    record.version = nil
    return record
  }

  static func host(_ address: HTTPSAddress) -> String { "\(address.host):\(address.port)" }

  /// Reads a record in one pass. The payload is checked when it is used.
  ///
  /// - Parameter file: `{"format": 1, "localeTag": "de-AT", "host": "rerune.io:443", "etag": "…", "payload": "…"}`
  init?(file: [UInt8], tag: LocaleTag) {
    guard let text = PaddedText(file), let record = try? Self.read(text), record.format == StringsCache.format,
      record.localeTag == tag.text, let payload = record.payload.flatMap({ try? TranslationPayload($0) }),
      !ReceivedTexts.isCatalog(payload)
    else { return nil }
    self.init(
      tag: tag, host: record.host, etag: record.etag, payload: payload, version: record.version,
      minimumDeltaBase: record.minimumDeltaBase, isStructured: record.isStructured == 1,
      contract: record.contract.flatMap(ServerContract.init))
  }

  private struct Members {
    var format: Int?
    var localeTag: String?
    var host: String?
    var etag: String?
    var payload: PaddedText?
    var version: Int?
    var minimumDeltaBase: Int?
    var isStructured: Int?
    var contract: String?
  }

  private static func read(_ text: PaddedText) throws(PayloadError) -> Members {
    var members = Members()
    var scanner = JSONScanner(text)
    try scanner.object { scanner throws(PayloadError) in
      let name = try scanner.text()
      try scanner.colon()
      switch (name, scanner.peek()) {
      case ("format", _): members.format = try scanner.integer()
      case ("version", _): members.version = try scanner.integer()
      case ("minimumDeltaBase", _): members.minimumDeltaBase = try scanner.integer()
      case ("isStructured", _): members.isStructured = try scanner.integer()
      case ("localeTag", UInt8(ascii: "\"")): members.localeTag = try scanner.text()
      case ("host", UInt8(ascii: "\"")): members.host = try scanner.text()
      case ("etag", UInt8(ascii: "\"")): members.etag = try scanner.text()
      case ("contract", UInt8(ascii: "\"")): members.contract = try scanner.text()
      case ("payload", UInt8(ascii: "\"")): members.payload = try scanner.paddedText()
      default: try scanner.skipValue()
      }
    }
    try scanner.end()
    withExtendedLifetime(text) {}
    return members
  }

  var file: [UInt8] {
    var record: JSONObject = [
      "format": .integer(Int64(StringsCache.format)), "localeTag": .string(tag.text),
      "host": host.map(JSONValue.string) ?? nil, "etag": etag.map(JSONValue.string) ?? nil,
    ]
    record["version"] = version.map { .integer(Int64($0)) }
    record["minimumDeltaBase"] = minimumDeltaBase.map { .integer(Int64($0)) }
    if isStructured { record["isStructured"] = 1 }
    record["contract"] = contract.map { .string($0.rawValue) }
    record["payload"] = .string(payload.text.string)
    return Array(JSONValue.object(record).text.utf8)
  }
}

extension JSONScanner {
  /// Reads a string of any length.
  fileprivate mutating func paddedText() throws(PayloadError) -> PaddedText {
    var result: Result<Copy, PayloadError>?
    var scanner = self
    let text = PaddedText(capacity: remaining) { target in
      do throws(PayloadError) {
        let copy = try scanner.copyString(to: target)
        result = .success(copy)
        return copy.count
      } catch {
        result = .failure(error)
        return nil
      }
    }
    self = scanner
    _ = try result?.get()
    guard let text else { throw error() }
    return text
  }
}

enum EntityTag {
  private static let maximumLength = 1_024

  /// The tag if it can be sent back in a header (RFC 9110, 8.8.3); otherwise nil.
  static func usable(_ tag: String) -> String? {
    let isUsable = !tag.isEmpty && tag.utf8.count <= maximumLength && tag.utf8.allSatisfy { 0x20...0x7E ~= $0 }
    return isUsable ? tag : nil
  }
}
