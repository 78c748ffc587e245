import TesseraCore
import TesseraCryptography
import TesseraJSON
import TesseraPassport
import TesseraSmartCard

#if canImport(FoundationEssentials)
  public import FoundationEssentials
#else
  public import Foundation
#endif

/// The report on one read: the document, access control, the files, the checks and the transport. Encodes to the JSON
/// of `tessera passport read --json`.
public struct Report: Sendable, Codable {
  public struct Document: Sendable, Codable {
    /// `TD1`, `TD2`, `TD3`, `MRV-A` or `MRV-B`; empty if the text in DG1 is no zone of Doc 9303. Then only `mrz` has
    /// content.
    public let format: String
    /// The lines of the zone, separated by a line feed.
    public let mrz: String
    public let type: String
    public let issuingState: String
    public let documentNumber: String
    /// `surname` in JSON, which has the former name, too.
    public let primaryIdentifier: String
    /// `givenNames` in JSON, which has the former name, too.
    public let secondaryIdentifier: String
    public let nationality: String
    /// `YYMMDD`.
    public let dateOfBirth: String
    public let sex: String
    /// `YYMMDD`.
    public let dateOfExpiry: String
    /// Both fields of a TD1, separated by a space.
    public let optionalData: String

    /// Whether the document has no date of expiry, or one of those that mean this.
    package var hasNoEnd: Bool {
      !dateOfExpiry.isEmpty && dateOfExpiry.allSatisfy { $0 == "<" }
        || MachineReadableZone.endless.contains(dateOfExpiry)
    }

    private static let longestText = 500

    init(
      format: String, mrz: String, type: String, issuingState: String, documentNumber: String,
      primaryIdentifier: String, secondaryIdentifier: String, nationality: String, dateOfBirth: String, sex: String,
      dateOfExpiry: String, optionalData: String
    ) {
      (self.format, self.mrz, self.type, self.issuingState) = (format, mrz, type, issuingState)
      (self.documentNumber, self.nationality, self.sex) = (documentNumber, nationality, sex)
      (self.primaryIdentifier, self.secondaryIdentifier) = (primaryIdentifier, secondaryIdentifier)
      (self.dateOfBirth, self.dateOfExpiry, self.optionalData) = (dateOfBirth, dateOfExpiry, optionalData)
    }

    /// A text that is no zone of Doc 9303 has no fields.
    init(_ group: DataGroup1) {
      guard let zone = try? group.zone.get() else {
        (format, mrz) = ("", String(group.text.prefix(Self.longestText)))
        (type, issuingState, documentNumber, primaryIdentifier, secondaryIdentifier) = ("", "", "", "", "")
        (nationality, dateOfBirth, sex, dateOfExpiry, optionalData) = ("", "", "", "", "")
        return
      }
      format = zone.format.rawValue
      mrz = zone.text
      type = zone.documentCode
      issuingState = zone.issuingState
      documentNumber = zone.documentNumber
      primaryIdentifier = zone.primaryIdentifier
      secondaryIdentifier = zone.secondaryIdentifier
      nationality = zone.nationality
      dateOfBirth = zone.dateOfBirth
      sex = zone.sex
      dateOfExpiry = zone.dateOfExpiry
      optionalData = [zone.optionalData, zone.optionalData2].filter { !$0.isEmpty }.joined(separator: " ")
    }
  }

  public struct AccessControl: Sendable, Codable {
    /// `PACE`, `BAC` or `none`.
    public let `protocol`: String
    // Of PACE. Encoded as null otherwise, so that the keys are always present.
    public let oid: String?
    /// `GM`, `IM` or `CAM`.
    public let mapping: String?
    /// `3DES`, `AES-128`, …
    public let cipher: String?
    public let parameterId: Int?
    /// Why this offer of PACE was chosen, or why PACE was not performed although the chip offers it.
    public let reason: String?

    init(_ dump: DocumentDump) {
      `protocol` = dump.accessProtocol.rawValue
      oid = dump.pace?.pace.identifier
      mapping = dump.pace?.pace.mapping.rawValue
      cipher = dump.pace?.pace.cipher.name ?? (dump.accessProtocol == .bac ? "3DES" : nil)
      parameterId = dump.pace?.parameterIdentifier
      reason = dump.pace?.reason ?? dump.paceOmissionReason
    }

    public func encode(to encoder: any Encoder) throws {
      var container = encoder.container(keyedBy: CodingKeys.self)
      try container.encode(`protocol`, forKey: .protocol)
      try container.encode(oid, forKey: .oid)
      try container.encode(mapping, forKey: .mapping)
      try container.encode(cipher, forKey: .cipher)
      try container.encode(parameterId, forKey: .parameterId)
      try container.encode(reason, forKey: .reason)
    }
  }

  public struct File: Sendable, Codable {
    public let name: String
    public let bytes: Int
    /// Lower-case hexadecimal.
    public let sha256: String
    /// `matches`, `differs`, `incomplete` or `notCovered`; only for data groups, and only if EF.SOD was read.
    public let digest: String?
  }

  public struct Omission: Sendable, Codable {
    public let name: String
    public let reason: String
    /// Whether the specification lets the chip protect this file from the reader.
    public let isExpected: Bool
  }

  public struct Transport: Sendable, Codable {
    public let reader: String
    public let exchanges: Int
    public let bytesSent: Int
    public let bytesReceived: Int
    public let milliseconds: Int
  }

  public let document: Document
  public let accessControl: AccessControl
  /// What the digital travel credential is bound to that the data come from; nil for a chip, which was read.
  public let credential: CredentialBinding?
  public let files: [File]
  /// Requested files that were not read.
  public let omissions: [Omission]
  public let checks: [Check]
  public let outcome: Outcome
  /// nil for `genuine`.
  public let outcomeReason: OutcomeReason?
  /// What proves that the document is not genuine, the reason of the first line first; empty for the other outcomes.
  public let proofs: [Proof]
  /// The name of the trust material, if it is not what the user imported.
  public let authority: String?
  /// From the document signer to the trust anchor; ends early if an issuer is not known.
  public let chain: [Certificate]
  /// The date for which validity was checked, ISO 8601.
  public let verifiedAt: Date
  /// The time of the read; nil if the dump does not state it.
  public let readAt: Date?
  /// The data groups that EF.SOD covers, that the dump lacks, and of which it does not say why. Without those that only a
  /// terminal with rights can read.
  public let absentGroups: [String]
  /// The data groups that EF.SOD covers and that the read did not ask for.
  public let unrequestedGroups: [String]
  /// Problems that are not part of the fixed list of checks.
  public let findings: [Finding]
  public let transport: Transport
  /// The content of the data groups other than DG1.
  public let content: ReportContent

  /// Verifies `dump`.
  ///
  /// - Parameters:
  ///   - dump: what was read.
  ///   - trust: what is known of countries; nothing is, by default.
  ///   - date: the date for which validity is checked; nil for the time of the read, or now if it is not known.
  ///   - challenge: the challenge that Active Authentication must have answered; nil for any.
  /// - Throws: `PassportError.fileMissing` or `.fileMalformed` if there is no text in DG1.
  public init(
    _ dump: DocumentDump, trust: TrustMaterial = TrustMaterial(), at date: Date? = nil, challenge: [UInt8]? = nil
  ) throws {
    let group = try dump.machineReadableGroup()
    let date = date ?? dump.readAt ?? .now
    let verdict = Verdict(dump, zone: group.zone, trust: trust, at: date, challenge: challenge)
    document = Document(group)
    accessControl = AccessControl(dump)
    credential = dump.credential
    files = dump.files.map { entry in
      File(
        name: entry.file.name, bytes: entry.bytes.count,
        sha256: (dump.digests[entry.file] ?? []).hexadecimal.lowercased(),
        digest: entry.file.dataGroup.flatMap { verdict.coverage[$0] }?.rawValue)
    }
    omissions = dump.omissions.map {
      Omission(name: $0.file.name, reason: $0.reason, isExpected: $0.cause == .protected)
    }
    let stated = Set(dump.omissions.compactMap(\.file.dataGroup))
    let unexplained = dump.absentGroups.filter { !stated.contains($0) }
    absentGroups = unexplained.filter(dump.hasRequested).map { "DG\($0)" }
    unrequestedGroups = unexplained.filter { !dump.hasRequested($0) }.map { "DG\($0)" }
    checks = verdict.checks
    outcome = verdict.outcome
    outcomeReason = verdict.reason
    proofs = verdict.proofs
    chain = verdict.chain
    authority = trust.name
    verifiedAt = date
    readAt = dump.readAt
    findings = verdict.findings
    content = ReportContent(dump.content)
    transport = Transport(
      reader: dump.readerName, exchanges: dump.statistics.exchanges, bytesSent: dump.statistics.bytesSent,
      bytesReceived: dump.statistics.bytesReceived, milliseconds: Int(dump.duration / .milliseconds(1)))
  }

  public subscript(id: Check.ID) -> Check? { checks.first { $0.id == id } }

  /// The checks that failed. What `headline` names may also be a finding: `problems` has both.
  public var failedChecks: [Check] { checks.filter { $0.status == .failed } }

  /// Whether the dump states how it was read. A folder of another program does not.
  public var statesTransport: Bool { transport.exchanges > 0 }

  /// Whether no check failed and no finding speaks against the document.
  public var isSound: Bool { problems.isEmpty }

  /// The JSON text of the report, with `headline` and `meaning`.
  public func json() throws -> String {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
    encoder.dateEncodingStrategy = .iso8601
    return PrintableText.escaped(json: String(decoding: try encoder.encode(WithSentences(report: self)), as: UTF8.self))
  }
}
