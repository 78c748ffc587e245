import Foundation
import TesseraCryptography
import TestSupport
import Testing

@testable import TesseraPassport
@testable import TesseraVerification

/// The table "condition, outcome, reason, proof" of the article Judging.md: each row is made here and judged.
@Suite("The table of proofs")
struct VerdictTableTests {
  private struct Row {
    let condition: String
    /// The last three columns, without the marks of code.
    let verdict: [String]
  }

  private static func rows() throws -> [Row] {
    let article = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
      .appendingPathComponent("../../../../Sources/Tessera/Tessera.docc/Judging.md").standardizedFileURL
    let lines = try String(contentsOf: article, encoding: .utf8).components(separatedBy: "\n")
    let start = try #require(lines.firstIndex(of: "### Proofs and what leaves the question open"))
    return lines[start...].dropFirst(4).prefix { $0.hasPrefix("|") }.map { line in
      let cells = line.split(separator: "|", omittingEmptySubsequences: false).dropFirst().dropLast().map {
        $0.trimmingCharacters(in: .whitespaces).filter { $0 != "`" }
      }
      return Row(condition: cells[0], verdict: Array(cells[1...]))
    }
  }

  private static func verdict(_ report: Report) -> [String] {
    let outcome =
      ["notGenuine": "not genuine", "notEstablished": "not established"][report.outcome.rawValue] ?? "genuine"
    return [outcome, report.outcomeReason?.rawValue ?? "", report.proofs.first?.kind.rawValue ?? ""]
  }

  /// The report on the document that is made here, after a change.
  private static func made(_ name: String) -> @Sendable () async throws -> Report {
    { () async throws -> Report in
      let change = try #require((KeptMeaning.all + BrokenMeaning.all).first { $0.name == name }, "\(name)")
      return try Self.made(change.change)
    }
  }

  private static func made(_ change: (inout MadeDocument) throws -> Void) throws -> Report {
    var document = MadeDocument(countryKey: try .generate(), signerKey: try .generate())
    try change(&document)
    return try document.report()
  }

  /// The report on the read of a profile.
  private static func read(
    _ profile: String, challenge: [UInt8]? = nil,
    _ change: @escaping @Sendable (inout DocumentDump) -> Void = { _ in }
  ) -> @Sendable () async throws -> Report {
    { () async throws -> Report in
      var (dump, trust) = try #require(try await Dumps.judged(profile))
      change(&dump)
      return try Report(dump, trust: trust, challenge: challenge)
    }
  }

  /// By the beginning of the condition. `DeviationListTests.compromisedKey` has the one that is not here.
  private static let cases: [(condition: String, report: @Sendable () async throws -> Report)] = [
    ("a file of a saved dump", read("germany-2023") { $0.modifiedFiles = [.dg2] }),
    ("a data group that was read whole", made("octet 50 of DG2")),
    ("the document has a data group", made("a group that is not signed")),
    ("the content of EF.SOD", made("octet 0 of the signed digest")),
    ("the signature of EF.SOD is wrong", made("another key")),
    ("the certificate of the document signer names", made("a signer of another key with the same identifier")),
    ("the document signer is of another country", made("a signer of another country")),
    ("the chip answered a proof", read("fault-clone")),
    ("EF.SOD was not read", made("no EF.SOD")),
    ("EF.SOD lists a data group", made("DG2 that the chip did not deliver")),
    ("no country certificates", made("no known country")),
    ("no known certificate", made("an unknown country signer")),
    ("the signature of the certificate", { try made(unknownAlgorithm) }),
    ("the certificate may not sign", made("a key that may not sign")),
    ("a certificate was not valid", made("an expired signer")),
    ("a list of the country names", made("revoked")),
    ("a list of the country is malformed", { try made(malformedList) }),
    ("the offers of access control", read("fault-parameters")),
    ("the required challenge", read("bac", challenge: [UInt8](repeating: 1, count: 8))),
    ("the chip refused its proof", read("germany-2023") { $0 = DocumentDump(files: $0.files) }),
    ("the text in DG1", made("43 characters")),
  ]

  @Test("each row is as it says")
  func rows() async throws {
    let rows = try Self.rows()
    #expect(rows.count == Self.cases.count + 1)
    for row in rows where row.verdict[1] != OutcomeReason.keyCompromised.rawValue {
      let made = try #require(Self.cases.first { row.condition.hasPrefix($0.condition) }, "\(row.condition)")
      let report = try await made.report()
      #expect(Self.verdict(report) == row.verdict, "\(row.condition): \(report.headline)")
    }
  }

  @Test("each reason is in a row")
  func reasons() throws {
    let stated = Set(try Self.rows().map { $0.verdict[1] })
    let others: Set<OutcomeReason> = [.credentialSignature, .failedCheck, .publicKeys]
    #expect(stated == Set(OutcomeReason.allCases.filter { !others.contains($0) }.map(\.rawValue)))
  }

  /// A certificate that is signed with an algorithm of the same length that nobody knows.
  private static func unknownAlgorithm(_ document: inout MadeDocument) {
    document.signer.change = { bytes in
      let known: [UInt8] = [0x06, 0x08, 0x2A, 0x86, 0x48, 0xCE, 0x3D, 0x04, 0x03, 0x02]
      for start in bytes.indices where bytes[start...].starts(with: known) { bytes[start + known.count - 1] = 0x7E }
    }
  }

  private static func malformedList(_ document: inout MadeDocument) {
    document.published = { document in
      let list = BrokenMeaning.MadeList(document)
      let body = Piece.sequence(
        .integer([1]), MadeDocument.ecdsa, list.issuer.piece, .time(list.time), .time(list.next),
        .sequence(.sequence(.octets([7]))))
      let signature = try MadeDocument.sign(body.bytes, list.key)
      return [.revocationList(Piece.sequence(body, MadeDocument.ecdsa, .bits(signature)).bytes)]
    }
  }
}
