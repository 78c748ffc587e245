internal import TesseraBridge

/// A manifest with its entity tag.
struct ManifestRecord: Sendable, Equatable {
  let body: [UInt8]
  let etag: String?
  /// The parsed body.
  let manifest: TranslationManifest

  /// - Returns: nil if the body is no manifest.
  init?(body: [UInt8], etag: String?) {
    guard let manifest = TranslationManifest(body) else { return nil }
    self.body = body
    self.etag = etag.flatMap(EntityTag.usable)
    self.manifest = manifest
  }

  /// - Parameter file: `{"format": 1, "etag": "…", "body": "…"}`
  init?(file: [UInt8]) {
    guard let text = String(validating: file, as: UTF8.self), let record = try? JSONValue(text: text),
      record["format"] == .integer(Int64(StringsCache.format)), let body = record["body"]?.stringValue
    else { return nil }
    self.init(body: Array(body.utf8), etag: record["etag"]?.stringValue)
  }

  var file: [UInt8] {
    let record: JSONValue = [
      "format": .integer(Int64(StringsCache.format)), "etag": etag.map(JSONValue.string) ?? nil,
      "body": .string(String(decoding: body, as: UTF8.self)),
    ]
    return Array(record.text.utf8)
  }
}

/// The texts of a locale with their entity tag.
struct LocaleRecord: Sendable, Equatable {
  let tag: LocaleTag
  let etag: String?
  let payload: TranslationPayload

  init(tag: LocaleTag, etag: String?, payload: TranslationPayload) {
    self.tag = tag
    self.etag = etag.flatMap(EntityTag.usable)
    self.payload = payload
  }

  /// Reads a record in one pass. The payload is checked when it is used.
  ///
  /// - Parameter file: `{"format": 1, "localeTag": "de-AT", "etag": "…", "payload": "…"}`
  init?(file: [UInt8], tag: LocaleTag) {
    guard let text = PaddedText(file), let record = try? Self.read(text), record.format == StringsCache.format,
      record.localeTag == tag.text, let payload = record.payload.flatMap({ try? TranslationPayload($0) })
    else { return nil }
    self.init(tag: tag, etag: record.etag, payload: payload)
  }

  private struct Members {
    var format: Int?
    var localeTag: String?
    var etag: String?
    var payload: PaddedText?
  }

  private static func read(_ text: PaddedText) throws(PayloadError) -> Members {
    var members = Members()
    var scanner = JSONScanner(text)
    try scanner.object { scanner throws(PayloadError) in
      let name = try scanner.text()
      try scanner.colon()
      switch (name, scanner.peek()) {
      case ("format", _): members.format = try scanner.integer()
      case ("localeTag", UInt8(ascii: "\"")): members.localeTag = try scanner.text()
      case ("etag", UInt8(ascii: "\"")): members.etag = try scanner.text()
      case ("payload", UInt8(ascii: "\"")): members.payload = try scanner.paddedText()
      default: try scanner.skipValue()
      }
    }
    try scanner.end()
    withExtendedLifetime(text) {}
    return members
  }

  var file: [UInt8] {
    let record: JSONValue = [
      "format": .integer(Int64(StringsCache.format)), "localeTag": .string(tag.text),
      "etag": etag.map(JSONValue.string) ?? nil, "payload": .string(payload.text.string),
    ]
    return Array(record.text.utf8)
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
