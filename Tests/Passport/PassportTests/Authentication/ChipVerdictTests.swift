import ChipTestSupport
import Foundation
import PassportTestSupport
import TesseraCryptography
import TesseraSmartCard
import TesseraVirtualChip
import TestSupport
import Testing

@testable import TesseraPassport
@testable import TesseraVerification

@Suite("Verification of the evidence of a chip")
struct ChipVerdictTests {
  /// EF.CardSecurity with these entries, signed with a new certificate.
  static func cardSecurity(_ entries: [UInt8]) throws -> [UInt8] {
    let key = try IssuingKey(.p256, of: .documentSigner)
    let certificate = try CertificateBuilder(
      role: .countrySigner, country: "UT", organization: "Test", commonName: "Signer", serialNumber: 5,
      notBefore: Date(timeIntervalSince1970: 1_700_000_000), notAfter: Date(timeIntervalSince1970: 2_000_000_000)
    ).issue(for: key, by: nil)
    return try SignedDataBuilder.sign(
      BERTLV.encode(0x31, entries), contentType: EFCardSecurity.objectIdentifier, certificate: certificate, key: key)
  }

  /// A dump of the specimen with additional groups.
  static func dump(_ groups: [Int: [UInt8]] = [:], listed: Bool = true) throws -> DocumentDump {
    let plain = try SpecimenDocument().files
    var all: [Int: [UInt8]] = [1: try #require(plain[.dg1])]
    if listed { all.merge(groups) { $1 } }
    var dump = Self.dump(of: try SpecimenDocument(groups: all))
    for (number, bytes) in groups where !listed {
      if let file = ElementaryFile.dataGroup(number) { dump.add(file, bytes) }
    }
    return dump
  }

  /// A dump of all files.
  static func dump(of document: SpecimenDocument) -> DocumentDump {
    var dump = DocumentDump()
    for file in document.files.all {
      if let bytes = document.files[file] { dump.add(file, bytes) }
    }
    return dump
  }

  @Test("passes PACE-CAM only with the published key and a signed EF.CardSecurity")
  func mapping() throws {
    let vector = PACEChipAuthenticationTests.vector
    let entry = vector["ChipAuthenticationPublicKeyInfo"].bytes
    let file = try Self.cardSecurity(entry)
    func check(_ change: (inout DocumentDump) throws -> Void) throws -> Check? {
      var dump = try Self.dump()
      dump.evidence.paceChipAuthentication = try PACEChipAuthenticationTests.evidence(vector["A_IC"].bytes)
      try change(&dump)
      return try Report(dump)[.paceChipAuthentication]
    }
    #expect(try check { $0.add(.cardSecurity, file) }?.status == .passed)
    #expect(try check { _ in }?.status == .failed)
    // The signature, the key and the data of the chip are each changed.
    let broken = try check { dump in
      var file = file
      file[file.count - 1] ^= 1
      dump.add(.cardSecurity, file)
    }
    #expect(broken?.status == .failed && broken?.detail == "The signature of EF.CardSecurity is invalid.")
    let other = try check { dump in
      var entry = entry
      let key = vector["PK_map_IC"].bytes
      entry.replaceSubrange(entry.count - 3 - key.count..<entry.count - 3, with: key)
      dump.add(.cardSecurity, try Self.cardSecurity(entry))
    }
    #expect(other?.status == .failed && other?.detail.contains("not the original") == true)
    let silent = try check { dump in
      dump.evidence.paceChipAuthentication = try PACEChipAuthenticationTests.evidence(nil)
      dump.add(.cardSecurity, file)
    }
    #expect(silent?.status == .failed && silent?.detail.contains("sent no chip authentication data") == true)
    #expect(try check { $0.evidence = ChipEvidence() }?.status == .skipped)
    #expect(try check { $0.add(.cardSecurity, [0x30, 0x00]) }?.status == .failed)
  }

  @Test("passes Active Authentication only if EF.SOD covers the key")
  func active() throws {
    let vector = try #require(ActiveAuthenticationTests.rsa.first)
    let evidence = ActiveAuthenticationTests.evidence(vector, vector["signature"].bytes)
    var dump = try Self.dump([15: vector["DG15"].bytes])
    #expect(try Report(dump)[.activeAuthentication]?.status == .skipped)
    dump.evidence.activeAuthentication = evidence
    let passed = try #require(try Report(dump)[.activeAuthentication])
    #expect(passed.status == .passed && passed.detail.contains("RSA of 1024 bits, SHA-1"))
    dump.evidence.activeAuthentication = ActiveAuthenticationTests.evidence(vector, [1, 2, 3])
    #expect(try Report(dump)[.activeAuthentication]?.status == .failed)
    var unlisted = try Self.dump([15: vector["DG15"].bytes], listed: false)
    unlisted.evidence.activeAuthentication = evidence
    let failed = try #require(try Report(unlisted)[.activeAuthentication])
    #expect(failed.status == .failed && failed.detail.contains("EF.SOD does not cover DG15"))
    #expect(
      try Report(try Self.dump())[.activeAuthentication]?.detail == "The document does not offer Active Authentication."
    )
    let malformed = try Self.dump([15: [0x6F, 0x02, 0x30, 0x00]])
    #expect(try Report(malformed)[.activeAuthentication]?.status == .unsupported)
  }

  @Test("does not accuse a chip that signed with another hash function than DG14 states")
  func otherHashFunction() throws {
    let vector = ActiveAuthenticationTests.ecdsa
    let algorithm = [UInt8](hexadecimal: "301406072A8648CE3D020106092B2403030208010107") ?? []
    let info = BERTLV.encode(0x30, algorithm + BERTLV.encode(0x03, [0] + vector["public_key"].bytes))
    // It signed with SHA-1; DG14 states SHA-256.
    let stated = BERTLV.encode(0x06, [UInt8](hexadecimal: "04007F00070101040103") ?? [])
    let infos = try SecurityInfosTests.infos(
      SecurityInfoBytes.entry("678108010105", SecurityInfoBytes.number(1) + stated))
    var dump = try Self.dump([14: BERTLV.encode(0x6E, infos.encoded), 15: BERTLV.encode(0x6F, info)])
    dump.evidence.activeAuthentication = ActiveAuthenticationTests.evidence(vector, vector["signature_plain"].bytes)
    let report = try Report(dump)
    let check = try #require(report[.activeAuthentication])
    #expect(check.status == .failed && check.detail.contains("another hash function than DG14 states"))
    #expect(report.outcome == .notEstablished && report.proofs.isEmpty)
    var wrong = vector["signature_plain"].bytes
    wrong[wrong.count - 1] ^= 1
    dump.evidence.activeAuthentication = ActiveAuthenticationTests.evidence(vector, wrong)
    #expect(try Report(dump).outcome == .notGenuine)
  }

  @Test("fails Active Authentication if a challenge must be answered and nothing proves the answer")
  func requiredChallenge() throws {
    let vector = try #require(ActiveAuthenticationTests.rsa.first)
    let challenge = vector["RND_IFD"].bytes
    var dump = try Self.dump([15: vector["DG15"].bytes])
    func status(_ challenge: [UInt8]?) throws -> Check.Status? {
      try Report(dump, challenge: challenge)[.activeAuthentication]?.status
    }
    // Whoever makes the dump can state that the reader is at fault.
    dump.evidence.activeAuthentication = ActiveAuthenticationEvidence(
      challenge: challenge, signature: nil, status: StatusWord(0x6700), isBeyondReader: true)
    #expect(try status(nil) == .unsupported)
    #expect(try status(challenge) == .failed)
    dump.evidence.activeAuthentication = nil
    #expect(try status(nil) == .skipped && status(challenge) == .failed)
    dump.evidence.activeAuthentication = ActiveAuthenticationTests.evidence(vector, vector["signature"].bytes)
    #expect(try status(challenge) == .passed)
    dump = try Self.dump([15: [0x6F, 0x02, 0x30, 0x00]])
    #expect(try status(nil) == .unsupported && status(challenge) == .failed)
    dump = try Self.dump()
    #expect(try status(nil) == .skipped && status(challenge) == .failed)
  }

  @Test("skips a good proof of the chip if nobody can verify the signature of EF.SOD")
  func unverifiedKey() throws {
    let vector = try #require(ActiveAuthenticationTests.rsa.first)
    var issuance = DocumentIssuance()
    issuance.embedsCertificate = false
    let document = try SpecimenDocument(
      groups: [1: try #require(try SpecimenDocument().files[.dg1]), 15: vector["DG15"].bytes], issuance: issuance)
    var dump = Self.dump(of: document)
    dump.evidence.activeAuthentication = ActiveAuthenticationTests.evidence(vector, vector["signature"].bytes)
    let skipped = try #require(try Report(dump)[.activeAuthentication])
    #expect(skipped.status == .skipped && skipped.detail.contains("signature of EF.SOD could not be verified"))
    let published = try Report(dump, trust: TrustMaterial(of: document))
    #expect(published[.activeAuthentication]?.status == .passed && published.outcome == .genuine)
    dump.evidence.activeAuthentication = ActiveAuthenticationTests.evidence(vector, [1, 2, 3])
    #expect(try Report(dump)[.activeAuthentication]?.status == .failed)
  }

  @Test(
    "does not call a document genuine whose offer of a proof cannot be read",
    arguments: [
      [0x31, 0x02, 0x30, 0x00],  // an entry without an object identifier
      [0x04, 0x00],  // no set
      BERTLV.encode(0x31, SecurityInfoBytes.entry("04007F000702020102", SecurityInfoBytes.number(1))),
      BERTLV.encode(0x31, SecurityInfoBytes.entry("04007F000702020109", [0x30, 0x00])),
    ] as [[UInt8]])
  func unreadableOffer(_ content: [UInt8]) throws {
    func report(_ content: [UInt8]) throws -> Report {
      let groups = [1: try #require(try SpecimenDocument().files[.dg1]), 14: BERTLV.encode(0x6E, content)]
      let document = try SpecimenDocument(groups: groups)
      return try Report(Self.dump(of: document), trust: TrustMaterial(of: document))
    }
    #expect(try report([0x31, 0x00]).outcome == .genuine)
    let unreadable = try report(content)
    #expect(unreadable.outcome == .notEstablished)
    #expect(unreadable[.chipAuthentication]?.status == .unsupported)
  }

  @Test("names the data groups that EF.SOD lists and the dump lacks")
  func unreadGroups() throws {
    let document = try SpecimenDocument()
    var dump = DocumentDump()
    for file in [ElementaryFile.sod, .dg1] { dump.add(file, try #require(document.files[file])) }
    let hashes = try #require(try Report(dump)[.passiveHashes])
    #expect(hashes.status == .passed)
    #expect(hashes.detail == "DG1: the digest matches EF.SOD. Not compared, since not read: DG2.")
    #expect(try Report(Self.dump(of: document))[.passiveHashes]?.detail.contains("Not compared") == false)
  }

  @Test("distinguishes an unsupported offer of Chip Authentication from one that was not performed")
  func chip() throws {
    func check(_ entries: [UInt8]) throws -> Check? {
      try Report(Self.dump([14: BERTLV.encode(0x6E, BERTLV.encode(0x31, entries))]))[.chipAuthentication]
    }
    let entry = SecurityInfoBytes.entry("04007F00070202030202", SecurityInfoBytes.number(1))
    #expect(try check([])?.status == .skipped)
    #expect(try check(entry)?.status == .unsupported)
    #expect(try check(PACEChipAuthenticationTests.vector["ChipAuthenticationPublicKeyInfo"].bytes)?.status == .skipped)
    // Version 2 is a different protocol.
    let second = SecurityInfoBytes.entry("04007F00070202030202", SecurityInfoBytes.number(2))
    let both = second + PACEChipAuthenticationTests.vector["ChipAuthenticationPublicKeyInfo"].bytes
    #expect(try check(both)?.detail == "Version 2 of 0.4.0.127.0.7.2.2.3.2.2 is not supported.")
  }

  @Test("reports each outcome of Terminal Authentication")
  func terminal() throws {
    let info = SecurityInfoBytes.entry("04007F0007020202", SecurityInfoBytes.number(1))
    var dump = try Self.dump([14: BERTLV.encode(0x6E, BERTLV.encode(0x31, info))])
    func check(_ outcome: TerminalAuthenticationEvidence.Outcome?) throws -> Check? {
      dump.evidence.terminalAuthentication = outcome.map {
        TerminalAuthenticationEvidence(authorities: ["UTCVCA00001"], chain: ["UTIS00001"], outcome: $0)
      }
      return try Report(dump)[.terminalAuthentication]
    }
    #expect(try check(nil)?.detail.contains("no certificates for it were given") == true)
    #expect(try check(.accepted)?.status == .passed)
    #expect(try check(.noChain)?.detail.contains("UTCVCA00001") == true)
    #expect(try check(.chipNotAuthenticated)?.status == .skipped)
    #expect(try check(.refused("a step", StatusWord(0x6300)))?.status == .failed)
  }

  @Test("restores every kind of evidence from its JSON text", arguments: [0, 1, 2, 3])
  func text(_ kind: Int) throws {
    var evidence = ChipEvidence()
    evidence.chipAuthentication = ChipAuthenticationEvidence(
      protocolIdentifier: "0.4.0.127.0.7.2.2.3.2.2", keyIdentifier: kind, readerPrivateKey: SecretBytes([1, 2]),
      firstAnswer: [3], refusal: kind == 1 ? StatusWord(0x6A80) : nil)
    evidence.activeAuthentication = ActiveAuthenticationEvidence(
      challenge: [1], signature: kind == 2 ? nil : [2], status: .success)
    evidence.paceChipAuthentication = try PACEChipAuthenticationTests.evidence(
      kind == 3 ? nil : [1], explicitParameters: kind == 0 ? [0x30, 0x00] : nil)
    let outcomes: [TerminalAuthenticationEvidence.Outcome] = [
      .accepted, .noChain, .chipNotAuthenticated, .refused("x", StatusWord(0x6300)),
    ]
    evidence.terminalAuthentication = TerminalAuthenticationEvidence(
      authorities: ["A"], chain: ["B"], outcome: outcomes[kind], certificates: [[0x7F, 0x21, 0x00]],
      proof: kind == 0 ? TerminalAuthenticationEvidence.Proof(signed: [1, 2], signature: [3]) : nil)
    #expect(try ChipEvidence(json: #require(try evidence.json())) == evidence)
    #expect(try ChipEvidence().json() == nil)
    for text in ["", "[]", "{\"activeAuthentication\":{\"challenge\":\"0\",\"status\":1}}"] {
      #expect(throws: PassportError.self) { try ChipEvidence(json: text) }
    }
  }
}
