internal import TesseraCore
internal import TesseraCryptography
internal import TesseraJSON
internal import TesseraPassport
internal import TesseraVerification

#if canImport(FoundationEssentials)
  internal import FoundationEssentials
#else
  internal import Foundation
#endif

/// The record of one finished read, as the stream keeps it: a JSON object with these members in this order.
///
/// - `version`: 1.
/// - `read`, `desk`, `inspector`: the identifier of the read, the desk's name, and the inspector's random name.
/// - `software`, `deskSoftware`: the versions of the inspector and, by its own word, of the desk.
/// - `time`: of the read, ISO 8601, by the inspector's clock.
/// - `mode`: `witnessed` or `remote`.
/// - `outcome`, `reason`: of the verdict; no `reason` for `genuine`.
/// - `checks`: `id` and `status` of each. Their details are left out: they can quote the document.
/// - `findings`: the identifiers of the report's findings.
/// - `access`: `PACE`, `BAC` or `none`.
/// - `files`: the names of the files, without their sizes, which would tell documents apart; `omissions`: the names of
///   those that were not read.
/// - `transport`: `exchanges`, `bytesSent`, `bytesReceived`, `milliseconds`; of a witnessed read by the desk's word.
/// - `trustVersion`: of the fleet's certificates; null for a store of the inspector's machine.
/// - `documentTag`: tells whether another attempt at this read was about the same document. Null without EF.SOD.
/// - `document`: fields that the policy keeps; `hashed`: those that it hashes, HMAC-SHA-256 in hexadecimal;
///   `encrypted`: CMS `EnvelopedData` in DER, base64, whose content is a JSON object of the fields that it encrypts.
/// - `leftOut`: fields over the limit of size, with their bytes.
/// - `dump`: of `RecordDump`.
///
/// The last five are there only if they are not empty.
package struct ReadRecord: Sendable, Equatable {
  package let desk: DeskName
  package let readID: FleetReadID
  /// The JSON text.
  package let payload: [UInt8]
  /// nil if the policy keeps none, or if it is too large.
  package let dump: RecordDump?

  static let version: Int64 = 1

  init(desk: DeskName, readID: FleetReadID, payload: [UInt8], dump: RecordDump?) {
    self.desk = desk
    self.readID = readID
    self.payload = payload
    self.dump = dump
  }

  /// - Throws: `CryptographyError`; the errors of encoding the report.
  package init(_ read: FinishedRead, policy: RecordPolicy) throws {
    var members = try Self.facts(read)
    var fields = RecordFields(policy)
    try fields.add(read)
    try fields.write(to: &members)
    let dump = try RecordDump(read, policy, &members)
    self.init(desk: read.desk, readID: read.readID, payload: Array(JSONValue.object(members).text.utf8), dump: dump)
  }

  /// What is never personal.
  private static func facts(_ read: FinishedRead) throws -> JSONObject {
    let report = read.report
    var members: JSONObject = [
      "version": .integer(version), "read": .string(read.readID.text), "desk": .string(read.desk.text),
      "inspector": .string(read.inspector.text), "software": .string(TesseraVersion.current),
      "deskSoftware": .string(PrintableText.of(read.software.prefix(bytes: 64))),
      "time": .string((report.readAt ?? report.verifiedAt).formatted(.iso8601)), "mode": .string(read.mode.rawValue),
      "outcome": .string(report.outcome.rawValue),
    ]
    if let reason = report.outcomeReason { members["reason"] = .string(reason.rawValue) }
    members["checks"] = .array(
      report.checks.map { ["id": .string($0.id.rawValue), "status": .string($0.status.rawValue)] })
    members["findings"] = .array(report.findings.prefix(maximumFindings).map { .string($0.id.rawValue) })
    members["access"] = .string(report.accessControl.protocol)
    members["files"] = .array(report.files.map { .string($0.name) })
    members["omissions"] = .array(report.omissions.map { .string($0.name) })
    let transport = report.transport
    members["transport"] = [
      "exchanges": .integer(Int64(transport.exchanges)), "bytesSent": .integer(Int64(transport.bytesSent)),
      "bytesReceived": .integer(Int64(transport.bytesReceived)),
      "milliseconds": .integer(Int64(transport.milliseconds)),
    ]
    members["trustVersion"] = read.trustVersion.map { .integer(Int64(clamping: $0)) } ?? .null
    members["documentTag"] = try documentTag(read).map { .string($0) } ?? .null
    return members
  }

  /// HMAC-SHA-256 of EF.SOD with the identifier of the read as the key. Two reads of one document have different tags,
  /// and nobody finds a document by trying names and numbers, since the signature in EF.SOD cannot be guessed.
  private static func documentTag(_ read: FinishedRead) throws -> String? {
    guard let object = read.dump[.sod] else { return nil }
    return try HMAC.code(of: object, key: SecretBytes(Array(read.readID.text.utf8))).hexadecimal.lowercased()
  }

  /// A document has sixteen data groups, and each is the subject of one finding or two.
  private static let maximumFindings = 64

  /// The id of the message in the stream, by which a repeated publication is recognised: the read and the digest of the
  /// content. Another record of the same read has another id, so the stream never acknowledges it as a duplicate.
  package var messageID: String {
    get throws {
      let digest = try HashAlgorithm.sha256.digest(of: payload)
      return "\(readID)-\(digest.prefix(16).hexadecimal.lowercased())"
    }
  }

  /// Whether another record of the same read says the same of the same document at nearly the same time: it was made by
  /// another inspector, or in another attempt. Inspector, certificates, transport, dump and report differ then, and
  /// encryption is never twice the same. `documentTag` tells the document.
  ///
  /// A desk that uses the identifier again later reads anew, and that read needs a record of its own.
  package func agrees(with other: [UInt8]) -> Bool {
    guard payload != other else { return true }
    guard let mine = Self.statement(payload), let others = Self.statement(other) else { return false }
    return mine.members == others.members
      && abs(mine.time.timeIntervalSince(others.time)) <= Self.longestRepetition
  }

  /// What a record says, without what differs between two attempts, and when; nil if it is no record of this version,
  /// or if nothing tells which document it is about.
  private static func statement(_ payload: [UInt8]) -> (members: JSONObject, time: Date)? {
    guard payload.count <= maximumSize, let text = String(validating: payload, as: UTF8.self),
      case .object(var members)? = try? JSONValue(text: text), members["version"] == .integer(version),
      members["documentTag"]?.stringValue != nil,
      let time = members["time"]?.stringValue.flatMap({ try? Date($0, strategy: .iso8601) })
    else { return nil }
    for name in incomparable { members[name] = nil }
    if case .object(var document)? = members["document"] {
      document[RecordField.report.rawValue] = nil
      members["document"] = document.isEmpty ? nil : .object(document)
    }
    return (members, time)
  }

  private static let incomparable = [
    "inspector", "software", "deskSoftware", "time", "transport", "trustVersion", "encrypted", "leftOut", "dump",
  ]

  /// In seconds. A desk repeats a read for minutes, and the clocks of two inspectors differ a little.
  private static let longestRepetition = 600.0

  /// The largest message of a server, in bytes.
  private static let maximumSize = 1 << 20
}
