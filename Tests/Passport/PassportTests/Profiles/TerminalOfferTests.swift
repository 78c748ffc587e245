import ChipTestSupport
import TesseraCryptography
import TesseraSmartCard
import TesseraVerification
import TestSupport
import Testing

@testable import TesseraPassport
@testable import TesseraVirtualChip

/// Terminal Authentication with the authority that the specimens trust.
@Suite("Reading DG3 and DG4 after Terminal Authentication")
struct TerminalOfferTests {
  static func credentials(_ terminal: SpecimenTerminal) throws -> TerminalCredentials {
    try TerminalCredentials(
      certificates: terminal.certificates.map { bytes throws in try CVCertificate(bytes) },
      key: PrivateKey(SecretBytes(terminal.privateKey)))
  }

  static func read(
    _ profile: ChipProfile, _ terminal: SpecimenTerminal, _ change: (inout InspectionRequest) -> Void = { _ in }
  ) async throws -> (dump: DocumentDump, files: ChipFiles) {
    let files = try SpecimenDocument(adding: SpecimenDocument.everyGroup(), profile: profile).files
    let credentials = try credentials(terminal)
    let dump = try await Reads.read(files, profile: profile) {
      $0.terminalCredentials = credentials
      change(&$0)
    }.dump.get()
    return (dump, files)
  }

  /// How the chip is opened and authenticated before Terminal Authentication.
  static let ways: [(name: String, change: @Sendable (inout ChipProfile) -> Void)] = [
    ("everything", { _ in }),
    ("short commands", { $0.responseLimit = 256 }),
    ("PACE, then Chip Authentication", { $0.pace = [PACEOffer(.generic, .aes128, AgreementParameters(13))] }),
    (
      "PACE in a prime field, then Chip Authentication",
      {
        $0.pace = [PACEOffer(.generic, .aes128, AgreementParameters(2))]
        $0.chipAuthentication = [ChipAuthenticationOffer(.aes128, AgreementParameters(0, .explicit))]
      }
    ),
    ("Basic Access Control, then Chip Authentication", { $0.pace = [] }),
    (
      "Chip Authentication Mapping alone",
      {
        $0.pace = [PACEOffer(.chipAuthentication, .aes128, AgreementParameters(13))]
        $0.chipAuthentication = []
      }
    ),
    (
      "Chip Authentication Mapping, then Chip Authentication",
      { $0.pace = [PACEOffer(.chipAuthentication, .aes128, AgreementParameters(13))] }
    ),
  ]

  @Test("succeeds after every kind of chip authentication", arguments: ways.map(\.name))
  func opening(_ way: String) async throws {
    var profile = ChipProfile.mechanisms
    try #require(Self.ways.first { $0.name == way }).change(&profile)
    let terminal = try SpecimenTerminal()
    let (dump, files) = try await Self.read(profile, terminal)
    let report = try Report(dump)
    let check = report[.terminalAuthentication]
    #expect(check?.status == .passed, "\(check?.detail ?? "")")
    #expect(check?.detail.contains("UTTERMINAL00001") == true)
    // The evidence can be verified again with the certificates.
    let evidence = try #require(dump.evidence.terminalAuthentication)
    let proof = try #require(evidence.proof)
    #expect(evidence.certificates == terminal.certificates)
    let certificate = try CVCertificate(try #require(evidence.certificates.last)).publicKey
    let point = try #require(certificate.parts[0x86])
    let key = try PublicKey(subjectPublicKeyInfo: P256PublicKey(point: point).subjectPublicKeyInfo)
    let algorithm = try #require(certificate.signatureAlgorithm)
    #expect(try key.verify(proof.signature, over: proof.signed, algorithm))
    #expect(try !key.verify(proof.signature, over: proof.signed + [0], algorithm))
    for file in files.all { #expect(dump[file] == files[file], "\(file.name)") }
    #expect(dump[.dg3] != nil && dump[.dg4] != nil)
    #expect(report.isSound && report.omissions.isEmpty, "\(report.headline) \(report.omissions)")
  }

  @Test("opens only the file of the granted right", arguments: [UInt8(0x00), 0x01, 0x02])
  func rights(_ rights: UInt8) async throws {
    let (dump, files) = try await Self.read(.mechanisms, SpecimenTerminal(rights: rights))
    let report = try Report(dump)
    #expect(report[.terminalAuthentication]?.status == .passed)
    #expect(dump[.dg3] == (rights == 1 ? files[.dg3] : nil) && dump[.dg4] == (rights == 2 ? files[.dg4] : nil))
    #expect(report.omissions.count == (rights == 0 ? 2 : 1) && report.omissions.allSatisfy(\.isExpected))
    #expect(report.isSound)
  }

  @Test("reads the other files if the certificates have expired or lead to no known authority")
  func refused() async throws {
    let expired = try await Self.read(.mechanisms, SpecimenTerminal(expiration: "241231")).dump
    let report = try Report(expired)
    #expect(report[.terminalAuthentication]?.status == .failed)
    #expect(report[.terminalAuthentication]?.detail.contains("the certificate of UTTERMINAL00001") == true)
    #expect(report.failedChecks.count == 1 && expired[.dg3] == nil && expired[.dg2] != nil)
    #expect(report.omissions.map(\.name) == ["DG3", "DG4"] && report.omissions.allSatisfy(\.isExpected))

    let terminal = try SpecimenTerminal()
    let lonely = try TerminalCredentials(
      certificates: [CVCertificate(terminal.certificates[1])], key: PrivateKey(SecretBytes(terminal.privateKey)))
    let other = try await Self.read(.mechanisms, terminal) { $0.terminalCredentials = lonely }.dump
    let check = try Report(other)[.terminalAuthentication]
    #expect(check?.status == .skipped && check?.detail.contains("UTTESSERA00001") == true)

    // Without chip authentication there is no key agreement to bind the rights to.
    var profile = ChipProfile.mechanisms
    profile.chipAuthentication = []
    profile.pace = [PACEOffer(.generic, .aes128, AgreementParameters(13))]
    let unbound = try Report(try await Self.read(profile, terminal).dump)
    #expect(unbound[.terminalAuthentication]?.status == .skipped)
    #expect(unbound[.terminalAuthentication]?.detail.contains("not authenticated before") == true)
  }
}
