internal import TesseraCryptography
internal import TesseraJSON
internal import TesseraVerification

/// The dump of a read for the stream. A record may be too large with it, so it comes in messages of its own, before the
/// record that names them: `tessera.record.<desk>.<read>-<number>-<identifier>`, numbers from 0. A record's own subject
/// has nothing after the read, which always has 22 characters.
///
/// The member `dump` of a record has `identifier`, `parts`, `bytes` and `sha256` of all parts together, and `form`:
/// `tessera` for a file that `tessera passport verify` takes, or `cms` for one that is encrypted. If the dump is too
/// large for the stream, the member has `bytes`, and `leftOut` with the value `tooLarge`.
package struct RecordDump: Sendable, Equatable {
  /// Random: a second record of the same read has other messages.
  package let identifier: FleetIdentifier
  package let content: [UInt8]

  /// The bytes of the largest dump.
  package static let maximumSize = 8 << 20
  /// The bytes of one message but the last.
  package static let partSize = 512 << 10

  init(identifier: FleetIdentifier, content: [UInt8]) {
    self.identifier = identifier
    self.content = content
  }

  /// nil if the policy wants none, or if it is too large.
  init?(_ read: FinishedRead, _ policy: RecordPolicy, _ members: inout JSONObject) throws {
    guard let treatment = policy.treatments[.dump] else { return nil }
    var content = try SavedDump(read.dump, report: read.report).archive()
    if treatment == .encrypt, content.count <= Self.maximumSize {
      content = try EnvelopedData.encrypt(content, for: policy.recipients)
    }
    guard content.count <= Self.maximumSize else {
      members["dump"] = ["leftOut": "tooLarge", "bytes": .integer(Int64(content.count))]
      return nil
    }
    self.init(identifier: try .random(), content: content)
    members["dump"] = [
      "identifier": .string(identifier.text), "parts": .integer(Int64(parts.count)),
      "bytes": .integer(Int64(content.count)),
      "sha256": .string(try HashAlgorithm.sha256.digest(of: content).hexadecimal.lowercased()),
      "form": treatment == .encrypt ? "cms" : "tessera",
    ]
  }

  package var parts: [[UInt8]] {
    stride(from: 0, to: content.count, by: Self.partSize).map {
      Array(content[$0..<min($0 + Self.partSize, content.count)])
    }
  }

  package func subject(_ number: Int, _ desk: DeskName, _ read: FleetReadID) -> String {
    "\(FleetSubject.record(desk, read))-\(number)-\(identifier)"
  }
}
