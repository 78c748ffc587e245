package import FoundationEssentials
import TesseraJSON

/// What a server sent for a placement, as it came.
package struct CachedPlacement: Sendable, Equatable {
  /// The version of the files.
  static let format = 1
  /// A cached flow that is older is only used if the server cannot be asked.
  package static let softAge: TimeInterval = 24 * 60 * 60

  package var body: [UInt8]
  /// The header `ETag`.
  package var entityTag: String?
  /// When the server sent it, or said that it is still valid.
  package var time: Date

  package init(body: [UInt8], entityTag: String?, time: Date) {
    self.body = body
    self.entityTag = entityTag
    self.time = time
  }

  /// Whether it is younger than 24 hours. One from the future is not: the clock was set back.
  func isFresh(at now: Date) -> Bool { (0..<Self.softAge).contains(now.timeIntervalSince(time)) }
}

extension CachedPlacement {
  /// Reads a record.
  ///
  /// - Parameter file: `{"format": 1, "scope": "…", "etag": "…", "time": "2030-01-02T03:04:05Z", "body": "…"}`
  /// - Returns: nil if it is damaged, or of another scope.
  init?(file: [UInt8], scope: String) {
    guard let text = String(validating: file, as: UTF8.self), let record = try? JSONValue(text: text),
      record["format"] == .integer(Int64(Self.format)), record["scope"] == .string(scope),
      let time = record["time"]?.stringValue.flatMap(Timestamp.date), let body = record["body"]?.stringValue
    else { return nil }
    self.init(body: Array(body.utf8), entityTag: HeaderText.usable(record["etag"]?.stringValue), time: time)
  }

  /// The content of the file. The body is UTF-8: it was decoded.
  func file(scope: String) -> [UInt8] {
    var record: JSONObject = [
      "format": .integer(Int64(Self.format)), "scope": .string(scope), "time": .string(Timestamp.text(time)),
    ]
    record["etag"] = entityTag.map { .string($0) }
    record["body"] = .string(String(decoding: body, as: UTF8.self))
    return Array(JSONValue.object(record).text.utf8)
  }
}
