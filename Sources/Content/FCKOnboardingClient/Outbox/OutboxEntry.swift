internal import FoundationEssentials
import TesseraJSON

/// A completion or an event that the server has not received yet.
struct OutboxEntry: Sendable, Equatable {
  /// The version of the files.
  static let format = 1

  let kind: FCKAPIClient.Report
  /// The same for each attempt to send it.
  let id: String
  let time: Date
  let body: JSONObject

  init(_ kind: FCKAPIClient.Report, _ body: JSONObject, at time: Date, id: String = Self.newId()) {
    self.kind = kind
    self.body = body
    self.time = time
    self.id = id
  }

  /// A random UUID in lower case.
  static func newId() -> String { UUID().uuidString.lowercased() }

  /// - Returns: nil if the text is no UUID.
  static func id(_ text: String) -> String? { UUID(uuidString: text)?.uuidString.lowercased() }

  /// Reads an entry.
  ///
  /// - Parameter file: `{"format": 1, "kind": "event", "id": "…", "time": "2030-01-02T03:04:05Z", "body": {…}}`
  /// - Returns: nil if it is damaged.
  init?(file: [UInt8]) {
    guard let text = String(validating: file, as: UTF8.self), let entry = try? JSONValue(text: text) else {
      return nil
    }
    self.init(entry)
  }

  /// - Returns: nil if it is damaged.
  init?(_ entry: JSONValue) {
    guard entry["format"] == .integer(Int64(Self.format)),
      let kind = entry["kind"]?.stringValue.flatMap({ FCKAPIClient.Report(rawValue: $0) }),
      let id = entry["id"]?.stringValue.flatMap(Self.id),
      let time = entry["time"]?.stringValue.flatMap(Timestamp.date), case .object(let body)? = entry["body"]
    else { return nil }
    self.kind = kind
    self.id = id
    self.time = time
    self.body = body
  }

  var json: JSONValue {
    [
      "format": .integer(Int64(Self.format)), "kind": .string(kind.rawValue), "id": .string(id),
      "time": .string(Timestamp.text(time)), "body": .object(body),
    ]
  }

  var file: [UInt8] { Array(json.text.utf8) }
}
