internal import TesseraCryptography
internal import TesseraJSON

/// The form of a record in the spool: the line `Tessera-Record: 1`, a line of JSON (`desk`, `read`, `bytes` of the
/// record, and `dump`, the identifier of the dump), the record, and the dump.
enum SpooledRecord {
  enum Problem: Error, Equatable {
    /// A later version of Tessera wrote it.
    case laterVersion
    case malformed
  }

  private static let mark = "Tessera-Record: "
  private static let version = "1"
  private static let longestLine = 1024

  static func encode(_ record: ReadRecord) -> [UInt8] {
    var header: JSONObject = [
      "desk": .string(record.desk.text), "read": .string(record.readID.text),
      "bytes": .integer(Int64(record.payload.count)),
    ]
    if let dump = record.dump { header["dump"] = .string(dump.identifier.text) }
    let lines = "\(mark)\(version)\n\(JSONValue.object(header).text)\n"
    return Array(lines.utf8) + record.payload + (record.dump?.content ?? [])
  }

  static func decode(_ bytes: [UInt8]) throws(Problem) -> ReadRecord {
    var rest = bytes[...]
    guard let first = line(&rest), first.hasPrefix(mark) else { throw .malformed }
    guard first.dropFirst(mark.count) == version else { throw .laterVersion }
    guard let text = line(&rest), let header = try? JSONValue(text: text),
      let desk = header["desk"]?.stringValue.flatMap({ DeskName($0) }),
      let read = header["read"]?.stringValue.flatMap({ FleetReadID($0) }),
      case .integer(let length)? = header["bytes"], (0...Int64(rest.count)).contains(length)
    else { throw .malformed }
    let payload = Array(rest.prefix(Int(length)))
    let content = Array(rest.dropFirst(Int(length)))
    let identifier = header["dump"]?.stringValue.flatMap { FleetIdentifier($0) }
    guard (identifier == nil) == content.isEmpty else { throw .malformed }
    return ReadRecord(
      desk: desk, readID: read, payload: payload,
      dump: identifier.map { RecordDump(identifier: $0, content: content) })
  }

  private static func line(_ rest: inout ArraySlice<UInt8>) -> String? {
    guard let end = rest.prefix(longestLine).firstIndex(of: UInt8(ascii: "\n")) else { return nil }
    defer { rest = rest[(end + 1)...] }
    return String(validating: rest[..<end], as: UTF8.self)
  }
}
